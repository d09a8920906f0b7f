package sqlite_test

import (
	"path/filepath"
	"testing"

	"engram/internal/store"
	"engram/internal/store/sqlite"
	"engram/internal/store/storetest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	storetest.Run(t, storetest.Opener{
		Open: func(t *testing.T) store.Store {
			return open(t, filepath.Join(t.TempDir(), "data", "memory.db"))
		},
		Pair: func(t *testing.T) (a, b store.Store) {
			path := filepath.Join(t.TempDir(), "data", "memory.db")
			return open(t, path), open(t, path)
		},
	})
}

func open(t testing.TB, path string) *sqlite.Store {
	t.Helper()
	s, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}
