package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"testing"
	"time"

	"engram"
)

// childEnv makes the test binary a server on its own standard streams, so that
// tests see what a client sees: a process and two pipes.
const childEnv = "ENGRAM_TEST_MCP_CHILD"

func TestMain(m *testing.M) {
	if tools, ok := os.LookupEnv(childEnv); ok {
		os.Exit(child(tools))
	}
	os.Exit(m.Run())
}

var testActor = engram.Actor{Name: "mcp", Workspace: engram.DefaultWorkspace, Access: engram.AccessWrite, Origin: engram.OriginAgent}

func child(tools string) int {
	out := TakeStdout()
	fmt.Println("a library prints") // must not reach the client
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, os.Interrupt)
	defer stop()
	f := newFake()
	f.hook = trouble
	s, err := New(f.open, Options{
		Tools: tools, Version: "test", Actor: testActor, WatchParent: 20 * time.Millisecond,
		Logger: slog.New(slog.NewTextHandler(os.Stderr, nil)),
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	if err := s.ServeStdio(ctx, os.Stdin, out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// trouble is what goes wrong in the methods that tests use for nothing else.
func trouble(ctx context.Context, method string) error {
	switch method {
	case "Stats":
		panic("out of bounds")
	case "Timeline":
		fmt.Println("a library prints while it works")
		return errors.New("disk on fire at /secret/path")
	case "Update":
		<-ctx.Done()
		return ctx.Err()
	}
	return nil
}

// peer is a client of a server process.
type peer struct {
	t      *testing.T
	cmd    *exec.Cmd
	in     io.WriteCloser
	lines  chan string
	stderr *strings.Builder
	exited chan error
}

func startPeer(t *testing.T, tools string) *peer {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{t: t, cmd: exec.Command(exe), stderr: &strings.Builder{}, exited: make(chan error, 1), lines: make(chan string, 1000)}
	p.cmd.Env = append(os.Environ(), childEnv+"="+tools)
	p.cmd.Stderr = p.stderr
	if p.in, err = p.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		r := bufio.NewReader(out)
		for {
			line, err := r.ReadString('\n')
			if err != nil {
				break
			}
			p.lines <- strings.TrimSuffix(line, "\n")
		}
		close(p.lines)
		p.exited <- p.cmd.Wait()
	}()
	t.Cleanup(func() {
		p.in.Close()
		p.cmd.Process.Kill()
	})
	return p
}

func (p *peer) send(lines ...string) {
	p.t.Helper()
	for _, line := range lines {
		if _, err := io.WriteString(p.in, line+"\n"); err != nil {
			p.t.Fatalf("send: %v\n%s", err, p.stderr)
		}
	}
}

// receive is the next line of the server, which must be JSON.
func (p *peer) receive() string {
	p.t.Helper()
	select {
	case line, ok := <-p.lines:
		if !ok {
			p.t.Fatalf("the server ended\n%s", p.stderr)
		}
		if !json.Valid([]byte(line)) {
			p.t.Fatalf("not JSON: %q", line)
		}
		return line
	case <-time.After(20 * time.Second):
		p.t.Fatal("no answer")
	}
	return ""
}

// wait is how the process ended; nothing more may have come out of it.
func (p *peer) wait() error {
	p.t.Helper()
	select {
	case err := <-p.exited:
		for line := range p.lines {
			p.t.Errorf("late line %q", line)
		}
		return err
	case <-time.After(20 * time.Second):
		p.t.Fatal("the server did not end")
	}
	return nil
}

// answer is a decoded reply to a tool call.
type answer struct {
	ID     json.RawMessage `json:"id"`
	Result *struct {
		Content []struct {
			Type, Text string
		} `json:"content"`
		Structured json.RawMessage `json:"structuredContent"`
		IsError    bool            `json:"isError"`
	} `json:"result"`
	Error *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

func parseAnswer(t *testing.T, line string) answer {
	t.Helper()
	var a answer
	if err := json.Unmarshal([]byte(line), &a); err != nil {
		t.Fatalf("answer %q: %v", line, err)
	}
	return a
}

func (a answer) text() string {
	if a.Result == nil || len(a.Result.Content) != 1 {
		return ""
	}
	return a.Result.Content[0].Text
}

// toolCall is the line of a tools/call.
func toolCall(id any, tool string, args any) string {
	return asJSON(map[string]any{
		"jsonrpc": "2.0", "id": id, "method": "tools/call",
		"params": map[string]any{"name": tool, "arguments": args},
	})
}
