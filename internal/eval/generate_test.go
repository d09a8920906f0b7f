package eval

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGenerator: about 400 characters on the mean, three of ten a turn of a
// conversation, and the same for the same seed.
func TestGenerator(t *testing.T) {
	t.Parallel()
	const n = 3000
	g := newGenerator(7)
	characters, turns := 0, 0
	projects, terms := map[string]bool{}, map[string]bool{}
	for range n {
		in := g.input()
		characters += len(in.Title) + len(in.Content)
		if in.Speaker != "" {
			turns++
		}
		projects[in.Project], terms[g.name()] = true, true
	}
	if mean := characters / n; mean < 360 || mean > 440 {
		t.Errorf("the mean length is %d", mean)
	}
	if turns < n/4 || turns > n*35/100 {
		t.Errorf("%d of %d are turns", turns, n)
	}
	if len(projects) != projectsOf || len(terms) < n/2 {
		t.Errorf("%d projects, %d names", len(projects), len(terms))
	}
	a, b := newGenerator(3), newGenerator(3)
	b.now = a.now
	if diff := cmp.Diff(a.input(), b.input()); diff != "" {
		t.Errorf("the same seed gave another memory:\n%s", diff)
	}
	if a, b := rare(a), rare(b); a != b {
		t.Errorf("the same seed asked %q and %q", a, b)
	}
}
