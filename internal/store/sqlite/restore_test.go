package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

// keep saves a memory with a content.
func keep(t *testing.T, s *sqlite.Store, content string) int64 {
	t.Helper()
	now := time.Now()
	m := &engram.Memory{
		Workspace: "default", Kind: engram.KindObservation, Type: "manual", Title: "t", Content: content,
		Hash: engram.ContentHash(content), Scope: engram.ScopeProject, Origin: engram.OriginUser,
	}
	saved, err := s.SaveMemory(t.Context(), m, store.SaveRule{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return saved.ID
}

func TestRestoreIsSeenByWhoeverHasTheStoreOpen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "memory.db"), filepath.Join(dir, "copy.db")
	a := open(t, path)
	defer a.Close()
	first := keep(t, a, "the first fact about ferries")
	if err := a.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	keep(t, a, "the second fact about barrels")
	keep(t, a, "the third fact about cranes")
	wantFound(t, a, "cranes", store.Filter{}, 3)

	kept, err := sqlite.Restore(t.Context(), backup, path)
	if err != nil {
		t.Fatal(err)
	}
	wantFound(t, a, "ferries", store.Filter{}, first)
	wantFound(t, a, "cranes", store.Filter{})
	// The numbers of writes begin again below those that a has seen.
	again := keep(t, a, "a fact about cranes, told anew")
	wantFound(t, a, "cranes", store.Filter{}, again)
	wantFound(t, a, "barrels", store.Filter{})

	before := open(t, kept)
	defer before.Close()
	wantFound(t, before, "barrels", store.Filter{}, 2)
	if left, err := filepath.Glob(filepath.Join(dir, "restoring-*")); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// A process that has saved before knows nothing of the restored store from then.
func TestRestoreOfAnEmptyStore(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path, backup := filepath.Join(dir, "memory.db"), filepath.Join(dir, "copy.db")
	a := open(t, path)
	defer a.Close()
	if err := a.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	keep(t, a, "a fact about ferries")
	if _, err := sqlite.Restore(t.Context(), backup, path); err != nil {
		t.Fatal(err)
	}
	again := keep(t, a, "a fact about cranes")
	wantFound(t, a, "cranes", store.Filter{}, again)
	wantFound(t, a, "ferries", store.Filter{})
}

func TestRestoreWhereThereIsNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	backup := filepath.Join(dir, "copy.db")
	a := open(t, filepath.Join(dir, "a", "memory.db"))
	defer a.Close()
	keep(t, a, "a fact about ferries")
	if err := a.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	to := filepath.Join(dir, "b", "memory.db")
	kept, err := sqlite.Restore(t.Context(), backup, to)
	if err != nil || kept != "" {
		t.Fatalf("kept %q, %v", kept, err)
	}
	b := open(t, to)
	defer b.Close()
	wantFound(t, b, "ferries", store.Filter{}, 1)
}

