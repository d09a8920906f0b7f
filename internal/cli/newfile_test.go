package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"engram/internal/cli"
)

// An export, or a backup, makes a new file and touches nothing that is there.
func TestExportTouchesNothingThatExists(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.getenv = map[string]string{"ENGRAM_DATA_DIR": w.path("data")}
	w.must(t, "save", "Title", "content", "--project", "p")
	w.write(t, "notes.txt", "mine")
	w.write(t, "data/token", "secret")
	names := map[string]string{"notes.txt": "file_exists", "data": "file_exists", "data/memory.db": "file_exists", "data/token": "file_exists"}
	if runtime.GOOS != "windows" {
		for link, to := range map[string]string{"link": "notes.txt", "dangling": "nowhere", "datalink": "data"} {
			if err := os.Symlink(w.path(to), w.path(link)); err != nil {
				t.Fatal(err)
			}
		}
		names["link"], names["dangling"] = "file_exists", "file_exists"
		names["datalink/memory.db-journal"] = "reserved_name"
	}
	for _, own := range []string{"memory.db-journal", "engram.db", "config.toml", "Engram.DB-wal", "models"} {
		names["data/"+own] = "reserved_name"
	}
	if fifo(t, w.path("pipe")) {
		names["pipe"] = "file_exists"
	}
	before := contents(t, w.home)
	for name, code := range names {
		for _, command := range []string{"export", "backup"} {
			if got := w.run(t.Context(), command, w.path(name), "--json"); got == cli.ExitOK || !strings.Contains(w.stderr.String()+w.stdout.String(), code) {
				t.Errorf("engram %s %s: exit code %d, %s%s; want %s", command, name, got, w.stdout.String(), w.stderr.String(), code)
			}
		}
	}
	for path, was := range before {
		now, err := os.ReadFile(path)
		if err != nil || !bytes.Equal(now, was) {
			t.Errorf("%s changed: %v", path, err)
		}
	}
	if got := contents(t, w.home); len(got) != len(before) {
		t.Errorf("%d files, want the %d from before", len(got), len(before))
	}
	w.must(t, "export", w.path("data/new.json"))
	w.must(t, "show", "1")
}

func TestYearsThatCannotBeKept(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, at := range []string{"0001-01-01T00:00:00Z", "0001-01-01", "0001-12-31"} {
		if code := w.run(t.Context(), "save", "Title", "content", "--project", "p", "--at", at); code != cli.ExitUsage || !strings.Contains(w.stderr.String(), "years 2 to 9999") {
			t.Errorf("--at %s: exit code %d, %s", at, code, w.stderr.String())
		}
	}
}

// contents are those of the regular files under dir without what SQLite changes.
func contents(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasPrefix(d.Name(), "memory.db") {
			return err
		}
		out[path], err = os.ReadFile(path)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
