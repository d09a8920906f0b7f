package keyword

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"
)

// twoEdits is the length in letters from which a word may be two edits away.
const twoEdits = 8

// Prefix gives up to limit terms of live documents that begin with prefix,
// most frequent first, ties by their order.
func (x *Index) Prefix(prefix string, limit int) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	df := map[string]int{}
	var c cursor
	for _, s := range x.segments {
		for ok := s.seek(&c, prefix); ok && strings.HasPrefix(string(c.term), prefix); ok = c.next() {
			df[string(c.term)] += s.liveOf(&c)
		}
	}
	for t, l := range x.tail.lists {
		if strings.HasPrefix(t, prefix) {
			df[t] += len(l.docs) - l.dead
		}
	}
	return mostFrequent(df, limit)
}

// Similar gives up to limit terms of live documents that are one edit (insert,
// delete, replace, swap of neighbours) from word, or two when word has eight
// letters and more; most frequent first, ties by their order. The word itself
// is not among them.
func (x *Index) Similar(word string, limit int) []string {
	x.mu.RLock()
	defer x.mu.RUnlock()
	n := newNear(word)
	df := map[string]int{}
	var c cursor
	for _, s := range x.segments {
		for s.begin(&c, 0); c.next(); {
			switch {
			case n.near(c.term, c.shared):
				df[string(c.term)] += s.liveOf(&c)
			case n.far > c.shared:
				s.skip(&c, string(c.term[:n.far]))
			}
		}
	}
	var term []byte
	for t, l := range x.tail.lists {
		if term = append(term[:0], t...); n.near(term, 0) {
			df[t] += len(l.docs) - l.dead
		}
	}
	return mostFrequent(df, limit)
}

func mostFrequent(df map[string]int, limit int) []string {
	terms := make([]string, 0, len(df))
	for t, n := range df {
		if n > 0 {
			terms = append(terms, t)
		}
	}
	slices.SortFunc(terms, func(a, b string) int {
		return cmp.Or(cmp.Compare(df[b], df[a]), strings.Compare(a, b))
	})
	return terms[:min(max(limit, 0), len(terms))]
}

// near finds words that are a few edits from one, among sorted words: it
// computes the Damerau-Levenshtein distance (optimal string alignment) row by
// row, one for each letter, and uses again what a word shares with the one
// before.
type near struct {
	word    []rune
	edits   int
	rows    [][]int // [i] is the row after i letters
	letters []rune
	ends    []int // where each letter ends
	far     int   // so many bytes at the beginning are too far from word; 0 = none
}

func newNear(word string) *near {
	n := &near{word: []rune(word), edits: 1, rows: [][]int{{0}}}
	if len(n.word) >= twoEdits {
		n.edits = 2
	}
	for i := range n.word {
		n.rows[0] = append(n.rows[0], i+1)
	}
	return n
}

// near reports whether t is near, and not the word itself. shared is how many
// of its bytes the word before began with too.
func (n *near) near(t []byte, shared int) bool {
	if n.far > 0 && shared >= n.far {
		return false
	}
	n.far = 0
	depth := len(n.ends)
	for depth > 0 && n.ends[depth-1] > shared {
		depth--
	}
	at := 0
	if depth > 0 {
		at = n.ends[depth-1]
	}
	n.letters, n.ends = n.letters[:depth], n.ends[:depth]
	for at < len(t) {
		r, size := utf8.DecodeRune(t[at:])
		at += size
		if n.push(r, at) {
			n.far = at
			return false
		}
	}
	if max(len(n.letters)-len(n.word), len(n.word)-len(n.letters)) > n.edits {
		return false
	}
	d := n.rows[len(n.letters)][len(n.word)]
	return d > 0 && d <= n.edits
}

// push computes the row of one more letter, and reports whether every word that
// begins so is too far.
func (n *near) push(r rune, end int) bool {
	n.letters, n.ends = append(n.letters, r), append(n.ends, end)
	i := len(n.letters)
	if i == len(n.rows) {
		n.rows = append(n.rows, make([]int, len(n.word)+1))
	}
	last, row := n.rows[i-1], n.rows[i]
	// Only places within edits of the diagonal can be near enough.
	from, to := max(1, i-n.edits), min(len(n.word), i+n.edits)
	row[from-1] = i
	if from > 1 {
		row[from-1] = n.edits + 1
	}
	least, leastBefore := row[from-1], last[from-1]
	for j := from; j <= to; j++ {
		w := n.word[j-1]
		d := min(last[j], row[j-1]) + 1
		if w == r {
			d = min(d, last[j-1])
		} else {
			d = min(d, last[j-1]+1)
		}
		if i > 1 && j > 1 && w == n.letters[i-2] && n.word[j-2] == r {
			d = min(d, n.rows[i-2][j-2]+1)
		}
		row[j] = d
		least, leastBefore = min(least, d), min(leastBefore, last[j])
	}
	if to < len(n.word) {
		row[to+1] = n.edits + 1
	}
	return least > n.edits && leastBefore >= n.edits
}
