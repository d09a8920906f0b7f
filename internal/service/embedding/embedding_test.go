package embedding_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"engram"
	"engram/internal/embed"
	"engram/internal/service/embedding"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

// model is a model of four dimensions that counts some letters.
type model struct {
	name string

	mu     sync.Mutex
	probed bool
	down   *engram.Error
	texts  []string
	hold   chan struct{} // closed = go on
	other  bool          // it is another model under the same name
	closed bool
}

func newModel(name string) *model { return &model{name: name} }

func (m *model) Model() string {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.probed {
		return ""
	}
	return m.name + "@4"
}

func (m *model) Dim() int { return 4 }

func (m *model) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
}

func (m *model) breakDown(err *engram.Error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = err
}

func (m *model) Probe(ctx context.Context) ([]float32, error) { return m.Question(ctx, "probe") }

func (m *model) Question(_ context.Context, question string) ([]float32, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down != nil {
		return nil, m.down
	}
	m.probed = true
	v := letters(question)
	if m.other {
		slices.Reverse(v)
		v[0] += 20
	}
	return v, nil
}

func letters(s string) []float32 {
	v := []float32{.1, .1, .1, .1}
	for i, l := range "abcd" {
		v[i] += float32(strings.Count(s, string(l)))
	}
	return v
}

func (m *model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if m.hold != nil {
		select {
		case <-m.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down != nil {
		return nil, m.down
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if strings.Contains(t, "poison") {
			return nil, &embed.TextError{Index: i, Err: engram.Errorf(engram.ErrUnavailable, "it cannot be read").WithCode("embedder_bad_answer")}
		}
		out[i] = letters(t)
	}
	m.texts = append(m.texts, texts...)
	return out, nil
}

func (m *model) given() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.texts)
}

var down = engram.Errorf(engram.ErrUnavailable, "nobody is there").WithCode("embedder_unreachable").WithHint("start it")

// fixture is a store with services over it.
type fixture struct {
	*sqlite.Store
	ctx context.Context
	now time.Time
	// written tells of each write of the store.
	written func()
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	f := &fixture{now: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), written: func() {}}
	f.Store = f.open(t, filepath.Join(t.TempDir(), "data", "memory.db"))
	f.ctx = engram.WithActor(t.Context(), engram.Actor{Name: "test", Workspace: engram.DefaultWorkspace, Access: engram.AccessAdmin})
	return f
}

func (f *fixture) open(t *testing.T, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{AfterWrite: func() { f.written() }})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

func (f *fixture) service(t *testing.T, m *model, edit ...func(*embedding.Options)) *embedding.Service {
	t.Helper()
	opts := embedding.Options{
		Recipe: m.name, Now: func() time.Time { return f.now }, Retry: time.Millisecond, Poll: time.Hour,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)), Model: m,
	}
	for _, e := range edit {
		e(&opts)
	}
	s := embedding.New(f.Store, opts)
	t.Cleanup(s.Stop)
	return s
}

func (f *fixture) save(t *testing.T, contents ...string) (ids []int64) {
	t.Helper()
	for _, c := range contents {
		m := &engram.Memory{
			Workspace: engram.DefaultWorkspace, Kind: engram.KindObservation, Type: engram.TypeManual, Project: "p",
			Scope: engram.ScopeProject, Title: c, Content: c, Hash: engram.ContentHash(c),
		}
		if title, content, ok := strings.Cut(c, ": "); ok {
			m.Title, m.Content = title, content
		}
		if _, err := f.SaveMemory(t.Context(), m, store.SaveRule{Now: f.now}); err != nil {
			t.Fatal(err)
		}
		ids = append(ids, m.ID)
	}
	return ids
}

// counts are have, lack, failed of a model.
func (f *fixture) counts(t *testing.T, name string) string {
	t.Helper()
	models, err := f.VectorModels(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range models {
		if m.Name == name+"@4" {
			return fmt.Sprint(m.Have, m.Lack, m.Failed)
		}
	}
	return "unknown"
}

// eventually waits until got gives want.
func eventually(t *testing.T, what string, got func() string, want string) {
	t.Helper()
	deadline := time.Now().Add(20 * time.Second)
	for got() != want {
		if time.Now().After(deadline) {
			t.Fatalf("%s: %s, want %s", what, got(), want)
		}
		<-time.After(2 * time.Millisecond)
	}
}

func run(t *testing.T, f *fixture, s *embedding.Service, want int) {
	t.Helper()
	if n, err := s.Run(f.ctx, nil); err != nil || n != want {
		t.Errorf("Run: %d, %v; want %d", n, err, want)
	}
}

func TestTextsAreGivenNewestFirst(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "first", "title: content", "third")
	m := newModel("m")
	s := f.service(t, m, func(o *embedding.Options) { o.Batch = 2 })
	run(t, f, s, 3)
	if diff := cmp.Diff([]string{"third", "title\ncontent", "first"}, m.given()); diff != "" {
		t.Errorf("texts (-want +got):\n%s", diff)
	}
	run(t, f, s, 0)
	f.save(t, "fourth")
	run(t, f, s, 1)
	if got := f.counts(t, "m"); got != "4 0 0" {
		t.Errorf("counts %s", got)
	}
}

