package sqlite_test

import (
	"bufio"
	"database/sql"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

// laterMigrations are steps that touch every row.
var laterMigrations = []string{
	`ALTER TABLE memories ADD COLUMN extra TEXT NOT NULL DEFAULT ''; UPDATE memories SET extra = upper(content) || content`,
	`CREATE INDEX memories_extra ON memories (extra); CREATE TABLE extra (id INTEGER)`,
}

// Killed in the middle of a migration, a store has all steps or none and every
// memory, what lies in backups/ is whole, and the next start finishes.
func TestKilledMigration(t *testing.T) {
	t.Parallel()
	const memories = 1500
	base := filepath.Join(t.TempDir(), "memory.db")
	s := open(t, base)
	var all []*engram.Memory
	for i := range memories {
		all = append(all, numbered("a", i))
	}
	if _, err := s.SaveMemories(t.Context(), all, store.SaveRule{Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(base)
	if err != nil {
		t.Fatal(err)
	}
	before, after := 0, 0
	took := migrateAndKill(t, newCopy(t, data), -1)
	for range rounds(t, 6) {
		path := newCopy(t, data)
		migrateAndKill(t, path, rand.N(took+took/4))
		version := wantMigrated(t, path, memories)
		if version == sqlite.Newest() {
			before++
		} else {
			after++
		}
		copies, err := filepath.Glob(filepath.Join(filepath.Dir(path), "backups", "memory-*.db"))
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range copies {
			if err := sqlite.Restorable(t.Context(), c); err != nil {
				t.Errorf("the copy from before: %v", err)
			}
		}
		if version == sqlite.Newest() {
			migrateAndKill(t, path, -1)
			if version := wantMigrated(t, path, memories); version != sqlite.Newest()+2 {
				t.Errorf("the next start left version %d", version)
			}
		}
	}
	t.Logf("a migration took %v; killed %d times before its end, %d times after", took, before, after)
}

// newCopy is a data directory of its own for a store.
func newCopy(t *testing.T, data []byte) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "data", "memory.db")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// migrateAndKill has a process migrate a store and kills it after a while, or
// lets it end (-1). It says how long the process went on.
func migrateAndKill(t *testing.T, path string, after time.Duration) time.Duration {
	t.Helper()
	cmd, stdout, stderr := start(t, "migrate", path, "")
	if _, err := bufio.NewReader(stdout).ReadString('\n'); err != nil {
		t.Fatalf("%v: %s", err, stderr)
	}
	begun := time.Now()
	if after >= 0 {
		<-time.After(after)
		if err := cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
	}
	if err := cmd.Wait(); err != nil && after < 0 {
		t.Fatalf("%v: %s", err, stderr)
	}
	return time.Since(begun)
}

// wantMigrated checks that a store is sound, has its memories, and has all of the
// later steps or none, and gives its version.
func wantMigrated(t *testing.T, path string, memories int) (version int) {
	t.Helper()
	db, err := sql.Open("sqlite3", path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}()
	var n, filled, tables int
	var integrity string
	err = db.QueryRowContext(t.Context(), `SELECT (SELECT user_version FROM pragma_user_version), (SELECT COUNT(*) FROM memories),
		(SELECT COUNT(*) FROM sqlite_schema WHERE name IN ('extra', 'memories_extra'))`).
		Scan(&version, &n, &tables)
	if err == nil {
		err = db.QueryRowContext(t.Context(), `PRAGMA integrity_check(1)`).Scan(&integrity)
	}
	if err == nil && version > sqlite.Newest() {
		err = db.QueryRowContext(t.Context(), `SELECT COUNT(*) FROM memories WHERE extra <> ''`).Scan(&filled)
	}
	whole := version == sqlite.Newest() && tables == 0 || version == sqlite.Newest()+2 && tables == 2 && filled == memories
	if err != nil || n != memories || integrity != "ok" || !whole {
		t.Errorf("version %d with %d memories, %d filled, %d new tables, %s, %v", version, n, filled, tables, integrity, err)
	}
	return version
}
