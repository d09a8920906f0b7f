package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"engram"
	"engram/internal/recall"
	"engram/internal/service/memory"
)

// desk calls tools without a transport.
type desk struct {
	t      *testing.T
	fake   *fakeMemories
	server *Server
	client *client
}

func newDesk(t *testing.T) *desk {
	t.Helper()
	f := newFake()
	s, err := New(f.open, Options{Actor: testActor})
	if err != nil {
		t.Fatal(err)
	}
	return &desk{t: t, fake: f, server: s, client: &client{}}
}

// call gives both halves of a reply. The structured one must keep to the
// tool's output schema and hold no null.
func (d *desk) call(name string, args any) (text, structured string, failed bool) {
	d.t.Helper()
	i := slices.IndexFunc(d.server.tools, func(t tool) bool { return t.name == name })
	tool := &d.server.tools[i]
	res := d.server.call(d.t.Context(), tool, d.client, json.RawMessage(asJSON(args)))
	text = res.Content[0].(*mcp.TextContent).Text
	if res.IsError {
		if res.StructuredContent != nil {
			d.t.Errorf("%s: an error has a structured half", name)
		}
		return text, "", true
	}
	structured = asJSON(res.StructuredContent)
	var value any
	if err := json.Unmarshal([]byte(structured), &value); err != nil {
		d.t.Fatal(err)
	}
	if err := parseSchema(d.t, tool.output).Validate(value); err != nil {
		d.t.Errorf("%s: %s does not keep to the output schema: %v", name, structured, err)
	}
	if strings.Contains(structured, "null") {
		d.t.Errorf("%s: null in %s", name, structured)
	}
	return text, structured, false
}

type fields = map[string]any

