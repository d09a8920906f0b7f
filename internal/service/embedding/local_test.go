package embedding_test

import (
	"bytes"
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"engram"
	"engram/internal/service/embedding"
)

// inside is a model of four dimensions in this process: a passage is a line.
type inside struct {
	damaged *engram.Error
	hold    chan struct{} // a question waits until it is closed
	slow    time.Duration // of each text

	mu        sync.Mutex
	texts     []string
	questions int
	probes    int
}

func (m *inside) Model() string { return "inside@4" }
func (m *inside) Dim() int      { return 4 }
func (m *inside) Close()        {}

func (m *inside) Probe(ctx context.Context) ([]float32, error) {
	m.mu.Lock()
	m.probes++
	m.mu.Unlock()
	return m.Question(ctx, "probe")
}

func (m *inside) Question(ctx context.Context, question string) ([]float32, error) {
	m.mu.Lock()
	m.questions++
	m.mu.Unlock()
	if m.damaged != nil {
		return nil, m.damaged
	}
	if m.hold != nil {
		select {
		case <-m.hold:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
	return letters(question), nil
}

func (m *inside) Embed(context.Context, []string) ([][]float32, error) {
	panic("texts are given to Passages")
}

func (m *inside) Passages(ctx context.Context, text string) ([][]float32, error) {
	if m.damaged != nil {
		return nil, m.damaged
	}
	select {
	case <-time.After(m.slow):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.texts = append(m.texts, text)
	var out [][]float32
	for line := range strings.Lines(text) {
		out = append(out, letters(line))
	}
	return out, nil
}

// asked are texts, questions and probes so far.
func (m *inside) asked() (texts []string, questions, probes int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.texts), m.questions, m.probes
}

var damaged = engram.Errorf(engram.ErrUnavailable, "the model in the binary is damaged").
	WithCode("encoder_unavailable").WithHint("install it again")

func (f *fixture) local(t *testing.T, m *inside, edit ...func(*embedding.Options)) *embedding.Service {
	t.Helper()
	opts := embedding.Options{
		Model: m, Recipe: "inside", Now: func() time.Time { return f.now },
		Delay: time.Millisecond, Retry: time.Millisecond, Poll: time.Hour,
		Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
	}
	for _, e := range edit {
		e(&opts)
	}
	s := embedding.New(f.Store, opts)
	t.Cleanup(s.Stop)
	return s
}

func TestLocalModelGetsTextsNewestFirst(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "first", "title: content", "third")
	m := &inside{}
	s := f.local(t, m)
	f.written = s.Written
	s.Start(f.ctx)
	counts := func() string { return f.counts(t, "inside") }
	eventually(t, "the backlog", counts, "3 0 0")
	texts, _, probes := m.asked()
	if want := []string{"third", "title\ncontent", "first"}; !slices.Equal(texts, want) || probes != 0 {
		t.Errorf("texts %q and %d probes, want %q and none", texts, probes, want)
	}
	f.save(t, "fourth")
	eventually(t, "after a save", counts, "4 0 0")
	if texts, _, _ := m.asked(); len(texts) != 4 {
		t.Errorf("texts %q, want each once", texts)
	}
}

// Whoever neither searches nor has anything to embed does not load the model.
func TestLocalModelIsNotAskedForNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "one")
	run(t, f, f.local(t, &inside{}), 1)
	m := &inside{}
	polls := make(chan struct{}, 1)
	s := f.local(t, m, func(o *embedding.Options) {
		o.Poll = time.Millisecond
		o.Now = func() time.Time { // of each round
			select {
			case polls <- struct{}{}:
			default:
			}
			return f.now
		}
	})
	s.Start(f.ctx)
	for range 3 {
		<-polls
	}
	s.Written()
	if _, err := s.Status(f.ctx); err != nil {
		t.Error(err)
	}
	s.Stop()
	if texts, questions, probes := m.asked(); len(texts)+questions+probes > 0 {
		t.Errorf("asked for %q, %d questions, %d probes", texts, questions, probes)
	}
}

