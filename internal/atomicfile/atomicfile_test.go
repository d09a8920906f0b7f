package atomicfile_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"engram/internal/atomicfile"
)

// writingEnv makes the test binary a process that writes a file and waits.
const writingEnv = "ENGRAM_TEST_WRITING"

func TestMain(m *testing.M) {
	path := os.Getenv(writingEnv)
	if path == "" {
		os.Exit(m.Run())
	}
	f, err := atomicfile.New(path)
	if err == nil {
		err = os.WriteFile(f.Path(), []byte("half"), 0o600)
	}
	fmt.Println(err)
	_, _ = io.Copy(io.Discard, os.Stdin)
}

func write(t *testing.T, path, content string, replace bool) error {
	t.Helper()
	f, err := atomicfile.New(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := f.Discard(); err != nil {
			t.Error(err)
		}
	}()
	if err := os.WriteFile(f.Path(), []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return f.Commit(replace)
}

func names(t *testing.T, dir string) (out []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		out = append(out, e.Name())
	}
	return out
}

func TestCommit(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "a file")
	if err := write(t, path, "one", false); err != nil {
		t.Fatal(err)
	}
	if err := write(t, path, "two", false); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the second time: %v, want that it exists", err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "one" {
		t.Errorf("%q, %v; want what was there", got, err)
	}
	if err := write(t, path, "three", true); err != nil {
		t.Error(err)
	}
	if got, err := os.ReadFile(path); err != nil || string(got) != "three" {
		t.Errorf("%q, %v; want what replaced it", got, err)
	}
	if info, err := os.Stat(path); err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("beside it: %q", got)
	}
}

func TestDiscard(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f, err := atomicfile.New(filepath.Join(dir, "file"))
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := f.Discard(); err != nil {
			t.Error(err)
		}
	}
	if got := names(t, dir); len(got) != 0 {
		t.Errorf("left: %q", got)
	}
	if _, err := atomicfile.New(filepath.Join(dir, "no", "such", "dir")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("in a directory that is not there: %v", err)
	}
}

// What a killed process was writing is there until the next one comes; what a
// living one writes is left alone.
func TestSweep(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" && runtime.GOOS != "darwin" {
		t.Skip("here what was left goes by its age")
	}
	dir := t.TempDir()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), writingEnv+"="+filepath.Join(dir, "file"))
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil || line != "<nil>\n" {
		t.Fatalf("%q, %v", line, err)
	}
	if err := atomicfile.Sweep(dir); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 1 {
		t.Errorf("while it is written: %q, want one", got)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, which is an error
	if err := write(t, filepath.Join(dir, "other"), "x", false); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 1 || got[0] != "other" {
		t.Errorf("after the next: %q, want only what it wrote", got)
	}
}

func TestSweepLeavesOthers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{".engram", ".engram-notes", "x.tmp"} {
		if err := os.Mkdir(filepath.Join(dir, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, ".engram-1.tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	before := time.Now().Add(-24 * time.Hour)
	for _, name := range names(t, dir) {
		if err := os.Chtimes(filepath.Join(dir, name), before, before); err != nil {
			t.Fatal(err)
		}
	}
	if err := atomicfile.Sweep(dir); err != nil {
		t.Fatal(err)
	}
	if got := names(t, dir); len(got) != 4 {
		t.Errorf("left: %q, want all four", got)
	}
}