func TestReplies(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, step := range []struct {
		name, tool string
		args       fields
		text       string
		structured string
	}{
		{
			"empty store", "mem_context",
			fields{},
			"Nothing is saved yet in project here; mem_save stores the first memory.",
			`{"context":"Nothing is saved yet in project here; mem_save stores the first memory.","project":"here"}`,
		},
		{
			"context of a misspelt project", "mem_context",
			fields{"project": "her"},
			"Nothing is saved yet in project her; mem_save stores the first memory. Projects with a similar name: here.",
			`{"context":"Nothing is saved yet in project her; mem_save stores the first memory.","similar_projects":["here"]}`,
		},
		{
			"first save", "mem_save",
			fields{"title": "Use SQLite", "content": "One file, no server.", "type": "decision"},
			"Saved as #1, project here.\nTo update this one later instead of adding another, use topic_key decision/use-sqlite.",
			`{"id":1,"status":"created","project":"here","suggested_topic_key":"decision/use-sqlite"}`,
		},
		{
			"the same again", "mem_save",
			fields{"title": "Use SQLite", "content": "One file, no server.", "type": "decision", "project": "Here"},
			"Known already as #1; counted as seen again.\nTo update this one later instead of adding another, use topic_key decision/use-sqlite.",
			`{"id":1,"status":"duplicate","suggested_topic_key":"decision/use-sqlite"}`,
		},
		{
			"private text", "mem_save",
			fields{"title": "Login", "content": "pin <private>4711</private> works", "topic_key": "auth/Login  form"},
			"Saved as #2, project here, topic_key auth/login-form.\nLeft out before storing: private.",
			`{"id":2,"status":"created","project":"here","topic_key":"auth/login-form","redacted":["private"]}`,
		},
		{
			"same topic", "mem_save",
			fields{"title": "Login", "content": "passkeys now", "topic_key": "auth/login-form", "project": "here"},
			"Updated #2, now revision 2; older versions stay in its history.",
			`{"id":2,"status":"updated","revision":2}`,
		},
		{
			"found", "mem_search",
			fields{"query": "sqlite"},
			"1 found in project here.\n#1 [decision] Use SQLite (2026-03-01T12:01:00Z)\n    One file, no server.",
			`{"hits":[{"id":1,"type":"decision","title":"Use SQLite","text":"One file, no server.","at":"2026-03-01T12:01:00Z","p":0.88}],"project":"here"}`,
		},
		{
			"not found", "mem_search",
			fields{"query": "zebra", "match_mode": "all", "type": "decision"},
			"No answer: nothing found in project here.\nNote: nothing saved answers this; try other words, match_mode any, fewer filters, all_projects true.",
			`{"hits":[],"project":"here","no_answer":true,"notes":["nothing saved answers this; try other words, match_mode any, fewer filters, all_projects true"]}`,
		},
		{
			"misspelt project", "mem_search",
			fields{"query": "zebra", "project": "heer"},
			"No answer: nothing found. Projects with a similar name: here.\nNote: nothing saved answers this; try other words, all_projects true.",
			`{"hits":[],"no_answer":true,"similar_projects":["here"],"notes":["nothing saved answers this; try other words, all_projects true"]}`,
		},
		{
			"in full", "mem_get_observation",
			fields{"id": "#2", "include_history": true},
			"#2 [manual] Login\npasskeys now\n\nProject: here\nScope: project\nSession: manual-save-here\nTopic key: auth/login-form\nOrigin: agent (trust 2 of 3)\nCreated: 2026-03-01T12:02:00Z\nRevisions: 2" +
				"\n\nVersion 1, 2026-03-01T12:02:00Z to : Login\npin [REDACTED] works",
			`{"id":2,"type":"manual","title":"Login","content":"passkeys now","project":"here","scope":"project","session_id":"manual-save-here","topic_key":"auth/login-form",` +
				`"origin":"agent","trust":2,"created":"2026-03-01T12:02:00Z","revisions":2,"history":[{"version":1,"title":"Login","content":"pin [REDACTED] works","from":"2026-03-01T12:02:00Z"}]}`,
		},
		{
			"edit", "mem_update",
			fields{"id": 1, "title": "Use SQLite 3"},
			"Updated #1, now revision 2.", `{"id":1,"revision":2}`,
		},
		{
			"edit of another field", "mem_update",
			fields{"id": 1, "content": "One file, no server."},
			`Updated #1 "Use SQLite 3", now revision 3.`, `{"id":1,"revision":3,"title":"Use SQLite 3"}`,
		},
		{
			"timeline", "mem_timeline",
			fields{"observation_id": 2},
			"Session manual-save-here, project here, started 2026-03-01T12:00:00Z, 2 memories.\nBefore:\n#1 [decision] Use SQLite 3 (2026-03-01T12:01:00Z)\n    One file, no server.\n" +
				"This:\n#2 [manual] Login (project here, topic auth/login-form, 2026-03-01T12:02:00Z)\n    passkeys now",
			`{"before":[{"id":1,"type":"decision","title":"Use SQLite 3","text":"One file, no server.","at":"2026-03-01T12:01:00Z"}],` +
				`"focus":{"id":2,"type":"manual","title":"Login","text":"passkeys now","at":"2026-03-01T12:02:00Z","project":"here","topic_key":"auth/login-form"},` +
				`"after":[],"session":{"id":"manual-save-here","project":"here","started":"2026-03-01T12:00:00Z"},"in_session":2}`,
		},
		{
			"statistics", "mem_stats",
			fields{},
			"Memories: 2\nSessions: 0\nPrompts: 0\nDeleted, restorable: 0\nSize: 0 bytes\nTypes: decision 1, manual 1\nProjects: here",
			`{"memories":2,"sessions":0,"prompts":0,"deleted":0,"bytes":0,"types":[{"name":"decision","n":1},{"name":"manual","n":1}],"projects":["here"]}`,
		},
		{
			"delete", "mem_delete",
			fields{"id": 1},
			"Deleted #1; it can be restored with the command: engram restore 1", `{"id":1,"status":"deleted","restorable":true}`,
		},
		{
			"erase", "mem_delete",
			fields{"id": 2, "hard_delete": "true"},
			"Erased #2 for good, with 1 older version and 0 memories that rested on it alone. Copies may remain in: backup-1.db.",
			`{"id":2,"status":"erased","versions":1,"copies_left":["backup-1.db"]}`,
		},
		{
			"suggestion", "mem_suggest_topic_key",
			fields{"title": "Auth"},
			"Suggested topic_key: topic/auth", `{"topic_key":"topic/auth"}`,
		},
		{
			"learnings", "mem_capture_passive",
			fields{"content": "## Key Learnings:\n- one\n- two"},
			"Found 2 learnings: saved 2, known already 0. Saved as #7, #8.", `{"extracted":2,"saved":2,"duplicates":0,"ids":[7,8]}`,
		},
		{
			"no learnings", "mem_capture_passive",
			fields{"content": "nothing here"},
			"Found 0 learnings: saved 0, known already 0.\nNote: no learnings found: they are list items of 20 characters and more under a heading like ## Key Learnings:.",
			`{"extracted":0,"saved":0,"duplicates":0,"notes":["no learnings found: they are list items of 20 characters and more under a heading like ## Key Learnings:"]}`,
		},
		{
			"prompt", "mem_save_prompt",
			fields{"content": "make it fast"},
			"Prompt saved as #1, project here.", `{"id":1,"project":"here"}`,
		},
		{
			"session starts", "mem_session_start",
			fields{"id": "s1", "project": "Other"},
			"Session started.", `{"status":"started"}`,
		},
		{
			"save goes into it", "mem_save",
			fields{"title": "A", "content": "b"},
			"Saved as #3, project other, session s1.\nTo update this one later instead of adding another, use topic_key manual/a.",
			`{"id":3,"status":"created","project":"other","session_id":"s1","suggested_topic_key":"manual/a"}`,
		},
		{
			"summary goes into it", "mem_session_summary",
			fields{"content": "## Goal\nAll of it."},
			"Saved as #4, project other, session s1.", `{"id":4,"status":"created","project":"other","session_id":"s1"}`,
		},
		{
			"context is its project's", "mem_context",
			fields{},
			"- A\n- Session summary\n", `{"context":"- A\n- Session summary\n","project":"other"}`,
		},
		{
			"session ends", "mem_session_end",
			fields{"id": "s1", "summary": "done"},
			"Session ended, project other.", `{"status":"ended","project":"other"}`,
		},
		{
			"unknown parameter", "mem_stats",
			fields{"verbose": true},
			"Memories: 2\nSessions: 1\nPrompts: 1\nDeleted, restorable: 0\nSize: 0 bytes\nTypes: manual 1, session_summary 1\nProjects: other" +
				"\nNote: ignored unknown parameter verbose; this tool takes project.",
			`{"memories":2,"sessions":1,"prompts":1,"deleted":0,"bytes":0,"types":[{"name":"manual","n":1},{"name":"session_summary","n":1}],"projects":["other"],` +
				`"notes":["ignored unknown parameter verbose; this tool takes project"]}`,
		},
	} {
		text, structured, failed := d.call(step.tool, step.args)
		if failed {
			t.Errorf("%s failed: %s", step.name, text)
			continue
		}
		if diff := cmp.Diff(step.text, text); diff != "" {
			t.Errorf("%s: text mismatch (-want +got):\n%s", step.name, diff)
		}
		if diff := cmp.Diff(step.structured, structured); diff != "" {
			t.Errorf("%s: structure mismatch (-want +got):\n%s", step.name, diff)
		}
	}
	for i, a := range d.fake.actors {
		if a != testActor {
			t.Errorf("call %d was made as %+v", i, a)
		}
	}
}

