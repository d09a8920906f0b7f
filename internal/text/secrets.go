package text

import (
	"slices"
	"strings"
)

// maxWalks is how often a text is walked over. One walk finds what there is, a
// second what the marks of the first have brought to light; only a text that
// was made for it needs more than three.
const maxWalks = 16

// RedactSecrets replaces every credential of s by [REDACTED:kind] and lists the
// distinct kinds that it found, sorted. It goes by shape: the prefixes and
// lengths that issuers publish, what stands where a URL, a header or an
// assignment has its secret. Placeholders, hashes and ids stay. It takes time
// linear in the length of s, whatever s is, and is idempotent but for texts made
// to need more than maxWalks.
func RedactSecrets(s string) (out string, kinds []string) {
	out, kinds, _ = redactSecrets(s)
	return out, kinds
}

// redactSecrets is RedactSecrets and how many bytes it looked at for it, each
// time that it looked.
func redactSecrets(s string) (out string, kinds []string, work int) {
	for range maxWalks {
		sc := secretScanner{s: s}
		sc.scan()
		work += len(s) + sc.work
		if len(sc.spans) == 0 {
			break
		}
		// Again, since a mark may join lines and so show more.
		s = sc.redacted()
		for _, sp := range sc.spans {
			kinds = append(kinds, sp.kind)
		}
	}
	slices.Sort(kinds)
	return s, slices.Compact(kinds), work
}

func (sc *secretScanner) redacted() string {
	var b strings.Builder
	kept := 0
	for _, sp := range sc.spans {
		b.WriteString(sc.s[kept:sp.start])
		b.WriteString("[REDACTED:" + sp.kind + "]")
		kept = sp.end
	}
	b.WriteString(sc.s[kept:])
	return b.String()
}

type secretSpan struct {
	start, end int
	kind       string
}

// secretScanner walks over a text once. Where the shape around a value says
// that a secret will follow, as in a URL, the value waits in next until the
// walk comes to it: an issuer's own shape names the secret better.
type secretScanner struct {
	s        string
	spans    []secretSpan
	next     secretSpan
	awsUntil int // up to here a bare 40 character token belongs to an AWS key id
	dull     int // up to here no assignment is looked for
	taken    int // the end of the last span
	line     secretLine
	runs     map[*alphabet]*longRuns
	work     int // bytes looked at besides the walk itself
}

func (sc *secretScanner) scan() {
	s := sc.s
	for i := 0; i < len(s); {
		if sc.next.end > 0 && i >= sc.next.start {
			if end := sc.takeNext(i); end > 0 {
				i = end
				continue
			}
		}
		act := actions[s[i]]
		if act == 0 {
			i++
			continue
		}
		if act&issuerAction != 0 && (s[i] == '-' || wordStart(s, i)) {
			if sp, ok := sc.issuerAt(i); ok {
				sc.add(sp)
				i = sp.end
				continue
			}
		}
		if act&contextAction != 0 && sc.next.end == 0 {
			if sp, ok := sc.contextAt(i); ok {
				sc.next = sp
			}
		}
		i++
	}
}

// takeNext adds the waiting secret when it begins at i and is the offset
// behind it, or 0.
func (sc *secretScanner) takeNext(i int) int {
	sp := sc.next
	sc.next = secretSpan{}
	if sp.start != i {
		return 0 // the walk has jumped over its beginning
	}
	if own, ok := sc.issuerAt(i); ok && wordStart(sc.s, i) {
		if sp.kind == kindURLPassword || own.end > sp.end {
			own.end = max(own.end, sp.end)
		}
		sp = own
	}
	sc.add(sp)
	return sp.end
}

func (sc *secretScanner) add(sp secretSpan) {
	sc.spans = append(sc.spans, sp)
	sc.taken = sp.end
	if sp.kind == kindAWSKey || sp.kind == kindAWSTempKey {
		sc.awsUntil = sp.end + 120
	}
}

// What a byte can begin.
const (
	issuerAction  = 1 << iota // a token with an issuer's shape
	contextAction             // something that a secret follows
)

