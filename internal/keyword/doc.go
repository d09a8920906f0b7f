// Package keyword is the in-process index of documents of the SQLite engine:
// postings in immutable segments and a small mutable tail, the columns that
// filters need, the order of turns in their sessions, and beside each document its
// vector and its tokens. It finds the best documents by BM25 without looking at
// all that a common word matches, and the nearest by their vectors (package vector
// compares them), and writes segments as bytes and reads them back.
//
// It does no I/O, makes no terms, vectors or tokens (packages text and embed do)
// and knows no rule about
// who may see what beyond the filter it is given. Where segments are kept, and
// which rows are missing in them, is the engine's affair; the rows are the
// truth, and an index can always be built anew from them.
package keyword

import (
	"engram/internal/store"
	"engram/internal/vector"
)

// Rules are what an index's documents are made by. Segments of other rules are
// not used.
type Rules struct {
	Analysis int          // version of the rules that terms are made by
	Space    vector.Space // of the documents' vectors
}

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

	Speaker   string
	Assistant bool // said by an assistant

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

	Vector []float32 // of the index's space; nil = it has none
	Tokens []uint16
	Traits uint16 // of its text, as package text names them
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
	Vectors    []Vector
	Fetch      Fetch // for vectors of other models whose codes are not at hand; nil = they count as not there
}

// Vector is what a query means to a model. With one that the index's vectors are
// not of nothing is found and no document has a cosine.
type Vector struct {
	Model string
	Unit  []float32
}

// NoCosine stands for the cosine of a document that has no vector.
const NoCosine float32 = -2

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

	Cosine    []float32 // with each of the query's vectors, or NoCosine
	Nearest   []int     // its rank by each of them, from 1; 0 = not among the Limit nearest
	Tokens    []uint16  // not to be written to
	Session   int       // numbers the sessions of one result, 0 = none
	Speaker   string
	Assistant bool
	Traits    uint16
}

// Neighbour is a turn beside a hit in its session.
type Neighbour = store.KeywordNeighbour
