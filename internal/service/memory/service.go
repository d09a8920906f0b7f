// Package memory holds the use cases of memories, sessions, prompts and
// projects: each authorises, validates, acts. Text is cleaned here (private
// spans, secrets), whatever front end it came from. How things are kept is
// store's affair; how candidates are ranked is recall's; moving whole stores
// in and out is transfer's.
package memory

import (
	"cmp"
	"context"
	"time"

	"engram"
	"engram/internal/store"
)

// Service is the one way to memories. Its methods are safe for concurrent use.
type Service struct {
	store    store.Store
	opts     Options
	remotes  remotes
	lapses   lapses
	accesses *accesses
}

// Close waits for what is still being counted. It does not close the store.
func (s *Service) Close() { s.accesses.close() }

// Options are the settings of a Service; zero values mean the defaults.
type Options struct {
	MaxContent      int           // bytes of a content, a prompt, a summary (default 1 MB)
	DuplicateWindow time.Duration // default 15 minutes
	SessionIdle     time.Duration // after which a session lapses (default 6 hours)
	KeepSecrets     bool          // leave credentials in texts as they are
	Zone            *time.Location
	Now             func() time.Time
	// DefaultProject is the project of calls that name none, for front ends that
	// belong to one directory (CLI, MCP over stdio); nil = none.
	DefaultProject func(ctx context.Context) engram.ProjectIdentity
	// Backups names the backup files that there are, for the receipt of a hard
	// delete; nil = none are made.
	Backups func() []string
	// Meanings asks models other than the built-in one what a question means; nil =
	// there is none.
	Meanings Meanings
	// Reranker looks at the best of what was found once more; nil = there is none.
	Reranker Reranker
}

