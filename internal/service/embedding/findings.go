package embedding

import (
	"context"
	"fmt"
	"time"

	"engram/internal/policy"
	"engram/internal/store"
)

// probeTime is how long a check waits for the model.
const probeTime = 10 * time.Second

// stuckAfter is how long after a failure texts may wait for a server that answers:
// by then every process that embeds has tried again.
const stuckAfter = 10 * time.Minute

// withoutIt is what a failure of the model means to recall.
const withoutIt = "; recall goes on by words and the built-in model"

// Findings ask the model whether it answers and is the one that it was, and say how
// far it is and what went wrong last, for `engram doctor`.
func (s *Service) Findings(ctx context.Context) ([]store.Finding, error) {
	if _, err := policy.Check(ctx, policy.ManageStore); err != nil {
		return nil, err
	}
	if s.opts.Model == nil {
		return nil, nil
	}
	status, err := s.Status(ctx)
	if err != nil {
		return nil, err
	}
	f := store.Finding{Check: "embedder", OK: true}
	probing, cancel := context.WithTimeout(ctx, probeTime)
	defer cancel()
	probe, err := s.opts.Model.Probe(probing)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case probing.Err() != nil:
		f.OK, f.Message = false, fmt.Sprintf("the embedder gave no answer within %v%s", probeTime, withoutIt)
		f.Fix = "see whether the server is overloaded, or still loading the model"
	case err != nil:
		f.OK, f.Message, f.Fix = false, message(err)+withoutIt, hint(err)
	default:
		if f, err = s.answers(ctx, probe, status); err != nil {
			return nil, err
		}
	}
	more, err := s.checkProgress(ctx, f.OK && lacking(status, s.opts.Model.Model()))
	return append([]store.Finding{f}, more...), err
}

// answers is the finding about a model that answers.
func (s *Service) answers(ctx context.Context, probe []float32, status []Status) (store.Finding, error) {
	name := s.opts.Model.Model()
	f := store.Finding{Check: "embedder", OK: true, Message: "the embedder answers; its model is " + name}
	if _, local := s.local(); local {
		f.Message = "the encoder works; its model is " + name
	} else if changed, _, err := s.changed(ctx, s.opts.Model, probe); err != nil {
		return f, err
	} else if changed {
		f.OK, f.Fix = false, "run engram embed, which makes the vectors anew, or have the server use the model of before"
		f.Message = fmt.Sprintf("the server has put another model behind the name %s; the vectors that are kept are of the one before, and recall leaves them out", nameOf(name))
		return f, nil
	}
	if s.opts.TextsOnly {
		f.Message += "; this processor is slow at it, so that questions are left to the table (the setting embedder = \"encoder\" puts them to it too)"
	}
	const work = "engram serve and engram mcp work on it; to wait for it, run engram embed"
	for _, st := range status {
		if st.Name != name {
			continue
		}
		if st.Failed > 0 {
			f.Message += fmt.Sprintf("; texts that it could not read: %d", st.Failed)
			f.Fix = "to try them again, run engram doctor --repair"
		}
		if st.Lack > 0 {
			f.Message, f.Fix = f.Message+fmt.Sprintf("; %d of %d texts wait for it", st.Lack, st.Lack+st.Have+st.Failed), work
			if st.PerSecond > 0 {
				f.Message += fmt.Sprintf(" (%.1f a second at last)", st.PerSecond)
			}
		}
		return f, nil
	}
	// Nothing was given to it yet.
	texts := 0
	for _, st := range status {
		texts = st.Have + st.Lack + st.Failed
		if st.Recipe == s.opts.Recipe && nameOf(st.Name) == nameOf(name) {
			f.OK, f.Fix = false, "run engram embed, which makes the vectors anew, or have the server use the model of before"
			f.Message = fmt.Sprintf("%s was %s before: all %d texts wait for new vectors, and recall leaves the old ones out", name, st.Name, texts)
			return f, nil
		}
	}
	if texts > 0 {
		f.Message, f.Fix = f.Message+fmt.Sprintf("; all %d texts wait for it", texts), work
		return f, nil
	}
	waiting, err := s.store.TextsToEmbed(ctx, name, store.WriteSpan{Until: maxWrite}, 1, 1)
	if err == nil && len(waiting) > 0 {
		f.Message, f.Fix = f.Message+"; all texts wait for it", work
	}
	return f, err
}

// maxWrite is after every write.
const maxWrite = 1<<63 - 1

// lacking reports whether texts wait for a model.
func lacking(status []Status, name string) bool {
	for _, st := range status {
		if st.Name == name {
			return st.Lack > 0
		}
	}
	return true
}

// checkProgress says what went wrong when texts were given to a model last, where
// they still wait, and whether what is kept of that can be read.
func (s *Service) checkProgress(ctx context.Context, waiting bool) ([]store.Finding, error) {
	var out []store.Finding
	p, broken, err := s.noteRead(ctx)
	if err != nil {
		return nil, err
	}
	const anew = "run engram embed, which writes it anew"
	if broken {
		out = append(out, store.Finding{Check: "embedder", Message: "how far the embedder is was noted in a way that cannot be read", Fix: anew})
	}
	if p.Error != "" && waiting {
		out = append(out, store.Finding{
			Check: "embedder", OK: s.now().Sub(p.At) < stuckAfter, Fix: "run engram embed, which tries again",
			Message: fmt.Sprintf("when texts were given to it last, at %s, that failed: %s", p.At.UTC().Format("2006-01-02 15:04 UTC"), p.Error),
		})
	}
	_, broken, err = s.keptProbe(ctx, s.opts.Model.Model())
	if broken {
		out = append(out, store.Finding{
			Check: "embedder", Fix: anew,
			Message: "the vector by which the model is known again cannot be read: whether the server has put another one behind the name is not known",
		})
	}
	return out, err
}
