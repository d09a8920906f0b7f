package recall_test

import (
	"slices"
	"testing"
	"time"

	"engram"
	"engram/internal/document"
	"engram/internal/recall/recalltest"
)

// typedIndex is a store of memories a day apart, whose types are searched as engines do.
func typedIndex(ms ...engram.Memory) *recalltest.Index {
	x := recalltest.NewIndex()
	for i := range ms {
		m := &ms[i]
		m.ID, m.Workspace, m.OccurredAt = int64(i+1), "w", now.Add(time.Duration(i-len(ms))*24*time.Hour)
		x.Add(m, (&document.Text{Type: m.Type, Content: m.Content}).Terms())
	}
	return x
}

func typed(typ, content string) engram.Memory { return engram.Memory{Type: typ, Content: content} }

func project() *recalltest.Index {
	return typedIndex(
		typed("decision", "We use PostgreSQL for orders because of row locks."),
		typed("decision", "The decision: RabbitMQ carries events between services."),
		typed("bugfix", "The retry loop never ended when the gateway answered 504; it stops after five now."),
		typed("preference", "The user likes tabs and short commit messages."),
		typed("config", "Staging listens on 8443 behind nginx."),
		typed("manual", "The canteen closes at two."),
		typed("manual", "Standup is at nine in room four."),
		typed("decision", "All services log JSON to stdout."),
		typed("bugfix", "Cookies were set without SameSite, so Safari dropped them."),
		typed("manual", "The printer is on the second floor."),
	)
}

// A word that names a type finds what is of it, whether the text says so or not.
func TestWordsThatNameAType(t *testing.T) {
	t.Parallel()
	x := project()
	for question, want := range map[string][]int64{
		"latest decision":          {8, 2, 1},
		"what was the last bug":    {9, 3},
		"what bugs did we fix":     {9, 3},
		"the first decision":       {1, 2, 8},
		"which preferences exist":  {4},
		"decision on orders":       {1},
		"what did we decide about": {2, 8, 1},
	} {
		p := find(t, x, question)
		got := idsOf(p.Passed())
		if len(got) > len(want) {
			got = got[:len(want)]
		}
		if question[:4] == "what" { // no order is asked for
			slices.Sort(got)
			want = slices.Sorted(slices.Values(want))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q: passed %v, want %v", question, got, want)
		}
	}
}

// A type says less than a word of the text does: it makes no answer where what else
// was asked is not known.
func TestATypeIsWeakEvidence(t *testing.T) {
	t.Parallel()
	x := project()
	for _, question := range []string{
		"config of the toaster", "which decision melts sand into quartz lenses", "bugs of the zeppelin", "what does the zeppelin prefer",
	} {
		if p := find(t, x, question); p.Answered() {
			t.Errorf("%q is answered by %v", question, idsOf(p.Passed()))
		}
	}
	p := find(t, x, "decision about events")
	if got := idsOf(p.Candidates); got[0] != 2 {
		t.Errorf("order %v, want the one that says so first", got)
	}
	of, by := p.Candidates[0].Evidence, p.Candidates[1].Evidence
	if by.Coverage == 0 || by.Coverage >= of.Coverage {
		t.Errorf("coverage %v by the text, %v by the type of %d", of.Coverage, by.Coverage, p.Candidates[1].ID)
	}
}

// What stands in for a word that no text has still does where a type has it.
func TestATypeDoesNotKeepOthersFromStandingIn(t *testing.T) {
	t.Parallel()
	x := typedIndex(
		typed("manual", "The configuration lives in the etc folder."), typed("config", "Staging listens on 8443."), typed("manual", "Bread needs salt."),
	)
	if got := idsOf(find(t, x, "config").Passed()); !slices.Contains(got, 1) || !slices.Contains(got, 2) {
		t.Errorf("passed %v, want what says configuration and what is one", got)
	}
}
