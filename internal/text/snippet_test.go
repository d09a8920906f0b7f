package text

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSnippet(t *testing.T) {
	t.Parallel()
	const family = "👨\u200d👩\u200d👧"
	for _, c := range []struct {
		name, in string
		max      int
		want     string
		cut      bool
	}{
		{"fits", "abc", 3, "abc", false},
		{"fits in characters", "äöü", 3, "äöü", false},
		{"at a word", "the quick brown fox", 12, "the quick…", true},
		{"at the end of a word", "the quick brown fox", 10, "the quick…", true},
		{"long word", "abcdefghijklmnop", 8, "abcdefg…", true},
		{"script without spaces", "認証方式の変更について", 6, "認証方式の…", true},
		{"marks stay with their letter", "abe\u0301fgh", 4, "ab…", true},
		{"family stays whole", "ab" + family + "cdef", 5, "ab…", true},
		{"flag stays whole", "🇩🇪🇫🇷🇮🇹", 4, "🇩🇪…", true},
		{"no room", "abc", 0, "", true},
		{"room for the mark only", "abc", 1, "…", true},
		{"empty", "", 0, "", false},
	} {
		got, cut := Snippet(c.in, c.max)
		if got != c.want || cut != c.cut {
			t.Errorf("%s: Snippet(%q, %d) = %q, %v, want %q, %v", c.name, c.in, c.max, got, cut, c.want, c.cut)
		}
	}
}

func TestSnippetBytes(t *testing.T) {
	t.Parallel()
	text := "Köln and 東京 and 👨\u200d👩\u200d👧 e\u0301\n```go\nfunc main() {\n\tprintln(1)\n}\n```\nend of the matter"
	for max := range len(text) + 2 {
		got, cut := SnippetBytes(text, max)
		switch {
		case len(got) > max:
			t.Errorf("%d bytes for %d: %q", len(got), max, got)
		case !utf8.ValidString(got):
			t.Errorf("not UTF-8 at %d: %q", max, got)
		case cut != (max < len(text)):
			t.Errorf("truncated is %v at %d of %d", cut, max, len(text))
		case strings.Contains(got, "\u200d…"):
			t.Errorf("a joiner dangles at %d: %q", max, got)
		case max > 60 && strings.Count(got, "```")%2 != 0:
			t.Errorf("a block of code is open at %d: %q", max, got)
		}
	}
}

func TestSnippetAround(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("Lorem ipsum dolor sit amet. ", 30)
	in := long + "The lease expires after ninety seconds. " + long
	got, cut := SnippetAround(in, []string{"lease", "ninety"}, 100)
	if !cut || !strings.Contains(got, "lease expires after ninety") || !strings.HasPrefix(got, "…") || !strings.HasSuffix(got, "…") {
		t.Errorf("window misses the terms: %q, %v", got, cut)
	}
	if n := utf8.RuneCountInString(got); n > 100 {
		t.Errorf("%d characters for 100", n)
	}
	begin, _ := Snippet(in, 100)
	if got, _ := SnippetAround(in, []string{"absent"}, 100); got != begin {
		t.Errorf("without a hit: %q, want the beginning", got)
	}
	if got, _ := SnippetAround(in, []string{"lorem"}, 100); got != begin {
		t.Errorf("with a hit at the beginning: %q, want the beginning", got)
	}
}

func FuzzSnippet(f *testing.F) {
	f.Add("the quick 🇩🇪 brown ```\nfox", 9)
	f.Add("e\u0301\u200d\ufe0f\xff", 2)
	f.Fuzz(func(t *testing.T, s string, max int) {
		max %= 300
		got, cut := Snippet(s, max)
		if cut != (got != s) || utf8.RuneCountInString(got) > len(s) || cut && utf8.RuneCountInString(got) > max && max >= 0 {
			t.Fatalf("Snippet(%q, %d) = %q, %v", s, max, got, cut)
		}
		got, _ = SnippetBytes(s, max)
		if len(got) > max && got != "" {
			t.Fatalf("%d bytes for %d: %q", len(got), max, got)
		}
		if around, cut := SnippetAround(s, strings.Fields(s), max); cut && max >= 0 && utf8.RuneCountInString(around) > max {
			t.Fatalf("SnippetAround: %q for %d", around, max)
		}
		if utf8.ValidString(s) && !utf8.ValidString(got) {
			t.Fatalf("not UTF-8: %q of %q", got, s)
		}
	})
}
