package memory

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"time"

	"engram"
	"engram/internal/text"
)

// intake turns what callers send into memories: cleaned, completed, checked.
// It belongs to one call and remembers where things are filed.
type intake struct {
	s     *Service
	actor engram.Actor
	filed map[[2]string]filing // project and session as asked → where it goes
}

func (s *Service) intake(actor engram.Actor) *intake {
	return &intake{s: s, actor: actor, filed: map[[2]string]filing{}}
}

// memory makes a memory of in, and says which kinds of secrets were taken out.
func (k *intake) memory(ctx context.Context, in SaveInput) (*engram.Memory, []string, error) {
	c := k.s.cleaner()
	m := &engram.Memory{
		Workspace:  k.actor.Workspace,
		Kind:       engram.KindObservation,
		Type:       cmp.Or(c.line(in.Type), engram.TypeManual),
		Title:      c.Text(in.Title),
		Content:    c.Text(in.Content),
		Session:    c.id(in.Session),
		Speaker:    c.line(in.Speaker),
		Role:       strings.ToLower(c.line(in.Role)),
		ToolName:   c.line(in.ToolName),
		Status:     c.line(in.Status),
		Files:      c.files(in.Files),
		Pinned:     in.Pinned,
		OccurredAt: stamp(in.OccurredAt),
	}
	if m.IsTurn() {
		m.Kind = engram.KindTurn
	}
	if in.Importance != nil {
		m.Importance = *in.Importance
	}
	var err error
	if m.Scope, err = engram.ParseScope(in.Scope); err != nil {
		return nil, nil, err
	}
	if m.TopicKey, err = c.topicKey(in.TopicKey); err != nil {
		return nil, nil, err
	}
	if err := k.provenance(m, in.Origin); err != nil {
		return nil, nil, err
	}
	name, err := c.project(in.Project)
	if err != nil {
		return nil, nil, err
	}
	where, err := k.file(ctx, name, m.Session)
	if err != nil {
		return nil, nil, err
	}
	m.Project, m.ProjectOrigin = where.name, where.origin
	m.Session = cmp.Or(m.Session, engram.ManualSession(m.Project))
	m.Title = text.Title(m.Title, m.Content)
	if err := m.Validate(k.s.opts.MaxContent); err != nil {
		return nil, nil, err
	}
	m.Hash = engram.ContentHash(m.Content)
	return m, c.Kinds(), nil
}

// provenance sets origin and trust. Who saves may say that a text comes from
// somewhere less sure, never that it is surer than they are.
func (k *intake) provenance(m *engram.Memory, origin engram.Origin) error {
	own := cmp.Or(k.actor.Origin, engram.OriginAgent)
	m.Origin = cmp.Or(origin, own)
	if !m.Origin.Known() {
		return engram.Errorf(engram.ErrInvalid, "the origin is not known").WithCode("invalid_origin").
			WithHint("use user, agent, tool, web, document, import or derived")
	}
	m.Trust = min(engram.TrustOf(m.Origin), engram.TrustOf(own))
	return nil
}

// file finds where something goes: to the project that is named, else to that
// of the session that is named, else to the default one.
func (k *intake) file(ctx context.Context, project, session string) (filing, error) {
	key := [2]string{project, session}
	if project != "" {
		key[1] = ""
	}
	if where, ok := k.filed[key]; ok {
		return where, nil
	}
	asked := project
	if project == "" && session != "" {
		known, err := k.s.store.Session(ctx, k.actor.Workspace, session)
		switch {
		case err == nil:
			asked = known.Project
		case !errors.Is(err, engram.ErrNotFound):
			return filing{}, err
		}
	}
	where, err := k.s.fileUnder(ctx, k.actor.Workspace, asked)
	if err != nil {
		return filing{}, err
	}
	k.filed[key] = where
	return where, nil
}

// stamp is t as it is stored; the zero time stays zero.
func stamp(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC().Round(time.Microsecond)
}

func (s *Service) now() time.Time { return stamp(s.opts.Now()) }
