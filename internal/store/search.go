package store

import (
	"context"
	"time"

	"engram/internal/text"
)

// Searcher draws candidates for recall. The filter applies before any limit.
type Searcher interface {
	// Keyword gives the best Limit memories by BM25 (k1 1.2, b 0.75) over
	// q.Terms, best first, ties by id, newest first, and with q.Widen the
	// neighbours of turns among them. With q.Vectors it gives also the Limit that
	// are nearest to each of them; every hit comes with what both arms know of it.
	// Other processes' committed writes are seen.
	// With filter.AsOf, versions known then are searched instead of current ones.
	Keyword(ctx context.Context, q KeywordQuery) (*KeywordResult, error)

	// InWindow gives up to limit ids whose OccurredAt lies in [from, to), newest
	// first, or oldest first; zero from or to is open.
	InWindow(ctx context.Context, filter Filter, from, to time.Time, oldest bool, limit int) ([]int64, error)

	// SimilarTerms gives indexed terms that are near to a word that is not: one edit
	// away (insert, delete, replace, swap), or two for words of eight letters and
	// more; most frequent first.
	SimilarTerms(ctx context.Context, word string, limit int) ([]string, error)

	// PrefixTerms gives indexed terms that begin with prefix, most frequent first.
	PrefixTerms(ctx context.Context, prefix string, limit int) ([]string, error)
}

// Term is one word form that is looked for.
type Term struct {
	Text   string  // as package text makes it
	Weight float64 // of its BM25 in the sum that chooses candidates
}

// KeywordQuery asks for candidates.
type KeywordQuery struct {
	Filter Filter
	Terms  []Term
	Limit  int // 0: only the statistics are asked for
	// Neighbours is how many memories before and after a turn in its session
	// come with it as context, 0 to 4. Only turns have any.
	Neighbours int
	// Widen makes the neighbours of found turns, up to so far away, hits of their own.
	Widen int
	// Vectors are the query's, one for each model. A model that no memory has a
	// vector of finds nothing.
	Vectors []QueryVector
}

// QueryVector is what a query means to a model.
type QueryVector struct {
	Model string    // as package embed names it, with its dimension
	Unit  []float32 // of length 1
}

// NoCosine is the similarity of a memory that has no vector of a model.
const NoCosine float32 = -2

// KeywordResult is what was found, with the statistics that BM25 needs.
type KeywordResult struct {
	Hits   []KeywordHit // by Score; what was found by meaning alone stands where its words put it
	DF     []int        // documents that have term i, in the order of the query's terms; with AsOf 1 where only older versions have it
	Docs   int          // documents in the index
	AvgLen float64      // mean length of a document in terms
}

// KeywordHit is a candidate.
type KeywordHit struct {
	ID         int64
	Score      float64   // BM25 sum of the query's terms over its own text
	Len        int       // of its own text in terms
	TF         []float32 // how often it has each of the query's terms
	Turn       bool
	OccurredAt time.Time
	Neighbours []KeywordNeighbour // nearest first

	Cosine    []float32 // with each of the query's vectors, -1 … 1, or NoCosine
	Nearest   []int     // its rank among the nearest to each of them, from 1; 0 = not among them
	Tokens    []uint16  // of the built-in table, in order; not to be written to
	Session   int       // numbers the sessions of one result, 0 = in none
	Speaker   string
	Assistant bool // its role is assistant
	Traits    text.Traits
}

// KeywordNeighbour is a memory beside a turn in its session.
type KeywordNeighbour struct {
	ID       int64
	Distance int // -4 … -1 before, 1 … 4 after
	Len      int
	TF       []float32
	Cosine   []float32
	Tokens   []uint16
	Traits   text.Traits
}
