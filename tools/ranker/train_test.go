package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"engram/internal/eval"
	"engram/internal/recall"
)

// invented makes questions whose gold is what one input says, with noise in
// another.
func invented(set string, n int) []*Pool {
	r := rand.New(rand.NewPCG(1, 2))
	signal := slices.Index(recall.InputNames[:], "own")
	noise := slices.Index(recall.InputNames[:], "length")
	var out []*Pool
	for q := range n {
		p := &Pool{Set: set, Group: fmt.Sprint(q % 7), Question: fmt.Sprint(q), Gold: []int{1}}
		for i := range 20 {
			c := Candidate{ID: int64(i + 1), Kind: recall.Note}
			c.Inputs[noise] = r.Float32()
			c.Inputs[signal] = 0.5 * r.Float32()
			if i == 13 {
				c.Grade = 1
				c.Inputs[signal] = 0.6 + 0.4*r.Float32()
				c.Evidence = recall.Evidence{Coverage: .8, Near: .8, Cosine: .6}
			}
			p.Candidates = append(p.Candidates, c)
		}
		out = append(out, p)
	}
	return out
}

func TestFit(t *testing.T) {
	t.Parallel()
	tr := &trainer{data: &Data{Pools: invented("a", 60)}, ridge: defaultRidge}
	fold := tr.data.foldOf()
	cross := tr.crossValidated(fold)
	f := measure(tr.data.Pools, cross)
	if f.questions != 60 || f.recall1 < 0.95 {
		t.Errorf("figures = %+v, want the gold first", f)
	}
	if again := tr.fit(all); *again != *tr.fit(all) {
		t.Errorf("the same data gave other weights")
	}
	tr.off = inputs("own")
	cross = tr.crossValidated(fold)
	if f := measure(tr.data.Pools, cross); f.recall1 > 0.3 {
		t.Errorf("without the input that tells, R@1 is %v", f.recall1)
	}
}

// A group is on one side of a fold, and so is what asks the same in other words.
func TestFolds(t *testing.T) {
	t.Parallel()
	d := &Data{Pools: invented("many groups", 60)}
	for i := range 20 {
		for _, lang := range []string{"en", "es"} {
			d.Pools = append(d.Pools, &Pool{Set: "few groups", Group: lang, Question: fmt.Sprintf("%s/%d", lang, i)})
		}
	}
	fold, seen, used := d.foldOf(), map[string]int{}, map[int]bool{}
	for _, p := range d.Pools {
		key := p.Set + p.Group
		if p.Set == "few groups" {
			key = p.subject()
		}
		if f, ok := seen[key]; ok && f != fold[p] {
			t.Errorf("%s is in two folds", key)
		}
		seen[key] = fold[p]
		used[fold[p]] = true
	}
	if len(used) != folds {
		t.Errorf("%d folds are used, want %d", len(used), folds)
	}
}

func TestLogit(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	var rows [][]float64
	var y, weights []float64
	for range 4000 {
		x := 4*r.Float64() - 2
		rows = append(rows, []float64{1, x})
		y = append(y, truth(r.Float64() < logistic(2*x-1)))
		weights = append(weights, 1.0/4000)
	}
	if w := logit(rows, y, weights, 0); math.Abs(w[0]+1) > 0.2 || math.Abs(w[1]-2) > 0.25 {
		t.Errorf("weights = %v, want about -1 and 2", w)
	}
}

// What speaks for an answer never counts against it.
func TestJudgesAreLawful(t *testing.T) {
	t.Parallel()
	pools := invented("a", 40)
	for i, p := range pools[:20] { // questions without an answer
		p.Gold, p.Kind = nil, stranger
		p.Candidates[13].Grade = 0
		p.Candidates[13].Evidence = recall.Evidence{Coverage: .1, Near: .2, Cosine: .1, Unknown: float64(i%3) / 3}
	}
	tr := &trainer{data: &Data{Pools: pools}, ridge: defaultRidge}
	judges := tr.judges(tr.rankedPools(tr.data.foldOf()), all)
	for m, x := range judges[0].Marks {
		if x != 0 && (x < 0) != against[recall.MarkNames[m]] {
			t.Errorf("%s counts %v", recall.MarkNames[m], x)
		}
	}
	yes, no := pools[30].Candidates[13].Evidence, pools[0].Candidates[13].Evidence
	if a, b := judges[0].Probability(&yes), judges[0].Probability(&no); a < 0.6 || b > 0.4 {
		t.Errorf("an answer has %v, none has %v", a, b)
	}
}

func TestStrangers(t *testing.T) {
	t.Parallel()
	sets := []*eval.Set{}
	for _, name := range []string{"alpha", "beta", "beta_too"} {
		s := &eval.Set{Name: name}
		for i := range 10 {
			s.Questions = append(s.Questions, eval.Question{ID: fmt.Sprint(i), Text: name, Group: fmt.Sprint(i % 2)})
		}
		sets = append(sets, s)
	}
	addStrangers(sets)
	for i, want := range []int{10 + 2*strangers, 10 + strangers, 10 + strangers} {
		if got := len(sets[i].Questions); got != want {
			t.Errorf("%s asks %d questions, want %d: those of its own and of sets that are not related", sets[i].Name, got, want)
		}
	}
}

// What is foretold of hits comes true, and a bar lets through what has what it asks.
func TestShares(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	var pools []*best
	for q := range 400 {
		p := &best{Pool: &Pool{Set: "a", Question: fmt.Sprint(q), Gold: []int{1}}}
		scores := make([]float64, hitsListed)
		for i := range scores {
			scores[i] = 3 * r.Float64()
		}
		slices.Sort(scores)
		slices.Reverse(scores)
		p.logs = recall.LogShares(scores)
		gold := r.Float64()
		for i := range scores {
			c := &Candidate{ID: int64(i)}
			if share := math.Exp(p.logs[i]); gold >= 0 && gold < share {
				c.Grade = 1
			} else {
				gold -= share
			}
			if c.Grade == 1 {
				gold = -1
			}
			p.listed = append(p.listed, c)
		}
		p.ranked = p.listed
		pools = append(pools, p)
	}
	shares := fitShares(pools, all)
	if s := shares[recall.Note]; s.Slope < 0.7 || s.Slope > 2 {
		t.Errorf("slope = %v, want about 1", s.Slope)
	}
	if shares[recall.Chat] != (recall.Share{}) {
		t.Errorf("a kind without questions has %+v", shares[recall.Chat])
	}
	fold := map[*Pool]int{}
	for i, p := range pools {
		fold[p.Pool] = i % folds
	}
	questions := foretell(pools, fold, func(*best, *Candidate) float64 { return 1 })
	var b bins
	for i := range questions {
		for j, c := range questions[i].listed {
			b.add(questions[i].hits[j], c.Grade > 0, 1)
		}
	}
	if b.off() > 0.03 {
		t.Errorf("calibration error %v", b.off())
	}
	everything, _ := over(questions, "a", recall.Bar{Evidence: 1})
	nothing, _ := over(questions, "a", recall.Bar{Hit: 1.1, Evidence: 1.1})
	if everything <= 0.5 || nothing != 0 {
		t.Errorf("found %v over no bar and %v over one that nothing clears", everything, nothing)
	}
}