func TestErrors(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for _, tt := range []struct {
		tool string
		args any
		want string
	}{
		{"mem_get_observation", fields{"id": 99}, "Error: memory 99 not found [unknown_id]"},
		{"mem_update", fields{"id": 99, "title": "x"}, "Error: memory 99 not found [unknown_id]"},
		{"mem_delete", fields{"id": 99}, "Error: memory 99 not found [unknown_id]"},
		{"mem_timeline", fields{"id": 99}, "Error: memory 99 not found [unknown_id]"},
		{"mem_session_end", fields{"id": "nope"}, "Error: session not found [unknown_session]"},
		{"mem_update", fields{"id": 1}, "Error: there is nothing to change: give title, content, type, project, scope or topic_key [nothing_to_update]"},
		{"mem_suggest_topic_key", fields{"type": "bug"}, "Error: title or content is required [title_required]"},
		{"mem_search", fields{"query": "x", "as_of": "yesterday"}, "Error: as_of is not a time; write a time like 2026-03-31T12:00:00Z, or a date like 2026-03-31, which means its end [invalid_as_of]"},
		{"mem_search", fields{"query": "x", "scope": "everything"}, "Error: scope must be one of project, personal, global [invalid_scope]"},
		{"mem_save", fields{"title": "t", "content": "c", "importance": 2}, "Error: importance must be a number from 0 to 1 [invalid_importance]"},
		{"mem_save", fields{"title": "t", "content": "c", "importance": "-0.1"}, "Error: importance must be a number from 0 to 1 [invalid_importance]"},
		{"mem_search", fields{"query": "x", "limit": 1.5}, "Error: limit must be a whole number from 1 to 50 [invalid_limit]"},
		{"mem_save", fields{"title": "t", "content": strings.Repeat("x", engram.DefaultMaxContent+1)}, "Error: content has 1048577 bytes, at most 1048576 are kept [content_too_long]"},
		{"mem_save", []int{1}, "Error: arguments must be a JSON object [invalid_arguments]"},
		{"mem_session_start", fields{}, "Error: id and project are required; this tool takes id, project, directory [id_required]"},
	} {
		text, _, failed := d.call(tt.tool, tt.args)
		if !failed || text != tt.want {
			t.Errorf("%s(%.80s) = %q, want %q", tt.tool, asJSON(tt.args), text, tt.want)
		}
	}
}

