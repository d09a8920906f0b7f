package rest_test

import (
	"strings"
	"testing"

	"engram/internal/rest"
)

// What a save of the same text adds is taken over, and the answer says so.
func TestSaveOfTheSameTextAddsWhatItBrings(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/memories", "/observations"} {
		h := serve(t, services(t), rest.Options{})
		for _, step := range []struct{ more, id, outcome string }{
			{``, "1", "created"},
			{`,"pinned":true`, "1", "updated"},
			{`,"pinned":true`, "1", "duplicate"},
			{`,"importance":0.75,"files":["a.go"]`, "1", "updated"},
			{`,"importance":0.5,"files":["a.go"]`, "1", "duplicate"},
			{`,"topic_key":"k1"`, "1", "duplicate"},
			{``, "1", "duplicate"},
			{`,"topic_key":"k2"`, "2", "created"},
		} {
			got := do(t, h, post(path, `{"session_id":"s","type":"task","title":"t","content":"call the harbour"`+step.more+`}`)).Body.String()
			if !strings.Contains(got, `"id":`+step.id+",") || !strings.Contains(got, `"outcome":"`+step.outcome+`"`) {
				t.Errorf("POST %s with %q answered %s, want id %s, %s", path, step.more, got, step.id, step.outcome)
			}
		}
		got := do(t, h, fetch("/v1/memories/1")).Body.String()
		for _, want := range []string{`"pinned":true`, `"importance":0.75`, `"files":["a.go"]`, `"topic_key":"k1"`, `"revision_count":3`} {
			if !strings.Contains(got, want) {
				t.Errorf("after POST %s the memory lacks %s: %s", path, want, got)
			}
		}
	}
	h := serve(t, services(t), rest.Options{})
	const task = `{"type":"task","title":"t","content":"call the harbour","topic_key":"k1"}`
	do(t, h, post("/v1/memories", task))
	for _, step := range []struct{ body, want string }{
		{strings.Replace(task, `,"topic_key":"k1"`, ``, 1), `"topic_key":"k1"`},
		{strings.Replace(task, `"topic_key":"k1"`, `"status":"done"`, 1), `"outcome":"updated"`},
	} {
		if got := do(t, h, post("/v1/memories", step.body)).Body.String(); !strings.Contains(got, step.want) {
			t.Errorf("%s answered %s, want %s", step.body, got, step.want)
		}
	}
	if got := do(t, h, fetch("/v1/memories/1")).Body.String(); !strings.Contains(got, `"status":"done"`) {
		t.Errorf("the task is open still: %s", got)
	}
}
