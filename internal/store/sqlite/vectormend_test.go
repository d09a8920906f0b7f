package sqlite_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
)

// What is kept of a model, and marks that hide that texts lack a vector, are named
// and mended; no good vector is lost.
func TestMarksOfModelsAreNamedAndMended(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, damage, want string
		have               string // after the repair
	}{
		{"rows are gone", `DELETE FROM vectors WHERE id % 2 = 0`, "10 texts lack a vector and are noted as done", "10 texts have a vector, 10 wait"},
		{"a row of another version", `UPDATE vectors SET version = 5 WHERE id = 3`, "1 texts lack a vector and are noted as done", "19 texts have a vector, 1 wait"},
		{"done before it was written", `UPDATE vector_models SET done = 99999999`, "more is noted as done", "20 texts have a vector, 0 wait"},
		{"dimension", `UPDATE vector_models SET dim = 32`, "vectors have 64 numbers, and 32 are noted", "20 texts have a vector, 0 wait"},
		{"dimension of a name without", `UPDATE vector_models SET dim = 48, name = 'sky'`, "vectors have 64 numbers, and 48 are noted", "20 texts have a vector, 0 wait"},
		{"negative dimension", `UPDATE vector_models SET dim = -5`, "vectors have 64 numbers, and -5 are noted", "20 texts have a vector, 0 wait"},
		{"empty codes", `UPDATE vectors SET codes = x'' WHERE id = 3`, "broken", "19 texts have a vector, 1 wait"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "memory.db")
			s := open(t, path)
			const name = "sky@64"
			if err := s.UseVectorModel(t.Context(), store.VectorModel{Name: name, Dim: 64}, time.Now()); err != nil {
				t.Fatal(err)
			}
			var ms []*engram.Memory
			for i := range 20 {
				ms = append(ms, numbered("a", i))
			}
			if _, err := s.SaveMemories(t.Context(), ms, store.SaveRule{Now: time.Now()}); err != nil {
				t.Fatal(err)
			}
			var vectors []store.TextVector
			for i, m := range ms {
				vectors = append(vectors, store.TextVector{ID: m.ID, Version: 1, Units: [][]float32{direction(i)}})
			}
			if _, err := s.SaveVectors(t.Context(), name, vectors); err != nil {
				t.Fatal(err)
			}
			last, err := s.LastWrite(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := s.VectorsDone(t.Context(), name, last); err != nil {
				t.Fatal(err)
			}
			s.Close()
			damageRow(t, path, c.damage)
			s = open(t, path)
			defer s.Close()
			if ok, said := vectorFindings(t, s, false); ok || !strings.Contains(said, c.want) || !strings.Contains(said, "--repair") {
				t.Errorf("check: %v, %s", ok, said)
			}
			if ok, said := vectorFindings(t, s, true); !ok {
				t.Errorf("repair: %s", said)
			}
			if ok, said := vectorFindings(t, s, false); !ok || !strings.Contains(said, c.have) {
				t.Errorf("after the repair: %v, %s", ok, said)
			}
		})
	}
}

func TestALeaseWithoutEndIsNamedAndFreed(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s := open(t, path)
	if ok, err := s.AcquireLease(t.Context(), "sleep", "a", time.Now(), time.Minute); err != nil || !ok {
		t.Fatal(ok, err)
	}
	s.Close()
	damageRow(t, path, `INSERT INTO leases (name, holder, expires_at) VALUES ('embedding', 'x', 9223372036854775807)`)
	s = open(t, path)
	defer s.Close()
	check := func(repair bool) (out []store.Finding) {
		found, err := s.Check(t.Context(), repair)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range found {
			if f.Check == "leases" {
				out = append(out, f)
			}
		}
		return out
	}
	if f := check(false); len(f) != 1 || f[0].OK || !strings.HasSuffix(f[0].Message, ": embedding") || f[0].Fix == "" {
		t.Errorf("check: %+v", f)
	}
	if f := check(true); len(f) != 1 || !f[0].OK {
		t.Errorf("repair: %+v", f)
	}
	if f := check(false); len(f) != 0 {
		t.Errorf("after the repair: %+v", f)
	}
	if ok, err := s.AcquireLease(t.Context(), "sleep", "b", time.Now(), time.Minute); err != nil || ok {
		t.Errorf("the lease that is held: %v, %v", ok, err)
	}
}
