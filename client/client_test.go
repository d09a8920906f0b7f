package client_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/client"
	"engram/internal/rest"
	"engram/internal/service/memory"
	"engram/internal/service/transfer"
	"engram/internal/service/upkeep"
	"engram/internal/store/sqlite"
)

const token = "correct-horse"

// newClient is a Client of a real API over an empty store.
func newClient(t *testing.T) *client.Client {
	t.Helper()
	dir := t.TempDir()
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mem := memory.New(st, memory.Options{})
	srv := httptest.NewServer(rest.New(rest.Services{
		Memory: mem, Transfer: transfer.New(st, transfer.Options{}), Upkeep: upkeep.New(st, upkeep.Options{Dir: dir}),
	}, rest.Options{Token: token, Version: "1.2.3"}))
	t.Cleanup(func() {
		srv.Close()
		mem.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return dial(t, srv.URL, token)
}

func dial(t *testing.T, url, token string) *client.Client {
	t.Helper()
	c, err := client.New(url, client.Options{Token: token})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func must[T any](t *testing.T) func(v T, err error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func TestLifeOfAMemory(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), t.Context()
	at := time.Date(2026, 5, 8, 14, 30, 0, 0, time.UTC)
	saved := must[client.Saved](t)(c.Save(ctx, client.SaveInput{
		Title: "Drinks", Content: "tea, not coffee", Type: "preference", Project: "alpha", OccurredAt: &at, Files: []string{"cup.go"},
	}))
	if saved.ID != 1 || saved.Outcome != "created" || saved.SessionID != "manual-save-alpha" {
		t.Errorf("Save() = %+v", saved)
	}
	m := must[*client.Memory](t)(c.Get(ctx, saved.ID))
	if m.Content != "tea, not coffee" || !m.OccurredAt.Equal(at) || len(m.Files) != 1 || !m.DeletedAt.IsZero() || m.CreatedAt.IsZero() {
		t.Errorf("Get() = %+v", m)
	}
	text := "coffee, not tea"
	if m = must[*client.Memory](t)(c.Update(ctx, saved.ID, client.UpdateInput{Content: &text})); m.Content != text || m.Title != "Drinks" || m.Version != 2 {
		t.Errorf("Update() = %+v", m)
	}
	if h := must[[]client.Memory](t)(c.History(ctx, saved.ID)); len(h) != 2 || h[0].Content != "tea, not coffee" {
		t.Errorf("History() = %+v", h)
	}
	if m = must[*client.Memory](t)(c.Pin(ctx, saved.ID, true)); !m.Pinned {
		t.Errorf("Pin(true) = %+v", m)
	}
	if m = must[*client.Memory](t)(c.Pin(ctx, saved.ID, false)); m.Pinned {
		t.Errorf("Pin(false) = %+v", m)
	}
	if r := must[client.Receipt](t)(c.Delete(ctx, saved.ID, false)); r.Hard || r.Memories != 1 {
		t.Errorf("Delete() = %+v", r)
	}
	if r := must[client.Restored](t)(c.Restore(ctx, saved.ID)); !r.DeletedAt.IsZero() || r.ID != saved.ID || r.WasLiving || r.LostTopic != "" {
		t.Errorf("Restore() = %+v", r)
	}
	if r := must[client.Receipt](t)(c.Delete(ctx, saved.ID, true)); !r.Hard || r.Versions == 0 {
		t.Errorf("Delete(hard) = %+v", r)
	}
	if _, err := c.Get(ctx, saved.ID); !errors.Is(err, engram.ErrNotFound) {
		t.Errorf("Get() of an erased one = %v, want not found", err)
	}
}

func TestListAndContext(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), t.Context()
	for _, text := range []string{"first thing", "second thing", "third thing"} {
		must[client.Saved](t)(c.Save(ctx, client.SaveInput{Content: text, Project: "alpha"}))
	}
	p := must[client.Page](t)(c.List(ctx, client.ListInput{Project: "alpha", Types: []string{"manual"}, Limit: 2}))
	if len(p.Items) != 2 || p.Items[0].Content != "third thing" || p.Next == "" {
		t.Fatalf("List() = %+v", p)
	}
	p = must[client.Page](t)(c.List(ctx, client.ListInput{Project: "alpha", Limit: 2, Cursor: p.Next}))
	if len(p.Items) != 1 || p.Items[0].Content != "first thing" || p.Next != "" {
		t.Errorf("List(next) = %+v", p)
	}
	got := must[client.Context](t)(c.Context(ctx, client.ContextInput{Project: "alpha", MaxBytes: 2000}))
	if !strings.Contains(got.Text, "third thing") || got.Memories == 0 || len(got.Text) > 2000 {
		t.Errorf("Context() = %+v", got)
	}
	if s := must[client.Stats](t)(c.Stats(ctx, "")); s.Memories != 3 || s.Projects[0] != "alpha" {
		t.Errorf("Stats() = %+v", s)
	}
}

func TestSearchAndRecall(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), t.Context()
	must[client.Saved](t)(c.Save(ctx, client.SaveInput{Title: "Drinks", Content: "tea, not coffee", Project: "alpha"}))
	if e := must[client.Recalled](t)(c.Recall(ctx, client.RecallInput{SearchInput: client.SearchInput{Query: "coffee", Explain: true}})); e.Trace == nil || len(e.Trace.Candidates) == 0 || len(e.Trace.Packing) == 0 {
		t.Errorf("Recall() explained = %+v", e.Trace)
	}
	f := must[client.Found](t)(c.Search(ctx, client.SearchInput{Query: "do I drink coffee", Project: "alpha", Limit: 3}))
	if f.Trace != nil {
		t.Errorf("Search() gave a trace that was not asked for: %+v", f.Trace)
	}
	if f.NoAnswer || len(f.Items) != 1 || f.Items[0].ID != 1 || f.Items[0].Probability <= 0 || f.Items[0].Content != "tea, not coffee" {
		t.Errorf("Search() = %+v", f)
	}
	r := must[client.Recalled](t)(c.Recall(ctx, client.RecallInput{SearchInput: client.SearchInput{Query: "coffee"}, Budget: 300}))
	if r.NoAnswer || !strings.Contains(r.Text, "tea, not coffee") || r.Tokens == 0 || len(r.Items) != 1 {
		t.Errorf("Recall() = %+v", r)
	}
	e := must[client.Explanation](t)(c.Explain(ctx, client.ExplainInput{RecallInput: client.RecallInput{SearchInput: client.SearchInput{Query: "coffee or zeppelins"}, Budget: 300}, ID: 1}))
	if len(e.Trace.Models) == 0 || e.Candidate.Models[0].Model != e.Trace.Models[0] || e.Candidate.Models[0].Rank != 1 {
		t.Errorf("models %v, %+v", e.Trace.Models, e.Candidate.Models)
	}
	if e.Reason != "returned" || e.Title != "Drinks" || e.Budget != 300 || e.Candidate.Probability == 0 || e.Candidate.Arms["keyword"].Rank != 1 || !e.Packed.Kept ||
		!slices.Equal(e.Missing, []string{"zeppelins"}) || e.Trace.Pool != 1 || e.Trace.Query.Words[0].Memories != 1 || e.Candidate.Features["own"] == nil {
		t.Errorf("Explain() = %+v", e)
	}
	before := time.Date(2001, 1, 1, 0, 0, 0, 0, time.UTC)
	for _, in := range []client.SearchInput{{Query: "zeppelin quantum"}, {Query: "coffee", AsOf: &before}} {
		if f := must[client.Found](t)(c.Search(ctx, in)); !f.NoAnswer || len(f.Items) != 0 {
			t.Errorf("Search(%+v) = %+v, want no answer", in, f)
		}
	}
}

func TestSessionsAndPrompts(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), t.Context()
	id := "a/b c?%" // ids are the agents' own, and go into a path
	if s := must[*client.Session](t)(c.StartSession(ctx, id, "alpha", "/src")); s.ID != id || s.Status != "active" {
		t.Errorf("StartSession() = %+v", s)
	}
	if p := must[*client.Prompt](t)(c.SavePrompt(ctx, id, "alpha", "why?")); p.ID != 1 || p.SessionID != id {
		t.Errorf("SavePrompt() = %+v", p)
	}
	if s := must[client.Saved](t)(c.SummarizeSession(ctx, id, "", "we chose tea")); s.Type != "session_summary" || s.SessionID != id {
		t.Errorf("SummarizeSession() = %+v", s)
	}
	if s := must[*client.Session](t)(c.EndSession(ctx, id, "")); s.Status != "ended" || s.EndedAt.IsZero() {
		t.Errorf("EndSession() = %+v", s)
	}
	if s := must[*client.Session](t)(c.Session(ctx, id)); s.Summary != "we chose tea" || s.MemoryCount != 1 {
		t.Errorf("Session() = %+v", s)
	}
	if p := must[client.SessionPage](t)(c.Sessions(ctx, client.RecentInput{Project: "alpha", Limit: 5})); len(p.Items) != 1 || p.Items[0].ID != id || p.Next != "" {
		t.Errorf("Sessions() = %+v", p)
	}
}

