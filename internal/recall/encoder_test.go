package recall_test

import (
	"math"
	"testing"
	"time"

	"engram/internal/embed"
	"engram/internal/encoder"
	"engram/internal/recall"
	"engram/internal/store"
)

// encoded is the pool of a question that table and encoder were asked for, and maybe
// others; each hit has a cosine of all.
func encoded(question string, others []string, cosines ...[]float32) *recall.Pool {
	q := recall.Analyse(question, recall.Options{Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Zone: time.UTC})
	q.Mean(embed.Static())
	vectors := []store.QueryVector{{Model: encoder.Name, Unit: []float32{1}}}
	for _, model := range others {
		vectors = append(vectors, store.QueryVector{Model: model, Unit: []float32{1}})
	}
	q.Hear(vectors)
	r := &store.KeywordResult{DF: make([]int, len(q.Terms)), Docs: len(cosines), AvgLen: 10}
	for i, c := range cosines {
		nearest := make([]int, len(q.Vectors))
		for j := range nearest {
			nearest[j] = i + 1
		}
		r.Hits = append(r.Hits, store.KeywordHit{ID: int64(i + 1), Len: 10, TF: make([]float32, len(q.Terms)), Cosine: c[:len(q.Vectors)], Nearest: nearest})
	}
	p := recall.Fuse(q, recall.Arms(q, r)...)
	p.Rank()
	return p
}

const asked = "which vessel did he build"

// strangersTo are memories that have nothing to do with the question.
func strangersTo(n int, table, encoder float32) (out [][]float32) {
	for _, c := range crowd(n, table, encoder) {
		out = append(out, c[:])
	}
	return out
}

func candidate(t *testing.T, p *recall.Pool, id int64) *recall.Candidate {
	t.Helper()
	for _, c := range p.Candidates {
		if c.ID == id {
			return c
		}
	}
	t.Fatalf("memory %d is not in the pool", id)
	return nil
}

func TestTheEncoderRanksBesideTheTable(t *testing.T) {
	t.Parallel()
	p := encoded(asked, nil, append(strangersTo(50, 0.15, 0.1), []float32{0.15, 0.7}, []float32{0.3, 0.1})...)
	best := p.Candidates[0]
	if !p.Query.Encoded() || best.ID != 51 {
		t.Fatalf("encoded %v, best is %d, want what the encoder says", p.Query.Encoded(), best.ID)
	}
	if f := best.Features; f.Cosine != float64(float32(0.15)) || f.Meaning != float64(float32(0.7)) {
		t.Errorf("cosines %v and %v: each has its own scale", f.Cosine, f.Meaning)
	}
	if !p.Answered() || best.Evidence.Meaning < 0.5 {
		t.Errorf("probability %.2f of %+v: the floor does not hear it", p.Answer(), best.Evidence)
	}
	if none := encoded(asked, nil, strangersTo(50, 0.15, 0.1)...); none.Answered() {
		t.Errorf("probability %.2f among memories that have nothing to do with it", none.Answer())
	}
}

// A backlog of the encoder, or a memory that the table has no word of.
func TestACandidateWithOneOfTheTwo(t *testing.T) {
	t.Parallel()
	all := append(strangersTo(50, 0.15, 0.05),
		[]float32{0.8, store.NoCosine}, []float32{0.15, store.NoCosine}, []float32{store.NoCosine, 0.6}, []float32{store.NoCosine, store.NoCosine})
	p := encoded(asked, nil, all...)
	near, far := candidate(t, p, 51).Features, candidate(t, p, 52).Features
	if near.Meaning < 0.25 || near.Meaning > 1 || far.Meaning < 0 || far.Meaning > 0.15 {
		t.Errorf("by the table alone: %.2f of what is near, %.2f of what is not", near.Meaning, far.Meaning)
	}
	if f := candidate(t, p, 53).Features; f.Meaning != float64(float32(0.6)) || f.Cosine < 0.5 {
		t.Errorf("by the encoder alone: cosine %.2f, meaning %.2f", f.Cosine, f.Meaning)
	}
	if f := candidate(t, p, 54).Features; f.Meaning != 0 || f.Cosine != 0 {
		t.Errorf("by neither: cosine %.2f, meaning %.2f", f.Cosine, f.Meaning)
	}
	if p.Candidates[0].ID == 52 || p.Candidates[0].ID == 54 {
		t.Errorf("best is %d", p.Candidates[0].ID)
	}
}

// Before anything is encoded, the ranking is the table's to the last digit.
func TestAnEncoderThatKnowsNothingYet(t *testing.T) {
	t.Parallel()
	all := append(strangersTo(20, 0.15, store.NoCosine), []float32{0.6, store.NoCosine})
	for i := range all {
		all[i][1] = store.NoCosine
	}
	with, without := encoded(asked, nil, all...), heardByTable(all)
	if with.Query.Encoded() {
		t.Errorf("it is ranked by an encoder that has no vector")
	}
	for i, c := range with.Candidates {
		if w := without.Candidates[i]; c.ID != w.ID || math.Float64bits(c.Score) != math.Float64bits(w.Score) || c.Probability != w.Probability {
			t.Errorf("%d: memory %d has %v, %v; without the encoder %d has %v, %v", i, c.ID, c.Score, c.Probability, w.ID, w.Score, w.Probability)
		}
	}
}

func heardByTable(cosines [][]float32) *recall.Pool {
	q := recall.Analyse(asked, recall.Options{Now: time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC), Zone: time.UTC})
	q.Mean(embed.Static())
	r := &store.KeywordResult{DF: make([]int, len(q.Terms)), Docs: len(cosines), AvgLen: 10}
	for i, c := range cosines {
		r.Hits = append(r.Hits, store.KeywordHit{ID: int64(i + 1), Len: 10, TF: make([]float32, len(q.Terms)), Cosine: c[:1], Nearest: []int{i + 1}})
	}
	p := recall.Fuse(q, recall.Arms(q, r)...)
	p.Rank()
	return p
}

// The encoder knows English; a model by setting takes its place.
func TestWhenTheEncoderIsNotHeard(t *testing.T) {
	t.Parallel()
	all := append(strangersTo(50, 0.15, 0.1), []float32{0.15, 0.7})
	if p := encoded("他造了哪艘船", nil, all...); p.Query.Encoded() {
		t.Errorf("a question in Chinese is ranked by it")
	}
	for i := range all {
		all[i] = append(all[i], 0.3)
	}
	if p := encoded(asked, []string{otherModel}, all...); p.Query.Encoded() {
		t.Errorf("it ranks beside another model")
	}
}
