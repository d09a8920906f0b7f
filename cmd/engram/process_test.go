package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// rounds is how often a test of processes is repeated: few here, many with
// ENGRAM_TEST_ROUNDS at night.
func rounds(few int) int {
	if n, err := strconv.Atoi(os.Getenv("ENGRAM_TEST_ROUNDS")); err == nil {
		return n
	}
	return few
}

// engram is the program with args on the data directory dir, not started.
func engram(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], args...)
	cmd.Dir = t.TempDir()
	cmd.Env = append(os.Environ(), asEngram+"=1", "ENGRAM_DATA_DIR="+dir, "HOME="+t.TempDir(), "ENGRAM_PROJECT=shop", "GORACE=atexit_sleep_ms=0")
	cmd.WaitDelay = 10 * time.Second
	return cmd
}

// run runs the program and gives its output.
func run(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := engram(t, dir, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Errorf("engram %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.String())
	}
	return string(out)
}

// total is how many memories the store has.
func total(t *testing.T, dir string) int {
	t.Helper()
	var stats struct {
		Total int `json:"total_observations"`
	}
	if err := json.Unmarshal([]byte(run(t, dir, "stats", "--json")), &stats); err != nil {
		t.Fatal(err)
	}
	return stats.Total
}

// server is a running `engram serve`.
type server struct {
	cmd        *exec.Cmd
	url, token string
	client     http.Client
}

func serve(t *testing.T, dir string) *server {
	t.Helper()
	return serving(t, engram(t, dir, "serve", "--port", "0", "--json"))
}

// serving starts cmd, which is or becomes `engram serve`.
func serving(t *testing.T, cmd *exec.Cmd) *server {
	t.Helper()
	s := &server{cmd: cmd}
	s.cmd.Stderr = os.Stderr
	out, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var ready struct {
		URL       string `json:"url"`
		TokenFile string `json:"token_file"`
	}
	if err := json.NewDecoder(out).Decode(&ready); err != nil {
		t.Fatal(err)
	}
	token, err := os.ReadFile(ready.TokenFile)
	if err != nil {
		t.Fatal(err)
	}
	s.url, s.token = ready.URL, strings.TrimSpace(string(token))
	return s
}

func (s *server) do(method, path string, body any) (int, []byte, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return 0, nil, err
	}
	req, err := http.NewRequest(method, s.url+path, bytes.NewReader(data))
	if err != nil {
		return 0, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Authorization", "Bearer "+s.token)
	resp, err := s.client.Do(req)
	if err != nil {
		return 0, nil, err
	}
	defer resp.Body.Close()
	answer, err := io.ReadAll(resp.Body)
	return resp.StatusCode, answer, err
}

// save saves one memory over REST and gives its id.
func (s *server) save(content string) (int64, error) {
	status, answer, err := s.do("POST", "/observations", map[string]string{
		"session_id": "rest", "type": "manual", "title": content, "content": content, "project": "shop",
	})
	if err != nil {
		return 0, err
	}
	var saved struct {
		ID int64 `json:"id"`
	}
	if status != http.StatusCreated {
		return 0, fmt.Errorf("status %d: %s", status, answer)
	}
	return saved.ID, json.Unmarshal(answer, &saved)
}

// finds is how many memories a search over REST gives.
func (s *server) finds(t *testing.T, query string) int {
	t.Helper()
	_, answer, err := s.do("GET", "/search?project=shop&q="+url.QueryEscape(query), nil)
	if err != nil {
		t.Fatal(err)
	}
	var hits []json.RawMessage
	if err := json.Unmarshal(answer, &hits); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	return len(hits)
}

// stop ends the server as a service manager does.
func (s *server) stop(t *testing.T) {
	t.Helper()
	if err := s.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
	if err := s.cmd.Wait(); err != nil {
		t.Errorf("serve after SIGTERM: %v", err)
	}
}

// agent is a running `engram mcp` with a client.
type agent struct {
	cmd  *exec.Cmd
	in   io.WriteCloser
	out  *bufio.Scanner
	next int
}

func mcp(t *testing.T, dir string) *agent {
	t.Helper()
	return startAgent(t, engram(t, dir, "mcp"))
}

// startAgent starts cmd, which is or becomes `engram mcp`.
func startAgent(t *testing.T, cmd *exec.Cmd) *agent {
	t.Helper()
	a := &agent{cmd: cmd}
	a.cmd.Stderr = os.Stderr
	var err error
	if a.in, err = a.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	out, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	a.out = bufio.NewScanner(out)
	a.out.Buffer(nil, 1<<24)
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return a
}

// send sends a tool call and gives its id.
func (a *agent) send(tool string, args map[string]any) (int, error) {
	a.next++
	line, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0", "id": a.next, "method": "tools/call", "params": map[string]any{"name": tool, "arguments": args},
	})
	if err != nil {
		return 0, err
	}
	_, err = a.in.Write(append(line, '\n'))
	return a.next, err
}