func TestRestoreRefusesAndChangesNothing(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "memory.db")
	a := open(t, path)
	defer a.Close()
	keep(t, a, "a fact about ferries")
	sound := filepath.Join(dir, "sound.db")
	if err := a.Backup(t.Context(), sound); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(sound)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Clone(data)
	newer[60+3] = 99 // user_version of the header
	cut := data[:len(data)/2]
	for _, tc := range []struct {
		name string
		data []byte // nil = no file
		kind error
	}{
		{"no file", nil, engram.ErrNotFound},
		{"no database", bytes.Repeat([]byte("no database "), 100), engram.ErrUnavailable},
		{"empty file", []byte{}, engram.ErrInvalid},
		{"newer schema", newer, engram.ErrNewerSchema},
		{"cut in half", cut, engram.ErrUnavailable},
	} {
		t.Run(tc.name, func(t *testing.T) {
			file := filepath.Join(dir, tc.name+".db")
			if tc.data != nil {
				if err := os.WriteFile(file, tc.data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			_, err := sqlite.Restore(t.Context(), file, path)
			if !errors.Is(err, tc.kind) {
				t.Errorf("got %v, want %v", err, tc.kind)
			}
			if _, ok := errors.AsType[*engram.Error](err); !ok {
				t.Errorf("%v is no message for people", err)
			}
			wantFound(t, a, "ferries", store.Filter{}, 1)
		})
	}
}

func TestRestoreOverAStoreThatCannotBeUsed(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	backup := filepath.Join(dir, "copy.db")
	a := open(t, filepath.Join(dir, "a", "memory.db"))
	keep(t, a, "a fact about ferries")
	if err := a.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	if err := a.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(backup)
	if err != nil {
		t.Fatal(err)
	}
	newer := bytes.Clone(data)
	newer[18], newer[19], newer[60+3] = 2, 2, 99 // a store in use has a log
	holed := bytes.Clone(data)
	copy(holed[4096:], bytes.Repeat([]byte{0xff}, len(holed)-4096))
	for _, tc := range []struct {
		name string
		data []byte
	}{
		{"garbage", bytes.Repeat([]byte("garbage "), 1000)},
		{"cut in half", data[:len(data)/2]},
		{"newer schema", newer},
		{"pages lost", holed},
	} {
		t.Run(tc.name, func(t *testing.T) {
			to := filepath.Join(dir, tc.name, "memory.db")
			if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(to, tc.data, 0o600); err != nil {
				t.Fatal(err)
			}
			kept, err := sqlite.Restore(t.Context(), backup, to)
			if err != nil {
				t.Fatal(err)
			}
			was, err := os.ReadFile(kept)
			if err != nil {
				t.Fatal(err)
			}
			wanted := tc.data
			if tc.name == "newer schema" { // a newer program can use it, so this is a copy, with its version
				was, wanted = was[60:64], wanted[60:64]
			}
			if !bytes.Equal(was, wanted) {
				t.Errorf("what was there is not kept as it was: %d bytes", len(was))
			}
			b := open(t, to)
			defer b.Close()
			wantFound(t, b, "ferries", store.Filter{}, 1)
			if info, err := os.Stat(to); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
				t.Errorf("mode %v, %v", info.Mode(), err)
			}
		})
	}
}

// A restore that breaks off leaves the store that cannot be opened, not one that
// is empty.
func TestRestoreBrokenOff(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	backup, to := filepath.Join(dir, "copy.db"), filepath.Join(dir, "data", "memory.db")
	s := open(t, filepath.Join(dir, "a", "memory.db"))
	defer s.Close()
	if err := s.Backup(t.Context(), backup); err != nil {
		t.Fatal(err)
	}
	junk := bytes.Repeat([]byte("garbage "), 1000)
	if err := os.MkdirAll(filepath.Join(dir, "data", "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, junk, 0o600); err != nil {
		t.Fatal(err)
	}
	// The log cannot be kept: a directory is where its file should be.
	if err := os.MkdirAll(filepath.Join(to+"-wal", "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Restore(t.Context(), backup, to); err == nil {
		t.Fatal("restored")
	}
	if got, err := os.ReadFile(to); err != nil || !bytes.Equal(got, junk) {
		t.Errorf("the store that was there has %d bytes, %v; want it as it was", len(got), err)
	}
	if _, err := sqlite.Restore(t.Context(), dir, to); engram.ErrorCode(err) != "not_a_backup" {
		t.Errorf("a directory: %v, want not_a_backup", err)
	}
}

func TestForeignDatabaseIsLeftAsItIs(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), `CREATE TABLE theirs (x); INSERT INTO theirs VALUES (1)`); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := sqlite.Open(t.Context(), path, sqlite.Options{}); engram.ErrorCode(err) != "foreign_database" {
		t.Errorf("got %v, want foreign_database", err)
	}
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(after, before) {
		t.Errorf("the file was changed, %v", err)
	}
}
