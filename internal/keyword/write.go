package keyword

import (
	"encoding/binary"
	"slices"
)

// segmentWriter builds a segment: first all documents in order, then the terms
// in order, each with its postings.
type segmentWriter struct {
	s       *segment
	text    []byte
	lists   []byte
	termOff []byte
	listOff []byte
	dead    []uint16
	anyDead bool

	pairs     []uint32 // postings of the term at hand: document, frequency
	docs, tfs []uint16
}

func newSegmentWriter(docs int) *segmentWriter {
	w := &segmentWriter{s: &segment{}}
	w.s.reserve(docs)
	return w
}

func (c *columns) reserve(n int) {
	c.id = make([]int64, 0, n)
	c.version = make([]uint32, 0, n)
	c.class = make([]uint32, 0, n)
	c.session = make([]uint32, 0, n)
	c.length = make([]uint32, 0, n)
	c.flags = make([]uint8, 0, n)
	c.occurred = make([]int64, 0, n)
	c.recorded = make([]int64, 0, n)
	c.created = make([]int64, 0, n)
}

func (w *segmentWriter) take(from *columns, d uint16) { w.s.take(from, d) }

// begin starts a term with room for so many postings.
func (w *segmentWriter) begin(room int) {
	w.pairs = slices.Grow(w.pairs[:0], room)
}

func (w *segmentWriter) posting(d, tf uint16) {
	w.pairs = append(w.pairs, uint32(d)<<16|uint32(tf))
}

// end writes the term, unless it has no postings.
func (w *segmentWriter) end(term string) {
	if len(w.pairs) == 0 {
		return
	}
	if !slices.IsSorted(w.pairs) {
		slices.Sort(w.pairs)
	}
	w.docs, w.tfs = w.docs[:0], w.tfs[:0]
	dead := uint16(0)
	for _, p := range w.pairs {
		d := uint16(p >> 16)
		w.docs = append(w.docs, d)
		w.tfs = append(w.tfs, uint16(p))
		if !w.s.live(d) {
			dead++
		}
	}
	w.dead = append(w.dead, dead)
	w.anyDead = w.anyDead || dead > 0
	w.termOff = binary.LittleEndian.AppendUint32(w.termOff, uint32(len(w.text)))
	w.listOff = binary.LittleEndian.AppendUint32(w.listOff, uint32(len(w.lists)))
	w.text = append(w.text, term...)
	w.lists = appendList(w.lists, w.docs, w.tfs, w.s.length)
}

// finish gives the segment. Its bytes are right by construction, so they are
// laid out without a second check.
func (w *segmentWriter) finish() *segment {
	s := w.s
	s.terms = len(w.dead)
	w.termOff = binary.LittleEndian.AppendUint32(w.termOff, uint32(len(w.text)))
	w.listOff = binary.LittleEndian.AppendUint32(w.listOff, uint32(len(w.lists)))
	size := postingsHeader + len(w.termOff) + len(w.listOff) + len(w.text) + len(w.lists) + padding
	data := make([]byte, 0, size)
	data = binary.LittleEndian.AppendUint32(data, postingsMagic)
	data = binary.LittleEndian.AppendUint32(data, uint32(s.len()))
	data = binary.LittleEndian.AppendUint32(data, uint32(s.terms))
	data = binary.LittleEndian.AppendUint32(data, uint32(len(w.text)))
	data = append(data, w.termOff...)
	data = append(data, w.listOff...)
	data = append(data, w.text...)
	data = append(data, w.lists...)
	s.postings = append(data, make([]byte, padding)...)

	rest := s.postings[postingsHeader:]
	s.termOff, rest = rest[:len(w.termOff)], rest[len(w.termOff):]
	s.listOff, rest = rest[:len(w.listOff)], rest[len(w.listOff):]
	s.text, rest = rest[:len(w.text)], rest[len(w.text):]
	s.lists = rest[:len(rest)-padding]
	if w.anyDead {
		s.dead = slices.Clip(w.dead)
	}
	s.sortTurns()
	s.dirty = true
	return s
}

const dropped = 0xffff

// merge makes one segment of several, without the documents that drop names;
// nil when none is left.
func merge(from []*segment, drop func(s *segment, d uint16) bool) *segment {
	type place struct {
		id      int64
		version uint32
		part    int
		d       uint16
	}
	var places []place
	number := make([][]uint16, len(from))
	for p, s := range from {
		number[p] = make([]uint16, s.len())
		for d := range s.id {
			number[p][d] = dropped
			if drop == nil || !drop(s, uint16(d)) {
				places = append(places, place{s.id[d], s.version[d], p, uint16(d)})
			}
		}
	}
	if len(places) == 0 {
		return nil
	}
	slices.SortFunc(places, func(x, y place) int {
		if x.id != y.id {
			if x.id < y.id {
				return -1
			}
			return 1
		}
		return int(x.version) - int(y.version)
	})
	w := newSegmentWriter(len(places))
	for i, p := range places {
		number[p.part][p.d] = uint16(i)
		w.take(&from[p.part].columns, p.d)
	}
	w.mergeTerms(from, number)
	return w.finish()
}

// mergeTerms goes through the dictionaries side by side.
func (w *segmentWriter) mergeTerms(from []*segment, number [][]uint16) {
	next := make([]int, len(from))
	var (
		l list
		b block
	)
	for {
		var least []byte
		for p, s := range from {
			if next[p] < s.terms {
				if t := s.term(next[p]); least == nil || string(t) < string(least) {
					least = t
				}
			}
		}
		if least == nil {
			return
		}
		w.begin(0)
		for p, s := range from {
			if next[p] == s.terms || string(s.term(next[p])) != string(least) {
				continue
			}
			l = list{}
			data := s.list(next[p])
			openList(&l, data[:cap(data)], s.length)
			w.takeList(&l, number[p], &b)
			next[p]++
		}
		w.end(string(least))
	}
}

func (w *segmentWriter) takeList(l *list, number []uint16, b *block) {
	for i := range l.count {
		l.decode(i, b)
		for j, d := range b.docs {
			if to := number[d]; to != dropped {
				w.posting(to, b.tfs[j])
			}
		}
	}
}
