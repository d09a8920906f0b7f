// Package store says what a storage engine must do, as small interfaces that
// are composed into [Store]. The comments are the contract: order, ties,
// atomicity, what a second call does, which kinds of error. Package storetest
// is the same contract as tests. Who may do something, what text may be stored
// and what a default is are service's affair; a store keeps and finds.
//
// Every method takes the workspace, in its arguments or filter, and puts it in
// the query. What is not in the workspace is [engram.ErrNotFound]. All times
// are UTC, rounded to microseconds.
package store

import (
	"context"
	"time"

	"engram"
)

// Store is a storage engine.
type Store interface {
	Memories
	Searcher
	Vectors
	Sessions
	Prompts
	Projects
	Settings
	Leases
	Jobs
	Transfer
	Upkeep

	// Close lets go of everything; a second call does nothing.
	Close() error
}

// Outcome is what a save did.
type Outcome string

// The outcomes of a save.
const (
	Created   Outcome = "created"   // a new memory
	Updated   Outcome = "updated"   // a new version of a topic's living memory, or an edit by a duplicate
	Duplicate Outcome = "duplicate" // counted on a memory that was there
)

// SaveRule is what decides between the outcomes.
type SaveRule struct {
	Now    time.Time
	Window time.Duration // of duplicates, since the last sighting; 0 = none are looked for
	// Session is what the memory's session is created with where it is unknown;
	// its Project (the memory's when empty) and Directory only, other sessions
	// keep what they have.
	Session engram.Session
	// EverDuplicate finds duplicates of what has no OccurredAt by hash, project and
	// scope alone, whatever their age, type or title: the rule of passive capture.
	EverDuplicate bool
	// SessionSummary becomes the summary of the memory's session, in the same
	// transaction and without ending it; "" leaves what is there.
	SessionSummary string
}

// Saved is what a save left behind.
type Saved struct {
	ID            int64
	UID           string
	Outcome       Outcome
	TopicKey      string // that is in force
	RevisionCount int
}

// Restored is a memory that is living again, and what it cost.
type Restored struct {
	*engram.Memory
	WasLiving   bool   // it was not deleted, and nothing was done
	LostTopic   string // the topic key that it had to leave, "" = none
	TopicHolder int64  // the memory that holds LostTopic
}

// Patch changes fields of a memory; nil leaves one as it is.
type Patch struct {
	Title, Content, Type, Project, TopicKey, Status *string
	Hash                                            *string // of Content, set with it
	Scope                                           *engram.Scope
	Importance                                      *float64
	Files                                           *[]string
	// Origin and Trust are those of the new text. Where title or content change
	// in fact and Trust is less than the memory's, the memory takes both: an edit
	// never leaves a text with more trust than its author has.
	Origin *engram.Origin
	Trust  *engram.Trust
}

