package keyword

import (
	"encoding/binary"
	"slices"

	"engram/internal/vector"
)

// segmentWriter builds a segment: first all documents in order, then the terms
// in order, each with its postings.
type segmentWriter struct {
	s       *segment
	dict    dictionaryWriter
	dead    []uint16
	anyDead bool

	pairs     []uint32 // postings of the term at hand: document, frequency
	docs, tfs []uint16
}

func newSegmentWriter(docs int, space vector.Space) *segmentWriter {
	w := &segmentWriter{s: &segment{columns: newColumns(space)}}
	w.s.reserve(docs)
	return w
}

func (c *columns) reserve(n int) {
	c.id = make([]int64, 0, n)
	c.version = make([]uint32, 0, n)
	c.class = make([]uint32, 0, n)
	c.session = make([]uint32, 0, n)
	c.speaker = make([]uint32, 0, n)
	c.length = make([]uint32, 0, n)
	c.traits = make([]uint16, 0, n)
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
	w.dict.add(term, func(lists []byte) []byte { return appendList(lists, w.docs, w.tfs, w.s.length) })
}

// finish gives the segment. Its bytes are right by construction, so they are
// laid out without a second check.
func (w *segmentWriter) finish() *segment {
	s, d := w.s, &w.dict
	d.mark()
	data := make([]byte, 0, postingsHeader+len(d.heads)+len(d.text)+len(d.lists)+padding)
	for _, v := range []int{postingsMagic, s.len(), d.terms, len(d.text)} {
		data = binary.LittleEndian.AppendUint32(data, uint32(v))
	}
	data = append(data, d.heads...)
	data = append(data, d.text...)
	data = append(data, d.lists...)
	data = append(data, make([]byte, padding)...)
	s.lay(data, d.terms, len(d.text))
	s.keys, s.looks = slices.Clip(d.keys), byLength(d.all)
	if w.anyDead {
		s.dead = slices.Clip(w.dead)
	}
	s.tokens.Clip()
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
	w := newSegmentWriter(len(places), from[0].vectors.Space())
	w.s.vectors.Grow(len(places))
	for i, p := range places {
		number[p.part][p.d] = uint16(i)
		w.take(&from[p.part].columns, p.d)
	}
	w.mergeTerms(from, number)
	next := w.finish()
	for _, s := range from {
		if s.stored != 0 {
			next.replaces = append(next.replaces, s.stored)
		}
		next.replaces = append(next.replaces, s.replaces...)
	}
	return next
}

// mergeTerms goes through the dictionaries side by side.
func (w *segmentWriter) mergeTerms(from []*segment, number [][]uint16) {
	at := make([]cursor, len(from))
	more := make([]bool, len(from))
	for p, s := range from {
		s.begin(&at[p], 0)
		more[p] = at[p].next()
	}
	var (
		l list
		b block
	)
	for {
		least := -1
		for p := range from {
			if more[p] && (least < 0 || string(at[p].term) < string(at[least].term)) {
				least = p
			}
		}
		if least < 0 {
			return
		}
		term := string(at[least].term)
		w.begin(0)
		for p, s := range from {
			if !more[p] || string(at[p].term) != term {
				continue
			}
			l = list{}
			data := at[p].list()
			openList(&l, data[:cap(data)], s.length)
			w.takeList(&l, number[p], &b)
			more[p] = at[p].next()
		}
		w.end(term)
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
