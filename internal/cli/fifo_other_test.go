//go:build !unix

package cli_test

import "testing"

// fifo makes a named pipe where the system has such.
func fifo(*testing.T, string) bool { return false }
