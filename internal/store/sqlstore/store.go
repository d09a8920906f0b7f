// Package sqlstore holds the part of a storage engine that is SQL and that two
// engines understand: every statement is written here once, with $1
// placeholders, over database/sql. Opening, pragmas, migrations, error codes,
// backup, checks and the keyword index differ between engines and are the
// engine's affair (sqlite, later postgres); what a method must do is said in
// package store.
package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"engram"
)

// Engine is what differs between engines and what the shared SQL needs of them.
type Engine struct {
	Writer *sql.DB // transactions that write; the engine bounds how many at once
	Reader *sql.DB // everything else
	// Snapshot is the isolation in which a transaction sees one state throughout.
	Snapshot sql.IsolationLevel

	// Rebind turns $1 placeholders into what the driver takes; nil leaves them.
	Rebind func(query string) string
	// MapError turns a driver's error into an [engram.Error] where its code says
	// what happened, and leaves other errors as they are; nil leaves all.
	MapError func(error) error
	// ClaimLock follows the SELECT that claims jobs: FOR UPDATE SKIP LOCKED where
	// several writers run at once.
	ClaimLock string
	// Erase runs inside the transaction that erases, before the rows go: it
	// takes memories out of the keyword index and says how many entries went.
	// wipe runs after the commit: when it returns, the text is in none of the
	// store's files, except in the copies that it names.
	Erase func(ctx context.Context, tx *Tx, what Erased) (postings int, wipe Wipe, err error)
	// CheckWrite runs first in each transaction of [Store.Write], which ends with
	// its error. nil checks nothing.
	CheckWrite func(ctx context.Context, tx *Tx) error
	// Serialize lets one transaction of [Store.Write] after the other go on, where
	// the engine does not do so anyway. [Store.WriteApart] is without it.
	Serialize func(ctx context.Context, tx *Tx) error
	// BeforeCommit runs last in a transaction that drew numbers of writes, with
	// them: it indexes what the rows that have them say. nil does nothing.
	BeforeCommit func(ctx context.Context, tx *Tx, seqs []int64) error
	// Passages runs where a memory's vectors of a model were saved. nil does nothing.
	Passages func(ctx context.Context, tx *Tx, v SavedVector) error
	// Copied runs where rows of memories or of their versions were copied from another
	// store, to index them. nil does nothing.
	Copied func(ctx context.Context, tx *Tx, memories []int64) error
	// Sequences has the next rows get ids behind those that were copied. nil does nothing.
	Sequences func(ctx context.Context, tx *Tx) error
	// TextOnly says that texts cannot have a NUL character.
	TextOnly bool
	// AfterWrite runs after each transaction of [Store.Write] that was committed;
	// it does not wait for anything. nil does nothing.
	AfterWrite func()
}

// Erased are the rows that an erasure takes.
type Erased struct {
	Memories []int64
	Prompts  []int64
}

// SavedVector is a row of vectors that was written.
type SavedVector struct {
	Row, Model, Memory int64
	Version, Dim       int
	Codes              []byte // of its passages, Dim each, one after the other; may be none
}

// Wipe takes erased text out of files and names those where it may still be.
type Wipe func(ctx context.Context) (copies []string, err error)

// Store runs the shared SQL. Its methods are safe for concurrent use.
type Store struct {
	eng    Engine
	writes statements
	reads  statements

	mu     sync.Mutex
	closed bool
}

// New returns a Store over an opened and migrated database.
func New(eng Engine) *Store {
	return &Store{
		eng:    eng,
		writes: statements{db: eng.Writer, rebind: eng.Rebind},
		reads:  statements{db: eng.Reader, rebind: eng.Rebind},
	}
}

// Close lets go of the statements and of both pools. A second call does nothing.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil
	}
	s.closed = true
	return errors.Join(s.reads.close(), s.writes.close(), s.eng.Reader.Close(), s.eng.Writer.Close())
}

// Closed reports whether Close was called.
func (s *Store) Closed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

var errClosed = engram.Errorf(engram.ErrUnavailable, "the store is closed").WithCode("closed")

// Write runs fn in a transaction that may write and commits it when fn
// returns nil. Errors come back as the engine maps them.
func (s *Store) Write(ctx context.Context, fn func(tx *Tx) error) error {
	return s.write(ctx, func(tx *Tx) error {
		if s.eng.Serialize != nil {
			if err := s.eng.Serialize(ctx, tx); err != nil {
				return err
			}
		}
		if err := fn(tx); err != nil || s.eng.BeforeCommit == nil || len(tx.seqs) == 0 {
			return err
		}
		return s.eng.BeforeCommit(ctx, tx, tx.seqs)
	})
}

// WriteApart is Write for what does not touch memories and what belongs to them:
// jobs, leases, settings. Several such transactions may run at once.
func (s *Store) WriteApart(ctx context.Context, fn func(tx *Tx) error) error {
	return s.write(ctx, fn)
}

func (s *Store) write(ctx context.Context, fn func(tx *Tx) error) error {
	err := s.transact(ctx, s.eng.Writer, &s.writes, nil, func(tx *Tx) error {
		if s.eng.CheckWrite != nil {
			if err := s.eng.CheckWrite(ctx, tx); err != nil {
				return err
			}
		}
		return fn(tx)
	})
	if err == nil && s.eng.AfterWrite != nil {
		s.eng.AfterWrite()
	}
	return err
}

// Read runs fn in a transaction that sees one state of the store throughout.
func (s *Store) Read(ctx context.Context, fn func(tx *Tx) error) error {
	return s.transact(ctx, s.eng.Reader, &s.reads, &sql.TxOptions{ReadOnly: true, Isolation: s.eng.Snapshot}, fn)
}

