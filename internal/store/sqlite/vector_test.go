package sqlite_test

import (
	"database/sql"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlite"
	"engram/internal/vector"
)

const sky = "sky@64"

// direction is a vector of its own for each number.
func direction(i int) []float32 {
	random := rand.New(rand.NewPCG(uint64(i), 7))
	v := make([]float32, 64)
	for d := range v {
		v[d] = float32(random.NormFloat64())
	}
	return v
}

// withVectors stores n memories with a vector each and gives their ids.
func withVectors(t *testing.T, s *sqlite.Store, n int) []int64 {
	t.Helper()
	if err := s.UseVectorModel(t.Context(), store.VectorModel{Name: sky, Dim: 64}, time.Now()); err != nil {
		t.Fatal(err)
	}
	var ids []int64
	for from := 0; from < n; from += 500 {
		var ms []*engram.Memory
		for i := from; i < min(n, from+500); i++ {
			ms = append(ms, numbered("a", i))
		}
		if _, err := s.SaveMemories(t.Context(), ms, store.SaveRule{Now: time.Now()}); err != nil {
			t.Fatal(err)
		}
		var vectors []store.TextVector
		for i, m := range ms {
			ids = append(ids, m.ID)
			vectors = append(vectors, store.TextVector{ID: m.ID, Version: 1, Units: [][]float32{direction(from + i)}})
		}
		if saved, err := s.SaveVectors(t.Context(), sky, vectors); err != nil || saved != len(ms) {
			t.Fatalf("saved %d: %v", saved, err)
		}
	}
	return ids
}

// nearestTo are the ids of the nearest by the model.
func nearestTo(t *testing.T, s *sqlite.Store, unit []float32, limit int) []int64 {
	t.Helper()
	r, err := s.Keyword(t.Context(), store.KeywordQuery{
		Filter: store.Filter{Workspace: "default"}, Limit: limit, Vectors: []store.QueryVector{{Model: sky, Unit: unit}},
	})
	if err != nil {
		t.Fatal(err)
	}
	ids := make([]int64, len(r.Hits))
	for _, h := range r.Hits {
		ids[h.Nearest[0]-1] = h.ID
	}
	return ids
}

// damageRow writes past the store, as damage does.
func damageRow(t *testing.T, path, query string, args ...any) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+path+"?_pragma=foreign_keys(0)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), query, args...); err != nil {
		t.Fatal(err)
	}
}

// halfCodes is the codes of two vectors of 64 dimensions, the second of which is none.
func halfCodes() []byte { return append(vector.Code(direction(3)), make([]byte, 64)...) }

// vectorFindings are what a check says of vectors.
func vectorFindings(t *testing.T, s *sqlite.Store, repair bool) (ok bool, said string) {
	t.Helper()
	found, err := s.Check(t.Context(), repair)
	if err != nil {
		t.Fatal(err)
	}
	ok = true
	for _, f := range found {
		if f.Check == "vectors" {
			said += f.Message + "; " + f.Fix + "\n"
			ok = ok && f.OK
		}
	}
	return ok, said
}

func TestVectorsAreReadInSteps(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	s := open(t, path)
	defer s.Close()
	ids := withVectors(t, s, 5200) // several steps, several blocks
	other := open(t, path)
	defer other.Close()
	for _, s := range []*sqlite.Store{s, other} {
		for _, i := range []int{0, 1999, 2000, 4096, 5199} {
			if got := nearestTo(t, s, direction(i), 1); len(got) != 1 || got[0] != ids[i] {
				t.Errorf("nearest to %d: %v, want %d", i, got, ids[i])
			}
		}
	}
	if ok, said := vectorFindings(t, s, false); !ok || !strings.Contains(said, "5200 texts have a vector, 0 wait") {
		t.Errorf("check: %v, %s", ok, said)
	}
}

func TestBrokenVectorsAreNamedAndMended(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, damage string
		args         []any
		want         string
	}{
		{"a bit", `UPDATE vectors SET codes = CAST(x'01' || substr(codes, 2) AS BLOB) WHERE memory_id = ?1`, nil, "broken"},
		{"too short", `UPDATE vectors SET codes = substr(codes, 2) WHERE memory_id = ?1`, nil, "broken"},
		{
			"of another dimension, and sound", `UPDATE vectors SET codes = ?2, checksum = ?3 WHERE memory_id = ?1`,
			[]any{vector.Code([]float32{1, 2, 3}), int64(vector.Checksum(vector.Code([]float32{1, 2, 3})))},
			"of another model",
		},
		{
			"a second passage without direction, and sound", `UPDATE vectors SET codes = ?2, checksum = ?3 WHERE memory_id = ?1`,
			[]any{halfCodes(), int64(vector.Checksum(halfCodes()))},
			"broken",
		},
		{"of no memory", `UPDATE vectors SET memory_id = 99999 WHERE memory_id = ?1`, nil, "no memory"},
		{"of no model", `UPDATE vectors SET model = 99999 WHERE memory_id = ?1`, nil, "no model"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "memory.db")
			s := open(t, path)
			ids := withVectors(t, s, 20)
			last, err := s.LastWrite(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := s.VectorsDone(t.Context(), sky, last); err != nil {
				t.Fatal(err)
			}
			s.Close()
			damageRow(t, path, c.damage, append([]any{ids[3]}, c.args...)...)
			s = open(t, path)
			defer s.Close()
			if got := nearestTo(t, s, direction(3), 20); len(got) != 19 {
				t.Errorf("%d are found by their vectors, want all but the broken one", len(got))
			}
			ok, said := vectorFindings(t, s, false)
			if ok || !strings.Contains(said, c.want) || !strings.Contains(said, "--repair") {
				t.Errorf("check: %v, %s", ok, said)
			}
			if ok, said := vectorFindings(t, s, true); !ok {
				t.Errorf("repair: %s", said)
			}
			if ok, said := vectorFindings(t, s, false); !ok || !strings.Contains(said, "19 texts have a vector, 1 wait") {
				t.Errorf("after the repair: %v, %s", ok, said)
			}
			texts, err := s.TextsToEmbed(t.Context(), sky, store.WriteSpan{Until: last}, 9, 1<<20)
			if err != nil || len(texts) != 1 || texts[0].ID != ids[3] {
				t.Errorf("to embed again: %v, %v", texts, err)
			}
		})
	}
}

