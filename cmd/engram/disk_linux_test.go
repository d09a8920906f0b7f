package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// failing runs the program, which must fail with the exit code of a failure, and
// gives what it said.
func failing(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("%s: %v, want exit code 1\n%s", strings.Join(cmd.Args[1:], " "), err, out)
	}
	return string(out)
}

// A data directory that may not be written: each front end says so and what to
// do, and nothing is changed.
func TestReadOnlyDirectory(t *testing.T) {
	t.Parallel()
	dir, allow := readOnly(t, func(dir string) { run(t, dir, "save", "note", "written before") })
	for _, args := range [][]string{{"save", "note", "too late"}, {"search", "before"}, {"doctor"}} {
		said := failing(t, engram(t, dir, args...))
		if !strings.Contains(said, "read-only") && !strings.Contains(said, "cannot be opened") || !strings.Contains(said, "writ") {
			t.Errorf("engram %s says %q; want that the directory cannot be written and what to do", args[0], said)
		}
	}
	a := mcp(t, dir)
	if r, err := a.call("mem_save", map[string]any{"title": "note", "content": "too late"}); err == nil || len(r.Result.Content) == 0 ||
		!strings.Contains(r.Result.Content[0].Text, "writ") {
		t.Errorf("mem_save answers %+v, %v", r, err)
	}
	a.end(t)
	allow()
	if got := total(t, dir); got != 1 {
		t.Errorf("%d memories, want 1", got)
	}
}

// On a disk that is full saves fail with the reason and what to do, and all that
// was acknowledged is there, then and when there is room again.
func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir, resize := smallDisk(t, 1<<20)
	dir = filepath.Join(dir, "data")
	acknowledged := fillUp(t, dir, engram)
	// To the last byte, so that not even the log of one save has room.
	if err := os.WriteFile(filepath.Join(dir, "filler"), make([]byte, 1<<20), 0o600); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("filling the disk up: %v", err)
	}
	for _, args := range [][]string{{"save", "note", "too late"}, {"backup"}, {"export", filepath.Join(dir, "all.json")}} {
		wantFull(t, args[0], failing(t, engram(t, dir, args...)))
	}
	resize(16 << 20)
	wantStored(t, dir, acknowledged)
}

// The same where files may not become larger.
func TestFullFile(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	acknowledged := fillUp(t, dir, func(t *testing.T, dir string, args ...string) *exec.Cmd {
		t.Helper()
		cmd := engram(t, dir, args...)
		cmd.Path = "/bin/sh"
		cmd.Args = append([]string{"sh", "-c", `ulimit -f 4096; exec "$0" "$@"`, os.Args[0]}, args...) // of 512 bytes
		return cmd
	})
	wantStored(t, dir, acknowledged)
}

// fillUp saves at a server that start makes until the disk is full, and gives
// what was acknowledged.
func fillUp(t *testing.T, dir string, start func(t *testing.T, dir string, args ...string) *exec.Cmd) map[int64]bool {
	t.Helper()
	s := serving(t, start(t, dir, "serve", "--port", "0", "--json"))
	acknowledged := map[int64]bool{}
	text := strings.Repeat(" filler words that take room", 65)
	var err error
	for i := 0; err == nil && i < 10000; i++ {
		var id int64
		if id, err = s.save(fmt.Sprintf("note %d", i) + text); err == nil {
			acknowledged[id] = true
		}
	}
	wantFull(t, "a save over REST", fmt.Sprint(err))
	status, answer, err := s.do("GET", "/stats", nil)
	var stats struct {
		Total int `json:"total_observations"`
	}
	if err := errors.Join(err, json.Unmarshal(answer, &stats)); err != nil || status != http.StatusOK || stats.Total != len(acknowledged) {
		t.Errorf("stats on a full disk: %d %s, %v; want %d memories", status, answer, err, len(acknowledged))
	}
	t.Logf("%d acknowledged", len(acknowledged))
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	// It may say that the index could not be put on the disk, and must end.
	if err := waitSoon(t, s.cmd); err != nil && s.cmd.ProcessState.ExitCode() != 1 {
		t.Errorf("serve on a full disk: %v", err)
	}
	return acknowledged
}

// wantStored checks that the acknowledged memories are there and no others, in a
// sound store that takes more.
func wantStored(t *testing.T, dir string, acknowledged map[int64]bool) {
	t.Helper()
	if there := stored(t, dir); !maps.Equal(there, acknowledged) {
		t.Errorf("%d memories, want the %d that were acknowledged", len(there), len(acknowledged))
	}
	run(t, dir, "doctor")
	run(t, dir, "save", "note", "there is room again")
}

func wantFull(t *testing.T, what, said string) {
	t.Helper()
	if !strings.Contains(said, "the disk is full") || !strings.Contains(said, "free some space") {
		t.Errorf("%s says %q, want that the disk is full and what to do", what, said)
	}
}

// A disk that is full when the store is made.
func TestFullDiskAtFirst(t *testing.T) {
	t.Parallel()
	for _, size := range []int{4 << 10, 40 << 10, 100 << 10} {
		dir, resize := smallDisk(t, size)
		dir = filepath.Join(dir, "data")
		wantFull(t, "a save", failing(t, engram(t, dir, "save", "note", "first")))
		said := failing(t, engram(t, dir, "doctor", "--json"))
		wantFull(t, "doctor", said)
		if !strings.Contains(said, `"check": "open"`) {
			t.Errorf("doctor says %s", said)
		}
		resize(16 << 20)
		run(t, dir, "save", "note", "first")
		run(t, dir, "doctor")
	}
}

// smallDisk is a directory on a disk of so many bytes, and how to make it larger.
func smallDisk(t *testing.T, size int) (dir string, resize func(size int)) {
	t.Helper()
	dir = t.TempDir()
	mount(t, dir, size, 0)
	return dir, func(size int) { remount(t, dir, size, 0) }
}

// readOnly is a data directory that prepare has filled and nobody may write to,
// and how to allow it again.
func readOnly(t *testing.T, prepare func(dir string)) (dir string, allow func()) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 { // modes do not hold root off
		const size = 8 << 20
		mount(t, dir, size, 0)
		prepare(dir)
		remount(t, dir, size, syscall.MS_RDONLY)
		return dir, func() { remount(t, dir, size, 0) }
	}
	prepare(dir)
	chmod := func(dirMode, fileMode os.FileMode) {
		for path, mode := range map[string]os.FileMode{dir: dirMode, filepath.Join(dir, "memory.db"): fileMode} {
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
	}
	chmod(0o500, 0o400)
	allow = func() { chmod(0o700, 0o600) }
	t.Cleanup(allow)
	return dir, allow
}

func mount(t *testing.T, dir string, size int, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", flags, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skipf("no disk can be mounted here: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

func remount(t *testing.T, dir string, size int, flags uintptr) {
	t.Helper()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|flags, fmt.Sprintf("size=%d", size)); err != nil {
		t.Fatal(err)
	}
}
