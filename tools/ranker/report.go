package main

import (
	"fmt"
	"io"
	"math"
	"slices"
	"text/tabwriter"
	"time"

	"engram/internal/recall"
)

// figures are what one ranking of a set is worth.
type figures struct {
	questions                  int
	recall1, recall5, recall10 float64
	ndcg                       float64
}

// measure ranks pools by models that of gives for each, and judges the ranking.
func measure(pools []*Pool, of func(*Pool) *recall.Models) figures {
	var f figures
	for _, p := range pools {
		if len(p.Gold) == 0 {
			continue
		}
		f.questions++
		ranked, _ := p.rank(of(p), 10)
		f.add(p, grades(ranked))
	}
	n := float64(max(1, f.questions))
	f.recall1, f.recall5, f.recall10, f.ndcg = f.recall1/n, f.recall5/n, f.recall10/n, f.ndcg/n
	return f
}

// rank gives a pool's n best candidates, in order, and the logarithms of their
// shares.
func (p *Pool) rank(models *recall.Models, n int) ([]*Candidate, []float64) {
	pool := recall.Pool{Query: &recall.Query{Order: p.Order}}
	byID := make(map[int64]*Candidate, len(p.Candidates))
	for i := range p.Candidates {
		c := &p.Candidates[i]
		rc := &recall.Candidate{ID: c.ID, OccurredAt: time.UnixMicro(c.OccurredAt), Kind: c.Kind, Features: c.Features, Evidence: c.Evidence}
		for j, x := range c.Inputs {
			rc.Inputs[j] = float64(x)
		}
		pool.Candidates = append(pool.Candidates, rc)
		byID[c.ID] = c
	}
	pool.RankBy(models)
	var out []*Candidate
	scores := make([]float64, len(pool.Candidates))
	for i, c := range pool.Candidates {
		scores[i] = c.Score
		if i < n {
			out = append(out, byID[c.ID])
		}
	}
	return out, recall.LogShares(scores)[:len(out)]
}

func grades(ranked []*Candidate) []int {
	out := make([]int, len(ranked))
	for i, c := range ranked {
		out[i] = c.Grade
	}
	return out
}

func (f *figures) add(p *Pool, ranked []int) {
	gold := float64(len(p.Gold))
	dcg, ideal := 0.0, 0.0
	for i, g := range ranked {
		dcg += float64(g) / math.Log2(float64(i)+2)
		if g == 0 {
			continue
		}
		if i < 1 {
			f.recall1 += 1 / gold
		}
		if i < 5 {
			f.recall5 += 1 / gold
		}
		f.recall10 += 1 / gold
	}
	best := slices.Clone(p.Gold)
	slices.Sort(best)
	slices.Reverse(best)
	for i, g := range best[:min(10, len(best))] {
		ideal += float64(g) / math.Log2(float64(i)+2)
	}
	f.ndcg += dcg / ideal
}

// of gives the pools of a set.
func (d *Data) of(set string) []*Pool {
	var out []*Pool
	for _, p := range d.Pools {
		if p.Set == set {
			out = append(out, p)
		}
	}
	return out
}

// crossValidated gives the models of each pool: those trained without its fold,
// of the table alone where the encoder was not heard.
func (t *trainer) crossValidated(fold map[*Pool]int) func(*Pool) *recall.Models {
	var own [folds]*recall.Models
	for f := range folds {
		own[f] = t.fit(func(p *Pool) bool { return fold[p] != f })
	}
	if t.table == nil {
		return func(p *Pool) *recall.Models { return own[fold[p]] }
	}
	alone := t.table.withoutFolds()
	return func(p *Pool) *recall.Models {
		if t.trains(p) {
			return own[fold[p]]
		}
		return alone[fold[p]]
	}
}

