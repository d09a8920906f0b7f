package mcpserver

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

const modernMeta = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},` +
	`"io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"}}`

func initializeLine(id any, version string) string {
	return asJSON(map[string]any{"jsonrpc": "2.0", "id": id, "method": "initialize", "params": map[string]any{
		"protocolVersion": version, "capabilities": map[string]any{}, "clientInfo": map[string]any{"name": "t", "version": "1"},
	}})
}

func TestBothErasInAnyOrder(t *testing.T) {
	t.Parallel()
	discover := `{"jsonrpc":"2.0","id":"d","method":"server/discover","params":{` + modernMeta + `}}`
	modernList := `{"jsonrpc":"2.0","id":"m","method":"tools/list","params":{` + modernMeta + `}}`
	legacyList := `{"jsonrpc":"2.0","id":"l","method":"tools/list"}`
	initialized := `{"jsonrpc":"2.0","method":"notifications/initialized"}`
	for _, tt := range []struct {
		name  string
		lines []string
	}{
		{"discover, then initialize", []string{discover, initializeLine(1, "2025-06-18"), initialized, legacyList, modernList}},
		{"initialize, then discover", []string{initializeLine(1, "2025-11-25"), initialized, discover, modernList, legacyList}},
		{"no handshake at all", []string{legacyList, modernList}},
		{"initialized before initialize, twice over", []string{initialized, initializeLine(1, "2024-11-05"), initialized, initializeLine(2, "2025-03-26"), initialized, legacyList}},
		{"modern only", []string{discover, modernList}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := startPeer(t, "all")
			for _, line := range tt.lines {
				p.send(line)
				if line == initialized {
					continue
				}
				got := p.receive()
				if a := parseAnswer(t, got); a.Error != nil {
					t.Errorf("%s\n answered %s", line, got)
				}
				switch line {
				case discover:
					if !strings.Contains(got, `"supportedVersions":["2026-07-28",`) || !strings.Contains(got, `"instructions"`) {
						t.Errorf("discover answered %s", got)
					}
				case modernList, legacyList:
					if strings.Count(got, `"inputSchema"`) != len(catalogue()) {
						t.Errorf("list answered %s", got)
					}
				}
			}
		})
	}
}

func TestVersionsNegotiated(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "all")
	for asked, want := range map[string]string{
		"2024-11-05": "2024-11-05", "2025-03-26": "2025-03-26", "2025-06-18": "2025-06-18", "2025-11-25": "2025-11-25",
		"2026-07-28": "2025-11-25", "1999-01-01": "2025-11-25", "2099-01-01": "2025-11-25", "": "2025-11-25", "nonsense": "2025-11-25",
	} {
		p.send(initializeLine(1, asked))
		if got := p.receive(); !strings.Contains(got, `"protocolVersion":"`+want+`"`) {
			t.Errorf("asked %q, answered %s", asked, got)
		}
	}
	p.send(`{"jsonrpc":"2.0","id":1,"method":"initialize"}`)
	if got := p.receive(); !strings.Contains(got, `"protocolVersion":"2025-11-25"`) {
		t.Errorf("initialize without params answered %s", got)
	}
	p.send(strings.Replace(`{"jsonrpc":"2.0","id":"m","method":"tools/list","params":{`+modernMeta+`}}`, "2026-07-28", "2031-01-01", 1))
	if a := parseAnswer(t, p.receive()); a.Error == nil || a.Error.Code != -32022 {
		t.Errorf("version of the future answered %+v", a)
	}
}

// TestHostileLines sends what breaks naive servers. Each line has the answer
// that belongs to it, and the stream goes on behind it.
func TestHostileLines(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 20<<20)
	ping := `{"jsonrpc":"2.0","id":"ping","method":"ping"}`
	for _, tt := range []struct{ name, line, id, want string }{
		{"malformed", `{"jsonrpc":"2.0","id":1,`, `null`, `"code":-32700`},
		{"two on a line", ping + ping, `null`, `"code":-32700`},
		{"not an object", `7`, `null`, `"code":-32600`},
		{"text", `"hello"`, `null`, `"code":-32600`},
		{"empty object", `{}`, `null`, `"code":-32600`},
		{"no version", `{"id":5,"method":"ping"}`, `5`, `"code":-32600`},
		{"wrong version", `{"jsonrpc":"1.0","id":5,"method":"ping"}`, `5`, `"code":-32600`},
		{"no method", `{"jsonrpc":"2.0","id":5}`, `5`, `"code":-32600`},
		{"method is a number", `{"jsonrpc":"2.0","id":5,"method":7}`, `5`, `"code":-32600`},
		{"id null", `{"jsonrpc":"2.0","id":null,"method":"ping"}`, `null`, `"code":-32600`},
		{"id a list", `{"jsonrpc":"2.0","id":[1],"method":"ping"}`, `null`, `"code":-32600`},
		{"keys in capitals", `{"jsonrpc":"2.0","ID":1,"METHOD":"ping"}`, `null`, `"code":-32600`},
		{"unknown method", `{"jsonrpc":"2.0","id":5,"method":"no/such"}`, `5`, `"code":-32601`},
		{"params a list", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":[1]}`, `5`, `"code":-32602`},
		{"no params", `{"jsonrpc":"2.0","id":5,"method":"tools/call"}`, `5`, `"code":-32600`},
		{"name a number", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":7}}`, `5`, `"code":-32602`},
		{"unknown tool", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"nope"}}`, `5`, `"code":-32602`},
		{"invalid UTF-8", "{\"jsonrpc\":\"2.0\",\"id\":5,\"method\":\"ping\",\"params\":{\"x\":\"\xff\xfe\"}}", `5`, `"code":-32700,"message":"parse error: the line is not valid UTF-8 at byte 55"`},
		{"deep nesting", `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"mem_save","arguments":` + strings.Repeat("[", 9000) + strings.Repeat("]", 9000) + `}}`, `5`, `"code":-32602`},
		{"deeper than any", strings.Repeat("[", 100000), `null`, `"code":-32700`},
		{"20 MB, id first", `{"jsonrpc":"2.0","id":77,"method":"tools/call","params":{"name":"mem_save","arguments":{"id":9,"content":"` + long + `"}}}`, `77`, `longer than 16 MB`},
		{"20 MB, id last", `{"method":"tools/call","params":{"name":"mem_save","arguments":{"id":"9","content":"` + long + `\""}},"jsonrpc":"2.0","id":"last"}`, `"last"`, `longer than 16 MB`},
		{"20 MB of nothing", long, `null`, `longer than 16 MB`},
		{"CRLF", ping + "\r", `"ping"`, `"result":{}`},
		{"byte order mark", "\ufeff" + ping, `"ping"`, `"result":{}`},
		{"blanks around", "  \t" + ping + "  ", `"ping"`, `"result":{}`},
		{"fractional id", `{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, `1.5`, `"result":{}`},
		{"id over 64 bits", `{"jsonrpc":"2.0","id":12345678901234567890,"method":"ping"}`, `12345678901234567890`, `"result":{}`},
		{"negative id", `{"jsonrpc":"2.0","id":-0,"method":"ping"}`, `-0`, `"result":{}`},
		{"id with escapes", `{"jsonrpc":"2.0","id":"a\u0062\"\n","method":"ping"}`, `"a\u0062\"\n"`, `"result":{}`},
		{"empty id", `{"jsonrpc":"2.0","id":"","method":"ping"}`, `""`, `"result":{}`},
		{"params null", `{"jsonrpc":"2.0","id":5,"method":"ping","params":null}`, `5`, `"result":{}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := startPeer(t, "all")
			p.send("", "\r", tt.line)
			got := p.receive()
			if a := parseAnswer(t, got); string(a.ID) != tt.id || !strings.Contains(got, tt.want) {
				t.Errorf("answered %.300s\nwant id %s and %s", got, tt.id, tt.want)
			}
			if len(got) > 1000 {
				t.Errorf("the answer has %d bytes", len(got))
			}
			p.send(ping)
			if got := p.receive(); got != `{"jsonrpc":"2.0","id":"ping","result":{}}` {
				t.Errorf("afterwards ping answered %s", got)
			}
		})
	}
}

func TestNeverAnswered(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "all")
	p.send(
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","method":"notifications/no-such","params":{"a":1}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":99}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled"}`,
		`{"jsonrpc":"2.0","method":"tools/list"}`,
		`{"jsonrpc":"2.0","method":"tools/call","params":{"name":"mem_save","arguments":{"title":"t","content":"c"}}}`,
		`{"jsonrpc":"2.0","id":3,"result":{}}`,
		`{"jsonrpc":"2.0","id":3,"error":{"code":1,"message":"m"}}`,
		`[{"jsonrpc":"2.0","method":"notifications/initialized"}]`,
		`{"jsonrpc":"2.0","id":"ping","method":"ping"}`,
	)
	if got := p.receive(); got != `{"jsonrpc":"2.0","id":"ping","result":{}}` {
		t.Errorf("first answer is %s", got)
	}
	p.in.Close()
	if err := p.wait(); err != nil {
		t.Errorf("ended with %v\n%s", err, p.stderr)
	}
}

