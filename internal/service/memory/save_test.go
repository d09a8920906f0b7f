package memory_test

import (
	"context"
	"math"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/store"
)

func TestSaveDefaults(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.save(t, memory.SaveInput{Content: "# Drinks\n\ntea, not coffee"})
	m := f.get(t, r.ID)
	want := &engram.Memory{
		ID: r.ID, UID: r.UID, Workspace: engram.DefaultWorkspace, Kind: engram.KindObservation, Type: engram.TypeManual,
		Title: "Drinks", Content: "# Drinks\n\ntea, not coffee", Scope: engram.ScopeProject, Session: "manual-save",
		Hash: engram.ContentHash("# Drinks\n\ntea, not coffee"), Origin: engram.OriginAgent, Trust: 2,
		Version: 1, RevisionCount: 1, DuplicateCount: 1,
		OccurredAt: f.clock.now, RecordedAt: f.clock.now, CreatedAt: f.clock.now, UpdatedAt: f.clock.now, LastSeenAt: f.clock.now,
	}
	if diff := cmp.Diff(want, m, cmpopts.IgnoreFields(engram.Memory{}, "ValidFrom")); diff != "" {
		t.Errorf("stored memory mismatch (-want +got):\n%s", diff)
	}
	if r.Outcome != store.Created || r.Suggested == "" || r.Type != engram.TypeManual || len(r.UID) != 26 {
		t.Errorf("result = %+v", r)
	}
}

func TestSaveKeepsWhatIsGiven(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	said := time.Date(2023, 5, 8, 13, 56, 0, 123456789, time.FixedZone("", 2*3600))
	r := f.save(t, memory.SaveInput{
		Title: " Loom ", Content: "  indented\x00 text \n", Type: " decision ", Session: " s1 ", Project: "  My  Loom ",
		Scope: " Personal ", TopicKey: " Arch  Loom Driver ", ToolName: "hook", Speaker: "Ana  Ruiz", Role: "User",
		OccurredAt: said, Importance: ptr(0.7), Pinned: true, Status: "open", Files: []string{"a.go", " ", "a.go", "b c.go"},
		Origin: engram.OriginWeb,
	})
	m := f.get(t, r.ID)
	got := []any{
		m.Title, m.Content, m.Type, m.Session, m.Project, m.Scope, m.TopicKey, m.ToolName, m.Speaker, m.Role,
		m.OccurredAt, m.Importance, m.Pinned, m.Status, m.Files, m.Origin, m.Trust, m.Kind,
	}
	want := []any{
		"Loom", "  indented\x00 text \n", "decision", "s1", "my loom", engram.ScopePersonal, "arch-loom-driver", "hook", "Ana Ruiz", "user",
		time.Date(2023, 5, 8, 11, 56, 0, 123457000, time.UTC), 0.7, true, "open",
		[]string{"a.go", "b c.go"},
		engram.OriginWeb, engram.Trust(0), engram.KindTurn,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("stored memory mismatch (-want +got):\n%s", diff)
	}
	if r.Suggested != "" {
		t.Errorf("a topic key was suggested although one was given: %q", r.Suggested)
	}
}

func TestSaveRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *memory.Options) { o.MaxContent = 1000 })
	for name, tt := range map[string]struct {
		in   memory.SaveInput
		kind error
		code string
	}{
		"no content":           {memory.SaveInput{Title: "T"}, engram.ErrInvalid, "content_required"},
		"blank content":        {memory.SaveInput{Title: "T", Content: " \n\t\u00a0"}, engram.ErrInvalid, "content_required"},
		"content too long":     {memory.SaveInput{Content: strings.Repeat("é", 501)}, engram.ErrTooLarge, "content_too_large"},
		"title too long":       {memory.SaveInput{Title: strings.Repeat("x", 2001), Content: "C"}, engram.ErrTooLarge, "title_too_long"},
		"topic key too long":   {memory.SaveInput{TopicKey: strings.Repeat("é", 121), Content: "C"}, engram.ErrTooLarge, "topic_key_too_long"},
		"project too long":     {memory.SaveInput{Project: strings.Repeat("x", 501), Content: "C"}, engram.ErrTooLarge, "project_too_long"},
		"session too long":     {memory.SaveInput{Session: strings.Repeat("x", 501), Content: "C"}, engram.ErrTooLarge, "session_id_too_long"},
		"unknown scope":        {memory.SaveInput{Scope: "team", Content: "C"}, engram.ErrInvalid, "invalid_scope"},
		"importance over 1":    {memory.SaveInput{Importance: ptr(1.5), Content: "C"}, engram.ErrInvalid, "invalid_importance"},
		"importance no number": {memory.SaveInput{Importance: ptr(math.NaN()), Content: "C"}, engram.ErrInvalid, "invalid_importance"},
		"unknown origin":       {memory.SaveInput{Origin: "moon", Content: "C"}, engram.ErrInvalid, "invalid_origin"},
		"year 12000":           {memory.SaveInput{OccurredAt: time.Date(12000, 1, 1, 0, 0, 0, 0, time.UTC), Content: "C"}, engram.ErrInvalid, "invalid_occurred_at"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.Save(agent(t), tt.in)
			wantError(t, err, tt.kind, tt.code)
			_, err = f.SaveAll(agent(t), []memory.SaveInput{{Content: "fine"}, tt.in})
			wantError(t, err, tt.kind, tt.code)
		})
	}
	if n := f.count(t); n != 0 {
		t.Errorf("%d memories were stored by refused saves", n)
	}
	// The longest project that is taken has a manual session too.
	if r := f.save(t, memory.SaveInput{Project: strings.Repeat("x", 500), Content: "C"}); r.Session != "manual-save-"+r.Project {
		t.Errorf("session = %q", r.Session)
	}
}

// TestTrustIsTheServers: who saves may lower the trust of a text, not raise it.
func TestTrustIsTheServers(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, tt := range []struct {
		actor, says engram.Origin
		want        engram.Trust
	}{
		{engram.OriginUser, "", 3},
		{engram.OriginAgent, "", 2},
		{"", "", 2},
		{engram.OriginAgent, engram.OriginUser, 2},
		{engram.OriginUser, engram.OriginWeb, 0},
		{engram.OriginAgent, engram.OriginImport, 1},
		{engram.OriginWeb, engram.OriginUser, 0},
		{engram.OriginUser, engram.OriginDerived, 0},
	} {
		r, err := f.Save(as(t.Context(), engram.AccessWrite, tt.actor), memory.SaveInput{
			Content: "from " + string(tt.actor) + " as " + string(tt.says), Origin: tt.says,
		})
		if err != nil {
			t.Fatal(err)
		}
		if m := f.get(t, r.ID); m.Trust != tt.want {
			t.Errorf("actor %q says %q: trust %d, want %d", tt.actor, tt.says, m.Trust, tt.want)
		}
	}
}

// TestEditLosesTrust: a text of the user's that an agent rewrites is trusted as
// the agent's; what the user rewrites is not raised.
func TestEditLosesTrust(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	user := as(t.Context(), engram.AccessWrite, engram.OriginUser)
	r, err := f.Save(user, memory.SaveInput{Title: "T", Content: "one"})
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		ctx  context.Context
		in   memory.UpdateInput
		want engram.Trust
	}{
		{agent(t), memory.UpdateInput{Status: ptr("done")}, 3},
		{agent(t), memory.UpdateInput{Content: ptr("one")}, 3},
		{user, memory.UpdateInput{Content: ptr("two")}, 3},
		{agent(t), memory.UpdateInput{Title: ptr("U")}, 2},
		{as(t.Context(), engram.AccessWrite, engram.OriginWeb), memory.UpdateInput{Content: ptr("three")}, 0},
		{user, memory.UpdateInput{Content: ptr("four")}, 0},
	} {
		m, err := f.Update(tt.ctx, r.ID, tt.in)
		if err != nil || m.Trust != tt.want {
			t.Errorf("%s: trust %d, %v; want %d", engram.ActorFrom(tt.ctx).Origin, m.Trust, err, tt.want)
		}
	}
}

