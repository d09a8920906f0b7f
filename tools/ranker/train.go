package main

import (
	"cmp"
	"errors"
	"math"
	"slices"

	"engram/internal/recall"
)

// How strongly standardised weights are kept small, beside a mean loss of each
// question of about two: of the table's, and of those with the encoder, of which several say
// nearly the same.
const (
	defaultRidge = 0.01
	encodedRidge = 0.03
)

const (
	hardest    = 150 // candidates of a pool that training looks at beside gold
	iterations = 12  // of Newton's method: the loss is convex
)

// trainer makes models of data.
type trainer struct {
	data  *Data
	table *trainer               // of weights without the encoder, nil = this is it
	held  *[folds]*recall.Models // those of withoutFolds
	ridge float64
	show  string                 // a set, whose evidence is printed
	off   [recall.NumInputs]bool // inputs that are left out
}

// trains reports whether a pool is ranked by the weights that t makes.
func (t *trainer) trains(p *Pool) bool { return p.Encoded == (t.table != nil) }

type vector = [recall.NumInputs]float64

// sample is a question as training sees it.
type sample struct {
	pool   *Pool
	weight float64
	rows   []vector
	target []float64 // share of the gold, sums to 1
}

// fit trains a model of each kind on the pools that use wants.
func (t *trainer) fit(use func(*Pool) bool) *recall.Models {
	var models recall.Models
	for k := range recall.Kinds {
		samples := t.samples(k, use)
		if len(samples) > 0 {
			models[k] = t.fitKind(k, samples)
		}
	}
	return &models
}

// samples are the pools of a kind that have gold among their candidates. Sets
// weigh the same, however many questions they have.
func (t *trainer) samples(k recall.Kind, use func(*Pool) bool) []*sample {
	var out []*sample
	count := map[string]float64{}
	for _, p := range t.data.Pools {
		if p.itemKind() != k || !t.trains(p) || !use(p) {
			continue
		}
		if s := newSample(p, k); s != nil {
			out = append(out, s)
			count[p.Set]++
		}
	}
	total := 0.0
	for _, s := range out {
		s.weight = setWeight(s.pool.Set) / count[s.pool.Set]
		total += s.weight
	}
	for _, s := range out {
		s.weight /= total
	}
	return out
}

// setWeight evens out sets that are nearly the same, in other words.
func setWeight(set string) float64 {
	switch set {
	case "madial_en", "madial_zh":
		return 0.7
	case "cranfield", "t2rank100", "locomo_plus", "longmemeval_s3", "precisionmem":
		return 0.5 // few questions, or of a form that memories do not have
	}
	return 1
}

func newSample(p *Pool, k recall.Kind) *sample {
	s := &sample{pool: p}
	gold := 0.0
	for i := range p.Candidates {
		c := &p.Candidates[i]
		if c.Kind != k || c.Grade == 0 && i >= hardest {
			continue
		}
		var row vector
		for j, x := range c.Inputs {
			row[j] = float64(x)
		}
		s.rows = append(s.rows, row)
		g := 0.0
		if c.Grade > 0 {
			g = 1
			gold++
		}
		s.target = append(s.target, g)
	}
	if gold == 0 || len(s.rows) < 2 {
		return nil
	}
	for i := range s.target {
		s.target[i] /= gold
	}
	return s
}

// fitKind minimises the softmax loss over the candidates of each question, on
// standardised inputs, and puts the model on the scale of log-odds.
func (t *trainer) fitKind(k recall.Kind, samples []*sample) recall.Model {
	deviation := t.deviations(k, samples)
	w := t.minimise(samples, &deviation)
	var m recall.Model
	for j := range w {
		if deviation[j] > 0 {
			m.Weights[j] = w[j] / deviation[j]
		}
	}
	return calibrate(m, samples)
}

// minimise is Newton's method, each step halved until the loss falls.
func (t *trainer) minimise(samples []*sample, deviation *vector) vector {
	var w vector // of standardised inputs
	loss := t.loss(samples, &w, deviation)
	for range iterations {
		gradient, hessian := t.slopes(samples, &w, deviation)
		step := solve(hessian, gradient[:])
		for length := 1.0; length > 1e-3; length /= 2 {
			next := w
			for j := range next {
				next[j] -= length * step[j]
			}
			if l := t.loss(samples, &next, deviation); l < loss {
				gain := loss - l
				w, loss = next, l
				if gain < 1e-7 {
					return w
				}
				break
			}
		}
	}
	return w
}

// Inputs that say nothing of notes, or the same there as others do, and those
// that cross-validation does not want for turns.
var (
	ofTurns = inputs("context", "wide", "cosine_context", "soft_context", "expanded_near", "session", "named", "other", "assistant", "answers")
	ofNotes = inputs("lead", "names", "foreign_own", "foreign_coverage", "foreign_length", "foreign_cosine")
)