func TestAPoisonedTextKeepsNobodyWaiting(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ids := f.save(t, "one", "poison", "two", "poison: too")
	m := newModel("m")
	s := f.service(t, m)
	run(t, f, s, 4)
	if got := f.counts(t, "m"); got != "2 0 2" {
		t.Errorf("counts %s", got)
	}
	run(t, f, s, 0)
	better := "it is well again"
	if _, err := f.UpdateMemory(t.Context(), engram.DefaultWorkspace, ids[1], store.Patch{Content: &better, Title: &better}, f.now); err != nil {
		t.Fatal(err)
	}
	run(t, f, s, 1)
	if got := f.counts(t, "m"); got != "3 0 1" {
		t.Errorf("counts after the edit: %s", got)
	}
	if _, err := f.Check(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	if got := f.counts(t, "m"); got != "3 1 0" {
		t.Errorf("counts after the repair: %s", got)
	}
	run(t, f, s, 1)
}

func TestWhatIsWrittenIsEmbeddedInTheBackground(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	m := newModel("m")
	s := f.service(t, m)
	f.written = s.Written
	f.save(t, "before")
	s.Start(f.ctx)
	counts := func() string { return f.counts(t, "m") }
	eventually(t, "at the start", counts, "1 0 0")
	f.save(t, "a", "b")
	eventually(t, "after a write", counts, "3 0 0")
	m.breakDown(down)
	f.save(t, "c")
	eventually(t, "trouble", func() string {
		status, err := s.Status(f.ctx)
		if err != nil {
			t.Fatal(err)
		}
		return status[0].Trouble
	}, "nobody is there")
	if got := counts(); got != "3 1 0" {
		t.Errorf("counts while it is down: %s", got)
	}
	m.breakDown(nil)
	eventually(t, "when it is back", counts, "4 0 0")
	eventually(t, "no more trouble", func() string {
		status, err := s.Status(f.ctx)
		if err != nil {
			t.Fatal(err)
		}
		return status[0].Trouble
	}, "")
	s.Stop()
	s.Stop()
	f.save(t, "late")
	if got := counts(); got != "4 1 0" {
		t.Errorf("counts after the end: %s", got)
	}
}

func TestOneProcessEmbeds(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "one", "two", "three")
	slow, other := newModel("m"), newModel("m")
	slow.hold = make(chan struct{})
	first, second := f.service(t, slow), f.service(t, other, func(o *embedding.Options) { o.BusyWait = time.Millisecond })
	first.Start(f.ctx)
	eventually(t, "the first has begun", func() string { return f.counts(t, "m") }, "0 3 0")
	_, err := second.Run(f.ctx, nil)
	if !errors.Is(err, engram.ErrConflict) || engram.ErrorCode(err) != "embedding_busy" {
		t.Errorf("the second: %v", err)
	}
	// Nor is a process that was killed waited for in vain: its lease runs out.
	patient := f.service(t, newModel("m"), func(o *embedding.Options) { o.BusyWait = 20 * time.Second })
	waited := make(chan error, 1)
	go func() { _, err := patient.Run(f.ctx, nil); waited <- err }()
	first.Stop() // in the middle: the lease is given back, and nothing is half done
	if err := <-waited; err != nil || f.counts(t, "m") != "3 0 0" {
		t.Errorf("the one that waits: %v, %s", err, f.counts(t, "m"))
	}
	run(t, f, second, 0)
}

// A holder that was killed gives nothing back; its lease runs out.
func TestAKilledProcessIsFollowed(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "one")
	if ok, err := f.AcquireLease(t.Context(), "embedding", "dead", f.now, time.Minute); err != nil || !ok {
		t.Fatal(ok, err)
	}
	s := f.service(t, newModel("m"), func(o *embedding.Options) { o.BusyWait = time.Millisecond })
	if _, err := s.Run(f.ctx, nil); !errors.Is(err, engram.ErrConflict) {
		t.Errorf("while the lease lasts: %v", err)
	}
	f.now = f.now.Add(2 * time.Minute)
	run(t, f, s, 1)
}

