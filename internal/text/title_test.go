package text

import (
	"math/rand/v2"
	"strings"
	"testing"
)

func TestTitle(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, given, content, want string }{
		{"the given one", " Drinks ", "tea", "Drinks"},
		{"the first line of the content", " ", "# Drinks\n\ntea, not coffee", "Drinks"},
		{"a content without words", "", "\n ??? !!!\n", "??? !!!"},
		{"nothing at all", " ", "\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := Title(tt.given, tt.content); got != tt.want {
				t.Errorf("Title(%q, %q) = %q, want %q", tt.given, tt.content, got, tt.want)
			}
		})
	}
}

func TestTitleOf(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(9, 9))
	pieces := []string{"fo**o**", "`code`", "_so_", "word", "Ⅷ", "京", "--", "#", "- ", "[te](x)st", "\n", " ", "…", "a", "~~gone~~", "\n```\n", strings.Repeat("many words ", 9)}
	text := func() string {
		var b strings.Builder
		for range r.IntN(8) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		return b.String()
	}
	made := 0
	for range 5000 {
		content := text()
		for _, title := range []string{Title("", content), text()} {
			want := title == Title("", content)
			if got := TitleOf(title, content); got != want {
				t.Fatalf("TitleOf(%q, %q) is %t", title, content, got)
			}
			if want {
				made++
			}
		}
	}
	if made < 4000 {
		t.Errorf("only %d titles were made of a content", made)
	}
}
