package encoder

import (
	"context"
	"fmt"

	"engram/internal/embed"
)

const (
	// PassageTokens is the most tokens of a passage, [CLS] and [SEP] among them. The model
	// was trained on texts of that length.
	PassageTokens = 128
	// MaxPassages is how many passages of a text are encoded, some 8,000 characters of English.
	MaxPassages = 16

	passageRoom = PassageTokens - 2
	batchTokens = PassageTokens // of a run
	idleRunners = 2             // that are kept, of 2 MB each
)

// The tokens around a text.
const (
	tokenCLS = 101
	tokenSEP = 102
)

// fitsTokenizer is an error if the model is not for the tokens that package embed makes.
func (m *Model) fitsTokenizer() error {
	table := embed.Static()
	if n := table.Len(); n != m.shape.Vocab {
		return badModel(fmt.Errorf("it knows %d tokens, this program makes %d", m.shape.Vocab, n))
	}
	if m.shape.Positions < PassageTokens {
		return badModel(fmt.Errorf("it reads %d tokens of a text, this program gives it %d", m.shape.Positions, PassageTokens))
	}
	return nil
}

// Encoder makes vectors of texts with the model in the binary. It satisfies [embed.Embedder], and
// may be used by several goroutines; each call runs on the goroutine that makes it.
type Encoder struct {
	free chan *worker
}

// New makes an encoder. The model is loaded by the first text, so every method that reads one may give
// the errors of [Default].
func New() *Encoder { return &Encoder{free: make(chan *worker, idleRunners)} }

// Model is [Name]. Nothing is loaded to tell it.
func (e *Encoder) Model() string { return Name }

// Dim is the length of every vector.
func (e *Encoder) Dim() int { return Dim }

// Tier tells which kernels texts run on. Nothing is loaded to tell it.
func (e *Encoder) Tier() Tier { return BestTier() }

// Probe encodes a short text: an error tells that no other will be encoded.
func (e *Encoder) Probe(ctx context.Context) ([]float32, error) { return e.Question(ctx, "memory") }

// Close gives memory back. The encoder can be used on.
func (e *Encoder) Close() {
	for {
		select {
		case <-e.free:
		default:
			return
		}
	}
}

// Question gives the vector of a question, of length 1. Questions of more than PassageTokens are read up to
// there. It is nil for a text that says nothing.
func (e *Encoder) Question(ctx context.Context, text string) ([]float32, error) {
	vectors, err := e.run(ctx, func(w *worker) {
		w.passages(text, 1)
	})
	if err != nil || len(vectors) == 0 {
		return nil, err
	}
	return vectors[0], nil
}

// Passages gives a vector of length 1 for each passage of a text, none for a text that says
// nothing. Passages have at most PassageTokens, are of about the same length, and end where a line or a
// sentence does, if one does near by. Of a text with more than MaxPassages, the rest is not read.
func (e *Encoder) Passages(ctx context.Context, text string) ([][]float32, error) {
	return e.run(ctx, func(w *worker) {
		w.passages(text, MaxPassages)
	})
}

// Embed gives a vector of length 1 for each text: the mean of those of its passages, made
// that long. See [embed.Embedder].
func (e *Encoder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	var counts []int
	vectors, err := e.run(ctx, func(w *worker) {
		for _, text := range texts {
			counts = append(counts, w.passages(text, MaxPassages))
		}
	})
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(texts))
	for i, n := range counts {
		out[i] = mean(vectors[:n])
		vectors = vectors[n:]
	}
	return out, nil
}

// mean of vectors of length 1, made of that length too. It is nil for none. Of vectors that cancel
// each other out it is the first.
func mean(vectors [][]float32) []float32 {
	switch len(vectors) {
	case 0:
		return nil
	case 1:
		return vectors[0]
	}
	sum := make([]float32, Dim)
	for _, v := range vectors {
		for i, x := range v {
			sum[i] += x
		}
	}
	if !makeUnit(sum) {
		return vectors[0]
	}
	return sum
}