func TestBatches(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "all")
	for _, tt := range []struct {
		name, line string
		ids        []string
	}{
		{"one", `[{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{`1`}},
		{"calls, a notification, rubbish", `[` + toolCall(1, "mem_save", map[string]any{"title": "t", "content": "c"}) + `,{"jsonrpc":"2.0","method":"x"},7,` +
			toolCall("b", "mem_search", map[string]any{"query": "c"}) + `,{"jsonrpc":"2.0","id":1.5,"method":"nope"}]`, []string{`"b"`, `1`, `1.5`, `null`}},
		{"same id twice", `[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":1,"method":"ping"}]`, []string{`1`, `1`}},
	} {
		p.send(tt.line)
		var answers []answer
		line := p.receive()
		if err := json.Unmarshal([]byte(line), &answers); err != nil {
			t.Errorf("%s: %v: %s", tt.name, err, line)
			continue
		}
		var ids []string
		for _, a := range answers {
			ids = append(ids, string(a.ID))
		}
		if slices.Sort(ids); !slices.Equal(ids, tt.ids) {
			t.Errorf("%s: ids %v, want %v", tt.name, ids, tt.ids)
		}
	}
	p.send(`[]`)
	if a := parseAnswer(t, p.receive()); a.Error == nil || a.Error.Code != -32600 || string(a.ID) != "null" {
		t.Errorf("empty batch answered %+v", a)
	}
	p.send(`[1,`)
	if a := parseAnswer(t, p.receive()); a.Error == nil || a.Error.Code != -32700 {
		t.Errorf("broken batch answered %+v", a)
	}
}

func TestArgumentsAbsentOrNull(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "all")
	for _, params := range []string{
		`{"name":"mem_context"}`,
		`{"name":"mem_context","arguments":null}`,
		`{"name":"mem_context","arguments":{}}`,
		`{"name":"mem.context","arguments":{"project":null,"max_bytes":null}}`,
		`{"name":"mem_context","arguments":"{\"max_bytes\":\"4096\"}"}`,
	} {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`)
		if a := parseAnswer(t, p.receive()); a.Result == nil || a.Result.IsError || !strings.HasPrefix(a.text(), "Nothing is saved yet in project here") {
			t.Errorf("%s: %+v", params, a)
		}
	}
	for _, params := range []string{`{"name":"mem_save"}`, `{"name":"mem_save","arguments":null}`, `{"name":"mem_save","arguments":{"title":" ","content":""}}`} {
		p.send(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":` + params + `}`)
		if a := parseAnswer(t, p.receive()); a.Result == nil || !a.Result.IsError || !strings.HasPrefix(a.text(), "Error: title and content are required; this tool takes title, content, type") {
			t.Errorf("%s: %+v", params, a)
		}
	}
}

