package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"engram"
	"engram/internal/recall"
	"engram/internal/service/memory"
	"engram/internal/store"
)

func (f *fixture) explain(t *testing.T, in memory.ExplainInput) memory.Explanation {
	t.Helper()
	e, err := f.Explain(agent(t), in)
	if err != nil {
		t.Fatal(err)
	}
	if e.Trace == nil || e.Text == "" {
		t.Fatalf("explanation without a trace or a sentence: %+v", e)
	}
	return e
}

// explained is what must be said of one memory.
type explained struct {
	reason  memory.Reason
	filters []string
	needs   string   // what, which way
	text    []string // that the sentence has
}

func (want explained) check(t *testing.T, e memory.Explanation) {
	t.Helper()
	t.Log(e.Text)
	if e.Reason != want.reason || !slices.Equal(e.Filters, want.filters) {
		t.Errorf("reason %s, filters %v; want %s, %v", e.Reason, e.Filters, want.reason, want.filters)
	}
	var needs []string
	for _, n := range e.Needs {
		needs = append(needs, n.What+" "+n.Op)
		if n.Op == ">=" && n.Value >= n.Bound && n.What == "probability" || n.Op == "<=" && n.Value <= n.Bound {
			t.Errorf("it does not fall short of %+v", n)
		}
	}
	if got := strings.Join(needs, ", "); got != want.needs {
		t.Errorf("needs %q, want %q", got, want.needs)
	}
	for _, s := range want.text {
		if !strings.Contains(e.Text, s) {
			t.Errorf("the sentence lacks %q: %s", s, e.Text)
		}
	}
	if e.Candidate != nil && e.Candidate.Evidence.Coverage == 0 && len(e.Said) > 0 && want.reason != memory.NotFound {
		t.Errorf("it says %v, and covers nothing", e.Said)
	}
	judged := want.reason == memory.Returned || want.reason == memory.BelowFloor || want.reason == memory.Outranked || want.reason == memory.OverBudget
	if judged && (e.Candidate == nil || len(e.Candidate.Arms) == 0 || e.Candidate.Rank == 0 || string(e.Candidate.Outcome) != string(want.reason)) {
		t.Errorf("candidate = %+v", e.Candidate)
	}
}

func ask(query string) memory.SearchInput {
	return memory.SearchInput{Query: query, Project: "harbour"}
}

