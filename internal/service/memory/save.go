package memory

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
	"engram/internal/text"
)

// Save stores a memory: a new one, a new version of a topic's, or one more
// sighting of what was saved just before. A dated one is that only where session
// and time are the same too: it was sent again.
func (s *Service) Save(ctx context.Context, in SaveInput) (SaveResult, error) {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return SaveResult{}, err
	}
	m, redacted, err := s.intake(actor).memory(ctx, in)
	if err != nil {
		return SaveResult{}, err
	}
	saved, err := s.store.SaveMemory(ctx, m, s.saveRule())
	if err != nil {
		return SaveResult{}, err
	}
	r := saveResult(m, saved, redacted)
	if in.Compare {
		s.compare(ctx, actor.Workspace, m, &r)
	}
	return r, nil
}

// SaveAll saves many at once, all or nothing, for bulk loads: chat imports,
// benchmarks. Dated ones that are alike are all kept.
func (s *Service) SaveAll(ctx context.Context, in []SaveInput) ([]SaveResult, error) {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return nil, err
	}
	if len(in) == 0 {
		return nil, nil
	}
	k := s.intake(actor)
	ms := make([]*engram.Memory, len(in))
	redacted := make([][]string, len(in))
	for i := range in {
		if ms[i], redacted[i], err = k.memory(ctx, in[i]); err != nil {
			return nil, itemError(i, err)
		}
	}
	saved, err := s.store.SaveMemories(ctx, ms, s.saveRule())
	if err != nil {
		return nil, err
	}
	out := make([]SaveResult, len(saved))
	for i := range saved {
		out[i] = saveResult(ms[i], saved[i], redacted[i])
	}
	return out, nil
}

// itemError says which item of many was wrong; faults stay faults.
func itemError(i int, err error) error {
	e, ok := errors.AsType[*engram.Error](err)
	if !ok {
		return fmt.Errorf("item %d: %w", i, err)
	}
	of := *e
	of.Message = fmt.Sprintf("item %d: %s", i, e.Message)
	return &of
}

func (s *Service) saveRule() store.SaveRule {
	return store.SaveRule{Now: s.now(), Window: s.opts.DuplicateWindow}
}

func saveResult(m *engram.Memory, saved store.Saved, redacted []string) SaveResult {
	r := SaveResult{
		ID:            saved.ID,
		UID:           saved.UID,
		Outcome:       saved.Outcome,
		Type:          m.Type,
		Project:       m.Project,
		Session:       m.Session,
		TopicKey:      saved.TopicKey,
		RevisionCount: saved.RevisionCount,
		Redacted:      redacted,
	}
	if r.TopicKey == "" {
		// It fails only without any text.
		r.Suggested, _ = text.SuggestTopicKey(m.Type, m.Title, m.Content)
	}
	return r
}

// SuggestTopicKey proposes the key under which later saves about the same
// thing would write over this one.
func (s *Service) SuggestTopicKey(ctx context.Context, typ, title, content string) (string, error) {
	if _, err := policy.Check(ctx, policy.ReadMemory); err != nil {
		return "", err
	}
	c := s.cleaner()
	typ, title, content = c.line(typ), c.line(title), c.Text(content)
	if title == "" && strings.TrimSpace(content) == "" {
		return "", engram.Errorf(engram.ErrInvalid, "a title or a content is needed to suggest a topic key").
			WithCode("title_required")
	}
	return text.SuggestTopicKey(typ, title, content)
}

// CapturePassive takes the items under a learnings heading and saves those that
// are new in the project, whenever the others were saved.
func (s *Service) CapturePassive(ctx context.Context, in CaptureInput) (CaptureResult, error) {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return CaptureResult{}, err
	}
	if err := engram.CheckText("content", in.Content, s.opts.MaxContent); err != nil {
		return CaptureResult{}, err
	}
	// Cleaned as a whole before anything is cut out of it, so that no half of a
	// private span is left.
	c := s.cleaner()
	items := text.Learnings(c.Text(in.Content))
	session, project, source := c.id(in.Session), c.Text(in.Project), c.line(in.Source)
	k := s.intake(actor)
	ms := make([]*engram.Memory, 0, len(items))
	for _, item := range items {
		m, _, err := k.memory(ctx, SaveInput{
			Content:  item,
			Type:     engram.TypePassive,
			Session:  session,
			Project:  project,
			ToolName: source,
			Origin:   cmp.Or(actor.Origin, engram.OriginAgent),
		})
		if err != nil {
			return CaptureResult{}, err
		}
		ms = append(ms, m)
	}
	r := CaptureResult{Extracted: len(ms), Redacted: c.Kinds()}
	if len(ms) == 0 {
		return r, nil
	}
	rule := s.saveRule()
	rule.EverDuplicate = true
	saved, err := s.store.SaveMemories(ctx, ms, rule)
	if err != nil {
		return CaptureResult{}, err
	}
	for _, sv := range saved {
		if sv.Outcome == store.Duplicate {
			r.Duplicates++
			continue
		}
		r.Saved++
		r.IDs = append(r.IDs, sv.ID)
	}
	return r, nil
}