func TestBothModelsAreAskedUntilTheNewOneHasAll(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "aa", "bb")
	run(t, f, f.service(t, newModel("old")), 2)
	f.now = f.now.Add(time.Hour)
	older := newModel("old")
	next := newModel("new")
	s := f.service(t, next, func(o *embedding.Options) {
		o.Older = func(recipe string) (embedding.Model, error) {
			if recipe != "old" {
				t.Errorf("recipe %q", recipe)
			}
			return older, nil
		}
	})
	ask := func() (models []string, warnings []string) {
		vectors, warnings := s.Question(f.ctx, "a")
		for _, v := range vectors {
			models = append(models, v.Model)
		}
		return models, warnings
	}
	if models, warnings := ask(); !slices.Equal(models, []string{"new@4", "old@4"}) || len(warnings) > 0 {
		t.Errorf("at first: %v, %v", models, warnings)
	}
	run(t, f, s, 2)
	if models, _ := ask(); !slices.Equal(models, []string{"new@4"}) || !older.closed {
		t.Errorf("when it has all: %v, closed %v", models, older.closed)
	}
	if err := s.Idle(f.ctx); err != nil || f.counts(t, "old") != "2 0 0" {
		t.Errorf("idle: %v, %s", err, f.counts(t, "old"))
	}
	f.now = f.now.Add(8 * 24 * time.Hour)
	if err := s.Idle(f.ctx); err != nil || f.counts(t, "old") != "unknown" || f.counts(t, "new") != "2 0 0" {
		t.Errorf("idle after a week: %v, old %s, new %s", err, f.counts(t, "old"), f.counts(t, "new"))
	}
}

func TestAServerWithoutTheModelBefore(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "aa")
	run(t, f, f.service(t, newModel("old")), 1)
	f.now = f.now.Add(time.Hour)
	older := newModel("old")
	older.breakDown(engram.Errorf(engram.ErrUnavailable, "no such model").WithCode("embedder_model_unknown"))
	s := f.service(t, newModel("new"), func(o *embedding.Options) {
		o.Older = func(string) (embedding.Model, error) { return older, nil }
	})
	for range 2 {
		if vectors, warnings := s.Question(f.ctx, "a"); len(vectors) != 1 || len(warnings) != 0 {
			t.Errorf("%v, %v", vectors, warnings)
		}
	}
	if !older.closed {
		t.Error("the model that is not there is still asked")
	}
}

func TestQuestionsNameWhatIsWrong(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	m := newModel("m")
	m.breakDown(down)
	s := f.service(t, m)
	vectors, warnings := s.Question(f.ctx, "a")
	if want := []string{"embedder_unreachable: nobody is there"}; len(vectors) != 0 || !slices.Equal(warnings, want) {
		t.Errorf("%v, %q", vectors, warnings)
	}
	found, err := s.Findings(f.ctx)
	if err != nil || len(found) != 1 || found[0].OK || found[0].Fix != "start it" {
		t.Errorf("findings %+v, %v", found, err)
	}
	m.breakDown(nil)
	f.save(t, "one")
	if found, err = s.Findings(f.ctx); err != nil || !found[0].OK {
		t.Errorf("findings %+v, %v", found, err)
	}
}

func TestWithoutAModelNothingIsDone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := embedding.New(f.Store, embedding.Options{})
	defer s.Stop()
	s.Start(f.ctx)
	s.Written()
	f.save(t, "one")
	run(t, f, s, 0)
	if v, w := s.Question(f.ctx, "a"); v != nil || w != nil || s.Set() {
		t.Errorf("%v, %v, %v", v, w, s.Set())
	}
	if found, err := s.Findings(f.ctx); err != nil || found != nil {
		t.Errorf("findings %v, %v", found, err)
	}
}

func TestNobodyGetsNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	s := f.service(t, newModel("m"))
	_, err := s.Run(t.Context(), nil)
	for _, err := range []error{
		err, s.Idle(t.Context()), second(s.Status(t.Context())), second(s.Findings(t.Context())),
	} {
		if !errors.Is(err, engram.ErrUnauthenticated) {
			t.Errorf("error %v", err)
		}
	}
}

func second[T any](_ T, err error) error { return err }

func TestAnotherModelBehindTheName(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "one", "two")
	run(t, f, f.service(t, newModel("m")), 2)
	run(t, f, f.service(t, newModel("m")), 0) // the same in another process
	other := newModel("m")
	other.other = true
	run(t, f, f.service(t, other), 2)
	again := newModel("m")
	again.other = true
	run(t, f, f.service(t, again), 0)
	if got := f.counts(t, "m"); got != "2 0 0" {
		t.Errorf("counts %s", got)
	}
}
