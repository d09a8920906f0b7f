package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/ncruces/go-sqlite3"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

func saveOne(ctx context.Context, s *sqlite.Store, i int) error {
	_, err := s.SaveMemory(ctx, numbered("a", i), store.SaveRule{Now: time.Now()})
	return err
}

// wantTrouble checks that err is for people, says what to do, and keeps its cause.
func wantTrouble(t *testing.T, err error, code string) {
	t.Helper()
	e, ok := errors.AsType[*engram.Error](err)
	if !ok || !errors.Is(err, engram.ErrUnavailable) || e.Code != code || e.Hint == "" {
		t.Errorf("error %v, want unavailable with code %s and a hint", err, code)
	}
}

func TestOddPaths(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"with space", "é 日本", "what?", "100%", "%41", "a#b", "a;b&c=d", `q'u"o`, "file:x"} {
		path := filepath.Join(t.TempDir(), name, "memory "+name+".db")
		s := open(t, path)
		if err := saveOne(t.Context(), s, 1); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		backup := filepath.Join(filepath.Dir(path), "copy "+name)
		if err := s.Backup(t.Context(), backup); err != nil {
			t.Errorf("backup to %s: %v", backup, err)
		}
		s.Close()
		for _, file := range []string{path, backup} {
			again, err := sqlite.Open(t.Context(), file, sqlite.Options{ReadOnly: true})
			if err != nil {
				t.Errorf("%s: %v", name, err)
				continue
			}
			if n, err := again.CountMemories(t.Context(), store.Filter{Workspace: "default"}); err != nil || n != 1 {
				t.Errorf("%s: %d memories, %v", name, n, err)
			}
			again.Close()
		}
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a", "data")
	s := open(t, filepath.Join(dir, "memory.db"))
	defer s.Close()
	if err := saveOne(t.Context(), s, 1); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if info, err := e.Info(); err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v; want 0600", e.Name(), info.Mode(), err)
		}
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory has mode %v, %v; want 0700", info.Mode(), err)
	}
}

