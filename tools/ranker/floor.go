package main

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"

	"engram/internal/recall"
)

// judged is how many of a question's best candidates the floor looks at.
const judged = 5

// rounds is how often the candidate that speaks most for an answer is chosen
// anew, by the floor of the round before.
const rounds = 6

// best is a pool with its candidates in the order of the ranker.
type best struct {
	*Pool
	ranked []*Candidate // those that the floor looks at
	listed []*Candidate // … and more
	logs   []float64    // of the shares of what is listed
}

// answered reports whether there is gold among the best.
func (p *best) answered() bool {
	return slices.ContainsFunc(p.ranked, func(c *Candidate) bool { return c.Grade > 0 })
}

// rankedPools ranks all pools by models that did not see them.
func (t *trainer) rankedPools(fold map[*Pool]int) []*best {
	cross := t.crossValidated(fold)
	out := make([]*best, 0, len(t.data.Pools))
	for _, p := range t.data.Pools {
		listed, logs := p.rank(cross(p), hitsListed)
		out = append(out, &best{p, listed[:min(judged, len(listed))], listed, logs})
	}
	return out
}

// own are the pools that are ranked by the weights that t makes.
func (t *trainer) own(pools []*best) []*best {
	return slices.DeleteFunc(slices.Clone(pools), func(p *best) bool { return !t.trains(p.Pool) })
}

// judges fits the floor: the probability that a question has an answer among its
// best candidates, by the evidence of the one that speaks most for it. There is a
// judge where the model knows the language, and one where only words count, which
// learns from all questions.
func (t *trainer) judges(pools []*best, use func(*Pool) bool) [2]recall.Judge {
	var out [2]recall.Judge
	for blind := range out {
		out[blind] = recall.Judge{Bias: -3, Marks: startingMarks}
		var known []*best
		for _, p := range pools {
			// A question whose answer was not found teaches neither.
			if use(p.Pool) && (blind == 1 || t.trains(p.Pool)) && len(p.ranked) > 0 && (p.answered() || len(p.Gold) == 0) && (blind == 1 || !p.ranked[0].Evidence.Blind) {
				known = append(known, p)
			}
		}
		shares := balance(known)
		for range rounds {
			var rows [][]float64
			var y []float64
			for _, p := range known {
				marks := p.strongest(&out[blind], blind == 1)
				rows = append(rows, append([]float64{1}, marks[:]...))
				y = append(y, truth(p.answered()))
			}
			out[blind] = lawful(rows, y, shares)
		}
		if blind == 1 {
			out[blind].Bias += benefit
		}
	}
	return out
}

// benefit is that of the doubt, in log-odds, where only words count: an answer
// may well use others.
const benefit = 1.2

// against are the marks that may only count against an answer: what no memory says,
// and how much is asked, of which any text has something by chance.
var against = map[string]bool{"unknown": true, "asked": true}

// lawful fits a judge by whom everything that speaks for an answer counts for it,
// and the rest against it: a mark that comes out the other way only makes up
// for another, and is left out.
func lawful(rows [][]float64, y, shares []float64) recall.Judge {
	for {
		w := logit(rows, y, shares, floorRidge)
		var j recall.Judge
		again := false
		j.Bias = w[0]
		for m, x := range w[1:] {
			if (x < 0) != against[recall.MarkNames[m]] && x != 0 {
				again = true
				for i := range rows {
					rows[i][m+1] = 0
				}
			}
			j.Marks[m] = x
		}
		if !again {
			return j
		}
	}
}

// floorRidge keeps the floor's weights small.
const floorRidge = 1e-4

// startingMarks choose candidates in the first round: by what they say.
var startingMarks = recall.Marks{1, 3, -1, 5}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// strongest gives the marks of the candidate that a judge finds most likely.
func (p *best) strongest(j *recall.Judge, blind bool) recall.Marks {
	var marks recall.Marks
	most := -1.0
	for _, c := range p.ranked {
		e := c.Evidence
		e.Blind = blind
		if x := j.Probability(&e); x > most {
			most, marks = x, e.Marks()
		}
	}
	return marks
}

// casesWeight is that of the cases of the floor, beside 1 of a set: their
// questions are what people ask their memory.
const casesWeight = 5

