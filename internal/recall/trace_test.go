package recall_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"engram/internal/recall"
)

// TestTraceOfAnyArm: an arm shows in a trace by its name, whichever it is.
func TestTraceOfAnyArm(t *testing.T) {
	t.Parallel()
	q := recall.Analyse("ferry", recall.Options{Now: now})
	p := recall.Fuse(
		q,
		recall.Arm{Name: "keyword", Found: []recall.Found{{ID: 1, Score: 4}, {ID: 2, Score: 3}}},
		recall.Arm{Name: "graph", Found: []recall.Found{{ID: 3, Score: 0.9}, {ID: 2, Score: 0.2}}},
		recall.Arm{Name: "idle"},
	)
	for i, c := range p.Candidates { // 1 is likely, 3 could be the answer alone, 2 is neither
		c.Answer, c.Probability = []float64{0.6, 0.2, 0.9}[i], []float64{0.5, 0.15, 0.05}[i]
	}
	trace := p.Trace()
	if diff := cmp.Diff([]recall.TraceArm{{"keyword", 2}, {"graph", 2}, {"idle", 0}}, trace.Arms); diff != "" {
		t.Errorf("arms (-want +got):\n%s", diff)
	}
	for _, tt := range []struct {
		id      int64
		rank    int
		place   int
		outcome recall.Outcome
		arms    map[string]recall.ArmScore
	}{
		{1, 1, 1, recall.Outranked, map[string]recall.ArmScore{"keyword": {Rank: 1, Score: 4, Share: 1}}},
		{2, 2, 2, recall.Outranked, map[string]recall.ArmScore{"keyword": {Rank: 2, Score: 3}, "graph": {Rank: 2, Score: 0.2}}},
		{3, 3, 3, recall.Outranked, map[string]recall.ArmScore{"graph": {Rank: 1, Score: 0.9, Share: 1}}},
	} {
		got, ok := p.Judged(tt.id)
		if !ok || got.Rank != tt.rank || got.Place != tt.place || got.Outcome != tt.outcome {
			t.Errorf("Judged(%d) = %+v, %v", tt.id, got, ok)
		}
		if diff := cmp.Diff(tt.arms, got.Arms); diff != "" {
			t.Errorf("arms of %d (-want +got):\n%s", tt.id, diff)
		}
	}
	p.Beside = recall.Bar{Hit: 0.2, Evidence: 0.25}
	if got, _ := p.Judged(2); got.Place != 0 || got.Outcome != recall.BelowFloor {
		t.Errorf("below what stands beside an answer: %+v", got)
	}
	if got, _ := p.Judged(3); got.Place != 2 {
		t.Errorf("place %d, want that among those above the floor", got.Place)
	}
	if got, ok := p.Judged(4); ok {
		t.Errorf("Judged gave %+v of what no arm found", got)
	}
	for arm, want := range map[string]float64{"keyword": 3, "graph": 0.2} {
		if got, ok := p.Least(arm); !ok || got != want {
			t.Errorf("Least(%s) = %v, %v; want %v", arm, got, ok, want)
		}
	}
	for _, arm := range []string{"idle", "none"} {
		if got, ok := p.Least(arm); ok {
			t.Errorf("Least(%s) = %v of nothing", arm, got)
		}
	}
}

func TestSaid(t *testing.T) {
	t.Parallel()
	q := recall.Analyse("does the ferry leave at nine", recall.Options{Now: now})
	tf := make([]float32, len(q.Terms))
	if said, missing := q.Said(nil); len(said) != 0 || !slices.Equal(missing, []string{"ferry", "leave", "nine"}) {
		t.Errorf("of nothing: %v, %v", said, missing)
	}
	for i, term := range q.Terms {
		if term.Text == "leav" || term.Text == "leave" {
			tf[i] = 1
		}
	}
	if said, missing := q.Said(tf); !slices.Equal(said, []string{"leave"}) || !slices.Equal(missing, []string{"ferry", "nine"}) {
		t.Errorf("of leaving: %v, %v", said, missing)
	}
	q.Begin(recall.Lookup{Word: slices.IndexFunc(q.Words, func(w recall.Word) bool { return w.Surface == "ferry" })}, []string{"ferryman"})
	tf = make([]float32, len(q.Terms))
	tf[len(tf)-1] = 1
	if said, _ := q.Said(tf); !slices.Equal(said, []string{"ferry (as ferryman)"}) {
		t.Errorf("of what stands in: %v", said)
	}
}

func TestPackSaysWhatWasLeft(t *testing.T) {
	t.Parallel()
	item := func(s string, relevance float64) recall.Item { return recall.Item{Text: s, Relevance: relevance} }
	packed := recall.Pack([]recall.Item{
		item("aaaa bbbb cccc dddd", 0.9), item("eeee ffff gggg hhhh iiii jjjj kkkk llll", 0.8), item("mmmm", 0.1),
	}, 10, now)
	type row struct {
		index, tokens, left int
		kept                bool
	}
	var got []row
	for _, p := range packed {
		got = append(got, row{p.Index, p.Tokens, p.Left, p.Kept})
	}
	want := []row{{0, 6, 10, true}, {1, 11, 4, false}, {2, 2, 4, true}}
	if !slices.Equal(got, want) {
		t.Errorf("packed %v, want %v", got, want)
	}
}
