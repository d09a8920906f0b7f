package embed

import (
	"context"
	"time"
)

// judge finds out whose fault it is that a server fails at texts, where that may be
// theirs: a server that takes the probe's sentence meanwhile is well. Then the
// texts are halved until one is left that is refused each time it is asked for. If
// it is the server's, the error says so.
func (e *Endpoint) judge(ctx context.Context, p *patience, prefix string, texts []string, f *fault) (*fault, error) {
	if f.blame != blameMaybe && (f.blame != blameText || len(texts) > 1) {
		return f, nil
	}
	if !p.checks {
		if f.blame == blameMaybe {
			return nil, f.err
		}
		return f, nil
	}
	probe := prefix + probeText
	if len(texts) == 1 && texts[0] == probe {
		return nil, f.err
	}
	if _, err := e.ask(ctx, patience{attempts: 1, timeout: p.timeout}, []string{probe}); err != nil {
		return nil, f.err
	}
	p.halving = true
	if f.blame == blameMaybe && len(texts) == 1 {
		err := unavailable("embedder_text_refused", "%s", f.err.Message).
			WithHint("the server takes other texts; this one is tried again when it changes, or by engram doctor --repair")
		return &fault{blame: blameText, err: err}, nil
	}
	own := *f
	own.blame = blameText
	return &own, nil
}

// howLong is how often so many texts are asked for: a part of what failed just now
// is asked for once, but a single text as often as any, for it is judged by that.
func (e *Endpoint) howLong(p patience, texts int) patience {
	switch {
	case p.halving && texts > 1:
		p.attempts = 1
	case p.halving:
		p.until = time.Now().Add(e.opts.MaxRetryTime)
	}
	return p
}
