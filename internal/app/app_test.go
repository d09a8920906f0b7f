package app_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"engram/internal/app"
)

func TestTokenIsMadeOnceForTheOwnerOnly(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tokens := make([]string, 16)
	var wg sync.WaitGroup
	for i := range tokens {
		wg.Go(func() {
			token, _, err := app.Token(dir)
			if err != nil {
				t.Error(err)
			}
			tokens[i] = token
		})
	}
	wg.Wait()
	for _, token := range tokens {
		if token != tokens[0] || len(token) != 48 {
			t.Fatalf("tokens differ or are short: %d and %d characters", len(token), len(tokens[0]))
		}
	}
	info, err := os.Stat(filepath.Join(dir, "token"))
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode().Perm())
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("%d files are left, want the token alone", len(entries))
	}
}

func TestBrokenTokenFileIsAnError(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "token"), []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := app.Token(dir); err == nil || !strings.Contains(err.Error(), "holds no token") {
		t.Errorf("got %v, want an error: an empty token would let everybody in", err)
	}
}