// Many are embedded by several threads where somebody waits, each once.
func TestLocalModelWithSomebodyWaiting(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var contents []string
	for i := range 300 {
		contents = append(contents, strings.Repeat("a", i+1))
	}
	f.save(t, contents...)
	m := &inside{}
	last := 0
	s := f.local(t, m)
	n, err := s.Run(f.ctx, func(done int) {
		if done <= last {
			t.Errorf("progress %d after %d", done, last)
		}
		last = done
	})
	if err != nil || n != 300 || last != 300 || f.counts(t, "inside") != "300 0 0" {
		t.Errorf("Run: %d, %v, progress %d, counts %s", n, err, last, f.counts(t, "inside"))
	}
	texts, _, _ := m.asked()
	slices.Sort(texts)
	slices.Sort(contents)
	if !slices.Equal(texts, contents) {
		t.Errorf("%d texts, want each once", len(texts))
	}
}

// Several processes share the work: each text is encoded once.
func TestTwoProcessesOneLease(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var contents []string
	for i := range 40 {
		contents = append(contents, strings.Repeat("b", i+1))
	}
	f.save(t, contents...)
	m := &inside{slow: time.Millisecond}
	one, other := f.local(t, m), f.local(t, m)
	f.written = func() { one.Written(); other.Written() }
	one.Start(f.ctx)
	other.Start(f.ctx)
	for i := range 5 {
		content := strings.Repeat("c", i+1)
		contents = append(contents, content)
		f.save(t, content)
	}
	eventually(t, "all", func() string { return f.counts(t, "inside") }, "45 0 0")
	one.Stop()
	other.Stop()
	texts, _, _ := m.asked()
	slices.Sort(texts)
	slices.Sort(contents)
	if !slices.Equal(texts, contents) {
		t.Errorf("%d texts were encoded, want each of %d once", len(texts), len(contents))
	}
}

// A process that is killed loses little of a batch that takes long.
func TestLocalModelIsSavedOnTheWay(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "one", "two", "three", "four", "five")
	m := &inside{slow: 150 * time.Millisecond}
	s := f.local(t, m)
	var saved []string
	ctx, cancel := context.WithCancel(f.ctx)
	s.Start(ctx)
	eventually(t, "some are saved", func() string {
		got := f.counts(t, "inside")
		if !slices.Contains(saved, got) {
			saved = append(saved, got)
		}
		return got
	}, "5 0 0")
	cancel()
	if len(saved) < 3 { // none, some, all
		t.Errorf("saved %q, want a part before all", saved)
	}
}

// Texts wait for questions, but not for ever.
func TestQuestionsWithoutEndDoNotStarveTexts(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "one")
	m := &inside{hold: make(chan struct{})}
	s := f.local(t, m)
	s.Start(f.ctx)
	answered := make(chan struct{})
	go func() {
		defer close(answered)
		if v, w := s.Question(f.ctx, "a"); len(v) != 1 || len(w) > 0 {
			t.Errorf("%v, %q", v, w)
		}
	}()
	eventually(t, "while a question is asked", func() string { return f.counts(t, "inside") }, "1 0 0")
	close(m.hold)
	<-answered
}

