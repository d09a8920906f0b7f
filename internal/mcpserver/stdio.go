package mcpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// graces are how long calls may take to finish at the end.
type graces struct {
	input     time.Duration // when the client said all it had to say
	stop      time.Duration // when the process is told to end, or is orphaned
	cancelled time.Duration // once their contexts are cancelled
}

var defaultGraces = graces{input: 10 * time.Second, stop: 3 * time.Second, cancelled: time.Second}

// TakeStdout returns the process's standard output for [Server.ServeStdio], and
// points os.Stdout at standard error, so that nothing else gets among the
// protocol's lines. It is for the start of a program.
func TakeStdout() *os.File {
	out := os.Stdout
	os.Stdout = os.Stderr
	log.SetOutput(os.Stderr)
	return out
}

// ServeStdio serves one client on two pipes until its input ends, ctx is done
// or the parent process is gone, after it has answered what was read. What takes
// too long is cancelled then, and left behind if it does not heed that. The
// input is left open, and a read of it may outlive the call.
func (s *Server) ServeStdio(ctx context.Context, in io.Reader, out io.Writer) error {
	c := newConn(in, out, s.turnOf, s.opts.Logger)
	// The SDK is told that the handshake is over: requests may come before it,
	// or without it, and guard answers it.
	session, err := s.sdk(&client{}).Connect(ctx, c, &mcp.ServerSessionOptions{State: &mcp.ServerSessionState{
		InitializeParams: &mcp.InitializeParams{
			ProtocolVersion: handshake,
			Capabilities:    &mcp.ClientCapabilities{},
		},
	}})
	if err != nil {
		return fmt.Errorf("connect: %w", err)
	}
	finished := make(chan struct{})
	go func() {
		defer close(finished)
		if err := session.Wait(); err != nil {
			s.opts.Logger.Debug("session ended", "error", err)
		}
	}()
	read := make(chan error, 1)
	go func() { read <- c.pump() }()

	var cause error
	grace := s.graces.stop
	orphaned, stop := watchParent(s.opts.WatchParent)
	defer stop()
	select {
	case cause = <-read:
		grace = s.graces.input
	case <-ctx.Done():
	case <-orphaned:
		s.opts.Logger.Warn("parent process is gone")
	case <-finished: // the output is closed
		return c.writeError()
	}
	c.end()
	if !within(grace, finished) {
		s.opts.Logger.Warn("calls are cancelled: they did not finish in time", "time", grace)
		c.close() // the SDK cancels what runs
		if !within(s.graces.cancelled, finished) {
			s.opts.Logger.Warn("calls still run at the end")
		}
	}
	if cause == nil {
		cause = c.writeError()
	}
	return cause
}

func within(d time.Duration, done <-chan struct{}) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-done:
		return true
	case <-timer.C:
		return false
	}
}

// watchParent closes orphaned when another process has become the parent of
// this one: some clients die without closing the pipe. Stop ends the watch.
func watchParent(every time.Duration) (orphaned <-chan struct{}, stop func()) {
	gone, stopped := make(chan struct{}), make(chan struct{})
	if every < 0 {
		return gone, func() {}
	}
	parent := os.Getppid()
	go func() {
		ticker := time.NewTicker(every)
		defer ticker.Stop()
		for {
			select {
			case <-stopped:
				return
			case <-ticker.C:
			}
			if os.Getppid() != parent {
				close(gone)
				return
			}
		}
	}()
	return gone, func() { close(stopped) }
}

// turnOf says beside what a message may run.
func (s *Server) turnOf(m *incoming) turn {
	if m.method != "tools/call" {
		return free
	}
	var params struct {
		Name string `json:"name"`
	}
	if json.Unmarshal(m.params, &params) != nil {
		return free
	}
	name := canonical(params.Name)
	i := slices.IndexFunc(s.tools, func(t tool) bool { return t.name == name })
	switch {
	case i < 0:
		return free
	case s.tools[i].readOnly:
		return shared
	}
	return alone
}