func TestWhatIsLessSureSaysSo(t *testing.T) {
	t.Parallel()
	r := factsOf(&engram.Memory{ID: 1, Type: "manual", Importance: 0.75, Origin: engram.OriginWeb, Trust: engram.TrustOf(engram.OriginWeb)})
	if words := r.words(); !strings.Contains(words, "\nImportance: 0.75\nOrigin: web (trust 0 of 3)") {
		t.Errorf("words are %s", words)
	}
	if s := asJSON(r); !strings.Contains(s, `"importance":0.75,"origin":"web","trust":0`) {
		t.Errorf("structure is %s", s)
	}
}

// TestTimelineSummary: the beginning of a session's summary says that it is
// cut, and how to get it whole; then it is.
func TestTimelineSummary(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.call("mem_session_start", fields{"id": "s", "project": "p"})
	d.call("mem_save", fields{"title": "t", "content": "c"})
	d.call("mem_session_end", fields{"id": "s", "summary": strings.Repeat("line of it\n", 50) + "the end"})
	text, structured, _ := d.call("mem_timeline", fields{"observation_id": 1})
	for _, want := range []string{"… [truncated]\n", "Note: the session's summary is cut; before 0 and after 0 give it whole."} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if !strings.Contains(structured, `"summary_truncated":true`) || strings.Contains(structured, "the end") {
		t.Errorf("answered %s", structured)
	}
	text, structured, _ = d.call("mem_timeline", fields{"observation_id": 1, "before": 0, "after": 0})
	if !strings.Contains(text, "line of it\nthe end\n") || !strings.Contains(structured, `line of it\nthe end"`) ||
		strings.Contains(text+structured, "truncated") {
		t.Errorf("answered %s\n%s", text, structured)
	}

	d.call("mem_session_end", fields{"id": "s", "summary": strings.Repeat("very long ", 10_000)})
	text, structured, _ = d.call("mem_timeline", fields{"observation_id": 1, "before": 0, "after": 0})
	if !strings.Contains(text, "Note: the session's summary is too long for a reply; the command engram sessions --json has it whole.") ||
		!strings.Contains(structured, `"summary_truncated":true`) || tokens(text) > replyTokens+200 {
		t.Errorf("answered %d tokens: %.300s", tokens(text), text)
	}
}

func TestTimelineOfNoProject(t *testing.T) {
	t.Parallel()
	r := timelineResult{Session: &sessionFact{ID: "s", Started: "2026-03-01T12:00:00Z"}, Total: 1}
	if got, want := r.words(), "Session s, started 2026-03-01T12:00:00Z, 1 memory.\n"; !strings.HasPrefix(got, want) {
		t.Errorf("words are %q, want %q first", got, want)
	}
}

