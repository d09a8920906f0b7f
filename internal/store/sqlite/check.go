package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"engram/internal/store"
	"engram/internal/store/sqlstore"
)

// maxLog is the size of a log that checkpoints no longer keep small.
const maxLog = 64 << 20

// Check implements [store.Upkeep].
func (s *Store) Check(ctx context.Context, repair bool) ([]store.Finding, error) {
	if s.Closed() {
		return nil, errClosed
	}
	repair = repair && !s.opts.ReadOnly
	var found []store.Finding
	for _, check := range []struct {
		name string
		run  func(ctx context.Context, repair bool) ([]store.Finding, error)
	}{
		{"schema", s.checkSchema},
		{"integrity", s.checkIntegrity},
		{"orphans", s.checkOrphans},
		{"merged", s.checkMerged},
		{"leases", s.checkLeases},
		{"vectors", s.checkVectors},
		{"foreign_keys", s.checkForeignKeys},
		{"counts", s.checkCounts},
		{"clock", s.checkClock},
		{"wal", s.checkLog},
		{"permissions", s.checkPermissions},
		{"index", s.checkKeyword},
	} {
		part, err := check.run(ctx, repair)
		found = append(found, part...)
		if err == nil {
			continue
		}
		err = mapError(diskError(s.path, fmt.Errorf("check: %w", err)))
		if !unusable(err) {
			return found, err
		}
		// The other checks may still tell how far the damage goes.
		found = append(found, one(check.name, false, fixDamage, "the file is damaged: %s cannot be checked", check.name)...)
	}
	return found, nil
}

func one(check string, ok bool, fix, format string, args ...any) []store.Finding {
	if ok {
		fix = ""
	}
	return []store.Finding{{Check: check, OK: ok, Message: fmt.Sprintf(format, args...), Fix: fix}}
}

const fixDamage = "restore a backup with engram restore, or export what can be read"

const fixRepair = "run engram doctor --repair"

func (s *Store) checkSchema(ctx context.Context, _ bool) ([]store.Finding, error) {
	version, err := s.SchemaVersion(ctx)
	if err != nil {
		return nil, err
	}
	steps, err := migrations(migrationFiles)
	return one("schema", version == len(steps), "open the store with the engram that wrote it", "schema version %d of %d", version, len(steps)), err
}

func (s *Store) checkIntegrity(ctx context.Context, _ bool) ([]store.Finding, error) {
	damage, err := s.list(ctx, `PRAGMA integrity_check(20)`)
	if err != nil {
		return nil, err
	}
	if slices.Equal(damage, []string{"ok"}) {
		return one("integrity", true, "", "the file is sound"), nil
	}
	return one("integrity", false, fixDamage, "the file is damaged: %s", strings.Join(damage, "; ")), nil
}

// list reads one text column.
func (s *Store) list(ctx context.Context, query string, args ...any) (out []string, err error) {
	rows, err := s.reader.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var v string
		if err := rows.Scan(&v); err != nil {
			return nil, err
		}
		out = append(out, v)
	}
	return out, rows.Err()
}

// orphans are rows whose session or workspace is not there.
const orphans = `SELECT workspace, session, project, created_at FROM memories WHERE session IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.workspace = memories.workspace AND s.id = memories.session)
	UNION ALL SELECT workspace, session, project, created_at FROM prompts WHERE session IS NOT NULL
		AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.workspace = prompts.workspace AND s.id = prompts.session)`