func TestDamagedLocalModel(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "one")
	var log bytes.Buffer
	s := f.local(t, &inside{damaged: damaged}, func(o *embedding.Options) {
		o.Log, o.MaxRetry = slog.New(slog.NewTextHandler(&log, nil)), time.Millisecond
	})
	s.Start(f.ctx)
	eventually(t, "noted for others", func() string {
		status, err := s.Status(f.ctx)
		if err != nil {
			t.Fatal(err)
		}
		if len(status) == 0 {
			return "nothing"
		}
		return status[0].Trouble
	}, "the model in the binary is damaged")
	for _, want := range [][]string{{"encoder_unavailable: the model in the binary is damaged"}, nil} {
		if vectors, warnings := s.Question(f.ctx, "a"); len(vectors) > 0 || !slices.Equal(warnings, want) {
			t.Errorf("%v, %q; want %q", vectors, warnings, want)
		}
	}
	found, err := s.Findings(f.ctx)
	if err != nil || len(found) != 1 || found[0].OK || !strings.Contains(found[0].Message, "damaged") || found[0].Fix != "install it again" {
		t.Errorf("findings %+v, %v", found, err)
	}
	if _, err := s.Run(f.ctx, nil); engram.ErrorCode(err) != "encoder_unavailable" {
		t.Errorf("Run: %v", err)
	}
	s.Stop()
	if n := strings.Count(log.String(), "level=ERROR"); n != 1 {
		t.Errorf("logged %d times, want once:\n%s", n, log.String())
	}
}

// A process that asks one question and ends loads the model only where memories
// have vectors of it.
func TestOneQuestionOfAShortLife(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "one")
	m := &inside{}
	if v, w := f.local(t, m).Question(f.ctx, "a"); len(v)+len(w) > 0 {
		t.Errorf("%v, %q; want nothing where there are no vectors", v, w)
	}
	if _, questions, _ := m.asked(); questions > 0 {
		t.Error("the model was loaded for nothing")
	}
	run(t, f, f.local(t, &inside{}), 1)
	if v, w := f.local(t, m).Question(f.ctx, "a"); len(v) != 1 || len(w) > 0 {
		t.Errorf("%v, %q; want the vector", v, w)
	}
}

func TestTextsOnly(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "one")
	m := &inside{}
	s := f.local(t, m, func(o *embedding.Options) { o.TextsOnly = true })
	run(t, f, s, 1)
	if s.Heard() || !f.local(t, m).Heard() {
		t.Error("questions are said to be put to it")
	}
	if v, w := s.Question(f.ctx, "a"); v != nil || w != nil {
		t.Errorf("%v, %q; want that no question is put to it", v, w)
	}
	if _, questions, _ := m.asked(); questions != 0 {
		t.Errorf("%d questions", questions)
	}
	found, err := s.Findings(f.ctx)
	if err != nil || len(found) != 1 || !found[0].OK || !strings.Contains(found[0].Message, "questions are left to the table") {
		t.Errorf("findings %+v, %v", found, err)
	}
}

// A server that was left for the model in this process is not asked, without a word;
// the model in this process is, as long as a server lacks texts.
func TestFromAServerToTheLocalModelAndBack(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "aa", "bb")
	run(t, f, f.service(t, newModel("server")), 2)
	f.now = f.now.Add(time.Hour)
	local := f.local(t, &inside{}, func(o *embedding.Options) {
		o.Older = func(recipe string) (embedding.Model, error) {
			if recipe != "server" {
				t.Errorf("recipe %q", recipe)
			}
			return nil, nil
		}
	})
	run(t, f, local, 2)
	for range 2 {
		if v, w := local.Question(f.ctx, "a"); len(v) != 1 || v[0].Model != "inside@4" || len(w) > 0 {
			t.Errorf("%v, %q; want the local model alone", v, w)
		}
	}
	if got := f.counts(t, "server"); got != "2 0 0" {
		t.Errorf("vectors of the server: %s, want that they rest", got)
	}
	f.save(t, "cc") // the server lacks it
	f.now = f.now.Add(time.Hour)
	back := f.service(t, newModel("server"), func(o *embedding.Options) {
		o.Older = func(string) (embedding.Model, error) { return &inside{}, nil }
	})
	if v, w := back.Question(f.ctx, "a"); len(v) != 2 || v[1].Model != "inside@4" || len(w) > 0 {
		t.Errorf("%v, %q; want both", v, w)
	}
	run(t, f, back, 1)
	if v, _ := back.Question(f.ctx, "a"); len(v) != 1 {
		t.Errorf("%v, want the server alone when it has all", v)
	}
}
