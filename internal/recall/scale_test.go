package recall_test

import (
	"fmt"
	"testing"
	"time"

	"engram/internal/embed"
	"engram/internal/recall"
	"engram/internal/store"
)

// otherModel knows what the built-in one does not.
const otherModel = "other@3"

// heard is the pool of a question that the built-in model (first) and another one
// were asked for; each hit has a cosine of both.
func heard(question string, cosines ...[2]float32) *recall.Pool {
	q := recall.Analyse(question, recall.Options{Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Zone: time.UTC})
	q.Mean(embed.Static())
	built := len(q.Vectors)
	q.Vectors = append(q.Vectors, store.QueryVector{Model: otherModel, Unit: []float32{1, 0, 0}})
	r := &store.KeywordResult{DF: make([]int, len(q.Terms)), Docs: len(cosines), AvgLen: 10}
	for i, c := range cosines {
		r.Hits = append(r.Hits, store.KeywordHit{
			ID: int64(i + 1), Len: 10, TF: make([]float32, len(q.Terms)), Cosine: c[2-built-1:], Nearest: []int{i + 1, i + 1}[:built+1],
		})
	}
	p := recall.Fuse(q, recall.Arms(q, r)...)
	p.Rank()
	return p
}

func cosineOf(t *testing.T, p *recall.Pool, id int64) float64 {
	t.Helper()
	for _, c := range p.Candidates {
		if c.ID == id {
			return c.Features.Cosine
		}
	}
	t.Fatalf("memory %d is not in the pool", id)
	return 0
}

// crowd are cosines of memories that have nothing to do with the question.
func crowd(n int, built, other float32) (out [][2]float32) {
	for i := range n {
		wobble := float32(i%5-2) / 100
		out = append(out, [2]float32{built + 2*wobble, other + wobble})
	}
	return out
}

func TestCosinesOfAnotherModelAreComparable(t *testing.T) {
	t.Parallel()
	for _, n := range []int{8, 200} {
		for _, usual := range []float32{0.05, 0.4, 0.75} { // models differ in what they say of anything
			t.Run(fmt.Sprintf("%d around %v", n, usual), func(t *testing.T) {
				t.Parallel()
				all := append(crowd(n, 0.15, usual), [2]float32{0.1, usual + 0.2})
				p := heard("which vessel did he build", all...)
				best, other := cosineOf(t, p, int64(len(all))), cosineOf(t, p, 1)
				if p.Candidates[0].ID != int64(len(all)) {
					t.Errorf("the one that the other model knows is not the first")
				}
				if best < other+0.1 || other > 0.3 || best > 1 {
					t.Errorf("cosine %.2f of what stands out, %.2f of the others", best, other)
				}
			})
		}
	}
}

func TestAMemoryThatTheOtherModelLacks(t *testing.T) {
	t.Parallel()
	all := append(crowd(50, 0.15, 0.7), [2]float32{0.8, store.NoCosine}, [2]float32{store.NoCosine, 0.7}, [2]float32{store.NoCosine, store.NoCosine})
	p := heard("which vessel did he build", all...)
	if got := cosineOf(t, p, 51); got != float64(float32(0.8)) {
		t.Errorf("known to the built-in model only: %v", got)
	}
	if got := cosineOf(t, p, 52); got < 0 || got > 0.3 {
		t.Errorf("known to the other model only: %v", got)
	}
	if got := cosineOf(t, p, 53); got != 0 {
		t.Errorf("known to neither: %v", got)
	}
}

// A model by setting that says the wrong things takes no answer away.
func TestABadModelTakesNoEvidenceAway(t *testing.T) {
	t.Parallel()
	all := append(crowd(50, 0.15, 0.7), [2]float32{0.8, 0.3})
	for _, c := range heard("which vessel did he build", all...).Candidates {
		if c.ID == 51 && c.Evidence.Cosine != float64(float32(0.8)) {
			t.Errorf("evidence %+v of what the built-in model is sure of", c.Evidence)
		}
	}
	all[50] = [2]float32{0.15, 0.95}
	if best := heard("which vessel did he build", all...).Candidates[0]; best.ID != 51 || best.Evidence.Cosine < 0.3 {
		t.Errorf("best is %d with %+v, want what the other model is sure of", best.ID, best.Evidence)
	}
}

// The built-in model knows English; the other one may know any language.
func TestMeaningCountsInOtherLanguages(t *testing.T) {
	t.Parallel()
	const question = "Welches Schiff hat der Großvater gebaut und womit"
	all := append(crowd(200, 0.15, 0.3), [2]float32{0.15, 0.9})
	p := heard(question, all...)
	best := p.Candidates[0]
	if best.ID != 201 || best.Evidence.Blind || best.Evidence.Cosine < 0.5 || best.Inputs[4] == 0 || best.Probability <= p.Candidates[1].Probability {
		t.Errorf("best is %d with %+v, probability %.2f", best.ID, best.Evidence, best.Probability)
	}
	all[200] = [2]float32{0.15, store.NoCosine}
	for _, c := range heard(question, all...).Candidates {
		if c.ID == 201 && (!c.Evidence.Blind || c.Inputs[4] != 0) {
			t.Errorf("meaning counts where only the built-in model knows the memory: %+v, %v", c.Evidence, c.Inputs)
		}
	}
}
