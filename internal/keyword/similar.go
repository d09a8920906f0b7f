package keyword

import (
	"cmp"
	"math/bits"
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
	for _, s := range x.segments {
		n.scan(s)
	}
	var term []byte
	for t, l := range x.tail.lists {
		if term = append(term[:0], t...); n.look.mayBe(lookOf(term), n.edits) {
			n.count(term, len(l.docs)-l.dead)
		}
	}
	return mostFrequent(n.found, limit)
}

// scan looks at the terms of a segment whose look says that they may be near.
func (n *near) scan(s *segment) {
	var c cursor
	for number, l := range s.looks {
		if n.look.mayBe(l, n.edits) {
			s.at(&c, number)
			n.count(c.term, s.liveOf(&c))
		}
	}
}

// count notes that a term has so many documents, if it is near. Most terms are in
// many segments, and are compared once.
func (n *near) count(term []byte, docs int) {
	if _, ok := n.found[string(term)]; ok {
		n.found[string(term)] += docs
		return
	}
	if _, ok := n.distant[string(term)]; ok {
		return
	}
	if n.near(term) {
		n.found[string(term)] = docs
	} else {
		n.distant[string(term)] = struct{}{}
	}
}

// look is what letters a term has and how many, so that nearly all that are too
// far from a word can be told without reading them: a bit for each letter a … z,
// one for all else, and above them the number of letters, cut at maxLook.
type look uint32

const (
	otherLetters = 26
	lookLength   = 27
	maxLook      = 31
)

func lookOf[T string | []byte](term T) look {
	var letters look
	length, plain := len(term), true
	for at := range len(term) {
		b := term[at]
		if i := b - 'a'; i < otherLetters {
			letters |= 1 << i
			continue
		}
		letters |= 1 << otherLetters
		plain = plain && b < utf8.RuneSelf
	}
	if !plain {
		length = utf8.RuneCountInString(string(term))
	}
	return letters | look(min(length, maxLook))<<lookLength
}

// mayBe reports whether a term of look other may be so many edits away: each of
// them takes away one letter at most and brings one, and changes the length by one.
func (l look) mayBe(other look, edits int) bool {
	const letters = 1<<lookLength - 1
	length := int(l>>lookLength) - int(other>>lookLength)
	return length <= edits && length >= -edits &&
		bits.OnesCount32(uint32(l&^other&letters)) <= edits && bits.OnesCount32(uint32(other&^l&letters)) <= edits
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

// near tells words that are a few edits from one: it computes the
// Damerau-Levenshtein distance (optimal string alignment) row by row, one for
// each letter, until it is too great.
type near struct {
	word    []rune
	look    look
	edits   int
	rows    [][]int // [i] is the row after i letters
	letters []rune
	found   map[string]int      // documents of the terms that are near
	distant map[string]struct{} // terms that look so, and are not
}

func newNear(word string) *near {
	n := &near{
		word: []rune(word), look: lookOf(word), edits: 1, rows: [][]int{{0}},
		found: map[string]int{}, distant: map[string]struct{}{},
	}
	if len(n.word) >= twoEdits {
		n.edits = 2
	}
	for i := range n.word {
		n.rows[0] = append(n.rows[0], i+1)
	}
	return n
}

// near reports whether t is near, and not the word itself.
func (n *near) near(t []byte) bool {
	n.letters = n.letters[:0]
	for len(t) > 0 {
		r, size := utf8.DecodeRune(t)
		t = t[size:]
		if n.push(r) {
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
func (n *near) push(r rune) bool {
	n.letters = append(n.letters, r)
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
