package memory_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"engram"
	"engram/internal/service/memory"
)

func TestStartSessionTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	s, created, err := f.StartSession(ctx, memory.SessionInput{ID: " s1 ", Project: "My Project", Directory: "/home/dev/p"})
	if err != nil || !created || s.ID != "s1" || s.Project != "my project" || s.Status != engram.SessionActive {
		t.Fatalf("StartSession = %+v, %v, %v", s, created, err)
	}
	again, created, err := f.StartSession(ctx, memory.SessionInput{ID: "s1", Project: "other", Directory: "/elsewhere"})
	if err != nil || created || again.Project != "my project" || again.Directory != "/home/dev/p" {
		t.Errorf("again = %+v, %v, %v", again, created, err)
	}
	_, _, err = f.StartSession(ctx, memory.SessionInput{ID: " "})
	wantError(t, err, engram.ErrInvalid, "session_id_required")
	_, _, err = f.StartSession(ctx, memory.SessionInput{ID: strings.Repeat("x", 501)})
	wantError(t, err, engram.ErrTooLarge, "session_id_too_long")
}

func TestEndSessionKeepsWhatIsThere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	if _, _, err := f.StartSession(ctx, memory.SessionInput{ID: "s", Project: "p"}); err != nil {
		t.Fatal(err)
	}
	first, err := f.EndSession(ctx, "s", "shipped it")
	if err != nil || first.Status != engram.SessionEnded || first.Summary != "shipped it" {
		t.Fatalf("EndSession = %+v, %v", first, err)
	}
	f.clock.Add(time.Hour)
	second, err := f.EndSession(ctx, "s", " ")
	if err != nil || second.Summary != "shipped it" || !second.EndedAt.Equal(first.EndedAt) {
		t.Errorf("again = %+v, %v", second, err)
	}
	if third, err := f.EndSession(ctx, "s", "and fixed it"); err != nil || third.Summary != "and fixed it" {
		t.Errorf("with a new summary = %+v, %v", third, err)
	}
	// An ended session blocks no write.
	if r := f.save(t, memory.SaveInput{Content: "late", Session: "s"}); r.Session != "s" {
		t.Errorf("a write into an ended session went to %q", r.Session)
	}
}

func TestSessionsLapse(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	for _, id := range []string{"old", "busy"} {
		if _, _, err := f.StartSession(ctx, memory.SessionInput{ID: id, Project: "p"}); err != nil {
			t.Fatal(err)
		}
	}
	f.clock.Add(5 * time.Hour)
	f.save(t, memory.SaveInput{Content: "C", Session: "busy"})
	f.clock.Add(time.Hour + time.Second)
	list, err := f.Sessions(ctx, memory.RecentInput{Project: "p"})
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]engram.SessionStatus{}
	for _, s := range list.Sessions {
		got[s.ID] = s.Status
	}
	want := map[string]engram.SessionStatus{"old": engram.SessionLapsed, "busy": engram.SessionActive}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Sessions mismatch (-want +got):\n%s", diff)
	}
	f.save(t, memory.SaveInput{Content: "D", Session: "old"})
	if s, err := f.Session(ctx, "old"); err != nil || s.Status != engram.SessionActive || s.Count != 1 {
		t.Errorf("a lapsed session that is written into = %+v, %v", s, err)
	}
}

func TestSessionSummary(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	if _, _, err := f.StartSession(ctx, memory.SessionInput{ID: "s", Project: "weaver"}); err != nil {
		t.Fatal(err)
	}
	r, err := f.SessionSummary(ctx, "", "s", "Moved the loom driver to serial.")
	if err != nil {
		t.Fatal(err)
	}
	m := f.get(t, r.ID)
	if m.Type != engram.TypeSessionSummary || m.Title != "Session summary: weaver" || m.Project != "weaver" || m.Session != "s" {
		t.Errorf("memory = %+v", m)
	}
	s, err := f.Session(ctx, "s")
	if err != nil || s.Summary != m.Content || s.Status != engram.SessionActive {
		t.Errorf("session = %+v, %v; want the summary, not ended", s, err)
	}
	if r, err = f.SessionSummary(ctx, "", "", "no project"); err != nil || r.Session != "manual-save" {
		t.Errorf("without anything = %+v, %v", r, err)
	}
	_, err = f.SessionSummary(ctx, "p", "s", " ")
	wantError(t, err, engram.ErrInvalid, "content_required")
}

