package memory_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"engram"
	"engram/internal/recall"
	"engram/internal/service/memory"
)

// reranker likes the texts that have a word.
type reranker struct {
	likes string
	err   error
	fail  func() // before it answers; nil = nothing

	mu       sync.Mutex
	question string
	texts    []string
	asked    int
}

func (r *reranker) Rerank(_ context.Context, question string, texts []string) ([]float64, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.question, r.texts, r.asked = question, texts, r.asked+1
	if r.fail != nil {
		r.fail()
	}
	if r.err != nil {
		return nil, r.err
	}
	scores := make([]float64, len(texts))
	for i, text := range texts {
		if strings.Contains(text, r.likes) {
			scores[i] = 1
		}
	}
	return scores, nil
}

// withReranker is a service with three memories that say nearly the same.
func withReranker(t *testing.T, r *reranker) *fixture {
	t.Helper()
	f := newFixture(t, func(o *memory.Options) { o.Reranker = r })
	for _, content := range []string{
		"The ferry leaves at nine.", "This ferry leaves at ten.", "That ferry leaves at noon.", "Bread needs salt.",
	} {
		f.save(t, memory.SaveInput{Content: content, Project: "harbour"})
	}
	return f
}

func (f *fixture) order(t *testing.T, in memory.SearchInput) (ids []int64, res memory.SearchResult) {
	t.Helper()
	res, err := f.Search(agent(t), in)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range res.Hits {
		ids = append(ids, h.Memory.ID)
	}
	return ids, res
}

const ferries = "when does the ferry leave"

func TestTheRerankerChangesTheOrder(t *testing.T) {
	t.Parallel()
	r := &reranker{}
	f := withReranker(t, r)
	in := ask(ferries)
	in.Explain = true
	for id, likes := range map[int64]string{1: "nine", 2: "ten", 3: "noon"} {
		r.likes = likes
		ids, res := f.order(t, in)
		if len(ids) == 0 || ids[0] != id || res.Warnings != nil {
			t.Errorf("it likes %s: order %v, warnings %q", likes, ids, res.Warnings)
		}
		if got := res.Trace.Reranker; got == nil || !got.Used || got.Asked != len(r.texts) || got.Why != "" {
			t.Errorf("trace %+v", got)
		}
		packed, err := f.Recall(agent(t), memory.RecallInput{SearchInput: in})
		if err != nil || !strings.HasPrefix(packed.Text, "#") || packed.Hits[0].Memory.ID != id {
			t.Errorf("recall: %q, %v", packed.Text, err)
		}
		e := f.explain(t, memory.ExplainInput{RecallInput: memory.RecallInput{SearchInput: in}, ID: id})
		if e.Candidate == nil || e.Candidate.Reranker == nil || *e.Candidate.Reranker != 1 || e.Candidate.Rank != 1 {
			t.Errorf("explained by %+v", e.Candidate)
		}
	}
	if r.question != ferries || len(r.texts) < 3 || !slices.Contains(r.texts, "This ferry leaves at ten.") {
		t.Errorf("asked %q about %q", r.question, r.texts)
	}

	r.asked = 0
	in.Arms = []string{recall.ArmKeyword, recall.ArmVector}
	if ids, res := f.order(t, in); len(ids) == 0 || r.asked != 0 || res.Trace.Reranker != nil {
		t.Errorf("without the step it was asked %d times, trace %+v", r.asked, res.Trace.Reranker)
	}
}

// Nothing that a reranker says makes an answer where there is none.
func TestTheRerankerDoesNotMakeAnAnswer(t *testing.T) {
	t.Parallel()
	r := &reranker{}
	f := withReranker(t, r)
	in := ask("boiling point of mercury")
	in.Explain = true
	_, res := f.order(t, in)
	if !res.NoAnswer || r.asked != 0 || res.Trace.Reranker == nil || res.Trace.Reranker.Used || res.Trace.Reranker.Why == "" {
		t.Errorf("%d hits, asked %d times, trace %+v", len(res.Hits), r.asked, res.Trace.Reranker)
	}
	in.NoFloor = true // as benchmarks ask: all is listed, and the answer is no likelier
	_, res = f.order(t, in)
	if r.asked != 1 || res.Answer >= recall.Floor {
		t.Errorf("asked %d times, answer %v", r.asked, res.Answer)
	}
}

