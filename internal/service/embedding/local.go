package embedding

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"engram"
	"engram/internal/store"
)

// Local is a Model in this process. Its name stands for the same model for ever,
// and is known before it is loaded: it is not probed, and nothing is loaded before
// there is a text or a question. It waits for nobody, but takes processor time that
// searches want: see [pace].
type Local interface {
	Model
	// Passages gives a vector of length 1 for each passage of a text, none for a text
	// that says nothing. It takes one processor, and may be called by several goroutines.
	Passages(ctx context.Context, text string) ([][]float32, error)
}

// local is the model, if it is in this process.
func (s *Service) local() (Local, bool) {
	m, ok := s.opts.Model.(Local)
	return m, ok
}

const (
	// localBatch is how many texts are read at once for a model in this process.
	localBatch = 128
	// saveEvery is how long vectors of such a model are gathered before they are
	// saved: a process that is killed loses no more, and the store is written to
	// five times a second at most.
	saveEvery = 200 * time.Millisecond
	// gather is how long is waited after a write for the next: a run of saves is
	// one round, with one lease.
	gather = 25 * time.Millisecond
	// localLease is how long others wait for the work of a process that was killed.
	localLease = 5 * time.Second
)

// embedLocal gives the vectors of the first of texts, of one at least. With nobody
// waiting it takes one processor, and gives way to questions before each text.
func (r *round) embedLocal(ctx context.Context, m Local, texts []store.TextToEmbed) ([]store.TextVector, error) {
	threads := 1
	if r.all {
		threads = min(runtime.GOMAXPROCS(0), len(texts))
	}
	var (
		out     = make([]store.TextVector, len(texts))
		failed  = make([]error, threads)
		claimed atomic.Int64
		began   = time.Now()
		working sync.WaitGroup
	)
	for thread := range threads {
		working.Go(func() {
			for failed[thread] == nil && (claimed.Load() == 0 || time.Since(began) < saveEvery) {
				i := int(claimed.Add(1)) - 1
				if i >= len(texts) {
					return
				}
				out[i], failed[thread] = r.embedOne(ctx, m, &texts[i])
			}
		})
	}
	working.Wait()
	return out[:min(int(claimed.Load()), len(texts))], errors.Join(failed...)
}

func (r *round) embedOne(ctx context.Context, m Local, t *store.TextToEmbed) (store.TextVector, error) {
	out := store.TextVector{ID: t.ID, Version: t.Version}
	if !r.all {
		if err := r.s.pace.giveWay(ctx); err != nil {
			return out, err
		}
	}
	began := time.Now()
	var err error
	if out.Units, err = m.Passages(ctx, whole(*t)); err != nil {
		return out, err
	}
	r.s.pace.took(time.Since(began))
	return out, nil
}

// noteUnusable logs, once, that a model in this process cannot be used: nothing
// that is tried again will change it.
func (s *Service) noteUnusable(ctx context.Context, err error) {
	s.mu.Lock()
	known := s.unusable
	s.unusable = true
	s.mu.Unlock()
	if !known {
		s.opts.Log.ErrorContext(ctx, "the encoder cannot be used; recall goes on by words and the table", "code", engram.ErrorCode(err), "error", err)
	}
}

// warnUnusable notes so, and gives the warning of the first answer that lacks the model.
func (s *Service) warnUnusable(ctx context.Context, err error) []string {
	s.noteUnusable(ctx, err)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.warned {
		return nil
	}
	s.warned = true
	return []string{warning(err)}
}