// TestSummaryThatWentIsShownNowhere: what is shown of a session follows the
// memory that its summary was saved as.
func TestSummaryThatWentIsShownNowhere(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	r, err := f.SessionSummary(ctx, "weaver", "s", "Goal: the thirdword.")
	if err != nil {
		t.Fatal(err)
	}
	neighbour := f.save(t, memory.SaveInput{Content: "A sibling.", Session: "s", Project: "weaver"})
	shown := func() string {
		t.Helper()
		block, err := f.Context(ctx, memory.ContextInput{Project: "weaver"})
		if err != nil {
			t.Fatal(err)
		}
		line, err := f.Timeline(ctx, neighbour.ID, 5, 5)
		if err != nil {
			t.Fatal(err)
		}
		s, err := f.Session(ctx, "s")
		if err != nil {
			t.Fatal(err)
		}
		return block.Text + line.Session.Summary + s.Summary
	}
	if got := shown(); strings.Count(got, "thirdword") < 3 {
		t.Fatalf("the summary is not shown: %s", got)
	}
	if _, err := f.Update(ctx, r.ID, memory.UpdateInput{Content: ptr("Goal: the fourthword.")}); err != nil {
		t.Fatal(err)
	}
	if got := shown(); strings.Contains(got, "thirdword") || strings.Count(got, "fourthword") < 3 {
		t.Errorf("after an edit: %s", got)
	}
	if _, err := f.Delete(ctx, r.ID, false); err != nil {
		t.Fatal(err)
	}
	if got := shown(); strings.Contains(got, "fourthword") {
		t.Errorf("after a delete: %s", got)
	}
	if _, err := f.Restore(ctx, r.ID); err != nil {
		t.Fatal(err)
	}
	if got := shown(); strings.Count(got, "fourthword") < 3 {
		t.Errorf("after a restore: %s", got)
	}
}

func TestSessionProjectIsTheMemorys(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *memory.Options) {
		o.DefaultProject = func(context.Context) engram.ProjectIdentity {
			return engram.ProjectIdentity{Name: "here", Source: engram.ProjectDirectory}
		}
	})
	ctx := agent(t)
	if _, _, err := f.StartSession(ctx, memory.SessionInput{ID: "s", Project: "there"}); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct{ project, session, want string }{
		{"", "", "here"},
		{"", "s", "there"},
		{"", "new", "here"},
		{"named", "s", "named"},
	} {
		if r := f.save(t, memory.SaveInput{Content: "C" + tt.want + tt.session, Project: tt.project, Session: tt.session}); r.Project != tt.want {
			t.Errorf("project %q, session %q: filed under %q, want %q", tt.project, tt.session, r.Project, tt.want)
		}
		p, err := f.SavePrompt(ctx, tt.session, tt.project, "C")
		if err != nil || p.Project != tt.want {
			t.Errorf("prompt: project %q, session %q: filed under %q (%v), want %q", tt.project, tt.session, p.Project, err, tt.want)
		}
	}
}

func TestDeleteSession(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	r := f.save(t, memory.SaveInput{Content: "C", Session: "s"})
	wantError(t, f.DeleteSession(ctx, "s"), engram.ErrConflict, "session_not_empty")
	for _, hard := range []bool{false, true} { // a hidden one is still in it
		if _, err := f.Delete(ctx, r.ID, hard); err != nil {
			t.Fatal(err)
		}
		if !hard {
			wantError(t, f.DeleteSession(ctx, "s"), engram.ErrConflict, "session_not_empty")
		}
	}
	if err := f.DeleteSession(ctx, "s"); err != nil {
		t.Error(err)
	}
	wantError(t, f.DeleteSession(ctx, "s"), engram.ErrNotFound, "")
}

