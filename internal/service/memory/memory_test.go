package memory_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

// clock is a time that tests move.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) Add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// fixture is a service over a store of its own.
type fixture struct {
	*memory.Service
	store store.Store
	clock *clock
	dir   string
}

func newFixture(t testing.TB, edit ...func(*memory.Options)) *fixture {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data") // made by the engine, with its permissions
	st := openStore(t, filepath.Join(dir, "memory.db"))
	c := newClock()
	opts := memory.Options{Now: c.Now}
	for _, e := range edit {
		e(&opts)
	}
	s := memory.New(st, opts)
	t.Cleanup(s.Close)
	return &fixture{Service: s, store: st, clock: c, dir: dir}
}

func openStore(t testing.TB, path string) store.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

func as(ctx context.Context, access engram.Access, origin engram.Origin) context.Context {
	return engram.WithActor(ctx, engram.Actor{
		Name: "test", Workspace: engram.DefaultWorkspace, Access: access, Origin: origin,
	})
}

// agent is the context of an agent that may do everything.
func agent(t testing.TB) context.Context {
	return as(t.Context(), engram.AccessAdmin, engram.OriginAgent)
}

func (f *fixture) save(t testing.TB, in memory.SaveInput) memory.SaveResult {
	t.Helper()
	r, err := f.Save(agent(t), in)
	if err != nil {
		t.Fatalf("Save(%.60q, %.60q): %v", in.Title, in.Content, err)
	}
	return r
}

func (f *fixture) get(t testing.TB, id int64) *engram.Memory {
	t.Helper()
	m, err := f.Get(agent(t), id)
	if err != nil {
		t.Fatalf("Get(%d): %v", id, err)
	}
	return m
}

// count is how many living memories there are.
func (f *fixture) count(t testing.TB) int {
	t.Helper()
	n, err := f.store.CountMemories(t.Context(), store.Filter{Workspace: engram.DefaultWorkspace})
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// wantError checks the kind and the code of an error.
func wantError(t testing.TB, err, kind error, code string) {
	t.Helper()
	if !errors.Is(err, kind) || (code != "" && engram.ErrorCode(err) != code) {
		t.Errorf("error = %v (%s), want %v (%s)", err, engram.ErrorCode(err), kind, code)
	}
}

// readLines decodes a file of one JSON value a line.
func readLines[T any](t testing.TB, path string) []T {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []T
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		if strings.TrimSpace(sc.Text()) == "" {
			continue
		}
		var v T
		if err := json.Unmarshal(sc.Bytes(), &v); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		out = append(out, v)
	}
	if err := sc.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

func ptr[T any](v T) *T { return &v }

// discard is a store that keeps nothing that is saved, to measure what a
// service adds.
type discard struct{ store.Store }

func (discard) SaveMemory(context.Context, *engram.Memory, store.SaveRule) (store.Saved, error) {
	return store.Saved{ID: 1}, nil
}
