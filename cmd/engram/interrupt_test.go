package main

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"engram/internal/cli"
)

// TestCtrlCEndsAWaitForInput, with the exit code of an interruption, and stores
// nothing.
func TestCtrlCEndsAWaitForInput(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no process can be sent a Ctrl-C there")
	}
	dir := t.TempDir()
	cmd := engram(t, dir, "save", "Title")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	// More than a pipe holds: when it is written, the program has begun to read.
	if _, err := in.Write(bytes.Repeat([]byte("text "), 200_000)); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != cli.ExitInterrupted || !strings.Contains(stderr.String(), "interrupted") {
		t.Errorf("it ended with %v, %q", err, stderr.String())
	}
	if got := total(t, dir); got != 0 {
		t.Errorf("%d memories were stored", got)
	}
}
