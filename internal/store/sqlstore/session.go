package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"strings"
	"time"

	"engram"
	"engram/internal/store"
)

const sessionColumns = `id, workspace, project, project_origin, directory, started_at, ended_at, summary, status, last_seen, memories`

func scanSession(row scanner) (*engram.Session, error) {
	var (
		s             engram.Session
		started, seen int64
		ended         sql.NullInt64
	)
	err := row.Scan(&s.ID, &s.Workspace, &s.Project, &s.ProjectOrigin, &s.Directory, &started, &ended, &s.Summary, &s.Status, &seen, &s.Count)
	if err != nil {
		return nil, err
	}
	s.StartedAt, s.EndedAt, s.LastSeen = fromMicros(started), fromOptional(ended), fromMicros(seen)
	return &s, nil
}

// oneSession scans the single row of a query on sessions; none is nil.
func oneSession(ctx context.Context, tx *Tx, query string, args ...any) (s *engram.Session, err error) {
	err = tx.Rows(ctx, query, args, func(rows *sql.Rows) error {
		s, err = scanSession(rows)
		return err
	})
	return s, err
}

// sessionByID is one session, or not found.
func sessionByID(ctx context.Context, tx *Tx, workspace, id string) (*engram.Session, error) {
	s, err := oneSession(ctx, tx, `SELECT `+sessionColumns+` FROM sessions WHERE workspace = $1 AND id = $2`, workspace, id)
	if err != nil {
		return nil, fmt.Errorf("session: %w", err)
	}
	if s == nil {
		return nil, engram.Errorf(engram.ErrNotFound, "session %q not found", id).WithCode("unknown_session")
	}
	return s, nil
}

// touchSession notes a write into a session and creates an unknown one from in.
func touchSession(ctx context.Context, tx *Tx, in engram.Session, now time.Time) error {
	if err := tx.file(ctx, in.Workspace, &in.Project, &in.ProjectOrigin); err != nil {
		return fmt.Errorf("session: %w", err)
	}
	_, err := tx.Exec(ctx, `INSERT INTO sessions (workspace, id, project, project_origin, directory, status, started_at, last_seen)
		VALUES ($1, $2, $3, $4, $5, 'active', $6, $6)
		ON CONFLICT (workspace, id) DO UPDATE SET last_seen = excluded.last_seen,
			status = CASE WHEN sessions.status = 'lapsed' THEN 'active' ELSE sessions.status END`,
		in.Workspace, in.ID, in.Project, in.ProjectOrigin, in.Directory, micros(now))
	if err != nil {
		return fmt.Errorf("session: %w", err)
	}
	return nil
}

// StartSession implements [store.Sessions].
func (s *Store) StartSession(ctx context.Context, in engram.Session) (got *engram.Session, created bool, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		if err := s.ensureWorkspace(ctx, tx, in.Workspace, in.StartedAt); err != nil {
			return err
		}
		in := in
		if err := tx.file(ctx, in.Workspace, &in.Project, &in.ProjectOrigin); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `INSERT INTO sessions (workspace, id, project, project_origin, directory, summary, status, started_at, last_seen)
			VALUES ($1, $2, $3, $4, $5, $6, 'active', $7, $8) ON CONFLICT (workspace, id) DO NOTHING`,
			in.Workspace, in.ID, in.Project, in.ProjectOrigin, in.Directory, in.Summary, micros(in.StartedAt), micros(cmpTime(in.LastSeen, in.StartedAt)))
		if err != nil {
			return err
		}
		created = n > 0
		if !created {
			_, err = tx.Exec(ctx, `UPDATE sessions SET
				project = CASE WHEN project = '' THEN $1 ELSE project END,
				project_origin = CASE WHEN project = '' THEN $2 ELSE project_origin END,
				directory = CASE WHEN directory = '' THEN $3 ELSE directory END,
				summary = CASE WHEN summary = '' THEN $4 ELSE summary END,
				status = CASE WHEN status = 'lapsed' THEN 'active' ELSE status END,
				last_seen = $5
				WHERE workspace = $6 AND id = $7`,
				in.Project, in.ProjectOrigin, in.Directory, in.Summary, micros(cmpTime(in.LastSeen, in.StartedAt)), in.Workspace, in.ID)
			if err != nil {
				return err
			}
		}
		got, err = sessionByID(ctx, tx, in.Workspace, in.ID)
		return err
	})
	if err != nil {
		return nil, false, wrap("start session", err)
	}
	return got, created, nil
}