// Memories keeps memories with their versions.
type Memories interface {
	// SaveMemory stores m in one transaction, in this order of rules:
	//  1. topic: m.TopicKey is set and a living memory of the same workspace,
	//     project, scope and key exists: its text (type, title, content, hash,
	//     tool, files, origin, trust, and importance, pinned, status where m sets
	//     them) is written over, Version and RevisionCount + 1, UpdatedAt and LastSeenAt
	//     = rule.Now; the old text stays as a version. Id, uid, session and
	//     CreatedAt stay. An identical text counts as a revision too.
	//  2. duplicate: a living memory of the same workspace, hash, project, scope,
	//     type, title, speaker and role was seen within rule.Window before rule.Now:
	//     DuplicateCount + 1, LastSeenAt = rule.Now. A session_summary is one of the
	//     same session only. With m.OccurredAt set (dated turns, chat imports) it must
	//     be the same session and OccurredAt: the same turn, sent once more. One with
	//     another topic key than m's is none. It takes over what m adds: a TopicKey
	//     where it has none; Files that it lacks, a higher Importance, Pinned, another
	//     Status. Any but the key make it an edit: the outcome is Updated,
	//     RevisionCount + 1, UpdatedAt = rule.Now; key and files make a new Version.
	//  3. else a new row; m.ID and m.UID are set.
	// The session named by m.Session is created where unknown, and its LastSeen
	// set, in the same transaction; one that lapsed becomes active again.
	// Atomic under concurrency, between processes too: of n equal saves one
	// creates and n-1 count.
	SaveMemory(ctx context.Context, m *engram.Memory, rule SaveRule) (Saved, error)

	// SaveMemories is SaveMemory for many in one transaction; all or nothing.
	// Dated ones are never duplicates of each other: what stands twice in a batch
	// was said twice. Each counts on a memory of its own that was there before, so
	// that a batch that is sent once more adds nothing.
	SaveMemories(ctx context.Context, ms []*engram.Memory, rule SaveRule) ([]Saved, error)

	// Memory is one living memory; softly deleted ones only with deleted.
	Memory(ctx context.Context, workspace string, id int64, deleted bool) (*engram.Memory, error)

	// MemoriesByID are those of ids that pass filter (its AsOf picks the version:
	// the text as it was known then), in the order of ids. Missing ones are left out.
	MemoriesByID(ctx context.Context, filter Filter, ids []int64) ([]*engram.Memory, error)

	// ListMemories lists newest first by order, ties by id, newest first.
	ListMemories(ctx context.Context, filter Filter, order Order, page Page) ([]*engram.Memory, error)

	// CountMemories counts what ListMemories would list without a page.
	CountMemories(ctx context.Context, filter Filter) (int, error)

	// Versions are all versions of a living memory, oldest first; the last is the current.
	Versions(ctx context.Context, workspace string, id int64) ([]*engram.Memory, error)

	// UpdateMemory applies patch. If title, content, type, project, scope, topic
	// key, or files changed in fact, the old version is kept and Version + 1;
	// RevisionCount + 1 and UpdatedAt = now in any case. A topic key that
	// another living memory of the same project and scope holds is
	// [engram.ErrConflict]. A session's summary that is the memory's text becomes
	// the new one.
	UpdateMemory(ctx context.Context, workspace string, id int64, patch Patch, now time.Time) (*engram.Memory, error)

	// PinMemory sets or clears the pin; it is no new version.
	PinMemory(ctx context.Context, workspace string, id int64, pinned bool, now time.Time) error

	// DeleteMemory hides a living memory. One that is hidden already is not found.
	// A session's summary that is its text becomes that of the session's newest
	// other living session_summary, or none.
	DeleteMemory(ctx context.Context, workspace string, id int64, now time.Time) (engram.Receipt, error)

	// RestoreMemory makes a softly deleted memory living again. If its topic key
	// was taken meanwhile it comes back without one, and the answer says which. A
	// session_summary becomes its session's again where that has none, or an older
	// one's. A living one is returned as it is.
	RestoreMemory(ctx context.Context, workspace string, id int64, now time.Time) (Restored, error)

	// EraseMemory removes a memory, living or hidden: row, versions, index
	// entries, support links, and derived memories that rest on it alone, in one
	// transaction, so that the text is in no page of the store's files when it
	// returns, except those that the receipt names. A session's summary that is
	// the memory's text goes too, as with DeleteMemory. What stays is a tombstone: id, uid and time.
	EraseMemory(ctx context.Context, workspace string, id int64, now time.Time) (engram.Receipt, error)

	// TouchMemories counts an access on each of ids; unknown ones are ignored. It
	// is no new version and no change that other processes must see.
	TouchMemories(ctx context.Context, workspace string, ids []int64, now time.Time) error

	// Support says that derived rests on source. A second call does nothing.
	Support(ctx context.Context, workspace string, derived, source int64) error

	// Timeline is a memory with its neighbours in its session by OccurredAt, ties
	// by id: at most before and after of them, oldest first. A memory of no
	// session has no neighbours. Total counts the living memories of the session.
	Timeline(ctx context.Context, workspace string, id int64, before, after int) (*Timeline, error)
}

// Timeline is a memory among its neighbours.
type Timeline struct {
	Focus         *engram.Memory
	Before, After []*engram.Memory
	Session       *engram.Session // nil when the memory has none
	Total         int
}

// Filter says which memories. The zero value of a field does not filter, except
// that deleted memories are left out.
type Filter struct {
	Workspace string // required
	Projects  []string
	Global    bool // with Projects: memories of scope global as well, whatever their project
	Scopes    []engram.Scope
	Types     []string
	Kinds     []engram.Kind
	Session   string
	Since     time.Time // OccurredAt not before
	Until     time.Time // OccurredAt before
	AsOf      time.Time // versions known then (recorded before or at, not yet invalidated, created before)
	Deleted   Deleted   // as they are now, at any AsOf: what was deleted since is hidden there too
	Pinned    bool      // only pinned ones
	OpenTasks bool      // only type task whose status is not done
	NotTypes  []string
}

// Deleted says what a filter does with softly deleted memories.
type Deleted int

// What can be done with softly deleted memories.
const (
	WithoutDeleted Deleted = iota
	WithDeleted
	OnlyDeleted
)

// Order is by which time memories are listed, newest first.
type Order int

// The orders.
const (
	ByCreated  Order = iota
	ByActivity       // UpdatedAt: a topic that was written over counts as new
	ByOccurred
)

