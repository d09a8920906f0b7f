package remote

import (
	"sync"
	"time"
)

// Breaker keeps requests from a server that does not answer. After so many
// failures in a row it opens for a pause; then one request may try, and the
// others wait for how that ends.
type Breaker struct {
	After int
	Pause time.Duration

	mu       sync.Mutex
	failures int // in a row
	until    time.Time
	trial    bool // one is trying
}

// Enter tells whether a request may be sent; if not, when to ask again: 0 = one
// is trying. Each Enter that may has a [Breaker.Leave].
func (b *Breaker) Enter(now time.Time) (time.Duration, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait := b.until.Sub(now); wait > 0 {
		return wait, false
	}
	if b.failures < b.After {
		return 0, true
	}
	if b.trial {
		return 0, false
	}
	b.trial = true
	return 0, true
}

// Leave ends what Enter began, whatever came of it.
func (b *Breaker) Leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trial = false
}

// Answered says that the server is there.
func (b *Breaker) Answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = 0
}

// Failed says that it is not.
func (b *Breaker) Failed(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	if b.failures >= b.After {
		b.extend(now.Add(b.Pause))
	}
}

// Hold keeps requests back because the server asked for it.
func (b *Breaker) Hold(until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.extend(until)
}

func (b *Breaker) extend(until time.Time) {
	if until.After(b.until) {
		b.until = until
	}
}

// PausedFor is how long no request is sent yet.
func (b *Breaker) PausedFor(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, b.until.Sub(now))
}
