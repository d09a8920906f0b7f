package embedding_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/service/embedding"
)

// served is a model of a server, which may become another one.
type served struct {
	*model
	mixesUp bool // the two of a request
}

func (m *served) QuestionAndProbe(ctx context.Context, question string) (unit, probe []float32, err error) {
	unit, err = m.Question(ctx, question)
	if err != nil {
		return nil, nil, err
	}
	probe, err = m.Probe(ctx)
	if m.mixesUp {
		unit, probe = probe, unit
	}
	return unit, probe, err
}

func (m *served) becomeAnother() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.other = !m.other
}

func (f *fixture) served(t *testing.T, m *served, edit ...func(*embedding.Options)) *embedding.Service {
	t.Helper()
	return f.service(t, m.model, append(edit, func(o *embedding.Options) { o.Model = m })...)
}

// asks is how many vectors and the code of the only warning a question gets.
func asks(t *testing.T, f *fixture, s *embedding.Service) (vectors int, code string) {
	t.Helper()
	found, warnings := s.Question(f.ctx, "bbb")
	if len(warnings) > 1 {
		t.Errorf("warnings %q", warnings)
	}
	for _, w := range warnings {
		code, _, _ = strings.Cut(w, ":")
	}
	return len(found), code
}

func wantAnswer(t *testing.T, f *fixture, s *embedding.Service, what string, vectors int, code string) {
	t.Helper()
	if n, c := asks(t, f, s); n != vectors || c != code {
		t.Errorf("%s: %d vectors and warning %q, want %d and %q", what, n, c, vectors, code)
	}
}

// A process that asks one question finds out that the model is another one.
func TestAQuestionToAnotherModelBehindTheName(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "a", "b")
	run(t, f, f.service(t, newModel("m")), 2)
	m := &served{model: newModel("m")}
	wantAnswer(t, f, f.served(t, m), "the same", 1, "")
	m.becomeAnother()
	s := f.served(t, m)
	wantAnswer(t, f, s, "another", 0, "embedder_changed")
	found, err := s.Findings(f.ctx)
	if err != nil || found[0].OK || !strings.Contains(found[0].Message, "another model behind the name m;") || !strings.Contains(found[0].Fix, "engram embed") {
		t.Errorf("findings %+v, %v", found, err)
	}
	run(t, f, f.served(t, m), 2)
	wantAnswer(t, f, s, "made anew", 1, "")
}

// A process that lives long looks again, and mends it.
func TestAModelThatChangesInTheLifeOfAProcess(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "a", "b")
	m := &served{model: newModel("m")}
	now := f.now
	s := f.served(t, m, func(o *embedding.Options) { o.Now = func() time.Time { return now } })
	run(t, f, s, 2)
	wantAnswer(t, f, s, "the same", 1, "")
	m.becomeAnother()
	wantAnswer(t, f, s, "within half a minute", 1, "")
	now = now.Add(30 * time.Second)
	wantAnswer(t, f, s, "after it", 0, "embedder_changed")
	s.Start(f.ctx)
	eventually(t, "what is given to the other one", func() string {
		if len(m.given()) < 4 {
			return "not all"
		}
		return f.counts(t, "m")
	}, "2 0 0")
}

// A new text is not given to another model under the old name.
func TestEachRoundLooksAtTheModelFirst(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "a", "b")
	m := &served{model: newModel("m")}
	s := f.served(t, m)
	run(t, f, s, 2)
	m.becomeAnother()
	f.save(t, "c")
	run(t, f, s, 3)
}

// A round that takes long notices it, and begins anew.
func TestAModelThatChangesInARound(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "a", "b", "c")
	m := &served{model: newModel("m")}
	now := f.now
	s := f.served(t, m, func(o *embedding.Options) {
		o.Batch, o.Now = 1, func() time.Time { return now }
	})
	n, err := s.Run(f.ctx, func(done int) {
		if done == 2 {
			m.becomeAnother()
			now = now.Add(time.Minute)
		}
	})
	if want := []string{"c", "b", "c", "b", "a"}; err != nil || !slices.Equal(m.given(), want) {
		t.Errorf("%d, %v, given %q, want %q", n, err, m.given(), want)
	}
}

