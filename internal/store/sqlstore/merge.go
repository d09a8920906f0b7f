package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"engram"
)

// Merges form a chain: a name that was merged goes to the project that it was
// merged into, which may itself be merged on. A row keeps the first name that
// it had, so each link can be undone exactly.

// MergeProjects implements [store.Projects]. Where both have a topic of the
// same key, the memory that moves gives its key up until the merge is undone.
func (s *Store) MergeProjects(ctx context.Context, workspace, from, to string, now time.Time) (int, error) {
	if from == "" || to == "" || from == to {
		return 0, engram.Errorf(engram.ErrInvalid, "project %q cannot be merged into %q", from, to).
			WithCode("invalid_merge").WithHint("name two different projects")
	}
	moved := 0
	err := s.Write(ctx, func(tx *Tx) error {
		target, err := followAliases(ctx, tx, workspace, to)
		if err != nil {
			return err
		}
		if target == from {
			return engram.Errorf(engram.ErrInvalid, "project %q is merged into %q already", to, from).
				WithCode("invalid_merge").WithHint("undo that merge first")
		}
		m := mover{tx: tx, workspace: workspace, project: from, to: target, now: now}
		if err := m.known(ctx); err != nil {
			return err
		}
		if moved, err = m.move(ctx); err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `INSERT INTO project_aliases (workspace, alias, project, created_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (workspace, alias) DO UPDATE SET project = excluded.project`, workspace, from, target, micros(now))
		return err
	})
	return moved, wrap("merge projects", err)
}

// UnmergeProject implements [store.Projects].
func (s *Store) UnmergeProject(ctx context.Context, workspace, from string, now time.Time) (int, error) {
	moved := 0
	err := s.Write(ctx, func(tx *Tx) error {
		holder, err := followAliases(ctx, tx, workspace, from)
		if err != nil {
			return err
		}
		if holder == from {
			return engram.Errorf(engram.ErrNotFound, "project %q is not merged into another", from).WithCode("not_merged")
		}
		origins, err := mergedNames(ctx, tx, workspace, from)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `DELETE FROM project_aliases WHERE workspace = $1 AND alias = $2`, workspace, from)
		if err != nil {
			return err
		}
		m := mover{tx: tx, workspace: workspace, project: holder, origins: origins, to: from, now: now}
		moved, err = m.move(ctx)
		return err
	})
	return moved, wrap("unmerge project", err)
}

// filedName is a name of a project that something is filed under.
type filedName struct{ workspace, name string }

// file files a row where its project's name leads by now: who asked for the
// name before this transaction may have asked before a merge. The row remembers
// the first name that it had, as if it had been there at the merge.
func (t *Tx) file(ctx context.Context, workspace string, project, origin *string) error {
	if *project == "" {
		return nil
	}
	key := filedName{workspace, *project}
	target, ok := t.filed[key]
	if !ok {
		var err error
		if target, err = followAliases(ctx, t, workspace, *project); err != nil {
			return fmt.Errorf("project: %w", err)
		}
		if t.filed == nil {
			t.filed = map[filedName]string{}
		}
		t.filed[key] = target
	}
	switch {
	case target == *project:
		return nil
	case *origin == "":
		*origin = *project
	case *origin == target:
		*origin = ""
	}
	*project = target
	return nil
}

// RefileMerged files everything that is under a name that was merged where that
// name leads, and counts it; with repair false it counts only.
func (s *Store) RefileMerged(ctx context.Context, repair bool, now time.Time) (n int, err error) {
	do := s.Read
	if repair {
		do = s.Write
	}
	err = do(ctx, func(tx *Tx) error {
		var stray [][2]string
		err := tx.Rows(ctx, `SELECT workspace, alias, n FROM (SELECT a.workspace, a.alias,
				(SELECT COUNT(*) FROM memories r WHERE r.workspace = a.workspace AND r.project = a.alias)
				+ (SELECT COUNT(*) FROM memory_versions r WHERE r.workspace = a.workspace AND r.project = a.alias)
				+ (SELECT COUNT(*) FROM sessions r WHERE r.workspace = a.workspace AND r.project = a.alias)
				+ (SELECT COUNT(*) FROM prompts r WHERE r.workspace = a.workspace AND r.project = a.alias) AS n
			FROM project_aliases a) AS stray WHERE n > 0 ORDER BY workspace, alias`, nil, func(rows *sql.Rows) error {
			var (
				where [2]string
				rest  int
			)
			err := rows.Scan(&where[0], &where[1], &rest)
			stray = append(stray, where)
			n += rest
			return err
		})
		if err != nil || !repair {
			return err
		}
		for _, where := range stray {
			if err := moveAlias(ctx, tx, where[0], where[1], now); err != nil {
				return err
			}
		}
		return nil
	})
	return n, wrap("refile merged projects", err)
}

// moveAlias files what is under an alias where it leads.
func moveAlias(ctx context.Context, tx *Tx, workspace, alias string, now time.Time) error {
	target, err := followAliases(ctx, tx, workspace, alias)
	if err != nil || target == alias {
		return err
	}
	m := mover{tx: tx, workspace: workspace, project: alias, to: target, now: now}
	_, err = m.move(ctx)
	return err
}

