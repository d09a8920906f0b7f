package embed

import (
	"context"
	"errors"

	"engram"
	"engram/internal/remote"
)

// Question gives the vector of a question, nil if that is blank, and does not
// wait for it longer than QuestionTimeout. When that is not enough, perhaps
// because the server has to load the model first, it lets the server do so:
// until that has ended, questions fail at once with "embedder_loading".
func (e *Endpoint) Question(ctx context.Context, question string) ([]float32, error) {
	v, _, err := e.question(ctx, question, false)
	return v, err
}

// QuestionAndProbe is Question, and gives the vector of the probe's sentence, as
// Probe does, from the same request where the server takes two texts. A server
// that mixes texts up gives the vectors of others: if the probe is not what it
// should be, ask for each alone. It is nil where only the question was answered in time.
func (e *Endpoint) QuestionAndProbe(ctx context.Context, question string) (v, probe []float32, err error) {
	return e.question(ctx, question, true)
}

func (e *Endpoint) question(ctx context.Context, question string, withProbe bool) (v, probe []float32, err error) {
	if e.isLoading() {
		return nil, nil, unavailable("embedder_loading", "%s is still waited for", e.name()).
			WithHint("it answers when the model is loaded")
	}
	hurry, cancel := context.WithTimeoutCause(ctx, e.opts.QuestionTimeout, remote.ErrSlow)
	defer cancel()
	p := patience{attempts: 1, timeout: e.opts.QuestionTimeout}
	if withProbe {
		v, probe, err = e.inOne(hurry, p, question)
	}
	if err == nil && v == nil {
		var vectors [][]float32
		if vectors, err = e.embed(hurry, p, e.opts.QuestionPrefix, []string{question}); err == nil {
			v = vectors[0]
		}
	}
	if err == nil && v != nil && withProbe && probe == nil {
		if vectors, err := e.embed(hurry, p, e.opts.TextPrefix, []string{probeText}); err == nil {
			probe = vectors[0]
		}
	}
	if err != nil {
		if engram.ErrorCode(err) == "embedder_timeout" {
			e.load()
		}
		return nil, nil, textErrorCause(err)
	}
	return v, probe, nil
}

// inOne asks for a question and the probe at once. It gives nothing where the
// server has to be asked for one after the other.
func (e *Endpoint) inOne(ctx context.Context, p patience, question string) (v, probe []float32, err error) {
	pieces := e.pieces(e.opts.QuestionPrefix, []string{question})
	if len(pieces) != 1 || e.batchLimit() < 2 {
		return nil, nil, nil
	}
	vectors, err := e.ask(ctx, p, []string{pieces[0].text, e.opts.TextPrefix + probeText})
	f, ok := errors.AsType[*fault](err)
	switch {
	case ok && f.blame != blameNobody && !f.down:
		return nil, nil, nil // that there are two may be what is wrong
	case ok:
		return nil, nil, f.err
	case err != nil:
		return nil, nil, err
	}
	return vectors[0], vectors[1], nil
}
