package keyword

import (
	"slices"

	"engram/internal/vector"
)

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

// findNearest fills s.near.
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
		var query *vector.Query
		if (vector.Space{Model: v.Model, Dim: len(v.Unit)}) == s.x.rules.Space {
			query = vector.NewQuery(v.Unit)
		}
		s.queries = append(s.queries, query)
		if query == nil {
			s.near = append(s.near, nil)
			continue
		}
		s.byVector.Begin(query, min(keep, max(docs, 1)))
		for _, p := range s.parts {
			c := p.cols()
			s.byVector.Scan(c.vectors, c.id, func(d int) bool { return s.match.passes(c, uint16(d)) })
		}
		s.near = append(s.near, s.byVector.Best(s.q.Limit))
	}
}

// ranks gives the place of each of the nearest among the nearest to each of the
// query's vectors; others share none.
func (s *search) ranks() (ranks map[ref][]int, none []int) {
	if len(s.near) == 0 {
		return nil, nil
	}
	ranks = map[ref][]int{}
	for i, near := range s.near {
		for rank, n := range near {
			r := nearRef(n)
			if ranks[r] == nil {
				ranks[r] = make([]int, len(s.near))
			}
			ranks[r][i] = rank + 1
		}
	}
	return ranks, make([]int, len(s.near))
}

// compareVectors compares the vectors of all in s.wanted with the query's.
func (s *search) compareVectors() {
	s.cosines = make([]float32, 0, len(s.wanted)*len(s.queries))
	if len(s.queries) == 0 {
		return
	}
	for _, r := range s.wanted {
		for _, q := range s.queries {
			cosine := NoCosine
			if q != nil {
				if c, ok := s.cols(r).vectors.Cosine(int(r.doc()), q); ok {
					cosine = c
				}
			}
			s.cosines = append(s.cosines, cosine)
		}
	}
}

// cosinesOf gives what compareVectors found of a document.
func (s *search) cosinesOf(r ref) []float32 {
	n := len(s.queries)
	if n == 0 {
		return nil
	}
	i, _ := slices.BinarySearch(s.wanted, r)
	return s.cosines[i*n : (i+1)*n : (i+1)*n]
}
