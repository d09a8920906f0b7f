package memory

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"engram/internal/store"
)

// access is what one answer returned.
type access struct {
	workspace string
	ids       []int64
	at        time.Time
}

// How long accesses gather before they are written together, and how many
// answers may wait: what is over it is not counted.
const (
	gatherAccesses = 250 * time.Millisecond
	maxAccesses    = 5000
)

// accesses counts what is returned, without making an answer wait for a write.
// One goroutine at a time waits for more to gather, writes, and ends.
type accesses struct {
	mu      sync.Mutex
	waiting []access
	running bool
	closed  bool
	stop    chan struct{} // closed to write at once
	ended   sync.WaitGroup
}

func newAccesses() *accesses { return &accesses{stop: make(chan struct{})} }

func (a *accesses) add(st store.Store, x access) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || len(a.waiting) >= maxAccesses {
		return
	}
	a.waiting = append(a.waiting, x)
	if !a.running {
		a.running = true
		a.ended.Go(func() { a.write(st) })
	}
}

func (a *accesses) write(st store.Store) {
	timer := time.NewTimer(gatherAccesses)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-a.stop:
	}
	a.mu.Lock()
	batch := a.waiting
	a.waiting, a.running = nil, false
	a.mu.Unlock()
	for _, x := range merge(batch) {
		// Nothing depends on the count being exact, and nobody is left to tell: the
		// answer is given.
		_ = st.TouchMemories(context.Background(), x.workspace, x.ids, x.at)
	}
}

// merge gives as few accesses as count the same: what was returned n times is
// in n of them. All of a workspace have its latest time.
func merge(batch []access) []access {
	counts := map[string]map[int64]int{}
	latest := map[string]time.Time{}
	for _, x := range batch {
		if counts[x.workspace] == nil {
			counts[x.workspace] = map[int64]int{}
		}
		for _, id := range x.ids {
			counts[x.workspace][id]++
		}
		if x.at.After(latest[x.workspace]) {
			latest[x.workspace] = x.at
		}
	}
	var out []access
	for workspace, left := range counts {
		for len(left) > 0 {
			out = append(out, access{workspace, slices.Sorted(maps.Keys(left)), latest[workspace]})
			for id := range left {
				if left[id]--; left[id] == 0 {
					delete(left, id)
				}
			}
		}
	}
	return out
}

// close writes what has gathered; later accesses do not count. A second call
// does nothing.
func (a *accesses) close() {
	a.mu.Lock()
	if !a.closed {
		a.closed = true
		close(a.stop)
	}
	a.mu.Unlock()
	a.ended.Wait()
}
