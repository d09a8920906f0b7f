package rest_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"engram/internal/rest"
)

// TestSessionWithHiddenMemories: a session is removed only when nothing is in
// it, and what is hidden in it keeps its session until then.
func TestSessionWithHiddenMemories(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/sessions/s2", "/sessions/s2"} {
		h := serve(t, services(t), rest.Options{})
		refused := func(says string) {
			t.Helper()
			w := do(t, h, del(path))
			if body := w.Body.String(); w.Code != http.StatusConflict || !strings.Contains(body, `"code":"session_not_empty"`) || !strings.Contains(body, says) {
				t.Fatalf("DELETE %s answered %d %s, want 409, session_not_empty, %q", path, w.Code, body, says)
			}
		}
		done := func(c call) {
			t.Helper()
			if w := do(t, h, c); w.Code >= 300 {
				t.Fatalf("%s %s answered %d %s", c.method, c.path, w.Code, w.Body)
			}
		}
		for i := range 2 {
			done(post("/v1/memories", fmt.Sprintf(`{"content":"note %d","session_id":"s2"}`, i)))
		}
		done(post("/v1/prompts", `{"content":"why?","session_id":"s2"}`))
		refused("2 memories, 1 prompt")
		done(del("/v1/memories/1"))
		done(del("/v1/memories/2"))
		refused("2 hidden memories, 1 prompt")
		if body := do(t, h, fetch("/v1/memories?deleted=only&session_id=s2")).Body.String(); strings.Count(body, `"session_id":"s2"`) != 2 {
			t.Errorf("the hidden memories after refusals: %s", body)
		}
		done(del("/v1/memories/1?hard=true"))
		done(del("/v1/memories/2?hard=true"))
		refused(" 1 prompt")
		done(del("/v1/prompts/1"))
		done(del(path))
	}
}

// TestDatedSaveSentAgain: a client that did not hear the answer sends a dated
// turn once more, and it is one row; what another speaker said is another.
func TestDatedSaveSentAgain(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/v1/memories", "/observations"} {
		h := serve(t, services(t), rest.Options{})
		for i, want := range []struct{ speaker, id, outcome string }{
			{"Ann", "1", "created"},
			{"Ann", "1", "duplicate"},
			{"Bea", "2", "created"},
		} {
			body := fmt.Sprintf(`{"session_id":"s","title":"t","content":"ok","speaker":%q,"occurred_at":"2026-05-08T14:30:00Z"}`, want.speaker)
			got := do(t, h, post(path, body)).Body.String()
			if !strings.Contains(got, `"id":`+want.id+",") || !strings.Contains(got, `"outcome":"`+want.outcome+`"`) {
				t.Errorf("POST %s, call %d answered %s, want id %s, %s", path, i+1, got, want.id, want.outcome)
			}
		}
	}
}
