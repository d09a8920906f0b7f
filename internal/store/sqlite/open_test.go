package sqlite_test

import (
	"path/filepath"
	"testing"

	"engram/internal/store/sqlite"
)

func TestOpenMakesSchema(t *testing.T) {
	t.Parallel()
	s, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	if v, err := s.SchemaVersion(t.Context()); err != nil || v != sqlite.Newest() {
		t.Errorf("SchemaVersion = %d, %v; want %d", v, err, sqlite.Newest())
	}
}