func TestPagesOfSessionsAndPrompts(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), t.Context()
	for _, id := range []string{"a/1", "b?", "ç"} {
		must[*client.Session](t)(c.StartSession(ctx, id, "alpha", ""))
		must[*client.Prompt](t)(c.SavePrompt(ctx, id, "alpha", "prompt of "+id+strings.Repeat(" and more", 300)))
	}
	in := client.RecentInput{Project: "alpha", Limit: 2}
	first := must[client.SessionPage](t)(c.Sessions(ctx, in))
	asked := must[client.PromptPage](t)(c.Prompts(ctx, in))
	if len(first.Items) != 2 || first.Items[0].ID != "ç" || first.Next == "" || len(asked.Items) != 2 || asked.Next == "" {
		t.Fatalf("Sessions() = %+v, Prompts() = %+v", first, asked)
	}
	in.Cursor = first.Next
	if p := must[client.SessionPage](t)(c.Sessions(ctx, in)); len(p.Items) != 1 || p.Items[0].ID != "a/1" || p.Next != "" {
		t.Errorf("Sessions(next) = %+v", p)
	}
	in.Cursor = asked.Next
	p := must[client.PromptPage](t)(c.Prompts(ctx, in))
	if len(p.Items) != 1 || p.Items[0].SessionID != "a/1" || !p.Items[0].Truncated || p.Next != "" {
		t.Fatalf("Prompts(next) = %+v", p)
	}
	if whole := must[*client.Prompt](t)(c.Prompt(ctx, p.Items[0].ID)); whole.Truncated || len(whole.Content) <= len(p.Items[0].Content) {
		t.Errorf("Prompt() = %+v, want it whole", whole)
	}
	in.Cursor = first.Next
	if _, err := c.Prompts(ctx, in); !errors.Is(err, engram.ErrInvalid) {
		t.Errorf("Prompts() with a cursor of sessions = %v, want invalid", err)
	}
}