// followAliases is the project that name goes to in the end.
func followAliases(ctx context.Context, tx *Tx, workspace, name string) (string, error) {
	for {
		var next string
		err := tx.Row(ctx, `SELECT project FROM project_aliases WHERE workspace = $1 AND alias = $2`, []any{workspace, name}, &next)
		if errors.Is(err, sql.ErrNoRows) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		name = next
	}
}

// mergedNames are name and all names that were merged into it.
func mergedNames(ctx context.Context, tx *Tx, workspace, name string) (names []string, err error) {
	names = []string{name}
	err = tx.Rows(ctx, `WITH RECURSIVE merged (name) AS (
			SELECT alias FROM project_aliases WHERE project = $1 AND workspace = $2
			UNION SELECT a.alias FROM project_aliases a JOIN merged ON a.project = merged.name WHERE a.workspace = $2)
		SELECT name FROM merged ORDER BY name`, []any{name, workspace},
		func(rows *sql.Rows) error {
			var n string
			err := rows.Scan(&n)
			names = append(names, n)
			return err
		})
	return names, err
}

// mover files rows of one project under another.
type mover struct {
	tx        *Tx
	workspace string
	project   string   // the rows that move are filed here …
	origins   []string // … and first were under one of these names; none = all rows
	to        string
	now       time.Time
}

// known is an error when nothing is filed under the project.
func (m mover) known(ctx context.Context) error {
	for _, table := range []string{"memories", "sessions", "prompts"} {
		var one int
		err := m.tx.Row(ctx, `SELECT 1 FROM `+table+` WHERE workspace = $1 AND project = $2 LIMIT 1`, []any{m.workspace, m.project}, &one)
		if !errors.Is(err, sql.ErrNoRows) {
			return err
		}
	}
	return engram.Errorf(engram.ErrNotFound, "project %q has nothing in it", m.project).WithCode("unknown_project")
}

// moving appends which rows move.
func (m mover) moving(q *query) {
	q.add(" WHERE workspace = ? AND project = ?", m.workspace, m.project)
	in(q, "project_origin", "IN", m.origins)
}

func (m mover) move(ctx context.Context) (moved int, err error) {
	seq, err := nextSeq(ctx, m.tx)
	if err != nil {
		return 0, err
	}
	if err := m.giveTopicsUp(ctx, seq); err != nil {
		return 0, err
	}
	returned, err := m.withLostTopic(ctx)
	if err != nil {
		return 0, err
	}
	for _, table := range []string{"memory_versions", "memories", "sessions", "prompts"} {
		q := new(query)
		q.add("UPDATE "+table+" SET project_origin = CASE project_origin WHEN '' THEN project WHEN ? THEN '' ELSE project_origin END, project = ?", m.to, m.to)
		if table == "memories" || table == "memory_versions" {
			q.add(", seq = ?", seq)
		}
		m.moving(q)
		n, err := m.tx.Exec(ctx, q.String(), q.args...)
		if err != nil {
			return 0, err
		}
		if table != "memory_versions" {
			moved += int(n)
		}
	}
	return moved, m.giveTopicsBack(ctx, returned, seq)
}

// giveTopicsUp takes the key from living memories that move to where another
// living one has the topic.
func (m mover) giveTopicsUp(ctx context.Context, seq int64) error {
	q := new(query)
	q.add("SELECT id FROM memories")
	m.moving(q)
	q.add(` AND topic_key <> '' AND deleted_at IS NULL AND EXISTS (SELECT 1 FROM memories o
		WHERE o.workspace = memories.workspace AND o.project = ? AND o.scope = memories.scope
			AND o.topic_key = memories.topic_key AND o.topic_key <> '' AND o.deleted_at IS NULL)`, m.to)
	ids, err := m.ids(ctx, q)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if _, err := m.tx.Exec(ctx, `UPDATE memories SET topic_origin = topic_key WHERE id = $1`, id); err != nil {
			return err
		}
		if err := dropTopic(ctx, m.tx, id, m.now, seq); err != nil {
			return err
		}
	}
	return nil
}

// withLostTopic are the living memories that return from a merge and had given
// their key up to it.
func (m mover) withLostTopic(ctx context.Context) ([]int64, error) {
	if m.origins == nil {
		return nil, nil
	}
	q := new(query)
	q.add("SELECT id FROM memories")
	m.moving(q)
	q.add(" AND topic_origin <> '' AND topic_key = '' AND deleted_at IS NULL")
	return m.ids(ctx, q)
}

// giveTopicsBack gives those keys back that nobody has there.
func (m mover) giveTopicsBack(ctx context.Context, ids []int64, seq int64) error {
	for _, id := range ids {
		memory, err := memoryByID(ctx, m.tx, m.workspace, id, false)
		if err != nil {
			return err
		}
		err = m.tx.Row(ctx, `SELECT topic_origin FROM memories WHERE id = $1`, []any{id}, &memory.TopicKey)
		if err != nil {
			return err
		}
		holder, err := topicHolder(ctx, m.tx, memory)
		if err != nil {
			return err
		}
		if holder != 0 {
			continue
		}
		if err := closeVersion(ctx, m.tx, id, m.now, seq); err != nil {
			return err
		}
		if _, err := m.tx.Exec(ctx, `UPDATE memories SET topic_key = $1, topic_origin = '' WHERE id = $2`, memory.TopicKey, id); err != nil {
			return err
		}
	}
	return nil
}

func (m mover) ids(ctx context.Context, q *query) (ids []int64, err error) {
	err = m.tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}
