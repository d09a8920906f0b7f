package mcpserver

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/store/sqlite"
)

// fileMemories opens the real service over a file, as app does.
func fileMemories(t *testing.T, path string) func(context.Context) (Memories, error) {
	t.Helper()
	open := sync.OnceValues(func() (Memories, error) {
		st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
		if err != nil {
			return nil, err
		}
		t.Cleanup(func() { st.Close() })
		return memory.New(st, memory.Options{DefaultProject: func(context.Context) engram.ProjectIdentity {
			return engram.ProjectIdentity{Name: "harbour", Source: engram.ProjectDirectory}
		}}), nil
	})
	return func(context.Context) (Memories, error) { return open() }
}

// line is a client in this process, on pipes.
type line struct {
	t   *testing.T
	in  io.WriteCloser
	out *bufio.Reader
}

func connect(t *testing.T, path string) *line {
	t.Helper()
	s, err := New(fileMemories(t, path), Options{Actor: engram.Actor{
		Name: "mcp", Workspace: engram.DefaultWorkspace, Access: engram.AccessAdmin, Origin: engram.OriginAgent,
	}})
	if err != nil {
		t.Fatal(err)
	}
	in, toServer := io.Pipe()
	fromServer, out := io.Pipe()
	done := make(chan error, 1)
	ctx := context.WithoutCancel(t.Context()) // the test's ends before its cleanup
	go func() {
		done <- s.ServeStdio(ctx, in, out)
		out.Close()
	}()
	t.Cleanup(func() {
		toServer.Close()
		if err := <-done; err != nil {
			t.Errorf("ended with %v", err)
		}
	})
	return &line{t: t, in: toServer, out: bufio.NewReader(fromServer)}
}

func (l *line) call(tool string, args fields) (text string, failed bool) {
	l.t.Helper()
	if _, err := io.WriteString(l.in, toolCall(1, tool, args)+"\n"); err != nil {
		l.t.Fatal(err)
	}
	reply, err := l.out.ReadString('\n')
	if err != nil {
		l.t.Fatal(err)
	}
	a := parseAnswer(l.t, reply)
	if a.Result == nil {
		l.t.Fatalf("%s answered %s", tool, reply)
	}
	return a.text(), a.Result.IsError
}