// inputs marks those of some names.
func inputs(names ...string) (in [recall.NumInputs]bool) {
	for j, name := range recall.InputNames {
		in[j] = slices.Contains(names, name)
	}
	return in
}

// deviations are those of each input within its pool; 0 = it tells nothing
// apart, or is left out.
func (t *trainer) deviations(k recall.Kind, samples []*sample) vector {
	var sum vector
	total := 0.0
	for _, s := range samples {
		var mean, square vector
		n := float64(len(s.rows))
		for i := range s.rows {
			for j, x := range s.rows[i] {
				mean[j] += x / n
				square[j] += x * x / n
			}
		}
		for j := range sum {
			sum[j] += s.weight * max(0, square[j]-mean[j]*mean[j])
		}
		total += s.weight
	}
	for j := range sum {
		sum[j] = math.Sqrt(sum[j] / total)
		if t.off[j] || sum[j] < 1e-6 || k == recall.Note && ofTurns[j] || k != recall.Note && ofNotes[j] {
			sum[j] = 0
		}
	}
	return sum
}

// slopes are the gradient and the curvature of the loss at w.
func (t *trainer) slopes(samples []*sample, w, deviation *vector) (vector, [][]float64) {
	var gradient vector
	hessian := make([][]float64, len(w))
	for j := range hessian {
		hessian[j] = make([]float64, len(w))
	}
	for _, s := range samples {
		s.addSlopes(w, deviation, &gradient, hessian)
	}
	for j := range w {
		for k := range j {
			hessian[j][k] = hessian[k][j]
		}
		gradient[j] += t.ridge * w[j]
		hessian[j][j] += t.ridge
		if deviation[j] == 0 {
			hessian[j][j] = 1
		}
	}
	return gradient, hessian
}

// loss is the mean over questions of the surprise at the gold, by which all that
// training does is measured.
func (t *trainer) loss(samples []*sample, w, deviation *vector) float64 {
	sum := 0.0
	for j := range w {
		sum += t.ridge * w[j] * w[j] / 2
	}
	for _, s := range samples {
		share := s.shares(w, deviation)
		for i, target := range s.target {
			if target > 0 {
				sum -= s.weight * target * math.Log(max(share[i], 1e-300))
			}
		}
	}
	return sum
}

// shares is the softmax of the scores of a question's candidates.
func (s *sample) shares(w, deviation *vector) []float64 {
	raw := *w
	for j, d := range deviation {
		raw[j] = 0
		if d > 0 {
			raw[j] = w[j] / d
		}
	}
	share := make([]float64, len(s.rows))
	most := math.Inf(-1)
	for i := range s.rows {
		share[i] = dot(s.rows[i][:], raw[:])
		most = max(most, share[i])
	}
	sum := 0.0
	for i := range share {
		share[i] = math.Exp(share[i] - most)
		sum += share[i]
	}
	for i := range share {
		share[i] /= sum
	}
	return share
}

func (s *sample) addSlopes(w, deviation, gradient *vector, hessian [][]float64) {
	share := s.shares(w, deviation)
	var mean vector
	for i := range share {
		for j, x := range s.rows[i] {
			mean[j] += share[i] * x
			if deviation[j] > 0 {
				gradient[j] += s.weight * (share[i] - s.target[i]) * x / deviation[j]
			}
		}
	}
	for i := range share {
		if share[i] < 1e-4 {
			continue
		}
		var x vector
		for j, d := range deviation {
			if d > 0 {
				x[j] = (s.rows[i][j] - mean[j]) / d
			}
		}
		for j, a := range x {
			a *= s.weight * share[i]
			for k := j; k < len(x); k++ {
				hessian[j][k] += a * x[k]
			}
		}
	}
}

// calibrate scales a model so that its score is the log-odds that a candidate is
// gold: then memories of several kinds can be compared.
func calibrate(m recall.Model, samples []*sample) recall.Model {
	var rows [][]float64
	var y, weights []float64
	for _, s := range samples {
		for i := range s.rows {
			rows = append(rows, []float64{1, dot(s.rows[i][:], m.Weights[:])})
			y = append(y, math.Ceil(s.target[i]))
			weights = append(weights, s.weight)
		}
	}
	scale := logit(rows, y, weights, 0)
	for j := range m.Weights {
		m.Weights[j] *= scale[1]
	}
	m.Bias = scale[0]
	return m
}

// newTrainer reads what dump wrote without the encoder, and, in a second file, with it. A ridge of 0
// is the usual one.
func newTrainer(files []string, ridge float64) (*trainer, error) {
	if len(files) < 1 || len(files) > 2 {
		return nil, errors.New("give the files that dump wrote: without the encoder, and with it")
	}
	var t *trainer
	for i, file := range files {
		data, err := readData(file)
		if err != nil {
			return nil, err
		}
		usual := []float64{defaultRidge, encodedRidge}[i]
		t = &trainer{data: data, table: t, ridge: cmp.Or(ridge, usual)}
	}
	return t, nil
}
