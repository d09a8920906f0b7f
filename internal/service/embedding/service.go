// Package embedding has memories understood by a model that takes its time: the
// encoder in the binary, or one that is asked over a network. It gives the model the
// texts that lack a vector, in the background and by one process at a time, asks it
// what questions mean, says how far it is, and lets go of models that another has
// taken the place of. The rows are all that it keeps: a process that dies leaves no
// work half done. How a server is asked is package embed's affair, how the encoder
// computes encoder's, where vectors are kept store's, what they are worth recall's.
package embedding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"runtime"
	"sync"
	"time"

	"engram"
	"engram/internal/embed"
	"engram/internal/store"
)

// Model is an embedder that takes questions in another way than texts. Texts are
// given to Embed, or, where it is [Local], to Passages.
type Model interface {
	embed.Embedder
	// Probe makes Model and Dim known.
	Probe(ctx context.Context) ([]float32, error)
	// Question gives a question's vector soon, nil for one that says nothing, or an error.
	Question(ctx context.Context, question string) ([]float32, error)
	Close()
}

// Store is what the service needs of a store.
type Store interface {
	store.Vectors
	store.Leases
	store.Settings
}

// Options are the settings of a Service; zero values mean the defaults.
type Options struct {
	// Model is the one that texts are given to, nil = none is set.
	Model Model
	// Recipe is how Model is asked, for Older; nothing secret.
	Recipe string
	// TextsOnly leaves questions to the table: this processor is too slow for them.
	TextsOnly bool
	// Share is the part of one processor that a [Local] model gets for texts nobody
	// waits for (default 1).
	Share float64
	// Older makes the model of a recipe that is kept with vectors, nil where it cannot
	// be asked: a server is, if it is that of Model. Without the function none can.
	Older func(recipe string) (Model, error)

	Batch    int           // texts that are read at once, and saved at once at most (default 32, of a Local model 128)
	Poll     time.Duration // how often is looked for what other processes wrote (default 30 s)
	BusyWait time.Duration // how long Run waits for another process (default: until the lease of one that was killed has run out)
	Delay    time.Duration // how long after the start a Local model gets what it lacks (default 1 s)
	Retry    time.Duration // the first wait after an error, doubled up to MaxRetry (default 5 s)
	MaxRetry time.Duration // default 5 minutes
	Keep     time.Duration // how long a model is kept that another took the place of (default 7 days)
	Log      *slog.Logger  // default [slog.Default]
	Now      func() time.Time
}

// Service embeds texts and questions. Its methods are safe for concurrent use.
type Service struct {
	store  Store
	opts   Options
	holder string // of the lease, this process

	written chan struct{} // something was written
	life    context.Context
	end     context.CancelFunc
	working sync.WaitGroup
	pace    pace

	mu       sync.Mutex
	probed   bool      // the model is the one that it was
	seen     int64     // the last write that was looked at
	lost     error     // of the last round
	noted    time.Time // when the progress was written down
	troubled bool      // … and whether that was what went wrong
	unusable bool      // the model is in this process, and cannot be used
	warned   bool      // … and an answer said so
	started  bool      // texts are embedded by this process
	kept     bool      // there are vectors of the model
	looked   bool      // for olders
	compared map[Model]compared
	// sameRecipe is the model that was asked in the same way last and has vectors, "" = none.
	sameRecipe string
	olders     map[string]Model // models that have vectors which the new one lacks
	refused    map[string]bool  // recipes that cannot be asked
}

// New returns a Service over a store.
func New(st Store, opts Options) *Service {
	if _, local := opts.Model.(Local); local {
		opts.Batch = cmp.Or(opts.Batch, localBatch)
	}
	opts.Batch = cmp.Or(opts.Batch, 32)
	opts.Poll = cmp.Or(opts.Poll, 30*time.Second)
	opts.Delay = cmp.Or(opts.Delay, time.Second)
	opts.Retry = cmp.Or(opts.Retry, 5*time.Second)
	opts.MaxRetry = cmp.Or(opts.MaxRetry, 5*time.Minute)
	opts.Keep = cmp.Or(opts.Keep, 7*24*time.Hour)
	opts.Log = cmp.Or(opts.Log, slog.Default())
	if opts.Now == nil {
		opts.Now = time.Now
	}
	life, end := context.WithCancel(context.Background())
	return &Service{
		store: st, opts: opts, holder: fmt.Sprintf("%d-%s", os.Getpid(), engram.NewUID(opts.Now())),
		written: make(chan struct{}, 1), life: life, end: end, seen: -1,
		pace:     pace{share: opts.Share, single: runtime.GOMAXPROCS(0) == 1},
		compared: map[Model]compared{}, olders: map[string]Model{}, refused: map[string]bool{},
	}
}

func (s *Service) now() time.Time { return s.opts.Now().UTC().Round(time.Microsecond) }

