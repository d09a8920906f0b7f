package mcpserver

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestSnippet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, text string
		limit      int
		want       string
		cut        bool
	}{
		{"short", "a b", 5, "a b", false},
		{"exactly", "abcde", 5, "abcde", false},
		{"white space folded", "  a\n\n\tb  ", 5, "a b", false},
		{"white space at the end is nothing", "abcde  \n", 5, "abcde", false},
		{"at a word", "alpha beta gamma", 12, "alpha beta…", true},
		{"in a long word", strings.Repeat("x", 20), 10, strings.Repeat("x", 9) + "…", true},
		{"no word near", "a " + strings.Repeat("x", 20), 10, "a " + strings.Repeat("x", 7) + "…", true},
		{"at a rune", "渡轮每二十分钟一班", 4, "渡轮每…", true},
		{"a word that ends before the mark", "abcd efgh", 5, "abcd…", true},
		{"a word that ends at the limit", "abcde fgh", 5, "abcd…", true},
		{"room for the mark alone", "abc", 1, "…", true},
		{"empty", "", 5, "", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, cut := snippet(tt.text, tt.limit)
			if got != tt.want || cut != tt.cut {
				t.Errorf("snippet(%q, %d) = %q, %v; want %q, %v", tt.text, tt.limit, got, cut, tt.want, tt.cut)
			}
			if n := utf8.RuneCountInString(got); n > tt.limit {
				t.Errorf("snippet(%q, %d) has %d characters", tt.text, tt.limit, n)
			}
		})
	}
}

// TestWindowJoins reads long texts piece by piece: the pieces make the text.
func TestWindowJoins(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "a", strings.Repeat("plain words ", 900), strings.Repeat("渡轮 ferry ", 700), strings.Repeat("é", 5000)} {
		var b strings.Builder
		offset, pieces := 0, 0
		for {
			part, next, total := window(text, offset, 3000, 800)
			if total != utf8.RuneCountInString(text) {
				t.Fatalf("total is %d", total)
			}
			if tokens(part) > 801 || utf8.RuneCountInString(part) > 3000 {
				t.Errorf("piece has %d tokens, %d characters", tokens(part), utf8.RuneCountInString(part))
			}
			b.WriteString(part)
			if pieces++; next == 0 {
				break
			}
			if next <= offset {
				t.Fatalf("no progress at %d", offset)
			}
			offset = next
		}
		if b.String() != text {
			t.Errorf("pieces do not make the text of %d bytes", len(text))
		}
	}
}
