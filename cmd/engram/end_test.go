//go:build unix

package main

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"
)

// soon is how long the end of a process may take here, where tests share the
// machine; a process that does not end takes for ever.
const soon = 30 * time.Second

// waitSoon waits for a process that should end.
func waitSoon(t *testing.T, cmd *exec.Cmd) error {
	t.Helper()
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		return err
	case <-time.After(soon):
		_ = cmd.Process.Kill()
		t.Fatalf("%v has not ended after %v", cmd.Args, soon)
		return nil
	}
}

// An agent whose client is killed ends, also where somebody else still holds its
// input open, and what it acknowledged is there.
func TestAgentEndsWithItsParent(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	cmd := engram(t, dir, "mcp")
	// A shell between: the input stays open when it dies, since this test holds it too.
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", `exec 3<&0; "$0" mcp <&3 3<&- & wait`, os.Args[0]}
	a := startAgent(t, cmd)
	if _, err := a.save("the parent lives"); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { // its output closes when the agent is gone
		for a.out.Scan() {
		}
		ended <- a.out.Err()
	}()
	select {
	case <-ended:
	case <-time.After(soon):
		t.Fatalf("the agent outlives its parent by %v", soon)
	}
	_ = cmd.Wait() // killed, which is an error
	if got := total(t, dir); got != 1 {
		t.Errorf("%d memories, want 1", got)
	}
}

// Asked to end, a server answers what it is doing, takes nothing new, and ends well.
func TestServerEndsOnSIGTERM(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := serve(t, dir)
	// The server has begun with a request once it asks for its body.
	asked := make(chan struct{})
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{Got100Continue: func() { close(asked) }})
	body, give := io.Pipe()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url+"/observations", body)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.token)
	req.Header.Set("Expect", "100-continue")
	client := http.Client{Transport: &http.Transport{ExpectContinueTimeout: soon}}
	type answer struct {
		status int
		body   string
		err    error
	}
	answered := make(chan answer, 1)
	go func() {
		resp, err := client.Do(req)
		if err != nil {
			answered <- answer{err: err}
			return
		}
		defer resp.Body.Close()
		b, err := io.ReadAll(resp.Body)
		answered <- answer{resp.StatusCode, string(b), err}
	}()
	<-asked
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	untilRefused(t, s.url)
	if _, err := io.WriteString(give, `{"session_id":"rest","type":"manual","title":"last","content":"the last one","project":"shop"}`); err != nil {
		t.Fatal(err)
	}
	if err := give.Close(); err != nil {
		t.Fatal(err)
	}
	if a := <-answered; a.err != nil || a.status != http.StatusCreated {
		t.Errorf("the request under way: %d %s, %v", a.status, a.body, a.err)
	}
	if err := waitSoon(t, s.cmd); err != nil {
		t.Errorf("serve after SIGTERM: %v", err)
	}
	if got := total(t, dir); got != 1 {
		t.Errorf("%d memories, want 1", got)
	}
}

// untilRefused waits until a server takes no more connections.
func untilRefused(t *testing.T, base string) {
	t.Helper()
	u, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(soon); ; {
		conn, err := (&net.Dialer{}).DialContext(t.Context(), "tcp", u.Host)
		if err != nil {
			return
		}
		_ = conn.Close()
		if time.Now().After(deadline) {
			t.Fatal("the server still takes connections")
		}
	}
}

// Asked to end, an agent answers every call that it has begun: as many are
// answered as are stored.
func TestAgentEndsOnSIGTERM(t *testing.T) {
	t.Parallel()
	for range rounds(2) {
		dir := t.TempDir()
		a := mcp(t, dir)
		const calls = 200
		for i := range calls {
			if _, err := a.send("mem_save", map[string]any{"title": "note", "content": fmt.Sprintf("note %d before the end", i)}); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := a.read(); err != nil {
			t.Fatal(err)
		}
		if err := a.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		answered := 1
		for a.out.Scan() {
			var r reply
			if err := json.Unmarshal(a.out.Bytes(), &r); err != nil {
				t.Fatalf("%v: %s", err, a.out.Bytes())
			}
			if r.Error == nil && !r.Result.IsError {
				answered++
			}
		}
		if err := waitSoon(t, a.cmd); err != nil {
			t.Errorf("mcp after SIGTERM: %v", err)
		}
		// Where the time was up, the call under way may be stored without its answer.
		if got := total(t, dir); got < answered || got > answered+1 {
			t.Errorf("%d calls were answered, %d memories are stored", answered, got)
		}
		t.Logf("%d of %d calls were answered", answered, calls)
	}
}