// TestAgentAtWork drives every tool over the real service and a file, and a
// second server beside it sees what the first one saved.
func TestAgentAtWork(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	one, two := connect(t, path), connect(t, path)
	long := strings.Repeat("The ferry timetable changes in winter. ", 2000)
	for _, step := range []struct {
		who  *line
		tool string
		args fields
		want string // the text contains it
	}{
		{one, "mem_context", fields{}, "Nothing is saved yet in project harbour"},
		{one, "mem_search", fields{"query": "ferry"}, "No answer: nothing found in project harbour"},
		{one, "mem_save", fields{"title": "Ferry timetable", "content": "The ferry to the island leaves every twenty minutes.", "type": "discovery"}, "Saved as #1, project harbour"},
		{one, "mem_save", fields{"title": "Ferry timetable", "content": "The ferry to the island leaves every twenty minutes.", "type": "discovery"}, "Known already as #1"},
		{one, "mem_save", fields{"title": "Pier lights", "content": "The code is <private>4711</private>.", "topic_key": "config/lights"}, "Left out before storing: private"},
		{one, "mem_save", fields{"title": "Pier lights", "content": "They burn all night now.", "topic_key": "config/lights"}, "Updated #2, now revision 2"},
		{two, "mem_get_observation", fields{"id": "2", "include_history": true}, "The code is [REDACTED]."},
		{two, "mem_search", fields{"query": "When does the ferry leave?"}, "#1 [discovery] Ferry timetable"},
		{two, "mem_search", fields{"query": "ferry", "project": "no-such-project"}, "No answer"},
		{two, "explain_recall", fields{"query": "When does the ferry leave?", "id": 1}, "Returned: number 1 of"},
		{two, "explain_recall", fields{"query": "When does the ferry leave?", "id": "2", "match_mode": "all"}, "No arm found it: every word was asked for. It lacks ferry, leave."},
		{two, "explain_recall", fields{"query": "ferry", "id": 1, "project": "elsewhere"}, "Other scope: it is in project harbour"},
		{two, "explain_recall", fields{"query": "ferry", "id": 99}, "Not in this store"},
		{two, "explain.recall", fields{"query": "when does the ferry leave"}, "#1 returned: p "},
		{two, "mem_context", fields{"max_bytes": 512}, "Ferry timetable"},
		{two, "mem_session_start", fields{"id": "s1", "project": "Lighthouse", "directory": "/srv"}, "Session started"},
		{two, "mem_save", fields{"title": "Keeper", "content": "The keeper is called Margarethe."}, "project lighthouse, session s1"},
		{two, "mem_save_prompt", fields{"content": "who keeps the light?"}, "Prompt saved as #"},
		{two, "mem_capture_passive", fields{"content": "## Key Learnings:\n\n1. The lamp needs its oil on every Monday\n2. The stairs have one hundred steps"}, "saved 2"},
		{two, "mem_session_summary", fields{"content": "## Goal\nKeep the light burning."}, "Saved as #"},
		{two, "mem_timeline", fields{"observation_id": 3}, "Session s1, project lighthouse"},
		{two, "mem_session_end", fields{"id": "s1"}, "Session ended"},
		{one, "mem_update", fields{"id": 1, "content": long}, "now revision 2"},
		{one, "mem_get_observation", fields{"id": 1}, "go on with offset"},
		{one, "mem_suggest_topic_key", fields{"type": "bugfix", "title": "Lamp goes out"}, "bug/lamp-goes-out"},
		{one, "mem_stats", fields{}, "lighthouse"},
		{one, "mem_delete", fields{"id": 1}, "Deleted #1"},
		{one, "mem_delete", fields{"id": 1, "hard_delete": true}, "Erased #1 for good"},
	} {
		text, failed := step.who.call(step.tool, step.args)
		if failed || !strings.Contains(text, step.want) {
			t.Errorf("%s %.200v\nanswered %.500s\nwant %s", step.tool, step.args, text, step.want)
		}
	}
	for _, step := range []struct {
		tool string
		args fields
		code string
	}{
		{"mem_get_observation", fields{"id": 1}, ""},
		{"mem_delete", fields{"id": 999}, ""},
		{"mem_session_end", fields{"id": "nobody"}, ""},
		{"mem_search", fields{"query": " "}, "[query_required]"},
		{"mem_save", fields{"title": "t", "content": strings.Repeat("x", 2<<20)}, ""},
		{"mem_save", fields{"title": "t", "content": "c", "topic_key": strings.Repeat("k", 200)}, "[topic_key_too_long]"},
	} {
		text, failed := one.call(step.tool, step.args)
		if !failed || !strings.Contains(text, step.code) || strings.Contains(text, "internal") {
			t.Errorf("%s %.100v answered %.500s", step.tool, step.args, text)
		}
	}
}

// TestManyWritersOnOneFile has two servers take sixty pipelined saves each.
func TestManyWritersOnOneFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	var wg sync.WaitGroup
	for who := range 2 {
		l := connect(t, path)
		wg.Go(func() {
			for i := range 60 {
				io.WriteString(l.in, toolCall(i, "mem_save", fields{"title": fmt.Sprintf("%d of %d", i, who), "content": fmt.Sprintf("text %d of %d", i, who)})+"\n")
			}
		})
		wg.Go(func() {
			for range 60 {
				reply, err := l.out.ReadString('\n')
				if err != nil {
					t.Errorf("read: %v", err)
					return
				}
				if a := parseAnswer(t, reply); a.Result == nil || a.Result.IsError {
					t.Errorf("answered %s", reply)
				}
			}
		})
	}
	wg.Wait()
	if text, _ := connect(t, path).call("mem_stats", fields{}); !strings.HasPrefix(text, "Memories: 120\n") {
		t.Errorf("afterwards: %s", text)
	}
}
