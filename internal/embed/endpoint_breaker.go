package embed

import (
	"sync"
	"time"
)

// breaker keeps requests from a server that does not answer. After so many
// failures in a row it opens for a pause; then one request may try, and the
// others wait for how that ends.
type breaker struct {
	after int
	pause time.Duration

	mu       sync.Mutex
	failures int // in a row
	until    time.Time
	trial    bool // one is trying
}

// enter tells whether a request may be sent; if not, when to ask again. Each
// enter that may has a leave.
func (b *breaker) enter(now time.Time) (time.Duration, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait := b.until.Sub(now); wait > 0 {
		return wait, false
	}
	if b.failures < b.after {
		return 0, true
	}
	if b.trial {
		return 0, false
	}
	b.trial = true
	return 0, true
}

// leave ends what enter began, whatever came of it.
func (b *breaker) leave() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.trial = false
}

// answered says that the server is there.
func (b *breaker) answered() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures = 0
}

// failed says that it is not.
func (b *breaker) failed(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.failures++
	if b.failures >= b.after {
		b.extend(now.Add(b.pause))
	}
}

// hold keeps requests back because the server asked for it.
func (b *breaker) hold(until time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.extend(until)
}

func (b *breaker) extend(until time.Time) {
	if until.After(b.until) {
		b.until = until
	}
}

func (b *breaker) pausedFor(now time.Time) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return max(0, b.until.Sub(now))
}
