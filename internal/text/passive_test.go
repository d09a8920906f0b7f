package text

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestLearnings(t *testing.T) {
	t.Parallel()
	const a, b = "The importer reads the header twice", "Retries need jitter or the queue collapses"
	for _, c := range []struct {
		name, in string
		want     []string
	}{
		{"bullets", "## Key Learnings:\n- " + a + "\n* " + b, []string{a, b}},
		{"numbers before bullets", "### Learnings\n- not this one, it is a bullet\n1. " + a + "\n2) " + b, []string{a, b}},
		{"short ones are left", "## Learnings\n- too short\n- " + a, []string{a}},
		{"twenty characters, not bytes", "## Learnings\n- 学んだことを二十文字以上で書くと残るはず\n- ééééééééééé", []string{"学んだことを二十文字以上で書くと残るはず"}},
		{"the last section with items", "## Learnings\n- " + a + "\n## Learnings\n- " + b + "\n## Learnings\nnone\n", []string{b}},
		{"a heading ends it", "## Learnings\n- " + a + "\n# Next\n- " + b, []string{a}},
		{"a deeper heading does not", "## Learnings\n#### Queue\n- " + a, []string{a}},
		{"level 1 and 4 are no learnings", "# Learnings\n- " + a + "\n#### Learnings\n- " + b, nil},
		{"Spanish", "## Aprendizajes Clave:\n1. " + a, []string{a}},
		{"bold with a pictograph", "## 🧠 **Key Learnings:** ##\n- " + a, []string{a}},
		{"other words", "## Key Learnings of others\n- " + a, nil},
		{"marks", "## Learnings\n- **Bold**: the `read_header` call is *twice* as [slow](http://x) 2 * 3", []string{"Bold: the read_header call is twice as slow 2 * 3"}},
		{"continued", "## Learnings\r\n1. The importer reads\r\n   the header twice\r\n\r\n2. " + b + "\r\n", []string{a, b}},
		{"bullets of a number", "## Learnings\n1. The importer reads\n   - the header twice", []string{a}},
		{"a block of code", "## Learnings\n- " + a + "\n```sh\n# not a heading\n- not an item of the list\n```\n- " + b, []string{a, b}},
		{"private text", "## Learnings\n- The token is <private>\n## Learnings\n- x</private> and " + a, []string{"The token is [REDACTED] and " + a}},
		{"nothing", "no heading here\n- " + a, nil},
	} {
		if diff := cmp.Diff(c.want, Learnings(c.in)); diff != "" {
			t.Errorf("%s: Learnings mismatch (-want +got):\n%s", c.name, diff)
		}
	}
}

func FuzzLearnings(f *testing.F) {
	f.Add("## Key Learnings:\n\n1. The token <private>x</private> is **not** kept\n2) `b`\n   - c")
	f.Add("## 学び：\n- ```\n~~~\n* ***a*** __b c__ [x](y \"z\")")
	f.Fuzz(func(t *testing.T, s string) {
		for _, item := range Learnings(s) {
			if utf8.RuneCountInString(item) < minLearning || strings.ContainsAny(item, "\n\r") || strings.TrimSpace(item) != item {
				t.Fatalf("not an item: %q", item)
			}
			if utf8.ValidString(s) && !utf8.ValidString(item) {
				t.Fatalf("made invalid UTF-8: %q", item)
			}
		}
		if title := TitleFrom(s); utf8.RuneCountInString(title) > maxDerivedTitle {
			t.Fatalf("title is too long: %q", title)
		}
	})
}