// withoutFolds trains models without each fold, once.
func (t *trainer) withoutFolds() *[folds]*recall.Models {
	if t.held == nil {
		t.held = new([folds]*recall.Models)
		fold := t.data.foldOf()
		for f := range folds {
			t.held[f] = t.fit(func(p *Pool) bool { return fold[p] != f })
		}
	}
	return t.held
}

// models gives the models of each pool, trained on the pools that use wants.
func (t *trainer) models(use func(*Pool) bool) func(*Pool) *recall.Models {
	own := t.fit(use)
	if t.table == nil {
		return func(*Pool) *recall.Models { return own }
	}
	alone := t.table.fit(use)
	return func(p *Pool) *recall.Models {
		if t.trains(p) {
			return own
		}
		return alone
	}
}

// report prints what the ranker is worth.
func (t *trainer) report(w io.Writer, fold map[*Pool]int) error {
	cross := t.crossValidated(fold)
	product := func(p *Pool) *recall.Models { return &recall.Trained(p.Encoded).Models }
	inSample := t.models(all)
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tab, "set\tquestions\tin pool\tCV R@1\tR@5\tR@10\tNDCG@10\tin-sample R@5\tR@10\tNDCG@10\twithout set R@5\tR@10\tNDCG@10\tin code R@5\tR@10\tNDCG@10")
	for _, set := range t.data.sets() {
		pools := t.data.of(set)
		without := t.models(func(p *Pool) bool { return p.Set != set })
		cv := measure(pools, cross)
		fmt.Fprintf(tab, "%s\t%d\t%.1f\t%.1f\t%.1f\t%.1f\t%.1f", set, cv.questions, 100*pooled(pools), 100*cv.recall1, 100*cv.recall5, 100*cv.recall10, 100*cv.ndcg)
		for _, m := range []func(*Pool) *recall.Models{inSample, without, product} {
			f := measure(pools, m)
			fmt.Fprintf(tab, "\t%.1f\t%.1f\t%.1f", 100*f.recall5, 100*f.recall10, 100*f.ndcg)
		}
		fmt.Fprintln(tab)
	}
	if err := tab.Flush(); err != nil {
		return err
	}
	return t.weights(w)
}

func all(*Pool) bool { return true }

// pooled is the share of gold that is among the candidates at all.
func pooled(pools []*Pool) float64 {
	sum, n := 0.0, 0.0
	for _, p := range pools {
		if len(p.Gold) == 0 {
			continue
		}
		n++
		for i := range p.Candidates {
			if p.Candidates[i].Grade > 0 {
				sum += 1 / float64(len(p.Gold))
			}
		}
	}
	return sum / max(1, n)
}

// weights prints those of standardised inputs, kind by kind.
func (t *trainer) weights(w io.Writer) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tab, "\nstandardised weight")
	var columns []vector
	models := t.fit(all)
	for k := range recall.Kinds {
		fmt.Fprintf(tab, "\t%s", k)
		var column vector
		if samples := t.samples(k, all); len(samples) > 0 {
			d := t.deviations(k, samples)
			for j := range column {
				column[j] = models[k].Weights[j] * d[j]
			}
		}
		columns = append(columns, column)
	}
	for j, name := range recall.InputNames {
		fmt.Fprintf(tab, "\n%s", name)
		for k := range columns {
			fmt.Fprintf(tab, "\t%.2f", columns[k][j])
		}
	}
	fmt.Fprintln(tab)
	return tab.Flush()
}

// quick prints cross-validated figures, for trying things out.
func (t *trainer) quick(w io.Writer, fold map[*Pool]int) error {
	cross := t.crossValidated(fold)
	for _, set := range t.data.sets() {
		f := measure(t.data.of(set), cross)
		if _, err := fmt.Fprintf(w, "%-14s R@1 %.1f  R@5 %.1f  R@10 %.1f  NDCG@10 %.1f\n", set, 100*f.recall1, 100*f.recall5, 100*f.recall10, 100*f.ndcg); err != nil {
			return err
		}
	}
	return nil
}