// TestExplainReasons brings about every reason.
func TestExplainReasons(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	save := func(in memory.SaveInput) int64 {
		if in.Project == "" {
			in.Project = "harbour"
		}
		return f.save(t, in).ID
	}
	ferry := save(memory.SaveInput{Title: "Ferry times", Content: "The ferry to the island leaves at nine."})
	elsewhere := save(memory.SaveInput{Content: "The ferry of the other town leaves at ten.", Project: "canal"})
	everywhere := save(memory.SaveInput{Content: "A ferry leaves somewhere at any time.", Project: "canal", Scope: "global"})
	mine := save(memory.SaveInput{Content: "I like the ferry that leaves early.", Scope: "personal"})
	gone := save(memory.SaveInput{Content: "The ferry leaves at eleven."})
	if _, err := f.Delete(agent(t), gone, false); err != nil {
		t.Fatal(err)
	}
	erased := save(memory.SaveInput{Content: "The ferry leaves at twelve."})
	if _, err := f.Delete(as(t.Context(), engram.AccessAdmin, engram.OriginUser), erased, true); err != nil {
		t.Fatal(err)
	}
	bread := save(memory.SaveInput{Content: "Bread is baked before dawn."})
	weak := save(memory.SaveInput{Content: "A ticket machine stands beside the greenhouse."})
	before := f.clock.Now().Add(-time.Hour)

	with := func(query string, edit func(*memory.SearchInput)) memory.RecallInput {
		in := ask(query)
		if edit != nil {
			edit(&in)
		}
		return memory.RecallInput{SearchInput: in}
	}
	for _, tt := range []struct {
		name string
		in   memory.RecallInput
		id   int64
		want explained
	}{
		{"returned", with("when does the ferry leave", nil), ferry, explained{reason: memory.Returned, text: []string{"number ", "probability"}}},
		{"returned from everywhere", with("when does the ferry leave", nil), everywhere, explained{reason: memory.Returned}},
		{"unknown id", with("ferry", nil), 999, explained{reason: memory.NotInStore, text: []string{"Not in this store"}}},
		{"erased", with("ferry", nil), erased, explained{reason: memory.NotInStore}},
		{"other project", with("ferry", nil), elsewhere, explained{
			reason: memory.OtherScope, filters: []string{"project"}, text: []string{"project canal", "harbour was searched"},
		}},
		{"other scope", with("ferry", func(in *memory.SearchInput) { in.Scope = "project" }), mine, explained{
			reason: memory.OtherScope, filters: []string{"scope"}, text: []string{"scope personal"},
		}},
		{"other project and type", with("ferry", func(in *memory.SearchInput) { in.Types = []string{"decision"} }), elsewhere, explained{
			reason: memory.OtherScope, filters: []string{"project", "type"}, text: []string{"canal", "type manual"},
		}},
		{"deleted", with("ferry", nil), gone, explained{reason: memory.Filtered, filters: []string{"deleted"}, text: []string{"deleted on 2026-03-01"}}},
		{"type", with("ferry", func(in *memory.SearchInput) { in.Types = []string{"decision"} }), ferry, explained{
			reason: memory.Filtered, filters: []string{"type"}, text: []string{"type manual, and decision"},
		}},
		{"not known yet", with("ferry", func(in *memory.SearchInput) { in.AsOf = before }), ferry, explained{
			reason: memory.Filtered, filters: []string{"as_of"}, text: []string{"was not known on 2026-03-01 11:00"},
		}},
		{"no word of it", with("when does the ferry leave", func(in *memory.SearchInput) { in.Arms = []string{"keyword"} }), bread, explained{
			reason: memory.NotFound, text: []string{"no word of the question", "lacks ferry"},
		}},
		{"not every word", with("ferry dawn", func(in *memory.SearchInput) { in.MatchAll = true }), bread, explained{
			reason: memory.NotFound, text: []string{"every word was asked for", "has dawn and lacks ferry"},
		}},
		{"nothing to look for", with("what is that", nil), bread, explained{reason: memory.NotFound, text: []string{"no word to look for"}}},
		{"below the floor", with("zeppelin opera quartz telescope submarine machine", nil), weak, explained{
			reason: memory.BelowFloor, needs: "probability >=", text: []string{fmt.Sprintf("%.2f is needed", recall.Floor), "has machine and lacks zeppelin"},
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.check(t, f.explain(t, memory.ExplainInput{RecallInput: tt.in, ID: tt.id}))
		})
	}
}

