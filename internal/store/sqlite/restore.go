package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"engram"
	"engram/internal/atomicfile"
)

// Restore puts what is in the backup from in the place of what is in the store
// to, making the store where there is none. Other processes may have it open:
// they see the restored state from their next call on. kept is a copy of what
// was there, "" if there was nothing. A file that is no sound Engram store, or
// comes from a newer program, is refused and nothing is changed.
func Restore(ctx context.Context, from, to string) (kept string, err error) {
	from, err = filepath.Abs(from)
	if err != nil {
		return "", fmt.Errorf("restore: %w", err)
	}
	if err := checkBackup(ctx, from); err != nil {
		return "", mapError(fmt.Errorf("restore %s: %w", from, err))
	}
	kept, err = replace(ctx, from, to)
	if err != nil {
		return kept, mapError(diskError(to, fmt.Errorf("restore %s: %w", from, err)))
	}
	s, err := Open(ctx, to, Options{})
	if err != nil {
		return kept, err
	}
	return kept, s.Close()
}

// Restorable is nil where [Restore] would take the file path, else why not.
func Restorable(ctx context.Context, path string) error {
	return mapError(checkBackup(ctx, path))
}

// checkBackup refuses what cannot be restored.
func checkBackup(ctx context.Context, path string) (err error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return engram.Errorf(engram.ErrNotFound, "there is no file %s", path)
	case err == nil && info.IsDir():
		return engram.Errorf(engram.ErrInvalid, "%s is a directory", path).WithCode("not_a_backup").WithHint("name a file in it")
	}
	steps, err := migrations(migrationFiles)
	if err != nil {
		return err
	}
	s := Store{path: path, opts: Options{ReadOnly: true, BusyTimeout: time.Second}}
	db, err := driver.Open(s.dsn(), s.initReader)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	st, err := readSchemaState(ctx, db)
	if err != nil {
		return err
	}
	if st.version == 0 {
		return engram.Errorf(engram.ErrInvalid, "%s is no backup of Engram", path).WithCode("not_a_backup")
	}
	if err := st.check(path, len(steps)); err != nil {
		return err
	}
	return quickCheck(ctx, path)
}

// replace puts from in the place of to, of which it keeps a copy. A store that
// cannot be opened or copied any more is kept as it is.
func replace(ctx context.Context, from, to string) (kept string, err error) {
	to, err = filepath.Abs(to)
	if err != nil {
		return "", err
	}
	_, statErr := os.Lstat(to)
	s, err := Open(ctx, to, Options{})
	if err == nil {
		err = s.Close() // to overwrite needs connections of its own
	}
	switch {
	case err == nil:
	case engram.ErrorCode(err) == "newer_schema": // a newer program may be writing to it
	case unusable(err):
		return keepAndTakePlace(ctx, from, to)
	default:
		return "", err
	}
	s = &Store{path: to, opts: Options{BusyTimeout: defaultBusyTimeout}}
	if statErr == nil {
		if kept, err = keptName(to); err != nil {
			return "", err
		}
	}
	err = s.overwrite(ctx, from, kept)
	var copying copyError
	switch {
	case !errors.As(err, &copying):
		return kept, err
	case unusable(mapError(copying)):
		return keepAndTakePlace(ctx, from, to)
	}
	return "", mapError(diskError(kept, copying.error))
}

// copyError says that the store that is to be replaced could not be copied.
type copyError struct{ error }

func (e copyError) Unwrap() error { return e.error }

// keptName is a new name for what a restore replaces.
func keptName(to string) (string, error) {
	kept := filepath.Join(backupDir(to), "before-restore-"+time.Now().UTC().Format("20060102T150405.000000Z")+".db")
	return kept, os.MkdirAll(filepath.Dir(kept), 0o700)
}

func keepAndTakePlace(ctx context.Context, from, to string) (kept string, err error) {
	if kept, err = keptName(to); err != nil {
		return "", err
	}
	return kept, takePlace(ctx, from, to, kept)
}