// Page is a part of a list.
type Page struct {
	Limit int // 0 = all
	// After is the last item of the page before: its time in the list's order,
	// and its id, AfterKey where ids are texts. Zero = from the start. Pages on end
	// have each item once, also among equal times and beside writes; what gets a
	// new time meanwhile moves in the order, and what is new is before the page.
	After    time.Time
	AfterID  int64
	AfterKey string
}

// Sessions keeps sessions.
type Sessions interface {
	// StartSession creates a session, or gives the one that is there: non-empty
	// stored fields win over s; an ended session stays ended, a lapsed one becomes
	// active. Created reports which.
	StartSession(ctx context.Context, s engram.Session) (got *engram.Session, created bool, err error)

	// EndSession ends a session; a second call keeps EndedAt, and the summary
	// unless summary is not empty. Unknown is not found.
	EndSession(ctx context.Context, workspace, id, summary string, now time.Time) (*engram.Session, error)

	// Session is one session, with Count.
	Session(ctx context.Context, workspace, id string) (*engram.Session, error)

	// ListSessions lists by last activity, newest first, ties by id, the last
	// first, with Count. Projects nil = all. A page goes on after AfterKey.
	ListSessions(ctx context.Context, workspace string, projects []string, page Page) ([]*engram.Session, error)

	// DeleteSession removes a session that has nothing in it. One that has
	// memories, living or hidden, or prompts is [engram.ErrConflict] with code
	// session_not_empty and stays as it is: nothing is taken out of its session.
	DeleteSession(ctx context.Context, workspace, id string) error

	// LapseSessions marks active sessions with no write since before as lapsed
	// and says how many.
	LapseSessions(ctx context.Context, workspace string, before time.Time) (int, error)
}

// Prompts keeps what users asked.
type Prompts interface {
	// SavePrompt stores p and sets its ID and UID; its session is created where
	// unknown.
	SavePrompt(ctx context.Context, p *engram.Prompt) error

	// Prompt is one prompt.
	Prompt(ctx context.Context, workspace string, id int64) (*engram.Prompt, error)

	// ListPrompts lists newest first, ties by id, newest first.
	ListPrompts(ctx context.Context, workspace string, projects []string, page Page) ([]*engram.Prompt, error)

	// SearchPrompts finds prompts that have any of terms (as package text makes
	// them), best first by the share of terms, newest first among equals.
	SearchPrompts(ctx context.Context, workspace string, projects []string, terms []string, limit int) ([]*engram.Prompt, error)

	// DeletePrompt erases a prompt.
	DeletePrompt(ctx context.Context, workspace string, id int64) error
}

// Projects keeps names, aliases and remotes.
type Projects interface {
	// ListProjects lists those that have anything in them, by last use, newest
	// first, ties by name.
	ListProjects(ctx context.Context, workspace string) ([]engram.Project, error)

	// ResolveProject follows aliases: the name that writes and reads go to.
	ResolveProject(ctx context.Context, workspace, name string) (string, error)

	// ClaimRemote gives the project of a git remote: the one that it had; else
	// name if no other remote holds that name; else qualified (owner/name) if no
	// other holds that; else the remote itself as a name. It keeps what it got.
	ClaimRemote(ctx context.Context, workspace, remote, name, qualified string) (string, error)

	// MergeProjects files everything of from under to and makes from an alias. Each
	// row remembers the name it had; where both have a living memory of one topic,
	// the one that moves gives its key up until the merge is undone. Counts the memories, sessions and prompts moved.
	// A merge into itself, or of an unknown from, is an error.
	// Every write files its rows where their project's name leads when it is
	// stored, with the name as their origin: a save beside a merge is never left
	// under the alias.
	MergeProjects(ctx context.Context, workspace, from, to string, now time.Time) (moved int, err error)

	// UnmergeProject undoes MergeProjects for what was filed under from, also
	// for what was saved as from since.
	UnmergeProject(ctx context.Context, workspace, from string, now time.Time) (moved int, err error)
}

// Settings keeps values of the store itself.
type Settings interface {
	Setting(ctx context.Context, workspace, name string) (value string, ok bool, err error)
	SetSetting(ctx context.Context, workspace, name, value string) error
}

