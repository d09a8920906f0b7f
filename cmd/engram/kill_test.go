//go:build linux || darwin

package main

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"
)

// killAfter kills a process that runs, after a moment of at most most.
func killAfter(t *testing.T, cmd *exec.Cmd, most time.Duration) {
	t.Helper()
	<-time.After(rand.N(most))
	if err := cmd.Process.Kill(); err != nil {
		t.Error(err) // it is not waited for yet, so it can be killed though it has ended
	}
}

// copyStore copies a store that nobody has open, with its log.
func copyStore(t *testing.T, from, to string) {
	t.Helper()
	if err := os.MkdirAll(to, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"memory.db", "memory.db-wal"} {
		data, err := os.ReadFile(filepath.Join(from, name))
		if os.IsNotExist(err) {
			continue
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(to, name), data, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// leftovers are the files that a data directory should not have.
func leftovers(t *testing.T, dir string) (out []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		if strings.HasPrefix(filepath.Base(path), ".engram-") {
			out = append(out, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// unsealed makes a store of n memories, more than a seal is worth with a few
// more, of which none is in a sealed segment: its server was killed before.
func unsealed(t *testing.T, n int) (dir string, ids map[int64]bool) {
	t.Helper()
	dir, ids = filepath.Join(t.TempDir(), "data"), map[int64]bool{}
	s := serve(t, dir)
	var mu sync.Mutex
	var wg sync.WaitGroup
	for c := range 8 {
		wg.Go(func() {
			for i := range n / 8 {
				id, err := s.save(fmt.Sprintf("client %d note %d about ferries%s", c, i, words(25)))
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				ids[id] = true
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	if err := s.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = s.cmd.Wait() // killed, which is an error
	return dir, ids
}

// words are n words that no other text has, so that an index of them takes time.
func words(n int) string {
	var b strings.Builder
	for range n {
		fmt.Fprintf(&b, " w%x", rand.Uint32())
	}
	return b.String()
}

// sealed reports whether the keyword index has a sealed segment.
func sealed(t *testing.T, dir string) (yes bool) {
	t.Helper()
	db, err := sql.Open("sqlite3", filepath.Join(dir, "memory.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.QueryRowContext(t.Context(), `SELECT EXISTS (SELECT 1 FROM keyword_segments)`).Scan(&yes); err != nil {
		t.Fatal(err)
	}
	return yes
}

// Killed while the keyword index is sealed, every acknowledged save is there and
// is found.
func TestKilledWhileSealing(t *testing.T) {
	t.Parallel()
	base, before := unsealed(t, 992)
	done, all := 0, rounds(6)
	for range all {
		dir := filepath.Join(t.TempDir(), "data")
		copyStore(t, base, dir)
		s := serve(t, dir)
		acknowledged := make(chan int64, 1<<16)
		saving := make(chan struct{})
		go func() {
			defer close(acknowledged)
			for i := 0; ; i++ {
				id, err := s.save(fmt.Sprintf("late note %d about lighthouses", i))
				if err != nil {
					return // killed
				}
				acknowledged <- id
				if i == 10 { // now there is enough for a seal, which begins soon
					close(saving)
				}
			}
		}()
		<-saving
		killAfter(t, s.cmd, 250*time.Millisecond)
		_ = s.cmd.Wait() // killed, which is an error
		if sealed(t, dir) {
			done++
		}
		there := stored(t, dir)
		for id := range before {
			if !there[id] {
				t.Errorf("memory %d is gone", id)
			}
		}
		late := 0
		for id := range acknowledged {
			late++
			if !there[id] {
				t.Errorf("memory %d was acknowledged and is gone", id)
			}
		}
		if extra := len(there) - len(before) - late; extra < 0 || extra > 1 { // one was under way
			t.Errorf("%d memories, want %d and at most one more", len(there), len(before)+late)
		}
		if said := run(t, dir, "search", "lighthouses", "--project", "shop", "--limit", "1"); !strings.Contains(said, "lighthouses") {
			t.Errorf("search says %q", said)
		}
		run(t, dir, "doctor")
	}
	t.Logf("killed %d times before the first segment was written, %d times after it", all-done, done)
}

// Killed while the store is made, which is its first migration, the next start
// finishes it.
func TestKilledWhileCreating(t *testing.T) {
	t.Parallel()
	for range rounds(10) {
		dir := filepath.Join(t.TempDir(), "data")
		cmd := engram(t, dir, "save", "note", "the first note")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killAfter(t, cmd, 60*time.Millisecond)
		acknowledged := cmd.Wait() == nil
		run(t, dir, "save", "another", "the second note")
		if got := total(t, dir); got < 1 || got > 2 || acknowledged && got != 2 {
			t.Errorf("%d memories; acknowledged: %v and the second", got, acknowledged)
		}
		run(t, dir, "doctor")
	}
}

// Killed at any moment, a backup, an export or a restore leaves nothing half
// under its name, and the next run removes what it was at.
func TestKilledWhileCopying(t *testing.T) {
	t.Parallel()
	base, ids := unsealed(t, 992)
	dir := filepath.Join(t.TempDir(), "data")
	copyStore(t, base, dir)
	whole := filepath.Join(t.TempDir(), "whole.db")
	run(t, dir, "backup", whole)
	out := t.TempDir()
	killed := 0
	for i := range rounds(4) {
		backup, export := filepath.Join(out, fmt.Sprint(i, ".db")), filepath.Join(out, fmt.Sprint(i, ".json"))
		for _, args := range [][]string{{"backup", backup}, {"export", export}, {"restore", whole, "--yes"}, {"backup"}} {
			cmd := engram(t, dir, args...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			killAfter(t, cmd, 150*time.Millisecond)
			if cmd.Wait() != nil {
				killed++
			}
		}
		for path, args := range map[string][]string{backup: {"restore", backup, "--yes"}, export: {"import", export}} {
			if _, err := os.Stat(path); err == nil {
				fresh := filepath.Join(t.TempDir(), "data")
				run(t, fresh, args...)
				if got := total(t, fresh); got != len(ids) {
					t.Errorf("%s has %d memories, want %d", path, got, len(ids))
				}
			}
		}
		if got := total(t, dir); got != len(ids) {
			t.Errorf("%d memories, want %d", got, len(ids))
		}
		run(t, dir, "doctor")
	}
	run(t, dir, "export", filepath.Join(out, "last.json"))
	run(t, dir, "backup")
	if left := append(leftovers(t, dir), leftovers(t, out)...); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
	backups, err := filepath.Glob(filepath.Join(dir, "backups", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range backups {
		run(t, filepath.Join(t.TempDir(), "data"), "restore", path, "--yes")
	}
	t.Logf("killed %d times", killed)
}

// Killed while a backup takes the place of a store that cannot be opened, either
// is there, never an empty one.
func TestKilledWhileRestoring(t *testing.T) {
	t.Parallel()
	source := filepath.Join(t.TempDir(), "data")
	run(t, source, "save", "note", "the only note")
	backup := filepath.Join(t.TempDir(), "whole.db")
	run(t, source, "backup", backup)
	junk := strings.Repeat("this is no database ", 1000)
	before, all := 0, rounds(8)
	for range all {
		dir := filepath.Join(t.TempDir(), "data")
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "memory.db")
		if err := os.WriteFile(path, []byte(junk), 0o600); err != nil {
			t.Fatal(err)
		}
		cmd := engram(t, dir, "restore", backup, "--yes")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		killAfter(t, cmd, 120*time.Millisecond)
		_ = cmd.Wait() // killed, or ended before
		if data, err := os.ReadFile(path); err != nil {
			t.Fatal(err)
		} else if string(data) == junk {
			before++
			run(t, dir, "restore", backup, "--yes")
		}
		if got := total(t, dir); got != 1 {
			t.Errorf("%d memories, want 1", got)
		}
		run(t, dir, "doctor")
	}
	t.Logf("killed %d times before the backup was in its place, of %d", before, all)
}
