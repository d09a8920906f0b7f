package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlite"
	"engram/internal/vector"
)

// wide is a model whose signs are long enough to be looked for in a file.
var wide = vector.Space{Model: "wide@256", Dim: 256}

// wideVector is a vector of its own for each number.
func wideVector(i int) []float32 {
	var v []float32
	for part := range 4 {
		v = append(v, direction(4*i+part+1_000_000)...)
	}
	return v
}

// wideVectors are those of a memory's passages: some have several.
func wideVectors(i int) [][]float32 {
	out := [][]float32{wideVector(i)}
	for p := range i % 4 {
		out = append(out, wideVector(i+10_000*(p+1)))
	}
	return out
}

// withWide stores n memories with vectors of their passages.
func withWide(t *testing.T, s *sqlite.Store, n int) []int64 {
	t.Helper()
	if err := s.UseVectorModel(t.Context(), store.VectorModel{Name: wide.Model, Dim: wide.Dim}, time.Now()); err != nil {
		t.Fatal(err)
	}
	var (
		ids     []int64
		ms      []*engram.Memory
		vectors []store.TextVector
	)
	for i := range n {
		ms = append(ms, numbered("a", i))
	}
	if _, err := s.SaveMemories(t.Context(), ms, store.SaveRule{Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	for i, m := range ms {
		ids = append(ids, m.ID)
		vectors = append(vectors, store.TextVector{ID: m.ID, Version: 1, Units: wideVectors(i)})
	}
	for len(vectors) > 0 { // last written first, as they come
		from := max(0, len(vectors)-500)
		if _, err := s.SaveVectors(t.Context(), wide.Model, vectors[from:]); err != nil {
			t.Fatal(err)
		}
		vectors = vectors[:from]
	}
	return ids
}

// wideHits is what a search by the model gives: ids with their cosines, as ranked.
func wideHits(t *testing.T, s *sqlite.Store, unit []float32, limit int) []string {
	t.Helper()
	r, err := s.Keyword(t.Context(), store.KeywordQuery{
		Filter: store.Filter{Workspace: "default"}, Limit: limit, Vectors: []store.QueryVector{{Model: wide.Model, Unit: unit}},
	})
	if err != nil {
		t.Fatal(err)
	}
	out := make([]string, len(r.Hits))
	for _, h := range r.Hits {
		out[h.Nearest[0]-1] = fmt.Sprint(h.ID, " ", h.Cosine[0])
	}
	return out
}

func pack(t *testing.T, s *sqlite.Store) {
	t.Helper()
	if err := s.PackVectors(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// packs counts packs and the vectors in them.
func packs(t *testing.T, s *sqlite.Store) (n, slots int) {
	t.Helper()
	if err := s.Writer().QueryRowContext(t.Context(), `SELECT COUNT(*), COALESCE(SUM(slots), 0) FROM vector_packs`).Scan(&n, &slots); err != nil {
		t.Fatal(err)
	}
	return n, slots
}

// A process that reads packs, and codes from rows or from memory, finds what one
// finds that read all rows.
func TestPackedVectorsAreFoundAlike(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "memory.db")
	s := open(t, path)
	ids := withWide(t, s, 3000)
	var want [][]string
	questions := [][]float32{wideVector(0), wideVector(7), wideVector(2999), wideVector(10_001), wideVector(30_003)}
	for i, of := range []int{0, 7, 2999, 1, 3} {
		want = append(want, wideHits(t, s, questions[i], 50))
		if !strings.HasPrefix(want[i][0], fmt.Sprint(ids[of], " 0.99")) && !strings.HasPrefix(want[i][0], fmt.Sprint(ids[of], " 1")) {
			t.Fatalf("nearest to %d is %s, want %d", of, want[i][0], ids[of])
		}
	}
	size := s.IndexSize()
	pack(t, s)
	if n, slots := packs(t, s); n < 1 || n > 2 || slots != 7500 {
		t.Errorf("%d packs of %d vectors", n, slots)
	}
	s.Close()
	s = open(t, path)
	defer s.Close()
	s.LookAfter(time.Hour) // the background would read codes beside the test
	compare := func(how string) {
		for i, q := range questions {
			if diff := cmp.Diff(want[i], wideHits(t, s, q, 50)); diff != "" {
				t.Errorf("%s, question %d (-want +got):\n%s", how, i, diff)
			}
		}
	}
	compare("codes in rows")
	cold := s.IndexSize()
	if err := s.WarmVectors(t.Context()); err != nil {
		t.Fatal(err)
	}
	compare("codes in memory")
	if warm := s.IndexSize(); warm-cold != 7500*wide.Dim || cold >= size {
		t.Errorf("%d bytes with all rows, %d with packs, %d with their codes", size, cold, warm)
	}
	sound(t, s)
}

// Whatever changes rows that are packed, packs never say anything else.
func TestPacksFollowRows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name   string
		change func(t *testing.T, s *sqlite.Store, ids []int64)
	}{
		{"written over", func(t *testing.T, s *sqlite.Store, ids []int64) {
			if _, err := s.SaveVectors(t.Context(), wide.Model, []store.TextVector{{ID: ids[5], Version: 1, Units: wideVectors(4000)}}); err != nil {
				t.Fatal(err)
			}
		}},
		{"fails now", func(t *testing.T, s *sqlite.Store, ids []int64) {
			if _, err := s.SaveVectors(t.Context(), wide.Model, []store.TextVector{{ID: ids[5], Version: 1, Failed: "too long"}}); err != nil {
				t.Fatal(err)
			}
			if n, err := s.RetryVectors(t.Context(), wide.Model); err != nil || n != 1 {
				t.Fatal(n, err)
			}
		}},
		{"dropped", func(t *testing.T, s *sqlite.Store, _ []int64) {
			if _, err := s.DropVectors(t.Context(), wide.Model); err != nil {
				t.Fatal(err)
			}
		}},
		{"erased", func(t *testing.T, s *sqlite.Store, ids []int64) {
			if _, err := s.EraseMemory(t.Context(), "default", ids[5], time.Now()); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "data", "memory.db")
			s := open(t, path)
			defer s.Close()
			ids := withWide(t, s, 100)
			pack(t, s)
			other := open(t, path) // has read the packs
			defer other.Close()
			if got := wideHits(t, other, wideVector(5), 1); !strings.HasPrefix(got[0], fmt.Sprint(ids[5], " ")) {
				t.Fatalf("nearest is %s", got[0])
			}
			c.change(t, s, ids)
			_, slots := packs(t, s)
			if want := map[string]int{"erased": 250 - 2}[c.name]; slots != want {
				t.Errorf("%d vectors are packed after it, want %d", slots, want)
			}
			for name, s := range map[string]*sqlite.Store{"here": s, "there": other} {
				for _, hit := range wideHits(t, s, wideVector(5), 3) {
					if strings.HasPrefix(hit, fmt.Sprint(ids[5], " ")) && !strings.HasPrefix(hit, fmt.Sprint(ids[5], " 0.")) {
						t.Errorf("%s, the old vector is found: %s", name, hit)
					}
				}
			}
			sound(t, s)
			pack(t, s)
			sound(t, s)
			fresh := open(t, path)
			defer fresh.Close()
			if diff := cmp.Diff(wideHits(t, s, wideVector(9), 20), wideHits(t, fresh, wideVector(9), 20)); diff != "" {
				t.Errorf("a fresh process finds something else (-here +fresh):\n%s", diff)
			}
		})
	}
}

