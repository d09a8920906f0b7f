package embedding

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"engram"
	"engram/internal/embed"
	"engram/internal/policy"
	"engram/internal/store"
	"engram/internal/text"
)

// leaseName is the lease of whoever embeds; it runs out by itself when its holder
// dies. A batch that a server takes long for is not to be given to it twice.
const leaseName = "embedding"

func (s *Service) leaseTime() time.Duration {
	if _, local := s.local(); local {
		return localLease
	}
	return time.Minute
}

// batchBytes is how long the texts of a batch are together, about.
const batchBytes = 256 << 10

// round is one walk through what lacks a vector.
type round struct {
	s        *Service
	news     bool // something was written since the last round; nothing else is looked for
	all      bool // looks even where there seems to be nothing to do
	progress func(done int)
	model    string
	spans    []store.WriteSpan // still to be looked at, the last one first
	newest   int64             // the last write that is in one of them
	began    time.Time
	done     int
}

// run goes through all that lacks a vector, if no other process does. held is
// false if one does.
func (r *round) run(ctx context.Context) (held bool, err error) {
	if _, err := policy.Check(ctx, policy.WriteMemory); err != nil {
		return false, err
	}
	s := r.s
	if !r.news && !r.all {
		if idle, err := s.idle(ctx); err != nil || idle {
			return true, err
		}
	}
	held, err = s.store.AcquireLease(ctx, leaseName, s.holder, s.now(), s.leaseTime())
	if err != nil || !held {
		return held, err
	}
	keep, cancel := context.WithCancel(ctx)
	var keeping sync.WaitGroup
	keeping.Go(func() { s.keepLease(keep) })
	if err = r.embedAll(ctx); errors.Is(err, errChanged) { // to begin anew makes that good
		r.spans = nil
		err = r.embedAll(ctx)
	}
	cancel()
	keeping.Wait()
	if ctx.Err() == nil {
		r.note(ctx, err)
	}
	release := s.store.ReleaseLease(context.WithoutCancel(ctx), leaseName, s.holder)
	return true, errors.Join(err, release)
}

// idle reports whether there is nothing to do, without a write: many processes
// look every so often.
func (s *Service) idle(ctx context.Context) (bool, error) {
	last, err := s.store.LastWrite(ctx)
	if err != nil {
		return false, err
	}
	models, err := s.store.VectorModels(ctx)
	if err != nil || len(models) == 0 {
		return false, err
	}
	if err := s.chooseOlder(models); err != nil {
		return false, err
	}
	_, local := s.local()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost != nil || !local && !s.probed || !s.inUse(models[0]) || models[0].Lack > 0 {
		return false, nil
	}
	s.seen = last
	return true, nil
}

// inUse reports whether the model that was used last is the one to be used, and
// that was said not long ago.
func (s *Service) inUse(m store.VectorModel) bool {
	return m.Name == s.opts.Model.Model() && m.Recipe == s.opts.Recipe && s.now().Sub(m.UsedAt) < s.opts.Keep/7
}

// keepLease renews the lease: a batch may take longer than it lasts.
func (s *Service) keepLease(ctx context.Context) {
	tick := time.NewTicker(s.leaseTime() / 3)
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			// Where it is lost, or cannot be had, two may embed the same texts: no harm is done.
			_, _ = s.store.AcquireLease(ctx, leaseName, s.holder, s.now(), s.leaseTime())
		}
	}
}

// embedAll embeds the last written first, also what is written meanwhile.
func (r *round) embedAll(ctx context.Context) error {
	s := r.s
	r.began = s.now()
	last, err := s.store.LastWrite(ctx)
	if err != nil {
		return err
	}
	known, err := r.prepare(ctx)
	if err != nil {
		return err
	}
	if known.Done < last {
		r.spans, r.newest = []store.WriteSpan{{After: known.Done, Until: last}}, last
	}
	for len(r.spans) > 0 {
		if err := r.step(ctx); err != nil {
			return err
		}
	}
	if !r.news && r.newest > known.Done { // a few that were written since are soon looked at again
		if err := s.store.VectorsDone(ctx, r.model, r.newest); err != nil {
			return err
		}
	}
	s.succeeded(max(last, r.newest))
	if r.news {
		return nil
	}
	return s.lookForOlder(ctx)
}

