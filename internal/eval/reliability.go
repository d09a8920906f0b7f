package eval

import "math"

// Reliability holds predicted probabilities against what came true, in two ways.
type Reliability struct {
	// Answers has one prediction a question: the probability that there is an answer
	// among the five best, which the floor decides by. It comes true where gold is among them.
	Answers Calibration `json:"answers"`
	// Hits has one a hit of the five best, which is what people are shown. It comes
	// true where that hit is gold.
	Hits Calibration `json:"hits"`
}

// Calibration is how true some predictions are.
type Calibration struct {
	Predictions int     `json:"predictions"`
	Error       float64 `json:"error"` // expected calibration error: mean of |predicted - observed|, by bin
	Bins        [10]Bin `json:"bins"`  // by predicted probability, each of a tenth
}

// Bin holds the predictions of one tenth.
type Bin struct {
	Predictions int     `json:"predictions"`
	Predicted   float64 `json:"predicted"` // their mean
	Observed    float64 `json:"observed"`  // share of them that came true
}

func (r *Reliability) add(best []hit, gold map[string]int) {
	answer, found := 0.0, false
	for _, h := range best {
		isGold := gold[h.document] > 0
		r.Hits.add(h.probability, isGold)
		answer, found = h.answer, found || isGold
	}
	r.Answers.add(answer, found)
}

// add keeps sums where the means will be, until close.
func (c *Calibration) add(p float64, true bool) {
	b := &c.Bins[min(len(c.Bins)-1, int(p*float64(len(c.Bins))))]
	b.Predictions++
	b.Predicted += p
	if true {
		b.Observed++
	}
}

func (r *Reliability) close() *Reliability {
	r.Answers.close()
	r.Hits.close()
	return r
}

func (c *Calibration) close() {
	for i := range c.Bins {
		if b := &c.Bins[i]; b.Predictions > 0 {
			b.Predicted /= float64(b.Predictions)
			b.Observed /= float64(b.Predictions)
		}
	}
	c.measure()
}

// measure sets what follows from the bins.
func (c *Calibration) measure() {
	c.Predictions, c.Error = 0, 0
	for _, b := range c.Bins {
		c.Predictions += b.Predictions
		c.Error += float64(b.Predictions) * math.Abs(b.Predicted-b.Observed)
	}
	c.Error /= float64(max(1, c.Predictions))
}

// joinReliability is that of all sets together, each prediction counting the same.
func joinReliability(sets []SetReport) *Reliability {
	var all *Reliability
	for _, s := range sets {
		if s.Reliability == nil {
			continue
		}
		if all == nil {
			all = new(Reliability)
		}
		all.Answers.join(s.Reliability.Answers)
		all.Hits.join(s.Reliability.Hits)
	}
	if all == nil {
		return nil
	}
	return all.close()
}

// join adds the predictions of other as sums.
func (c *Calibration) join(other Calibration) {
	for i, b := range other.Bins {
		n := float64(b.Predictions)
		c.Bins[i].Predictions += b.Predictions
		c.Bins[i].Predicted += n * b.Predicted
		c.Bins[i].Observed += n * b.Observed
	}
}
