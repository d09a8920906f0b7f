package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
)

func sessionIDs(ss []*engram.Session) (ids []string) {
	for _, s := range ss {
		ids = append(ids, s.ID)
	}
	return ids
}

var sessionTests = map[string]func(t *testing.T, f *fixture){
	"start": func(t *testing.T, f *fixture) {
		in := engram.Session{ID: "x", Workspace: ws, Project: "tea", StartedAt: f.now}
		got, created, err := f.StartSession(t.Context(), in)
		ok(t, err)
		want := engram.Session{ID: "x", Workspace: ws, Project: "tea", StartedAt: start, LastSeen: start, Status: engram.SessionActive}
		same(t, "session", got, &want)
		same(t, "created", created, true)

		in = engram.Session{ID: "x", Workspace: ws, Project: "coffee", Directory: "/d", StartedAt: f.tick(time.Hour)}
		got, created, err = f.StartSession(t.Context(), in)
		ok(t, err)
		want.Directory, want.LastSeen = "/d", f.now // what is stored wins, the rest is filled in
		same(t, "second start", got, &want)
		same(t, "created", created, false)
		same(t, "stored", must(f.Session(t.Context(), ws, "x"))(t), &want)
	},
	"start of an ended and of a lapsed one": func(t *testing.T, f *fixture) {
		for _, id := range []string{"ended", "lapsed"} {
			_, _, err := f.StartSession(t.Context(), engram.Session{ID: id, Workspace: ws, StartedAt: f.now})
			ok(t, err)
		}
		_ = must(f.EndSession(t.Context(), ws, "ended", "", f.now))(t)
		same(t, "lapsed", must(f.LapseSessions(t.Context(), ws, f.tick(time.Hour)))(t), 1)
		same(t, "status", must(f.Session(t.Context(), ws, "lapsed"))(t).Status, engram.SessionLapsed)
		for id, want := range map[string]engram.SessionStatus{"ended": engram.SessionEnded, "lapsed": engram.SessionActive} {
			got, _, err := f.StartSession(t.Context(), engram.Session{ID: id, Workspace: ws, StartedAt: f.now})
			ok(t, err)
			same(t, id, got.Status, want)
		}
	},
	"end": func(t *testing.T, f *fixture) {
		_, err := f.EndSession(t.Context(), ws, "x", "", f.now)
		wantKind(t, "unknown", err, engram.ErrNotFound)
		_, _, err = f.StartSession(t.Context(), engram.Session{ID: "x", Workspace: ws, StartedAt: f.now})
		ok(t, err)
		ended := f.tick(time.Hour)
		got := must(f.EndSession(t.Context(), ws, "x", "first", ended))(t)
		if got.Status != engram.SessionEnded || !got.EndedAt.Equal(ended) || got.Summary != "first" {
			t.Errorf("session = %+v", got)
		}
		for summary, want := range map[string]string{"": "first", "second": "second"} {
			got = must(f.EndSession(t.Context(), ws, "x", summary, f.tick(time.Hour)))(t)
			if !got.EndedAt.Equal(ended) || (summary != "" && got.Summary != want) || got.Summary == "" {
				t.Errorf("ended again with %q: %+v", summary, got)
			}
		}
		_, err = f.EndSession(t.Context(), "other", "x", "", f.now)
		wantKind(t, "foreign", err, engram.ErrNotFound)
	},
	"count and list": func(t *testing.T, f *fixture) {
		for _, s := range []string{"a", "b", "c"} {
			f.save(t, note(s, s, session(s), project(map[string]string{"a": "tea", "b": "tea", "c": "coffee"}[s])))
			f.tick(time.Second)
		}
		f.save(t, note("a2", "a2", session("a")))
		gone := f.save(t, note("a3", "a3", session("a"))).ID
		_ = must(f.DeleteMemory(t.Context(), ws, gone, f.now))(t)
		all := must(f.ListSessions(t.Context(), ws, nil, store.Page{}))(t)
		same(t, "order", sessionIDs(all), []string{"a", "c", "b"})
		same(t, "count", all[0].Count, 2)
		same(t, "session's count", must(f.Session(t.Context(), ws, "a"))(t).Count, 2)
		_ = must(f.RestoreMemory(t.Context(), ws, gone, f.now))(t)
		same(t, "count after restore", must(f.Session(t.Context(), ws, "a"))(t).Count, 3)
		_ = must(f.EraseMemory(t.Context(), ws, gone, f.now))(t)
		same(t, "count after erasure", must(f.Session(t.Context(), ws, "a"))(t).Count, 2)
		same(t, "projects", sessionIDs(must(f.ListSessions(t.Context(), ws, []string{"tea"}, store.Page{}))(t)), []string{"a", "b"})
		same(t, "limit", sessionIDs(must(f.ListSessions(t.Context(), ws, nil, store.Page{Limit: 1}))(t)), []string{"a"})
		same(t, "foreign", len(must(f.ListSessions(t.Context(), "other", nil, store.Page{}))(t)), 0)
		_, err := f.Session(t.Context(), "other", "a")
		wantKind(t, "foreign session", err, engram.ErrNotFound)
	},
	"pages": func(t *testing.T, f *fixture) {
		open := func(id string) {
			_, _, err := f.StartSession(t.Context(), engram.Session{ID: id, Workspace: ws, Project: "tea", StartedAt: f.now})
			ok(t, err)
		}
		var want []string
		for i := range 250 {
			want = append(want, fmt.Sprint("s", i))
			open(want[i])
		}
		at := f.now
		for _, projects := range [][]string{nil, {"tea"}, {"tea", "coffee"}} {
			got := f.pages(t, 250, func(page store.Page) ([]string, store.Page) {
				ss := must(f.ListSessions(t.Context(), ws, projects, page))(t)
				f.tick(time.Second)
				open(fmt.Sprint("new", f.now.Unix()))
				if len(ss) > 0 {
					page.After, page.AfterKey = ss[len(ss)-1].LastSeen, ss[len(ss)-1].ID
				}
				return sessionIDs(slices.DeleteFunc(ss, func(s *engram.Session) bool { return !s.LastSeen.Equal(at) })), page
			})
			same(t, "pages", got, slices.Sorted(slices.Values(want)))
		}
		first := must(f.ListSessions(t.Context(), ws, nil, store.Page{Limit: 1, After: at, AfterKey: "s99"}))(t)
		same(t, "after s99", sessionIDs(first), []string{"s98"})
	},
	"delete": func(t *testing.T, f *fixture) {
		wantKind(t, "unknown", f.DeleteSession(t.Context(), ws, "s1"), engram.ErrNotFound)
		_, _, err := f.StartSession(t.Context(), engram.Session{ID: "s1", Workspace: ws, StartedAt: f.now})
		ok(t, err)
		wantKind(t, "foreign", f.DeleteSession(t.Context(), "other", "s1"), engram.ErrNotFound)
		ok(t, f.DeleteSession(t.Context(), ws, "s1"))
		wantKind(t, "second time", f.DeleteSession(t.Context(), ws, "s1"), engram.ErrNotFound)
	},
	"delete of one that is not empty": func(t *testing.T, f *fixture) {
		ids := []int64{f.save(t, note("a", "a")).ID, f.save(t, note("b", "b")).ID}
		p := &engram.Prompt{Workspace: ws, Session: "s1", Content: "p", CreatedAt: f.now}
		refused := func(what string, says ...string) {
			t.Helper()
			before := must(f.Session(t.Context(), ws, "s1"))(t)
			err := f.DeleteSession(t.Context(), ws, "s1")
			wantKind(t, what, err, engram.ErrConflict)
			same(t, what+", code", engram.ErrorCode(err), "session_not_empty")
			for _, s := range says {
				if err == nil || !strings.Contains(err.Error(), s) {
					t.Errorf("%s: error %v, want it to say %q", what, err, s)
				}
			}
			same(t, what+", session", must(f.Session(t.Context(), ws, "s1"))(t), before)
		}
		refused("living memories", "2 memories")
		_ = must(f.DeleteMemory(t.Context(), ws, ids[0], f.now))(t)
		refused("a living and a hidden one", "1 memory", "1 hidden memory")
		_ = must(f.DeleteMemory(t.Context(), ws, ids[1], f.now))(t)
		refused("hidden memories", "2 hidden memories")
		ok(t, f.SavePrompt(t.Context(), p))
		refused("and a prompt", "2 hidden memories", "1 prompt")
		for _, id := range ids {
			same(t, "session of a hidden memory", f.get(t, id).Session, "s1")
			_ = must(f.EraseMemory(t.Context(), ws, id, f.now))(t)
		}
		refused("a prompt", "1 prompt")
		same(t, "session of the prompt", must(f.Prompt(t.Context(), ws, p.ID))(t).Session, "s1")
		ok(t, f.DeletePrompt(t.Context(), ws, p.ID))
		ok(t, f.DeleteSession(t.Context(), ws, "s1"))
	},
	"lapse": func(t *testing.T, f *fixture) {
		f.save(t, note("a", "a", session("old")))
		f.save(t, note("x", "x", session("foreign"), inWorkspace("other")))
		f.save(t, note("e", "e", session("ended")))
		_ = must(f.EndSession(t.Context(), ws, "ended", "", f.now))(t)
		at := f.tick(time.Hour)
		f.save(t, note("b", "b", session("new")))
		same(t, "lapsed", must(f.LapseSessions(t.Context(), ws, at))(t), 1)
		same(t, "again", must(f.LapseSessions(t.Context(), ws, at))(t), 0)
		for id, want := range map[string]engram.SessionStatus{"old": engram.SessionLapsed, "new": engram.SessionActive, "ended": engram.SessionEnded} {
			same(t, id, must(f.Session(t.Context(), ws, id))(t).Status, want)
		}
		same(t, "foreign", must(f.Session(t.Context(), "other", "foreign"))(t).Status, engram.SessionActive)
	},
}