// takePlace puts the backup from in the place of the files of the store to, which
// are of no use and kept as they are. The store is never missing: until the last
// step the old one is there, which cannot be opened.
func takePlace(ctx context.Context, from, to, kept string) (err error) {
	f, err := atomicfile.New(to)
	if err != nil {
		return cannotWrite(to, err)
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	if err := newEpoch(ctx, from, f.Path()); err != nil {
		return err
	}
	for _, suffix := range []string{"", "-wal", "-shm"} {
		if err := keepAside(to+suffix, kept+suffix); err != nil {
			return engram.Errorf(engram.ErrUnavailable, "%s cannot be kept: %v", to+suffix, pathCause(err)).WithCode("cannot_write")
		}
	}
	for _, suffix := range []string{"-wal", "-shm"} { // else SQLite would take them for the backup's
		if err := os.Remove(to + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return f.Commit(true)
}

// keepAside gives a file, if it is there, another name beside its own; where the
// file system knows no such thing, a copy of it.
func keepAside(from, to string) (err error) {
	err = os.Link(from, to)
	if err == nil || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	f, err := atomicfile.New(to)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	out, err := os.OpenFile(f.Path(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	if err := errors.Join(err, out.Close()); err != nil {
		return err
	}
	return f.Commit(false)
}

// overwrite copies what is in s to the file kept, unless that is "", and then
// the pages of from over those of s, in one transaction: whoever wrote before
// finds it in kept, and whoever writes after it in the restored store.
func (s *Store) overwrite(ctx context.Context, from, kept string) (err error) {
	source, err := atomicfile.New(filepath.Join(filepath.Dir(s.path), "restoring.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Discard()) }()
	if err := newEpoch(ctx, from, source.Path()); err != nil {
		return err
	}
	c, err := sqlite3.Open(source.Path())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	pages, err := c.BackupInit("main", fileURI(s.path, "rw"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pages.Close()) }()
	if err := s.lockForPages(ctx, pages); err != nil {
		return err
	}
	if kept != "" {
		if err := s.copyTo(ctx, kept); err != nil {
			return copyError{err}
		}
	}
	_, err = pages.Step(-1)
	return err
}

// lockForPages takes the lock for writing to s, which pages keeps until it is
// closed. The connection that it writes by does not wait, so this does.
func (s *Store) lockForPages(ctx context.Context, pages *sqlite3.Backup) error {
	deadline := time.Now().Add(s.opts.BusyTimeout)
	for {
		_, err := pages.Step(0)
		if !isBusy(err) || time.Now().After(deadline) {
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

// unusable reports whether a store could not be opened because of what it is,
// which waiting or a permission does not change.
func unusable(err error) bool {
	switch engram.ErrorCode(err) {
	case "newer_schema", "not_a_database", "corrupt", "foreign_database":
		return true
	}
	return false
}

// newEpoch makes of the empty file path a copy of the backup, of the newest
// schema, that tells other processes, once it is in its place, that what they know of the store by its
// write numbers holds no more.
func newEpoch(ctx context.Context, backup, path string) (err error) {
	from := Store{path: backup, opts: Options{ReadOnly: true, BusyTimeout: time.Second}}
	if err := from.vacuumInto(ctx, path); err != nil {
		return err
	}
	s := &Store{path: path, opts: Options{ReadConns: 1, BusyTimeout: defaultBusyTimeout}}
	if err := s.openPools(); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.reader.Close(), s.writer.Close()) }()
	steps, err := migrations(migrationFiles)
	if err != nil {
		return err
	}
	// Here and not in its place, where others write meanwhile.
	if err := s.migrate(ctx, steps); err != nil {
		return err
	}
	_, err = s.writer.ExecContext(ctx, `INSERT INTO counters (name, value) VALUES ('epoch', ?1), ('keyword_generation', ?1)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, rand.Int64())
	return err
}
