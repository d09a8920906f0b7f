// Package keyword is the in-process BM25 index of the SQLite engine: postings
// in immutable segments and a small mutable tail, the columns that filters
// need, and the order of turns in their sessions. It finds the best documents
// without looking at all that a common word matches, and writes segments as
// bytes and reads them back.
//
// It does no I/O, makes no terms (package text does) and knows no rule about
// who may see what beyond the filter it is given. Where segments are kept, and
// which rows are missing in them, is the engine's affair; the rows are the
// truth, and an index can always be built anew from them.
package keyword

// The parameters of BM25.
const (
	k1 = 1.2
	b  = 0.75
)

// Meta is what a document is, beside its text. Times are microseconds, 0 is
// "not set".
type Meta struct {
	ID      int64 // of the memory
	Version int   // of its text

	Workspace, Project, Type, Scope, Kind string
	Session                               string // "" = none

	Pinned   bool
	Turn     bool // said by somebody: has neighbours in its session
	OpenTask bool

	Closed        bool // a version that another took the place of: found by as-of searches only
	OccurredAt    int64
	RecordedAt    int64 // known from …
	InvalidatedAt int64 // … until
	CreatedAt     int64
	DeletedAt     int64 // of the memory: holds for all its versions
}

// Document is one version of a memory with its terms, each named once.
type Document struct {
	Meta
	Terms []string
	TF    []int // how often it has each of Terms
	Len   int   // in terms, repetitions counted
}

// Filter says which documents count. The zero value of a field does not filter,
// except that deleted memories and closed versions are left out.
type Filter struct {
	Workspace    string // required
	Projects     []string
	Global       bool // with Projects: those of scope global as well
	Scopes       []string
	Types        []string
	NotTypes     []string
	Kinds        []string
	Session      string
	Since, Until Instant // of OccurredAt: not before, before
	AsOf         Instant // versions known then
	Deleted      Deleted
	Pinned       bool // only pinned ones
	OpenTasks    bool // only open tasks
}

// Instant is a time that a filter may name, in microseconds.
type Instant struct {
	At  int64
	Set bool
}

// At is an instant that is set.
func At(microseconds int64) Instant { return Instant{microseconds, true} }

// Deleted says what a filter does with softly deleted memories.
type Deleted int

// What can be done with softly deleted memories.
const (
	WithoutDeleted Deleted = iota
	WithDeleted
	OnlyDeleted
)

// Term is one word form that is looked for.
type Term struct {
	Text   string
	Weight float64 // 0: its frequency is reported only
}

// Query asks for the best documents.
type Query struct {
	Filter     Filter
	Terms      []Term
	Limit      int
	Neighbours int // how many turns before and after a found one come with it
	Widen      int // how far neighbours of found turns become hits too
}

// Result is what a search found. DF, Docs and AvgLen are over all current
// documents that are not deleted.
type Result struct {
	Hits   []Hit // best first, ties by id, newest first
	DF     []int // of each of the query's terms
	Docs   int
	AvgLen float64
}

// Hit is a document that was found.
type Hit struct {
	ID         int64
	Score      float64
	Len        int
	TF         []float32 // of each of the query's terms
	Turn       bool
	OccurredAt int64
	Neighbours []Neighbour // nearest first, of two equally near the earlier one
}

// Neighbour is a turn beside a hit in its session.
type Neighbour struct {
	ID       int64
	Distance int // negative: before
	Len      int
	TF       []float32
}
