package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

// childEnv makes the test binary a process that uses a store: a verb, a path
// and a name.
const childEnv = "ENGRAM_TEST_CHILD"

func TestMain(m *testing.M) {
	if args := os.Getenv(childEnv); args != "" {
		if err := child(strings.Split(args, "\n")); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// child saves memories and says the id of each once it is acknowledged.
func child(args []string) error {
	verb, path, name := args[0], args[1], args[2]
	ctx := context.Background()
	s, err := sqlite.Open(ctx, path, sqlite.Options{})
	if err != nil {
		return err
	}
	if verb == "migrate" {
		fmt.Println("begins")
		return errors.Join(s.Migrate(ctx, laterMigrations...), s.Close())
	}
	if verb == "vectors" {
		return saveVectorsForever(ctx, s)
	}
	n := 20
	if verb == "forever" {
		n = 1 << 30
	}
	for i := range n {
		m := numbered(name, i)
		saved, err := s.SaveMemory(ctx, m, store.SaveRule{Now: time.Now(), Window: time.Minute})
		if err != nil {
			return err
		}
		fmt.Println(saved.ID)
	}
	return s.Close()
}

func numbered(name string, i int) *engram.Memory {
	content := fmt.Sprintf("text %d of %s %s", i, name, strings.Repeat("x", i%3000))
	return &engram.Memory{
		Workspace: "default", Type: "manual", Title: name, Content: content, Project: name, Scope: engram.ScopeProject,
		Session: name, Hash: engram.ContentHash(content), Origin: engram.OriginAgent, Trust: 2,
	}
}

// start runs the test binary as a child.
func start(t *testing.T, verb, path, name string) (*exec.Cmd, io.ReadCloser, *strings.Builder) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), childEnv+"="+strings.Join([]string{verb, path, name}, "\n"))
	var stderr strings.Builder
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, stdout, &stderr
}

// rounds is how often a test of processes is repeated: few here, many with
// ENGRAM_TEST_ROUNDS at night.
func rounds(t *testing.T, few int) int {
	t.Helper()
	n, err := strconv.Atoi(os.Getenv("ENGRAM_TEST_ROUNDS"))
	if err != nil {
		return few
	}
	return n
}

// sound checks that a store has no damage.
func sound(t *testing.T, s *sqlite.Store) {
	t.Helper()
	findings, err := s.Check(t.Context(), false)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if !f.OK {
			t.Errorf("Check: %+v", f)
		}
	}
}

// Six processes that start at once on an empty directory all succeed (C5).
func TestProcessesStartTogether(t *testing.T) {
	t.Parallel()
	for range rounds(t, 3) {
		path := filepath.Join(t.TempDir(), "fresh", "memory.db")
		type process struct {
			cmd    *exec.Cmd
			stderr *strings.Builder
		}
		var all []process
		for i := range 6 {
			cmd, stdout, stderr := start(t, "some", path, fmt.Sprint("p", i))
			go func() { _, _ = io.Copy(io.Discard, stdout) }()
			all = append(all, process{cmd, stderr})
		}
		for i, p := range all {
			if err := p.cmd.Wait(); err != nil {
				t.Errorf("process %d: %v: %s", i, err, p.stderr)
			}
		}
		s := open(t, path)
		n, err := s.CountMemories(t.Context(), store.Filter{Workspace: "default"})
		if err != nil || n != 120 {
			t.Errorf("%d memories, %v; want 120", n, err)
		}
		sound(t, s)
		s.Close()
	}
}

// What was acknowledged survives the death of the process at any moment.
func TestKill(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "memory.db")
	acknowledged := map[int64]bool{}
	for round := range rounds(t, 4) {
		var cmds []*exec.Cmd
		var outs []io.Reader
		for i := range 2 {
			cmd, stdout, _ := start(t, "forever", path, fmt.Sprintf("r%dp%d", round, i))
			cmds, outs = append(cmds, cmd), append(outs, stdout)
		}
		die := 5 + rand.IntN(300) // after so many saves of the first
		for i, out := range outs {
			lines := bufio.NewScanner(out)
			for n := 0; lines.Scan(); n++ {
				id, err := strconv.ParseInt(lines.Text(), 10, 64)
				if err != nil {
					break // a line that was cut
				}
				acknowledged[id] = true
				if i == 0 && n == die {
					for _, cmd := range cmds {
						if err := cmd.Process.Kill(); err != nil {
							t.Fatal(err)
						}
					}
				}
			}
		}
		for _, cmd := range cmds {
			_ = cmd.Wait() // killed
		}
		s := open(t, path)
		for id := range acknowledged {
			if _, err := s.Memory(t.Context(), "default", id, false); err != nil {
				t.Errorf("round %d: acknowledged memory %d: %v", round, id, err)
			}
		}
		sound(t, s)
		s.Close()
	}
	if len(acknowledged) == 0 {
		t.Error("nothing was acknowledged")
	}
	t.Logf("%d saves acknowledged", len(acknowledged))
}
