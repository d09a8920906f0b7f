package postgres

import (
	"context"
	"database/sql"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"engram"
	"engram/internal/store/sqlstore"
)

//go:embed migrations/*.sql
var migrationFiles embed.FS

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

// migrating is the number of the lock that a migration holds.
const migrating = 0x456e6772616d02 // "Engram", 2

// leastVector is the version of pgvector that first scans on until a filter has let
// enough through.
var leastVector = [2]int{0, 8}

// migrate brings the schema up to the newest step. Several processes may do so at
// once: the one that gets the lock does all of it, in one transaction.
func (s *Store) migrate(ctx context.Context, steps []migration) (err error) {
	version, err := schemaVersion(ctx, s.writer)
	if err != nil {
		return err
	}
	if version > len(steps) {
		return newerSchema(s.name, version, len(steps))
	}
	if version == len(steps) {
		return s.checkExtensions(ctx, s.writer)
	}
	tx, err := s.writer.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer func() { _ = tx.Rollback() }()
	for _, q := range []string{`SET LOCAL lock_timeout = '5min'`, fmt.Sprintf(`SELECT pg_advisory_xact_lock(%d)`, migrating)} {
		if _, err := tx.ExecContext(ctx, q); err != nil {
			return err
		}
	}
	if err := s.applySteps(ctx, tx, steps); err != nil {
		return err
	}
	return tx.Commit()
}

func (s *Store) applySteps(ctx context.Context, tx *sql.Tx, steps []migration) error {
	version, err := schemaVersion(ctx, tx) // another process may have been here
	if err != nil {
		return err
	}
	if version > len(steps) {
		return newerSchema(s.name, version, len(steps))
	}
	if version == 0 {
		if err := s.refuseForeign(ctx, tx); err != nil {
			return err
		}
		for _, extension := range []string{"vector", "pg_trgm"} {
			if _, err := tx.ExecContext(ctx, `CREATE EXTENSION IF NOT EXISTS `+extension); err != nil {
				return s.noExtension(extension, err)
			}
		}
	}
	if err := s.checkExtensions(ctx, tx); err != nil {
		return err
	}
	for _, m := range steps[version:] {
		if _, err := tx.ExecContext(ctx, m.sql); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
		if _, err := tx.ExecContext(ctx, `INSERT INTO engram_schema (version, name) VALUES ($1, $2)`, m.version, m.name); err != nil {
			return fmt.Errorf("migration %s: %w", m.name, err)
		}
	}
	return nil
}

type querier interface {
	QueryRowContext(ctx context.Context, query string, args ...any) *sql.Row
}

// schemaVersion is the number of the last step that was taken, 0 = none.
func schemaVersion(ctx context.Context, q querier) (version int, err error) {
	var there bool
	if err := q.QueryRowContext(ctx, `SELECT to_regclass('engram_schema') IS NOT NULL`).Scan(&there); err != nil || !there {
		return 0, err
	}
	err = q.QueryRowContext(ctx, `SELECT COALESCE(MAX(version), 0) FROM engram_schema`).Scan(&version)
	return version, err
}

func newerSchema(name string, version, newest int) error {
	return engram.Errorf(engram.ErrNewerSchema, "%s has schema version %d, this engram knows versions up to %d",
		name, version, newest).WithHint("install a newer engram")
}

// refuseForeign refuses a schema in which another program has tables of our names.
func (s *Store) refuseForeign(ctx context.Context, q querier) error {
	var foreign bool
	err := q.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM information_schema.tables
		WHERE table_schema = current_schema() AND table_name IN ('memories', 'sessions', 'documents', 'prompts'))`).Scan(&foreign)
	if err != nil || !foreign {
		return err
	}
	return engram.Errorf(engram.ErrUnavailable, "%s has tables of another program", s.name).
		WithCode("foreign_database").WithHint("make a database for engram alone, and name it in database_url")
}

func (s *Store) noExtension(name string, err error) error {
	e, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return err
	}
	hint := "let a superuser run CREATE EXTENSION " + name + " in the database"
	if e.Code == "58P01" || e.Code == "0A000" {
		hint = "install " + packageOf(name) + " on the database server, then try again"
	}
	return engram.Errorf(engram.ErrUnavailable, "%s has no extension %s: %s", s.name, name, e.Message).
		WithCode("no_extension").WithHint("%s", hint)
}

func packageOf(extension string) string {
	if extension == "vector" {
		return "pgvector 0.8 or newer (github.com/pgvector/pgvector)"
	}
	return "PostgreSQL's contrib modules"
}

// checkExtensions makes sure that the extensions are there, and new enough.
func (s *Store) checkExtensions(ctx context.Context, q querier) error {
	var version string
	err := q.QueryRowContext(ctx, `SELECT extversion FROM pg_extension WHERE extname = 'vector'`).Scan(&version)
	if errors.Is(err, sql.ErrNoRows) {
		return engram.Errorf(engram.ErrUnavailable, "%s has no extension vector", s.name).
			WithCode("no_extension").WithHint("let a superuser run CREATE EXTENSION vector in the database")
	}
	if err != nil {
		return err
	}
	if oldVector(version) {
		return engram.Errorf(engram.ErrUnavailable, "%s has pgvector %s, engram needs %d.%d or newer", s.name, version, leastVector[0], leastVector[1]).
			WithCode("old_extension").WithHint("install a newer pgvector on the server, then run ALTER EXTENSION vector UPDATE")
	}
	return nil
}

func oldVector(version string) bool {
	major, rest, _ := strings.Cut(version, ".")
	minor, _, _ := strings.Cut(rest, ".")
	a, _ := strconv.Atoi(major)
	b, _ := strconv.Atoi(minor)
	return a < leastVector[0] || a == leastVector[0] && b < leastVector[1]
}

// SchemaVersion is the number of the last migration applied.
func (s *Store) SchemaVersion(ctx context.Context) (int, error) {
	if s.Closed() {
		return 0, errClosed
	}
	version, err := schemaVersion(ctx, s.reader)
	if err != nil {
		return 0, s.mapError(fmt.Errorf("schema version: %w", err))
	}
	return version, nil
}

// sameSchema ends a transaction that would write to a store that another program
// has brought to a newer schema since it was opened.
func (s *Store) sameSchema(ctx context.Context, tx *sqlstore.Tx) error {
	var version int
	if err := tx.Row(ctx, `SELECT COALESCE(MAX(version), 0) FROM engram_schema`, nil, &version); err != nil {
		return fmt.Errorf("read schema version: %w", err)
	}
	switch {
	case version == s.schema:
		return nil
	case version > s.schema:
		return newerSchema(s.name, version, s.schema)
	}
	return engram.Errorf(engram.ErrUnavailable, "%s has schema version %d now, this engram writes %d", s.name, version, s.schema).
		WithCode("old_schema").WithHint("start engram again, which brings it up to date")
}
