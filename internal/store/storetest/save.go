package storetest

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"engram"
	"engram/internal/store"
)

func isKind(err, kind error) bool { return errors.Is(err, kind) }

var saveTests = map[string]func(t *testing.T, f *fixture){
	"new row keeps every field": func(t *testing.T, f *fixture) {
		m := note("t", "c")
		m.Kind, m.Type, m.Speaker, m.Role, m.ToolName = engram.KindTurn, "chat", "Ana", "user", "hook"
		m.TopicKey, m.Files, m.Importance, m.Pinned = "a/b", []string{"x.go", "dir/é \"q\".go"}, 0.25, true
		m.Origin, m.Trust, m.Status = engram.OriginUser, 3, "open"
		m.OccurredAt = start.Add(-time.Hour + 1499*time.Nanosecond)
		m.ValidFrom, m.ValidTo = start.Add(-2*time.Hour), start.Add(time.Hour)
		saved := f.save(t, m)
		if saved.Outcome != store.Created || saved.RevisionCount != 1 || saved.ID == 0 || len(saved.UID) != 26 {
			t.Errorf("Saved = %+v", saved)
		}
		if m.ID != saved.ID || m.UID != saved.UID {
			t.Errorf("m has id %d uid %s, want %d %s", m.ID, m.UID, saved.ID, saved.UID)
		}
		want := *note("t", "c")
		want.Kind, want.Type, want.Speaker, want.Role, want.ToolName = engram.KindTurn, "chat", "Ana", "user", "hook"
		want.TopicKey, want.Files, want.Importance, want.Pinned = "a/b", []string{"x.go", "dir/é \"q\".go"}, 0.25, true
		want.Origin, want.Trust, want.Status = engram.OriginUser, 3, "open"
		want.OccurredAt = start.Add(-time.Hour + time.Microsecond) // rounded
		want.ValidFrom, want.ValidTo = start.Add(-2*time.Hour), start.Add(time.Hour)
		want.ID, want.UID = saved.ID, saved.UID
		want.Version, want.RevisionCount, want.DuplicateCount = 1, 1, 1
		want.RecordedAt, want.CreatedAt, want.UpdatedAt, want.LastSeenAt = start, start, start, start
		same(t, "memory", f.get(t, saved.ID), &want)
		same(t, "the saved value", m, &want)
	},
	"occurred now unless it says when": func(t *testing.T, f *fixture) {
		saved := f.save(t, note("t", "c"))
		same(t, "OccurredAt", f.get(t, saved.ID).OccurredAt, start)
	},
	"zero and odd times": func(t *testing.T, f *fixture) {
		for _, at := range []time.Time{
			time.Unix(0, 0).UTC(), time.Date(1969, 12, 31, 23, 59, 59, 999999000, time.UTC),
			time.Date(1, 1, 1, 0, 0, 1, 0, time.UTC), time.Date(9999, 12, 31, 23, 59, 59, 0, time.UTC),
			time.Date(2026, 7, 1, 3, 0, 0, 0, time.FixedZone("", 5400)),
		} {
			saved := f.save(t, note("t", "c", occurred(at)))
			if got := f.get(t, saved.ID).OccurredAt; !got.Equal(at) || got.Location() != time.UTC {
				t.Errorf("OccurredAt = %v, want %v in UTC", got, at)
			}
		}
	},
	"any text comes back as it was": func(t *testing.T, f *fixture) {
		for name, content := range map[string]string{
			"nul": "a\x00b\x00", "emoji": "👩‍👩‍👧 🇨🇭", "crlf": "a\r\nb\n\n", "spaces": "  x \t",
			"long": strings.Repeat("äb ", 1<<20/4), "quotes": `'";--$1?1%_\`, "rtl": "שלום \u202e", "max": "\U0010ffff\ufffd",
		} {
			saved, err := f.SaveMemory(t.Context(), note("title "+name, content), f.rule())
			if f.open.TextOnly && name == "nul" {
				wantKind(t, "a NUL character", err, engram.ErrInvalid)
				continue
			}
			ok(t, err)
			if got := f.get(t, saved.ID).Content; got != content {
				t.Errorf("%s: got %d bytes, want %d", name, len(got), len(content))
			}
		}
	},
	"topic is written over and keeps its place": func(t *testing.T, f *fixture) {
		first := f.save(t, note("old", "old text", topic("k"), session("s1")))
		later := f.tick(time.Hour)
		m := note("new", "new text", topic("k"), session("s2"), typed("decision"))
		m.ToolName, m.Files, m.Origin, m.Trust = "t", []string{"f"}, engram.OriginWeb, 0
		saved := f.save(t, m)
		same(t, "Saved", saved, store.Saved{ID: first.ID, UID: first.UID, Outcome: store.Updated, TopicKey: "k", RevisionCount: 2})
		want := note("new", "new text", topic("k"), session("s1"), typed("decision"))
		want.ToolName, want.Files, want.Origin, want.Trust = "t", []string{"f"}, engram.OriginWeb, 0
		want.ID, want.UID, want.Version, want.RevisionCount, want.DuplicateCount = first.ID, first.UID, 2, 2, 1
		want.CreatedAt, want.OccurredAt = start, start
		want.UpdatedAt, want.LastSeenAt, want.RecordedAt = later, later, later
		same(t, "memory", f.get(t, first.ID), want)
		versions := must(f.Versions(t.Context(), ws, first.ID))(t)
		if got := titles(versions); got != "old new" {
			t.Fatalf("Versions = %q, want old, then new", got)
		}
		same(t, "old version", versions[0].InvalidatedAt, later)
		same(t, "old text", versions[0].Content, "old text")
		same(t, "old version's trust", versions[0].Trust, engram.Trust(2))
	},
	"topic keeps importance pinned status unless set": func(t *testing.T, f *fixture) {
		m := note("a", "a", topic("k"), status("open"))
		m.Importance, m.Pinned = 0.5, true
		id := f.save(t, m).ID
		f.save(t, note("b", "b", topic("k")))
		got := f.get(t, id)
		if got.Importance != 0.5 || !got.Pinned || got.Status != "open" {
			t.Errorf("importance %v, pinned %v, status %q; want them kept", got.Importance, got.Pinned, got.Status)
		}
		m = note("c", "c", topic("k"), status("done"))
		m.Importance = 0.75
		f.save(t, m)
		if got := f.get(t, id); got.Importance != 0.75 || got.Status != "done" {
			t.Errorf("importance %v, status %q; want 0.75, done", got.Importance, got.Status)
		}
	},
	"identical topic text is a revision": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a", topic("k"))).ID
		saved := f.save(t, note("a", "a", topic("k")))
		if saved.Outcome != store.Updated || saved.RevisionCount != 2 || saved.ID != id {
			t.Errorf("Saved = %+v, want revision 2 of %d", saved, id)
		}
	},
	"topics are apart by project scope workspace and life": func(t *testing.T, f *fixture) {
		ids := map[int64]bool{}
		for _, m := range []*engram.Memory{
			note("a", "a", topic("k")),
			note("a", "b", topic("k"), project("coffee")),
			note("a", "c", topic("k"), scope(engram.ScopePersonal)),
			note("a", "d", topic("k"), inWorkspace("other")),
			note("a", "e", topic("k2")),
		} {
			ids[f.save(t, m).ID] = true
		}
		if len(ids) != 5 {
			t.Errorf("%d memories, want 5", len(ids))
		}
		first := f.save(t, note("a", "f", topic("k3"))).ID
		_ = must(f.DeleteMemory(t.Context(), ws, first, f.now))(t)
		if again := f.save(t, note("a", "g", topic("k3"))); again.Outcome != store.Created || again.ID == first {
			t.Errorf("a deleted memory's topic: %+v, want a new memory", again)
		}
	},
	"session is created touched and woken": func(t *testing.T, f *fixture) {
		rule := f.rule()
		rule.Session = engram.Session{Project: "sp", Directory: "/d", Summary: "no", ID: "other"}
		_ = must(f.SaveMemory(t.Context(), note("a", "a"), rule))(t)
		got := must(f.Session(t.Context(), ws, "s1"))(t)
		same(t, "session", got, &engram.Session{
			ID: "s1", Workspace: ws, Project: "sp", Directory: "/d", StartedAt: start, LastSeen: start, Status: engram.SessionActive, Count: 1,
		})
		_ = must(f.LapseSessions(t.Context(), ws, f.tick(time.Hour)))(t)
		f.save(t, note("b", "b"))
		got = must(f.Session(t.Context(), ws, "s1"))(t)
		if got.Status != engram.SessionActive || !got.LastSeen.Equal(f.now) || got.Count != 2 || got.Directory != "/d" {
			t.Errorf("session after a write = %+v, want it active again", got)
		}
		_ = must(f.EndSession(t.Context(), ws, "s1", "", f.now))(t)
		f.save(t, note("c", "c"))
		same(t, "status of an ended session", must(f.Session(t.Context(), ws, "s1"))(t).Status, engram.SessionEnded)
		f.save(t, note("d", "d", session("s9"), project("coffee")))
		same(t, "project of a new session", must(f.Session(t.Context(), ws, "s9"))(t).Project, "coffee")
	},
	"session summary": func(t *testing.T, f *fixture) {
		rule := f.rule()
		rule.SessionSummary = "what was done"
		_ = must(f.SaveMemory(t.Context(), note("a", "what was done", typed(engram.TypeSessionSummary)), rule))(t)
		got := must(f.Session(t.Context(), ws, "s1"))(t)
		if got.Summary != "what was done" || got.Status != engram.SessionActive {
			t.Errorf("session = %+v, want the summary, and active", got)
		}
		f.save(t, note("b", "b"))
		same(t, "summary after another save", must(f.Session(t.Context(), ws, "s1"))(t).Summary, "what was done")
	},
	"no session": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a", session(""))).ID
		same(t, "session", f.get(t, id).Session, "")
	},
	"many at once, all or nothing": func(t *testing.T, f *fixture) {
		ms := []*engram.Memory{note("a", "a"), note("a", "a"), note("b", "b", topic("k"), session("s2")), note("c", "c", topic("k"))}
		saved := must(f.SaveMemories(t.Context(), ms, f.rule()))(t)
		var outcomes []store.Outcome
		for _, s := range saved {
			outcomes = append(outcomes, s.Outcome)
		}
		same(t, "outcomes", outcomes, []store.Outcome{store.Created, store.Duplicate, store.Created, store.Updated})
		same(t, "list", f.list(t, store.Filter{}, store.ByCreated, store.Page{}), "c a")

		bad := []*engram.Memory{note("d", "d"), note("e", "e", inWorkspace(""))}
		_, err := f.SaveMemories(t.Context(), bad, f.rule())
		wantKind(t, "no workspace", err, engram.ErrInvalid)
		same(t, "list", f.list(t, store.Filter{}, store.ByCreated, store.Page{}), "c a")
		same(t, "an unsaved memory", bad[0], note("d", "d"), cmpopts.IgnoreFields(engram.Memory{}))
	},
	"cancelled context stores nothing": func(t *testing.T, f *fixture) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, err := f.SaveMemory(ctx, note("a", "a"), f.rule())
		wantKind(t, "SaveMemory", err, context.Canceled)
		same(t, "count", must(f.CountMemories(t.Context(), store.Filter{Workspace: ws}))(t), 0)
	},
	"clock that jumps back": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a", topic("k"))).ID
		f.tick(-time.Hour)
		f.save(t, note("b", "b", topic("k")))
		f.save(t, note("c", "c"))
		versions := must(f.Versions(t.Context(), ws, id))(t)
		if v := versions[0]; v.InvalidatedAt.Before(v.RecordedAt) {
			t.Errorf("the version ended at %v, before it began at %v", v.InvalidatedAt, v.RecordedAt)
		}
		if v := versions[1]; !v.RecordedAt.Equal(versions[0].InvalidatedAt) {
			t.Errorf("the next version began at %v, want %v", v.RecordedAt, versions[0].InvalidatedAt)
		}
		same(t, "a sighting in the future counts", f.save(t, note("b", "b")).Outcome, store.Duplicate)
	},
}