// Many that answer: what is beyond the limit, the budget, and the pool.
func TestExplainCrowd(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var all []memory.SaveInput
	for i := range 300 {
		content := fmt.Sprintf("Ferry number %d: this ferry leaves the harbour.", i)
		if i >= 250 {
			content = fmt.Sprintf("Line %d mentions, among the many things that nobody would ever look for in so long a sentence, that a ferry leaves.", i)
		}
		all = append(all, memory.SaveInput{Content: content, Project: "harbour"})
	}
	all = append(all, memory.SaveInput{Content: "Bread is baked before dawn.", Project: "harbour"})
	all = append(all, memory.SaveInput{Title: "Fog", Content: "In fog, the ferry leaves late. " + strings.Repeat("The pilot waits for the lighthouse. ", 20), Project: "harbour"})
	saved, err := f.SaveAll(agent(t), all)
	if err != nil {
		t.Fatal(err)
	}
	in := memory.RecallInput{SearchInput: ask("ferry leaves"), Budget: 100}
	in.Limit = 5
	trace := f.explain(t, memory.ExplainInput{RecallInput: in}).Trace
	beyond := trace.Candidates[7].ID

	t.Run("outranked", func(t *testing.T) {
		t.Parallel()
		e := f.explain(t, memory.ExplainInput{RecallInput: in, ID: beyond})
		explained{reason: memory.Outranked, needs: "place <=", text: []string{"place 8", "the limit is 5"}}.check(t, e)
	})
	t.Run("outranked beyond what a trace shows", func(t *testing.T) {
		t.Parallel()
		shown := map[int64]bool{}
		for _, c := range trace.Candidates {
			shown[c.ID] = true
		}
		found := 0
		for _, s := range saved[:250] {
			if e := f.explain(t, memory.ExplainInput{RecallInput: in, ID: s.ID}); !shown[s.ID] && e.Reason == memory.Outranked {
				explained{reason: memory.Outranked, needs: "place <="}.check(t, e)
				if e.Candidate.Rank <= len(trace.Candidates) {
					t.Errorf("rank %d is one that the trace shows", e.Candidate.Rank)
				}
				if found++; found == 3 {
					return
				}
			}
		}
		t.Error("none is in the pool and not in the trace")
	})
	t.Run("out of the pool", func(t *testing.T) {
		t.Parallel()
		e := f.explain(t, memory.ExplainInput{RecallInput: in, ID: saved[270].ID})
		e.Needs = slices.DeleteFunc(e.Needs, func(n memory.Need) bool { return n.What == recall.ArmVector })
		explained{
			reason: memory.NotFound, needs: "keyword >=",
			text: []string{"has ferry, leaves", "By keyword it has", "draws 1000 instead of 200"},
		}.check(t, e)
		if e.Candidate == nil || e.Candidate.Features.Own == 0 || len(e.Candidate.Arms) != 0 {
			t.Errorf("judged by itself: %+v", e.Candidate)
		}
		deep := in
		deep.Deep = true
		explained{reason: memory.Outranked, needs: "place <="}.check(t, f.explain(t, memory.ExplainInput{RecallInput: deep, ID: saved[270].ID}))
	})
	t.Run("far from what was asked", func(t *testing.T) {
		t.Parallel()
		e := f.explain(t, memory.ExplainInput{RecallInput: in, ID: saved[300].ID})
		if e.Reason != memory.NotFound || !strings.Contains(e.Text, "no word of the question. It lacks ferry, leaves.") {
			t.Errorf("explanation = %s, %s", e.Reason, e.Text)
		}
		for _, n := range e.Needs { // by arms that need no words
			if n.Op != ">=" || n.Value > n.Bound || n.What == "keyword" {
				t.Errorf("needs %+v", n)
			}
		}
		t.Log(e.Text)
	})
	t.Run("over budget", func(t *testing.T) {
		t.Parallel()
		wide := in
		wide.Limit = 50
		for _, c := range f.explain(t, memory.ExplainInput{RecallInput: wide}).Trace.Packing {
			e := f.explain(t, memory.ExplainInput{RecallInput: wide, ID: c.ID})
			if c.Kept {
				explained{reason: memory.Returned}.check(t, e)
				continue
			}
			explained{reason: memory.OverBudget, needs: "tokens <=", text: []string{"did not fit", "of 100"}}.check(t, e)
			if e.Packed == nil || e.Packed.Tokens <= e.Packed.Left {
				t.Errorf("packed = %+v", e.Packed)
			}
			return
		}
		t.Error("everything was kept")
	})
	t.Run("a search has a limit of its own and no budget", func(t *testing.T) {
		t.Parallel()
		e := f.explain(t, memory.ExplainInput{RecallInput: memory.RecallInput{SearchInput: ask("ferry leaves")}, Search: true})
		if e.Limit != 10 || e.Budget != 0 || len(e.Trace.Packing) != 0 || !strings.Contains(e.Text, "10 of 2") {
			t.Errorf("explanation = %+v", e)
		}
		place := e.Trace.Candidates[11]
		e = f.explain(t, memory.ExplainInput{RecallInput: memory.RecallInput{SearchInput: ask("ferry leaves")}, Search: true, ID: place.ID})
		explained{reason: memory.Outranked, needs: "place <=", text: []string{"place 12", "the limit is 10"}}.check(t, e)
	})
}

