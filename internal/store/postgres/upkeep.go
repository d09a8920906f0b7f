package postgres

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlstore"
)

// Stats counts what is in a workspace, and what it takes in the database.
func (s *Store) Stats(ctx context.Context, workspace string, projects []string) (store.Stats, error) {
	st, err := s.Store.Stats(ctx, workspace, projects)
	if err != nil {
		return st, err
	}
	err = s.reader.QueryRowContext(ctx, `SELECT COALESCE(SUM(pg_total_relation_size(c.oid)), 0)::bigint FROM pg_class c
		JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = current_schema() AND c.relkind = 'r'`).Scan(&st.Bytes)
	if err != nil {
		return st, s.mapError(fmt.Errorf("stats: %w", err))
	}
	return st, nil
}

// Backup implements [store.Upkeep]: the server's own tools do it.
func (s *Store) Backup(context.Context, string) error {
	if s.Closed() {
		return errClosed
	}
	return engram.Errorf(engram.ErrInvalid, "a PostgreSQL database is not copied into a file by engram").
		WithCode("backup_by_server").WithHint("use pg_dump or the server's own backups, or engram export for a copy that any engram reads")
}

// Checkpoint implements [store.Upkeep]; the server does it by itself.
func (s *Store) Checkpoint(context.Context) error {
	if s.Closed() {
		return errClosed
	}
	return nil
}

const fixRepair = "run engram doctor --repair"

func one(check string, ok bool, fix, format string, args ...any) []store.Finding {
	if ok {
		fix = ""
	}
	return []store.Finding{{Check: check, OK: ok, Message: fmt.Sprintf(format, args...), Fix: fix}}
}

// Check implements [store.Upkeep]. Damage below the rows is the server's to find.
func (s *Store) Check(ctx context.Context, repair bool) ([]store.Finding, error) {
	if s.Closed() {
		return nil, errClosed
	}
	var found []store.Finding
	for _, check := range []func(ctx context.Context, repair bool) ([]store.Finding, error){
		s.checkSchema, s.checkMerged, s.checkCounts, s.checkClock, s.checkIndex,
	} {
		part, err := check(ctx, repair)
		found = append(found, part...)
		if err != nil {
			return found, s.mapError(fmt.Errorf("check: %w", err))
		}
	}
	return found, nil
}

func (s *Store) checkSchema(ctx context.Context, _ bool) ([]store.Finding, error) {
	version, err := s.SchemaVersion(ctx)
	if err != nil {
		return nil, err
	}
	return one("schema", version == s.schema, "open the store with the engram that wrote it", "schema version %d of %d", version, s.schema), nil
}

func (s *Store) checkMerged(ctx context.Context, repair bool) ([]store.Finding, error) {
	n, err := s.RefileMerged(ctx, false, time.Time{})
	if err != nil {
		return nil, err
	}
	if n == 0 {
		return one("merged", true, "", "nothing is filed under the name of a project that was merged"), nil
	}
	if !repair {
		return one("merged", false, fixRepair, "%d rows are filed under the name of a project that was merged", n), nil
	}
	n, err = s.RefileMerged(ctx, true, time.Now())
	return one("merged", true, "", "%d rows were filed under the project that theirs was merged into", n), err
}

// Statements that say which kept counts differ from the rows, and that set them.
const (
	countsNow = `SELECT workspace, project, scope, type, COUNT(*) FILTER (WHERE deleted_at IS NULL) AS living,
		COUNT(*) FILTER (WHERE deleted_at IS NOT NULL) AS deleted FROM memories GROUP BY workspace, project, scope, type`
	sessionCount = `(SELECT COUNT(*) FROM memories m WHERE m.workspace = sessions.workspace AND m.session = sessions.id AND m.deleted_at IS NULL)`
	wrongCounts  = `SELECT (SELECT COUNT(*) FROM (` + countsNow + ` EXCEPT SELECT * FROM memory_counts) AS x)
		+ (SELECT COUNT(*) FROM (SELECT * FROM memory_counts EXCEPT ` + countsNow + `) AS y)
		+ (SELECT COUNT(*) FROM sessions WHERE memories <> ` + sessionCount + `)`
)

func (s *Store) checkCounts(ctx context.Context, repair bool) ([]store.Finding, error) {
	var n int
	if err := s.reader.QueryRowContext(ctx, wrongCounts).Scan(&n); err != nil {
		return nil, err
	}
	if n == 0 {
		return one("counts", true, "", "the kept counts are right"), nil
	}
	if !repair {
		return one("counts", false, fixRepair, "%d kept counts are wrong", n), nil
	}
	err := s.statements(ctx, `DELETE FROM memory_counts`, `INSERT INTO memory_counts `+countsNow, `UPDATE sessions SET memories = `+sessionCount)
	return one("counts", true, "", "%d kept counts were set right", n), err
}

