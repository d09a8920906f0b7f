package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"github.com/ncruces/go-sqlite3/driver"

	"engram"
	"engram/internal/atomicfile"
	"engram/internal/store"
)

// Stats counts what is in a workspace, and what it takes on disk.
func (s *Store) Stats(ctx context.Context, workspace string, projects []string) (store.Stats, error) {
	st, err := s.Store.Stats(ctx, workspace, projects)
	if err != nil {
		return st, err
	}
	st.Path = s.path
	for _, file := range storeFiles(s.path) {
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return st, fmt.Errorf("stats: %w", err)
		}
		st.Bytes += info.Size()
	}
	return st, nil
}

// SchemaVersion is the number of the last migration applied.
func (s *Store) SchemaVersion(ctx context.Context) (int, error) {
	if s.Closed() {
		return 0, errClosed
	}
	var version int
	if err := s.reader.QueryRowContext(ctx, `PRAGMA user_version`).Scan(&version); err != nil {
		return 0, mapError(fmt.Errorf("schema version: %w", err))
	}
	return version, nil
}

// Checkpoint seals the keyword index and moves the log into the file. Where
// another process still reads an old state, some of the log waits for the next
// call.
func (s *Store) Checkpoint(ctx context.Context) error {
	if s.Closed() {
		return errClosed
	}
	if s.opts.ReadOnly {
		return nil
	}
	if err := s.sealKeyword(ctx); err != nil {
		return mapError(diskError(s.path, fmt.Errorf("checkpoint: %w", err)))
	}
	if _, err := s.truncateLog(ctx, 100*time.Millisecond); err != nil {
		return mapError(diskError(s.path, fmt.Errorf("checkpoint: %w", err)))
	}
	return nil
}

// truncateLog moves the whole log into the file and cuts it to nothing. It is
// false when others were still using the log after patience.
func (s *Store) truncateLog(ctx context.Context, patience time.Duration) (done bool, err error) {
	deadline := time.Now().Add(patience)
	for {
		if done, err = s.tryTruncate(ctx); done || err != nil || !time.Now().Before(deadline) {
			return done, err
		}
		if err := pause(ctx); err != nil {
			return false, err
		}
	}
}

// tryTruncate does not wait: SQLite would hold the write lock, and this the
// only connection that writes, for as long as somebody reads.
func (s *Store) tryTruncate(ctx context.Context) (done bool, err error) {
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	if err := setBusyTimeout(conn, 0); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, setBusyTimeout(conn, s.opts.BusyTimeout)) }()
	var busy, frames, moved int
	err = conn.QueryRowContext(ctx, `PRAGMA wal_checkpoint(TRUNCATE)`).Scan(&busy, &frames, &moved)
	if isBusy(err) {
		return false, nil
	}
	return err == nil && busy == 0, err
}

// pause waits a few milliseconds.
func pause(ctx context.Context) error {
	timer := time.NewTimer(time.Millisecond + rand.N(10*time.Millisecond))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func setBusyTimeout(conn *sql.Conn, d time.Duration) error {
	return conn.Raw(func(c any) error { return c.(driver.Conn).Raw().BusyTimeout(d) })
}

// Backup implements [store.Upkeep].
func (s *Store) Backup(ctx context.Context, path string) error {
	if s.Closed() {
		return errClosed
	}
	if err := s.copyTo(ctx, path); err != nil {
		return mapError(diskError(path, fmt.Errorf("backup: %w", err)))
	}
	return nil
}

// copyTo writes a copy of the state as it is now, without the space of deleted
// rows, and checks it before it gets its name.
func (s *Store) copyTo(ctx context.Context, path string) (err error) {
	exists := func(path string) error {
		return engram.Errorf(engram.ErrConflict, "%s exists", path).WithCode("file_exists").WithHint("name another file")
	}
	if _, err := os.Lstat(path); err == nil {
		return exists(path)
	}
	f, err := atomicfile.New(path)
	if err != nil {
		return cannotWrite(path, err)
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	if err := s.vacuumInto(ctx, f.Path()); err != nil {
		return err
	}
	if err := quickCheck(ctx, f.Path()); err != nil {
		return err
	}
	err = f.Commit(false)
	if errors.Is(err, fs.ErrExist) {
		return exists(path)
	}
	return err
}

// cannotWrite says why a file cannot be made.
func cannotWrite(path string, err error) error {
	e := engram.Errorf(engram.ErrInvalid, "%s cannot be written: %v", path, pathCause(err)).WithCode("cannot_write")
	if atomicfile.IsFull(err) {
		e = engram.Errorf(engram.ErrUnavailable, "%s cannot be written: the disk is full", path).
			WithCode("disk_full").WithHint("free some space, or name a file on another disk")
	}
	return e
}

// vacuumInto writes a copy of the file.
func (s *Store) vacuumInto(ctx context.Context, path string) error {
	return s.onCopier(ctx, `VACUUM INTO ?1`, path)
}

// onCopier runs a statement on a connection of its own, so that it keeps none
// of the others waiting and its memory goes with it.
func (s *Store) onCopier(ctx context.Context, query string, args ...any) (err error) {
	db, err := driver.Open(s.dsn(), s.initCopier)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, query, args...)
	return err
}

// quickCheck looks whether the database in path is sound.
func quickCheck(ctx context.Context, path string) (err error) {
	c := Store{path: path, opts: Options{ReadOnly: true, BusyTimeout: time.Second}}
	db, err := driver.Open(c.dsn(), c.initReader)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	var result string
	if err := db.QueryRowContext(ctx, `PRAGMA quick_check(1)`).Scan(&result); err != nil {
		return err
	}
	if result != "ok" {
		return fmt.Errorf("the copy is damaged: %s", result)
	}
	return nil
}
