package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"strings"
	"time"
	"unicode"

	"engram"
	"engram/internal/store"
	"engram/internal/text"
)

const promptColumns = `id, uid, workspace, session, project, project_origin, content, created_at`

func scanPrompt(row scanner) (*engram.Prompt, error) {
	var (
		p       engram.Prompt
		session sql.NullString
		created int64
	)
	if err := row.Scan(&p.ID, &p.UID, &p.Workspace, &session, &p.Project, &p.ProjectOrigin, &p.Content, &created); err != nil {
		return nil, err
	}
	p.Session, p.CreatedAt = session.String, fromMicros(created)
	return &p, nil
}

// SavePrompt implements [store.Prompts].
func (s *Store) SavePrompt(ctx context.Context, p *engram.Prompt) error {
	saved := *p
	err := s.Write(ctx, func(tx *Tx) error {
		if err := s.ensureWorkspace(ctx, tx, p.Workspace, p.CreatedAt); err != nil {
			return err
		}
		if p.Session != "" {
			if err := touchSession(ctx, tx, sessionOfPrompt(p), p.CreatedAt); err != nil {
				return err
			}
		}
		return insertPrompt(ctx, tx, &saved)
	})
	if err != nil {
		return wrap("save prompt", err)
	}
	*p = saved
	return nil
}

// sessionOfPrompt is what a prompt's session is created with.
func sessionOfPrompt(p *engram.Prompt) engram.Session {
	return engram.Session{Workspace: p.Workspace, ID: p.Session, Project: p.Project, ProjectOrigin: p.ProjectOrigin}
}

// insertPrompt stores p with its terms and sets its ID, and its UID where it has none.
func insertPrompt(ctx context.Context, tx *Tx, p *engram.Prompt) error {
	if err := tx.file(ctx, p.Workspace, &p.Project, &p.ProjectOrigin); err != nil {
		return err
	}
	p.CreatedAt = p.CreatedAt.UTC().Round(time.Microsecond)
	p.UID = cmp.Or(p.UID, engram.NewUID(p.CreatedAt))
	err := tx.Row(ctx, `INSERT INTO prompts (uid, workspace, session, project, project_origin, created_at, content)
		VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
		[]any{p.UID, p.Workspace, sessionValue(p.Session), p.Project, p.ProjectOrigin, micros(p.CreatedAt), p.Content}, &p.ID)
	if err != nil {
		return err
	}
	for _, term := range promptTerms(p.Content) {
		_, err := tx.Exec(ctx, `INSERT INTO prompt_terms (workspace, term, prompt_id) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING`,
			p.Workspace, term, p.ID)
		if err != nil {
			return err
		}
	}
	return nil
}

// A prompt is found by so many of its terms at most: each is a row. One that has
// more is mostly what was pasted into it; what was asked stands before or behind
// that, so the terms are those of its ends.
const (
	maxPromptTerms = 2000
	promptEnd      = 16 << 10 // bytes of an end, or less, so that it has not too many
)

func promptTerms(content string) []string {
	terms := text.Analyze(content).Terms
	for n := promptEnd; len(terms) > maxPromptTerms; n /= 2 {
		terms = text.Analyze(ends(content, n)...).Terms
	}
	return terms
}

// ends are the beginning and the end of s, of n bytes each, as far as they have
// no part of a word.
func ends(s string, n int) []string {
	if len(s) <= 2*n {
		return []string{s}
	}
	first, last := s[:n], s[len(s)-n:]
	if i := strings.LastIndexFunc(first, unicode.IsSpace); i >= 0 {
		first = first[:i]
	}
	if i := strings.IndexFunc(last, unicode.IsSpace); i >= 0 {
		last = last[i:]
	}
	return []string{first, last}
}

// Prompt implements [store.Prompts].
func (s *Store) Prompt(ctx context.Context, workspace string, id int64) (*engram.Prompt, error) {
	q := new(query)
	q.add("SELECT "+promptColumns+" FROM prompts WHERE id = ? AND workspace = ?", id, workspace)
	found, err := s.prompts(ctx, "prompt", q)
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, unknownPrompt(id)
	}
	return found[0], nil
}

func unknownPrompt(id int64) error {
	return engram.Errorf(engram.ErrNotFound, "prompt %d not found", id).WithCode("unknown_id")
}

// ListPrompts implements [store.Prompts].
func (s *Store) ListPrompts(ctx context.Context, workspace string, projects []string, page store.Page) ([]*engram.Prompt, error) {
	q := new(query)
	q.add("SELECT " + promptColumns + " FROM prompts")
	projectPage(q, workspace, projects, listing{column: "created_at", direction: "DESC", page: page})
	return s.prompts(ctx, "list prompts", q)
}

func (s *Store) prompts(ctx context.Context, doing string, q *query) (out []*engram.Prompt, err error) {
	err = s.rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
		p, err := scanPrompt(rows)
		out = append(out, p)
		return err
	})
	if err != nil {
		return nil, wrap(doing, err)
	}
	return out, nil
}

// SearchPrompts implements [store.Prompts].
func (s *Store) SearchPrompts(ctx context.Context, workspace string, projects, terms []string, limit int) ([]*engram.Prompt, error) {
	terms = distinct(terms)
	if len(terms) == 0 || limit <= 0 {
		return nil, nil
	}
	q := new(query)
	q.add("SELECT "+promptColumns+" FROM prompts JOIN (SELECT prompt_id, COUNT(*) AS hits FROM prompt_terms WHERE workspace = ?", workspace)
	in(q, "term", "IN", terms)
	q.add(" GROUP BY prompt_id) AS found ON found.prompt_id = id WHERE workspace = ?", workspace)
	in(q, "project", "IN", projects)
	q.add(" ORDER BY hits DESC, created_at DESC, id DESC LIMIT ?", limit)
	return s.prompts(ctx, "search prompts", q)
}

// DeletePrompt implements [store.Prompts].
func (s *Store) DeletePrompt(ctx context.Context, workspace string, id int64) error {
	var wipe Wipe
	err := s.Write(ctx, func(tx *Tx) (err error) {
		if _, wipe, err = s.eng.Erase(ctx, tx, Erased{Prompts: []int64{id}}); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `DELETE FROM prompts WHERE id = $1 AND workspace = $2`, id, workspace)
		if err == nil && n == 0 {
			return unknownPrompt(id)
		}
		return err
	})
	if err == nil {
		_, err = wipe(ctx)
		err = s.mapError(ctx, err)
	}
	return wrap("delete prompt", err)
}
