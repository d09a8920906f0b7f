package keyword

import (
	"cmp"
	"slices"
	"sort"
)

// span is the turns of one session in one part.
type span struct {
	part  int
	turns []uint16
}

// hits turns s.best and s.near into hits with neighbours and the frequencies of
// all terms.
func (s *search) hits() []Hit {
	found := s.found()
	s.wanted = s.wanted[:0]
	for _, f := range found {
		s.wanted = append(s.wanted, f.ref)
	}
	if s.q.Neighbours > 0 {
		for _, f := range found {
			s.wanted = s.neighbours(s.wanted, f.ref, s.q.Neighbours)
		}
	}
	slices.Sort(s.wanted)
	s.wanted = slices.Compact(s.wanted)
	s.readFrequencies()
	s.compareVectors()
	for i := len(s.best.items); i < len(found); i++ { // not found by its words
		f := &found[i]
		f.id = s.cols(f.ref).id[f.ref.doc()]
		f.score = s.scoreOf(f.ref)
	}
	sortBest(found)
	out := make([]Hit, len(found))
	ranks, none := s.ranks()
	sessions := map[uint32]int{0: 0} // numbered as they come, so that every index gives the same
	for i, f := range found {
		out[i] = s.hit(f)
		session := s.cols(f.ref).session[f.ref.doc()]
		if _, ok := sessions[session]; !ok {
			sessions[session] = len(sessions)
		}
		out[i].Session, out[i].Nearest = sessions[session], none
		if r, ok := ranks[f.ref]; ok {
			out[i].Nearest = r
		}
	}
	return out
}

// found gives the best, the nearest that are not among them, and what widening
// adds; only the best have their scores.
func (s *search) found() []scoredDoc {
	found := slices.Clone(s.best.items)
	have := make(map[ref]bool, len(found))
	for _, f := range found {
		have[f.ref] = true
	}
	add := func(r ref) {
		if !have[r] {
			have[r] = true
			found = append(found, scoredDoc{ref: r})
		}
	}
	for _, near := range s.near {
		for _, n := range near {
			add(nearRef(n))
		}
	}
	if s.q.Widen > 0 {
		for _, f := range s.best.items {
			s.widen(f.ref, add)
		}
		for _, near := range s.near {
			for _, n := range near[:min(len(near), widenNearest)] {
				s.widen(nearRef(n), add)
			}
		}
	}
	return found
}

// widen adds the neighbours of a turn.
func (s *search) widen(r ref, add func(ref)) {
	s.around = s.neighbours(s.around[:0], r, s.q.Widen)
	for _, n := range s.around {
		add(n)
	}
}

func (s *search) cols(r ref) *columns { return s.parts[r.part()].cols() }

func (s *search) hit(f scoredDoc) Hit {
	c, d := s.cols(f.ref), f.ref.doc()
	h := Hit{
		ID: c.id[d], Score: float64(f.score) / s.scale, Len: int(c.length[d]), TF: s.frequencies(f.ref),
		Turn: c.flags[d]&flagTurn != 0, OccurredAt: c.occurred[d],
		Cosine: s.cosinesOf(f.ref), Tokens: c.tokens.Of(int(d)),
		Speaker: s.x.names.speakers[c.speaker[d]], Assistant: c.flags[d]&flagAssistant != 0, Traits: c.traits[d],
	}
	if s.q.Neighbours == 0 {
		return h
	}
	s.around = s.neighbours(s.around[:0], f.ref, s.q.Neighbours)
	h.Neighbours = make([]Neighbour, 0, len(s.around))
	before, after := 0, 0
	for _, r := range s.around {
		c, n := s.cols(r), r.doc()
		after++
		distance := after
		if s.compareTurn(r, s.cols(f.ref), d) < 0 {
			after--
			before--
			distance = before
		}
		h.Neighbours = append(h.Neighbours, Neighbour{
			ID: c.id[n], Distance: distance, Len: int(c.length[n]), TF: s.frequencies(r),
			Cosine: s.cosinesOf(r), Tokens: c.tokens.Of(int(n)), Traits: c.traits[n],
		})
	}
	slices.SortStableFunc(h.Neighbours, func(a, b Neighbour) int {
		return cmp.Or(cmp.Compare(max(a.Distance, -a.Distance), max(b.Distance, -b.Distance)), cmp.Compare(a.Distance, b.Distance))
	})
	return h
}

