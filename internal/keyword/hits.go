package keyword

import (
	"cmp"
	"slices"
	"sort"

	"engram/internal/text"
)

// span is the turns of one session in one part.
type span struct {
	part  int
	turns []uint16
}

// hits turns s.best and s.near into hits with neighbours and the frequencies of
// all terms.
func (s *search) hits() []Hit {
	g := &s.gathering
	s.gatherFound()
	neighbours := 0
	if s.q.Neighbours > 0 {
		for i := range g.found {
			a := s.lookAround(i)
			neighbours += a.to - a.from
		}
	}
	s.readFrequencies()
	s.compareVectors()
	for i := len(s.best.items); i < len(g.found); i++ { // not found by its words
		f := &g.found[i]
		f.id = s.cols(f.ref).id[f.ref.doc()]
		f.score = s.scoreOf(f)
	}
	ranks := s.ranks()
	sortBest(g.found) // g.foundAt still says where they were
	out := make([]Hit, len(g.found))
	slab := make([]Neighbour, 0, neighbours)
	sessions := map[uint32]int{0: 0} // numbered as they come, so that every index gives the same
	for i, f := range g.found {
		was := int(g.foundAt[f.place])
		h := s.hit(f)
		h.Nearest = rankOf(ranks, was, len(s.near))
		session := s.cols(f.ref).session[f.ref.doc()]
		if _, ok := sessions[session]; !ok {
			sessions[session] = len(sessions)
		}
		h.Session = sessions[session]
		if s.q.Neighbours > 0 {
			from := len(slab)
			slab = s.neighbours(slab, g.around[was])
			h.Neighbours = slab[from:len(slab):len(slab)]
		}
		out[i] = h
	}
	return out
}

func (s *search) cols(r ref) *columns { return s.parts[r.part()].cols() }

func (s *search) hit(f scoredDoc) Hit {
	c, d := s.cols(f.ref), f.ref.doc()
	return Hit{
		ID: c.id[d], Score: float64(f.score) / s.scale, Len: int(c.length[d]), TF: s.frequencies(f.place),
		Turn: c.flags[d]&flagTurn != 0, OccurredAt: c.occurred[d],
		Cosine: s.cosinesOf(f.place), Tokens: c.tokens.Of(int(d)),
		Speaker: s.x.names.speakers[c.speaker[d]], Assistant: c.flags[d]&flagAssistant != 0, Traits: c.traits[d],
	}
}

// neighbours appends the turns around a hit, nearest first, of two equally near
// the earlier one.
func (s *search) neighbours(out []Neighbour, a around) []Neighbour {
	turns := s.gathering.turns
	before, after := turns[a.from:a.mid], turns[a.mid:a.to]
	for i := range min(s.q.Neighbours, max(len(before), len(after))) {
		if i < len(before) {
			out = append(out, s.neighbour(before[i], -i-1))
		}
		if i < len(after) {
			out = append(out, s.neighbour(after[i], i+1))
		}
	}
	return out
}

func (s *search) neighbour(place uint32, distance int) Neighbour {
	r := s.gathering.refs[place]
	c, d := s.cols(r), r.doc()
	return Neighbour{
		ID: c.id[d], Distance: distance, Len: int(c.length[d]), TF: s.frequencies(place),
		Cosine: s.cosinesOf(place), Tokens: c.tokens.Of(int(d)), Traits: text.Traits(c.traits[d]),
	}
}

// compareTurn orders turns of one session.
func (s *search) compareTurn(x ref, c *columns, d uint16) int {
	cx, dx := s.cols(x), x.doc()
	if order := cmp.Compare(cx.occurred[dx], c.occurred[d]); order != 0 {
		return order
	}
	return cmp.Or(cmp.Compare(cx.id[dx], c.id[d]), cmp.Compare(cx.version[dx], c.version[d]))
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

// walk appends the nearest turns of one part beside r, in one direction, to
// s.beside.
func (s *search) walk(sp span, r ref, step int) {
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
	for n := s.reach(); n > 0 && at >= 0 && at < len(sp.turns); at += step {
		if s.match.passes(pc, sp.turns[at]) {
			s.beside = append(s.beside, refOf(sp.part, sp.turns[at]))
			n--
		}
	}
}

// keepNearest leaves the nearest in s.beside, which comes from so many parts.
func (s *search) keepNearest(parts, step int) {
	if parts > 1 {
		slices.SortFunc(s.beside, func(x, y ref) int { return step * s.compareTurn(x, s.cols(y), y.doc()) })
	}
	s.beside = s.beside[:min(s.reach(), len(s.beside))]
}

// scoreOf computes a score from the frequencies.
func (s *search) scoreOf(f *scoredDoc) uint32 {
	var sum uint32
	length := s.cols(f.ref).length[f.ref.doc()]
	for t, tf := range s.frequencies(f.place) {
		if tf > 0 && s.weight[t] > 0 {
			sum += s.share(s.weight[t], uint16(tf), length)
		}
	}
	return sum
}
