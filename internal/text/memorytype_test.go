package text_test

import (
	"slices"
	"strings"
	"testing"

	"engram/internal/text"
)

// Every word asks for a type that memories can have, and no text has a type's term.
func TestTypeTerms(t *testing.T) {
	t.Parallel()
	for word, typ := range map[string]string{
		"decision": "decision", "decided": "decision", "bugs": "bugfix", "fix": "bugfix", "preferences": "preference", "learnt": "learning", "summary": "session_summary",
	} {
		term := text.TypeTerm(typ)
		if term == "" || text.TypeTermFor(word) != term {
			t.Errorf("%q asks for %q, want %q", word, text.TypeTermFor(word), term)
		}
		if said := text.Analyze(word, typ, term).Terms; slices.Contains(said, term) {
			t.Errorf("a text has the term of a type: %q", strings.Join(said, " "))
		}
	}
	for _, typ := range []string{"manual", "passive", "", "Decision", "of my own"} {
		if term := text.TypeTerm(typ); term != "" {
			t.Errorf("%q has %q", typ, term)
		}
	}
	for _, word := range []string{"manual", "ferry", "", "=decision", "session_summary"} {
		if term := text.TypeTermFor(word); term != "" {
			t.Errorf("%q asks for %q", word, term)
		}
	}
}