// Leases let one of several processes do background work.
type Leases interface {
	// AcquireLease takes or renews the lease name for holder until now + ttl. It is
	// false when another holder has it and it has not run out. One that would last more
	// than an hour longer than ttl counts as run out: a clock was wrong, or it is damaged.
	AcquireLease(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (bool, error)
	// ReleaseLease gives it back if holder has it.
	ReleaseLease(ctx context.Context, name, holder string) error
}

// Job is a piece of durable work.
type Job struct {
	ID          int64
	Workspace   string
	Kind        string
	Payload     string // JSON
	UniqueKey   string // at most one waiting or running job of kind has it; "" = any number
	State       JobState
	Attempts    int
	MaxAttempts int
	RunAt       time.Time
	LeasedUntil time.Time
	LastError   string
	CreatedAt   time.Time
	FinishedAt  time.Time
}

// JobState is where a job is in its life.
type JobState string

// The states of a job. A running job whose lease ran out is claimed again.
const (
	JobWaiting JobState = "waiting"
	JobRunning JobState = "running"
	JobDone    JobState = "done"
	JobDead    JobState = "dead" // failed MaxAttempts times
)

// Jobs keeps durable jobs.
type Jobs interface {
	// Enqueue stores j and sets its ID. Where its unique key is taken it sets the
	// id of the job that holds it, and reports false.
	Enqueue(ctx context.Context, j *Job) (created bool, err error)
	// Claim takes up to limit due jobs of kinds, oldest RunAt first, ties by id;
	// none is claimed twice while its lease lasts. Attempts + 1.
	Claim(ctx context.Context, kinds []string, limit int, now time.Time, lease time.Duration) ([]Job, error)
	// Complete ends a running job. One that is not running is not found.
	Complete(ctx context.Context, id int64, now time.Time) error
	// Fail notes why and makes the job waiting until retryAt, or dead when
	// its attempts are used up.
	Fail(ctx context.Context, id int64, reason string, now, retryAt time.Time) (JobState, error)
	// Job is one job.
	Job(ctx context.Context, id int64) (*Job, error)
}

// Batch is what an export gives and an import takes.
type Batch struct {
	Sessions []*engram.Session
	Memories []*engram.Memory
	Prompts  []*engram.Prompt
	// Versions are closed versions of memories, by UID.
	Versions []*engram.Memory
	// Supports are pairs of UIDs: derived, source.
	Supports [][2]string
	Aliases  map[string]string // alias → project
	Remotes  map[string]string // git remote → project that it claimed
}

// Imported counts what an import did.
type Imported struct {
	Sessions, Memories, Prompts, Versions int // new ones
	Skipped                               int // there already
}

// Transfer moves everything in and out.
type Transfer interface {
	// Export calls yield with batches of at most size items until all is given,
	// sessions first, then memories (softly deleted ones too) by id, each with its
	// versions, then prompts by id. Aliases come with all projects only, remotes
	// with those of the projects. It reads one state of the store throughout. An
	// error of yield ends it. Projects nil = all.
	Export(ctx context.Context, workspace string, projects []string, size int, yield func(Batch) error) error

	// Import stores a batch in one transaction, with the times, counts and flags that
	// its items have; neither topic nor duplicate rules apply, except that of two
	// living memories of one topic only the one written to last keeps the key. An item whose
	// UID is there already is skipped; so is an alias or a remote that is known here. Unknown sessions of memories and prompts are created.
	// IDs are given anew and set on the items; a skipped item gets the id it has.
	Import(ctx context.Context, workspace string, b Batch, now time.Time) (Imported, error)

	// Known gives the ids of those memories (softly deleted and erased ones too)
	// and prompts that have one of uids: what Import would skip. An erased one has
	// the id that it had.
	Known(ctx context.Context, workspace string, uids []string) (map[string]int64, error)
}

// Stats counts what is in a workspace.
type Stats struct {
	Memories, Deleted, Versions, Sessions, Prompts int
	ByType                                         map[string]int
	Projects                                       []string // by last use, newest first
	Bytes                                          int64    // of the store on disk
	Path                                           string   // where it is, "" = nowhere on disk
}

// Finding is one thing that a check found.
type Finding struct {
	Check   string // integrity, foreign_keys, index, wal, schema, permissions, …
	OK      bool
	Message string
	Fix     string // what to do, "" = nothing
}

// Upkeep looks after the store itself.
type Upkeep interface {
	Stats(ctx context.Context, workspace string, projects []string) (Stats, error)
	// Check looks for damage; with repair it mends what can be mended without
	// loss: the keyword index is built anew, orphans get their sessions.
	Check(ctx context.Context, repair bool) ([]Finding, error)
	// Backup writes a sound copy of the store to path, which must not exist, while
	// others go on writing.
	Backup(ctx context.Context, path string) error
	// Checkpoint gives pending work to the disk: log, index. It is called when
	// idle and before closing.
	Checkpoint(ctx context.Context) error
	// SchemaVersion is the number of the last migration applied.
	SchemaVersion(ctx context.Context) (int, error)
}