// TestFaultsStayInside has a tool panic, fail and print: the client gets a clean
// error, standard error the reason, once, and the process lives.
func TestFaultsStayInside(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "all")
	for _, line := range []string{
		toolCall(1, "mem_stats", nil),
		toolCall(2, "mem_timeline", map[string]any{"observation_id": 1}),
	} {
		p.send(line)
		a := parseAnswer(t, p.receive())
		if a.Result == nil || !a.Result.IsError || a.text() != "Error: internal error [internal]" || a.Result.Structured != nil {
			t.Errorf("%s\nanswered %+v", line, a)
		}
	}
	p.send(toolCall(3, "mem_save", map[string]any{"title": "t", "content": "c"}))
	if a := parseAnswer(t, p.receive()); a.Result == nil || a.Result.IsError {
		t.Errorf("afterwards: %+v", a)
	}
	p.in.Close()
	if err := p.wait(); err != nil {
		t.Errorf("ended with %v", err)
	}
	for _, want := range []string{"tool panicked", "disk on fire", "a library prints", "a library prints while it works"} {
		if n := strings.Count(p.stderr.String(), want+"\n") + strings.Count(p.stderr.String(), want+"\" ") + strings.Count(p.stderr.String(), want+" at"); n != 1 {
			t.Errorf("standard error has %q %d times:\n%s", want, n, p.stderr)
		}
	}
}

