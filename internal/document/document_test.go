package document_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"engram/internal/document"
	"engram/internal/embed"
	"engram/internal/text"
)

func TestTermsAreOfAllThatIsSearched(t *testing.T) {
	t.Parallel()
	one := document.Text{
		Speaker: "Ana", Title: "Tea", Content: "boil water", TopicKey: "kitchen/kettle", Files: []string{"src/stove.go"},
	}
	terms := " " + strings.Join(one.Terms().Terms, " ") + " "
	for _, want := range []string{"ana", "tea", "boil", "water", "kitchen", "kettle", "stove"} {
		if !strings.Contains(terms, " "+want+" ") {
			t.Errorf("%q are without %q", terms, want)
		}
	}
}

func TestATypeHasATermOfItsOwn(t *testing.T) {
	t.Parallel()
	plain, typed := document.Text{Type: "manual", Content: "boil water"}, document.Text{Type: "decision", Content: "boil water"}
	a, b := plain.Terms(), typed.Terms()
	want := slices.Sorted(slices.Values(append(a.Terms, text.TypeTerm("decision"))))
	if diff := cmp.Diff(want, slices.Sorted(slices.Values(b.Terms))); diff != "" || a.Len != b.Len {
		t.Errorf("lengths %d and %d, terms (-want +got):\n%s", a.Len, b.Len, diff)
	}
}

func TestATitleMadeOfTheContentCountsOnce(t *testing.T) {
	t.Parallel()
	const content = "The nightly build failed since the disk of the runner was full and nobody had looked"
	for name, c := range map[string]struct {
		title string
		twice bool
	}{
		"cut off":     {content[:50] + "…", false},
		"the same":    {content, false},
		"of its own":  {"Runner out of space", true},
		"short start": {"The nightly build", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			with := document.Text{Title: c.title, Content: content}
			without := document.Text{Content: content}
			if longer := with.Terms().Len > without.Terms().Len; longer != c.twice {
				t.Errorf("the title %q counts: %v, want %v", c.title, longer, c.twice)
			}
			var buf []uint16
			got, _ := with.Embed(&buf)
			want, _ := without.Embed(&buf)
			if same := cmp.Equal(got, want); same == c.twice {
				t.Errorf("the title %q is embedded: %v, want %v", c.title, !same, c.twice)
			}
		})
	}
}

func TestLongTextsKeepTheirFirstTokens(t *testing.T) {
	t.Parallel()
	one := document.Text{Content: strings.Repeat("kettle lamp river ", 2000)}
	var buf []uint16
	tokens, unit := one.Embed(&buf)
	if len(tokens) != 256 || len(unit) != embed.Dim {
		t.Errorf("%d tokens and %d numbers, want 256 and %d", len(tokens), len(unit), embed.Dim)
	}
	if tokens, unit := (&document.Text{Content: "🎉"}).Embed(&buf); len(tokens) != 0 || unit != nil {
		t.Errorf("a text without words gives %v and a vector of %d", tokens, len(unit))
	}
}
