package app

import (
	"sync"
	"time"
)

// cached keeps a value that is dear to find for a while.
type cached[T any] struct {
	ttl   time.Duration
	mu    sync.Mutex
	value T
	until time.Time
}

func (c *cached[T]) get(find func() T) T {
	c.mu.Lock()
	defer c.mu.Unlock()
	if now := time.Now(); now.After(c.until) {
		c.value, c.until = find(), now.Add(c.ttl)
	}
	return c.value
}
