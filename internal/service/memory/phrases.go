package memory

import (
	"context"

	"engram"
	"engram/internal/text"
)

// How much of the texts one search reads for quoted phrases. All candidates
// have their beginning read; what is left over goes to the longer ones, best first.
const (
	phraseBytes  = 2 << 20
	phraseOpener = 24 << 10 // of each of phrasePool texts: less than phraseBytes together
)

// phraseReader looks for the phrases of a query in the texts of its candidates.
type phraseReader struct {
	finder *text.PhraseFinder
	ms     []*engram.Memory // best first
	found  [][]bool         // for each of them, which phrases it has
	left   int              // bytes that may be read
}

func newPhraseReader(phrases [][]string, ms []*engram.Memory) *phraseReader {
	r := &phraseReader{finder: text.NewPhraseFinder(phrases), ms: ms, found: make([][]bool, len(ms)), left: phraseBytes}
	for i := range r.found {
		r.found[i] = make([]bool, len(phrases))
	}
	return r
}

// read reads titles and beginnings, then what is longer.
func (r *phraseReader) read(ctx context.Context) error {
	for i, m := range r.ms {
		if err := ctx.Err(); err != nil {
			return err
		}
		r.find(i, m.Title, r.left)
		r.find(i, m.Content, phraseOpener)
	}
	for i, m := range r.ms {
		if err := ctx.Err(); err != nil {
			return err
		}
		if len(m.Content) > phraseOpener && r.has(i) < len(r.found[i]) {
			r.find(i, m.Content, r.left)
		}
	}
	return nil
}

func (r *phraseReader) find(i int, s string, most int) {
	if r.left > 0 {
		r.left -= r.finder.Find(s, min(most, r.left), r.found[i])
	}
}

// has is how many of the phrases the memory at i has.
func (r *phraseReader) has(i int) int {
	n := 0
	for _, found := range r.found[i] {
		if found {
			n++
		}
	}
	return n
}