// reply is the answer to a tool call.
type reply struct {
	ID     int
	Result struct {
		IsError           bool
		StructuredContent json.RawMessage
		Content           []struct{ Text string }
	}
	Error json.RawMessage
}

func (a *agent) read() (reply, error) {
	var r reply
	if !a.out.Scan() {
		return r, io.ErrUnexpectedEOF
	}
	if err := json.Unmarshal(a.out.Bytes(), &r); err != nil {
		return r, fmt.Errorf("%w: %s", err, a.out.Bytes())
	}
	if r.Error != nil || r.Result.IsError {
		return r, fmt.Errorf("answer %s", a.out.Bytes())
	}
	return r, nil
}

func (a *agent) call(tool string, args map[string]any) (reply, error) {
	if _, err := a.send(tool, args); err != nil {
		return reply{}, err
	}
	return a.read()
}

func (a *agent) save(content string) (int64, error) {
	r, err := a.call("mem_save", map[string]any{"title": content, "content": content})
	if err != nil {
		return 0, err
	}
	var saved struct {
		ID int64 `json:"id"`
	}
	return saved.ID, json.Unmarshal(r.Result.StructuredContent, &saved)
}

// finds reports whether a search's answer names a title.
func (a *agent) finds(t *testing.T, query, title string) bool {
	t.Helper()
	r, err := a.call("mem_search", map[string]any{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Contains(r.Result.StructuredContent, []byte(title))
}

// end closes the agent's input, which ends it.
func (a *agent) end(t *testing.T) {
	t.Helper()
	if err := a.in.Close(); err != nil {
		t.Error(err)
	}
	if err := a.cmd.Wait(); err != nil {
		t.Errorf("mcp after the end of its input: %v", err)
	}
}

// Two agents and a server write at once: nothing fails, nothing is lost, and
// each finds what the others saved in its next search (C4).
func TestProcessesWriteTogether(t *testing.T) {
	t.Parallel()
	const each = 60
	dir := t.TempDir()
	a, b, s := mcp(t, dir), mcp(t, dir), serve(t, dir)
	var wg sync.WaitGroup
	for name, save := range map[string]func(string) (int64, error){"alpha": a.save, "beta": b.save, "gamma": s.save} {
		wg.Go(func() {
			for i := range each {
				if _, err := save(fmt.Sprintf("%s note %d", name, i)); err != nil {
					t.Errorf("%s, save %d: %v", name, i, err)
				}
			}
		})
	}
	wg.Wait()
	for i, word := range []string{"zeppelin", "quokka", "xylophone"} {
		save := []func(string) (int64, error){a.save, b.save, s.save}[i]
		if _, err := save("the " + word + " was seen"); err != nil {
			t.Fatal(err)
		}
		if x, y, n := a.finds(t, word, word), b.finds(t, word, word), s.finds(t, word); !x || !y || n != 1 {
			t.Errorf("%q is found by the processes: %v, %v, %d memories, want each to find the one in its next search", word, x, y, n)
		}
	}
	a.end(t)
	b.end(t)
	s.stop(t)
	if got := total(t, dir); got != 3*each+3 {
		t.Errorf("%d memories, want %d", got, 3*each+3)
	}
}

// Sixteen clients at one server (C1).
func TestProcessConcurrentWriters(t *testing.T) {
	t.Parallel()
	const clients, each = 16, 60
	dir := t.TempDir()
	s := serve(t, dir)
	s.client.Transport = &http.Transport{MaxIdleConnsPerHost: clients}
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := range each {
				if _, err := s.save(fmt.Sprintf("client %d note %d", c, i)); err != nil {
					t.Errorf("client %d, save %d: %v", c, i, err)
				}
			}
		})
	}
	wg.Wait()
	s.stop(t)
	if got := total(t, dir); got != clients*each {
		t.Errorf("%d memories, want %d", got, clients*each)
	}
}

