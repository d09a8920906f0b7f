package mcpserver

import (
	"bufio"
	"encoding/json"
	"io"
	"testing"
	"time"
)

// FuzzStdioLine sends anything: every line that comes back is JSON-RPC, and the
// server is there afterwards.
func FuzzStdioLine(f *testing.F) {
	for _, seed := range []string{
		"", "{", "[]", "[{}]", "7", `"x"`, "\ufeff{}", "\xff", "null", `{"jsonrpc":"2.0"}`, "a\nb\r\nc",
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`,
		`{"jsonrpc":"2.0","id":1.5,"method":"initialize","params":{"protocolVersion":"2025-11-25"}}`,
		`{"jsonrpc":"2.0","id":"x","method":"server/discover","params":{` + modernMeta + `}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mem_save","arguments":{"title":"t","content":"c","files":"[1]"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"mem.search","arguments":"{\"query\":\"c\",\"limit\":\"1e9\"}"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},` + modernMeta + `}}`,
		`[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}},7]`,
		`{"jsonrpc":"2.0","id":2,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"x"},"argument":{"name":"a","value":""}}}`,
		`{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"engram://x"}}`,
		`{"jsonrpc":"2.0","id":2,"method":"logging/setLevel","params":{"level":"debug"}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		s, err := New(newFake().open, Options{WatchParent: -1})
		if err != nil {
			t.Fatal(err)
		}
		in, toServer := io.Pipe()
		fromServer, out := io.Pipe()
		done := make(chan error, 1)
		go func() {
			done <- s.ServeStdio(t.Context(), in, out)
			out.Close()
		}()
		go func() {
			toServer.Write(append(line, "\n"+`{"jsonrpc":"2.0","id":"are you there","method":"ping"}`+"\n"...))
			toServer.Close()
		}()
		alive, start := false, time.Now()
		replies := bufio.NewReader(fromServer)
		for {
			reply, err := replies.ReadBytes('\n')
			if err != nil {
				break
			}
			alive = checkReply(t, reply) || alive
		}
		if !alive {
			t.Error("no answer to the ping")
		}
		if took := time.Since(start); took > 10*time.Second {
			t.Errorf("something hung for %v", took)
		}
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("ended with %v", err)
			}
		case <-time.After(10 * time.Second):
			t.Error("does not end")
		}
	})
}

// checkReply checks a line of the server and reports whether it answers the ping.
func checkReply(t *testing.T, line []byte) (pong bool) {
	t.Helper()
	type message struct {
		Version string          `json:"jsonrpc"`
		ID      json.RawMessage `json:"id"`
		Method  string          `json:"method"`
		Result  json.RawMessage `json:"result"`
		Error   json.RawMessage `json:"error"`
	}
	var batch []message
	if len(line) > 0 && line[0] == '[' {
		if err := json.Unmarshal(line, &batch); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
	} else {
		var m message
		if err := json.Unmarshal(line, &m); err != nil {
			t.Fatalf("%v in %q", err, line)
		}
		batch = append(batch, m)
	}
	for _, m := range batch {
		if m.Version != "2.0" {
			t.Errorf("no JSON-RPC: %q", line)
		}
		if m.Method == "" && (m.ID == nil || (m.Result == nil) == (m.Error == nil)) {
			t.Errorf("not an answer: %q", line)
		}
		pong = pong || string(m.ID) == `"are you there"` && m.Result != nil
	}
	return pong
}