// statements runs statements in one transaction.
func (s *Store) statements(ctx context.Context, queries ...string) error {
	return s.Write(ctx, func(tx *sqlstore.Tx) error {
		for _, q := range queries {
			if _, err := tx.ExecContext(ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
}

// clockTolerance is how far clocks may differ, or jump, without a word.
const clockTolerance = time.Hour

// checkClock finds what a clock that was ahead has dated: it counts as the latest
// until that time comes.
func (s *Store) checkClock(ctx context.Context, repair bool) ([]store.Finding, error) {
	const ahead = `SELECT (SELECT COUNT(*) FROM memories WHERE (updated_at > $1 OR last_seen_at > $1))
		+ (SELECT COUNT(*) FROM sessions WHERE last_seen > $1) + (SELECT COUNT(*) FROM prompts WHERE created_at > $1)`
	now := time.Now()
	limit := now.Add(clockTolerance).UnixMicro()
	var n int
	if err := s.reader.QueryRowContext(ctx, ahead, limit).Scan(&n); err != nil {
		return nil, err
	}
	if n == 0 {
		return one("clock", true, "", "nothing is dated ahead of this machine's clock"), nil
	}
	if !repair {
		return one("clock", false, "set the clock right, then "+fixRepair, "%d rows are dated ahead of this machine's clock and count as the latest until then", n), nil
	}
	err := s.Write(ctx, func(tx *sqlstore.Tx) error {
		for _, q := range []string{
			`UPDATE memories SET updated_at = LEAST(updated_at, $2), last_seen_at = LEAST(last_seen_at, $2) WHERE (updated_at > $1 OR last_seen_at > $1)`,
			`UPDATE sessions SET last_seen = $2 WHERE last_seen > $1`,
			`UPDATE prompts SET created_at = $2 WHERE created_at > $1`,
		} {
			if _, err := tx.Exec(ctx, q, limit, now.UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	})
	return one("clock", true, "", "%d rows were dated ahead of this machine's clock and count as of now", n), err
}

// wrongIndex counts documents that are missing, of nothing, or wrongly counted, and
// statistics that do not agree with them.
const wrongIndex = `SELECT
	(SELECT COUNT(*) FROM memories m LEFT JOIN documents d ON d.memory_id = m.id AND d.version = m.version
		WHERE d.memory_id IS NULL OR d.counted <> (m.deleted_at IS NULL))
	+ (SELECT COUNT(*) FROM memory_versions v LEFT JOIN documents d ON d.memory_id = v.memory_id AND d.version = v.version
		WHERE d.memory_id IS NULL OR d.counted)
	+ (SELECT COUNT(*) FROM (SELECT COALESCE(SUM(length), 0) AS n FROM documents WHERE counted) x
		JOIN counters c ON c.name = 'document_terms' AND c.value <> x.n)
	+ (SELECT COUNT(*) FROM (SELECT COUNT(*) AS n FROM documents WHERE counted) x JOIN counters c ON c.name = 'documents' AND c.value <> x.n)`

// checkIndex compares the index with the rows, and with repair makes it anew.
func (s *Store) checkIndex(ctx context.Context, repair bool) ([]store.Finding, error) {
	var n, docs int
	if err := s.reader.QueryRowContext(ctx, wrongIndex).Scan(&n); err != nil {
		return nil, err
	}
	if n == 0 {
		if err := s.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM documents`).Scan(&docs); err != nil {
			return nil, err
		}
		return one("index", true, "", "the index agrees with %d versions of memories", docs), nil
	}
	if !repair {
		return one("index", false, fixRepair, "the index differs from the memories in %d places", n), nil
	}
	return one("index", true, "", "the index was made anew (it differed in %d places)", n), s.rebuild(ctx)
}

// rebuild makes all documents and statistics anew, in one transaction.
func (s *Store) rebuild(ctx context.Context) error {
	return s.Write(ctx, func(tx *sqlstore.Tx) error {
		for _, q := range []string{
			`DELETE FROM documents`, `DELETE FROM terms`, `UPDATE counters SET value = 0 WHERE name IN ('documents', 'document_terms')`,
		} {
			if _, err := tx.ExecContext(ctx, q); err != nil {
				return err
			}
		}
		var seqs []int64
		err := tx.Rows(ctx, `SELECT seq FROM memories UNION SELECT seq FROM memory_versions ORDER BY 1`, nil, func(rows *sql.Rows) error {
			var seq int64
			err := rows.Scan(&seq)
			seqs = append(seqs, seq)
			return err
		})
		if err != nil {
			return err
		}
		return s.index(ctx, tx, seqs)
	})
}
