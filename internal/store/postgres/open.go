// Package postgres is the storage engine for a database server: it opens the
// database, migrates it, and adds to the shared SQL of package sqlstore what is
// PostgreSQL's own: error codes, the index of terms (index.go, keyword.go), vectors
// in pgvector (nearest.go) and checks. Everything is in the database, so any number
// of processes on any number of machines see one store. What the statements do is
// sqlstore's affair, what of a memory is searched package document's.
package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"log/slog"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlstore"
)

// Options are the settings of a Store; zero values mean the defaults.
type Options struct {
	Conns       int           // connections that read, and as many that write (default: two a CPU, 4 to 16)
	BusyTimeout time.Duration // how long to wait for another transaction (default 10 s)
	Log         *slog.Logger  // default [slog.Default]
	// AfterWrite is called after each committed transaction of this process; it
	// must not wait for anything. nil does nothing.
	AfterWrite func()
}

const (
	defaultBusyTimeout = 10 * time.Second
	connectTimeout     = 10 * time.Second
	connIdle           = 5 * time.Minute
)

// Store is an opened database. Its methods are safe for concurrent use.
type Store struct {
	*sqlstore.Store

	opts   Options
	name   string // of the database, as people may see it
	writer *sql.DB
	reader *sql.DB
	schema int // version that this program writes

	models modelIndexes

	close    sync.Once
	closeErr error
}

var _ store.Store = (*Store)(nil)

// Open connects to the database that url names (postgres://user:password@host:port/name,
// or what else PostgreSQL's own programs take) and brings its schema up to date.
// Where it cannot, the error says what to do; it never has the password.
func Open(ctx context.Context, url string, opts Options) (*Store, error) {
	opts.Conns = cmp.Or(opts.Conns, min(max(2*runtime.NumCPU(), 4), 16))
	opts.BusyTimeout = cmp.Or(opts.BusyTimeout, defaultBusyTimeout)
	config, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, engram.Errorf(engram.ErrInvalid, "database_url is not the address of a PostgreSQL database").
			WithCode("bad_config").WithHint("write it as postgres://user:password@host:5432/name")
	}
	config.ConnectTimeout = cmp.Or(config.ConnectTimeout, connectTimeout)
	setDefault(config.RuntimeParams, "application_name", "engram")
	setDefault(config.RuntimeParams, "lock_timeout", strconv.Itoa(int(opts.BusyTimeout.Milliseconds())))
	s := &Store{opts: opts, name: nameOf(config)}
	s.writer, s.reader = s.pool(config), s.pool(config)
	if err := s.prepare(ctx); err != nil {
		return nil, errors.Join(s.mapError(err), s.reader.Close(), s.writer.Close())
	}
	s.Store = sqlstore.New(sqlstore.Engine{
		Writer:       s.writer,
		Reader:       s.reader,
		Snapshot:     sql.LevelRepeatableRead,
		MapError:     s.mapError,
		ClaimLock:    "FOR UPDATE SKIP LOCKED",
		Erase:        s.erase,
		CheckWrite:   s.sameSchema,
		Serialize:    serialize,
		BeforeCommit: s.index,
		AfterWrite:   opts.AfterWrite,
		Passages:     s.savePassages,
		Copied:       s.indexMemories,
		Sequences:    setSequences,
		TextOnly:     true,
	})
	return s, nil
}

func setDefault(params map[string]string, name, value string) {
	if _, ok := params[name]; !ok {
		params[name] = value
	}
}

func (s *Store) pool(config *pgx.ConnConfig) *sql.DB {
	db := stdlib.OpenDB(*config)
	db.SetMaxOpenConns(s.opts.Conns)
	db.SetMaxIdleConns(s.opts.Conns)
	db.SetConnMaxIdleTime(connIdle)
	return db
}

// nameOf is where a database is, without who asks and how he shows that he may.
func nameOf(config *pgx.ConnConfig) string {
	return "postgres://" + config.Host + ":" + strconv.Itoa(int(config.Port)) + "/" + config.Database
}

// prepare looks what server it is, makes the extensions and migrates.
func (s *Store) prepare(ctx context.Context) error {
	steps, err := migrations(migrationFiles)
	if err != nil {
		return err
	}
	if err := s.migrate(ctx, steps); err != nil {
		return err
	}
	s.schema = len(steps)
	return nil
}

// writing is the number of the lock that transactions hold which write memories.
// One after the other draws its number and commits, so that whoever follows the
// numbers never misses one, and so that topics and duplicates need no retries.
const writing = 0x456e6772616d01 // "Engram", 1

func serialize(ctx context.Context, tx *sqlstore.Tx) error {
	_, err := tx.Exec(ctx, `SELECT pg_advisory_xact_lock($1)`, int64(writing))
	return err
}

// setSequences has ids go on behind those that are there.
func setSequences(ctx context.Context, tx *sqlstore.Tx) error {
	for _, table := range []string{"memories", "prompts", "jobs", "vector_models", "vectors"} {
		more := ""
		if table == "memories" { // an erased one's id is not given again
			more = `, COALESCE((SELECT MAX(memory_id) FROM tombstones), 0)`
		}
		_, err := tx.ExecContext(ctx, `SELECT setval(pg_get_serial_sequence('`+table+`', 'id'),
			GREATEST(COALESCE((SELECT MAX(id) FROM `+table+`), 0)`+more+`) + 1, FALSE)`)
		if err != nil {
			return err
		}
	}
	return nil
}

// Close lets go of all connections. A second call does nothing.
func (s *Store) Close() error {
	s.close.Do(func() { s.closeErr = s.Store.Close() })
	return s.closeErr
}

func (s *Store) log() *slog.Logger { return cmp.Or(s.opts.Log, slog.Default()) }