func TestContextOfAScopeWithoutMemories(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.call("mem_save", fields{"title": "t", "content": "c"})
	const want = "Nothing of scope personal is saved in project here; without scope, mem_context shows what else there is."
	if text, structured, _ := d.call("mem_context", fields{"scope": "personal"}); text != want || !strings.Contains(structured, want) {
		t.Errorf("answered %s\n%s", text, structured)
	}
}

// TestWritesSayWhatTheyTookOut: private text is taken out here, secrets by the
// service; the caller is told of both, in both halves of the reply.
func TestSaveNamesWhatIsAlike(t *testing.T) {
	d := newDesk(t)
	d.fake.alike = []memory.Alike{{ID: 7, Title: "Pool", Verdict: recall.Same}, {ID: 5, Title: "Pool size", Verdict: recall.Changed}}
	text, structured, _ := d.call("mem_save", fields{"title": "a", "content": "b", "topic_key": "a/b"})
	wantText := "Saved as #1, project here.\n#7 \"Pool\" says nearly the same; if one is enough, mem_delete the other.\n" +
		"#5 \"Pool size\" says something else about the same; if it no longer holds, mem_update it."
	if text != wantText || structured != `{"id":1,"status":"created","project":"here","near_duplicates":[7],"possible_contradictions":[5]}` {
		t.Errorf("got %s\n%s", text, structured)
	}
	d.fake.alike, d.fake.notCompared = nil, errors.New("disk gone")
	text, structured, failed := d.call("mem_save", fields{"title": "c", "content": "d", "topic_key": "c/d"})
	if failed || !strings.Contains(text, "not_compared") || strings.Contains(text+structured, "disk") || !strings.Contains(structured, `"id":2`) {
		t.Errorf("got %s\n%s", text, structured)
	}
}

func TestWritesSayWhatTheyTookOut(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.call("mem_save", fields{"title": "t", "content": "c"})
	d.call("mem_session_start", fields{"id": "s", "project": "p"})
	for _, tt := range []struct {
		tool string
		args fields
	}{
		{"mem_update", fields{"id": 1, "content": "AKIA"}},
		{"mem_save_prompt", fields{"content": "AKIA"}},
		{"mem_session_end", fields{"id": "s", "summary": "AKIA"}},
		{"mem_session_start", fields{"id": "s2", "project": "p", "directory": "/AKIA"}},
		{"mem_capture_passive", fields{"content": "## Learnings\n- AKIA"}},
	} {
		for private, want := range map[string]string{"": "aws-key", "<private>x</private> ": "private, aws-key"} {
			args := maps.Clone(tt.args)
			for name, v := range args {
				if s, ok := v.(string); ok && strings.Contains(s, "AKIA") {
					args[name] = s + private
				}
			}
			text, structured, failed := d.call(tt.tool, args)
			if failed || !strings.HasSuffix(text, "\nNote: left out before storing: "+want+".") ||
				!strings.Contains(structured, `"notes":["left out before storing: `+want+`"]`) {
				t.Errorf("%s(%s) = %s\n%s", tt.tool, asJSON(args), text, structured)
			}
		}
	}
}

func TestStoreThatCannotBeOpened(t *testing.T) {
	t.Parallel()
	reason := engram.Errorf(engram.ErrNewerSchema, "the store was written by a newer engram").WithHint("update engram")
	s, err := New(func(context.Context) (Memories, error) { return nil, reason }, Options{})
	if err != nil {
		t.Fatal(err)
	}
	res := s.call(t.Context(), &s.tools[0], &client{}, nil)
	if text := res.Content[0].(*mcp.TextContent).Text; !res.IsError || text != "Error: the store was written by a newer engram; update engram [newer_schema]" {
		t.Errorf("answered %q", text)
	}
}

func TestNothingPrivateGoesInOrComesBack(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	const secret = "a <private>hunter2</private> b"
	for _, tool := range d.server.tools {
		all := fields{}
		for i := range tool.params {
			all[tool.params[i].name] = secret
		}
		for _, args := range []fields{all, {"title": secret, "content": secret, "query": secret, "id": 1, "project": secret, secret: 1}} {
			if text, structured, _ := d.call(tool.name, args); strings.Contains(text+structured, "hunter2") {
				t.Errorf("%s repeats what was sent:\n%s\n%s", tool.name, text, structured)
			}
		}
	}
	if s := fmt.Sprintf("%+v %+v %+v", d.fake.saved, d.fake.searched, d.fake.prompts); strings.Contains(s, "hunter2") {
		t.Errorf("the service got %s", s)
	}
	text, _, _ := d.call("mem_save_prompt", fields{"content": secret})
	if !strings.Contains(text, "left out before storing: private") {
		t.Errorf("answered %s", text)
	}
}

