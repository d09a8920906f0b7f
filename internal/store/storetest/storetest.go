// Package storetest is the specification of a storage engine as tests: every
// sentence of the contract in package store is a subtest here. An engine's own
// tests call [Run] and add what is the engine's alone. How an engine does it,
// and how fast, is not asked here.
package storetest

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"engram"
	"engram/internal/store"
)

// Opener opens stores for a test.
type Opener struct {
	// Open opens a fresh store, which the test closes.
	Open func(t *testing.T) store.Store
	// Pair opens two stores on one fresh database, as two processes would.
	Pair func(t *testing.T) (a, b store.Store)
	// TextOnly says that the engine refuses texts with a NUL character.
	TextOnly bool
	// NoFile says that the store is no file, so that it refuses to be copied into one.
	NoFile bool
}

// Run checks everything that package store says of an engine.
func Run(t *testing.T, open Opener) {
	for _, group := range []struct {
		name  string
		tests map[string]func(t *testing.T, st *fixture)
	}{
		{"save", saveTests},
		{"duplicate", duplicateTests},
		{"read", readTests},
		{"list", listTests},
		{"keyword", keywordTests},
		{"nearest", nearestTests},
		{"vector", vectorTests},
		{"update", updateTests},
		{"delete", deleteTests},
		{"session", sessionTests},
		{"prompt", promptTests},
		{"project", projectTests},
		{"merged", mergedTests},
		{"setting", settingTests},
		{"job", jobTests},
		{"transfer", transferTests},
		{"upkeep", upkeepTests},
		{"concurrency", concurrencyTests},
	} {
		t.Run(group.name, func(t *testing.T) {
			t.Parallel()
			for name, test := range group.tests {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					st := open.Open(t)
					closeAfter(t, st)
					test(t, &fixture{Store: st, open: open, now: start})
				})
			}
		})
	}
}

// openTo opens another fresh store for the length of the test.
func (f *fixture) openTo(t *testing.T) store.Store {
	t.Helper()
	st := f.open.Open(t)
	closeAfter(t, st)
	return st
}

// pair opens two stores on one fresh database for the length of the test.
func (f *fixture) pair(t *testing.T) (a, b store.Store) {
	t.Helper()
	a, b = f.open.Pair(t)
	closeAfter(t, a, b)
	return a, b
}

func closeAfter(t *testing.T, stores ...store.Store) {
	for _, st := range stores {
		t.Cleanup(func() {
			if err := st.Close(); err != nil {
				t.Errorf("Close: %v", err)
			}
		})
	}
}

// start is when every test begins.
var start = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

const ws = "default"

// fixture is a store with a clock.
type fixture struct {
	store.Store
	open Opener
	now  time.Time
}

// tick moves the clock and gives the time.
func (f *fixture) tick(d time.Duration) time.Time {
	f.now = f.now.Add(d)
	return f.now
}

func (f *fixture) rule() store.SaveRule {
	return store.SaveRule{Now: f.now, Window: 15 * time.Minute}
}

// note is a memory with all that a save needs.
func note(title, content string, set ...func(*engram.Memory)) *engram.Memory {
	m := &engram.Memory{
		Workspace: ws, Kind: engram.KindObservation, Type: engram.TypeManual, Title: title, Content: content,
		Project: "tea", Scope: engram.ScopeProject, Session: "s1", Origin: engram.OriginAgent, Trust: 2,
		Hash: engram.ContentHash(content),
	}
	for _, s := range set {
		s(m)
	}
	return m
}

func project(p string) func(*engram.Memory) { return func(m *engram.Memory) { m.Project = p } }

func scope(s engram.Scope) func(*engram.Memory) { return func(m *engram.Memory) { m.Scope = s } }

func topic(k string) func(*engram.Memory)   { return func(m *engram.Memory) { m.TopicKey = k } }
func typed(k string) func(*engram.Memory)   { return func(m *engram.Memory) { m.Type = k } }
func session(s string) func(*engram.Memory) { return func(m *engram.Memory) { m.Session = s } }