// prepare makes the model known to the store and gives what is kept of it.
func (r *round) prepare(ctx context.Context) (known store.VectorModel, err error) {
	s := r.s
	model := s.opts.Model
	if _, local := s.local(); !local {
		if err := r.probe(ctx); err != nil {
			return known, err
		}
	}
	r.model = model.Model()
	s.mu.Lock()
	seen := s.seen
	s.mu.Unlock()
	if r.news && seen >= 0 {
		return store.VectorModel{Name: r.model, Done: seen}, nil
	}
	for range 2 {
		models, err := s.store.VectorModels(ctx)
		if err != nil {
			return known, err
		}
		if len(models) > 0 && s.inUse(models[0]) {
			return models[0], nil
		}
		use := store.VectorModel{Name: r.model, Dim: model.Dim(), Recipe: s.opts.Recipe}
		if err := s.store.UseVectorModel(ctx, use, s.now()); err != nil {
			return known, err
		}
	}
	return known, nil // another process uses another one: both are kept, and nothing is known to be done
}

// step embeds the next batch.
func (r *round) step(ctx context.Context) error {
	if err := r.lookForNews(ctx); err != nil {
		return err
	}
	span := &r.spans[len(r.spans)-1]
	texts, err := r.s.store.TextsToEmbed(ctx, r.model, *span, r.s.opts.Batch, batchBytes)
	if err != nil {
		return err
	}
	if len(texts) == 0 {
		r.spans = r.spans[:len(r.spans)-1]
		return nil
	}
	if err := r.stillTheSame(ctx); err != nil {
		return err
	}
	var vectors []store.TextVector
	if m, local := r.s.local(); local {
		vectors, err = r.embedLocal(ctx, m, texts)
	} else {
		vectors, err = r.s.embed(ctx, texts)
	}
	if err != nil {
		return err
	}
	if _, err := r.s.store.SaveVectors(ctx, r.model, vectors); err != nil {
		return err
	}
	last := texts[len(vectors)-1]
	span.Until, span.BelowID = last.Write, last.ID
	r.done += len(vectors)
	if r.progress != nil {
		r.progress(r.done)
	}
	r.s.works()
	r.note(ctx, nil)
	return nil
}

// lookForNews puts what was written meanwhile before the rest.
func (r *round) lookForNews(ctx context.Context) error {
	last, err := r.s.store.LastWrite(ctx)
	if err == nil && last > r.newest {
		r.spans = append(r.spans, store.WriteSpan{After: r.newest, Until: last})
		r.newest = last
	}
	return err
}

// works notes that the model answers.
func (s *Service) works() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.lost != nil {
		s.opts.Log.Info("the embedder works again")
	}
	s.lost = nil
}

// succeeded notes that no text written up to seen lacks a vector.
func (s *Service) succeeded(seen int64) {
	s.works()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.seen = seen
}

// embed gives the vectors of texts. What cannot be embedded for its own sake is
// noted and does not keep the others waiting.
func (s *Service) embed(ctx context.Context, texts []store.TextToEmbed) ([]store.TextVector, error) {
	out := make([]store.TextVector, len(texts))
	said, at := make([]string, len(texts)), make([]int, len(texts))
	for i, t := range texts {
		out[i] = store.TextVector{ID: t.ID, Version: t.Version}
		said[i], at[i] = whole(t), i
	}
	for len(at) > 0 {
		vectors, err := s.opts.Model.Embed(ctx, said)
		if err == nil {
			for i, v := range vectors {
				out[at[i]].Units = [][]float32{v}
			}
			break
		}
		bad, ok := errors.AsType[*embed.TextError](err)
		if !ok || bad.Index < 0 || bad.Index >= len(at) {
			return nil, err
		}
		out[at[bad.Index]].Failed = bad.Err.Message
		s.opts.Log.WarnContext(ctx, "a text has no vector", "memory", out[at[bad.Index]].ID, "code", engram.ErrorCode(bad.Err))
		said = append(said[:bad.Index:bad.Index], said[bad.Index+1:]...)
		at = append(at[:bad.Index:bad.Index], at[bad.Index+1:]...)
	}
	return out, nil
}

// whole is what a memory says: its title too, where that was not made from the content.
func whole(t store.TextToEmbed) string {
	title := strings.TrimSpace(t.Title)
	if title == "" || title == t.Content || text.TitleOf(title, t.Content) {
		return t.Content
	}
	return title + "\n" + t.Content
}
