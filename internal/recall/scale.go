package recall

import (
	"math"
	"slices"

	"engram/internal/embed"
	"engram/internal/store"
)

// The cosines of two models do not mean the same: one says 0.7 of texts that have
// nothing to do with each other, another 0.1. What ranker and floor know is the
// built-in model's scale. So the cosines of another model are put on that by how
// both are spread over what was found for the query, and then count otherShare
// beside the built-in model's, or all where that does not know the language.
// Measured with all-MiniLM-L6-v2 as the other one (ADR 10).
const otherShare = 0.7

// Where too little was found to tell how cosines are spread, they are taken for
// spread as usual: the usual mean and deviation count like those of so many memories.
const (
	usualMean       = 0.25
	usualDeviation  = 0.15
	meanWeight      = 2.0
	deviationWeight = 6.0
	// What stands out is left out where the spread of the rest is told: of a few
	// memories it would hide itself.
	restOf = 0.75
)

// spread is how the cosines of a model are distributed over what was found.
type spread struct{ mean, deviation float64 }

// on puts a cosine of one spread on the scale of another.
func (s spread) on(scale spread, cosine float64) float64 {
	return scale.mean + float64((cosine-s.mean)*scale.deviation/s.deviation)
}

func spreadOf(cosines []float64) spread {
	slices.Sort(cosines)
	rest := cosines[:int(math.Ceil(restOf*float64(len(cosines))))]
	n, sum, squares := float64(len(rest)), 0.0, 0.0
	for _, c := range rest {
		sum += c
	}
	for _, c := range rest {
		d := c - sum/n
		squares += float64(d * d)
	}
	return spread{
		mean:      (meanWeight*usualMean + sum) / (meanWeight + n),
		deviation: math.Sqrt((deviationWeight*usualDeviation*usualDeviation + squares) / (deviationWeight + n)),
	}
}

// spreads are those of each of the query's vectors, of which the built-in model's
// is the scale; own is which that is, -1 = none: it is taken to be as usual.
type spreads struct {
	own     int
	encoder int     // the one that ranks beside it, -1 = none
	trust   float64 // in the built-in model
	models  []spread
}

// newSpreads looks at the memories that both models know; without another model
// than the built-in one there is nothing to compare.
func newSpreads(q *Query, r *store.KeywordResult) spreads {
	s := spreads{own: q.own(), encoder: encoderOf(q, r), trust: q.trust}
	q.encoded = s.encoder >= 0
	if len(q.Vectors) == 0 || len(q.Vectors) == 1 && s.own == 0 {
		return s
	}
	s.models = make([]spread, len(q.Vectors))
	cosines := make([]float64, 0, len(r.Hits))
	for i := range q.Vectors {
		cosines = cosines[:0]
		for j := range r.Hits {
			if c := r.Hits[j].Cosine; c[i] != store.NoCosine && (s.own < 0 || c[s.own] != store.NoCosine) {
				cosines = append(cosines, float64(c[i]))
			}
		}
		s.models[i] = spreadOf(cosines)
	}
	return s
}

// own is which of the query's vectors is the built-in model's, -1 = none.
func (q *Query) own() int {
	return slices.IndexFunc(q.Vectors, func(v store.QueryVector) bool { return v.Model == embed.Static().Model() })
}

// table is how near a text is to the query by the built-in model, 0 where that has
// no vector of it.
func (s *spreads) table(cosines []float32) float64 {
	if s.own < 0 || s.own >= len(cosines) || cosines[s.own] == store.NoCosine {
		return 0
	}
	return float64(cosines[s.own])
}

// cosine is how near a text is to the query on the built-in model's scale, 0
// where no model has a vector of it; other says that another model knows it.
func (s *spreads) cosine(cosines []float32) (cosine float64, other bool) {
	both := s.own >= 0 && s.own < len(cosines) && cosines[s.own] != store.NoCosine
	if both {
		cosine = float64(cosines[s.own])
	}
	if s.models == nil {
		return cosine, false
	}
	scale := spread{usualMean, usualDeviation}
	if s.own >= 0 {
		scale = s.models[s.own]
	}
	best := math.Inf(-1)
	for i, c := range cosines {
		if i != s.own && c != store.NoCosine {
			best = max(best, s.models[i].on(scale, float64(c)))
		}
	}
	if math.IsInf(best, -1) {
		return cosine, false
	}
	best = bounded(best)
	if both {
		share := float64((1 - otherShare) * s.trust)
		best = float64((1-share)*best) + float64(share*cosine)
	}
	return best, true
}

// both are how near a text is to the query by the table and by the encoder, each on
// its own scale. Where one does not know the text, the other's is put on its scale;
// 0 where neither does.
func (s *spreads) both(cosines []float32) (table, encoder float64) {
	t, e := store.NoCosine, cosines[s.encoder]
	if s.own >= 0 {
		t = cosines[s.own]
	}
	table, encoder = float64(t), float64(e)
	switch {
	case t == store.NoCosine && e == store.NoCosine:
		return 0, 0
	case t == store.NoCosine && s.own < 0:
		table = 0 // nothing is known of how the table's are spread
	case t == store.NoCosine:
		table = bounded(s.models[s.encoder].on(s.models[s.own], encoder))
	case e == store.NoCosine:
		encoder = bounded(s.models[s.own].on(s.models[s.encoder], table))
	}
	return table, encoder
}

func bounded(cosine float64) float64 { return min(1, max(-1, cosine)) }