func TestRecallGoesOnWithoutTheReranker(t *testing.T) {
	t.Parallel()
	r := &reranker{likes: "no such word"}
	f := withReranker(t, r)
	in := ask(ferries)
	in.Explain = true
	want, plain := f.order(t, in)
	probability := plain.Hits[0].Probability
	r.err = engram.Errorf(engram.ErrUnavailable, "it did not answer in time").WithCode("reranker_timeout")
	ids, res := f.order(t, in)
	if !slices.Equal(ids, want) {
		t.Errorf("order %v, its own is %v", ids, want)
	}
	warning := []string{"reranker_timeout: it did not answer in time"}
	if !slices.Equal(res.Warnings, warning) || !slices.Equal(res.Trace.Warnings, warning) {
		t.Errorf("warnings %q and %q", res.Warnings, res.Trace.Warnings)
	}
	if got := res.Trace.Reranker; got == nil || got.Used || got.Asked != 0 || got.Why != warning[0] {
		t.Errorf("trace %+v", got)
	}
	if res.Hits[0].Probability <= probability {
		t.Errorf("a hit has %v, and %v of a reranker that likes none: its half was kept", res.Hits[0].Probability, probability)
	}
	for _, c := range res.Trace.Candidates {
		if c.Reranker != nil {
			t.Errorf("a score without an answer: %+v", c)
		}
	}

	r.err = errors.New("a fault of ours")
	if _, err := f.Search(agent(t), in); !errors.Is(err, r.err) {
		t.Errorf("a fault: %v", err)
	}
	ctx, cancel := context.WithCancel(agent(t))
	r.err, r.fail = context.Canceled, cancel
	if _, err := f.Search(ctx, in); !errors.Is(err, context.Canceled) {
		t.Errorf("who asked has gone: %v", err)
	}
}

// At most 50, each short; a question without secrets; of turns who spoke, of notes the title.
func TestWhatTheRerankerIsGiven(t *testing.T) {
	t.Parallel()
	r := &reranker{}
	f := newFixture(t, func(o *memory.Options) { o.Reranker = r })
	long := strings.Repeat("Nothing of use stands here. ", 200) + "The ferry leaves at nine. " + strings.Repeat("Nor here. ", 200)
	f.save(t, memory.SaveInput{Title: "Times of the ferry", Content: long, Project: "harbour"})
	f.save(t, memory.SaveInput{Content: "When does the ferry leave? At ten.", Speaker: "Ada", Role: "user", Type: "turn", Session: "s", Project: "harbour"})
	for i := range 70 {
		f.save(t, memory.SaveInput{Content: fmt.Sprintf("Pier %d has an old crane beside the ticket shop.", i), Project: "harbour"})
	}
	in := ask(ferries + " AKIAIOSFODNN7EXAMPLE <private>for my bank</private>")
	in.NoFloor = true
	if _, err := f.Search(agent(t), in); err != nil {
		t.Fatal(err)
	}
	if len(r.texts) != recall.Reranked {
		t.Fatalf("asked about %d texts, want %d", len(r.texts), recall.Reranked)
	}
	if strings.Contains(r.question, "AKIA") || strings.Contains(r.question, "bank") || !strings.HasPrefix(r.question, ferries) {
		t.Errorf("asked %q", r.question)
	}
	for _, text := range r.texts {
		if n := recall.Tokens(text); n > 300 {
			t.Errorf("a text of %d tokens: %.80s", n, text)
		}
	}
	cut := slices.IndexFunc(r.texts, func(s string) bool { return strings.HasPrefix(s, "Times of the ferry\n") })
	if cut < 0 || !strings.Contains(r.texts[cut], "leaves at nine") {
		t.Errorf("the long one is not given by what answers: %v", cut)
	}
	if !slices.Contains(r.texts, "Ada: When does the ferry leave? At ten.") {
		t.Errorf("the turn is not given with its speaker: %q", r.texts[:3])
	}
}
