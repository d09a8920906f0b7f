// Package sqlite is the embedded storage engine: it opens the file, migrates
// it, and adds to the shared SQL of package sqlstore what is SQLite's own:
// pragmas, error codes, backup, checks, the erasure of bytes, and the keyword
// index (keyword*.go). Many processes may have the same file open; each sees
// what the others committed. What the statements do is sqlstore's affair.
package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/ncruces/go-sqlite3"
	"github.com/ncruces/go-sqlite3/driver"

	"engram"
	"engram/internal/atomicfile"
	"engram/internal/store"
	"engram/internal/store/sqlstore"
)

// Options are the settings of a Store; zero values mean the defaults.
type Options struct {
	// ReadOnly opens an existing file and refuses every write.
	ReadOnly bool
	// SyncFull waits for the disk at every commit. Without it a commit survives
	// the death of the process, and the last ones may be lost when the power goes.
	SyncFull    bool
	ReadConns   int           // connections that read, 2 at least: a search needs a second one (default: one a CPU, 2 to 4)
	BusyTimeout time.Duration // how long to wait for another process's write (default 5 s)
	Log         *slog.Logger  // default [slog.Default]
	// AfterWrite is called after each committed transaction of this process; it
	// must not wait for anything. nil does nothing.
	AfterWrite func()
}

const defaultBusyTimeout = 5 * time.Second

// Store is an open file. Its methods are safe for concurrent use.
type Store struct {
	*sqlstore.Store

	path   string
	opts   Options
	writer *sql.DB
	reader *sql.DB

	keyword *keywordIndex

	schema   int // version that this program writes, and that the file had when it was opened
	wipeTime time.Duration

	close    sync.Once
	closeErr error
}

var _ store.Upkeep = (*Store)(nil)

// Open opens or creates the store in the file path, with mode 0600 in a
// directory that is made with 0700, and brings its schema up to date. Where it
// cannot, the error says what to do.
func Open(ctx context.Context, path string, opts Options) (*Store, error) {
	opts.ReadConns = max(cmp.Or(opts.ReadConns, min(runtime.NumCPU(), 4)), 2)
	opts.BusyTimeout = cmp.Or(opts.BusyTimeout, defaultBusyTimeout)
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if err := prepareFile(path, opts.ReadOnly); err != nil {
		return nil, err
	}
	if err := refuseForeign(path); err != nil {
		return nil, err
	}
	s := &Store{path: path, opts: opts, wipeTime: defaultWipeTime}
	s.sweep(ctx)
	if err := s.openPools(); err != nil {
		return nil, mapError(diskError(path, fmt.Errorf("open %s: %w", path, err)))
	}
	steps, err := migrations(migrationFiles)
	if err == nil {
		err = s.migrate(ctx, steps)
	}
	if err != nil {
		return nil, errors.Join(mapError(diskError(path, fmt.Errorf("open %s: %w", path, err))), s.reader.Close(), s.writer.Close())
	}
	s.keyword = newKeywordIndex(s)
	s.Store = sqlstore.New(sqlstore.Engine{
		Writer:     s.writer,
		Reader:     s.reader,
		Rebind:     rebind,
		MapError:   func(err error) error { return mapError(diskError(path, err)) },
		Erase:      s.erase,
		CheckWrite: s.sameSchema,
		AfterWrite: s.afterWrite,
	})
	return s, nil
}

func (s *Store) afterWrite() {
	s.keyword.noteCommit()
	if s.opts.AfterWrite != nil {
		s.opts.AfterWrite()
	}
}

// sweep removes what processes that died were writing beside the store. It can
// wait for the next one where it fails.
func (s *Store) sweep(ctx context.Context) {
	if s.opts.ReadOnly {
		return
	}
	for _, dir := range []string{filepath.Dir(s.path), backupDir(s.path)} {
		if err := atomicfile.Sweep(dir); err != nil {
			cmp.Or(s.opts.Log, slog.Default()).WarnContext(ctx, "unfinished files not removed", "directory", dir, "error", err)
		}
	}
}

// backupDir is where copies of the store path are kept.
func backupDir(path string) string { return filepath.Join(filepath.Dir(path), "backups") }

