package text

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// readCases decodes the lines of a file of cases.
func readCases[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var c T
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("%s line %d: %v", path, len(out)+1, err)
		}
		out = append(out, c)
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if len(out) == 0 {
		t.Fatalf("%s has no cases", path)
	}
	return out
}

// tally counts the cases that passed by level. A must that fails fails the
// test; a should is counted.
type tally map[string][2]int

func (c tally) add(t *testing.T, id, level string, problem string) {
	t.Helper()
	if level == "" {
		level = "must"
	}
	n := c[level]
	n[1]++
	if problem == "" {
		n[0]++
	}
	c[level] = n
	switch {
	case problem == "":
	case level == "must":
		t.Errorf("%s: %s", id, problem)
	default:
		t.Logf("%s (%s): %s", id, level, problem)
	}
}

func (c tally) log(t *testing.T) {
	t.Helper()
	for _, level := range []string{"must", "should"} {
		t.Logf("%s: %d of %d", level, c[level][0], c[level][1])
	}
}

type privateCase struct {
	ID, Field, Input, Level string
	Output                  *string
	Must                    []string
	MustNot                 []string `json:"must_not"`
}

func TestStripPrivateCases(t *testing.T) {
	t.Parallel()
	counts := tally{}
	for _, c := range readCases[privateCase](t, "testdata/private/cases.jsonl") {
		counts.add(t, c.ID, c.Level, privateProblem(c))
	}
	counts.log(t)
}

// privateProblem is what is wrong with the answer to c, "" when nothing is.
func privateProblem(c privateCase) string {
	out, found := StripPrivate(c.Input)
	if found != (out != c.Input) && !strings.Contains(c.Input, Redacted) {
		return "found does not say whether the text changed"
	}
	if again, _ := StripPrivate(out); again != out {
		return "a second run changes " + out
	}
	if c.Field == "passive" {
		var all []string
		for _, item := range Learnings(c.Input) {
			all = append(all, item, TitleFrom(item))
		}
		out = strings.Join(all, "\n")
	}
	if c.Output != nil && strings.TrimSpace(out) != strings.TrimSpace(*c.Output) {
		return "got " + out + ", want " + *c.Output
	}
	for _, s := range c.Must {
		if !strings.Contains(strings.ToLower(out), strings.ToLower(s)) {
			return "missing " + s + " in " + out
		}
	}
	for _, s := range c.MustNot {
		if strings.Contains(out, s) {
			return "leaked " + s + " in " + out
		}
	}
	return ""
}

func TestStripPrivate(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"no-break space after the name", "a <private\u00a0>x</private> b", "a [REDACTED] b"},
		{"tag that is never finished", `pay <private reason="salary 4200`, "pay [REDACTED]"},
		{"closing tag that is never finished", "a <private>x</private", "a [REDACTED]"},
		{"the bare tag name at the end", "the tag begins with <private", "the tag begins with <private"},
		{"apostrophe in the tag", "a <private it's mine>x</private> don't", "a [REDACTED] don't"},
		{"quote without its twin", `a <private reason="x>body</private> b`, "a [REDACTED] b"},
		{"spaced closing tag", "a <private>x< / private >b", "a [REDACTED]b"},
		{"empty element with attributes", `a <private why="pay"/> b`, "a [REDACTED] b"},
		{"slash in an unquoted value", "a <private href=/x/>y</private> b", "a [REDACTED] b"},
		{"empty element inside a span", "a <private>x<private/>y</private> b", "a [REDACTED] b"},
		{"opening tag without its end", "a <private my pay</private> b", "a [REDACTED] b"},
		{"opening tag that would swallow another", "a <private x<private>y</private>z</private> b", "a [REDACTED] b"},
		{"closing tag that would swallow an opening one", "<private>x</private <private>y</private> b", "[REDACTED][REDACTED] b"},
		{"stray closing tag that would swallow an opening one", "</private <private>y</private> b", "</private [REDACTED] b"},
		{"a path", "see <private/key.pem> there", "see <private/key.pem> there"},
		{"invalid bytes", "a \xff<private>x\xfe</private>\xfd", "a \xff[REDACTED]\xfd"},
	} {
		if got, _ := StripPrivate(c.in); got != c.want {
			t.Errorf("%s: StripPrivate(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}

func TestStripPrivateIsLinear(t *testing.T) {
	t.Parallel()
	for _, unit := range []string{"<private>", "<private a=\"", "<private a='>", "< ", "<private ", "</private>", "<private a=\">\"'"} {
		s := strings.Repeat(unit, 1<<20/len(unit))
		out, _ := StripPrivate(s)
		if again, _ := StripPrivate(out); again != out {
			t.Errorf("%q repeated: not idempotent", unit)
		}
	}
}

func FuzzStripPrivate(f *testing.F) {
	for _, c := range readCases[privateCase](f, "testdata/private/cases.jsonl") {
		f.Add(c.Input)
	}
	f.Add("<private a='/>'/><PRIVATE\n/ >x</private junk>")
	f.Fuzz(func(t *testing.T, s string) {
		out, found := StripPrivate(s)
		if !found && out != s {
			t.Fatalf("changed %q without saying so", s)
		}
		if again, more := StripPrivate(out); again != out || more {
			t.Fatalf("a second run makes %q of %q", again, out)
		}
		if utf8.ValidString(s) && !utf8.ValidString(out) {
			t.Fatalf("made invalid UTF-8 of %q", s)
		}
		// What a person wraps is never left, whatever stands before it.
		const secret = "mandrake-root-9"
		wrapped, _ := StripPrivate(s + "<private>" + secret + "</private>")
		if strings.Contains(wrapped, secret) {
			t.Fatalf("leaked after %q: %q", s, wrapped)
		}
	})
}
