package embedding

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
)

// progressSetting is where whoever embeds says how far it is, for other processes.
const progressSetting = "embedding_progress"

// noteEvery is how often it does.
const noteEvery = 10 * time.Second

// progress is what is written down.
type progress struct {
	At        time.Time `json:"at"`
	Model     string    `json:"model"`
	PerSecond float64   `json:"per_second"` // texts
	Code      string    `json:"code,omitempty"`
	Error     string    `json:"error,omitempty"`
}

// Status says how far a model is.
type Status struct {
	store.VectorModel
	Current   bool    // texts are given to it
	PerSecond float64 // texts, by whatever process gave it some last; 0 = not known
	// Trouble is what went wrong last, "" = nothing, at the time At.
	Trouble string
	At      time.Time
}

// note writes down how far the round is, now and then, and what went wrong when
// that is news.
func (r *round) note(ctx context.Context, failed error) {
	s := r.s
	s.mu.Lock()
	recent := s.now().Sub(s.noted) < noteEvery
	repeated := failed != nil && s.lost != nil && engram.ErrorCode(failed) == engram.ErrorCode(s.lost)
	recovered := failed == nil && s.troubled
	s.mu.Unlock()
	if _, local := s.local(); local {
		recent = recent || r.done < localBatch // a few saves are no news, and no measure of the pace
	}
	if failed == nil && !recovered && (r.done == 0 || recent) || repeated {
		return
	}
	p := progress{At: s.now(), Model: r.model}
	if took := p.At.Sub(r.began).Seconds(); took > 0 {
		p.PerSecond = float64(r.done) / took
	}
	if failed != nil {
		p.Code, p.Error = engram.ErrorCode(failed), "internal error"
		if e := message(failed); e != "" {
			p.Error = e
		}
	}
	data, err := json.Marshal(p)
	if err == nil {
		err = s.store.SetSetting(ctx, engram.DefaultWorkspace, progressSetting, string(data))
	}
	if err != nil {
		s.opts.Log.WarnContext(ctx, "progress of embedding not written down", "error", err)
	}
	s.mu.Lock()
	s.noted, s.troubled = p.At, failed != nil
	s.mu.Unlock()
	if failed == nil {
		s.opts.Log.InfoContext(ctx, "texts embedded", "model", r.model, "texts", r.done, "per_second", fmt.Sprintf("%.1f", p.PerSecond))
	}
}

// noteRead is what was written down last; what cannot be read counts as nothing, and
// is broken: the next note takes its place.
func (s *Service) noteRead(ctx context.Context) (p progress, broken bool, err error) {
	noted, ok, err := s.store.Setting(ctx, engram.DefaultWorkspace, progressSetting)
	if err != nil || !ok {
		return p, false, err
	}
	broken = json.Unmarshal([]byte(noted), &p) != nil
	if broken {
		p = progress{}
	}
	return p, broken, nil
}

// Status says how far each model is, the one in use first.
func (s *Service) Status(ctx context.Context) ([]Status, error) {
	if _, err := policy.Check(ctx, policy.ReadMemory); err != nil {
		return nil, err
	}
	models, err := s.store.VectorModels(ctx)
	if err != nil {
		return nil, err
	}
	p, _, err := s.noteRead(ctx)
	if err != nil {
		return nil, err
	}
	out := make([]Status, len(models))
	for i, m := range models {
		out[i] = Status{VectorModel: m, Current: i == 0 && s.opts.Model != nil}
		if m.Name == p.Model || i == 0 && p.Model == "" {
			out[i].PerSecond, out[i].Trouble, out[i].At = p.PerSecond, p.Error, p.At
		}
	}
	return out, nil
}

// Idle drops models that another one took the place of a week ago, and gives back
// the working memory of a model in this process that was not asked for a while.
func (s *Service) Idle(ctx context.Context) error {
	if _, err := policy.Check(ctx, policy.WriteMemory); err != nil {
		return err
	}
	if s.opts.Model == nil {
		return nil
	}
	if m, local := s.local(); local && s.pace.forgotten() {
		m.Close()
	}
	models, err := s.store.VectorModels(ctx)
	if err != nil || len(models) < 2 || models[0].Lack > 0 || models[0].Name != s.opts.Model.Model() {
		return err
	}
	for _, m := range models[1:] {
		if s.now().Sub(m.UsedAt) < s.opts.Keep {
			continue
		}
		n, err := s.store.DropVectors(ctx, m.Name)
		if err != nil {
			return err
		}
		s.opts.Log.InfoContext(ctx, "vectors of a model that is no longer used are gone", "model", m.Name, "vectors", n)
	}
	return nil
}