func occurred(t time.Time) func(*engram.Memory) { return func(m *engram.Memory) { m.OccurredAt = t } }

func inWorkspace(w string) func(*engram.Memory) { return func(m *engram.Memory) { m.Workspace = w } }

func status(s string) func(*engram.Memory) { return func(m *engram.Memory) { m.Status = s } }

func originName(name string) func(m *engram.Memory) {
	return func(m *engram.Memory) { m.ProjectOrigin = name }
}

// save stores m by the usual rule and the fixture's clock.
func (f *fixture) save(t *testing.T, m *engram.Memory) store.Saved {
	t.Helper()
	saved, err := f.SaveMemory(t.Context(), m, f.rule())
	if err != nil {
		t.Fatalf("SaveMemory(%q): %v", m.Title, err)
	}
	return saved
}

// get is a memory, living or not.
func (f *fixture) get(t *testing.T, id int64) *engram.Memory {
	t.Helper()
	return must(f.Memory(t.Context(), ws, id, true))(t)
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

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// wantKind checks which kind of error err is.
func wantKind(t *testing.T, what string, err, kind error) {
	t.Helper()
	if !isKind(err, kind) {
		t.Errorf("%s: error %v, want kind %v", what, err, kind)
	}
}

func same[T any](t *testing.T, what string, got, want T, opts ...cmp.Option) {
	t.Helper()
	opts = append(opts, cmpopts.EquateEmpty())
	if diff := cmp.Diff(want, got, opts...); diff != "" {
		t.Errorf("%s mismatch (-want +got):\n%s", what, diff)
	}
}

func titles(ms []*engram.Memory) string {
	var out []string
	for _, m := range ms {
		out = append(out, m.Title)
	}
	return strings.Join(out, " ")
}

func memoryIDs(ms []*engram.Memory) []int64 {
	var out []int64
	for _, m := range ms {
		out = append(out, m.ID)
	}
	return out
}

// list is the titles of what a filter lists.
func (f *fixture) list(t *testing.T, filter store.Filter, order store.Order, page store.Page) string {
	t.Helper()
	if filter.Workspace == "" {
		filter.Workspace = ws
	}
	ms := must(f.ListMemories(t.Context(), filter, order, page))(t)
	if page == (store.Page{}) {
		if n := must(f.CountMemories(t.Context(), filter))(t); n != len(ms) {
			t.Errorf("CountMemories(%+v) = %d, ListMemories gives %d", filter, n, len(ms))
		}
	}
	return titles(ms)
}

// export is all of the workspace in one batch.
func export(ctx context.Context, st store.Store, projects []string, size int) (all store.Batch, batches int, err error) {
	err = st.Export(ctx, ws, projects, size, func(b store.Batch) error {
		if n := len(b.Sessions) + len(b.Memories) + len(b.Prompts) + len(b.Supports); n > size {
			return fmt.Errorf("a batch has %d items, want at most %d", n, size)
		}
		batches++
		all.Sessions = append(all.Sessions, b.Sessions...)
		all.Memories = append(all.Memories, b.Memories...)
		all.Prompts = append(all.Prompts, b.Prompts...)
		all.Versions = append(all.Versions, b.Versions...)
		all.Supports = append(all.Supports, b.Supports...)
		for alias, project := range b.Aliases {
			if all.Aliases == nil {
				all.Aliases = map[string]string{}
			}
			all.Aliases[alias] = project
		}
		for remote, project := range b.Remotes {
			if all.Remotes == nil {
				all.Remotes = map[string]string{}
			}
			all.Remotes[remote] = project
		}
		return nil
	})
	slices.SortFunc(all.Supports, func(a, b [2]string) int { return strings.Compare(a[0]+a[1], b[0]+b[1]) })
	return all, batches, err
}
