// Package transfer moves memories in and out of a store as a whole: the
// wire-compatible JSON form, and Engram's own versioned form. Single saves are
// memory's affair; copies of the database are upkeep's.
package transfer

import (
	"cmp"
	"time"

	"engram"
	"engram/internal/store"
)

// Service exports and imports.
type Service struct {
	store store.Store
	opts  Options
}

// Options are the settings of a Service; zero values mean the defaults.
type Options struct {
	MaxContent  int  // bytes of a content (default 1 MB)
	KeepSecrets bool // leave credentials in texts as they are
	// Dir is where a long export is put together (default: the system's directory
	// for temporary files). The data directory is no more readable than the store.
	Dir string
	Now func() time.Time
	// Progress is told how many items are done so far, now and then.
	Progress func(done int)
}

// New returns a Service over a store.
func New(st store.Store, opts Options) *Service {
	opts.MaxContent = cmp.Or(opts.MaxContent, engram.DefaultMaxContent)
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Service{store: st, opts: opts}
}

// Format is a form in which a store is written down.
type Format string

// The formats.
const (
	Wire Format = "wire" // reference/wire-compat.md 1.7, version 0.1.0, with our optional fields
	JSON Format = "json" // everything, one versioned JSON object
)

// Report says what an import did, or would do.
type Report struct {
	Sessions, Memories, Prompts, Versions int // new ones
	Skipped                               int // there already
	Refused                               []Refusal
	Warnings                              []string // what of the file was not taken as it stands there: unknown fields, claims of trust
	DryRun                                bool
	Version                               string // of the file
}

// Refusal is an item that could not be taken.
type Refusal struct {
	Item   string // "observation 7"
	Reason string
}

// ImportOptions say how to import.
type ImportOptions struct {
	DryRun bool
}

func (s *Service) now() time.Time { return s.opts.Now().UTC().Round(time.Microsecond) }