func TestSearchArgumentsReachTheService(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.call("mem_search", fields{
		"query": "q", "type": "bugfix, decision", "project": "p", "scope": "GLOBAL", "limit": "7", "match_mode": "all",
		"all_projects": "true", "as_of": "2026-03-31", "deep": true,
	})
	want := memory.SearchInput{
		Query: "q", Types: []string{"bugfix", "decision"}, Project: "p", AllProjects: true, Scope: "global", Limit: 7, MatchAll: true, Deep: true,
		AsOf: time.Date(2026, 3, 31, 23, 59, 59, 999999000, time.UTC),
	}
	if diff := cmp.Diff(want, d.fake.searched); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

func TestExplainArgumentsReachTheService(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	search := memory.SearchInput{
		Query: "q", Types: []string{"bugfix"}, Project: "p", AllProjects: true, Scope: "global", Limit: 7, MatchAll: true, Deep: true,
		AsOf: time.Date(2026, 3, 31, 23, 59, 59, 999999000, time.UTC),
	}
	args := fields{
		"query": "q", "id": "12", "type": "bugfix", "project": "p", "scope": "global", "limit": 7, "match_mode": "all",
		"all_projects": true, "as_of": "2026-03-31", "deep": true,
	}
	d.call("explain_recall", args)
	want := memory.ExplainInput{RecallInput: memory.RecallInput{SearchInput: search}, Search: true, ID: 12}
	if diff := cmp.Diff(want, d.fake.explained); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
	args["budget"] = 800
	delete(args, "id")
	args["uid"] = "0190-uid"
	d.call("explain_recall", args)
	want.Budget, want.Search, want.ID, want.UID = 800, false, 0, "0190-uid"
	if diff := cmp.Diff(want, d.fake.explained); diff != "" {
		t.Errorf("with a budget (-want +got):\n%s", diff)
	}
}

func TestExplainSaysTheSameTwice(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	reranker := 0.4567
	d.fake.explanation = memory.Explanation{
		ID: 4, Title: "Ferry", Reason: memory.BelowFloor, Text: "Below the floor.",
		Candidate: &recall.TraceCandidate{
			ID: 4, Rank: 3, Probability: 0.31, Evidence: recall.Evidence{Coverage: 0.12345}, Outcome: recall.BelowFloor,
			Arms: map[string]recall.ArmScore{"vector": {Rank: 2, Score: 0.5}, "keyword": {Rank: 9, Score: 1.23456}}, Reranker: &reranker,
			Models: []recall.TraceModel{{Model: "table", Cosine: 0.25, Rank: 2}, {Model: "MiniLM", Cosine: -0.1234}},
		},
		Trace: &memory.Trace{
			Query: recall.TraceQuery{Order: "latest", From: &fakeTime, Words: []recall.TraceWord{
				{Word: "the", Stop: true, Memories: 9}, {Word: "ferry", Memories: 3}, {Word: "tims", Instead: []string{"time", "times"}},
			}},
			Arms: []recall.TraceArm{{Name: "keyword", Found: 12}, {Name: "vector", Found: 3}}, Floor: 0.5, Pool: 14,
			Reranker: &recall.TraceReranker{Used: true, Asked: 14},
		},
	}
	text, structured, _ := d.call("explain_recall", fields{"query": "the ferry tims", "id": 4})
	want := "#4 Ferry\nBelow the floor.\nWords of the query, in how many memories: ferry 3, tims 0 as time/times\n" +
		"Time asked for: from 2026-03-01T12:00:00Z, latest\nFound by: keyword 12, vector 3, reranker asked about 14\nPool: 14; floor: 0.5\n" +
		"#4 below_floor: p 0.31, coverage 0.123, rank 3, keyword rank 9 score 1.235, vector rank 2 score 0.5, table cosine 0.25 rank 2, MiniLM cosine -0.123, reranker 0.457"
	if diff := cmp.Diff(want, text); diff != "" {
		t.Errorf("text (-want +got):\n%s", diff)
	}
	want = `{"id":4,"title":"Ferry","reason":"below_floor","text":"Below the floor.","words":["ferry 3","tims 0 as time/times"],` +
		`"time":"from 2026-03-01T12:00:00Z, latest","floor":0.5,"pool":14,"arms":["keyword 12","vector 3","reranker asked about 14"],` +
		`"candidates":[{"id":4,"outcome":"below_floor","p":0.31,"coverage":0.123,"rank":3,"arms":["keyword rank 9 score 1.235","vector rank 2 score 0.5","table cosine 0.25 rank 2","MiniLM cosine -0.123","reranker 0.457"]}]}`
	if diff := cmp.Diff(want, structured); diff != "" {
		t.Errorf("structure (-want +got):\n%s", diff)
	}
}

func TestSaveArgumentsReachTheService(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	d.call("mem_save", fields{
		"title": "T", "observation": "C", "type": "task", "session_id": 5, "project": "p", "scope": "personal", "topic_key": "a/b",
		"importance": "0.5", "pinned": "yes", "files": "[\"a.go\"]",
	})
	half := 0.5
	want := memory.SaveInput{
		Title: "T", Content: "C", Type: "task", Session: "5", Project: "p", Scope: "personal", TopicKey: "a/b",
		Importance: &half, Pinned: true, Files: []string{"a.go"}, Compare: true,
	}
	if diff := cmp.Diff(want, d.fake.saved); diff != "" {
		t.Errorf("mismatch (-want +got):\n%s", diff)
	}
}

// TestRepliesStayShort asks each tool for as much as there is: no reply costs
// more than about eight thousand tokens, and what is left out is said.
func TestRepliesStayShort(t *testing.T) {
	t.Parallel()
	for name, word := range map[string]string{"words": "ferry crossing ", "han": "渡轮每二十分钟一班", "one long word": "x"} {
		d := newDesk(t)
		for i := range 60 {
			d.fake.Save(t.Context(), memory.SaveInput{
				Title: fmt.Sprintf("%d %s", i, strings.Repeat(word, 30)), Content: fmt.Sprintf("find %d %s", i, strings.Repeat(word, 2000)), Type: "note",
			})
		}
		long := strings.Repeat(word, 900_000/len(word))
		d.fake.Save(t.Context(), memory.SaveInput{Title: "long", Content: long, TopicKey: "k"})
		d.fake.Save(t.Context(), memory.SaveInput{Title: "long", Content: long + "!", TopicKey: "k"})
		for tool, args := range map[string]fields{
			"mem_search":          {"query": "find", "limit": 50},
			"mem_timeline":        {"observation_id": 30, "before": 100, "after": 100},
			"mem_get_observation": {"id": 61, "include_history": true},
		} {
			text, structured, failed := d.call(tool, args)
			if failed {
				t.Errorf("%s, %s: %s", name, tool, text)
			}
			if n, m := tokens(text), tokens(structured); n > 8000 || m > 8500 {
				t.Errorf("%s, %s: text has %d tokens, structure %d", name, tool, n, m)
			}
			if !strings.Contains(structured, `"truncated":true`) || !strings.Contains(text, "truncated") && tool != "mem_get_observation" {
				t.Errorf("%s, %s: nothing says that text was cut", name, tool)
			}
		}
	}
}

// TestLongTextInPieces reads a long memory as its notes say, and whole on demand.
func TestLongTextInPieces(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var content strings.Builder
	for i := 0; content.Len() < 100_000; i++ {
		fmt.Fprintf(&content, "line %d 渡轮\n", i)
	}
	d.fake.Save(t.Context(), memory.SaveInput{Title: "long", Content: content.String()})
	var pieces strings.Builder
	args := fields{"id": 1}
	for range 100 {
		_, structured, _ := d.call("mem_get_observation", args)
		var got getResult
		if err := json.Unmarshal([]byte(structured), &got); err != nil {
			t.Fatal(err)
		}
		pieces.WriteString(got.Content)
		if got.NextOffset == 0 {
			break
		}
		args["offset"] = got.NextOffset
	}
	if pieces.String() != content.String() {
		t.Errorf("%d bytes in pieces, %d stored", pieces.Len(), content.Len())
	}
	text, _, _ := d.call("mem_get_observation", fields{"id": 1, "max_chars": 1 << 20})
	if !strings.Contains(text, content.String()) {
		t.Error("not whole on demand")
	}
	if text, _, _ := d.call("mem_get_observation", fields{"id": 1, "offset": 1 << 20}); !strings.Contains(text, "offset is past the end") {
		t.Errorf("offset past the end answered %s", text)
	}
}

func TestContextKeepsItsBudget(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i := range 3000 {
		d.fake.Save(t.Context(), memory.SaveInput{Title: fmt.Sprintf("title %d is not short", i), Content: fmt.Sprint(i)})
	}
	for _, budget := range []int{400, 512, 4096, 65536, 1_000_000} {
		text, _, _ := d.call("mem_context", fields{"max_bytes": budget, "limit": 5})
		if most := min(budget, 65536); len(text) > most {
			t.Errorf("max_bytes %d: %d bytes", budget, len(text))
		}
		if budget > 65536 && !strings.Contains(text, "Note: max_bytes was lowered to 65536") {
			t.Error("the cap is not said")
		}
	}
}

// What a search had to do without is told, also where a context is asked for,
// within its bytes.
func TestWarningsAreNotes(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	for i := range 100 {
		d.fake.Save(t.Context(), memory.SaveInput{Title: fmt.Sprintf("title %d is not short", i), Content: fmt.Sprint(i)})
	}
	const warning = "query_cut: only the first words of the query were looked for"
	d.fake.warnings = []string{warning}
	d.fake.explanation.Trace.Warnings = d.fake.warnings
	for name, args := range map[string]fields{
		"mem_search":     {"query": "title"},
		"explain_recall": {"query": "title"},
		"mem_context":    {"query": "title", "max_bytes": 600},
	} {
		text, structured, failed := d.call(name, args)
		if failed || strings.Count(text, warning) != 1 || strings.Count(structured, warning) != 1 {
			t.Errorf("%s answered %s and %s", name, text, structured)
		}
		if most, ok := args["max_bytes"].(int); ok && len(text) > most {
			t.Errorf("%s gave %d bytes, at most %d were asked for", name, len(text), most)
		}
	}
}

func TestWhereWritesGo(t *testing.T) {
	t.Parallel()
	c := &client{}
	c.started("s1", "here")
	for _, tt := range []struct{ session, project, wantSession, wantProject string }{
		{"", "", "s1", "here"},
		{"", "HERE", "s1", "here"},
		{"", "other", "", "other"},
		{"s2", "", "s2", ""},
		{"s1", "", "s1", "here"},
		{"s1", "other", "s1", "other"},
	} {
		if s, p := c.place(tt.session, tt.project); s != tt.wantSession || p != tt.wantProject {
			t.Errorf("place(%q, %q) = %q, %q; want %q, %q", tt.session, tt.project, s, p, tt.wantSession, tt.wantProject)
		}
	}
	c.ended("s2")
	if s, _ := c.place("", ""); s != "s1" {
		t.Errorf("after the end of another session: %q", s)
	}
	c.ended("s1")
	if s, p := c.place("", ""); s != "" || p != "" {
		t.Errorf("after the end: %q, %q", s, p)
	}
	if _, p := c.place("", " "); p != " " { // for the service to refuse
		t.Errorf("a blank project became %q", p)
	}
}

func TestFaultIsLoggedOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	var log strings.Builder
	d.server.opts.Logger = slog.New(slog.NewTextHandler(&log, nil))
	d.fake.hook = func(context.Context, string) error { return errors.New("disk on fire") }
	text, _, failed := d.call("mem_stats", nil)
	if !failed || text != "Error: internal error [internal]" {
		t.Errorf("answered %q", text)
	}
	if n := strings.Count(log.String(), "disk on fire"); n != 1 {
		t.Errorf("logged %d times: %s", n, log.String())
	}
}