func TestRepairTriesFailedTextsAgainAndDropsOldModels(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "memory.db"))
	defer s.Close()
	ids := withVectors(t, s, 3)
	const next = "next@8"
	if err := s.UseVectorModel(t.Context(), store.VectorModel{Name: next, Dim: 8}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if _, said := vectorFindings(t, s, true); !strings.Contains(said, sky+": 3 texts have") {
		t.Errorf("a model must stay as long as the next one is not complete: %s", said)
	}
	var vectors []store.TextVector
	for i, id := range ids {
		vectors = append(vectors, store.TextVector{ID: id, Version: 1, Units: [][]float32{direction(i)[:8]}})
	}
	vectors[1] = store.TextVector{ID: ids[1], Version: 1, Failed: "the text is too long"}
	if _, err := s.SaveVectors(t.Context(), next, vectors); err != nil {
		t.Fatal(err)
	}
	ok, said := vectorFindings(t, s, false)
	if !ok || !strings.Contains(said, "the text is too long") || !strings.Contains(said, "another model has taken its place") {
		t.Errorf("check: %v, %s", ok, said)
	}
	if _, said = vectorFindings(t, s, true); !strings.Contains(said, "1 are tried again") || !strings.Contains(said, "3 vectors of it are gone") {
		t.Errorf("repair: %s", said)
	}
	if got := nearestTo(t, s, direction(0), 3); len(got) != 0 {
		t.Errorf("found by a model that is gone: %v", got)
	}
}

func TestEraseLeavesNoModelVector(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := open(t, filepath.Join(dir, "memory.db"))
	defer s.Close()
	ids := withVectors(t, s, 300)
	for i := range ids {
		if i%3 == 0 { // written over, so that rows move
			_, err := s.SaveVectors(t.Context(), sky, []store.TextVector{{ID: ids[i], Version: 1, Failed: strings.Repeat("x", i)}})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, i := range []int{1, 100, 299} {
		if _, err := s.EraseMemory(t.Context(), "default", ids[i], time.Now()); err != nil {
			t.Fatal(err)
		}
		codes := vector.Code(direction(i))
		for from := 0; from+24 <= len(codes); from += 8 {
			if found := bytesIn(t, dir, strings.ToLower(string(codes[from:from+24]))); len(found) > 0 {
				t.Errorf("vector %d is in %v", i, found)
			}
		}
	}
}

func BenchmarkNearestByModel(b *testing.B) {
	for _, n := range []int{10000, 100000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { benchmarkModel(b, n) })
	}
}

func benchmarkModel(b *testing.B, n int) {
	s, err := sqlite.Open(b.Context(), filepath.Join(b.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer s.Close()
	const name, dim = "wide@768", 768
	if err := s.UseVectorModel(b.Context(), store.VectorModel{Name: name, Dim: dim}, time.Now()); err != nil {
		b.Fatal(err)
	}
	random := rand.New(rand.NewPCG(1, 2))
	unit := func() []float32 {
		v := make([]float32, dim)
		for d := range v {
			v[d] = float32(random.NormFloat64())
		}
		return v
	}
	for from := 0; from < n; from += 1000 {
		var ms []*engram.Memory
		for i := range 1000 {
			ms = append(ms, numbered("a", from+i))
		}
		if _, err := s.SaveMemories(b.Context(), ms, store.SaveRule{Now: time.Now()}); err != nil {
			b.Fatal(err)
		}
		var vectors []store.TextVector
		for _, m := range ms {
			vectors = append(vectors, store.TextVector{ID: m.ID, Version: 1, Units: [][]float32{unit()}})
		}
		if _, err := s.SaveVectors(b.Context(), name, vectors); err != nil {
			b.Fatal(err)
		}
	}
	search := func() {
		_, err := s.Keyword(b.Context(), store.KeywordQuery{
			Filter: store.Filter{Workspace: "default"}, Limit: 200, Vectors: []store.QueryVector{{Model: name, Unit: unit()}},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	began := time.Now()
	search()
	b.ReportMetric(float64(time.Since(began).Milliseconds()), "ms-first")
	for b.Loop() {
		search()
	}
}