// TestTopicLosesTrust: a text of an agent over a topic of the user's is trusted
// as the agent's.
func TestTopicLosesTrust(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := memory.SaveInput{Title: "T", Content: "one", TopicKey: "k"}
	r, err := f.Save(as(t.Context(), engram.AccessWrite, engram.OriginUser), in)
	if err != nil {
		t.Fatal(err)
	}
	in.Content = "two"
	f.save(t, in)
	if m := f.get(t, r.ID); m.Trust != 2 || m.Content != "two" || m.Origin != engram.OriginAgent {
		t.Errorf("topic = %q, trust %d of %s; want the agent's", m.Content, m.Trust, m.Origin)
	}
}

func TestTopicKeepsHistory(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	first := f.save(t, memory.SaveInput{Title: "T", Content: "one", TopicKey: "arch/loom"})
	f.clock.Add(time.Hour)
	second := f.save(t, memory.SaveInput{Title: "T", Content: "two", TopicKey: " Arch/Loom "})
	if second.ID != first.ID || second.Outcome != store.Updated || second.RevisionCount != 2 {
		t.Fatalf("second save = %+v, want a revision of %d", second, first.ID)
	}
	versions, err := f.History(agent(t), first.ID)
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, v := range versions {
		texts = append(texts, v.Content)
	}
	if diff := cmp.Diff([]string{"one", "two"}, texts); diff != "" {
		t.Errorf("History mismatch (-want +got):\n%s", diff)
	}
	for _, in := range []memory.SaveInput{
		{Title: "T", Content: "x", TopicKey: "arch/loom", Project: "q"},
		{Title: "T", Content: "x", TopicKey: "arch/loom", Scope: "personal"},
	} {
		if r := f.save(t, in); r.ID == first.ID {
			t.Errorf("a topic of another project or scope was written over: %+v", in)
		}
	}
}

func TestDuplicateWindow(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := memory.SaveInput{Title: "T", Content: "the same text"}
	first := f.save(t, in)
	for range 3 { // 30 minutes in all: the window is from the last sighting
		f.clock.Add(10 * time.Minute)
		if r := f.save(t, in); r.ID != first.ID || r.Outcome != store.Duplicate {
			t.Fatalf("within the window: %+v, want a duplicate of %d", r, first.ID)
		}
	}
	if m := f.get(t, first.ID); m.DuplicateCount != 4 || !m.LastSeenAt.Equal(f.clock.now) {
		t.Errorf("duplicates = %d, last seen %v", m.DuplicateCount, m.LastSeenAt)
	}
	f.clock.Add(15*time.Minute + time.Second)
	if r := f.save(t, in); r.Outcome != store.Created {
		t.Errorf("after the window: %+v, want a new memory", r)
	}
	turn := memory.SaveInput{Content: "ok", Speaker: "Ann", Session: "s", OccurredAt: f.clock.now.Add(-time.Hour)}
	said := f.save(t, turn)
	if r := f.save(t, turn); r.Outcome != store.Duplicate || r.ID != said.ID {
		t.Errorf("the same dated turn again: %+v, want a duplicate of %d", r, said.ID)
	}
	for what, change := range map[string]func(*memory.SaveInput){
		"time":    func(in *memory.SaveInput) { in.OccurredAt = in.OccurredAt.Add(time.Second) },
		"session": func(in *memory.SaveInput) { in.Session = "s2" },
		"speaker": func(in *memory.SaveInput) { in.Speaker = "Bea" },
		"role":    func(in *memory.SaveInput) { in.Role = "assistant" },
	} {
		other := turn
		change(&other)
		if r := f.save(t, other); r.Outcome != store.Created {
			t.Errorf("another %s: %+v, want a new memory", what, r)
		}
	}
	undated := memory.SaveInput{Content: "fine", Speaker: "Ann"}
	f.save(t, undated)
	undated.Speaker = "Bea"
	if r := f.save(t, undated); r.Outcome != store.Created {
		t.Errorf("two who say the same: %+v, want a new memory", r)
	}
	never := newFixture(t, func(o *memory.Options) { o.DuplicateWindow = -1 })
	if a, b := never.save(t, in), never.save(t, in); a.ID == b.ID {
		t.Error("a duplicate was found although none are looked for")
	}
}