func TestDamagedPacksAreNamedAndMadeAnew(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"a bit":            `UPDATE vector_packs SET data = CAST(substr(data, 1, 500) || x'5a' || substr(data, 502) AS BLOB)`,
		"cut":              `UPDATE vector_packs SET data = substr(data, 1, length(data) / 2)`,
		"empty":            `UPDATE vector_packs SET data = x''`,
		"gone":             `DELETE FROM vector_packs`,
		"of another model": `UPDATE vector_models SET name = 'wide2@256' WHERE name = 'wide@256'`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "data", "memory.db")
			s := open(t, path)
			withWide(t, s, 100)
			want := wideHits(t, s, wideVector(5), 20)
			pack(t, s)
			s.Close()
			damageRow(t, path, damage)
			var log lockedLog
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			ok, said := vectorFindings(t, s, false)
			if ok || !strings.Contains(said, "packs") || !strings.Contains(said, "--repair") {
				t.Errorf("check: %v, %s", ok, said)
			}
			if name != "gone" && name != "of another model" {
				if diff := cmp.Diff(want, wideHits(t, s, wideVector(5), 20)); diff != "" {
					t.Errorf("found with damaged packs (-want +got):\n%s", diff)
				}
				if !strings.Contains(log.String(), "packs of vectors dropped") {
					t.Errorf("log: %s", log.String())
				}
			}
			if ok, said := vectorFindings(t, s, true); !ok {
				t.Errorf("repair: %s", said)
			}
			sound(t, s)
			pack(t, s) // where the background dropped them before the repair could
			if _, slots := packs(t, s); slots != 250 {
				t.Errorf("%d vectors are packed after the repair", slots)
			}
		})
	}
}

