package storetest

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"engram"
	"engram/internal/store"
)

// together runs fn in n goroutines and gives what each said.
func together[T any](n int, fn func(i int) T) []T {
	out := make([]T, n)
	var wg sync.WaitGroup
	for i := range n {
		wg.Go(func() { out[i] = fn(i) })
	}
	wg.Wait()
	return out
}

// counted are the outcomes of saves, and an error for each that failed.
func counted(t *testing.T, f *fixture, n int, st func(i int) store.Store, m func(i int) *engram.Memory) map[store.Outcome]int {
	t.Helper()
	type result struct {
		saved store.Saved
		err   error
	}
	outcomes := map[store.Outcome]int{}
	for _, r := range together(n, func(i int) result {
		saved, err := st(i).SaveMemory(t.Context(), m(i), f.rule())
		return result{saved, err}
	}) {
		if r.err != nil {
			t.Errorf("SaveMemory: %v", r.err)
		}
		outcomes[r.saved.Outcome]++
	}
	return outcomes
}

var concurrencyTests = map[string]func(t *testing.T, f *fixture){
	"equal saves leave one row": func(t *testing.T, f *fixture) {
		got := counted(t, f, 16, func(int) store.Store { return f }, func(int) *engram.Memory { return note("a", "same") })
		same(t, "outcomes", got, map[store.Outcome]int{store.Created: 1, store.Duplicate: 15})
		ms := must(f.ListMemories(t.Context(), store.Filter{Workspace: ws}, store.ByCreated, store.Page{}))(t)
		if len(ms) != 1 || ms[0].DuplicateCount != 16 {
			t.Errorf("memories = %v, want one that was seen 16 times", ms)
		}
	},
	"equal dated saves leave one row": func(t *testing.T, f *fixture) {
		a, b := f.pair(t)
		got := counted(t, f, 16, func(i int) store.Store { return []store.Store{a, b}[i%2] }, func(int) *engram.Memory {
			return note("a", "same", occurred(start))
		})
		same(t, "outcomes", got, map[store.Outcome]int{store.Created: 1, store.Duplicate: 15})
	},
	"one topic, written from two stores": func(t *testing.T, f *fixture) { // C6
		a, b := f.pair(t)
		const n = 8 * 20
		got := counted(t, f, n, func(i int) store.Store { return []store.Store{a, b}[i%2] }, func(i int) *engram.Memory {
			return note("a", fmt.Sprint("text ", i), topic("k"))
		})
		same(t, "outcomes", got, map[store.Outcome]int{store.Created: 1, store.Updated: n - 1})
		ms := must(a.ListMemories(t.Context(), store.Filter{Workspace: ws}, store.ByCreated, store.Page{}))(t)
		if len(ms) != 1 || ms[0].RevisionCount != n || ms[0].Version != n {
			t.Fatalf("memories = %v, want one of %d revisions", ms, n)
		}
		versions := must(b.Versions(t.Context(), ws, ms[0].ID))(t)
		texts := map[string]bool{}
		for i, v := range versions {
			texts[v.Content] = true
			if v.Version != i+1 {
				t.Errorf("version %d is at place %d", v.Version, i)
			}
		}
		if len(texts) != n {
			t.Errorf("%d texts are kept, want %d", len(texts), n)
		}
	},
	"distinct saves into unknown sessions": func(t *testing.T, f *fixture) { // C1, C2
		a, b := f.pair(t)
		const n = 16 * 12
		got := counted(t, f, n, func(i int) store.Store { return []store.Store{a, b}[i%2] }, func(i int) *engram.Memory {
			return note("a", fmt.Sprint("text ", i), session(fmt.Sprint("s", i%5)))
		})
		same(t, "outcomes", got, map[store.Outcome]int{store.Created: n})
		sum := 0
		for _, s := range must(a.ListSessions(t.Context(), ws, nil, store.Page{}))(t) {
			sum += s.Count
		}
		same(t, "memories in sessions", sum, n)
		for _, finding := range must(b.Check(t.Context(), false))(t) {
			if !finding.OK {
				t.Errorf("Check: %+v", finding)
			}
		}
	},
	"two stores see each other's writes at once": func(t *testing.T, f *fixture) {
		a, b := f.pair(t)
		for i := range 10 {
			from, to := a, b
			if i%2 == 1 {
				from, to = b, a
			}
			word := fmt.Sprintf("zebra%c", 'a'+i)
			saved := must(from.SaveMemory(t.Context(), note(word, word), f.rule()))(t)
			same(t, "title", must(to.Memory(t.Context(), ws, saved.ID, false))(t).Title, word)
			same(t, "count", must(to.CountMemories(t.Context(), store.Filter{Workspace: ws}))(t), i+1)
		}
	},
	"readers beside writers": func(t *testing.T, f *fixture) {
		ctx, cancel := context.WithCancel(t.Context())
		var readers sync.WaitGroup
		for range 4 {
			readers.Go(func() {
				last := 0
				for ctx.Err() == nil {
					ms, err := f.ListMemories(t.Context(), store.Filter{Workspace: ws}, store.ByCreated, store.Page{})
					if err != nil || len(ms) < last {
						t.Errorf("ListMemories = %d after %d, %v", len(ms), last, err)
						return
					}
					last = len(ms)
				}
			})
		}
		counted(t, f, 40, func(int) store.Store { return f }, func(i int) *engram.Memory { return note("a", fmt.Sprint(i)) })
		cancel()
		readers.Wait()
	},
	"jobs are claimed once": func(t *testing.T, f *fixture) {
		a, b := f.pair(t)
		const n = 60
		for range n {
			_ = must(a.Enqueue(t.Context(), &store.Job{Workspace: ws, Kind: "k", MaxAttempts: 1, CreatedAt: f.now, RunAt: f.now}))(t)
		}
		claimed := map[int64]int{}
		for _, ids := range together(6, func(i int) (ids []int64) {
			for {
				jobs, err := []store.Store{a, b}[i%2].Claim(t.Context(), []string{"k"}, 3, f.now, 1<<40)
				if err != nil {
					t.Errorf("Claim: %v", err)
				}
				if len(jobs) == 0 {
					return ids
				}
				for _, j := range jobs {
					ids = append(ids, j.ID)
				}
			}
		}) {
			for _, id := range ids {
				claimed[id]++
			}
		}
		for id, times := range claimed {
			if times != 1 {
				t.Errorf("job %d was claimed %d times", id, times)
			}
		}
		same(t, "jobs claimed", len(claimed), n)
	},
	"one holder of a lease": func(t *testing.T, f *fixture) {
		a, b := f.pair(t)
		holders := 0
		for i, got := range together(10, func(i int) bool {
			got, err := []store.Store{a, b}[i%2].AcquireLease(t.Context(), "l", fmt.Sprint(i), f.now, 1<<40)
			if err != nil {
				t.Errorf("AcquireLease %d: %v", i, err)
			}
			return got
		}) {
			if got {
				t.Logf("holder: %d", i)
				holders++
			}
		}
		same(t, "holders", holders, 1)
	},
}
