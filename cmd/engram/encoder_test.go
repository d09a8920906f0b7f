package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"engram/internal/encoder"
)

// with is a program with one more setting in its environment.
func with(cmd *exec.Cmd, setting string) *exec.Cmd {
	cmd.Env = append(cmd.Env, setting)
	return cmd
}

// withEncoder skips a test where the binary has no encoder.
func withEncoder(t *testing.T) {
	t.Helper()
	t.Parallel()
	if !encoder.Included() {
		t.Skip("built without the encoder")
	}
}

// encoded are have, lack, failed of the encoder, "" = it was given nothing yet.
func encoded(t *testing.T, dir string) func() string {
	return func() string { return models(t, dir)[encoder.Name] }
}

// What is saved is encoded soon after, with nothing set, by whatever process stays.
func TestSavesAreEncodedInTheBackground(t *testing.T) {
	withEncoder(t)
	dir := filepath.Join(t.TempDir(), "data")
	run(t, dir, "save", "Of a short life", "A command that ends at once leaves it to others")
	if got := encoded(t, dir)(); got != "" {
		t.Errorf("a save on the command line encodes: %s", got)
	}
	s := serve(t, dir)
	until(t, "what was there", encoded(t, dir), "1 0 0")
	fill(t, s)
	until(t, "saves", encoded(t, dir), "7 0 0")
	run(t, dir, "save", "Again", "One more by a command")
	if out := run(t, dir, "embed"); !strings.HasSuffix(out, " embedded\n") {
		t.Errorf("embed: %s", out)
	}
	until(t, "of the command", encoded(t, dir), "8 0 0")
	if out := run(t, dir, "doctor"); !strings.Contains(out, "ok   embedder") || !strings.Contains(out, encoder.Name) {
		t.Errorf("doctor: %s", out)
	}
	a := mcp(t, dir)
	if !a.finds(t, "who takes care of the printer", "toner") {
		t.Error("an agent does not find the printer")
	}
	a.end(t)
	s.stop(t)
	if out := run(t, dir, "search", "printer", "toner"); !strings.Contains(out, "printer") {
		t.Errorf("search on the command line: %s", out)
	}
}

// Killed in the middle of a backlog, a process leaves what it has done, and the next goes on;
// searches are answered meanwhile.
func TestKilledWhileEncoding(t *testing.T) {
	withEncoder(t)
	n := 24
	if encoder.BestTier().Fast() {
		n = 800
	}
	dir := filepath.Join(t.TempDir(), "data")
	writer := serving(t, with(engram(t, dir, "serve", "--port", "0", "--json"), "ENGRAM_EMBEDDER=static"))
	for i := range n {
		if _, err := writer.save(fmt.Sprintf("note %d about ferries, harbours and the people who wait there", i)); err != nil {
			t.Fatal(err)
		}
	}
	writer.stop(t)
	if got := models(t, dir); len(got) > 0 {
		t.Errorf("with the setting static there are vectors: %v", got)
	}
	have := func() (n int) {
		fmt.Sscan(encoded(t, dir)(), &n)
		return n
	}
	for range 2 {
		s := serve(t, dir)
		before := have()
		for deadline := time.Now().Add(30 * time.Second); have() == before && before < n && time.Now().Before(deadline); {
			if got := s.finds(t, "ferries"); got == 0 {
				t.Error("nothing is found while texts are encoded")
			}
			<-time.After(10 * time.Millisecond)
		}
		if err := s.cmd.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		_ = s.cmd.Wait() // killed, which is an error
		t.Logf("%d encoded, killed at %d", before, have())
		if have() == before && before < n {
			t.Fatalf("no text was encoded: %s", encoded(t, dir)())
		}
		run(t, dir, "doctor")
	}
	run(t, dir, "embed") // the lease of the dead has to run out first
	if got, want := encoded(t, dir)(), fmt.Sprint(n, " 0 0"); got != want {
		t.Errorf("encoded %s, want %s", got, want)
	}
}

func TestStaticSettingEncodesNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := serving(t, with(engram(t, dir, "serve", "--port", "0", "--json"), "ENGRAM_EMBEDDER=static"))
	fill(t, s)
	if n := s.finds(t, "printer toner"); n == 0 {
		t.Error("nothing is found")
	}
	out, err := with(engram(t, dir, "embed"), "ENGRAM_EMBEDDER=static").Output()
	if err != nil || !strings.HasPrefix(string(out), "nothing to do") {
		t.Errorf("embed: %s, %v", out, err)
	}
	s.stop(t)
	if got := models(t, dir); len(got) > 0 {
		t.Errorf("vectors of %v", got)
	}
}

// A build without the encoder says so where it is asked for, and goes on with the table.
func TestBuildWithoutTheEncoder(t *testing.T) {
	t.Parallel()
	if encoder.Included() {
		t.Skip("built with the encoder; run with -tags noencoder")
	}
	dir := filepath.Join(t.TempDir(), "data")
	run(t, dir, "save", "Printer", "The printer needs toner")
	run(t, dir, "doctor")
	s := serving(t, with(engram(t, dir, "serve", "--port", "0", "--json"), "ENGRAM_EMBEDDER=encoder"))
	for _, warned := range []bool{true, false} {
		_, answer, err := s.do("POST", "/v1/search", map[string]any{"query": "printer toner"})
		if err != nil || !strings.Contains(string(answer), "The printer needs toner") {
			t.Errorf("answer %s, %v", answer, err)
		}
		if strings.Contains(string(answer), `"warnings":["encoder_unavailable: `) != warned {
			t.Errorf("answer %s, want a warning: %v", answer, warned)
		}
	}
	s.stop(t)
	out, err := with(engram(t, dir, "doctor"), "ENGRAM_EMBEDDER=encoder").Output()
	if err == nil || !strings.Contains(string(out), "BAD  embedder") || !strings.Contains(string(out), "has no encoder") {
		t.Errorf("doctor: %s, %v", out, err)
	}
}