// Nothing of an erased vector stays, not its signs either, and a pack that was
// prepared before the erasure is not written after it.
func TestEraseLeavesNoSigns(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, filepath.Join(dir, "memory.db"))
	defer s.Close()
	ids := withWide(t, s, 300)
	err := s.PackAround(t.Context(), wide, func() {
		if _, err := s.EraseMemory(t.Context(), "default", ids[7], time.Now()); err != nil {
			t.Fatal(err)
		}
	})
	if !errors.Is(err, sqlite.ErrOtherPacks) {
		t.Errorf("a pack with an erased vector: %v", err)
	}
	pack(t, s)
	signs := func(i, passage int) string {
		return strings.ToLower(string(vector.Signs(vector.Code(wideVectors(i)[passage]))))
	}
	if found := bytesIn(t, dir, signs(11, 3)); len(found) == 0 {
		t.Fatal("signs are not written as they are looked for")
	}
	for _, i := range []int{7, 11, 100, 299} {
		if i != 7 {
			if _, err := s.EraseMemory(t.Context(), "default", ids[i], time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		for p := range wideVectors(i) {
			if found := bytesIn(t, dir, signs(i, p)); len(found) > 0 {
				t.Errorf("signs of passage %d of %d are in %v", p, i, found)
			}
		}
	}
	sound(t, s)
	damageRow(t, filepath.Join(dir, "memory.db"), `UPDATE vector_packs SET data = substr(data, 1, length(data) - 8)`)
	if _, err := s.EraseMemory(t.Context(), "default", ids[50], time.Now()); err != nil {
		t.Fatal(err)
	}
	if n, _ := packs(t, s); n != 0 {
		t.Error("a damaged pack might hold what was erased, and is there")
	}
}

// saveVectorsForever saves vectors and packs them, and says how many are saved.
func saveVectorsForever(ctx context.Context, s *sqlite.Store) error {
	if err := s.UseVectorModel(ctx, store.VectorModel{Name: wide.Model, Dim: wide.Dim}, time.Now()); err != nil {
		return err
	}
	for i := range 1 << 20 {
		m := numbered("a", i)
		if _, err := s.SaveMemory(ctx, m, store.SaveRule{Now: time.Now()}); err != nil {
			return err
		}
		n, err := s.SaveVectors(ctx, wide.Model, []store.TextVector{{ID: m.ID, Version: 1, Units: wideVectors(i % 1000)}})
		if err != nil {
			return err
		}
		fmt.Println(n)
		if err := s.PackVectors(ctx); err != nil {
			return err
		}
	}
	return s.Close()
}

// lockedLog is a log that the background writes to.
type lockedLog struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *lockedLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *lockedLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// Killed while it packs, a process leaves packs that agree with the rows, and every
// vector that was acknowledged.
func TestKilledWhilePacking(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "data", "memory.db")
	open(t, path).Close()
	saved := 0
	for range rounds(t, 4) {
		cmd, stdout, _ := start(t, "vectors", path, "a")
		die := 1 + rand.IntN(60) // after so many vectors
		out := bufio.NewScanner(stdout)
		for n := 0; out.Scan(); n++ {
			if out.Text() == "1" {
				saved++
			}
			if n == die {
				time.Sleep(time.Duration(rand.IntN(2000)) * time.Microsecond) // it packs
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		_ = cmd.Wait() // killed
		s := open(t, path)
		sound(t, s)
		models, err := s.VectorModels(t.Context())
		if err != nil || len(models) > 0 && models[0].Rows < saved {
			t.Errorf("%d vectors acknowledged, kept %+v: %v", saved, models, err)
		}
		s.Close()
	}
	t.Logf("%d vectors acknowledged", saved)
	if saved == 0 {
		t.Error("nothing was acknowledged")
	}
}
