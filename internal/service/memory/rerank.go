package memory

import (
	"cmp"
	"context"
	"errors"

	"engram"
	"engram/internal/recall"
	"engram/internal/text"
)

// Reranker is a model that reads a question and a text together.
type Reranker interface {
	// Rerank says soon how likely each of texts answers the question, 0 … 1. Its error
	// is an [engram.Error] with a code, or the context's.
	Rerank(ctx context.Context, question string, texts []string) ([]float64, error)
}

// What a reranker is given of a question and of a text at most, in tokens: most
// of these models read 512 of both, and providers count question and text for each
// text.
const (
	rerankQuestion = 128
	rerankText     = 256
)

// rerank has the reranker of the settings look at the best, outside of any
// transaction. Without its answer the order stays, and a warning says so.
func (f *finding) rerank(ctx context.Context) error {
	r := f.s.opts.Reranker
	if r == nil {
		return nil
	}
	f.reranker = &recall.TraceReranker{}
	var ok bool
	if f.reranker.Why, ok = f.pool.Rerankable(!f.in.NoFloor); !ok {
		return nil
	}
	best := f.pool.Candidates[:min(recall.Reranked, len(f.pool.Candidates))]
	ms, err := f.s.store.MemoriesByID(ctx, f.filter, ids(best))
	if err != nil {
		return err
	}
	if len(ms) == 0 {
		f.reranker.Why = "what was found has changed meanwhile"
		return nil
	}
	texts := make([]string, len(ms))
	for i, m := range ms {
		texts[i] = f.rerankText(m)
	}
	// Secrets and private spans do not leave the house; in texts there are none.
	question, _ := f.around(f.s.cleaner().Text(f.in.Query), rerankQuestion)
	scores, err := r.Rerank(ctx, question, texts)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if e, ok := errors.AsType[*engram.Error](err); ok {
		f.reranker.Why = engram.ErrorCode(e) + ": " + e.Message
		f.warnings = append(f.warnings, f.reranker.Why)
		return nil
	}
	if err != nil {
		return err
	}
	said := make(map[int64]float64, len(ms))
	for i, m := range ms {
		said[m.ID] = scores[i]
	}
	f.pool.Rerank(said)
	f.reranker.Used, f.reranker.Asked = true, len(ms)
	return nil
}

// rerankText is a memory as a reranker reads it: who said it, or its title, and
// the text, of a long one what is around the words of the question.
func (f *finding) rerankText(m *engram.Memory) string {
	content, _ := f.around(m.Content, rerankText)
	switch {
	case m.IsTurn():
		return cmp.Or(m.Speaker, m.Role) + ": " + content
	case text.TitleOf(m.Title, m.Content):
		return content
	default:
		return m.Title + "\n" + content
	}
}
