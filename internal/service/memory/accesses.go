package memory

import (
	"context"
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

// accesses counts what is returned, without making an answer wait for a write.
// One goroutine at a time writes what has gathered, and ends when there is
// nothing more. The zero value is ready.
type accesses struct {
	mu      sync.Mutex
	waiting []access
	running bool
	closed  bool
	ended   sync.WaitGroup
}

// maxWaiting bounds what waits behind a store that is slow to write; what is
// over it is not counted.
const maxWaiting = 1000

func (a *accesses) add(st store.Store, x access) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.closed || len(a.waiting) >= maxWaiting {
		return
	}
	a.waiting = append(a.waiting, x)
	if a.running {
		return
	}
	a.running = true
	a.ended.Go(func() { a.write(st) })
}

func (a *accesses) write(st store.Store) {
	for {
		a.mu.Lock()
		batch := a.waiting
		a.waiting = nil
		a.running = len(batch) > 0
		a.mu.Unlock()
		if len(batch) == 0 {
			return
		}
		for _, x := range batch {
			// Nothing depends on the count being exact, and there is nobody left to
			// tell: the answer is given.
			_ = st.TouchMemories(context.Background(), x.workspace, x.ids, x.at)
		}
	}
}

// close waits until what has gathered is written; later accesses do not count.
func (a *accesses) close() {
	a.mu.Lock()
	a.closed = true
	a.mu.Unlock()
	a.ended.Wait()
}
