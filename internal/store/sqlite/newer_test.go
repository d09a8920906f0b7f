package sqlite_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

// logged opens a store that logs to the buffer.
func logged(t *testing.T, path string) (*sqlite.Store, *bytes.Buffer) {
	t.Helper()
	log := new(bytes.Buffer)
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{Log: slog.New(slog.NewTextHandler(log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	return s, log
}

// withoutVectors makes a store whose segments are as a program writes them that
// knows no vectors.
func withoutVectors(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store", "memory.db")
	s := open(t, path)
	now := clock()
	for i := range 3 {
		save(t, s, now(), note("kettle", fmt.Sprint("number ", i)))
		if err := s.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Writer().ExecContext(t.Context(), `UPDATE keyword_segments SET vectors = x''`); err != nil {
		t.Fatal(err)
	}
	closeStores(t, s)
	return path
}

// A short process that finds unusable segments leaves usable ones behind.
func TestUnusableSegmentsAreSealedAtTheEnd(t *testing.T) {
	t.Parallel()
	path := withoutVectors(t)
	s, log := logged(t, path)
	wantFound(t, s, "kettle", store.Filter{}, 3, 2, 1)
	wantFound(t, s, "number", store.Filter{}, 3, 2, 1)
	closeStores(t, s)
	if n := strings.Count(log.String(), "segment dropped"); n != 3 {
		t.Errorf("%d segments are logged, want each of 3 once: %s", n, log.String())
	}
	s, log = logged(t, path)
	wantFound(t, s, "kettle", store.Filter{}, 3, 2, 1)
	sound(t, s)
	closeStores(t, s)
	if log.Len() > 0 {
		t.Errorf("the next process finds them too: %s", log.String())
	}
}

// One that goes on mends them without waiting for anything to be saved.
func TestUnusableSegmentsAreSealedInTheBackground(t *testing.T) {
	t.Parallel()
	path := withoutVectors(t)
	s, _ := logged(t, path)
	defer closeStores(t, s)
	wantFound(t, s, "kettle", store.Filter{}, 3, 2, 1)
	const unusable = `SELECT COUNT(*) FROM keyword_segments WHERE length(vectors) = 0`
	for n, deadline := 1, time.Now().Add(10*time.Second); n > 0; {
		if time.Now().After(deadline) {
			t.Fatalf("%d segments are of no use still", n)
		}
		if err := s.Writer().QueryRowContext(t.Context(), unusable).Scan(&n); err != nil {
			t.Fatal(err)
		}
	}
	other, log := logged(t, path)
	wantFound(t, other, "kettle", store.Filter{}, 3, 2, 1)
	closeStores(t, other)
	if log.Len() > 0 {
		t.Errorf("another process finds them: %s", log.String())
	}
}

// A process that has the store open writes no more when a newer one has changed
// the schema, nor when an older one has put an old backup in its place.
func TestNoWriteToAnotherSchema(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store", "memory.db")
	s := open(t, path)
	defer closeStores(t, s)
	keep(t, s, "a fact about ferries")
	other := raw(t, path)
	for version, code := range map[int]string{sqlite.Newest() + 1: "newer_schema", sqlite.Newest() - 1: "old_schema"} {
		execSQL(t, other, fmt.Sprintf(`PRAGMA user_version = %d`, version))
		m := &engram.Memory{Workspace: "default", Type: "manual", Title: "t", Content: "late"}
		if _, err := s.SaveMemory(t.Context(), m, store.SaveRule{Now: time.Now()}); engram.ErrorCode(err) != code {
			t.Errorf("schema version %d: %v, want %s", version, err, code)
		}
		if err := s.Seal(t.Context()); engram.ErrorCode(err) != code {
			t.Errorf("schema version %d: sealing gives %v, want %s", version, err, code)
		}
	}
	execSQL(t, other, fmt.Sprintf(`PRAGMA user_version = %d`, sqlite.Newest()))
	keep(t, s, "a fact about cranes")
}