func TestSaveAll(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	results, err := f.SaveAll(agent(t), []memory.SaveInput{
		{Content: "one", Project: "p"},
		{Content: "two", Project: "q", Session: "s2"},
		{Content: "one", Project: "p"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(results) != 3 || results[2].Outcome != store.Duplicate || results[2].ID != results[0].ID {
		t.Errorf("results = %+v", results)
	}
	for id, project := range map[string]string{"manual-save-p": "p", "s2": "q"} {
		s, err := f.Session(agent(t), id)
		if err != nil || s.Project != project {
			t.Errorf("session %s = %+v, %v; want project %s", id, s, err, project)
		}
	}
	turns := []memory.SaveInput{
		{Content: "ok", Speaker: "Ann", Session: "s2", OccurredAt: f.clock.now},
		{Content: "ok", Speaker: "Ann", Session: "s2", OccurredAt: f.clock.now},
	}
	for _, want := range []store.Outcome{store.Created, store.Duplicate} { // a real repeat; then the batch sent again
		results, err := f.SaveAll(agent(t), turns)
		if err != nil || results[0].Outcome != want || results[1].Outcome != want || results[0].ID == results[1].ID {
			t.Errorf("two turns alike: %+v, %v; want two memories, each %s", results, err, want)
		}
	}
	if r, err := f.SaveAll(agent(t), nil); err != nil || r != nil {
		t.Errorf("SaveAll(nothing) = %v, %v", r, err)
	}
	_, err = f.SaveAll(agent(t), []memory.SaveInput{{Content: "ok"}, {Content: ""}})
	if err == nil || !strings.Contains(err.Error(), "item 1: content is required") {
		t.Errorf("error = %v, want it to name the item", err)
	}
}

func TestUpdate(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	r := f.save(t, memory.SaveInput{Title: "T", Content: "one", Project: "p", TopicKey: "k", Status: "open"})
	f.clock.Add(time.Minute)
	m, err := f.Update(ctx, r.ID, memory.UpdateInput{
		Title: ptr(" New "), Content: ptr("two"), Type: ptr("decision"), Project: ptr(" Q "), Scope: ptr("GLOBAL"),
		TopicKey: ptr(""), Status: ptr("done"), Importance: ptr(1.0), Files: &[]string{"x.go"},
	})
	if err != nil {
		t.Fatal(err)
	}
	got := []any{m.Title, m.Content, m.Hash, m.Type, m.Project, m.Scope, m.TopicKey, m.Status, m.Importance, m.Files, m.RevisionCount, m.UpdatedAt}
	want := []any{"New", "two", engram.ContentHash("two"), "decision", "q", engram.ScopeGlobal, "", "done", 1.0, []string{"x.go"}, 2, f.clock.now}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Update mismatch (-want +got):\n%s", diff)
	}
	same, err := f.Update(ctx, r.ID, memory.UpdateInput{Content: ptr("two")})
	if err != nil || same.RevisionCount != 3 || same.Version != m.Version {
		t.Errorf("an unchanged text: revision %d, version %d, %v", same.RevisionCount, same.Version, err)
	}
	f.save(t, memory.SaveInput{Title: "other", Content: "C", TopicKey: "taken"})
	loose := f.save(t, memory.SaveInput{Title: "loose", Content: "D"})
	for name, tt := range map[string]struct {
		id   int64
		in   memory.UpdateInput
		kind error
		code string
	}{
		"nothing":           {r.ID, memory.UpdateInput{}, engram.ErrInvalid, "nothing_to_update"},
		"unknown id":        {9999, memory.UpdateInput{Title: ptr("x")}, engram.ErrNotFound, ""},
		"blank title":       {r.ID, memory.UpdateInput{Title: ptr(" ")}, engram.ErrInvalid, "title_required"},
		"blank content":     {r.ID, memory.UpdateInput{Content: ptr("\n")}, engram.ErrInvalid, "content_required"},
		"blank type":        {r.ID, memory.UpdateInput{Type: ptr("")}, engram.ErrInvalid, "type_required"},
		"unknown scope":     {r.ID, memory.UpdateInput{Scope: ptr("team")}, engram.ErrInvalid, "invalid_scope"},
		"importance":        {r.ID, memory.UpdateInput{Importance: ptr(-1.0)}, engram.ErrInvalid, "invalid_importance"},
		"content too large": {r.ID, memory.UpdateInput{Content: ptr(strings.Repeat("x", 1<<20+1))}, engram.ErrTooLarge, "content_too_large"},
		"topic taken":       {loose.ID, memory.UpdateInput{TopicKey: ptr("Taken")}, engram.ErrConflict, ""},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.Update(ctx, tt.id, tt.in)
			wantError(t, err, tt.kind, tt.code)
		})
	}
}

