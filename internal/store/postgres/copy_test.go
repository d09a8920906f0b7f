package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"engram"
	"engram/internal/store"
	"engram/internal/store/postgres/postgrestest"
	"engram/internal/store/sqlite"
	"engram/internal/store/sqlstore"
)

const ws = "default"

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func memory(title, content, topic string) *engram.Memory {
	return &engram.Memory{
		Workspace: ws, Kind: engram.KindObservation, Type: engram.TypeManual, Title: title, Content: content, Project: "tea",
		Scope: engram.ScopeProject, Session: "s1", Origin: engram.OriginAgent, Trust: 2, TopicKey: topic, Hash: engram.ContentHash(content),
	}
}

// must gives v, or ends the test.
func must[T any](v T, err error) func(t *testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// filled is a store in a file with something of everything.
func filled(t *testing.T) (*sqlite.Store, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "memory.db")
	s := must(sqlite.Open(t.Context(), path, sqlite.Options{}))(t)
	t.Cleanup(func() { _ = s.Close() })
	rule := store.SaveRule{Now: now, Window: time.Minute}
	for i := range 1200 {
		_ = must(s.SaveMemory(t.Context(), memory(fmt.Sprint("note ", i), fmt.Sprint("kettle number ", i), fmt.Sprint("k/", i%700)), rule))(t)
	}
	nul := memory("nul", "a kettle\x00of nothing", "")
	_ = must(s.SaveMemory(t.Context(), nul, rule))(t)
	_ = must(s.DeleteMemory(t.Context(), ws, 3, now))(t)
	_ = must(s.EraseMemory(t.Context(), ws, 4, now))(t)
	_ = must(s.EraseMemory(t.Context(), ws, nul.ID, now))(t)
	_ = must(s.SaveMemory(t.Context(), memory("nul", "another kettle\x00", ""), rule))(t)
	if err := s.SavePrompt(t.Context(), &engram.Prompt{Workspace: ws, Session: "s1", Project: "tea", Content: "a kettle?", CreatedAt: now}); err != nil {
		t.Fatal(err)
	}
	if err := s.UseVectorModel(t.Context(), store.VectorModel{Name: "colours@3", Dim: 3}, now); err != nil {
		t.Fatal(err)
	}
	_ = must(s.SaveVectors(t.Context(), "colours@3", []store.TextVector{{ID: 1, Version: 2, Units: [][]float32{{1, 0, 0}, {0, 1, 0}}}}))(t)
	_ = must(s.MergeProjects(t.Context(), ws, "tea", "coffee", now))(t)
	return s, path
}

// all is an export of everything.
func all(t *testing.T, s store.Store) (b store.Batch) {
	t.Helper()
	err := s.Export(t.Context(), ws, nil, 500, func(part store.Batch) error {
		b.Sessions = append(b.Sessions, part.Sessions...)
		b.Memories = append(b.Memories, part.Memories...)
		b.Versions = append(b.Versions, part.Versions...)
		b.Prompts = append(b.Prompts, part.Prompts...)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestCopy(t *testing.T) {
	t.Parallel()
	from, _ := filled(t)
	to := open(t, postgrestest.Schema(t))
	t.Cleanup(func() { _ = to.Close() })

	stopped := errors.New("stopped")
	ctx, cancel := context.WithCancelCause(t.Context())
	_, err := to.CopyFrom(ctx, from.Store, "a file", sqlstore.CopyOptions{Progress: func(c sqlstore.Copied) {
		if c.Table == "memories" && c.Rows == 500 {
			cancel(stopped)
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("a copy that is stopped: %v", err)
	}
	if _, err := to.CopyFrom(t.Context(), from.Store, "another file", sqlstore.CopyOptions{}); engram.ErrorCode(err) != "copy_of_another" {
		t.Errorf("going on from another store: %v", err)
	}
	copied := must(to.CopyFrom(t.Context(), from.Store, "a file", sqlstore.CopyOptions{}))(t)
	for _, c := range copied {
		if c.Rows != c.Of {
			t.Errorf("table %s: %d rows of %d", c.Table, c.Rows, c.Of)
		}
	}
	want, got := all(t, from), all(t, to)
	want.Memories[len(want.Memories)-1].Content = "another kettle\uFFFD"
	if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("what is there (-source +copy):\n%.2000s", diff)
	}
	for _, f := range must(to.Check(t.Context(), false))(t) {
		if !f.OK {
			t.Errorf("check: %+v", f)
		}
	}
	q := store.KeywordQuery{
		Filter: store.Filter{Workspace: ws}, Limit: 5, Terms: []store.Term{{Text: "kettle", Weight: 1}, {Text: "1100", Weight: 1}},
		Vectors: []store.QueryVector{{Model: "colours@3", Unit: []float32{0, 1, 0}}},
	}
	a, b := must(from.Keyword(t.Context(), q))(t), must(to.Keyword(t.Context(), q))(t)
	same := cmp.Options{
		cmpopts.EquateEmpty(), cmpopts.EquateApprox(1e-4, 1e-6),
		cmpopts.IgnoreFields(store.KeywordHit{}, "Session"),
	}
	if diff := cmp.Diff(a, b, same); diff != "" {
		t.Errorf("what is found (-source +copy):\n%.2000s", diff)
	}
	last := want.Memories[len(want.Memories)-1].ID
	if saved := must(to.SaveMemory(t.Context(), memory("new", "a new one", ""), store.SaveRule{Now: now}))(t); saved.ID <= last {
		t.Errorf("the next memory is %d, want one after %d", saved.ID, last)
	}
	if _, err := to.CopyFrom(t.Context(), from.Store, "a file", sqlstore.CopyOptions{}); engram.ErrorCode(err) != "target_not_empty" {
		t.Errorf("a copy into a store that has something: %v", err)
	}

	back := must(sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "data", "back.db"), sqlite.Options{}))(t)
	t.Cleanup(func() { _ = back.Close() })
	_ = must(back.CopyFrom(t.Context(), to.Store, "a server", sqlstore.CopyOptions{}))(t)
	if diff := cmp.Diff(all(t, to), all(t, back), cmpopts.EquateEmpty()); diff != "" {
		t.Errorf("what came back (-server +file):\n%.2000s", diff)
	}
	for _, f := range must(back.Check(t.Context(), false))(t) {
		if !f.OK {
			t.Errorf("check of what came back: %+v", f)
		}
	}
}
