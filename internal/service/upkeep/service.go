// Package upkeep looks after the store itself: checks and repairs, backups,
// what a process does when it is idle. What is in the store is others' affair.
package upkeep

import (
	"context"
	"time"

	"engram/internal/store"
)

// Service checks, repairs and copies a store.
type Service struct {
	store store.Store
	opts  Options
}

// Options are the settings of a Service.
type Options struct {
	Dir         string        // the data directory: permissions, backups, foreign files
	SessionIdle time.Duration // default 6 hours
	Now         func() time.Time
}

// New returns a Service over a store.
func New(st store.Store, opts Options) *Service {
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Service{store: st, opts: opts}
}

// Doctor looks for damage, and with repair mends what can be mended without loss.
func (s *Service) Doctor(ctx context.Context, repair bool) ([]store.Finding, error) {
	panic("unwritten")
}

// Backup writes a sound copy of the store; path "" = a dated name in Dir/backups.
// It returns the path and the size in bytes.
func (s *Service) Backup(ctx context.Context, path string) (string, int64, error) {
	panic("unwritten")
}

// Idle does what waits for a quiet moment: sessions lapse, log and index go to
// the disk. Only the process that holds the lease does it.
func (s *Service) Idle(ctx context.Context) error { panic("unwritten") }
