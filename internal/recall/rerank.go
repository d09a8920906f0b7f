package recall

import (
	"cmp"
	"slices"
)

// Reranked is how many of the best a reranker looks at: the right one is among
// them nearly always where it is in the pool at all.
const Reranked = 50

// rerankerShare is what the reranker counts in a hit's probability; the ranker has
// the rest.
const rerankerShare = 0.5

// TraceReranker says what came of asking another ranker.
type TraceReranker struct {
	Used  bool   `json:"used"`
	Asked int    `json:"asked"`         // about how many of the best it said something
	Why   string `json:"why,omitempty"` // it was not used
}

// Rerankable reports whether another ranker has anything to say: not where time
// alone is asked for, nor where nothing is returned whatever it says, unless the
// floor is not asked. why says so.
func (p *Pool) Rerankable(floor bool) (why string, ok bool) {
	switch {
	case len(p.Candidates) == 0:
		return "nothing was found", false
	case p.Query.onlyTime():
		return "the question asks for a time alone", false
	case floor && !p.Answered():
		return "nothing clears the floor", false
	}
	return "", true
}

// Rerank puts the pool as ranked in the order of a probability that is half the
// ranker's and half a reranker's: scores has, by memory, how likely it answers, 0 …
// 1, where it is an answer at all; what is not there counts as 0. Whether there is
// an answer stays as it was judged, and no hit is likelier than that. What has the
// quoted phrases stays before what has them not, and what competes in time keeps the
// order of time. Once ordered, the probabilities are dealt out from the best down, so
// that they never rise. To be called once after [Pool.Rank].
func (p *Pool) Rerank(scores map[int64]float64) {
	p.answer, p.reranked = p.Answer(), true
	for _, c := range p.Candidates {
		said, ok := scores[c.ID]
		if ok {
			c.Reranker = &said
		}
		c.Probability = float64((1-rerankerShare)*c.Probability) + float64(rerankerShare*p.answer*said)
	}
	slices.SortStableFunc(p.Candidates, func(a, b *Candidate) int {
		return cmp.Or(cmp.Compare(b.Features.Phrases, a.Features.Phrases), cmp.Compare(b.Probability, a.Probability))
	})
	p.keepTimes()
	probabilities := make([]float64, len(p.Candidates))
	for i, c := range p.Candidates {
		probabilities[i] = c.Probability
	}
	slices.SortFunc(probabilities, func(a, b float64) int { return cmp.Compare(b, a) })
	for i, c := range p.Candidates {
		c.Probability = probabilities[i]
	}
}

// keepTimes puts those that compete in time into their order again, at the places
// that they have among the others.
func (p *Pool) keepTimes() {
	var places []int
	var rivals []*Candidate
	for i, c := range p.Candidates {
		if c.Features.Order > 0 {
			places, rivals = append(places, i), append(rivals, c)
		}
	}
	slices.SortStableFunc(rivals, func(a, b *Candidate) int { return cmp.Compare(b.Features.Order, a.Features.Order) })
	for i, place := range places {
		p.Candidates[place] = rivals[i]
	}
}