func TestExportAndImport(t *testing.T) {
	t.Parallel()
	from, to, ctx := newClient(t), newClient(t), t.Context()
	must[client.Saved](t)(from.Save(ctx, client.SaveInput{Content: "tea, not coffee", Project: "alpha"}))
	for _, format := range []string{client.FormatJSON, client.FormatWire} {
		var file bytes.Buffer
		if err := from.Export(ctx, &file, format, "alpha"); err != nil {
			t.Fatal(err)
		}
		trial := must[client.Imported](t)(to.Import(ctx, bytes.NewReader(file.Bytes()), true))
		done := must[client.Imported](t)(to.Import(ctx, &file, false))
		if !trial.DryRun || trial.Memories != done.Memories || done.Memories+done.Skipped == 0 {
			t.Errorf("%s: on trial %+v, then %+v", format, trial, done)
		}
	}
	if s := must[client.Stats](t)(to.Stats(ctx, "")); s.Memories != 1 {
		t.Errorf("%d memories after two imports of one, want 1", s.Memories)
	}
}

func TestErrorsAreTyped(t *testing.T) {
	t.Parallel()
	c, ctx := newClient(t), t.Context()
	if h, err := c.Health(ctx); err != nil || h.Version != "1.2.3" {
		t.Fatalf("Health() = %+v, %v", h, err)
	}
	_, err := c.Save(ctx, client.SaveInput{Content: " "})
	e, ok := errors.AsType[*client.Error](err)
	if !ok || e.Status != http.StatusBadRequest || e.Code != "content_required" || e.RequestID == "" || !errors.Is(err, engram.ErrInvalid) {
		t.Errorf("Save of nothing = %#v", err)
	}
	_, err = c.Save(ctx, client.SaveInput{Content: strings.Repeat("x", engram.DefaultMaxContent+1)})
	if !errors.Is(err, engram.ErrTooLarge) {
		t.Errorf("Save of too much = %v, want too large", err)
	}
	_, err = c.EndSession(ctx, "nobody", "")
	if !errors.Is(err, engram.ErrNotFound) {
		t.Errorf("EndSession of nobody = %v, want not found", err)
	}
}

func TestWrongTokenAndNoServer(t *testing.T) {
	t.Parallel()
	srv := httptest.NewServer(rest.New(rest.Services{}, rest.Options{Token: token}))
	_, err := dial(t, srv.URL, "wrong").Stats(t.Context(), "")
	if !errors.Is(err, engram.ErrUnauthenticated) || !strings.Contains(err.Error(), "token") {
		t.Errorf("Stats with a wrong token = %v, want unauthenticated and what to do", err)
	}
	srv.Close()
	_, err = dial(t, srv.URL, token).Stats(t.Context(), "")
	if !errors.Is(err, engram.ErrUnavailable) || !strings.Contains(err.Error(), "engram serve") {
		t.Errorf("Stats without a server = %v, want unavailable and what to do", err)
	}
}

// TestForeignServer: what answers may not be an engram at all.
func TestForeignServer(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) *client.Client {
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}))
		t.Cleanup(srv.Close)
		return dial(t, srv.URL, token)
	}
	_, err := answer(http.StatusBadGateway, "<html>").Get(t.Context(), 1)
	if e, ok := errors.AsType[*client.Error](err); !ok || e.Status != http.StatusBadGateway || !strings.Contains(err.Error(), "502") {
		t.Errorf("Get through a broken proxy = %v", err)
	}
	if _, err := answer(http.StatusOK, "<html>").Get(t.Context(), 1); err == nil {
		t.Error("Get of a page is no error")
	}
}

func TestCanceledCallIsTheContexts(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := newClient(t).Get(ctx, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("Get() = %v, want canceled", err)
	}
}

func TestNewRefusesWhatIsNoURL(t *testing.T) {
	t.Parallel()
	for _, url := range []string{"localhost:7437", "ftp://x", "http://", "::", "/tmp/engram.sock"} {
		if _, err := client.New(url, client.Options{}); !errors.Is(err, engram.ErrInvalid) {
			t.Errorf("New(%q) = %v, want invalid", url, err)
		}
	}
}