// actions is what each byte can begin, issuers the rules by first byte.
var actions, issuers = indexSecretRules(issuerRules)

// wordStart reports whether a token can begin at i: after no word, or after an
// escape whose last character only looks like one (\n, %3D).
func wordStart(s string, i int) bool {
	if i == 0 || !isTokenByte(s[i-1]) {
		return true
	}
	if i >= 2 && s[i-2] == '\\' && strings.IndexByte("nrt", s[i-1]) >= 0 {
		return true
	}
	if i >= 3 && s[i-3] == '%' && isHex(s[i-1]) && isHex(s[i-2]) {
		return true
	}
	return isDigit(s[i]) && strings.HasSuffix(s[:i], "/bot") // of a Telegram URL
}

func isTokenByte(c byte) bool { return isAlnum(c) || c == '_' }

func isAlnum(c byte) bool { return isLower(c) || isUpper(c) || isDigit(c) }
func isLower(c byte) bool { return c >= 'a' && c <= 'z' }
func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }
func isHex(c byte) bool   { return isDigit(c) || c >= 'a' && c <= 'f' || c >= 'A' && c <= 'F' }

// markEnd is the offset behind the mark of an earlier redaction at i, or i.
func markEnd(s string, i int) int {
	const begin = "[REDACTED"
	if !strings.HasPrefix(s[i:], begin) {
		return i
	}
	j := i + len(begin)
	if j < len(s) && s[j] == ':' {
		for j++; j < len(s) && (isLower(s[j]) || isDigit(s[j]) || s[j] == '-'); j++ {
		}
	}
	if j < len(s) && s[j] == ']' {
		return j + 1
	}
	return i
}

// placeholder reports whether a value of a secret's shape stands for one: a
// run of x or stars, a counted-up alphabet, words like your-token.
func placeholder(v string) bool {
	if v == "" || strings.Contains(v, "[REDACTED") || strings.Contains(v, "...") || strings.Contains(v, "…") {
		return true
	}
	return variable(v) || repetitive(v) || placeholderWords(v)
}

// variable reports whether v names what is to be put in: <token>, {token},
// ${TOKEN}, $TOKEN, %TOKEN%, %s.
func variable(v string) bool {
	last := v[len(v)-1]
	switch v[0] {
	case '<':
		return last == '>'
	case '{':
		return last == '}'
	case '%':
		return len(v) <= 2 || last == '%' || v[1] == '(' || v[1] == '{'
	case '$':
		return len(v) == 1 || v[1] == '{' || v[1] == '(' || strings.Trim(v[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == ""
	}
	return false
}

// repetitive reports whether v is made of few characters, holds a run of x or
// stars, or counts up.
func repetitive(v string) bool {
	var seen [256]bool
	distinct, run, steps := 0, 1, 0
	for i := range len(v) {
		c := v[i] | 0x20
		if !seen[c] {
			seen[c] = true
			distinct++
		}
		if i == 0 {
			continue
		}
		prev := v[i-1] | 0x20
		if c == prev+1 {
			steps++
		}
		if c != prev {
			run = 1
			continue
		}
		if run++; run >= 4 && (c == 'x' || v[i] == '*' || v[i] == '.') || run >= 8 && run*2 > len(v) {
			return true
		}
	}
	if len(v) < 8 {
		return distinct == 1 && len(v) > 1
	}
	return distinct <= min(4, len(v)/4) || steps*10 >= (len(v)-1)*7
}

var placeholderParts = map[string]bool{
	"your": true, "placeholder": true, "changeme": true, "change": true, "replace": true, "replaceme": true,
	"insert": true, "redacted": true, "dummy": true, "todo": true, "yourtoken": true, "yourkey": true, "here": true,
}

// placeholderWords reports whether a part of v between separators says that
// the reader is to fill something in.
func placeholderWords(v string) bool {
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return r == '-' || r == '_' || r == '.' || r == ' ' }) {
		if len(part) <= len("placeholder") && placeholderParts[strings.ToLower(part)] {
			return true
		}
	}
	return false
}
