package sqlstore

import (
	"context"
	"database/sql"
	"slices"

	"engram/internal/store"
)

// Stats counts what is in a workspace; Bytes and Path are the engine's.
func (s *Store) Stats(ctx context.Context, workspace string, only []string) (store.Stats, error) {
	st := store.Stats{ByType: map[string]int{}}
	err := s.Read(ctx, func(tx *Tx) error {
		q := new(query)
		q.add("SELECT type, SUM(living), SUM(deleted) FROM memory_counts WHERE workspace = ?", workspace)
		in(q, "project", "IN", only)
		q.add(" GROUP BY type")
		err := tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
			var (
				typ             string
				living, deleted int
			)
			err := rows.Scan(&typ, &living, &deleted)
			if living > 0 {
				st.ByType[typ] = living
			}
			st.Memories += living
			st.Deleted += deleted
			return err
		})
		if err != nil {
			return err
		}
		for table, n := range map[string]*int{"memory_versions": &st.Versions, "sessions": &st.Sessions, "prompts": &st.Prompts} {
			q := new(query)
			q.add("SELECT COUNT(*) FROM "+table+" WHERE workspace = ?", workspace)
			in(q, "project", "IN", only)
			if err := tx.Row(ctx, q.String(), q.args, n); err != nil {
				return err
			}
		}
		all, err := projects(ctx, tx, workspace)
		for _, p := range all {
			if len(only) == 0 || slices.Contains(only, p.Name) {
				st.Projects = append(st.Projects, p.Name)
			}
		}
		return err
	})
	return st, wrap("stats", err)
}
