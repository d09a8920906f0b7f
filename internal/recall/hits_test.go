package recall_test

import (
	"math"
	"slices"
	"testing"
	"time"

	"engram"
	"engram/internal/recall"
)

func TestLogShares(t *testing.T) {
	t.Parallel()
	if got := recall.LogShares(nil); got != nil {
		t.Errorf("of nothing: %v", got)
	}
	sum, before := 0.0, math.Inf(1)
	for _, log := range recall.LogShares([]float64{900, 899, 2, -700}) {
		sum += math.Exp(log)
		if log >= before || math.IsNaN(log) {
			t.Errorf("a share of %v behind one of %v", log, before)
		}
		before = log
	}
	if math.Abs(sum-1) > 1e-12 {
		t.Errorf("the shares sum to %v", sum)
	}
}

// A list is sorted by what it shows, and no hit is likelier than there being an answer.
func TestProbabilitiesOfHits(t *testing.T) {
	t.Parallel()
	x := index(notes(
		"The ferry to the island leaves at nine.", "The old ferry is rusty.", "We missed the ferry.", "An island in the north.", "Bread needs salt.",
	)...)
	for _, question := range []string{"when does the ferry leave", "ferry", "the latest about the island", `"old ferry"`, "渡轮"} {
		p := find(t, x, question)
		most := 0.0
		for i, c := range p.Candidates {
			most = max(most, c.Answer)
			if i > 0 && c.Probability > p.Candidates[i-1].Probability {
				t.Errorf("%q: %v stands behind %v", question, c.Probability, p.Candidates[i-1].Probability)
			}
			if c.Probability > p.Answer() {
				t.Errorf("%q: a hit has %v, and that there is one %v", question, c.Probability, p.Answer())
			}
		}
		if p.Answer() > most {
			t.Errorf("%q: an answer has %v, the best evidence %v", question, p.Answer(), most)
		}
	}
	if p := find(t, index(notes("The ferry leaves.", "The ferry leaves late.")...), "ferry leaves"); p.Candidates[0].Probability < 0.3 || p.Candidates[0].Probability > 0.95 {
		t.Errorf("one of two that say the same has %v", p.Candidates[0].Probability)
	}
}

// Beside an answer stands what is likely one, or could be one alone; where the
// best is none, nothing passes.
func TestBar(t *testing.T) {
	t.Parallel()
	x := index(notes("The ferry leaves at nine.", "This ferry leaves at ten.", "That ferry leaves at noon.", "Bread needs salt.")...)
	p := find(t, x, "when does the ferry leave")
	if got := idsOf(p.Passed()); len(got) != 3 || slices.Contains(got, 4) {
		t.Errorf("passed %v, want the three ferries", got)
	}
	p.Beside = recall.Bar{Hit: 0.99, Evidence: 1.1}
	if got := idsOf(p.Passed()); len(got) != 0 {
		t.Errorf("passed %v over a bar that nothing clears", got)
	}
	p = find(t, x, "boiling point of mercury")
	p.Beside = recall.Bar{Hit: 1e-9, Evidence: 1e-9}
	if got := idsOf(p.Passed()); p.Answered() || len(got) != 0 {
		t.Errorf("passed %v without an answer", got)
	}
}

// A short number alone is no evidence; a long one, and one beside other words, is.
func TestNumbers(t *testing.T) {
	t.Parallel()
	x := index(notes(
		"We met at 5 in the park.", "Add 1 egg and 77 grams of sugar.", "The page gives error 404.", "The proxy listens on 8443.", "Chapter 7 is told by a stranger.",
		"Bread needs salt.",
	)...)
	for question, want := range map[string]int64{
		"issue 5": 0, "needlefact77": 0, `'" OR 1=1'`: 0, "5": 0, "404": 3, "8443": 4, "socket 8443": 4, "chapter 7": 5,
	} {
		got := idsOf(find(t, x, question).Passed())
		if want == 0 && len(got) > 0 || want != 0 && (len(got) == 0 || got[0] != want) {
			t.Errorf("%q gave %v, want %d", question, got, want)
		}
	}
}

func TestAbbreviations(t *testing.T) {
	t.Parallel()
	x := index(notes(
		"Deploys go to a Kubernetes cluster.", "The pipeline runs on GitHub Actions.", "Failed messages land in the dead letter queue.", "Bread needs salt.",
	)...)
	for question, want := range map[string]int64{"k8s?": 1, "GHA": 2, "how do we replay the DLQ": 3} {
		if got := idsOf(find(t, x, question).Passed()); len(got) == 0 || got[0] != want {
			t.Errorf("%q gave %v, want %d", question, got, want)
		}
	}
	x = index(notes("The db is on the second disk.", "A database holds the orders.")...)
	if got := idsOf(find(t, x, "db").Passed()); len(got) == 0 || got[0] != 1 {
		t.Errorf("what has the abbreviation itself is not first: %v", got)
	}
}

// A clock that jumped ahead makes nothing the latest.
func TestAheadOfNow(t *testing.T) {
	t.Parallel()
	at := func(content string, when time.Time) engram.Memory {
		return engram.Memory{Content: content, OccurredAt: when}
	}
	x := index(
		at("The router decision: we keep the old one.", now.AddDate(0, -2, 0)),
		at("The router decision: we buy a new one.", now.AddDate(0, 0, -1)),
		at("The router decision: it is grey.", now.AddDate(40, 0, 0)),
	)
	for _, question := range []string{"latest decision about the router", "latest notes"} {
		if got := idsOf(find(t, x, question).Candidates); len(got) != 3 || got[0] != 2 {
			t.Errorf("%q: order %v, want 2 first", question, got)
		}
	}
	soon := index(at("The router decision: old.", now.AddDate(0, 0, -1)), at("The router decision: new.", now.Add(2*time.Second)))
	if got := idsOf(find(t, soon, "latest decision about the router").Candidates); got[0] != 2 {
		t.Errorf("order %v: clocks may differ by seconds", got)
	}
}
