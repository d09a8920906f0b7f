package embedding

import (
	"context"
	"fmt"
	"strings"
)

// prober is a model that may become another one behind its name: a server's.
type prober interface {
	Model
	// QuestionAndProbe is Question, and gives the vector of the probe too, nil where
	// only the question was answered in time. A server may mix the two up.
	QuestionAndProbe(ctx context.Context, question string) (unit, probe []float32, err error)
}

// ask gives a question's vector by m, and now and then compares the model with what
// it once was: the vectors of another one point anywhere. changed is said then, and
// there is no vector.
func (s *Service) ask(ctx context.Context, m Model, question string) (unit []float32, changed bool, err error) {
	p, ok := m.(prober)
	s.mu.Lock()
	unused := m == s.opts.Model && s.sameRecipe == "" // it has no vectors that could be of another one
	s.mu.Unlock()
	if !ok || unused || !s.due(m) {
		unit, err = m.Question(ctx, question)
		return unit, false, err
	}
	unit, probe, err := p.QuestionAndProbe(ctx, question)
	if err != nil || probe == nil {
		return unit, false, err
	}
	changed, kept, err := s.changed(ctx, m, probe)
	if err != nil || !changed {
		if !kept { // the order of the two is not known either
			unit, err = m.Question(ctx, question)
		}
		return unit, false, err
	}
	if probe, err = m.Probe(ctx); err != nil { // by itself, as the kept one was
		return nil, false, err
	}
	if changed, _, err = s.changed(ctx, m, probe); err != nil {
		return nil, false, err
	}
	if !changed {
		unit, err = m.Question(ctx, question)
		return unit, false, err
	}
	return nil, true, nil
}

// warnChanged is the warning for a model in use that became another one. Whoever
// embeds in this process looks at once.
func (s *Service) warnChanged(m Model) string {
	s.mu.Lock()
	s.probed, s.seen = false, -1
	s.mu.Unlock()
	s.Written()
	return fmt.Sprintf("embedder_changed: the server has put another model behind the name %s; "+
		"what it says is left out until engram serve, engram mcp or engram embed has made the vectors anew", nameOf(m.Model()))
}

// warnDimension is the warning for a model whose vectors have got another length, ""
// if they have not. The vectors that are kept cannot be compared with those then.
func (s *Service) warnDimension(m Model) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := m.Model()
	if s.sameRecipe == "" || now == "" || now == s.sameRecipe || nameOf(now) != nameOf(s.sameRecipe) {
		return ""
	}
	return fmt.Sprintf("embedder_dimension: the embedder gives vectors of %s now, and those that are kept are of %s; "+
		"they are left out until engram serve, engram mcp or engram embed has made them anew", now, s.sameRecipe)
}

// nameOf is a model's name without the dimension, as the server knows it.
func nameOf(model string) string {
	if i := strings.LastIndexByte(model, '@'); i >= 0 {
		return model[:i]
	}
	return model
}
