package mcpserver

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestCallsAreGivenUpAfterTheInput has a call that would run for ever: when the
// input is at its end it is cancelled, and left behind where it does not care.
func TestCallsAreGivenUpAfterTheInput(t *testing.T) {
	t.Parallel()
	for name, heeds := range map[string]bool{"a call that heeds it": true, "a call that does not": false} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			release := make(chan struct{})
			defer close(release)
			var cancelled atomic.Bool
			f := newFake()
			f.hook = func(ctx context.Context, _ string) error {
				<-ctx.Done()
				cancelled.Store(true)
				if !heeds {
					<-release
				}
				return ctx.Err()
			}
			s, err := New(f.open, Options{Actor: testActor, WatchParent: -1})
			if err != nil {
				t.Fatal(err)
			}
			s.graces = graces{input: time.Millisecond, stop: time.Hour, cancelled: time.Hour}
			if !heeds {
				s.graces.cancelled = 100 * time.Millisecond
			}
			var out bytes.Buffer
			if err := s.ServeStdio(t.Context(), strings.NewReader(toolCall(1, "mem_search", map[string]any{"query": "x"})+"\n"), &out); err != nil {
				t.Errorf("ended with %v", err)
			}
			if heeds && !cancelled.Load() {
				t.Error("the call was not cancelled")
			}
		})
	}
}

// TestCallsFinishAfterTheInput has a call that is done in time: it is answered.
func TestCallsFinishAfterTheInput(t *testing.T) {
	t.Parallel()
	in, client := io.Pipe()
	started, release := make(chan struct{}), make(chan struct{})
	f := newFake()
	f.hook = func(ctx context.Context, _ string) error {
		close(started)
		select {
		case <-release:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	s, err := New(f.open, Options{Actor: testActor, WatchParent: -1})
	if err != nil {
		t.Fatal(err)
	}
	s.graces.input = time.Hour
	var out bytes.Buffer
	done := make(chan error, 1)
	go func() { done <- s.ServeStdio(t.Context(), in, &out) }()
	if _, err := io.WriteString(client, toolCall(1, "mem_search", map[string]any{"query": "x"})+"\n"); err != nil {
		t.Fatal(err)
	}
	<-started
	client.Close()
	close(release)
	if err := <-done; err != nil {
		t.Errorf("ended with %v", err)
	}
	if a := parseAnswer(t, out.String()); a.Result == nil || a.Result.IsError {
		t.Errorf("answered %s", &out)
	}
}