// A server that mixes up the texts of a request has not become another one.
func TestAServerThatMixesUpQuestionAndProbe(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "a")
	m := &served{model: newModel("m"), mixesUp: true}
	run(t, f, f.served(t, m), 1)
	s := f.served(t, m)
	vectors, warnings := s.Question(f.ctx, "cccccc")
	if len(vectors) != 1 || len(warnings) != 0 || !slices.Equal(vectors[0].Unit, letters("cccccc")) {
		t.Errorf("%v, %q", vectors, warnings)
	}
}

// A server that ignores names answers for the model before, too.
func TestTheModelBeforeIsAnotherOne(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "a", "b")
	run(t, f, f.service(t, newModel("old")), 2)
	old := &served{model: newModel("old")}
	s := f.served(t, &served{model: newModel("new")}, func(o *embedding.Options) {
		o.Older = func(string) (embedding.Model, error) { return old, nil }
	})
	wantAnswer(t, f, s, "both", 2, "")
	found, err := s.Findings(f.ctx)
	if err != nil || !strings.Contains(found[0].Message, "all 2 texts wait for it") {
		t.Errorf("findings %+v, %v", found, err)
	}
	old.becomeAnother()
	s = f.served(t, &served{model: newModel("new")}, func(o *embedding.Options) {
		o.Older = func(string) (embedding.Model, error) { return old, nil }
	})
	wantAnswer(t, f, s, "the new one alone", 1, "")
}

// wide is a model whose vectors got another length.
type wide struct{ *served }

func (wide) Model() string { return "m@5" }
func (wide) Dim() int      { return 5 }

func TestVectorsOfAnotherLength(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "a", "b")
	run(t, f, f.service(t, newModel("m")), 2)
	m := wide{&served{model: newModel("m")}}
	s := f.served(t, m.served, func(o *embedding.Options) {})
	wantAnswer(t, f, s, "the same", 1, "")
	s = f.service(t, m.model, func(o *embedding.Options) { o.Model = m })
	wantAnswer(t, f, s, "another length", 1, "embedder_dimension")
	found, err := s.Findings(f.ctx)
	if err != nil || found[0].OK || !strings.Contains(found[0].Message, "m@5 was m@4 before: all 2 texts wait") {
		t.Errorf("findings %+v, %v", found, err)
	}
}

func TestFindingsNameTheLastFailure(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "one", "poison")
	m := newModel("m")
	s := f.service(t, m)
	m.breakDown(down)
	if _, err := s.Run(f.ctx, nil); engram.ErrorCode(err) != "embedder_unreachable" {
		t.Fatal(err)
	}
	m.breakDown(nil)
	for _, soon := range []bool{true, false} {
		found, err := s.Findings(f.ctx)
		if err != nil || len(found) != 2 || found[1].OK != soon || !strings.Contains(found[1].Message, "nobody is there") || found[1].Fix == "" {
			t.Errorf("findings %+v, %v", found, err)
		}
		f.now = f.now.Add(time.Hour)
	}
	run(t, f, s, 2)
	found, err := s.Findings(f.ctx)
	if err != nil || len(found) != 1 || !strings.Contains(found[0].Message, "texts that it could not read: 1") {
		t.Errorf("findings %+v, %v", found, err)
	}
}

// What is kept beside the vectors may be broken: it is named, and written anew.
func TestWhatIsNotedIsBroken(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, "one")
	run(t, f, f.service(t, newModel("m")), 1)
	for _, name := range []string{"embedding_probe m@4", "embedding_progress"} {
		if err := f.SetSetting(f.ctx, engram.DefaultWorkspace, name, "junk"); err != nil {
			t.Fatal(err)
		}
	}
	found, err := f.service(t, newModel("m")).Findings(f.ctx)
	if err != nil || len(found) != 3 || !found[0].OK || found[1].OK || found[2].OK {
		t.Errorf("findings %+v, %v", found, err)
	}
	f.save(t, "two")
	s := f.service(t, newModel("m"))
	run(t, f, s, 1)
	if found, err = s.Findings(f.ctx); err != nil || len(found) != 1 || !found[0].OK {
		t.Errorf("findings %+v, %v", found, err)
	}
}