// compareTurn orders turns of one session.
func (s *search) compareTurn(x ref, c *columns, d uint16) int {
	cx, dx := s.cols(x), x.doc()
	return cmp.Or(cmp.Compare(cx.occurred[dx], c.occurred[d]), cmp.Compare(cx.id[dx], c.id[d]),
		cmp.Compare(cx.version[dx], c.version[d]))
}

// spansOf gives the parts of a session, looked up once a search.
func (s *search) spansOf(session uint32) []span {
	spans, ok := s.spans[session]
	if !ok {
		for i, p := range s.parts {
			if turns := p.cols().sessionSpan(session); len(turns) > 0 {
				spans = append(spans, span{i, turns})
			}
		}
		s.spans[session] = spans
	}
	return spans
}

// neighbours appends up to n turns before r, nearest first, and up to n after
// it, nearest first. They pass the filter.
func (s *search) neighbours(out []ref, r ref, n int) []ref {
	c, d := s.cols(r), r.doc()
	if !c.isTurn(d) {
		return out
	}
	spans := s.spansOf(c.session[d])
	from := len(out)
	for _, sp := range spans {
		out = s.walk(out, sp, r, n, -1)
	}
	out = s.nearest(out, from, n, len(spans), -1)
	from = len(out)
	for _, sp := range spans {
		out = s.walk(out, sp, r, n, 1)
	}
	return s.nearest(out, from, n, len(spans), 1)
}

// walk appends up to n turns of one part beside r, in one direction.
func (s *search) walk(out []ref, sp span, r ref, n, step int) []ref {
	c, d := s.cols(r), r.doc()
	at := sort.Search(len(sp.turns), func(i int) bool {
		return s.compareTurn(refOf(sp.part, sp.turns[i]), c, d) >= 0
	})
	if step < 0 {
		at--
	} else if at < len(sp.turns) && refOf(sp.part, sp.turns[at]) == r {
		at++
	}
	pc := s.parts[sp.part].cols()
	for ; n > 0 && at >= 0 && at < len(sp.turns); at += step {
		if s.match.passes(pc, sp.turns[at]) {
			out = append(out, refOf(sp.part, sp.turns[at]))
			n--
		}
	}
	return out
}

// nearest sorts out[from:], which comes from several parts, and keeps n.
func (s *search) nearest(out []ref, from, n, parts, step int) []ref {
	side := out[from:]
	if parts > 1 {
		slices.SortFunc(side, func(x, y ref) int { return step * s.compareTurn(x, s.cols(y), y.doc()) })
	}
	return out[:from+min(n, len(side))]
}

// readFrequencies reads the frequencies of all terms in s.wanted, which is
// sorted: term by term, each block at most once.
func (s *search) readFrequencies() {
	terms := len(s.q.Terms)
	s.freq = make([]float32, len(s.wanted)*terms)
	var l list
	for from := 0; from < len(s.wanted); {
		number := s.wanted[from].part()
		s.docs = s.docs[:0]
		to := from
		for to < len(s.wanted) && s.wanted[to].part() == number {
			s.docs = append(s.docs, s.wanted[to].doc())
			to++
		}
		s.tfs = slices.Grow(s.tfs[:0], len(s.docs))[:len(s.docs)]
		for t := range terms {
			if !s.open(number, t, &l) {
				continue
			}
			l.frequencies(s.docs, s.tfs, &s.block)
			for i, tf := range s.tfs {
				s.freq[(from+i)*terms+t] = float32(tf)
			}
		}
		from = to
	}
}

// frequencies gives what readFrequencies read of a document.
func (s *search) frequencies(r ref) []float32 {
	i, _ := slices.BinarySearch(s.wanted, r)
	terms := len(s.q.Terms)
	return s.freq[i*terms : (i+1)*terms : (i+1)*terms]
}

// scoreOf computes a score from the frequencies.
func (s *search) scoreOf(r ref) uint32 {
	var sum uint32
	length := s.cols(r).length[r.doc()]
	for t, tf := range s.frequencies(r) {
		if tf > 0 && s.weight[t] > 0 {
			sum += s.share(s.weight[t], uint16(tf), length)
		}
	}
	return sum
}