func (s *Store) transact(ctx context.Context, db *sql.DB, st *statements, opts *sql.TxOptions, fn func(*Tx) error) error {
	if s.Closed() {
		return errClosed
	}
	if err := st.prepareWanted(ctx); err != nil {
		return s.mapError(ctx, err)
	}
	tx, err := db.BeginTx(ctx, opts)
	if err != nil {
		return s.mapError(ctx, err)
	}
	// The first error is the one to tell; a rollback that fails after it closes
	// the connection, which rolls back too. After a commit it does nothing; a
	// panic must not leave the only connection behind.
	defer func() { _ = tx.Rollback() }()
	t := &Tx{Tx: tx, st: st}
	if err := fn(t); err != nil {
		return s.mapError(ctx, err)
	}
	if err := tx.Commit(); err != nil {
		return s.mapError(ctx, fmt.Errorf("commit: %w", err))
	}
	return nil
}

// mapError tells a cancelled context, an engine's trouble and a fault apart.
func (s *Store) mapError(ctx context.Context, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*engram.Error](err); ok {
		return err
	}
	if cause := ctx.Err(); cause != nil && !errors.Is(err, cause) {
		return fmt.Errorf("%w: %w", cause, err)
	}
	if s.Closed() {
		return errClosed
	}
	if s.eng.MapError != nil {
		return s.eng.MapError(err)
	}
	return err
}

// Tx is a transaction with the store's prepared statements.
type Tx struct {
	*sql.Tx
	st         *statements
	stmts      map[string]*sql.Stmt // got so far; all are closed with the transaction
	workspaces []string             // that this transaction knows to be there
	filed      map[filedName]string // where names of projects lead, as far as asked
	seqs       []int64              // numbers of writes that it drew
}

// stmt gives the prepared form of query, the same one for every call: a bulk
// load would hold as many statements as rows else.
func (t *Tx) stmt(ctx context.Context, query string) (*sql.Stmt, error) {
	if stmt := t.stmts[query]; stmt != nil {
		return stmt, nil
	}
	stmt, err := t.st.inTx(ctx, t.Tx, query)
	if err != nil {
		return nil, err
	}
	if t.stmts == nil {
		t.stmts = map[string]*sql.Stmt{}
	}
	t.stmts[query] = stmt
	return stmt, nil
}

// Exec runs a statement.
func (t *Tx) Exec(ctx context.Context, query string, args ...any) (int64, error) {
	stmt, err := t.stmt(ctx, query) //nolint:sqlclosecheck // closed with the transaction
	if err != nil {
		return 0, err
	}
	res, err := stmt.ExecContext(ctx, args...)
	if err != nil {
		return 0, err
	}
	return res.RowsAffected()
}

// Row runs a query and scans its first row into dest; without a row it is
// [sql.ErrNoRows].
func (t *Tx) Row(ctx context.Context, query string, args []any, dest ...any) error {
	stmt, err := t.stmt(ctx, query) //nolint:sqlclosecheck // closed with the transaction
	if err != nil {
		return err
	}
	return stmt.QueryRowContext(ctx, args...).Scan(dest...)
}

// Rows runs a query and calls scan for each row.
func (t *Tx) Rows(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	stmt, err := t.stmt(ctx, query) //nolint:sqlclosecheck // closed with the transaction
	if err != nil {
		return err
	}
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return err
	}
	return each(rows, scan)
}

func each(rows *sql.Rows, scan func(*sql.Rows) error) (err error) {
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		if err := scan(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// row and rows are for single statements outside a transaction.

func (s *Store) row(ctx context.Context, query string, args []any, dest ...any) error {
	if s.Closed() {
		return errClosed
	}
	stmt, done, err := s.reads.onPool(ctx, query) //nolint:sqlclosecheck // done closes it
	if err != nil {
		return s.mapError(ctx, err)
	}
	defer done()
	return s.mapError(ctx, stmt.QueryRowContext(ctx, args...).Scan(dest...))
}

func (s *Store) rows(ctx context.Context, query string, args []any, scan func(*sql.Rows) error) error {
	if s.Closed() {
		return errClosed
	}
	stmt, done, err := s.reads.onPool(ctx, query) //nolint:sqlclosecheck // done closes it
	if err != nil {
		return s.mapError(ctx, err)
	}
	defer done()
	rows, err := stmt.QueryContext(ctx, args...)
	if err != nil {
		return s.mapError(ctx, err)
	}
	return s.mapError(ctx, each(rows, scan))
}

// ensureWorkspace makes the workspace's row where this transaction has not seen
// it. What an earlier one saw may be gone: a restored backup need not have it.
func (s *Store) ensureWorkspace(ctx context.Context, tx *Tx, workspace string, now time.Time) error {
	if workspace == "" {
		return engram.Errorf(engram.ErrInvalid, "workspace is required").WithCode("workspace_required")
	}
	if slices.Contains(tx.workspaces, workspace) {
		return nil
	}
	_, err := tx.Exec(ctx, `INSERT INTO workspaces (id, created_at) VALUES ($1, $2) ON CONFLICT DO NOTHING`,
		workspace, micros(now))
	if err != nil {
		return fmt.Errorf("workspace: %w", err)
	}
	tx.workspaces = append(tx.workspaces, workspace)
	return nil
}

// nextSeq is the number of this write for whoever follows the changes.
func nextSeq(ctx context.Context, tx *Tx) (int64, error) {
	var seq int64
	err := tx.Row(ctx, `UPDATE counters SET value = value + 1 WHERE name = 'seq' RETURNING value`, nil, &seq)
	if err != nil {
		return 0, fmt.Errorf("next seq: %w", err)
	}
	tx.seqs = append(tx.seqs, seq)
	return seq, nil
}
