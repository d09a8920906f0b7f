package keyword

import (
	"cmp"
	"math/bits"
	"slices"
	"strings"
	"sync"
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
	if len(x.segments) < 2*segmentsApart {
		n.scan(x.segments)
	} else { // two halves side by side
		half := len(x.segments) / 2
		other := newNear(word)
		var done sync.WaitGroup
		done.Go(func() { other.scan(x.segments[:half]) })
		n.scan(x.segments[half:])
		done.Wait()
		for term, docs := range other.found {
			n.found[term] += docs
		}
	}
	var term []byte
	for t, l := range x.tail.lists {
		if term = append(term[:0], t...); n.look.mayBe(lookOf(term), n.edits) && n.knows(term) {
			n.found[t] += len(l.docs) - l.dead
		}
	}
	return mostFrequent(n.found, limit)
}

// segmentsApart is how many segments are worth a goroutine of their own.
const segmentsApart = 4

// scan counts the documents of the terms that are near. Only those whose look says
// that they may be are read.
func (n *near) scan(segments []*segment) {
	var c cursor
	for _, s := range segments {
		from, to := s.looks.near(n.look, n.edits)
		for i, l := range s.looks.all[from:to] {
			if !n.look.mayBe(l, n.edits) {
				continue
			}
			if s.at(&c, int(s.looks.number[from+i])); n.knows(c.term) {
				n.found[string(c.term)] += s.liveOf(&c)
			}
		}
	}
}

// knows reports whether a term is near. Most terms are in many segments, and are
// compared once.
func (n *near) knows(term []byte) bool {
	if _, ok := n.found[string(term)]; ok {
		return true
	}
	if _, ok := n.distant[string(term)]; ok {
		return false
	}
	if n.near(term) {
		return true
	}
	n.distant[string(term)] = struct{}{}
	return false
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

// looks are those of the terms of a dictionary, by length.
type looks struct {
	all    []look
	number []uint32 // of the term that each is of
	from   [maxLook + 2]int
}

// byLength sorts looks, which come in the order of their terms.
func byLength(all []look) (l looks) {
	for _, x := range all {
		l.from[x>>lookLength+1]++
	}
	for i := range maxLook + 1 {
		l.from[i+1] += l.from[i]
	}
	l.all, l.number = make([]look, len(all)), make([]uint32, len(all))
	at := l.from
	for number, x := range all {
		i := at[x>>lookLength]
		at[x>>lookLength]++
		l.all[i], l.number[i] = x, uint32(number)
	}
	return l
}

// near gives where the looks are whose length is no more than so many edits away.
func (l *looks) near(x look, edits int) (from, to int) {
	length := int(x >> lookLength)
	return l.from[max(0, length-edits)], l.from[min(maxLook, length+edits)+1]
}

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
	lost, won := bits.OnesCount32(uint32(l&^other&letters)), bits.OnesCount32(uint32(other&^l&letters))
	// One comparison, since which of the four fails cannot be foreseen: is none below 0?
	return (edits-length)|(edits+length)|(edits-lost)|(edits-won) >= 0
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

// Near gives what tells whether a term is near to word, as [Index.Similar] goes by it,
// and how many edits that may be.
func Near(word string) (near func(term string) bool, edits int) {
	n := newNear(word)
	return func(term string) bool { return n.near([]byte(term)) }, n.edits
}