// What a process that died was writing goes when the store is opened next, and
// a backup is not seen before it is whole.
func TestUnfinishedFiles(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("here what was left goes by its age")
	}
	dir := filepath.Join(t.TempDir(), "data")
	left := []string{filepath.Join(dir, ".engram-1.tmp"), filepath.Join(dir, "backups", ".engram-2.tmp")}
	for _, l := range left {
		if err := os.MkdirAll(l, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(l, "memory.db"), []byte("half"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s := open(t, filepath.Join(dir, "memory.db"))
	defer s.Close()
	for _, l := range left {
		if _, err := os.Stat(l); err == nil {
			t.Errorf("%s is still there", l)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	path := filepath.Join(dir, "backups", "copy.db")
	if err := s.Backup(ctx, path); err == nil {
		t.Fatal("a backup that was cancelled succeeded")
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) > 0 {
		t.Errorf("a backup that failed left %v, %v", entries, err)
	}
	if err := s.Backup(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	if err := s.Backup(t.Context(), path); engram.ErrorCode(err) != "file_exists" {
		t.Errorf("over a file: %v, want file_exists", err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the backup: %v, %v", info.Mode(), err)
	}
}

func TestBusy(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{BusyTimeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	tx, err := raw(t, path).BeginTx(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	wantTrouble(t, saveOne(t.Context(), s, 1), "busy")
	if _, err := s.ListMemories(t.Context(), store.Filter{Workspace: "default"}, store.ByCreated, store.Page{}); err != nil {
		t.Errorf("reading beside a writer: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := saveOne(ctx, s, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("save with a deadline = %v", err)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if err := saveOne(t.Context(), s, 1); err != nil {
		t.Errorf("after the other writer: %v", err)
	}
}

func TestFull(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "memory.db"))
	defer s.Close()
	if err := saveOne(t.Context(), s, 1); err != nil {
		t.Fatal(err)
	}
	s.LimitSize(t.Context(), t)
	var err error
	for i := 0; err == nil && i < 1000; i++ {
		err = saveOne(t.Context(), s, 2999+i*3000)
	}
	wantTrouble(t, err, "disk_full")
	sound := func() {
		if _, err := s.ListMemories(t.Context(), store.Filter{Workspace: "default"}, store.ByCreated, store.Page{}); err != nil {
			t.Error(err)
		}
	}
	sound()
}

func TestReadOnly(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true}); !errors.Is(err, engram.ErrNotFound) {
		t.Errorf("Open of nothing = %v, want not found", err)
	}
	if _, err := os.Stat(path); err == nil {
		t.Error("opening for reading made a file")
	}
	w := open(t, path)
	defer w.Close()
	if err := saveOne(t.Context(), w, 1); err != nil {
		t.Fatal(err)
	}
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	wantTrouble(t, saveOne(t.Context(), s, 2), "read_only")
	if n, err := s.CountMemories(t.Context(), store.Filter{Workspace: "default"}); err != nil || n != 1 {
		t.Errorf("%d memories, %v", n, err)
	}
	if err := s.Checkpoint(t.Context()); err != nil {
		t.Errorf("Checkpoint: %v", err)
	}
}

func TestCannotOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	_, err := sqlite.Open(t.Context(), dir, sqlite.Options{})
	wantTrouble(t, err, "cannot_open")
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = sqlite.Open(t.Context(), filepath.Join(file, "memory.db"), sqlite.Options{})
	wantTrouble(t, err, "data_dir")
}

func TestCorrupt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s := open(t, path)
	for i := range 50 {
		if err := saveOne(t.Context(), s, i); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for i := 4096 * 2; i < len(b); i++ { // not the header and the schema
		if i%7 == 0 {
			b[i] ^= 0x5a
		}
	}
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	s, err = sqlite.Open(t.Context(), path, sqlite.Options{})
	if err == nil {
		defer s.Close()
		_, err = s.Export1(t.Context())
	}
	wantTrouble(t, err, "corrupt")
	if s == nil {
		return
	}
	findings, err := s.Check(t.Context(), false)
	damage := err != nil
	for _, f := range findings {
		damage = damage || f.Check == "integrity" && !f.OK && f.Fix != ""
	}
	if !damage {
		t.Errorf("Check = %+v, %v; want damage", findings, err)
	}
}

// What SQLite's codes become, whatever their extended form.
func TestErrorCodes(t *testing.T) {
	t.Parallel()
	for code, want := range map[error]string{
		sqlite3.BUSY: "busy", sqlite3.BUSY_SNAPSHOT: "busy", sqlite3.LOCKED: "busy", sqlite3.FULL: "disk_full",
		sqlite3.READONLY: "read_only", sqlite3.READONLY_DIRECTORY: "read_only", sqlite3.CANTOPEN: "cannot_open",
		sqlite3.CORRUPT: "corrupt", sqlite3.CORRUPT_INDEX: "corrupt", sqlite3.NOTADB: "not_a_database",
		sqlite3.IOERR_WRITE: "io_error",
		fmt.Errorf("%w: %w", sqlite3.IOERR_SHMSIZE, &fs.PathError{Op: "write", Path: "memory.db-shm", Err: syscall.ENOSPC}): "disk_full",
		fmt.Errorf("%w: %w", sqlite3.IOERR_WRITE, syscall.EFBIG):                                                            "disk_full",
		fmt.Errorf("%w: %w", sqlite3.CANTOPEN, syscall.EDQUOT):                                                              "disk_full",
	} {
		err := sqlite.MapError(code)
		wantTrouble(t, err, want)
		if !errors.Is(err, code) {
			t.Errorf("%v lost its cause %v", err, code)
		}
	}
	if err := sqlite.MapError(sqlite3.CONSTRAINT_UNIQUE); engram.ErrorMessage(err) != "internal error" {
		t.Errorf("a broken rule of ours is shown as %q", engram.ErrorMessage(err))
	}
}

// Rows that an older program left under the name of a merged project.
func TestCheckRefilesMerged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "memory.db")
	s := open(t, path)
	defer s.Close()
	ctx := t.Context()
	for i := range 3 {
		if err := saveOne(ctx, s, i); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.MergeProjects(ctx, "default", "a", "b", time.Now()); err != nil {
		t.Fatal(err)
	}
	execSQL(t, raw(t, path), `UPDATE memories SET project = 'a', project_origin = '' WHERE id < 3`)
	merged := func(repair bool) (ok bool) {
		findings, err := s.Check(ctx, repair)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if f.Check == "merged" {
				return f.OK && f.Fix == ""
			}
		}
		t.Fatalf("no finding about merged projects: %+v", findings)
		return false
	}
	if merged(false) {
		t.Error("rows under the alias are not found")
	}
	if !merged(true) || !merged(false) {
		t.Error("rows under the alias are not filed anew")
	}
	sound(t, s)
	ms, err := s.ListMemories(ctx, store.Filter{Workspace: "default", Projects: []string{"b"}}, store.ByCreated, store.Page{})
	if err != nil || len(ms) != 3 || ms[0].ProjectOrigin != "a" {
		t.Errorf("in b: %+v, %v; want all three, from a", ms, err)
	}
}

// A clock that was ahead leaves memories that stay the latest.
func TestCheckClock(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "data", "memory.db"))
	defer s.Close()
	for i, at := range []time.Time{time.Now().AddDate(1, 0, 0), time.Now()} {
		if _, err := s.SaveMemory(t.Context(), numbered(fmt.Sprint("p", i), i), store.SaveRule{Now: at}); err != nil {
			t.Fatal(err)
		}
	}
	clock := func(repair bool) store.Finding {
		t.Helper()
		findings, err := s.Check(t.Context(), repair)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range findings {
			if f.Check == "clock" {
				return f
			}
		}
		t.Fatal("no finding about the clock")
		return store.Finding{}
	}
	if f := clock(false); f.OK || f.Fix == "" || !strings.Contains(f.Message, "2 rows") { // a memory and its session
		t.Errorf("before: %+v", f)
	}
	if f := clock(true); !f.OK {
		t.Errorf("repair: %+v", f)
	}
	sound(t, s)
	if err := saveOne(t.Context(), s, 7); err != nil {
		t.Fatal(err)
	}
	ms, err := s.ListMemories(t.Context(), store.Filter{Workspace: "default"}, store.ByActivity, store.Page{})
	if err != nil || len(ms) != 3 || ms[0].Title != "a" {
		t.Errorf("the latest is %+v, %v", ms, err)
	}
}

func TestCheckRepairs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "memory.db")
	s := open(t, path)
	defer s.Close()
	for i := range 5 {
		if err := saveOne(t.Context(), s, i); err != nil {
			t.Fatal(err)
		}
	}
	db := raw(t, path)
	db.SetMaxOpenConns(1)
	execSQL(t, db, `PRAGMA foreign_keys = OFF`)
	execSQL(t, db, `DELETE FROM sessions`)
	execSQL(t, db, `UPDATE memory_counts SET living = living + 7`)
	if err := os.Chmod(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	broken := map[string]bool{}
	findings, err := s.Check(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if !f.OK && f.Fix != "" {
			broken[f.Check] = true
		}
	}
	for _, check := range []string{"orphans", "foreign_keys", "counts", "permissions"} {
		if !broken[check] {
			t.Errorf("%s is not found broken: %+v", check, findings)
		}
	}
	if _, err := s.Check(t.Context(), true); err != nil {
		t.Fatal(err)
	}
	sound(t, s)
	got, err := s.Session(t.Context(), "default", "a")
	if err != nil || got.Count != 5 || got.Project != "a" {
		t.Errorf("session = %+v, %v; want it back with its 5 memories", got, err)
	}
}
