package text

import (
	"slices"
	"strings"
	"testing"
)

// maxWorkPerByte is how many bytes may be looked at for each byte of a text, by
// the worst prefix of two bytes: each is judged by maxJudged bytes, a few times.
const maxWorkPerByte = 6 * maxJudged

// prefixUnits are the prefixes of all rules, each alone, before what separates
// words, and before the first character of a body.
func prefixUnits() []string {
	var units []string
	for _, r := range issuerRules {
		if r.prefix != "" {
			units = append(units, r.prefix, r.prefix+"-", r.prefix+"a")
		}
	}
	return distinct(units)
}

// shapeUnits are what begins a secret and does not finish it.
func shapeUnits() []string {
	units := []string{
		"-----BEGIN PRIVATE KEY-----", "-----BEGINXXXX PRIVATE KEY-----", "---- BEGIN SSH2 PRIVATE KEY ----\n",
		"password=", "pwd=a1B2c3D4;", "pwd=,", "pwd=,...", "host=,pwd=,...", "&token=", "?token=a", "://a:", "--token ", "--token '",
		"\"token\":\"", "token='token=\"", "Private-Lines: ", "<password>", "bearer ", "basic ", "-u a:", "curl -u a:",
		"0", "0.", "-1", ":", "=", "a:", "-", ".", "/", "/A", "/bot1", "-M", ".N", "M.", "abc1Q~",
		"xoxb-", "xoxp-a-", "xoxe.", "-xoxb-1", "ey-", "ey.", "-ey", "eyJ-.", "-----BEGIN PRIVATE KEY-----" + body(alnum, 20),
		"AK" + "IA" + body(upperOnly, 16) + "/a/b/c/d/e/f/g/h/i/j/k/l/m/n/o/p/q/r/s/t/",
		"password=" + body(alnum, 16) + " :" + body(alnum, 17) + " :", "password: publickey" + body(hexChars, 16) + " secret: ",
	}
	for _, r := range issuerRules {
		p := r.prefix
		if p == "" {
			continue
		}
		units = append(units, p[:max(1, len(p)-1)], p[:(len(p)+1)/2], "-"+p, p+".", p+"/", p+" ", p+"1", p+"%3D")
		if r.body != nil {
			units = append(units, p+strings.Repeat("a", r.least-1)+"-", "-"+p+body(alnum, max(r.least, r.most)))
		}
	}
	return distinct(units)
}

func distinct(s []string) []string {
	slices.Sort(s)
	return slices.DeleteFunc(slices.Compact(s), func(unit string) bool { return unit == "" })
}

// work is how often each byte of unit, repeated to n bytes, is looked at.
func work(unit, tail string, n int) int {
	s := strings.Repeat(unit, n/len(unit)+1) + strings.Repeat(tail, n/4)
	_, _, w := redactSecrets(s)
	return w / len(s)
}

func checkLinear(t *testing.T, unit, tail string, n int) {
	t.Helper()
	short, long := work(unit, tail, n), work(unit, tail, 4*n)
	if long > maxWorkPerByte || long > 2*short+64 {
		t.Errorf("%.80q, then %q: each of %d bytes is looked at %d times, each of %d %d times", unit, tail, n, short, 4*n, long)
	}
}

func checkIdempotent(t *testing.T, unit string, n int) {
	t.Helper()
	out, _ := RedactSecrets(strings.Repeat(unit, n/len(unit)+1))
	if again, _ := RedactSecrets(out); again != out {
		t.Errorf("%.80q repeated: not idempotent", unit)
	}
}

func TestRedactSecretsIsLinear(t *testing.T) {
	t.Parallel()
	for _, unit := range prefixUnits() {
		checkLinear(t, unit, "", 50_000)
		checkIdempotent(t, unit, 5_000)
	}
	// Made to need more walks than there are, some of these change once more.
	for _, unit := range shapeUnits() {
		checkLinear(t, unit, "", 5_000)
	}
}

// What stands at the end may be what makes all the tokens before it fail.
func TestRedactSecretsIsLinearBeforeTails(t *testing.T) {
	t.Parallel()
	for _, unit := range prefixUnits() {
		for _, tail := range []string{"_", "~A%", ".", "-", "a", " "} {
			checkLinear(t, unit, tail, 4_000)
		}
	}
}

// Prefixes of different rules, side by side.
func TestRedactSecretsIsLinearInPairs(t *testing.T) {
	t.Parallel()
	for i, r := range issuerRules {
		for _, step := range []int{1, 7, 31, 64} {
			unit := r.prefix + "-" + issuerRules[(i+step)%len(issuerRules)].prefix
			checkLinear(t, unit, "", 4_000)
			checkIdempotent(t, unit, 4_000)
		}
	}
}
