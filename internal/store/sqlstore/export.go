package sqlstore

import (
	"cmp"
	"context"
	"database/sql"

	"engram/internal/store"
)

// Export implements [store.Transfer].
func (s *Store) Export(ctx context.Context, workspace string, projects []string, size int, yield func(store.Batch) error) error {
	err := s.Read(ctx, func(tx *Tx) error {
		e := exporter{tx: tx, workspace: workspace, projects: projects, size: cmp.Or(max(size, 0), 500), yield: yield}
		for _, part := range []func(context.Context) error{e.aliases, e.remotes, e.sessions, e.memories, e.supports, e.prompts} {
			if err := part(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("export", err)
}

// exporter reads a workspace in batches; no rows are open while a batch is out.
type exporter struct {
	tx        *Tx
	workspace string
	projects  []string
	size      int
	yield     func(store.Batch) error
}

func (e *exporter) aliases(ctx context.Context) error {
	aliases, err := pairs(ctx, e.tx, `SELECT alias, project FROM project_aliases WHERE workspace = $1`, e.workspace)
	if err != nil || len(aliases) == 0 || len(e.projects) > 0 {
		return err
	}
	b := store.Batch{Aliases: map[string]string{}}
	for _, a := range aliases {
		b.Aliases[a[0]] = a[1]
	}
	return e.yield(b)
}

func (e *exporter) remotes(ctx context.Context) error {
	q := new(query)
	q.add("SELECT remote, project FROM project_remotes WHERE workspace = ?", e.workspace)
	in(q, "project", "IN", e.projects)
	b := store.Batch{Remotes: map[string]string{}}
	err := e.tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
		var remote, project string
		err := rows.Scan(&remote, &project)
		b.Remotes[remote] = project
		return err
	})
	if err != nil || len(b.Remotes) == 0 {
		return err
	}
	return e.yield(b)
}

// sessions gives those of the projects, and those that memories of the projects are in.
func (e *exporter) sessions(ctx context.Context) error {
	after := ""
	for {
		q := new(query)
		q.add("SELECT "+sessionColumns+" FROM sessions WHERE workspace = ? AND id > ?", e.workspace, after)
		if len(e.projects) > 0 {
			q.add(" AND (1 = 1")
			in(q, "project", "IN", e.projects)
			q.add(" OR EXISTS (SELECT 1 FROM memories m WHERE m.workspace = sessions.workspace AND m.session = sessions.id")
			in(q, "m.project", "IN", e.projects)
			q.add("))")
		}
		q.add(" ORDER BY id LIMIT ?", e.size)
		var b store.Batch
		err := e.tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
			one, err := scanSession(rows)
			b.Sessions = append(b.Sessions, one)
			return err
		})
		if err != nil || len(b.Sessions) == 0 {
			return err
		}
		if err := e.yield(b); err != nil {
			return err
		}
		after = b.Sessions[len(b.Sessions)-1].ID
	}
}

func (e *exporter) memories(ctx context.Context) error {
	var after int64
	for {
		q := new(query)
		q.add("SELECT "+memoryColumns+" FROM memories WHERE id > ? AND workspace = ?", after, e.workspace)
		in(q, "project", "IN", e.projects)
		q.add(" ORDER BY id LIMIT ?", e.size)
		var (
			b   store.Batch
			ids []int64 // with closed versions
		)
		err := e.tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
			m, err := scanMemory(rows)
			if err != nil {
				return err
			}
			b.Memories = append(b.Memories, m)
			if m.Version > 1 {
				ids = append(ids, m.ID)
			}
			return nil
		})
		if err != nil || len(b.Memories) == 0 {
			return err
		}
		for _, id := range ids {
			versions, err := closedVersions(ctx, e.tx, id)
			if err != nil {
				return err
			}
			b.Versions = append(b.Versions, versions...)
		}
		if err := e.yield(b); err != nil {
			return err
		}
		after = b.Memories[len(b.Memories)-1].ID
	}
}

func (e *exporter) supports(ctx context.Context) error {
	var derived, source int64
	for {
		q := new(query)
		q.add(`SELECT s.derived, s.source, d.uid, o.uid FROM supports s
			JOIN memories d ON d.id = s.derived JOIN memories o ON o.id = s.source
			WHERE s.derived >= ? AND (s.derived > ? OR s.source > ?) AND d.workspace = ?`, derived, derived, source, e.workspace)
		in(q, "d.project", "IN", e.projects)
		in(q, "o.project", "IN", e.projects)
		q.add(" ORDER BY s.derived, s.source LIMIT ?", e.size)
		var b store.Batch
		err := e.tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
			var pair [2]string
			err := rows.Scan(&derived, &source, &pair[0], &pair[1])
			b.Supports = append(b.Supports, pair)
			return err
		})
		if err != nil || len(b.Supports) == 0 {
			return err
		}
		if err := e.yield(b); err != nil {
			return err
		}
	}
}

func (e *exporter) prompts(ctx context.Context) error {
	var after int64
	for {
		q := new(query)
		q.add("SELECT "+promptColumns+" FROM prompts WHERE id > ? AND workspace = ?", after, e.workspace)
		in(q, "project", "IN", e.projects)
		q.add(" ORDER BY id LIMIT ?", e.size)
		var b store.Batch
		err := e.tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
			p, err := scanPrompt(rows)
			b.Prompts = append(b.Prompts, p)
			return err
		})
		if err != nil || len(b.Prompts) == 0 {
			return err
		}
		if err := e.yield(b); err != nil {
			return err
		}
		after = b.Prompts[len(b.Prompts)-1].ID
	}
}
