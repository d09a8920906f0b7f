package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/url"
	"os"
	"path/filepath"
	"time"

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
	// Opening brings the schema of an old backup up to date.
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
	_, statErr := os.Lstat(to)
	s, err := Open(ctx, to, Options{})
	if err == nil && statErr != nil {
		return "", overwrite(ctx, s, from)
	}
	kept = filepath.Join(backupDir(to), "before-restore-"+time.Now().UTC().Format("20060102T150405.000000Z")+".db")
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		return "", err
	}
	if err == nil {
		if err = mapError(diskError(kept, s.copyTo(ctx, kept))); err == nil {
			return kept, overwrite(ctx, s, from)
		}
		err = errors.Join(err, s.Close())
	}
	if !unusable(err) {
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

// overwrite copies the pages of from over those of s in one transaction, and
// closes s.
func overwrite(ctx context.Context, s *Store, from string) (err error) {
	defer func() { err = errors.Join(err, s.Close()) }()
	source, err := atomicfile.New(filepath.Join(filepath.Dir(s.path), "restoring.db"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, source.Discard()) }()
	if err := newEpoch(ctx, from, source.Path()); err != nil {
		return err
	}
	conn, err := s.writer.Conn(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, conn.Close()) }()
	uri := url.URL{Scheme: "file", OmitHost: true, Path: filepath.ToSlash(source.Path()), RawQuery: "mode=ro"}
	return conn.Raw(func(c any) error { return c.(driver.Conn).Raw().Restore("main", uri.String()) })
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

// newEpoch makes of the empty file path a copy of the backup that tells other
// processes, once it is in its place, that what they know of the store by its
// write numbers holds no more.
func newEpoch(ctx context.Context, backup, path string) (err error) {
	from := Store{path: backup, opts: Options{ReadOnly: true, BusyTimeout: time.Second}}
	if err := from.vacuumInto(ctx, path); err != nil {
		return err
	}
	db, err := driver.Open(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	_, err = db.ExecContext(ctx, `INSERT INTO counters (name, value) VALUES ('epoch', ?1), ('keyword_generation', ?1)
		ON CONFLICT (name) DO UPDATE SET value = excluded.value`, rand.Int64())
	return err
}
