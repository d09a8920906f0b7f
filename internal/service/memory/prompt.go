package memory

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
	"engram/internal/text"
)

// SavePrompt keeps what the user asked.
func (s *Service) SavePrompt(ctx context.Context, session, project, content string) (SavedPrompt, error) {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return SavedPrompt{}, err
	}
	c := s.cleaner()
	p := &engram.Prompt{Workspace: actor.Workspace, Session: c.id(session), Content: c.Text(content), CreatedAt: s.now()}
	if err := engram.CheckText("content", p.Content, s.opts.MaxContent); err != nil {
		return SavedPrompt{}, err
	}
	if err := engram.CheckName("session_id", p.Session); err != nil {
		return SavedPrompt{}, err
	}
	if project, err = c.project(project); err != nil {
		return SavedPrompt{}, err
	}
	where, err := s.intake(actor).file(ctx, project, p.Session)
	if err != nil {
		return SavedPrompt{}, err
	}
	p.Project, p.ProjectOrigin = where.name, where.origin
	p.Session = cmp.Or(p.Session, engram.ManualSession(p.Project))
	if err := s.store.SavePrompt(ctx, p); err != nil {
		return SavedPrompt{}, err
	}
	return SavedPrompt{p, c.Kinds()}, nil
}

// Prompt is one prompt, whole.
func (s *Service) Prompt(ctx context.Context, id int64) (*engram.Prompt, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return nil, err
	}
	return s.store.Prompt(ctx, actor.Workspace, id)
}

// Prompts lists prompts, newest first.
func (s *Service) Prompts(ctx context.Context, in RecentInput) (PromptsResult, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return PromptsResult{}, err
	}
	limit, err := listLimit(in.Limit)
	if err != nil {
		return PromptsResult{}, err
	}
	page := store.Page{Limit: limit + 1} // one more tells whether there is a next page
	if err := parseCursor(in.Cursor, promptCursor, &page); err != nil {
		return PromptsResult{}, err
	}
	projects, err := s.projectList(ctx, actor.Workspace, in)
	if err != nil {
		return PromptsResult{}, err
	}
	list, err := s.store.ListPrompts(ctx, actor.Workspace, projects, page)
	if err != nil {
		return PromptsResult{}, err
	}
	var r PromptsResult
	r.Prompts, r.Next = cut(list, limit, func(last *engram.Prompt) string {
		return cursor(promptCursor, last.CreatedAt, numberKey(last.ID))
	})
	return r, nil
}

// SearchPrompts finds prompts that have any word of query, best first: one list,
// which has no further page. A query without words finds nothing.
func (s *Service) SearchPrompts(ctx context.Context, query string, in RecentInput) (PromptsResult, error) {
	var r PromptsResult
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return r, err
	}
	if strings.TrimSpace(query) == "" {
		return r, engram.Errorf(engram.ErrInvalid, "query is required").WithCode("query_required")
	}
	if in.Cursor != "" {
		return r, engram.Errorf(engram.ErrInvalid, "prompts that are found by words have no pages").
			WithCode("invalid_cursor").WithHint("raise the limit, up to %d, or leave the words out", maxList)
	}
	limit, err := listLimit(in.Limit)
	if err != nil {
		return r, err
	}
	projects, err := s.projectList(ctx, actor.Workspace, in)
	if err != nil {
		return r, err
	}
	q := text.AnalyzeQuery(s.cleaner().Text(query))
	if q.Cut {
		r.Warnings = []string{queryCut()}
	}
	if terms := promptTerms(&q); len(terms) > 0 {
		r.Prompts, err = s.store.SearchPrompts(ctx, actor.Workspace, projects, terms, limit)
	}
	return r, err
}

// promptTerms are the index terms of a query's words; function words count only
// where there are no others.
func promptTerms(query *text.Query) []string {
	var terms, stops []string
	for _, w := range query.Words {
		if w.Stop {
			stops = append(stops, w.Forms...)
		} else {
			terms = append(terms, w.Forms...)
		}
	}
	if len(terms) == 0 {
		terms = stops
	}
	slices.Sort(terms)
	return slices.Compact(terms)
}

// DeletePrompt erases a prompt.
func (s *Service) DeletePrompt(ctx context.Context, id int64) error {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return err
	}
	return s.store.DeletePrompt(ctx, actor.Workspace, id)
}
