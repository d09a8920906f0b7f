package recall

import "math"

// Share says how a hit's share of what was found becomes the probability that it
// is an answer, where the question has one.
type Share struct{ Bias, Slope float64 }

// Shares are those of all kinds of memories.
type Shares [Kinds]Share

// Of gives the probability for the logarithm of a share.
func (s Share) Of(log float64) float64 { return logistic(s.Bias + float64(s.Slope*log)) }

// LogShares parts one among hits by their scores, which are log-odds, and gives the
// logarithms of the parts.
func LogShares(scores []float64) []float64 {
	if len(scores) == 0 {
		return nil
	}
	most := scores[0]
	for _, s := range scores {
		most = max(most, s)
	}
	sum := 0.0
	for _, s := range scores {
		sum += math.Exp(s - most)
	}
	out := make([]float64, len(scores))
	for i, s := range scores {
		out[i] = s - most - math.Log(sum)
	}
	return out
}

// PerHit parts the probability that the question is answered among the pool's
// candidates, by their scores: better ones never have less. All go by the kind of
// the best.
func (p *Pool) PerHit(by *Shares) {
	if len(p.Candidates) == 0 {
		return
	}
	scores := make([]float64, len(p.Candidates))
	for i, c := range p.Candidates {
		scores[i] = c.Score
	}
	share, answer := by[p.Candidates[0].Kind], p.Answer()
	for i, log := range LogShares(scores) {
		p.Candidates[i].Probability = answer * share.Of(log)
	}
}

// Answer is the probability that the question has an answer among the best: that
// of the one whose evidence speaks most for it. A reranker does not change it.
func (p *Pool) Answer() float64 {
	if p.reranked {
		return p.answer
	}
	most := 0.0
	for _, c := range p.Candidates[:min(judgedBest, len(p.Candidates))] {
		most = max(most, c.Answer)
	}
	return most
}

// Answered reports whether that is enough for an answer.
func (p *Pool) Answered() bool { return p.Answer() >= Floor }

// Bar is what a hit needs to stand beside an answer: a probability of being one
// itself, or evidence by which it could be the answer alone, as many that say the
// same could.
type Bar struct{ Hit, Evidence float64 }

// bar is that of this pool.
func (p *Pool) bar() Bar {
	if p.Beside == (Bar{}) {
		return Listed
	}
	return p.Beside
}

// clears reports whether c may be returned. What has no word of what was asked needs
// as much evidence as an answer that stands alone.
func (p *Pool) clears(c *Candidate) bool {
	bar := p.bar()
	if c.Evidence.Coverage == 0 {
		bar.Evidence = max(bar.Evidence, Floor)
	}
	return p.Answered() && (c.Probability >= bar.Hit || c.Answer >= bar.Evidence) && c.Probability > 0
}

// asks is the probability that a candidate of this pool is asked for, and has what
// c has of it: beside an answer its own, else that of there being one.
func (p *Pool) asks() float64 {
	if p.Answered() {
		return p.bar().Hit
	}
	return Floor
}

func (p *Pool) has(c *Candidate) float64 {
	if p.Answered() {
		return c.Probability
	}
	return min(c.Answer, p.Answer())
}