// prepareFile makes the directory and the empty file, so that neither ever has
// wider permissions than wanted.
func prepareFile(path string, readOnly bool) error {
	if readOnly {
		if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
			return engram.Errorf(engram.ErrNotFound, "there is no store at %s", path).
				WithHint("save something first, or set ENGRAM_DATA_DIR")
		}
		return nil
	}
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return engram.Errorf(engram.ErrUnavailable, "the data directory %s cannot be made: %v", dir, pathCause(err)).
			WithCode("data_dir").WithHint("set ENGRAM_DATA_DIR to a directory that you may write")
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	switch {
	case err == nil:
		return f.Close()
	case errors.Is(err, fs.ErrExist):
		return nil
	}
	return engram.Errorf(engram.ErrUnavailable, "the store %s cannot be made: %v", path, pathCause(err)).
		WithCode("data_dir").WithHint("make %s writable, or set ENGRAM_DATA_DIR to another directory", dir)
}

// refuseForeign refuses the database of another program before anything in it is
// changed, as the switch to a write-ahead log would. It goes by the file's header
// (sqlite.org/fileformat: write version at 18, application id at 68). Ours has a
// log from its first page on, so with one the header may lag behind; then the
// schema decides, once it is open.
func refuseForeign(path string) error {
	const rollbackJournal = 1
	h := header(path)
	if h == nil || string(h[:16]) != "SQLite format 3\x00" || h[18] != rollbackJournal || binary.BigEndian.Uint32(h[68:]) == applicationID {
		return nil
	}
	return foreignDatabase(path)
}

// header is the first 100 bytes of a file, nil where it has fewer or cannot be
// read: then opening it says why, by SQLite's code.
func header(path string) []byte {
	f, err := os.Open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	h := make([]byte, 100)
	if _, err := io.ReadFull(f, h); err != nil {
		return nil
	}
	return h
}

// pathCause is the reason of a file error without the path, which the message has.
func pathCause(err error) error {
	if p, ok := errors.AsType[*fs.PathError](err); ok {
		return p.Err
	}
	return err
}

// connIdle is after how long an unused connection is closed; opening one takes
// about two milliseconds.
const connIdle = 30 * time.Second

func (s *Store) openPools() error {
	writer, err := driver.Open(s.dsn(), s.initWriter)
	if err != nil {
		return err
	}
	writer.SetMaxOpenConns(1)
	writer.SetMaxIdleConns(1)
	reader, err := driver.Open(s.dsn(), s.initReader)
	if err != nil {
		return errors.Join(err, writer.Close())
	}
	reader.SetMaxOpenConns(s.opts.ReadConns)
	reader.SetMaxIdleConns(s.opts.ReadConns)
	// A connection keeps the memory that it once needed; a quiet process gives it back.
	reader.SetConnMaxIdleTime(connIdle)
	writer.SetConnMaxIdleTime(connIdle)
	s.writer, s.reader = writer, reader
	return nil
}

// dsn is the path as it is, whatever characters it has; a URI only where an
// option needs one.
func (s *Store) dsn() string {
	if !s.opts.ReadOnly {
		return s.path
	}
	return fileURI(s.path, "ro")
}

// fileURI names a database for opening it in a mode of SQLite's.
func fileURI(path, mode string) string {
	path = filepath.ToSlash(path)
	if !strings.HasPrefix(path, "/") {
		path = "/" + path // a drive letter
	}
	return (&url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: "mode=" + mode}).String()
}

// initWriter sets up the connection that writes.
func (s *Store) initWriter(c *sqlite3.Conn) error {
	if err := c.BusyTimeout(s.opts.BusyTimeout); err != nil {
		return err
	}
	if s.opts.ReadOnly {
		return c.Exec(`PRAGMA query_only = ON; PRAGMA cache_size = -256`)
	}
	if err := s.useWAL(c); err != nil {
		return err
	}
	sync := "NORMAL"
	if s.opts.SyncFull {
		sync = "FULL"
	}
	err := c.Exec(`PRAGMA synchronous = ` + sync + `;
		PRAGMA foreign_keys = ON;
		PRAGMA secure_delete = ON;
		PRAGMA trusted_schema = OFF;
		PRAGMA temp_store = MEMORY;
		PRAGMA cache_size = -4000;
		PRAGMA journal_size_limit = 8388608;
		` + openLog)
	if err != nil {
		return err
	}
	c.WALHook(s.logKeeper())
	return s.ownFiles()
}

// Sizes of the log in pages of 4 KiB, and how hard a long one is fought.
const (
	checkpointPages = 1000 // from here on every commit moves what it can into the file
	longLogPages    = 4000 // from here on others are kept out now and then to finish it
	longLogWait     = 50 * time.Millisecond
	longLogPause    = 100 * time.Millisecond
)

