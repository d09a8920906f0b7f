package store

import (
	"context"
	"time"
)

// Vectors keeps what memories mean to models other than the built-in one: those
// that are asked over a network. Rows are the truth here: such a vector cannot be
// made again in microseconds. It is of one version of a memory, goes when the
// memory is erased, stays when that gets another version (a search as of then may
// want it), and is in no export. A search finds it through [KeywordQuery].Vectors.
//
// What it counts and lists is of all workspaces, since a model is asked for all.
type Vectors interface {
	// UseVectorModel makes a model known, or says that it is used again: its recipe
	// and time are written over. One that is known with another dimension is
	// [engram.ErrConflict] with code vector_dimension.
	UseVectorModel(ctx context.Context, m VectorModel, now time.Time) error

	// VectorModels lists models with their counts, last used first, ties by name.
	VectorModels(ctx context.Context) ([]VectorModel, error)

	// LastWrite is the number of the last write that changed what a search sees.
	LastWrite(ctx context.Context) (int64, error)

	// TextsToEmbed gives up to limit current texts of living memories that were
	// written in the span and have of the model neither a vector nor a note why
	// there is none: the last written first, of one write the newest first. It ends
	// early when the texts have maxBytes together, with one text at least. An
	// unknown model has none, so that all texts lack it.
	TextsToEmbed(ctx context.Context, model string, span WriteSpan, limit, maxBytes int) ([]TextToEmbed, error)

	// SaveVectors keeps vectors, and notes why there are none, in one transaction.
	// What is there already is written over. One of a version that is not the
	// current one of a living memory is ignored; saved counts the others. A passage's
	// vector that has no direction (empty, zero, not finite) is left out. A vector
	// of another dimension than the model's is [engram.ErrConflict] with code
	// vector_dimension, an unknown model [engram.ErrNotFound].
	SaveVectors(ctx context.Context, model string, vectors []TextVector) (saved int, err error)

	// VectorsDone says that no text written up to a write lacks the model.
	VectorsDone(ctx context.Context, model string, write int64) error

	// RetryVectors forgets why texts have no vector of a model, so that they lack
	// it again, and says how many.
	RetryVectors(ctx context.Context, model string) (int, error)

	// DropVectors forgets a model with all its vectors, in several transactions, and
	// says how many. One that ended early is ended by the next. An unknown model has none.
	DropVectors(ctx context.Context, model string) (int, error)
}

// VectorModel is a model whose vectors are kept.
type VectorModel struct {
	Name   string // as package embed names it, with its dimension
	Dim    int
	Recipe string // how it is asked, for its user; nothing secret
	UsedAt time.Time

	// Counts of texts, as VectorModels gives them: current ones of living memories.
	Have, Lack, Failed int
	Done               int64 // no text written up to here lacks it
	Rows               int   // in all, of closed versions and hidden memories too
}

// WriteSpan is a range of writes: after After, up to and with Until, where
// BelowID, if not 0, leaves out the ids from it on of the write Until itself.
type WriteSpan struct {
	After, Until, BelowID int64
}

// TextToEmbed is the current text of a memory.
type TextToEmbed struct {
	ID             int64
	Version        int
	Write          int64 // the last one that changed what a search sees of it
	Title, Content string
}

// TextVector is what a version of a memory means to a model: a vector for each of
// its passages, one at least for a text that says something. A search compares with
// the nearest of them.
type TextVector struct {
	ID      int64
	Version int
	Units   [][]float32 // of the model's dimension each; none = it says nothing to the model, or Failed
	Failed  string      // why there is none
}