// Start begins to look for texts that lack a vector, as the actor of ctx, until
// that ends or Stop is called. Without a model it does nothing.
func (s *Service) Start(ctx context.Context) {
	if s.opts.Model == nil {
		return
	}
	s.mu.Lock()
	s.started = true
	s.mu.Unlock()
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.life, cancel)
	s.working.Go(func() {
		defer cancel()
		defer stop()
		s.work(ctx)
	})
}

// Stop ends the work, waits for what is under way, and closes the model. It may
// be called twice, and without Start.
func (s *Service) Stop() {
	s.end()
	s.working.Wait()
	s.mu.Lock()
	olders := s.olders
	s.olders = map[string]Model{}
	s.mu.Unlock()
	for _, m := range olders {
		m.Close()
	}
	if s.opts.Model != nil {
		s.opts.Model.Close()
	}
}

// Written says that something may have been written. It does not wait.
func (s *Service) Written() {
	select {
	case s.written <- struct{}{}:
	default:
	}
}

// firstBusy is how long is waited for another process that embeds: it may have
// looked for the last time before our write.
const firstBusy = time.Second

// work goes through rounds until ctx ends: at once when something was written, and
// every so often for what other processes wrote.
func (s *Service) work(ctx context.Context) {
	retry, busy, news := s.opts.Retry, firstBusy, false
	if _, local := s.local(); local { // a start is not slower for a backlog
		news = s.rest(ctx, s.opts.Delay)
	}
	for {
		wait := s.opts.Poll
		r := round{s: s, news: news}
		switch held, err := r.run(ctx); {
		case ctx.Err() != nil:
			return
		case err != nil:
			s.noteError(ctx, err)
			wait, retry = retry, min(2*retry, s.opts.MaxRetry)
		case !held:
			wait, busy = min(busy, wait), 2*busy
		default:
			retry, busy = s.opts.Retry, firstBusy
		}
		news = s.rest(ctx, wait)
	}
}

// rest waits for a time, or until something was written that was not seen, and
// reports whether that was so. A server that fails is not asked sooner for that.
func (s *Service) rest(ctx context.Context, wait time.Duration) (news bool) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return false
		case <-timer.C:
			return false
		case <-s.written:
			last, err := s.store.LastWrite(ctx)
			s.mu.Lock()
			news = err == nil && last != s.seen && s.lost == nil
			s.mu.Unlock()
			if !news {
				continue
			}
			if _, local := s.local(); local {
				news = sleep(ctx, gather) == nil
			}
			return news
		}
	}
}

// noteError logs an error when it is another one than the last.
func (s *Service) noteError(ctx context.Context, err error) {
	s.mu.Lock()
	known := s.lost != nil && engram.ErrorCode(s.lost) == engram.ErrorCode(err)
	s.lost = err
	s.mu.Unlock()
	if known {
		return
	}
	if _, local := s.local(); local && errors.Is(err, engram.ErrUnavailable) {
		s.noteUnusable(ctx, err)
		return
	}
	if errors.Is(err, engram.ErrUnavailable) {
		s.opts.Log.WarnContext(ctx, "texts wait for the embedder", "code", engram.ErrorCode(err), "error", err)
		return
	}
	s.opts.Log.ErrorContext(ctx, "embedding failed", "error", err)
}

// Set reports whether there is a model that texts are given to.
func (s *Service) Set() bool { return s.opts.Model != nil }

// Heard reports whether questions are put to that model too.
func (s *Service) Heard() bool { return s.Set() && !s.opts.TextsOnly }

// Run embeds what lacks a vector by now and ends; without a model that is
// nothing. Progress, if not nil, is told how many are done. Another process that
// does the same is waited for as long as the lease of one that was killed lasts; if
// it still goes on then, that is [engram.ErrConflict].
func (s *Service) Run(ctx context.Context, progress func(done int)) (done int, err error) {
	if s.opts.Model == nil {
		return 0, nil
	}
	patient := time.Now().Add(cmp.Or(s.opts.BusyWait, s.leaseTime()+localLease))
	for waiting := false; ; waiting = true {
		r := round{s: s, all: true, progress: progress}
		held, err := r.run(ctx)
		if err != nil || held {
			return r.done, err
		}
		if time.Now().After(patient) {
			return 0, engram.Errorf(engram.ErrConflict, "another process is giving texts to the embedder").
				WithCode("embedding_busy").WithHint("engram doctor says how far it is")
		}
		if !waiting {
			s.opts.Log.WarnContext(ctx, "another process is giving texts to the embedder, or was killed when it did: waiting until its lease has run out", "seconds", int(time.Until(patient).Seconds()))
		}
		if err := sleep(ctx, busyEvery); err != nil {
			return 0, err
		}
	}
}

// busyEvery is how often Run looks whether another process is through.
const busyEvery = 100 * time.Millisecond
