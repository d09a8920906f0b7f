// Package upkeep looks after the store itself: checks and repairs, backups,
// what a process does when it is idle. What is in the store is others' affair.
package upkeep

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"time"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
)

// Service checks, repairs and copies a store.
type Service struct {
	store  store.Store
	opts   Options
	holder string // of the lease, this process
}

// Options are the settings of a Service.
type Options struct {
	Dir         string        // the data directory: permissions, backups, foreign files
	SessionIdle time.Duration // default 6 hours
	Now         func() time.Time
	// Restorable says why a backup file could not take the place of the store; nil
	// = backups are named and not looked into.
	Restorable func(ctx context.Context, path string) error
	// Beside check what the store works with, such as an embedder.
	Beside []func(ctx context.Context) ([]store.Finding, error)
}

// New returns a Service over a store.
func New(st store.Store, opts Options) *Service {
	opts.SessionIdle = cmp.Or(opts.SessionIdle, engram.DefaultSessionIdle)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Service{store: st, opts: opts, holder: fmt.Sprintf("%d-%s", os.Getpid(), engram.NewUID(opts.Now()))}
}

func (s *Service) now() time.Time { return s.opts.Now().UTC().Round(time.Microsecond) }

// The lease for what is done when idle; it runs out by itself when its holder dies.
const (
	idleLease = "idle"
	idleTime  = time.Minute
)

// Idle does what waits for a quiet moment: sessions lapse, log and index go to
// the disk. Only the process that holds the lease does it.
func (s *Service) Idle(ctx context.Context) error {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return err
	}
	now := s.now()
	held, err := s.store.AcquireLease(ctx, idleLease, s.holder, now, idleTime)
	if err != nil || !held {
		return err
	}
	if err := s.idle(ctx, actor.Workspace, now); err != nil {
		return err
	}
	return s.store.ReleaseLease(ctx, idleLease, s.holder)
}

func (s *Service) idle(ctx context.Context, workspace string, now time.Time) error {
	if _, err := s.store.LapseSessions(ctx, workspace, now.Add(-s.opts.SessionIdle)); err != nil {
		return err
	}
	return s.store.Checkpoint(ctx)
}
