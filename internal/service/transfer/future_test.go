package transfer_test

import (
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
)

// What comes from a machine whose clock is ahead does not count as the latest
// until then; a day that lies ahead, of which something is said, stays.
func TestImportDatedAhead(t *testing.T) {
	t.Parallel()
	const wire = `{"version":"0.1.0","sessions":[{"id":"s","project":"p","started_at":"2031-01-01 00:00:00","ended_at":"2031-01-02 00:00:00"}],
		"observations":[{"id":1,"session_id":"s","type":"manual","title":"Ahead","content":"Ahead of its time","project":"p","scope":"project",
			"created_at":"2031-01-01 00:00:00","updated_at":"2031-01-01 00:00:00","occurred_at":"2031-05-05 00:00:00"}],
		"prompts":[{"id":1,"session_id":"s","content":"what will be","project":"p","created_at":"2031-01-01 00:00:00"}]}`
	const own = `{"format":"engram","version":1,"sessions":[{"id":"s","project":"p","started_at":"2031-01-01T00:00:00Z","status":"active"}],
		"memories":[{"uid":"","id":1,"version":1,"kind":"observation","type":"manual","title":"Ahead","content":"Ahead of its time","scope":"project",
			"project":"p","session_id":"s","trust":2,"revision_count":1,"duplicate_count":1,"occurred_at":"2031-05-05T00:00:00Z",
			"created_at":"2031-01-01T00:00:00Z","updated_at":"2031-01-01T00:00:00Z","recorded_at":"2031-01-01T00:00:00Z"}],
		"prompts":[{"uid":"","session_id":"s","project":"p","content":"what will be","created_at":"2031-01-01T00:00:00Z"}]}`
	for name, in := range map[string]string{"wire": wire, "own": own} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			f.imp(t, in)
			f.imp(t, strings.NewReplacer("2031-01-0", "2020-01-0", "Ahead", "Before").Replace(in))
			m := &engram.Memory{Workspace: engram.DefaultWorkspace, Type: "manual", Title: "Now", Content: "now", Project: "p", Session: "t"}
			if _, err := f.store.SaveMemory(t.Context(), m, store.SaveRule{Now: now.Add(time.Second)}); err != nil {
				t.Fatal(err)
			}
			ms, err := f.store.ListMemories(t.Context(), store.Filter{Workspace: engram.DefaultWorkspace}, store.ByActivity, store.Page{})
			if err != nil || len(ms) != 3 {
				t.Fatalf("%d memories, %v", len(ms), err)
			}
			if ms[0].Title != "Now" || ms[2].Title != "Before" {
				t.Errorf("the latest is %q, the oldest %q", ms[0].Title, ms[2].Title)
			}
			ahead := ms[1]
			for what, at := range map[string]time.Time{"created": ahead.CreatedAt, "updated": ahead.UpdatedAt, "last seen": ahead.LastSeenAt, "recorded": ahead.RecordedAt} {
				if !at.Equal(now) {
					t.Errorf("%s %v, want the time of the import", what, at)
				}
			}
			if ahead.OccurredAt.Year() != 2031 {
				t.Errorf("occurred %v, want what the file says", ahead.OccurredAt)
			}
			all := f.all(t)
			if s := all.Sessions[0]; s.ID != "s" || s.StartedAt.After(now) || s.LastSeen.After(now) || s.EndedAt.After(now) {
				t.Errorf("session %+v", s)
			}
			for _, p := range all.Prompts {
				if p.CreatedAt.After(now) {
					t.Errorf("prompt of %v", p.CreatedAt)
				}
			}
			if r := f.imp(t, in); r.Memories+r.Prompts != 0 {
				t.Errorf("the second time: %+v", r)
			}
		})
	}
}