// logKeeper gives what runs after each commit of a connection. Two processes
// that write without a pause would each find the other's pages in a log that
// they cannot begin anew, and it would grow for ever. What fails here the next
// commit tries again: this one stands.
func (s *Store) logKeeper() func(c *sqlite3.Conn, schema string, pages int) error {
	var next time.Time // when others may be kept out again
	return func(c *sqlite3.Conn, schema string, pages int) error {
		switch {
		case pages < checkpointPages:
		case pages < longLogPages || time.Now().Before(next):
			_, _, _ = c.WALCheckpoint(schema, sqlite3.CHECKPOINT_PASSIVE)
		default:
			s.finishLog(c, schema)
			next = time.Now().Add(longLogPause)
		}
		return nil
	}
}

// finishLog moves all of the log into the file while others wait, so that the
// next commit begins it anew. Another process that is moving pages just now is
// in the way without SQLite waiting for it.
func (s *Store) finishLog(c *sqlite3.Conn, schema string) {
	if c.BusyTimeout(longLogWait) == nil {
		for deadline := time.Now().Add(longLogWait); time.Now().Before(deadline); time.Sleep(500 * time.Microsecond) {
			if _, _, err := c.WALCheckpoint(schema, sqlite3.CHECKPOINT_RESTART); !isBusy(err) {
				break
			}
		}
	}
	_ = c.BusyTimeout(s.opts.BusyTimeout)
}

// openLog reads something, so that SQLite makes log and index now.
const openLog = `SELECT COUNT(*) FROM (SELECT 1 FROM sqlite_schema LIMIT 1)`

// initReader sets up a connection that reads.
func (s *Store) initReader(c *sqlite3.Conn) error {
	if err := c.BusyTimeout(s.opts.BusyTimeout); err != nil {
		return err
	}
	err := c.Exec(`PRAGMA query_only = ON;
		PRAGMA foreign_keys = ON;
		PRAGMA trusted_schema = OFF;
		PRAGMA temp_store = MEMORY;
		PRAGMA cache_size = -2000;
		` + openLog)
	if err != nil || s.opts.ReadOnly {
		return err
	}
	return s.ownFiles()
}

// initCopier sets up a connection that copies or rewrites the file as a whole.
func (s *Store) initCopier(c *sqlite3.Conn) error {
	if err := c.BusyTimeout(s.opts.BusyTimeout); err != nil {
		return err
	}
	return c.Exec(`PRAGMA temp_store = FILE; PRAGMA cache_size = -8000`)
}

// useWAL switches the file to a write-ahead log. SQLite does not wait for other
// processes here, however long the busy time-out is, so this does.
func (s *Store) useWAL(c *sqlite3.Conn) error {
	ctx := c.GetInterrupt()
	deadline := time.Now().Add(s.opts.BusyTimeout)
	for {
		mode, err := journalMode(c, `PRAGMA journal_mode = WAL`)
		switch {
		case err == nil && mode == "wal":
			return nil
		case err == nil:
			return engram.Errorf(engram.ErrUnavailable, "%s cannot use a write-ahead log (journal mode %s)", s.path, mode).
				WithHint("put ENGRAM_DATA_DIR on a local disk")
		case !isBusy(err), time.Now().After(deadline):
			return err
		}
		if err := pause(ctx); err != nil {
			return err
		}
	}
}

func journalMode(c *sqlite3.Conn, pragma string) (mode string, err error) {
	stmt, _, err := c.Prepare(pragma)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, stmt.Close()) }()
	if stmt.Step() {
		mode = stmt.ColumnText(0)
	}
	return mode, stmt.Err()
}

// storeFiles are the files that SQLite keeps for a database.
func storeFiles(path string) []string { return []string{path, path + "-wal", path + "-shm"} }

// ownFiles takes every permission on the store's files from others: SQLite
// makes log and index with what the umask leaves.
func (s *Store) ownFiles() error {
	if runtime.GOOS == "windows" {
		return nil // permissions come from the directory there
	}
	for _, file := range storeFiles(s.path) {
		info, err := os.Stat(file)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			err = os.Chmod(file, 0o600)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fs.ErrPermission) {
			return err
		}
	}
	return nil
}

// Close seals the index, lets go of the file and leaves no log behind when no
// other process has it open. A second call does nothing.
func (s *Store) Close() error {
	s.close.Do(func() {
		s.closeErr = errors.Join(s.keyword.close(), s.Store.Close())
	})
	return s.closeErr
}

// rebind turns $1 into ?1: SQLite takes $1 for a name.
func rebind(query string) string {
	var b strings.Builder
	b.Grow(len(query))
	for i := range len(query) {
		if query[i] == '$' && i+1 < len(query) && query[i+1] >= '0' && query[i+1] <= '9' {
			b.WriteByte('?')
			continue
		}
		b.WriteByte(query[i])
	}
	return b.String()
}