// TestPipelinedSaves is probe C3: sixty saves without waiting all succeed, and a
// search sent behind them finds the last.
func TestPipelinedSaves(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "agent")
	var b strings.Builder
	for i := range 60 {
		b.WriteString(toolCall(i, "mem_save", map[string]any{"title": fmt.Sprintf("Title %d", i), "content": fmt.Sprintf("content %d.", i)}) + "\n")
	}
	b.WriteString(toolCall("search", "mem_search", map[string]any{"query": "content 59."}) + "\n")
	if _, err := io.WriteString(p.in, b.String()); err != nil {
		t.Fatal(err)
	}
	p.in.Close() // replies to what was read come all the same
	seen := map[string]bool{}
	for range 61 {
		a := parseAnswer(t, p.receive())
		if a.Result == nil || a.Result.IsError {
			t.Fatalf("answered %+v", a)
		}
		seen[string(a.ID)] = true
		if string(a.ID) == `"search"` && !strings.Contains(a.text(), "Title 59") {
			t.Errorf("search found %s", a.text())
		}
	}
	if len(seen) != 61 {
		t.Errorf("%d ids answered", len(seen))
	}
	if err := p.wait(); err != nil {
		t.Errorf("ended with %v\n%s", err, p.stderr)
	}
}

func TestCancelledCallIsNotAnswered(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "all")
	update := map[string]any{"id": 1, "title": "x"} // waits until it is cancelled
	save := map[string]any{"title": "t", "content": "c"}
	p.send(
		toolCall("running", "mem_update", update),
		toolCall("waiting", "mem_save", save),
		toolCall("stays", "mem_save", save),
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"waiting"}}`,
		`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"running"}}`,
	)
	got := p.receive()
	if a := parseAnswer(t, got); string(a.ID) == `"running"` {
		// The call had noticed before the server did: an answer is allowed.
		got = p.receive()
	}
	if a := parseAnswer(t, got); string(a.ID) != `"stays"` || a.Result == nil || a.Result.IsError {
		t.Errorf("answered %s", got)
	}
}

func TestSubscriptionKeepsTheClientsID(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "all")
	p.send(`{"jsonrpc":"2.0","id":"sub-1","method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`)
	ack, end := p.receive(), p.receive()
	if !strings.Contains(ack, `"method":"notifications/subscriptions/acknowledged"`) || !strings.Contains(ack, `"io.modelcontextprotocol/subscriptionId":"sub-1"`) {
		t.Errorf("acknowledged with %s", ack)
	}
	if !strings.Contains(end, `"id":"sub-1"`) || !strings.Contains(end, `"io.modelcontextprotocol/subscriptionId":"sub-1"`) {
		t.Errorf("answered with %s", end)
	}
}