// New returns a Service over a store.
func New(st store.Store, opts Options) *Service {
	opts.MaxContent = cmp.Or(opts.MaxContent, engram.DefaultMaxContent)
	opts.DuplicateWindow = cmp.Or(opts.DuplicateWindow, 15*time.Minute)
	opts.SessionIdle = cmp.Or(opts.SessionIdle, engram.DefaultSessionIdle)
	if opts.Zone == nil {
		opts.Zone = time.UTC
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	return &Service{store: st, opts: opts, accesses: newAccesses()}
}

// SaveInput is a memory to be saved.
type SaveInput struct {
	Title, Content string // Content is required; an empty title is made from the content's first line
	Type           string // default manual
	Session        string // default: the manual session of the project; unknown ones are created
	Project        string // default: Options.DefaultProject
	Scope          string // default project
	TopicKey       string
	ToolName       string
	Speaker, Role  string
	OccurredAt     time.Time // default now
	Importance     *float64  // 0 … 1
	Pinned         bool
	Status         string
	Files          []string
	Origin         engram.Origin // default: the actor's
	// Compare asks what the project's memories say of the same, once the memory is
	// stored.
	Compare bool
}

// SaveResult says what a save did.
type SaveResult struct {
	ID            int64
	UID           string
	Outcome       store.Outcome
	Type          string
	Project       string
	Session       string
	TopicKey      string // as stored
	Suggested     string // a topic key to use next time, where none was given
	RevisionCount int
	Redacted      []string // kinds of secrets that were taken out, "private" among them
	Alike         []Alike  // with Compare, the likest first
	// NotCompared is why, with Compare, nothing is known of that. The memory is stored
	// all the same.
	NotCompared error
}

// Updated is a memory after a change.
type Updated struct {
	*engram.Memory
	Redacted []string // as SaveResult's
}

// StartedSession is a session that was started, or was there.
type StartedSession struct {
	*engram.Session
	Redacted []string // as SaveResult's
}

// EndedSession is a session after its end.
type EndedSession struct {
	*engram.Session
	Redacted []string // as SaveResult's
}

// SavedPrompt is a prompt as it was kept.
type SavedPrompt struct {
	*engram.Prompt
	Redacted []string // as SaveResult's
}

// UpdateInput changes fields of a memory; nil leaves one as it is.
type UpdateInput struct {
	Title, Content, Type, Project, Scope, TopicKey, Status *string
	Importance                                             *float64
	Files                                                  *[]string
}

// SearchInput asks for a ranked list.
type SearchInput struct {
	Query       string
	Types       []string
	Project     string // "" = the default project, with AllProjects = all
	AllProjects bool
	Scope       string    // "" = all scopes
	Limit       int       // default 10, at most 50
	MatchAll    bool      // only memories that have every word
	AsOf        time.Time // what was known then
	Deep        bool      // widens the candidate pool
	Explain     bool      // fills Trace
	NoFloor     bool      // ranks without refusing, up to 200, and counts no access: for measuring
	Arms        []string  // only these arms and steps (keyword, vector, time, rerank), nil = all: for measuring
}

// SearchResult is a ranked list, best first.
type SearchResult struct {
	Hits            []Hit
	NoAnswer        bool     // nothing cleared the floor
	Answer          float64  // probability that there is an answer among the best, 0 … 1
	Project         string   // that was searched, "" = all
	SimilarProjects []string // with NoAnswer in a project: others of a similar name
	Warnings        []string // what the search had to do without, in lines that begin with a code
	Trace           *Trace   // with Explain
}

// Hit is a found memory.
type Hit struct {
	Memory      *engram.Memory
	Probability float64 // that it is an answer, 0 … 1: at most that there is one
}

// RecallInput asks for text to put before a model.
type RecallInput struct {
	SearchInput
	Budget int // tokens, default 2000, at most 32000
}

// RecallResult is packed text.
type RecallResult struct {
	SearchResult        // what was packed, in order
	Text         string // "" with NoAnswer
	Tokens       int    // estimated length of Text
	OverBudget   int    // hits that cleared the floor and were left out
}

// ContextInput asks for the block at the start of a session.
type ContextInput struct {
	Project     string // as SearchInput's
	AllProjects bool
	Scope       string
	MaxBytes    int // default 4096, at most 65536
	Compact     bool
	Query       string // brings the memories most relevant to it
}

// ContextResult is that block.
type ContextResult struct {
	Text     string // Markdown, at most MaxBytes bytes; "" when there is nothing
	Project  string
	Pinned   int // how many of each are in the text
	Tasks    int
	Sessions int
	Memories int
	Prompts  int
	Left     int      // memories of the project that are not in the text
	Capped   bool     // MaxBytes was over the limit
	Warnings []string // of the search for what is relevant, as SearchResult's

	SimilarProjects []string // where Project has nothing: others of a similar name
}

// ListInput asks for memories by time.
type ListInput struct {
	Types       []string
	Project     string
	AllProjects bool
	Scope       string
	Session     string
	Since       time.Time
	Until       time.Time
	Pinned      bool
	OpenTasks   bool
	Deleted     store.Deleted
	Order       store.Order
	Limit       int    // default 20, at most 1000
	Cursor      string // from the page before
}

// ListResult is a page of memories.
type ListResult struct {
	Memories []*engram.Memory
	Next     string // cursor of the next page, "" = this was the last
}

// CaptureInput is text to take learnings from.
type CaptureInput struct {
	Content, Session, Project, Source string
}

// CaptureResult counts what was found.
type CaptureResult struct {
	Extracted, Saved, Duplicates int
	IDs                          []int64  // of the saved ones
	Redacted                     []string // as SaveResult's
}

// RecentInput asks for the newest sessions or prompts.
type RecentInput struct {
	Project     string // "" = the default project, with AllProjects = all
	AllProjects bool
	Limit       int    // default 20, at most 1000
	Cursor      string // from the page before
}

// SessionsResult is a page of sessions.
type SessionsResult struct {
	Sessions []*engram.Session
	Next     string // cursor of the next page, "" = this was the last
}

// PromptsResult is a page of prompts.
type PromptsResult struct {
	Prompts  []*engram.Prompt
	Next     string   // cursor of the next page, "" = this was the last
	Warnings []string // of a search, as SearchResult's
}

// SessionInput starts a session.
type SessionInput struct {
	ID, Project, Directory string
}

// StatsResult counts what is there.
type StatsResult struct {
	store.Stats
	SchemaVersion int
	Models        []store.VectorModel // beside the built-in one, the one in use first
}
