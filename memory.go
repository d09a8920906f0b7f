package engram

import (
	"strings"
	"time"
)

// Memory is one thing remembered: an observation of a coding session, a turn
// of a conversation, a note, later an episode, an insight or a document chunk.
// They differ by kind and by the fields that they use, not by pipeline.
//
// Times are UTC with microseconds; the zero time means "not set".
type Memory struct {
	ID        int64  // unique in the store
	UID       string // unique everywhere: travels with export and sync
	Workspace string

	Kind    Kind
	Type    string // open vocabulary: decision, bugfix, session_summary, …
	Title   string
	Content string

	Project       string // normalised name, "" = none
	ProjectOrigin string // the name before a merge of projects, "" = never merged
	Scope         Scope
	Session       string // the agent's own session id, "" = none
	Speaker       string // who said it, for turns
	Role          string // user, assistant, …, for turns
	ToolName      string // what captured it: tool or hook
	TopicKey      string // one living memory per workspace, project, scope and key
	Files         []string

	Hash       string  // [ContentHash] of Content
	Importance float64 // 0 … 1
	Pinned     bool
	Origin     Origin
	Trust      Trust
	Status     string // of a task: open, done, …; else ""

	Version        int // number of the text version, from 1; index and history go by it
	RevisionCount  int // how often it was written over, from 1
	DuplicateCount int // how often the same was saved, from 1
	AccessCount    int

	OccurredAt    time.Time // when it was said or happened
	ValidFrom     time.Time // true in the world from …
	ValidTo       time.Time // … until, zero = still
	RecordedAt    time.Time // this version was known to us from …
	InvalidatedAt time.Time // … until, zero = still
	SupersededBy  int64     // memory that took its place, 0 = none

	CreatedAt    time.Time
	UpdatedAt    time.Time
	LastSeenAt   time.Time // last save of it or of a duplicate
	LastAccessed time.Time
	DeletedAt    time.Time // soft delete, zero = living
}

// Kind says which of its fields a memory uses.
type Kind string

// The kinds of memory.
const (
	KindObservation Kind = "observation" // an agent's note of a session
	KindTurn        Kind = "turn"        // something that somebody said
)

// Origin says where a memory came from.
type Origin string

// The origins.
const (
	OriginUser     Origin = "user"
	OriginAgent    Origin = "agent"
	OriginTool     Origin = "tool"
	OriginWeb      Origin = "web"
	OriginDocument Origin = "document"
	OriginImport   Origin = "import"
	OriginDerived  Origin = "derived"
)

// Known reports whether o is one of the origins.
func (o Origin) Known() bool {
	switch o {
	case OriginUser, OriginAgent, OriginTool, OriginWeb, OriginDocument, OriginImport, OriginDerived:
		return true
	}
	return false
}

// Trust is how far a memory may be relied on, 0 (web, unknown) to 3 (the user
// said so). The server sets it; a summary never raises it.
type Trust int

// TrustOf is the trust that an origin gives. For [OriginDerived] it is 0: the
// least of its sources must be found from the support links.
func TrustOf(o Origin) Trust {
	switch o {
	case OriginUser:
		return 3
	case OriginAgent, OriginTool:
		return 2
	case OriginImport, OriginDocument:
		return 1
	}
	return 0
}

// Scope says for whom a memory is.
type Scope string

// The scopes. Personal is for its owner only and never leaves the machine by
// itself; global is found from every project.
const (
	ScopeProject  Scope = "project"
	ScopePersonal Scope = "personal"
	ScopeGlobal   Scope = "global"
)

// ParseScope reads a scope without regard to case and white space; "" is
// [ScopeProject]. Anything else is [ErrInvalid].
func ParseScope(s string) (Scope, error) {
	switch v := Scope(strings.ToLower(strings.TrimSpace(s))); v {
	case "":
		return ScopeProject, nil
	case ScopeProject, ScopePersonal, ScopeGlobal:
		return v, nil
	}
	return "", Errorf(ErrInvalid, "the scope is not known").
		WithCode("invalid_scope").WithHint("use project, personal or global")
}

// The types with a meaning of their own; any other word is allowed.
const (
	TypeManual         = "manual"
	TypeSessionSummary = "session_summary"
	TypePassive        = "passive"
	TypeTask           = "task"
)

// StatusDone is the status of a task that is no longer open.
const StatusDone = "done"

// IsTurn reports whether m was said by somebody: only then do its neighbours
// in the session give it context.
func (m *Memory) IsTurn() bool { return m.Speaker != "" || m.Role != "" }

// Deleted reports whether m is softly deleted.
func (m *Memory) Deleted() bool { return !m.DeletedAt.IsZero() }

// Limits on what is stored. Longer is refused, never cut.
const (
	DefaultMaxContent = 1 << 20 // bytes of a content, a prompt or a summary
	MaxTitle          = 2000    // bytes
	MaxTopicKey       = 120     // runes
	MaxName           = 500     // bytes of a project, type, speaker, role, tool or session id
)

// Receipt says what a delete took away, and where copies may remain.
type Receipt struct {
	ID       int64
	Hard     bool
	Memories int // rows erased, or hidden by a soft delete
	Versions int
	Derived  int // memories that rested on it alone
	Supports int // support links
	Postings int // entries of the keyword index
	// Copies names what this store cannot erase, in words: backups by file
	// name, chunks that were synced.
	Copies []string
}