func TestEndOfInputEndsTheProcess(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "all")
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p.receive()
	start := time.Now()
	p.in.Close()
	if err := p.wait(); err != nil {
		t.Errorf("ended with %v\n%s", err, p.stderr)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("took %v", took)
	}
}

func TestLastLineNeedsNoNewline(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "all")
	if _, err := io.WriteString(p.in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`); err != nil {
		t.Fatal(err)
	}
	p.in.Close()
	if got := p.receive(); got != `{"jsonrpc":"2.0","id":1,"result":{}}` {
		t.Errorf("answered %s", got)
	}
}

func TestSignalEndsTheProcessCleanly(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("no SIGTERM")
	}
	p := startPeer(t, "all")
	p.send(`{"jsonrpc":"2.0","id":1,"method":"ping"}`)
	p.receive()
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if err := p.wait(); err != nil {
		t.Errorf("ended with %v\n%s", err, p.stderr)
	}
}

// TestDeadParentEndsTheProcess starts the server from a shell that then dies,
// while the pipe to the server stays open.
func TestDeadParentEndsTheProcess(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("processes there do not change parents")
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("sh", "-c", `exec 3<&0; "$0" <&3 & exec 3<&-; cat <&4 >/dev/null`, exe)
	cmd.Env = append(os.Environ(), childEnv+"=all")
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	shellIn, release, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	out, childOut, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout = childOut
	cmd.ExtraFiles = []*os.File{nil, shellIn} // descriptor 4 of the shell
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	childOut.Close()
	shellIn.Close()

	if _, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"ping"}`+"\n"); err != nil {
		t.Fatal(err)
	}
	replies := bufio.NewReader(out)
	if _, err := replies.ReadString('\n'); err != nil {
		t.Fatalf("no answer: %v", err)
	}
	release.Close() // the shell ends now, the server's input is open
	ended := make(chan error, 1)
	go func() {
		_, err := io.Copy(io.Discard, replies) // until nobody can write any more
		ended <- err
	}()
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(20 * time.Second):
		t.Error("the server outlives its parent")
	}
	cmd.Wait()
}

func TestUnknownToolsetEndsAtOnce(t *testing.T) {
	t.Parallel()
	p := startPeer(t, "workspace")
	if err := p.wait(); err == nil {
		t.Error("started")
	}
	if !strings.Contains(p.stderr.String(), `there is no tool or profile "workspace"; choose from all, agent, admin, brain, `) {
		t.Errorf("said %s", p.stderr)
	}
}

// TestStart bounds the time from the start of a process to its list of tools,
// the least of some, since the machine is shared.
func TestStart(t *testing.T) {
	var least time.Duration
	for range 10 {
		start := time.Now()
		p := startPeer(t, "all")
		p.send(initializeLine(1, "2025-11-25"), `{"jsonrpc":"2.0","method":"notifications/initialized"}`, `{"jsonrpc":"2.0","id":2,"method":"tools/list"}`)
		p.receive()
		p.receive()
		if took := time.Since(start); least == 0 || took < least {
			least = took
		}
		p.in.Close()
	}
	t.Logf("process start to tools/list: %v", least)
	if least > 500*time.Millisecond {
		t.Errorf("took %v", least)
	}
}
