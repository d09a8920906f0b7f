package keyword

import "engram/internal/vector"

const (
	// Of so many documents, and so many more for each thousand that there are, the
	// codes are compared: measured on the benchmark sets, 99.5 % of the 50 nearest
	// are among the first 1,000 by their signs in 48,000 texts.
	compared            = 1000
	comparedPerThousand = 5
	// widenNearest is how many of the nearest bring their neighbours.
	widenNearest = 50
)

func nearRef(n vector.Near) ref { return refOf(n.Block, uint16(n.Slot)) }

// findNearest fills s.near. It may run beside findBest.
func (s *search) findNearest() {
	if len(s.q.Vectors) == 0 {
		return
	}
	docs := 0
	for _, p := range s.parts {
		docs += p.cols().len()
	}
	keep := max(compared+docs/1000*comparedPerThousand, 2*s.q.Limit)
	for _, v := range s.q.Vectors {
		model := vector.Space{Model: v.Model, Dim: len(v.Unit)}
		sp, query := s.x.spaces[model], (*vector.Query)(nil)
		if sp != nil || model == s.x.rules.Space {
			query = vector.NewQuery(v.Unit)
		}
		sq := &spaceQuery{q: query, sp: sp}
		s.queries = append(s.queries, sq)
		if query == nil {
			s.near = append(s.near, nil)
			continue
		}
		if sp != nil {
			sq.known = map[ref]float32{}
			s.near = append(s.near, s.nearestIn(sq, keep))
			continue
		}
		s.byVector.Begin(query, min(keep, max(docs, 1)))
		for _, p := range s.parts {
			c := p.cols()
			s.byVector.Scan(c.vectors, c.id, func(d int) bool { return s.nearMatch.passes(c, uint16(d)) })
		}
		s.near = append(s.near, s.byVector.Best(s.q.Limit))
	}
}

// ranks gives the place of each of those that were found among the nearest to
// each of the query's vectors; nil without any.
func (s *search) ranks() []int {
	if len(s.near) == 0 {
		return nil
	}
	g := &s.gathering
	ranks := make([]int, len(g.found)*len(s.near))
	for i, near := range s.near {
		for rank, n := range near {
			ranks[int(g.foundAt[g.place(nearRef(n))])*len(s.near)+i] = rank + 1
		}
	}
	return ranks
}

func rankOf(ranks []int, found, vectors int) []int {
	if vectors == 0 {
		return nil
	}
	return ranks[found*vectors : (found+1)*vectors : (found+1)*vectors]
}