func TestSuggestTopicKeyNeedsText(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	_, err := f.SuggestTopicKey(agent(t), "bugfix", " ", "\n")
	wantError(t, err, engram.ErrInvalid, "title_required")
	key, err := f.SuggestTopicKey(agent(t), "bugfix", "Lost last row", "")
	if err != nil || key != "bug/lost-last-row" {
		t.Errorf("SuggestTopicKey = %q, %v", key, err)
	}
}

func TestCapturePassive(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	in := memory.CaptureInput{
		Content: "Done.\n\n## Key Learnings:\n\n1. Retries need jitter or the queue collapses\n2. too short\n3. The header is read twice before its length is trusted\n",
		Session: "s1", Project: "p", Source: "subagent-stop",
	}
	r, err := f.CapturePassive(ctx, in)
	if err != nil {
		t.Fatal(err)
	}
	if r.Extracted != 2 || r.Saved != 2 || r.Duplicates != 0 || len(r.IDs) != 2 {
		t.Fatalf("CapturePassive = %+v", r)
	}
	m := f.get(t, r.IDs[0])
	if m.Type != engram.TypePassive || m.ToolName != "subagent-stop" || m.Session != "s1" || m.Project != "p" {
		t.Errorf("memory = %+v", m)
	}
	f.clock.Add(1000 * time.Hour) // the same learning is the same at any age
	if r, err = f.CapturePassive(ctx, in); err != nil || r.Saved != 0 || r.Duplicates != 2 {
		t.Errorf("again = %+v, %v", r, err)
	}
	if r, err = f.CapturePassive(ctx, memory.CaptureInput{Content: "nothing to learn"}); err != nil || r.Extracted != 0 {
		t.Errorf("no heading = %+v, %v", r, err)
	}
	_, err = f.CapturePassive(ctx, memory.CaptureInput{Content: " "})
	wantError(t, err, engram.ErrInvalid, "content_required")
}

// TestConcurrentSaves: of equal saves one creates and the others count, of one
// topic there is one living memory, and nobody is refused.
func TestConcurrentSaves(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			for range 3 {
				if _, err := f.Save(ctx, memory.SaveInput{Title: "same", Content: "the same text"}); err != nil {
					t.Error(err)
				}
				if _, err := f.Save(ctx, memory.SaveInput{Title: "topic", Content: "a topic", TopicKey: "k"}); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := f.count(t); n != 2 {
		t.Errorf("%d memories, want 2", n)
	}
}

func BenchmarkSaveOverhead(b *testing.B) {
	f := newFixture(b)
	s := memory.New(discard{f.store}, memory.Options{})
	ctx := agent(b)
	in := memory.SaveInput{
		Title: "Loom driver", Project: "weaver", Session: "s1",
		Content: strings.Repeat("The loom driver talks serial at 115200 baud, see driver.go and user_name. ", 6)[:400],
	}
	b.ResetTimer()
	for b.Loop() {
		if _, err := s.Save(ctx, in); err != nil {
			b.Fatal(err)
		}
	}
}
