package main

import (
	"fmt"
	"io"
	"math"
	"text/tabwriter"

	"engram/internal/recall"
)

const (
	hitsListed = 10 // hits of a question that probabilities are fitted to
	hitsShown  = 5  // … and measured on
)

// kind is that of the best.
func (p *best) kind() recall.Kind { return p.listed[0].Kind }

// own reports whether a question is one of the set's, and not a stranger to it.
func (p *best) own() bool { return p.Kind != stranger && len(p.listed) > 0 }

// fitShares fits what share of what was found makes which probability of being an
// answer, on questions that have one among the best; every set weighs the same.
func fitShares(pools []*best, use func(*Pool) bool) recall.Shares {
	var rows [recall.Kinds][][]float64
	var y, weights [recall.Kinds][]float64
	count := map[string]float64{}
	fits := func(p *best) bool { return p.own() && p.answered() && use(p.Pool) }
	for _, p := range pools {
		if fits(p) {
			count[p.Set]++
		}
	}
	for _, p := range pools {
		if !fits(p) {
			continue
		}
		k := p.kind()
		for i, c := range p.listed {
			rows[k] = append(rows[k], []float64{1, p.logs[i]})
			y[k] = append(y[k], truth(c.Grade > 0))
			weights[k] = append(weights[k], setWeight(p.Set)/count[p.Set])
		}
	}
	var out recall.Shares
	for k := range out {
		if len(rows[k]) > 0 {
			w := logit(rows[k], y[k], weights[k], 0)
			out[k] = recall.Share{Bias: w[0], Slope: w[1]}
		}
	}
	return out
}

// foretold is a question with what was foretold of it, cross-validated.
type foretold struct {
	*best
	answer   float64
	hits     []float64 // of what is listed
	evidence []float64 // that there is an answer, by the evidence of each
}

// foretell gives the probabilities of all questions, by judges and shares that did
// not see them.
func foretell(pools []*best, fold map[*Pool]int, probability func(*best, *Candidate) float64) []foretold {
	var cross [folds]recall.Shares
	for f := range folds {
		cross[f] = fitShares(pools, func(p *Pool) bool { return fold[p] != f })
	}
	out := make([]foretold, len(pools))
	for i, p := range pools {
		out[i].best = p
		out[i].answer = p.likely(probability)
		for j, c := range p.listed {
			out[i].evidence = append(out[i].evidence, probability(p, c))
			out[i].hits = append(out[i].hits, out[i].answer*cross[fold[p.Pool]][p.kind()].Of(p.logs[j]))
		}
	}
	return out
}

// bins hold what was foretold against what was so, by tenths.
type bins struct{ n, weight, said, so [10]float64 }

func (b *bins) add(p float64, true bool, weight float64) {
	i := min(9, int(10*p))
	b.n[i]++
	b.weight[i] += weight
	b.said[i] += weight * p
	b.so[i] += weight * truth(true)
}

// off is the expected calibration error.
func (b *bins) off() float64 {
	sum, total := 0.0, 0.0
	for i := range b.n {
		sum += math.Abs(b.said[i] - b.so[i])
		total += b.weight[i]
	}
	return sum / max(total, 1e-9)
}

func (b *bins) write(w io.Writer, what, so string) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintf(tab, "\nprobability\t%s\tforetold %%\t%s %%\n", what, so)
	for i := range b.n {
		if b.n[i] > 0 {
			fmt.Fprintf(tab, "%.1f – %.1f\t%.0f\t%.1f\t%.1f\n", float64(i)/10, float64(i+1)/10, b.n[i], 100*b.said[i]/b.weight[i], 100*b.so[i]/b.weight[i])
		}
	}
	fmt.Fprintf(tab, "expected calibration error\t\t%.1f\n", 100*b.off())
	return tab.Flush()
}

// reliability compares what was foretold of questions with what was so, weighed as
// in training, and of the hits of questions that were answered, each set with the same.
func reliability(w io.Writer, questions []foretold, pools []*best) error {
	var answers, hits bins
	for i, weight := range balance(pools) {
		answers.add(questions[i].answer, pools[i].answered(), weight)
	}
	count := map[string]float64{}
	shown := func(q *foretold) bool { return q.own() && q.answer >= recall.Floor }
	for i := range questions {
		if q := &questions[i]; shown(q) {
			count[q.Set]++
		}
	}
	perSet := map[string]*bins{}
	for i := range questions {
		q := &questions[i]
		if !shown(q) {
			continue
		}
		if perSet[q.Set] == nil {
			perSet[q.Set] = new(bins)
		}
		for j, c := range q.listed[:min(hitsShown, len(q.listed))] {
			hits.add(q.hits[j], c.Grade > 0, setWeight(q.Set)/count[q.Set])
			perSet[q.Set].add(q.hits[j], c.Grade > 0, 1)
		}
	}
	if err := answers.write(w, "questions", "answered"); err != nil {
		return err
	}
	if err := hits.write(w, "hits", "gold"); err != nil {
		return err
	}
	fmt.Fprint(w, "calibration error of hits by set:")
	done := map[string]bool{}
	for i := range questions {
		if b := perSet[questions[i].Set]; b != nil && !done[questions[i].Set] {
			done[questions[i].Set] = true
			fmt.Fprintf(w, "  %s %.1f", questions[i].Set, 100*b.off())
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

// bars are what is asked of a hit beside an answer: thresholds of its probability,
// then those of the product.
var bars = func() (out []recall.Bar) {
	for _, least := range []float64{0, .01, .02, .05, .08, .1, .15, .2, .25, .3} {
		out = append(out, recall.Bar{Hit: least, Evidence: 2}) // which nothing has
	}
	return append(out, recall.Listed, recall.Beside)
}()

// curve prints recall and precision of up to five hits, as far as they clear a bar: of questions that have gold, with the floor on.
func curve(w io.Writer, questions []foretold) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tab, "\nrecall/precision of five, least")
	for _, b := range bars[:len(bars)-2] {
		fmt.Fprintf(tab, "\t%.2f", b.Hit)
	}
	fmt.Fprint(tab, "\tlisted\tpacked")
	done := map[string]bool{}
	for i := range questions {
		set := questions[i].Set
		if done[set] {
			continue
		}
		done[set] = true
		fmt.Fprintf(tab, "\n%s", set)
		for _, b := range bars {
			found, precision := over(questions, set, b)
			fmt.Fprintf(tab, "\t%.1f/%.0f", 100*found, 100*precision)
		}
	}
	fmt.Fprintln(tab)
	return tab.Flush()
}

// over is what is found of a set over a bar, and how much of what is returned is gold.
func over(questions []foretold, set string, bar recall.Bar) (found, precision float64) {
	n := 0.0
	for i := range questions {
		q := &questions[i]
		if q.Set != set || len(q.Gold) == 0 || q.Kind == stranger {
			continue
		}
		n++
		if q.answer < recall.Floor {
			continue
		}
		gold, returned := 0.0, 0.0
		for j, c := range q.listed[:min(hitsShown, len(q.listed))] {
			if q.hits[j] >= bar.Hit || q.evidence[j] >= bar.Evidence {
				returned++
				gold += truth(c.Grade > 0)
			}
		}
		if returned > 0 {
			found += gold / float64(len(q.Gold))
			precision += gold / returned
		}
	}
	return found / max(1, n), precision / max(1, n)
}