// pages reads pages of 100 until one is empty, and gives what they had, sorted.
// The list has n of one time at its end.
func (f *fixture) pages(t *testing.T, n int, read func(store.Page) ([]string, store.Page)) (got []string) {
	t.Helper()
	page := store.Page{Limit: 100}
	for range n {
		ids, next := read(page)
		if next == page {
			slices.Sort(got)
			return got
		}
		got, page = append(got, ids...), next
	}
	t.Fatalf("no end after %d pages", n)
	return nil
}

func contents(ps []*engram.Prompt) (out []string) {
	for _, p := range ps {
		out = append(out, p.Content)
	}
	return out
}

var promptTests = map[string]func(t *testing.T, f *fixture){
	"save and list": func(t *testing.T, f *fixture) {
		for i, content := range []string{"first", "second", "third"} {
			p := &engram.Prompt{Workspace: ws, Session: "s1", Project: []string{"tea", "coffee"}[i%2], Content: content, CreatedAt: f.now}
			ok(t, f.SavePrompt(t.Context(), p))
			if p.ID == 0 || len(p.UID) != 26 {
				t.Errorf("prompt = %+v, want id and uid", p)
			}
		}
		all := must(f.ListPrompts(t.Context(), ws, nil, store.Page{}))(t)
		same(t, "all", contents(all), []string{"third", "second", "first"})
		want := &engram.Prompt{ID: all[0].ID, UID: all[0].UID, Workspace: ws, Session: "s1", Project: "tea", Content: "third", CreatedAt: start}
		same(t, "prompt", all[0], want)
		same(t, "project", contents(must(f.ListPrompts(t.Context(), ws, []string{"coffee"}, store.Page{}))(t)), []string{"second"})
		page := store.Page{Limit: 1, After: all[0].CreatedAt, AfterID: all[0].ID}
		same(t, "page", contents(must(f.ListPrompts(t.Context(), ws, nil, page))(t)), []string{"second"})
		same(t, "foreign", len(must(f.ListPrompts(t.Context(), "other", nil, store.Page{}))(t)), 0)
		same(t, "session", must(f.Session(t.Context(), ws, "s1"))(t).Project, "tea")
		ok(t, f.SavePrompt(t.Context(), &engram.Prompt{Workspace: ws, Content: "alone", CreatedAt: f.now}))
	},
	"pages": func(t *testing.T, f *fixture) {
		ask := func(content string) {
			ok(t, f.SavePrompt(t.Context(), &engram.Prompt{Workspace: ws, Project: "tea", Content: content, CreatedAt: f.now}))
		}
		var want []string
		for i := range 250 {
			want = append(want, fmt.Sprint("p", i))
			ask(want[i])
		}
		at := f.now
		for _, projects := range [][]string{nil, {"tea"}, {"tea", "coffee"}} {
			got := f.pages(t, 250, func(page store.Page) ([]string, store.Page) {
				ps := must(f.ListPrompts(t.Context(), ws, projects, page))(t)
				f.tick(time.Second)
				ask("new")
				if len(ps) > 0 {
					page.After, page.AfterID = ps[len(ps)-1].CreatedAt, ps[len(ps)-1].ID
				}
				return contents(slices.DeleteFunc(ps, func(p *engram.Prompt) bool { return !p.CreatedAt.Equal(at) })), page
			})
			same(t, "pages", got, slices.Sorted(slices.Values(want)))
		}
	},
	"search": func(t *testing.T, f *fixture) {
		for i, content := range []string{"kettle boils", "kettle whistles loudly", "cup", "kettle"} {
			ok(t, f.SavePrompt(t.Context(), &engram.Prompt{Workspace: ws, Project: []string{"tea", "coffee"}[i/3], Content: content, CreatedAt: f.tick(time.Second)}))
		}
		search := func(projects []string, limit int, words ...string) []string {
			return contents(must(f.SearchPrompts(t.Context(), ws, projects, termsOf(words...), limit))(t))
		}
		same(t, "one word", search(nil, 9, "kettle"), []string{"kettle", "kettle whistles loudly", "kettle boils"})
		same(t, "share first", search(nil, 9, "kettle boils")[0], "kettle boils")
		same(t, "limit", len(search(nil, 1, "kettle")), 1)
		same(t, "project", search([]string{"tea"}, 9, "kettle"), []string{"kettle whistles loudly", "kettle boils"})
		same(t, "nothing", search(nil, 9, "zebra"), nil)
		same(t, "no terms", contents(must(f.SearchPrompts(t.Context(), ws, nil, nil, 9))(t)), nil)
		same(t, "foreign", contents(must(f.SearchPrompts(t.Context(), "other", nil, termsOf("kettle"), 9))(t)), nil)
	},
	"search with a very long one": func(t *testing.T, f *fixture) {
		var b strings.Builder
		b.WriteString("why does the kettle fail here")
		for i := range 20_000 {
			fmt.Fprintf(&b, " w%dx", i)
		}
		b.WriteString(" please whistle")
		ok(t, f.SavePrompt(t.Context(), &engram.Prompt{Workspace: ws, Content: b.String(), CreatedAt: f.now}))
		for word, want := range map[string]int{"kettle": 1, "whistle": 1, "w10000x": 0} {
			same(t, word, len(must(f.SearchPrompts(t.Context(), ws, nil, termsOf(word), 9))(t)), want)
		}
	},
	"delete": func(t *testing.T, f *fixture) {
		p := &engram.Prompt{Workspace: ws, Session: "s1", Content: "kettle", CreatedAt: f.now}
		ok(t, f.SavePrompt(t.Context(), p))
		wantKind(t, "foreign", f.DeletePrompt(t.Context(), "other", p.ID), engram.ErrNotFound)
		same(t, "prompt", must(f.Prompt(t.Context(), ws, p.ID))(t), p)
		_, err := f.Prompt(t.Context(), "other", p.ID)
		wantKind(t, "foreign prompt", err, engram.ErrNotFound)
		ok(t, f.DeletePrompt(t.Context(), ws, p.ID))
		_, err = f.Prompt(t.Context(), ws, p.ID)
		wantKind(t, "deleted prompt", err, engram.ErrNotFound)
		wantKind(t, "second time", f.DeletePrompt(t.Context(), ws, p.ID), engram.ErrNotFound)
		same(t, "search", len(must(f.SearchPrompts(t.Context(), ws, nil, termsOf("kettle"), 9))(t)), 0)
	},
}
