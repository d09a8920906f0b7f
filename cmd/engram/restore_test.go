package main

import (
	"database/sql"
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	_ "github.com/ncruces/go-sqlite3/driver"
)

// titles are those of all memories in the database path.
func titles(t *testing.T, path string) map[string]bool {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.ToSlash(path)+"?mode=ro")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	rows, err := db.QueryContext(t.Context(), `SELECT title FROM memories`)
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]bool{}
	for rows.Next() {
		var title string
		if err := rows.Scan(&title); err != nil {
			t.Fatal(err)
		}
		out[title] = true
	}
	if err := rows.Err(); err != nil {
		t.Fatal(err)
	}
	return out
}

// Whatever a server acknowledges while a backup is restored is in the store that
// was replaced, which is kept, or in the one that was restored.
func TestRestoreLosesNoAcknowledgedWrite(t *testing.T) {
	t.Parallel()
	for range rounds(3) {
		dir := t.TempDir()
		backup := filepath.Join(dir, "copy.db")
		for i := range 3 {
			run(t, dir, "save", fmt.Sprint("before ", i), "what the backup has")
		}
		run(t, dir, "backup", backup)
		s := serve(t, dir)
		var (
			mu      sync.Mutex
			acked   []string
			saved   atomic.Int64
			stop    = make(chan struct{})
			started = make(chan struct{})
			writers sync.WaitGroup
		)
		for w := range 3 {
			writers.Go(func() {
				for n := 0; ; n++ {
					select {
					case <-stop:
						return
					default:
					}
					title := fmt.Sprintf("writer %d memory %d", w, n)
					if _, err := s.save(title); err != nil {
						continue // refused: it need not be anywhere
					}
					mu.Lock()
					acked = append(acked, title)
					mu.Unlock()
					if saved.Add(1) == 100 {
						close(started)
					}
				}
			})
		}
		<-started
		run(t, dir, "restore", backup, "--yes")
		for n := saved.Load(); saved.Load() < n+50; {
			if _, err := s.save("after"); err != nil { // the server goes on with the restored store
				t.Fatal(err)
			}
		}
		close(stop)
		writers.Wait()
		s.stop(t)
		kept, err := filepath.Glob(filepath.Join(dir, "backups", "before-restore-*.db"))
		if err != nil || len(kept) != 1 {
			t.Fatalf("kept %v, %v; want one", kept, err)
		}
		old, restored := titles(t, kept[0]), titles(t, filepath.Join(dir, "memory.db"))
		var lost, older []string
		for _, title := range acked {
			if !old[title] && !restored[title] {
				lost = append(lost, title)
			}
			if old[title] {
				older = append(older, title)
			}
		}
		if len(lost) > 0 {
			t.Errorf("of %d acknowledged memories %d are nowhere, the first %q", len(acked), len(lost), lost[0])
		}
		if len(older) == 0 || len(older) == len(acked) || !restored["before 0"] {
			t.Errorf("%d of %d in the kept store: want some in each", len(older), len(acked))
		}
	}
}
