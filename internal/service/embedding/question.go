package embedding

import (
	"context"
	"errors"
	"sync"

	"engram"
	"engram/internal/store"
)

// Question gives what a question means to the model, and, as long as that lacks
// texts, to the one that it takes the place of where the same server still knows
// it. What cannot be had is named, in words that begin with a code; recall goes on
// without. That a model in this process cannot be used is said once: it stays so.
func (s *Service) Question(ctx context.Context, question string) (vectors []store.QueryVector, warnings []string) {
	if !s.Heard() {
		return nil, nil
	}
	_, local := s.local()
	if local {
		defer s.pace.ask()()
	}
	models := []Model{s.opts.Model}
	s.mu.Lock()
	looked := s.looked
	s.mu.Unlock()
	if !looked { // no round has gone before, as in a process that asks one question
		if err := s.lookForOlder(ctx); err != nil {
			warnings = append(warnings, warning(err))
		}
	}
	s.mu.Lock()
	if local && !s.started && !s.kept {
		models = nil // to load it for one question takes longer than the rest of the search
	}
	for _, m := range s.olders {
		models = append(models, m)
	}
	s.mu.Unlock()
	var (
		asking sync.WaitGroup
		found  = make([]store.QueryVector, len(models))
		failed = make([]error, len(models))
		other  = make([]bool, len(models)) // it is another model than it was
	)
	for i, m := range models {
		asking.Go(func() {
			found[i].Unit, other[i], failed[i] = s.ask(ctx, m, question)
			found[i].Model = m.Model()
		})
	}
	asking.Wait()
	for i, m := range models {
		switch {
		case other[i] && m == s.opts.Model:
			warnings = append(warnings, s.warnChanged(m))
		case other[i]:
			s.refuse(m)
		case failed[i] != nil && i > 0 && engram.ErrorCode(failed[i]) == "embedder_model_unknown":
			s.refuse(m)
		case failed[i] != nil && local && i == 0 && ctx.Err() == nil:
			warnings = append(warnings, s.warnUnusable(ctx, failed[i])...)
		case failed[i] != nil:
			warnings = append(warnings, warning(failed[i]))
		case found[i].Unit != nil:
			vectors = append(vectors, found[i])
			if w := s.warnDimension(m); m == s.opts.Model && w != "" {
				warnings = append(warnings, w)
			}
		}
	}
	return vectors, warnings
}

// refuse asks an older model no more: the server does not have it.
func (s *Service) refuse(m Model) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for recipe, older := range s.olders {
		if older == m {
			delete(s.olders, recipe)
			s.refused[recipe] = true
			m.Close()
			s.opts.Log.Info("the vectors of the model before are not searched: the server does not have it any more")
		}
	}
}

func warning(err error) string {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "embedder_timeout: the question ended before the embedder answered"
	}
	return engram.ErrorCode(err) + ": " + message(err)
}

// message is what people may see of an error.
func message(err error) string {
	if e, ok := errors.AsType[*engram.Error](err); ok {
		return e.Message
	}
	return "internal error"
}

func hint(err error) string {
	if e, ok := errors.AsType[*engram.Error](err); ok {
		return e.Hint
	}
	return ""
}

// lookForOlder finds the model that the current one takes the place of: as long
// as texts lack that, the vectors of the other are of use.
func (s *Service) lookForOlder(ctx context.Context) error {
	models, err := s.store.VectorModels(ctx)
	if err != nil {
		return err
	}
	return s.chooseOlder(models)
}

// chooseOlder does so among the models that vectors are kept of.
func (s *Service) chooseOlder(models []store.VectorModel) error {
	lacking, older, kept, same := false, "", false, ""
	for _, m := range models {
		if same == "" && m.Recipe == s.opts.Recipe && m.Rows > 0 {
			same = m.Name
		}
		kept = kept || m.Rows > 0 && m.Name == s.opts.Model.Model()
		if m.Recipe == s.opts.Recipe {
			lacking = m.Lack > 0
		}
	}
	if len(models) > 0 && models[0].Recipe != s.opts.Recipe {
		lacking = true // the current one has not begun
	}
	for _, m := range models {
		if lacking && m.Recipe != s.opts.Recipe && m.Rows > 0 && older == "" {
			older = m.Recipe
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.looked, s.kept, s.sameRecipe = true, kept, same
	for recipe, m := range s.olders {
		if recipe != older {
			m.Close()
			delete(s.olders, recipe)
		}
	}
	if older == "" || s.olders[older] != nil || s.refused[older] || s.opts.Older == nil {
		return nil
	}
	m, err := s.opts.Older(older)
	if err != nil || m == nil {
		s.refused[older] = true
		return err
	}
	s.olders[older] = m
	return nil
}