// Sixty saves sent without waiting for an answer (C3).
func TestProcessPipelinedSaves(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := mcp(t, dir)
	open := map[int]bool{}
	for i := range 60 {
		id, err := a.send("mem_save", map[string]any{"title": "note", "content": fmt.Sprintf("pipelined note %d", i)})
		if err != nil {
			t.Fatal(err)
		}
		open[id] = true
	}
	for range 60 {
		r, err := a.read()
		if err != nil {
			t.Error(err)
		}
		delete(open, r.ID)
	}
	if len(open) > 0 {
		t.Errorf("calls without an answer: %v", open)
	}
	a.end(t)
	if got := total(t, dir); got != 60 {
		t.Errorf("%d memories, want 60", got)
	}
}

// Six programs that start at once on an empty directory (C5).
func TestProcessesStartTogether(t *testing.T) {
	t.Parallel()
	for range rounds(2) {
		dir := filepath.Join(t.TempDir(), "fresh")
		var wg sync.WaitGroup
		for i := range 6 {
			wg.Go(func() { run(t, dir, "save", "note", fmt.Sprintf("note %d", i)) })
		}
		wg.Wait()
		if got := total(t, dir); got != 6 {
			t.Errorf("%d memories, want 6", got)
		}
	}
}

// Killed in the middle of writes, every acknowledged save is there.
func TestKilledProcessesLoseNothing(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("processes are killed by signal here")
	}
	dir := filepath.Join(t.TempDir(), "data") // made by the program, for its owner only
	var saved []int64
	for round := range rounds(2) {
		a, s := mcp(t, dir), serve(t, dir)
		var mu sync.Mutex
		var wg sync.WaitGroup
		acknowledged := make(chan struct{}, 1<<16)
		for name, save := range map[string]func(string) (int64, error){"agent": a.save, "server": s.save} {
			wg.Go(func() {
				for i := 0; ; i++ {
					id, err := save(fmt.Sprintf("%s round %d note %d", name, round, i))
					if err != nil {
						return // killed
					}
					mu.Lock()
					saved = append(saved, id)
					mu.Unlock()
					acknowledged <- struct{}{}
				}
			})
		}
		for range 20 + 7*round%50 {
			<-acknowledged
		}
		for _, p := range []*exec.Cmd{a.cmd, s.cmd} {
			if err := p.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
		wg.Wait()
		_, _ = a.cmd.Wait(), s.cmd.Wait() // killed, which is an error
	}
	there := stored(t, dir)
	for _, id := range saved {
		if !there[id] {
			t.Errorf("memory %d was acknowledged and is gone", id)
		}
	}
	t.Logf("%d acknowledged saves, %d memories", len(saved), len(there))
	run(t, dir, "doctor")
}

// stored are the ids of what a store has.
func stored(t *testing.T, dir string) map[int64]bool {
	t.Helper()
	there := map[int64]bool{}
	for cursor := ""; ; {
		var list struct {
			Items []struct {
				ID int64 `json:"id"`
			} `json:"items"`
			Next string `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(run(t, dir, "list", "--all", "--limit", "1000", "--cursor", cursor, "--json")), &list); err != nil {
			t.Fatal(err)
		}
		for _, m := range list.Items {
			there[m.ID] = true
		}
		if cursor = list.Next; cursor == "" {
			return there
		}
	}
}

// A program that ends leaves no log behind (X3).
func TestProcessesEndClean(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a, s := mcp(t, dir), serve(t, dir)
	if _, err := a.save("a note"); err != nil {
		t.Fatal(err)
	}
	if _, err := s.save("another note"); err != nil {
		t.Fatal(err)
	}
	s.stop(t)
	a.end(t)
	for _, name := range []string{"memory.db-wal", "memory.db-shm"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && info.Size() > 0 {
			t.Errorf("%s is left with %d bytes", name, info.Size())
		}
	}
}
