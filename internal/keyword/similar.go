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
	for _, s := range x.segments {
		for i := s.search(prefix); i < s.terms; i++ {
			t := s.term(i)
			if !strings.HasPrefix(string(t), prefix) {
				break
			}
			df[string(t)] += s.liveOf(i)
		}
	}
	for t := range x.tail.lists {
		if strings.HasPrefix(t, prefix) {
			df[t] += x.tail.liveDF(t)
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
	m := newNear(word)
	df := map[string]int{}
	for _, s := range x.segments {
		for i := range s.terms {
			if t := s.term(i); m.near(t) {
				df[string(t)] += s.liveOf(i)
			}
		}
	}
	var buf []byte
	for t := range x.tail.lists {
		if buf = append(buf[:0], t...); m.near(buf) {
			df[t] += x.tail.liveDF(t)
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

// near finds words that are a few edits from one.
type near struct {
	word  []rune
	edits int
	least int // bytes of a word that is near
	most  int
	mask  uint64 // bytes that it has
	loses int    // bytes of it that edits take away at most
	other []rune
	rows  [3][]int
}

func newNear(word string) *near {
	n := &near{word: []rune(word), edits: 1, mask: bytesOf([]byte(word))}
	if len(n.word) >= twoEdits {
		n.edits = 2
	}
	n.least = len(word) - n.edits*utf8.UTFMax
	n.most = len(word) + n.edits*utf8.UTFMax
	n.loses = n.edits * utf8.UTFMax
	if ascii(word) {
		n.least = len(word) - n.edits
		n.loses = n.edits
	}
	for i := range n.rows {
		n.rows[i] = make([]int, len(n.word)+1)
	}
	return n
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// bytesOf gives a bit for each byte that a word has.
func bytesOf(word []byte) uint64 {
	var m uint64
	for _, c := range word {
		m |= 1 << (c & 63)
	}
	return m
}

func (n *near) near(t []byte) bool {
	if len(t) < n.least || len(t) > n.most {
		return false
	}
	if bits.OnesCount64(n.mask&^bytesOf(t)) > n.loses {
		return false
	}
	n.other = n.other[:0]
	for _, r := range string(t) {
		n.other = append(n.other, r)
	}
	d := n.distance()
	return d > 0 && d <= n.edits
}

// distance is the Damerau-Levenshtein distance (optimal string alignment) of
// word and other, computed in a band; edits + 1 stands for anything greater.
func (n *near) distance() int {
	a, b := n.word, n.other
	far := n.edits + 1
	if len(a)-len(b) > n.edits || len(b)-len(a) > n.edits {
		return far
	}
	before, last, row := n.rows[0], n.rows[1], n.rows[2]
	for j := range last {
		last[j] = min(j, far)
	}
	for i := 1; i <= len(b); i++ {
		lo, hi := max(1, i-n.edits), min(len(a), i+n.edits)
		row[lo-1] = far
		if lo == 1 {
			row[0] = min(i, far)
		}
		best := row[lo-1]
		for j := lo; j <= hi; j++ {
			cost := 1
			if a[j-1] == b[i-1] {
				cost = 0
			}
			d := min(last[j-1]+cost, row[j-1]+1)
			if j < i+n.edits { // inside the band of the row before
				d = min(d, last[j]+1)
			}
			if i > 1 && j > 1 && a[j-1] == b[i-2] && a[j-2] == b[i-1] {
				d = min(d, before[j-2]+1)
			}
			row[j] = d
			best = min(best, d)
		}
		if best > n.edits && (i == 1 || rowLeast(last, max(1, i-1-n.edits), min(len(a), i-1+n.edits)) > n.edits) {
			return far
		}
		before, last, row = last, row, before
	}
	if len(b)+n.edits < len(a) {
		return far
	}
	return min(last[len(a)], far)
}

func rowLeast(row []int, lo, hi int) int {
	least := row[lo-1]
	for j := lo; j <= hi; j++ {
		least = min(least, row[j])
	}
	return least
}
