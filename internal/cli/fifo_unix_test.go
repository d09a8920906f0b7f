//go:build unix

package cli_test

import (
	"syscall"
	"testing"
)

// fifo makes a named pipe where the system has such.
func fifo(t *testing.T, path string) bool {
	t.Helper()
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return true
}
