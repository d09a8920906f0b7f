package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

var benchSizes = []int{10_000, 100_000}

var benchNow = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// benchMemory is a memory of about 400 characters.
func benchMemory(r *rand.Rand, i int) *engram.Memory {
	var b strings.Builder
	for b.Len() < 400 {
		fmt.Fprintf(&b, "w%d ", r.IntN(20000))
	}
	at := benchNow.Add(time.Duration(i) * time.Second)
	types := []string{"manual", "decision", "bugfix", "discovery", "pattern"}
	m := &engram.Memory{
		Workspace: "default", Kind: engram.KindObservation, Type: types[i%len(types)], Title: fmt.Sprintf("note %d", i), Content: b.String(),
		Project: fmt.Sprintf("project%d", i%20), Scope: engram.ScopeProject, Session: fmt.Sprintf("s%d", i/50), Origin: engram.OriginAgent,
		Trust: 2, CreatedAt: at, Hash: engram.ContentHash(b.String()),
	}
	if i%10 == 0 {
		m.TopicKey = fmt.Sprintf("topic/%d", i)
	}
	if i%500 == 1 {
		m.Type = engram.TypeSessionSummary
	}
	return m
}

// filled is a store with n memories.
func filled(b *testing.B, n int) *sqlite.Store {
	b.Helper()
	s := open(b, filepath.Join(b.TempDir(), "memory.db"))
	b.Cleanup(func() { _ = s.Close() })
	r := rand.New(rand.NewPCG(1, 2))
	for from := 0; from < n; from += 2000 {
		var batch store.Batch
		for i := from; i < min(n, from+2000); i++ {
			batch.Memories = append(batch.Memories, benchMemory(r, i))
		}
		if _, err := s.Import(b.Context(), "default", batch, benchNow); err != nil {
			b.Fatal(err)
		}
	}
	return s
}

// measure reports the median and the 95th percentile of fn beside the mean.
func measure(b *testing.B, fn func(i int) error) {
	b.Helper()
	var took []time.Duration
	i := 0
	for b.Loop() {
		start := time.Now()
		if err := fn(i); err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Since(start))
		i++
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
}

func bySize(b *testing.B, run func(b *testing.B, s *sqlite.Store, n int)) {
	for _, n := range benchSizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			run(b, filled(b, n), n)
		})
	}
}

func BenchmarkSave(b *testing.B) {
	bySize(b, func(b *testing.B, s *sqlite.Store, n int) {
		r := rand.New(rand.NewPCG(3, 4))
		rule := store.SaveRule{Window: 15 * time.Minute}
		measure(b, func(i int) error {
			m := benchMemory(r, n+i)
			rule.Now = m.CreatedAt
			_, err := s.SaveMemory(b.Context(), m, rule)
			return err
		})
	})
}

func BenchmarkImport(b *testing.B) {
	s := filled(b, 10_000)
	r := rand.New(rand.NewPCG(5, 6))
	n := 0
	for b.Loop() {
		b.StopTimer()
		var batch store.Batch
		for i := range 2000 {
			batch.Memories = append(batch.Memories, benchMemory(r, 10_000+n+i))
		}
		b.StartTimer()
		if _, err := s.Import(b.Context(), "default", batch, benchNow); err != nil {
			b.Fatal(err)
		}
		n += 2000
	}
	b.ReportMetric(float64(n)/b.Elapsed().Seconds(), "memories/s")
}

func BenchmarkList(b *testing.B) {
	filters := []struct {
		name   string
		filter store.Filter
		order  store.Order
	}{
		{"all", store.Filter{}, store.ByCreated},
		{"project", store.Filter{Projects: []string{"project7"}}, store.ByActivity},
		{"project+global", store.Filter{Projects: []string{"project7"}, Global: true}, store.ByActivity},
		{"type", store.Filter{Types: []string{engram.TypeSessionSummary}}, store.ByActivity},
		{"project+type", store.Filter{Projects: []string{"project1"}, Types: []string{engram.TypeSessionSummary}}, store.ByActivity},
		{"pinned", store.Filter{Projects: []string{"project7"}, Pinned: true}, store.ByActivity},
		{"tasks", store.Filter{Projects: []string{"project7"}, OpenTasks: true}, store.ByActivity},
		{"session", store.Filter{Session: "s7"}, store.ByOccurred},
		{"window", store.Filter{Projects: []string{"project7"}, Since: benchNow, Until: benchNow.Add(time.Hour)}, store.ByOccurred},
		{"personal", store.Filter{Scopes: []engram.Scope{engram.ScopePersonal}}, store.ByCreated},
		{"deleted", store.Filter{Deleted: store.OnlyDeleted}, store.ByCreated},
	}
	bySize(b, func(b *testing.B, s *sqlite.Store, _ int) {
		for _, f := range filters {
			f.filter.Workspace = "default"
			b.Run(f.name, func(b *testing.B) {
				measure(b, func(int) error {
					_, err := s.ListMemories(b.Context(), f.filter, f.order, store.Page{Limit: 20})
					return err
				})
			})
		}
		b.Run("count", func(b *testing.B) {
			measure(b, func(int) error {
				_, err := s.CountMemories(b.Context(), store.Filter{Workspace: "default", Projects: []string{"project7"}, Global: true})
				return err
			})
		})
		b.Run("timeline", func(b *testing.B) {
			measure(b, func(i int) error {
				_, err := s.Timeline(b.Context(), "default", int64(1+i%9000), 5, 5)
				return err
			})
		})
		b.Run("by-id", func(b *testing.B) {
			ids := make([]int64, 100)
			for i := range ids {
				ids[i] = int64(1 + i*97%9000)
			}
			measure(b, func(int) error {
				_, err := s.MemoriesByID(b.Context(), store.Filter{Workspace: "default"}, ids)
				return err
			})
		})
		b.Run("by-id-as-of", func(b *testing.B) {
			ids := make([]int64, 100)
			for i := range ids {
				ids[i] = int64(1 + i*97%9000)
			}
			measure(b, func(int) error {
				_, err := s.MemoriesByID(b.Context(), store.Filter{Workspace: "default", AsOf: benchNow.Add(2 * time.Hour)}, ids)
				return err
			})
		})
		b.Run("get", func(b *testing.B) {
			measure(b, func(i int) error {
				_, err := s.Memory(b.Context(), "default", int64(1+i%9000), false)
				return err
			})
		})
		b.Run("projects", func(b *testing.B) {
			measure(b, func(int) error { _, err := s.ListProjects(b.Context(), "default"); return err })
		})
		b.Run("stats", func(b *testing.B) {
			measure(b, func(int) error { _, err := s.Stats(b.Context(), "default", nil); return err })
		})
		b.Run("sessions", func(b *testing.B) {
			measure(b, func(int) error {
				_, err := s.ListSessions(b.Context(), "default", []string{"project7"}, store.Page{Limit: 5})
				return err
			})
		})
	})
}

func BenchmarkErase(b *testing.B) {
	bySize(b, func(b *testing.B, s *sqlite.Store, _ int) {
		measure(b, func(i int) error {
			_, err := s.EraseMemory(b.Context(), "default", int64(1+i*7), benchNow)
			return err
		})
	})
}

func BenchmarkOpen(b *testing.B) {
	bySize(b, func(b *testing.B, s *sqlite.Store, _ int) {
		path := must(s.Stats(b.Context(), "default", nil)).Path
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		measure(b, func(int) error {
			again, err := sqlite.Open(b.Context(), path, sqlite.Options{})
			if err != nil {
				return err
			}
			return again.Close()
		})
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}