// EndSession implements [store.Sessions].
func (s *Store) EndSession(ctx context.Context, workspace, id, summary string, now time.Time) (got *engram.Session, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		_, err := tx.Exec(ctx, `UPDATE sessions SET status = 'ended', ended_at = COALESCE(ended_at, $1),
			last_seen = CASE WHEN ended_at IS NULL THEN $1 ELSE last_seen END,
			summary = CASE WHEN $2 <> '' THEN $2 ELSE summary END
			WHERE workspace = $3 AND id = $4`, micros(now), summary, workspace, id)
		if err != nil {
			return err
		}
		got, err = sessionByID(ctx, tx, workspace, id)
		return err
	})
	if err != nil {
		return nil, wrap("end session", err)
	}
	return got, nil
}

// Session implements [store.Sessions].
func (s *Store) Session(ctx context.Context, workspace, id string) (got *engram.Session, err error) {
	err = s.Read(ctx, func(tx *Tx) error {
		got, err = sessionByID(ctx, tx, workspace, id)
		return err
	})
	return got, err
}

// ListSessions implements [store.Sessions].
func (s *Store) ListSessions(ctx context.Context, workspace string, projects []string, page store.Page) ([]*engram.Session, error) {
	q := new(query)
	q.add("SELECT " + sessionColumns + " FROM sessions")
	projectPage(q, workspace, projects, listing{column: "last_seen", direction: "DESC", page: page, textID: true})
	var out []*engram.Session
	err := s.rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
		one, err := scanSession(rows)
		out = append(out, one)
		return err
	})
	if err != nil {
		return nil, wrap("list sessions", err)
	}
	return out, nil
}

// projectPage appends WHERE, ORDER BY and LIMIT of a list of sessions or prompts.
func projectPage(q *query, workspace string, projects []string, l listing) {
	q.add(" WHERE workspace = ?", workspace)
	in(q, "project", "IN", projects)
	l.finish(q)
}

// DeleteSession implements [store.Sessions].
func (s *Store) DeleteSession(ctx context.Context, workspace, id string) error {
	err := s.Write(ctx, func(tx *Tx) error {
		got, err := sessionByID(ctx, tx, workspace, id)
		if err != nil {
			return err
		}
		holds := contents{living: got.Count}
		err = tx.Row(ctx, `SELECT
			(SELECT COUNT(*) FROM memories WHERE workspace = $1 AND session = $2 AND deleted_at IS NOT NULL),
			(SELECT COUNT(*) FROM prompts WHERE workspace = $1 AND session = $2)`,
			[]any{workspace, id}, &holds.hidden, &holds.prompts)
		if err != nil {
			return err
		}
		if holds != (contents{}) {
			return sessionNotEmpty(id, holds)
		}
		_, err = tx.Exec(ctx, `DELETE FROM sessions WHERE workspace = $1 AND id = $2`, workspace, id)
		return err
	})
	return wrap("delete session", err)
}

// contents counts what is in a session.
type contents struct{ living, hidden, prompts int }

// sessionNotEmpty says what is in the way of deleting a session.
func sessionNotEmpty(id string, holds contents) error {
	var has []string
	for _, c := range []struct {
		n         int
		one, many string
	}{
		{holds.living, "memory", "memories"},
		{holds.hidden, "hidden memory", "hidden memories"},
		{holds.prompts, "prompt", "prompts"},
	} {
		switch {
		case c.n == 1:
			has = append(has, "1 "+c.one)
		case c.n > 1:
			has = append(has, fmt.Sprintf("%d %s", c.n, c.many))
		}
	}
	hint := "erase them first"
	if holds.hidden > 0 {
		hint = "erase them first, or restore the hidden memories and keep the session"
	}
	return engram.Errorf(engram.ErrConflict, "session %q has %s", id, strings.Join(has, ", ")).
		WithCode("session_not_empty").WithHint("%s", hint)
}

// LapseSessions implements [store.Sessions].
func (s *Store) LapseSessions(ctx context.Context, workspace string, before time.Time) (int, error) {
	const idle = ` FROM sessions WHERE workspace = $1 AND status = 'active' AND last_seen < $2`
	var one int
	err := s.row(ctx, `SELECT 1`+idle+` LIMIT 1`, []any{workspace, micros(before)}, &one)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	if err != nil {
		return 0, wrap("lapse sessions", err)
	}
	var n int64
	err = s.Write(ctx, func(tx *Tx) error {
		n, err = tx.Exec(ctx, `UPDATE sessions SET status = 'lapsed' WHERE workspace = $1 AND status = 'active' AND last_seen < $2`,
			workspace, micros(before))
		return err
	})
	return int(n), wrap("lapse sessions", err)
}

// wrap says what was being done; nil stays nil.
func wrap(doing string, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s: %w", doing, err)
}