// What was superseded before the time that is asked about is named so, and a
// text of then is judged as it was.
func TestExplainAsOf(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	start := f.clock.Now()
	topic := f.save(t, memory.SaveInput{Content: "The ferry leaves at nine.", TopicKey: "winter/plan", Project: "harbour"}).ID
	f.clock.Add(time.Hour)
	f.save(t, memory.SaveInput{Content: "Nothing sails in winter.", TopicKey: "winter/plan", Project: "harbour"})
	old := &engram.Memory{
		UID: "old", Workspace: engram.DefaultWorkspace, Kind: engram.KindObservation, Type: "manual", Title: "Old", Content: "The old ferry leaves at six.",
		Project: "harbour", Scope: engram.ScopeProject, OccurredAt: start, RecordedAt: start, CreatedAt: start, UpdatedAt: start,
		InvalidatedAt: start.Add(time.Minute), Version: 1, RevisionCount: 1, DuplicateCount: 1,
	}
	if _, err := f.store.Import(t.Context(), engram.DefaultWorkspace, store.Batch{Memories: []*engram.Memory{old}}, f.clock.Now()); err != nil {
		t.Fatal(err)
	}
	in := memory.RecallInput{SearchInput: ask("when does the ferry leave")}
	if e := f.explain(t, memory.ExplainInput{RecallInput: in, ID: topic}); e.Reason == memory.Returned || !slices.Contains(e.Missing, "ferry") {
		t.Errorf("a text of today: %+v", e)
	}
	in.AsOf = start.Add(30 * time.Minute)
	explained{reason: memory.Returned}.check(t, f.explain(t, memory.ExplainInput{RecallInput: in, ID: topic}))
	e := f.explain(t, memory.ExplainInput{RecallInput: in, UID: "old"})
	explained{
		reason: memory.Filtered, filters: []string{"superseded"}, text: []string{"superseded on 2026-03-01 12:01", "no longer held"},
	}.check(t, e)
	if e.ID == 0 || e.Title != "Old" {
		t.Errorf("the memory of a uid is %d, %q", e.ID, e.Title)
	}
}

// TestExplainTellsNothingOfOthers: a memory of another workspace, one that is
// unknown and a prompt are told apart by nothing.
func TestExplainTellsNothingOfOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	saved := f.save(t, memory.SaveInput{Title: "Ferry", Content: "The ferry leaves at nine.", Project: "harbour"})
	prompt, err := f.SavePrompt(agent(t), "s", "harbour", "when does the ferry leave?")
	if err != nil {
		t.Fatal(err)
	}
	stranger := engram.WithActor(t.Context(), engram.Actor{Name: "x", Workspace: "other", Access: engram.AccessAdmin})
	in := memory.RecallInput{SearchInput: ask("when does the ferry leave")}
	explain := func(id int64, uid string) memory.Explanation {
		e, err := f.Explain(stranger, memory.ExplainInput{RecallInput: in, ID: id, UID: uid})
		if err != nil {
			t.Fatal(err)
		}
		e.ID = 0
		return e
	}
	want := explain(999, "")
	if want.Reason != memory.NotInStore || want.Trace.Pool != 0 {
		t.Fatalf("an unknown one is %+v", want)
	}
	for name, got := range map[string]memory.Explanation{
		"id": explain(saved.ID, ""), "uid": explain(0, saved.UID), "unknown uid": explain(0, "nobody's"),
	} {
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s of another workspace (-unknown +other):\n%s", name, diff)
		}
	}
	if e := f.explain(t, memory.ExplainInput{RecallInput: in, UID: prompt.UID}); e.Reason != memory.NotInStore {
		t.Errorf("a prompt's uid is %+v", e)
	}
}

func TestExplainCountsNoAccess(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.save(t, memory.SaveInput{Content: "The ferry leaves at nine.", Project: "harbour"}).ID
	f.explain(t, memory.ExplainInput{RecallInput: memory.RecallInput{SearchInput: ask("ferry")}, ID: id})
	f.Close() // waits for what is to be counted
	m, err := f.store.Memory(t.Context(), engram.DefaultWorkspace, id, false)
	if err != nil || m.AccessCount != 0 {
		t.Errorf("%d accesses, %v", m.AccessCount, err)
	}
}

func TestExplainRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, tt := range map[string]struct {
		in   memory.ExplainInput
		code string
	}{
		"no query":       {memory.ExplainInput{ID: 1}, "query_required"},
		"negative id":    {memory.ExplainInput{RecallInput: memory.RecallInput{SearchInput: ask("x")}, ID: -1}, "invalid_id"},
		"id and uid":     {memory.ExplainInput{RecallInput: memory.RecallInput{SearchInput: ask("x")}, ID: 1, UID: "u"}, "invalid_id"},
		"a small budget": {memory.ExplainInput{RecallInput: memory.RecallInput{SearchInput: ask("x"), Budget: 3}}, "invalid_budget"},
	} {
		_, err := f.Explain(agent(t), tt.in)
		t.Run(name, func(t *testing.T) { wantError(t, err, engram.ErrInvalid, tt.code) })
	}
}