// checkOrphans gives lost sessions back to the rows that name them.
func (s *Store) checkOrphans(ctx context.Context, repair bool) ([]store.Finding, error) {
	var n int
	if err := s.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM (`+orphans+`)`).Scan(&n); err != nil {
		return nil, err
	}
	if n == 0 {
		return one("orphans", true, "", "every row has its session"), nil
	}
	if !repair {
		return one("orphans", false, fixRepair, "%d rows name a session that is not there", n), nil
	}
	err := s.Write(ctx, func(tx *sqlstore.Tx) error {
		for _, q := range []string{
			`INSERT INTO workspaces (id, created_at) SELECT DISTINCT workspace, ?1 FROM (` + orphans + `) WHERE true ON CONFLICT DO NOTHING`,
			`INSERT INTO sessions (workspace, id, project, status, started_at, last_seen)
				SELECT workspace, session, MIN(project), 'lapsed', MIN(created_at), MAX(created_at) FROM (` + orphans + `)
				WHERE ?1 = ?1 GROUP BY workspace, session`,
		} {
			if _, err := tx.ExecContext(ctx, q, time.Now().UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	})
	return one("orphans", true, "", "%d rows got their session back", n), err
}

// checkMerged finds rows under a name that was merged, which no reader asks for.
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

func (s *Store) checkForeignKeys(ctx context.Context, _ bool) ([]store.Finding, error) {
	broken, err := s.list(ctx, `SELECT "table" || ' ' || COALESCE(rowid, 0) || ' without ' || parent FROM pragma_foreign_key_check LIMIT 20`)
	if err != nil {
		return nil, err
	}
	if len(broken) == 0 {
		return one("foreign_keys", true, "", "every reference leads somewhere"), nil
	}
	return one("foreign_keys", false, fixRepair, "rows refer to what is not there: %s", strings.Join(broken, "; ")), nil
}

// Statements that say which kept counts differ from the rows, and that set them.
const (
	countsNow = `SELECT workspace, project, scope, type, SUM(deleted_at IS NULL) AS living, SUM(deleted_at IS NOT NULL) AS deleted
		FROM memories GROUP BY workspace, project, scope, type`
	sessionCount = `(SELECT COUNT(*) FROM memories m WHERE m.workspace = sessions.workspace AND m.session = sessions.id AND m.deleted_at IS NULL)`
	wrongCounts  = `SELECT (SELECT COUNT(*) FROM (` + countsNow + ` EXCEPT SELECT * FROM memory_counts))
		+ (SELECT COUNT(*) FROM (SELECT * FROM memory_counts EXCEPT ` + countsNow + `))
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
	err := s.Write(ctx, func(tx *sqlstore.Tx) error {
		for _, q := range []string{
			`DELETE FROM memory_counts`,
			`INSERT INTO memory_counts ` + countsNow,
			`UPDATE sessions SET memories = ` + sessionCount,
		} {
			if _, err := tx.ExecContext(ctx, q); err != nil {
				return err
			}
		}
		return nil
	})
	return one("counts", true, "", "%d kept counts were set right", n), err
}

// clockTolerance is how far clocks may differ, or jump, without a word.
const clockTolerance = time.Hour

// checkClock finds what a clock that was ahead has dated: it counts as the latest
// until that time comes.
func (s *Store) checkClock(ctx context.Context, repair bool) ([]store.Finding, error) {
	const ahead = `SELECT (SELECT COUNT(*) FROM memories WHERE (updated_at > ?1 OR last_seen_at > ?1))
		+ (SELECT COUNT(*) FROM sessions WHERE last_seen > ?1) + (SELECT COUNT(*) FROM prompts WHERE created_at > ?1)`
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
			`UPDATE memories SET updated_at = MIN(updated_at, ?2), last_seen_at = MIN(last_seen_at, ?2) WHERE (updated_at > ?1 OR last_seen_at > ?1)`,
			`UPDATE sessions SET last_seen = ?2 WHERE last_seen > ?1`,
			`UPDATE prompts SET created_at = ?2 WHERE created_at > ?1`,
		} {
			if _, err := tx.ExecContext(ctx, q, limit, now.UnixMicro()); err != nil {
				return err
			}
		}
		return nil
	})
	return one("clock", true, "", "%d rows were dated ahead of this machine's clock and count as of now", n), err
}

func (s *Store) checkLog(ctx context.Context, repair bool) ([]store.Finding, error) {
	size := func() (int64, error) {
		info, err := os.Stat(s.path + "-wal")
		if errors.Is(err, fs.ErrNotExist) {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		return info.Size(), nil
	}
	n, err := size()
	if err != nil {
		return nil, err
	}
	if n > maxLog && repair {
		if _, err := s.truncateLog(ctx, s.wipeTime); err != nil {
			return nil, err
		}
		if n, err = size(); err != nil {
			return nil, err
		}
	}
	return one("wal", n <= maxLog, "end processes that have had the store open for long, then run engram doctor --repair", "the log has %d KiB", n>>10), nil
}

func (s *Store) checkPermissions(_ context.Context, repair bool) ([]store.Finding, error) {
	if runtime.GOOS == "windows" {
		return nil, nil // others cannot look into a profile directory there
	}
	var open []string
	for _, file := range append(storeFiles(s.path), filepath.Dir(s.path)) {
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if repair {
			if err := os.Chmod(file, info.Mode().Perm()&0o700); err != nil {
				return nil, err
			}
			continue
		}
		open = append(open, filepath.Base(file))
	}
	if len(open) > 0 {
		return one("permissions", false, fixRepair, "others on this machine may read %s", strings.Join(open, ", ")), nil
	}
	return one("permissions", true, "", "only you may read the store"), nil
}
