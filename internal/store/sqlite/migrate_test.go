package sqlite_test

import (
	"database/sql"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	_ "github.com/ncruces/go-sqlite3/driver"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

var update = flag.Bool("update", false, "write golden files")

// raw is the file without the engine.
func raw(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

func execSQL(t *testing.T, db *sql.DB, query string, args ...any) {
	t.Helper()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
}

// The schema that all migrations together make is testdata/schema.sql.
func TestSchemaSnapshot(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	open(t, path).Close()
	rows, err := raw(t, path).QueryContext(t.Context(), `SELECT sql FROM sqlite_schema
		WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' ORDER BY type DESC, name`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	var b strings.Builder
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatal(err)
		}
		b.WriteString(s + ";\n\n")
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "schema.sql")
	if *update {
		if err := os.WriteFile(golden, []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), b.String()); diff != "" {
		t.Errorf("schema changed (-want +got), run with -update:\n%s", diff)
	}
}

func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	open(t, path).Close()
	execSQL(t, raw(t, path), `PRAGMA user_version = 99`)
	_, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if !errors.Is(err, engram.ErrNewerSchema) {
		t.Fatalf("Open = %v, want newer schema", err)
	}
	for _, want := range []string{"99", fmt.Sprint("up to ", sqlite.Newest()), "newer engram"} {
		if msg := engram.ErrorMessage(err); !strings.Contains(msg, want) {
			t.Errorf("message %q does not say %q", msg, want)
		}
	}
	if _, err := os.Stat(filepath.Join(filepath.Dir(path), "backups")); err == nil {
		t.Error("a copy was made of a store that was refused")
	}
}

func TestForeignFilesAreRefused(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	other := filepath.Join(dir, "other.db")
	execSQL(t, raw(t, other), `CREATE TABLE observations (id INTEGER)`)
	garbage := filepath.Join(dir, "garbage.db")
	if err := os.WriteFile(garbage, []byte(strings.Repeat("not a database ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, code := range map[string]string{other: "foreign_database", garbage: "not_a_database"} {
		before, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		_, err = sqlite.Open(t.Context(), path, sqlite.Options{ReadOnly: true})
		if !errors.Is(err, engram.ErrUnavailable) || engram.ErrorCode(err) != code {
			t.Errorf("Open(%s) for reading = %v, want code %s", filepath.Base(path), err, code)
		}
		after, err := os.ReadFile(path)
		if err != nil || string(before) != string(after) {
			t.Errorf("%s was changed, %v", filepath.Base(path), err)
		}
		_, err = sqlite.Open(t.Context(), path, sqlite.Options{})
		if !errors.Is(err, engram.ErrUnavailable) || engram.ErrorCode(err) != code {
			t.Errorf("Open(%s) = %v, want code %s", filepath.Base(path), err, code)
		}
	}
}

// A migration of a store that has something in it keeps a copy first, and only
// the last three copies stay.
func TestCopyBeforeMigration(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "memory.db")
	s := open(t, path)
	defer s.Close()
	if _, err := s.SaveMemory(t.Context(), numbered("a", 1), store.SaveRule{Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	var steps []string
	for i := range 5 {
		steps = append(steps, fmt.Sprintf(`CREATE TABLE extra%d (id INTEGER)`, i))
		if err := s.Migrate(t.Context(), steps...); err != nil {
			t.Fatal(err)
		}
	}
	if v, err := s.SchemaVersion(t.Context()); err != nil || v != sqlite.Newest()+5 {
		t.Errorf("SchemaVersion = %d, %v; want %d", v, err, sqlite.Newest()+5)
	}
	copies, err := filepath.Glob(filepath.Join(filepath.Dir(path), "backups", "memory-schema*.db"))
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(copies)
	first, last := sqlite.Newest()+2, sqlite.Newest()+4
	if len(copies) != 3 || !strings.Contains(copies[0], fmt.Sprintf("schema%d-", first)) || !strings.Contains(copies[2], fmt.Sprintf("schema%d-", last)) {
		t.Fatalf("copies = %v, want those of schema %d to %d", copies, first, last)
	}
	if info, err := os.Stat(copies[0]); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode of a copy = %v, %v; want 0600", info.Mode(), err)
	}
	var n int
	if err := raw(t, copies[0]).QueryRowContext(t.Context(), `SELECT COUNT(*) FROM memories`).Scan(&n); err != nil || n != 1 {
		t.Errorf("the copy has %d memories, %v", n, err)
	}
}

// A migration that fails changes nothing.
func TestFailedMigration(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "memory.db"))
	defer s.Close()
	if err := s.Migrate(t.Context(), `CREATE TABLE extra (id INTEGER)`, `CREATE TABLE memories (id INTEGER)`); err == nil {
		t.Fatal("a table was made twice")
	}
	if v, err := s.SchemaVersion(t.Context()); err != nil || v != sqlite.Newest() {
		t.Errorf("SchemaVersion = %d, %v; want %d", v, err, sqlite.Newest())
	}
	if _, err := s.SaveMemory(t.Context(), numbered("a", 1), store.SaveRule{Now: time.Now()}); err != nil {
		t.Error(err)
	}
}

// Many that migrate at once do it once.
func TestMigrateTogether(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "memory.db")
	open(t, path).Close()
	var wg sync.WaitGroup
	stores := make([]*sqlite.Store, 6)
	for i := range stores { // all with the old schema, before any migrates
		stores[i] = open(t, path)
		defer stores[i].Close()
	}
	for _, s := range stores {
		wg.Go(func() {
			if err := s.Migrate(t.Context(), `CREATE TABLE extra (id INTEGER)`); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	copies, err := os.ReadDir(filepath.Join(filepath.Dir(path), "backups"))
	if err != nil || len(copies) != 1 {
		t.Errorf("%d copies, %v; want 1", len(copies), err)
	}
}