func TestPrompts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	for _, text := range []string{"make the loom driver use the serial port", "why is the map blank?", "what now"} {
		f.clock.Add(time.Second)
		if _, err := f.SavePrompt(ctx, "", "weaver", text); err != nil {
			t.Fatal(err)
		}
	}
	f.clock.Add(time.Second)
	other, err := f.SavePrompt(ctx, "s9", "other", "the loom of others")
	if err != nil || other.ID == 0 || other.UID == "" || other.Session != "s9" {
		t.Fatalf("SavePrompt = %+v, %v", other, err)
	}
	list, err := f.Prompts(ctx, memory.RecentInput{Project: "weaver", Limit: 2})
	if ps := list.Prompts; err != nil || len(ps) != 2 || ps[0].Content != "what now" || ps[0].Session != "manual-save-weaver" {
		t.Errorf("Prompts = %+v, %v", list, err)
	}
	for query, want := range map[string]string{
		"looms and drivers": "make the loom driver use the serial port",
		"why":               "why is the map blank?",
		`"serial" OR (`:     "make the loom driver use the serial port",
	} {
		found, err := f.SearchPrompts(ctx, query, memory.RecentInput{Project: "weaver"})
		if err != nil || len(found.Prompts) == 0 || found.Prompts[0].Content != want {
			t.Errorf("SearchPrompts(%q) = %+v, %v; want %q", query, found, err, want)
		}
	}
	if found, err := f.SearchPrompts(ctx, "loom", memory.RecentInput{}); err != nil || len(found.Prompts) != 2 {
		t.Errorf("SearchPrompts in all projects = %d, %v", len(found.Prompts), err)
	}
	if found, err := f.SearchPrompts(ctx, "...", memory.RecentInput{}); err != nil || len(found.Prompts) != 0 {
		t.Errorf("SearchPrompts(...) = %d, %v", len(found.Prompts), err)
	}
	if err := f.DeletePrompt(ctx, other.ID); err != nil {
		t.Error(err)
	}
	wantError(t, f.DeletePrompt(ctx, other.ID), engram.ErrNotFound, "")
	_, err = f.SavePrompt(ctx, "", "", " ")
	wantError(t, err, engram.ErrInvalid, "content_required")
	_, err = f.SavePrompt(ctx, "", "", strings.Repeat("x", 1<<20+1))
	wantError(t, err, engram.ErrTooLarge, "content_too_large")
	_, err = f.SearchPrompts(ctx, "loom", memory.RecentInput{Project: "weaver", Cursor: list.Next})
	wantError(t, err, engram.ErrInvalid, "invalid_cursor")
	_, err = f.SearchPrompts(ctx, " ", memory.RecentInput{})
	wantError(t, err, engram.ErrInvalid, "query_required")
}

// TestPagesOfSessionsAndPrompts: 250 of the same time are read in pages exactly
// once each, whatever is written meanwhile.
func TestPagesOfSessionsAndPrompts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	start := func(id string) string {
		t.Helper()
		if _, _, err := f.StartSession(ctx, memory.SessionInput{ID: id, Project: "p"}); err != nil {
			t.Fatal(err)
		}
		return id
	}
	ask := func(content string) string {
		t.Helper()
		if _, err := f.SavePrompt(ctx, "asked", "p", content); err != nil {
			t.Fatal(err)
		}
		return content
	}
	for name, list := range map[string]struct {
		add  func(id string) string
		page func(in memory.RecentInput) (ids []string, next string, err error)
	}{
		"sessions": {start, func(in memory.RecentInput) (ids []string, next string, err error) {
			r, err := f.Sessions(ctx, in)
			for _, s := range r.Sessions {
				ids = append(ids, s.ID)
			}
			return ids, r.Next, err
		}},
		"prompts": {ask, func(in memory.RecentInput) (ids []string, next string, err error) {
			r, err := f.Prompts(ctx, in)
			for _, p := range r.Prompts {
				ids = append(ids, p.Content)
			}
			return ids, r.Next, err
		}},
	} {
		var want, got, sizes []string
		for i := range 250 {
			want = append(want, list.add(fmt.Sprintf("%s %d é", name, i)))
		}
		for in := (memory.RecentInput{Project: "p", Limit: 100}); ; {
			ids, next, err := list.page(in)
			if err != nil {
				t.Fatal(err)
			}
			got, sizes = append(got, ids...), append(sizes, fmt.Sprint(len(ids)))
			if in.Cursor = next; next == "" {
				break
			}
			f.clock.Add(time.Second)
			list.add("new after page " + sizes[0] + next[:12])
			list.add(ids[0]) // a session that was read is active again
		}
		got = slices.DeleteFunc(got, func(id string) bool { return id == "asked" })
		slices.Sort(want)
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s: what the pages have (-want +got):\n%s", name, diff)
		}
	}
	r, err := f.Sessions(ctx, memory.RecentInput{Limit: 1})
	if err != nil || r.Next == "" {
		t.Fatalf("Sessions = %+v, %v; want a next page", r, err)
	}
	_, err = f.Prompts(ctx, memory.RecentInput{Cursor: r.Next})
	wantError(t, err, engram.ErrInvalid, "invalid_cursor")
	_, err = f.List(ctx, memory.ListInput{Cursor: r.Next})
	wantError(t, err, engram.ErrInvalid, "invalid_cursor")
	for _, wrong := range []string{"zzz", r.Next[:8], "_" + r.Next[1:]} {
		_, err = f.Sessions(ctx, memory.RecentInput{Cursor: wrong})
		wantError(t, err, engram.ErrInvalid, "invalid_cursor")
	}
}
