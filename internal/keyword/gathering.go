package keyword

import "slices"

// gathering is the documents that a result tells of: those that were found, and
// the turns beside them. Each has a place, in the order in which they came.
type gathering struct {
	refs    []ref    // by place
	foundAt []int32  // by place: where it is in found, -1 = it is beside one only
	slots   []uint32 // places + 1 by hash of their ref, 0 = free

	found  []scoredDoc
	around []around // of each of found, once it was looked for
	turns  []uint32 // places of neighbours

	freq    []float32 // of each term, by place
	cosines []float32 // with each of the query's vectors, by place
}

// around says where the neighbours of a document are in gathering.turns: those
// before it, nearest first, then those after it, nearest first.
type around struct {
	known         bool
	from, mid, to int
}

func (g *gathering) reset() {
	clear(g.slots)
	*g = gathering{
		refs: g.refs[:0], foundAt: g.foundAt[:0], slots: g.slots,
		found: g.found[:0], around: g.around[:0], turns: g.turns[:0],
	}
}

// place gives a document's place, a new one if it has none yet.
func (g *gathering) place(r ref) uint32 {
	if 2*len(g.refs) >= len(g.slots) {
		g.slots = make([]uint32, max(1024, 2*len(g.slots)))
		for place, r := range g.refs {
			g.slots[g.slot(r)] = uint32(place) + 1
		}
	}
	slot := g.slot(r)
	if g.slots[slot] == 0 {
		g.refs, g.foundAt = append(g.refs, r), append(g.foundAt, -1)
		g.slots[slot] = uint32(len(g.refs))
	}
	return g.slots[slot] - 1
}

// slot is where the place of a document is, or would be.
func (g *gathering) slot(r ref) int {
	mask := len(g.slots) - 1
	i := int(uint32(r)*0x9e3779b1>>8) & mask
	for g.slots[i] != 0 && g.refs[g.slots[i]-1] != r {
		i = (i + 1) & mask
	}
	return i
}

// find puts a document among those that were found, unless it is, and gives
// where.
func (g *gathering) find(d scoredDoc) int {
	d.place = g.place(d.ref)
	if g.foundAt[d.place] < 0 {
		g.foundAt[d.place] = int32(len(g.found))
		g.found, g.around = append(g.found, d), append(g.around, around{})
	}
	return int(g.foundAt[d.place])
}

// gather puts together the best, the nearest that are not among them, and what
// widening adds; only the best have their scores.
func (s *search) gatherFound() {
	g := &s.gathering
	g.reset()
	for _, f := range s.best.items {
		g.find(f)
	}
	wide := len(g.found) // so many bring their neighbours, and those of more
	var more []int
	for _, near := range s.near {
		for i, n := range near {
			at := g.find(scoredDoc{ref: nearRef(n)})
			if i < widenNearest && at >= wide {
				more = append(more, at)
			}
		}
	}
	if s.q.Widen == 0 {
		return
	}
	for i := range wide {
		s.widen(i)
	}
	for _, i := range more {
		s.widen(i)
	}
}

// widen puts the neighbours of one that was found among those.
func (s *search) widen(i int) {
	g := &s.gathering
	a := s.lookAround(i)
	for _, side := range [][]uint32{g.turns[a.from:a.mid], g.turns[a.mid:a.to]} {
		for _, place := range side[:min(len(side), s.q.Widen)] {
			g.find(scoredDoc{ref: g.refs[place]})
		}
	}
}

// lookAround gives the neighbours of one that was found: as many on each side as
// the query may need. They pass the filter.
func (s *search) lookAround(i int) around {
	g := &s.gathering
	if g.around[i].known {
		return g.around[i]
	}
	r := g.found[i].ref
	a := around{known: true, from: len(g.turns), mid: len(g.turns), to: len(g.turns)}
	if c, d := s.cols(r), r.doc(); c.isTurn(d) {
		spans := s.spansOf(c.session[d])
		for _, step := range []int{-1, 1} {
			s.beside = s.beside[:0]
			for _, sp := range spans {
				s.walk(sp, r, step)
			}
			s.keepNearest(len(spans), step)
			for _, n := range s.beside {
				g.turns = append(g.turns, g.place(n))
			}
			if step < 0 {
				a.mid = len(g.turns)
			}
		}
		a.to = len(g.turns)
	}
	g.around[i] = a
	return a
}

// reach is how many neighbours on each side are looked for.
func (s *search) reach() int { return max(s.q.Neighbours, s.q.Widen) }

// readFrequencies reads the frequencies of all terms in all that was gathered:
// term by term, each block at most once.
func (s *search) readFrequencies() {
	g, terms := &s.gathering, len(s.q.Terms)
	g.freq = make([]float32, len(g.refs)*terms)
	s.order = s.order[:0]
	for place, r := range g.refs {
		s.order = append(s.order, uint64(r)<<32|uint64(place))
	}
	slices.Sort(s.order)
	var l list
	for order := s.order; len(order) > 0; {
		number := ref(order[0] >> 32).part()
		s.docs = s.docs[:0]
		for _, o := range order {
			r := ref(o >> 32)
			if r.part() != number {
				break
			}
			s.docs = append(s.docs, r.doc())
		}
		s.tfs = slices.Grow(s.tfs[:0], len(s.docs))[:len(s.docs)]
		for t := range terms {
			if !s.open(number, t, &l) {
				continue
			}
			l.frequencies(s.docs, s.tfs, &s.block)
			for i, tf := range s.tfs {
				if tf > 0 {
					g.freq[int(uint32(order[i]))*terms+t] = float32(tf)
				}
			}
		}
		order = order[len(s.docs):]
	}
}

// frequencies gives what readFrequencies read of the document at a place.
func (s *search) frequencies(place uint32) []float32 {
	from, n := int(place)*len(s.q.Terms), len(s.q.Terms)
	return s.gathering.freq[from : from+n : from+n]
}

// compareVectors compares the vectors of all that was gathered with the query's.
func (s *search) compareVectors() {
	g := &s.gathering
	if len(s.queries) == 0 {
		return
	}
	n := len(s.queries)
	g.cosines = make([]float32, len(g.refs)*n)
	for i := range g.cosines {
		g.cosines[i] = NoCosine
	}
	for i, sq := range s.queries {
		switch {
		case sq.q == nil:
		case sq.sp != nil:
			s.compareInSpace(sq, func(place int, cosine float32) { g.cosines[place*n+i] = cosine })
		default:
			for place, r := range g.refs {
				if cosine, ok := s.cols(r).vectors.Cosine(int(r.doc()), sq.q); ok {
					g.cosines[place*n+i] = cosine
				}
			}
		}
	}
}

// cosinesOf gives what compareVectors found of the document at a place.
func (s *search) cosinesOf(place uint32) []float32 {
	n := len(s.queries)
	if n == 0 {
		return nil
	}
	from := int(place) * n
	return s.gathering.cosines[from : from+n : from+n]
}
