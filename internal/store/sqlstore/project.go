package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"strings"
	"time"

	"engram"
)

// ListProjects implements [store.Projects].
func (s *Store) ListProjects(ctx context.Context, workspace string) ([]engram.Project, error) {
	var out []engram.Project
	err := s.Read(ctx, func(tx *Tx) (err error) {
		out, err = projects(ctx, tx, workspace)
		return err
	})
	return out, wrap("list projects", err)
}

// projects puts together what each kind of row says of the projects; an index
// gives the last use of each, so that only its newest row is looked at.
func projects(ctx context.Context, tx *Tx, workspace string) ([]engram.Project, error) {
	byName := map[string]*engram.Project{}
	get := func(name string) *engram.Project {
		p := byName[name]
		if p == nil {
			p = &engram.Project{Name: name}
			byName[name] = p
		}
		return p
	}
	for _, part := range []struct {
		query string
		count func(*engram.Project) *int
	}{
		{
			`SELECT project, SUM(living), (SELECT MAX(m.updated_at) FROM memories m WHERE m.workspace = c.workspace AND m.project = c.project)
			FROM memory_counts c WHERE workspace = $1 AND project <> '' GROUP BY workspace, project HAVING SUM(living) > 0`,
			func(p *engram.Project) *int { return &p.Memories },
		},
		{
			`SELECT project, COUNT(*), MAX(last_seen) FROM sessions WHERE workspace = $1 AND project <> '' GROUP BY project`,
			func(p *engram.Project) *int { return &p.Sessions },
		},
		{
			`SELECT project, COUNT(*), MAX(created_at) FROM prompts WHERE workspace = $1 AND project <> '' GROUP BY project`,
			func(p *engram.Project) *int { return &p.Prompts },
		},
	} {
		err := tx.Rows(ctx, part.query, []any{workspace}, func(rows *sql.Rows) error {
			var (
				name string
				n    int
				last sql.NullInt64
			)
			if err := rows.Scan(&name, &n, &last); err != nil {
				return err
			}
			p := get(name)
			*part.count(p) = n
			p.LastUsed = later(p.LastUsed, fromOptional(last))
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	if err := addNames(ctx, tx, workspace, byName); err != nil {
		return nil, err
	}
	out := make([]engram.Project, 0, len(byName))
	for _, p := range byName {
		out = append(out, *p)
	}
	slices.SortFunc(out, func(a, b engram.Project) int {
		if c := b.LastUsed.Compare(a.LastUsed); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return out, nil
}

// addNames gives aliases and remotes to the projects that there are.
func addNames(ctx context.Context, tx *Tx, workspace string, byName map[string]*engram.Project) error {
	aliases, err := pairs(ctx, tx, `SELECT alias, project FROM project_aliases WHERE workspace = $1 ORDER BY alias`, workspace)
	if err != nil {
		return err
	}
	into := map[string]string{}
	for _, a := range aliases {
		into[a[0]] = a[1]
	}
	for _, a := range aliases {
		name := a[1]
		for range len(into) {
			if next, ok := into[name]; ok {
				name = next
			}
		}
		if p := byName[name]; p != nil {
			p.Aliases = append(p.Aliases, a[0])
		}
	}
	remotes, err := pairs(ctx, tx, `SELECT remote, project FROM project_remotes WHERE workspace = $1 ORDER BY remote DESC`, workspace)
	for _, r := range remotes {
		if p := byName[r[1]]; p != nil {
			p.Remote = r[0]
		}
	}
	return err
}

func pairs(ctx context.Context, tx *Tx, query, workspace string) (out [][2]string, err error) {
	err = tx.Rows(ctx, query, []any{workspace}, func(rows *sql.Rows) error {
		var p [2]string
		err := rows.Scan(&p[0], &p[1])
		out = append(out, p)
		return err
	})
	return out, err
}

// ResolveProject implements [store.Projects].
func (s *Store) ResolveProject(ctx context.Context, workspace, name string) (string, error) {
	if name == "" {
		return "", nil
	}
	var to string
	err := s.row(ctx, `WITH RECURSIVE chain (name, depth) AS (
			SELECT project, 1 FROM project_aliases WHERE alias = $1 AND workspace = $2
			UNION ALL SELECT a.project, depth + 1 FROM project_aliases a JOIN chain ON a.alias = chain.name
			WHERE a.workspace = $2 AND depth < 100)
		SELECT name FROM chain ORDER BY depth DESC LIMIT 1`, []any{name, workspace}, &to)
	if errors.Is(err, sql.ErrNoRows) {
		return name, nil
	}
	if err != nil {
		return "", wrap("resolve project", err)
	}
	return to, nil
}

// ClaimRemote implements [store.Projects].
func (s *Store) ClaimRemote(ctx context.Context, workspace, remote, name, qualified string) (string, error) {
	const known = `SELECT project FROM project_remotes WHERE workspace = $1 AND remote = $2`
	var got string
	err := s.row(ctx, known, []any{workspace, remote}, &got)
	if err == nil || !errors.Is(err, sql.ErrNoRows) {
		return got, wrap("claim remote", err)
	}
	err = s.Write(ctx, func(tx *Tx) error {
		err := tx.Row(ctx, known, []any{workspace, remote}, &got)
		if err == nil || !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		if err := s.ensureWorkspace(ctx, tx, workspace, time.Now()); err != nil {
			return err
		}
		for _, got = range []string{name, qualified, engram.NormalizeProject(remote)} {
			var held bool
			err := tx.Row(ctx, `SELECT EXISTS (SELECT 1 FROM project_remotes WHERE workspace = $1 AND project = $2)`, []any{workspace, got}, &held)
			if err != nil {
				return err
			}
			if !held {
				break
			}
		}
		_, err = tx.Exec(ctx, `INSERT INTO project_remotes (workspace, remote, project) VALUES ($1, $2, $3)`, workspace, remote, got)
		return err
	})
	if err != nil {
		return "", wrap("claim remote", err)
	}
	return got, nil
}
