package recall_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"engram"
	"engram/internal/recall"
)

// likes makes a reranker's scores: 1 for the memory that it likes, 0 for all others
// of the pool.
func likes(p *recall.Pool, liked int64) map[int64]float64 {
	scores := map[int64]float64{}
	for _, c := range p.Candidates {
		scores[c.ID] = 0
	}
	scores[liked] = 1
	return scores
}

// wantList checks what holds of every list: it is sorted by what it shows, no hit
// is likelier than there being an answer, and that is as it was.
func wantList(t *testing.T, p *recall.Pool, answer float64) {
	t.Helper()
	if p.Answer() != answer {
		t.Errorf("an answer has %v, before it was asked %v", p.Answer(), answer)
	}
	for i, c := range p.Candidates {
		if c.Probability > answer || c.Probability < 0 || i > 0 && c.Probability > p.Candidates[i-1].Probability {
			t.Errorf("place %d has %v, with %v for an answer", i, c.Probability, answer)
		}
	}
}

func TestRerankIsHalfAndHalf(t *testing.T) {
	t.Parallel()
	x := index(notes("The ferry leaves at nine.", "This ferry leaves at ten.", "That ferry leaves at noon.", "Bread needs salt.")...)
	const question = "when does the ferry leave"
	for _, liked := range []int64{1, 2, 3} {
		p := find(t, x, question)
		own := map[int64]float64{}
		for _, c := range p.Candidates {
			own[c.ID] = c.Probability
		}
		answer, rest := p.Answer(), slices.DeleteFunc(idsOf(p.Candidates), func(id int64) bool { return id == liked })
		p.Rerank(likes(p, liked))
		wantList(t, p, answer)
		if got := idsOf(p.Candidates); got[0] != liked || !slices.Equal(got[1:], rest) {
			t.Errorf("order %v, want %d and then %v as before", got, liked, rest)
		}
		for _, c := range p.Candidates {
			want := own[c.ID] / 2
			if c.ID == liked {
				want += answer / 2
			}
			if d := c.Probability - want; d > 1e-12 || d < -1e-12 {
				t.Errorf("%d has %v, want %v of %v and %v", c.ID, c.Probability, want, own[c.ID], answer)
			}
		}
	}
}

// Whoever likes what it will: where nothing answers, nothing is returned.
func TestRerankDoesNotPassTheFloor(t *testing.T) {
	t.Parallel()
	x := index(notes("The ferry leaves at nine.", "This ferry leaves at ten.", "Bread needs salt.")...)
	p := find(t, x, "boiling point of mercury")
	answer := p.Answer()
	if p.Answered() || len(p.Candidates) == 0 {
		t.Fatalf("%d candidates, answered with %v: the test shows nothing", len(p.Candidates), answer)
	}
	if why, ok := p.Rerankable(true); ok || why == "" {
		t.Error("it is asked where nothing is returned whatever it says")
	}
	if _, ok := p.Rerankable(false); !ok {
		t.Error("it is not asked where the floor is off")
	}
	for _, liked := range []int64{1, 2, 3} {
		p := find(t, x, "boiling point of mercury")
		p.Rerank(likes(p, liked))
		wantList(t, p, answer)
		if got := idsOf(p.Passed()); len(got) != 0 {
			t.Errorf("passed: %v", got)
		}
	}
}

// What has the quoted words stays before what has them not.
func TestRerankKeepsPhrases(t *testing.T) {
	t.Parallel()
	x := index(notes("The old ferry is rusty.", "The ferry is old and rusty.", "An old ferry, rusty all over.")...)
	p := find(t, x, `"old ferry" rusty`)
	p.MarkPhrases(1, 1)
	p.MarkPhrases(3, 1)
	p.Rank()
	answer := p.Answer()
	p.Rerank(map[int64]float64{1: 0, 2: 1, 3: 1})
	wantList(t, p, answer)
	if got := idsOf(p.Candidates); !slices.Equal(got, []int64{3, 1, 2}) {
		t.Errorf("order %v", got)
	}
}

// Of texts that say the same, time decides what is the latest, and none that a
// reranker likes better.
func TestRerankKeepsTheOrderOfTime(t *testing.T) {
	t.Parallel()
	var ms []engram.Memory
	for i, content := range []string{"main database: MySQL", "main database: PostgreSQL", "main database: CockroachDB", "main database: DynamoDB", "lunch was late"} {
		ms = append(ms, engram.Memory{Content: content, OccurredAt: time.Date(2020+i, 3, 5, 9, 0, 0, 0, time.UTC)})
	}
	for question, want := range map[string][]int64{
		"what is the latest main database?":      {4, 3, 2, 1},
		"which was our very first main database": {1, 2, 3, 4},
	} {
		for liked := int64(1); liked <= 4; liked++ {
			p := find(t, index(ms...), question)
			answer := p.Answer()
			p.Rerank(likes(p, liked))
			wantList(t, p, answer)
			if got := idsOf(p.Candidates)[:4]; !slices.Equal(got, want) {
				t.Errorf("%q, and %d is liked: order %v, want %v", question, liked, got, want)
			}
		}
	}
	p := find(t, index(ms...), "what happened last in 2022?")
	if why, ok := p.Rerankable(true); ok || why == "" {
		t.Errorf("it is asked about a time alone: %v", idsOf(p.Candidates))
	}
}

// Those it was not asked about keep their order, behind what is as likely.
func TestRerankOfTheBestAlone(t *testing.T) {
	t.Parallel()
	contents := make([]string, 8)
	for i := range contents {
		contents[i] = fmt.Sprintf("The ferry leaves at %d.", i)
	}
	p := find(t, index(notes(contents...)...), "when does the ferry leave")
	before, answer := idsOf(p.Candidates), p.Answer()
	p.Rerank(map[int64]float64{before[0]: 0, before[1]: 0.9})
	wantList(t, p, answer)
	want := append([]int64{before[1], before[0]}, before[2:]...)
	if got := idsOf(p.Candidates); !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	trace := p.Trace()
	for i, c := range trace.Candidates {
		if has := c.Reranker != nil; has != (i < 2) {
			t.Errorf("candidate %d in the trace: asked about is %v", i, has)
		}
	}
	if *trace.Candidates[0].Reranker != 0.9 || *trace.Candidates[1].Reranker != 0 {
		t.Errorf("scores in the trace: %v, %v", *trace.Candidates[0].Reranker, *trace.Candidates[1].Reranker)
	}
}

func TestNothingToRerank(t *testing.T) {
	t.Parallel()
	p := find(t, index(), "zeppelin")
	if why, ok := p.Rerankable(false); ok || why != "nothing was found" {
		t.Errorf("%v: %d candidates", why, len(p.Candidates))
	}
}
