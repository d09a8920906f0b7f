package embedding

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"time"

	"engram"
)

// probeSetting is where the vector of a model's probe is kept, with the model's name
// behind it.
const probeSetting = "embedding_probe "

// sameProbe is the cosine that a probe has with one of the same model at least,
// whatever the server, its version and how it rounds.
const sameProbe = 0.95

// compareEvery is how long a model is taken to be the one that it was.
const compareEvery = 30 * time.Second

// compared is what came of the last look at a model.
type compared struct {
	at      time.Time
	changed bool
}

// due reports whether m has to be compared: it was not, or not lately, or it was
// another one, which may be over.
func (s *Service) due(m Model) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c, ok := s.compared[m]
	return !ok || c.changed || s.now().Sub(c.at) >= compareEvery
}

// keptProbe is the probe that was kept of a model, nil if none was, or none that
// can be read.
func (s *Service) keptProbe(ctx context.Context, model string) (probe []float32, broken bool, err error) {
	kept, ok, err := s.store.Setting(ctx, engram.DefaultWorkspace, probeSetting+model)
	if err != nil || !ok {
		return nil, false, err
	}
	broken = json.Unmarshal([]byte(kept), &probe) != nil || len(probe) == 0
	if broken {
		probe = nil
	}
	return probe, broken, nil
}

// changed compares a probe of m with the kept one, and remembers what came of it.
func (s *Service) changed(ctx context.Context, m Model, now []float32) (changed, kept bool, err error) {
	before, _, err := s.keptProbe(ctx, m.Model())
	if err != nil {
		return false, false, err
	}
	changed = before != nil && cosine(before, now) < sameProbe
	s.mu.Lock()
	defer s.mu.Unlock()
	s.compared[m] = compared{s.now(), changed}
	return changed, before != nil, nil
}

// probe asks the model for its probe before anything is written, and compares what
// it says with what it once said: a server may put another model behind a name. Its
// vectors are of no use then, and are made anew.
func (r *round) probe(ctx context.Context) error {
	s := r.s
	m := s.opts.Model
	now, err := m.Probe(ctx)
	if err != nil {
		return err
	}
	changed, kept, err := s.changed(ctx, m, now)
	if err != nil {
		return err
	}
	if changed {
		n, err := s.store.DropVectors(ctx, m.Model())
		if err != nil {
			return err
		}
		s.mu.Lock()
		s.seen = -1 // all is to be looked at again
		s.mu.Unlock()
		s.opts.Log.WarnContext(ctx, "the server has put another model behind the name; its vectors are made anew", "model", m.Model(), "vectors", n)
	}
	if changed || !kept {
		data, err := json.Marshal(now)
		if err == nil {
			err = s.store.SetSetting(ctx, engram.DefaultWorkspace, probeSetting+m.Model(), string(data))
		}
		if err != nil {
			return fmt.Errorf("probe of the embedder: %w", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probed = true
	s.compared[m] = compared{at: s.now()}
	return nil
}

// errChanged ends a round in which the model became another one: the next one
// begins anew.
var errChanged = errors.New("the server has put another model behind the name")

// stillTheSame looks at the model again in a round that takes long.
func (r *round) stillTheSame(ctx context.Context) error {
	s := r.s
	if _, local := s.local(); local || !s.due(s.opts.Model) {
		return nil
	}
	now, err := s.opts.Model.Probe(ctx)
	if err != nil {
		return err
	}
	changed, _, err := s.changed(ctx, s.opts.Model, now)
	if err == nil && changed {
		err = errChanged
	}
	return err
}

// cosine of two vectors, 0 where they cannot be compared.
func cosine(a, b []float32) float64 {
	if len(a) != len(b) {
		return 0
	}
	var dot, squareA, squareB float64
	for i, x := range a {
		dot += float64(x) * float64(b[i])
		squareA += float64(x) * float64(x)
		squareB += float64(b[i]) * float64(b[i])
	}
	if squareA == 0 || squareB == 0 {
		return 0
	}
	return dot / math.Sqrt(squareA*squareB)
}
