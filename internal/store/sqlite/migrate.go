package sqlite

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"engram"
	"engram/internal/store/sqlstore"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

// applicationID marks a file as an Engram store (PRAGMA application_id).
const applicationID = 0x456e6772 // "Engr"

// migration is one step of the schema; its number is its place in the order.
type migration struct {
	version int
	name    string
	sql     string
}

// migrations reads the embedded steps: 0001_….sql, without a gap.
func migrations(files fs.FS) ([]migration, error) {
	names, err := fs.Glob(files, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var out []migration
	for i, name := range names {
		number, _, ok := strings.Cut(path.Base(name), "_")
		version, err := strconv.Atoi(number)
		if !ok || err != nil || version != i+1 {
			return nil, fmt.Errorf("migration %s: want the number %04d", name, i+1)
		}
		text, err := fs.ReadFile(files, name)
		if err != nil {
			return nil, err
		}
		out = append(out, migration{version: version, name: path.Base(name), sql: string(text)})
	}
	return out, nil
}

// schemaState is what a file says of itself.
type schemaState struct {
	application int
	version     int
	objects     int // tables, indexes, …
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

func readSchemaState(ctx context.Context, q querier) (schemaState, error) {
	var st schemaState
	err := q.QueryRowContext(ctx, `SELECT (SELECT application_id FROM pragma_application_id),
		(SELECT user_version FROM pragma_user_version),
		EXISTS (SELECT 1 FROM sqlite_schema)`).Scan(&st.application, &st.version, &st.objects)
	return st, err
}

// check refuses files that are not ours or come from a newer program.
func (st schemaState) check(file string, newest int) error {
	switch {
	case st.objects > 0 && st.application != applicationID, st.version < 0:
		return foreignDatabase(file)
	case st.version > newest:
		return newerSchema(file, st.version, newest)
	}
	return nil
}

func newerSchema(file string, version, newest int) error {
	return engram.Errorf(engram.ErrNewerSchema, "%s has schema version %d, this engram knows versions up to %d",
		file, version, newest).WithHint("install a newer engram")
}

func foreignDatabase(file string) error {
	return engram.Errorf(engram.ErrUnavailable, "%s is a database of another program", file).
		WithCode("foreign_database").WithHint("set ENGRAM_DATA_DIR to another directory")
}

// migrateTime is how long a process waits for another one that migrates, which
// may have to copy a large file first.
const migrateTime = 5 * time.Minute

// keptCopies is how many copies from before migrations stay.
const keptCopies = 3

// migrate brings the schema up to the newest step. Several processes may do so
// at once: the one that gets the write lock does all of it, in one transaction.
func (s *Store) migrate(ctx context.Context, steps []migration) (err error) {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	st, err := readSchemaState(ctx, conn)
	if err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	newest := len(steps)
	if err := st.check(s.path, newest); err != nil {
		return err
	}
	if st.version == newest {
		s.schema = newest
		return nil
	}
	if s.opts.ReadOnly {
		return engram.Errorf(engram.ErrUnavailable, "%s has schema version %d, this engram needs %d", s.path, st.version, newest).
			WithCode("old_schema").WithHint("open it once for writing")
	}
	if err := setBusyTimeout(conn, migrateTime); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, setBusyTimeout(conn, s.opts.BusyTimeout)) }()
	tx, err := conn.BeginTx(ctx, nil) // BEGIN IMMEDIATE
	if err != nil {
		return err
	}
	if err := s.applySteps(ctx, tx, steps); err != nil {
		return errors.Join(err, tx.Rollback())
	}
	if err := tx.Commit(); err != nil {
		return err
	}
	s.schema = newest
	return nil
}

// sameSchema ends a transaction that would write to a store that another program
// has brought to a newer schema since it was opened, or that an older one put an
// old backup in the place of.
func (s *Store) sameSchema(ctx context.Context, tx *sqlstore.Tx) error {
	var version int
	if err := tx.Row(ctx, `PRAGMA user_version`, nil, &version); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	switch {
	case version == s.schema:
		return nil
	case version > s.schema:
		return newerSchema(s.path, version, s.schema)
	}
	return engram.Errorf(engram.ErrUnavailable, "%s has schema version %d now, this engram writes %d", s.path, version, s.schema).
		WithCode("old_schema").WithHint("start engram again, which brings it up to date")
}

// applySteps takes the steps that the file does not have yet, after a copy of
// it as it was.
func (s *Store) applySteps(ctx context.Context, tx *sql.Tx, steps []migration) error {
	st, err := readSchemaState(ctx, tx) // another process may have been here
	if err != nil {
		return err
	}
	if err := st.check(s.path, len(steps)); err != nil {
		return err
	}
	if st.version > 0 && st.version < len(steps) {
		if err := s.keepCopy(ctx, st.version, time.Now()); err != nil {
			return fmt.Errorf("copy before migration: %w", err)
		}
	}
	for _, m := range steps[st.version:] {
		for _, q := range []string{
			m.sql,
			fmt.Sprintf(`PRAGMA application_id = %d`, applicationID),
			fmt.Sprintf(`PRAGMA user_version = %d`, m.version),
		} {
			if _, err := tx.ExecContext(ctx, q); err != nil {
				return fmt.Errorf("migration %s: %w", m.name, err)
			}
		}
	}
	return nil
}

// keepCopy copies the file to backups/ beside it before a migration, and
// removes all but the last few such copies.
func (s *Store) keepCopy(ctx context.Context, version int, now time.Time) error {
	dir := backupDir(s.path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	base := strings.TrimSuffix(filepath.Base(s.path), filepath.Ext(s.path)) + "-schema"
	name := fmt.Sprintf("%s%d-%s.db", base, version, now.UTC().Format("20060102T150405.000000Z"))
	if err := s.copyTo(ctx, filepath.Join(dir, name)); err != nil {
		return err
	}
	return prune(dir, base)
}

// prune removes all but the last copies in dir whose name begins with base.
func prune(dir, base string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	var copies []string
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), base) && strings.HasSuffix(e.Name(), ".db") {
			copies = append(copies, e.Name())
		}
	}
	when := func(name string) string { return name[strings.LastIndexByte(name, '-')+1:] }
	slices.SortFunc(copies, func(a, b string) int { return strings.Compare(when(b), when(a)) })
	for _, name := range copies[min(len(copies), keptCopies):] {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}
