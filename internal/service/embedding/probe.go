package embedding

import (
	"context"
	"encoding/json"
	"fmt"
	"math"

	"engram"
)

// probeSetting is where the vector of a model's probe is kept, with the model's name
// behind it.
const probeSetting = "embedding_probe "

// sameProbe is the cosine that a probe has with one of the same model at least,
// whatever the server, its version and how it rounds.
const sameProbe = 0.95

// probe asks the model once in the life of a process, and compares what it says
// with what it once said: a server may put another model behind a name. Its vectors
// are of no use then, and are made anew.
func (r *round) probe(ctx context.Context) error {
	s := r.s
	s.mu.Lock()
	probed := s.probed
	s.mu.Unlock()
	if probed {
		return nil
	}
	now, err := s.opts.Model.Probe(ctx)
	if err != nil {
		return err
	}
	setting := probeSetting + s.opts.Model.Model()
	kept, ok, err := s.store.Setting(ctx, engram.DefaultWorkspace, setting)
	if err != nil {
		return err
	}
	var before []float32
	if ok {
		if err := json.Unmarshal([]byte(kept), &before); err != nil {
			return fmt.Errorf("probe of the embedder: %w", err)
		}
	}
	changed := ok && cosine(before, now) < sameProbe
	if changed {
		n, err := s.store.DropVectors(ctx, s.opts.Model.Model())
		if err != nil {
			return err
		}
		s.opts.Log.WarnContext(ctx, "the server has put another model behind the name; its vectors are made anew", "model", s.opts.Model.Model(), "vectors", n)
	}
	if changed || !ok {
		data, err := json.Marshal(now)
		if err == nil {
			err = s.store.SetSetting(ctx, engram.DefaultWorkspace, setting, string(data))
		}
		if err != nil {
			return fmt.Errorf("probe of the embedder: %w", err)
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.probed = true
	return nil
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
