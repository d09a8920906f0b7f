package memory_test

import (
	"context"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"engram/internal/service/memory"
	"engram/internal/store"
)

// meanings is a model that knows what its user tells it.
type meanings struct {
	mu       sync.Mutex
	asked    []string
	vectors  []store.QueryVector
	warnings []string
}

func (m *meanings) Question(_ context.Context, question string) ([]store.QueryVector, []string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.asked = append(m.asked, question)
	return m.vectors, m.warnings
}

// withModel is a service whose memory number one has a vector that the model
// gives for every question.
func withModel(t *testing.T) (*fixture, *meanings) {
	t.Helper()
	m := &meanings{vectors: []store.QueryVector{{Model: "told@3", Unit: []float32{1, 0, 0}}}}
	f := newFixture(t, func(o *memory.Options) { o.Meanings = m })
	for _, content := range []string{"zorblat", "the printer needs toner", "lunch is on Tuesday", "backups run at night"} {
		f.save(t, memory.SaveInput{Content: content, Project: "p"})
	}
	if err := f.store.UseVectorModel(t.Context(), store.VectorModel{Name: "told@3", Dim: 3}, time.Now()); err != nil {
		t.Fatal(err)
	}
	vectors := []store.TextVector{{ID: 1, Version: 1, Units: [][]float32{{1, 0, 0}}}}
	for id := int64(2); id <= 4; id++ {
		vectors = append(vectors, store.TextVector{ID: id, Version: 1, Units: [][]float32{{0, 1, 0}}})
	}
	if n, err := f.store.SaveVectors(t.Context(), "told@3", vectors); err != nil || n != 4 {
		t.Fatal(n, err)
	}
	return f, m
}

func TestFoundByAnotherModel(t *testing.T) {
	t.Parallel()
	f, m := withModel(t)
	in := memory.SearchInput{Query: "quibnix", Project: "p"}
	r, err := f.Search(agent(t), in)
	if err != nil || len(r.Hits) == 0 || r.Hits[0].Memory.ID != 1 || r.Warnings != nil {
		t.Errorf("%+v, %v", r, err)
	}
	e, err := f.Explain(agent(t), memory.ExplainInput{RecallInput: memory.RecallInput{SearchInput: in}, ID: 1})
	if err != nil || e.Reason != memory.Returned {
		t.Errorf("explained as %s, %v", e.Reason, err)
	}
	models := e.Candidate.Models
	if len(models) == 0 || len(e.Trace.Models) < len(models) {
		t.Fatalf("models %v of %v", models, e.Trace.Models)
	}
	if told := models[len(models)-1]; told.Model != "told@3" || told.Rank != 1 || told.Cosine < 0.99 {
		t.Errorf("by the model: %+v", told)
	}
	in.Arms = []string{"keyword"}
	m.asked = nil
	if r, err = f.Search(agent(t), in); err != nil || len(r.Hits) != 0 || m.asked != nil {
		t.Errorf("by words alone: %+v, %v, asked %q", r.Hits, err, m.asked)
	}
	stats, err := f.Stats(agent(t), "")
	if err != nil || len(stats.Models) != 1 || stats.Models[0].Have != 4 {
		t.Errorf("stats %+v, %v", stats.Models, err)
	}
}

func TestSearchSaysWhatItDidWithout(t *testing.T) {
	t.Parallel()
	f, m := withModel(t)
	m.vectors, m.warnings = nil, []string{"embedder_unreachable: nobody is there"}
	in := memory.SearchInput{Query: "printer toner", Project: "p", Explain: true}
	r, err := f.Search(agent(t), in)
	if err != nil || len(r.Hits) == 0 || !slices.Equal(r.Warnings, m.warnings) || !slices.Equal(r.Trace.Warnings, m.warnings) {
		t.Errorf("search: %d hits, %q, %v", len(r.Hits), r.Warnings, err)
	}
	packed, err := f.Recall(agent(t), memory.RecallInput{SearchInput: in})
	if err != nil || packed.Text == "" || !slices.Equal(packed.Warnings, m.warnings) {
		t.Errorf("recall: %q, %q, %v", packed.Text, packed.Warnings, err)
	}
}

func TestSecretsAreNotAsked(t *testing.T) {
	t.Parallel()
	f, m := withModel(t)
	const query = "what is the key AKIAIOSFODNN7EXAMPLE for <private>my bank</private>"
	if _, err := f.Search(agent(t), memory.SearchInput{Query: query, Project: "p"}); err != nil {
		t.Fatal(err)
	}
	if asked := strings.Join(m.asked, " "); strings.Contains(asked, "AKIA") || strings.Contains(asked, "bank") || !strings.Contains(asked, "key") {
		t.Errorf("asked %q", asked)
	}
}