// balance weighs questions: half of the weight is on those that have an answer,
// every set with the same, half on those that have none, by how they came about.
func balance(pools []*best) []float64 {
	count, weight := map[string]float64{}, map[string]float64{}
	key := func(p *best) string {
		switch {
		case p.answered():
			return "gold " + p.Set
		case p.Set == nonsense || p.Kind == stranger:
			return p.Kind
		}
		return "null"
	}
	nulls := map[string]float64{stranger: .4, "far": .2, "words": .2, "near": .1, "null": .1}
	golds, total := 0.0, 0.0
	for _, p := range pools {
		if count[key(p)]++; count[key(p)] == 1 {
			if p.answered() {
				weight[key(p)] = setWeight(p.Set)
				if p.Set == nonsense {
					weight[key(p)] = casesWeight
				}
				golds += weight[key(p)]
			} else {
				weight[key(p)] = nulls[key(p)]
				total += nulls[key(p)]
			}
		}
	}
	out := make([]float64, len(pools))
	for i, p := range pools {
		k := key(p)
		out[i] = weight[k] / count[k] / 2
		if p.answered() {
			out[i] /= golds
		} else {
			out[i] /= total
		}
	}
	return out
}

// floorReport prints what floors of several heights let through, and how true the
// probabilities are, cross-validated.
func (t *trainer) floorReport(w io.Writer, fold map[*Pool]int) error {
	pools := t.rankedPools(fold)
	var cross [folds][2]recall.Judge
	for f := range folds {
		cross[f] = t.judges(pools, func(p *Pool) bool { return fold[p] != f })
	}
	whole := t.judges(pools, all)
	for i, name := range []string{"with meaning", "words alone"} {
		fmt.Fprintf(w, "%s: %.2f", name, whole[i].Bias)
		for j, x := range whole[i].Marks {
			fmt.Fprintf(w, "  %s %.2f", recall.MarkNames[j], x)
		}
		fmt.Fprintln(w)
	}
	probability := func(p *best, c *Candidate) float64 {
		return recall.Probability(&c.Evidence, &cross[fold[p.Pool]])
	}
	if t.show != "" {
		show(w, pools, t.show, probability)
		return nil
	}
	if err := heights(w, pools, probability); err != nil {
		return err
	}
	pools = t.own(pools)
	questions := foretell(pools, fold, probability)
	if err := reliability(w, questions, pools); err != nil {
		return err
	}
	return curve(w, questions)
}

// likely is the greatest probability of the best.
func (p *best) likely(probability func(*best, *Candidate) float64) float64 {
	most := 0.0
	for _, c := range p.ranked {
		most = max(most, probability(p, c))
	}
	return most
}

// heights prints which share of questions floors of several heights let through.
func heights(w io.Writer, pools []*best, probability func(*best, *Candidate) float64) error {
	floors := []float64{.2, .25, .28, .3, .32, .34, .36, .38, .4, .45, .5}
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	var kinds []string
	seen := map[string]bool{}
	for _, p := range pools {
		k := p.floorKind()
		if !seen[k] {
			seen[k] = true
			kinds = append(kinds, k)
		}
	}
	fmt.Fprint(tab, "\nshare answered, floor")
	for _, f := range floors {
		fmt.Fprintf(tab, "\t%.2f", f)
	}
	for _, k := range kinds {
		fmt.Fprintf(tab, "\n%s", k)
		for _, f := range floors {
			n, answered := 0, 0
			for _, p := range pools {
				if p.floorKind() == k {
					n++
					if p.likely(probability) >= f {
						answered++
					}
				}
			}
			fmt.Fprintf(tab, "\t%.0f", 100*float64(answered)/float64(n))
		}
	}
	fmt.Fprintln(tab)
	return tab.Flush()
}

// floorKind is the set, parted into questions with gold and without, and for the
// cases of the floor by their kind.
func (p *Pool) floorKind() string {
	k := p.Set
	if p.Set == nonsense {
		k += " " + p.Kind
	}
	switch {
	case p.Kind == stranger:
		return "strangers in " + p.Set
	case len(p.Gold) == 0:
		k += ", no gold"
	}
	return k
}

// show prints the best candidates of a set's questions with their evidence.
func show(w io.Writer, pools []*best, set string, probability func(*best, *Candidate) float64) {
	for _, p := range pools {
		if p.Set != set || p.Kind == stranger {
			continue
		}
		fmt.Fprintf(w, "%s (%s) gold %d\n", p.Question, p.Kind, len(p.Gold))
		for _, c := range p.ranked {
			e := c.Evidence
			fmt.Fprintf(w, "\t%d grade %d  p %.2f  coverage %.2f near %.2f unknown %.2f cosine %.2f expanded %.2f blind %v\n",
				c.ID, c.Grade, probability(p, c), e.Coverage, e.Near, e.Unknown, e.Cosine, e.Expanded, e.Blind)
		}
	}
}
