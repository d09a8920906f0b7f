package storetest

import (
	"testing"
	"time"

	"engram"
	"engram/internal/store"
)

func ptr[T any](v T) *T { return &v }

var updateTests = map[string]func(t *testing.T, f *fixture){
	"text is a new version": func(t *testing.T, f *fixture) {
		for name, patch := range map[string]store.Patch{
			"title":   {Title: ptr("b")},
			"content": {Content: ptr("b"), Hash: ptr(engram.ContentHash("b"))},
			"type":    {Type: ptr("bugfix")},
			"project": {Project: ptr("coffee")},
			"scope":   {Scope: ptr(engram.ScopeGlobal)},
			"topic":   {TopicKey: ptr("k")},
			"files":   {Files: ptr([]string{"a.go"})},
		} {
			id := f.save(t, note("a "+name, "a")).ID
			got := must(f.UpdateMemory(t.Context(), ws, id, patch, f.tick(time.Hour)))(t)
			if got.Version != 2 || got.RevisionCount != 2 || !got.UpdatedAt.Equal(f.now) || !got.RecordedAt.Equal(f.now) || got.CreatedAt.Equal(f.now) {
				t.Errorf("%s: version %d, revision %d, updated %v, recorded %v, created %v", name, got.Version, got.RevisionCount, got.UpdatedAt, got.RecordedAt, got.CreatedAt)
			}
			same(t, name, got, f.get(t, id))
			old := must(f.Versions(t.Context(), ws, id))(t)[0]
			same(t, name+": old title", old.Title, "a "+name)
			same(t, name+": old project", old.Project, "tea")
			same(t, name+": old scope", old.Scope, engram.ScopeProject)
			same(t, name+": end of the old version", old.InvalidatedAt, f.now)
		}
	},
	"every field": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a")).ID
		got := must(f.UpdateMemory(t.Context(), ws, id, store.Patch{
			Title: ptr("t"), Content: ptr("c"), Hash: ptr("h"), Type: ptr("task"), Project: ptr("p"), TopicKey: ptr("k"), Status: ptr("open"),
			Scope: ptr(engram.ScopePersonal), Importance: ptr(0.5), Files: ptr([]string{"f"}),
		}, f.now))(t)
		want := note("t", "c", typed("task"), project("p"), topic("k"), status("open"), scope(engram.ScopePersonal))
		want.Hash, want.Importance, want.Files = "h", 0.5, []string{"f"}
		want.ID, want.UID, want.Version, want.RevisionCount, want.DuplicateCount = id, got.UID, 2, 2, 1
		want.OccurredAt, want.CreatedAt, want.UpdatedAt, want.LastSeenAt, want.RecordedAt = start, start, start, start, start
		same(t, "memory", got, want)
	},
	"no change of the text is no version": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a", typed(engram.TypeTask))).ID
		for i, patch := range []store.Patch{
			{Title: ptr("a"), Files: ptr([]string{})},
			{Status: ptr("done"), Importance: ptr(1.0)},
		} {
			got := must(f.UpdateMemory(t.Context(), ws, id, patch, f.tick(time.Hour)))(t)
			if got.Version != 1 || got.RevisionCount != 2+i || !got.UpdatedAt.Equal(f.now) || !got.RecordedAt.Equal(start) {
				t.Errorf("patch %d: version %d, revision %d, updated %v, recorded %v", i, got.Version, got.RevisionCount, got.UpdatedAt, got.RecordedAt)
			}
		}
	},
	"a text has no more trust than its author": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a")).ID // trust 2
		for _, c := range []struct {
			patch  store.Patch
			trust  engram.Trust
			origin engram.Origin
		}{
			{store.Patch{Type: ptr("bugfix"), Trust: ptr(engram.Trust(1)), Origin: ptr(engram.OriginImport)}, 2, engram.OriginAgent},
			{store.Patch{Title: ptr("b"), Trust: ptr(engram.Trust(3)), Origin: ptr(engram.OriginUser)}, 2, engram.OriginAgent},
			{store.Patch{Title: ptr("c")}, 2, engram.OriginAgent},
			{store.Patch{Title: ptr("d"), Trust: ptr(engram.Trust(0)), Origin: ptr(engram.OriginWeb)}, 0, engram.OriginWeb},
		} {
			got := must(f.UpdateMemory(t.Context(), ws, id, c.patch, f.now))(t)
			if got.Trust != c.trust || got.Origin != c.origin {
				t.Errorf("after %+v: trust %d, origin %s; want %d, %s", c.patch, got.Trust, got.Origin, c.trust, c.origin)
			}
		}
	},
	"a topic that another has is a conflict": func(t *testing.T, f *fixture) {
		f.save(t, note("a", "a", topic("k")))
		b := f.save(t, note("b", "b")).ID
		_, err := f.UpdateMemory(t.Context(), ws, b, store.Patch{TopicKey: ptr("k"), Title: ptr("x")}, f.now)
		wantKind(t, "same project and scope", err, engram.ErrConflict)
		same(t, "title", f.get(t, b).Title, "b")
		_ = must(f.UpdateMemory(t.Context(), ws, b, store.Patch{TopicKey: ptr("k"), Scope: ptr(engram.ScopePersonal)}, f.now))(t)
		_, err = f.UpdateMemory(t.Context(), ws, b, store.Patch{Scope: ptr(engram.ScopeProject)}, f.now)
		wantKind(t, "back into the scope", err, engram.ErrConflict)
	},
	"unknown deleted foreign": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a")).ID
		_, err := f.UpdateMemory(t.Context(), "other", id, store.Patch{Title: ptr("x")}, f.now)
		wantKind(t, "foreign", err, engram.ErrNotFound)
		wantKind(t, "pin of a foreign one", f.PinMemory(t.Context(), "other", id, true, f.now), engram.ErrNotFound)
		_ = must(f.DeleteMemory(t.Context(), ws, id, f.now))(t)
		_, err = f.UpdateMemory(t.Context(), ws, id, store.Patch{Title: ptr("x")}, f.now)
		wantKind(t, "deleted", err, engram.ErrNotFound)
		wantKind(t, "pin of a deleted one", f.PinMemory(t.Context(), ws, id, true, f.now), engram.ErrNotFound)
		_, err = f.UpdateMemory(t.Context(), ws, id+1, store.Patch{Title: ptr("x")}, f.now)
		wantKind(t, "unknown", err, engram.ErrNotFound)
	},
	"pin": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a")).ID
		for _, pinned := range []bool{true, true, false} {
			ok(t, f.PinMemory(t.Context(), ws, id, pinned, f.tick(time.Second)))
			if got := f.get(t, id); got.Pinned != pinned || got.Version != 1 || got.RevisionCount != 1 {
				t.Errorf("after pin %v: %+v", pinned, got)
			}
		}
	},
	"touch": func(t *testing.T, f *fixture) {
		a, b := f.save(t, note("a", "a")).ID, f.save(t, note("b", "b")).ID
		ok(t, f.TouchMemories(t.Context(), ws, []int64{a, 12345}, f.tick(time.Second)))
		ok(t, f.TouchMemories(t.Context(), ws, []int64{a}, f.tick(time.Second)))
		ok(t, f.TouchMemories(t.Context(), "other", []int64{b}, f.now))
		ok(t, f.TouchMemories(t.Context(), ws, nil, f.now))
		got := f.get(t, a)
		if got.AccessCount != 2 || !got.LastAccessed.Equal(f.now) || got.Version != 1 || !got.UpdatedAt.Equal(start) {
			t.Errorf("touched twice: %+v", got)
		}
		if got := f.get(t, b); got.AccessCount != 0 || !got.LastAccessed.IsZero() {
			t.Errorf("touched from another workspace: %+v", got)
		}
	},
	"support": func(t *testing.T, f *fixture) {
		a, b := f.save(t, note("a", "a")).ID, f.save(t, note("b", "b")).ID
		ok(t, f.Support(t.Context(), ws, b, a))
		ok(t, f.Support(t.Context(), ws, b, a))
		wantKind(t, "on itself", f.Support(t.Context(), ws, a, a), engram.ErrInvalid)
		wantKind(t, "foreign", f.Support(t.Context(), "other", b, a), engram.ErrNotFound)
		wantKind(t, "unknown source", f.Support(t.Context(), ws, b, 999), engram.ErrNotFound)
		all, _, err := export(t.Context(), f, nil, 100)
		ok(t, err)
		same(t, "supports", len(all.Supports), 1)
	},
}

var deleteTests = map[string]func(t *testing.T, f *fixture){
	"delete hides": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a", topic("k"))).ID
		receipt := must(f.DeleteMemory(t.Context(), ws, id, f.tick(time.Second)))(t)
		same(t, "receipt", receipt, engram.Receipt{ID: id, Memories: 1})
		same(t, "list", f.list(t, store.Filter{}, store.ByCreated, store.Page{}), "")
		same(t, "by id", len(must(f.MemoriesByID(t.Context(), store.Filter{Workspace: ws}, []int64{id}))(t)), 0)
		same(t, "window", len(must(f.InWindow(t.Context(), store.Filter{Workspace: ws}, time.Time{}, time.Time{}, false, 5))(t)), 0)
		_, err := f.DeleteMemory(t.Context(), ws, id, f.now)
		wantKind(t, "second delete", err, engram.ErrNotFound)
		_, err = f.DeleteMemory(t.Context(), ws, id+1, f.now)
		wantKind(t, "unknown", err, engram.ErrNotFound)
		other := f.save(t, note("b", "b")).ID
		_, err = f.DeleteMemory(t.Context(), "other", other, f.now)
		wantKind(t, "foreign", err, engram.ErrNotFound)
	},
	"restore": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a", topic("k"))).ID
		before := f.get(t, id)
		_ = must(f.DeleteMemory(t.Context(), ws, id, f.now))(t)
		got := must(f.RestoreMemory(t.Context(), ws, id, f.tick(time.Second)))(t)
		same(t, "restored", got, store.Restored{Memory: before})
		same(t, "a living one", must(f.RestoreMemory(t.Context(), ws, id, f.now))(t), store.Restored{Memory: before, WasLiving: true})
		same(t, "list", f.list(t, store.Filter{}, store.ByCreated, store.Page{}), "a")
		_, err := f.RestoreMemory(t.Context(), ws, id+1, f.now)
		wantKind(t, "unknown", err, engram.ErrNotFound)
		_, err = f.RestoreMemory(t.Context(), "other", id, f.now)
		wantKind(t, "foreign", err, engram.ErrNotFound)
	},
	"restore without a topic that was taken": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a", topic("k"))).ID
		_ = must(f.DeleteMemory(t.Context(), ws, id, f.now))(t)
		taker := f.save(t, note("b", "b", topic("k"))).ID
		got := must(f.RestoreMemory(t.Context(), ws, id, f.now))(t)
		same(t, "key of the restored", got.TopicKey, "")
		same(t, "key that it lost", got.LostTopic, "k")
		same(t, "holder", got.TopicHolder, taker)
		again := must(f.RestoreMemory(t.Context(), ws, id, f.now))(t)
		same(t, "said once", again, store.Restored{Memory: got.Memory, WasLiving: true})
		same(t, "key of the taker", f.get(t, taker).TopicKey, "k")
		same(t, "list", f.list(t, store.Filter{}, store.ByCreated, store.Page{}), "b a")
	},
	"erase": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a", topic("k"))).ID
		f.save(t, note("b", "b", topic("k")))
		f.save(t, note("c", "c", topic("k")))
		_, err := f.EraseMemory(t.Context(), "other", id, f.now)
		wantKind(t, "foreign", err, engram.ErrNotFound)
		receipt := must(f.EraseMemory(t.Context(), ws, id, f.now))(t)
		receipt.Postings, receipt.Copies = 0, nil
		same(t, "receipt", receipt, engram.Receipt{ID: id, Hard: true, Memories: 1, Versions: 2})
		_, err = f.Memory(t.Context(), ws, id, true)
		wantKind(t, "after", err, engram.ErrNotFound)
		_, err = f.Versions(t.Context(), ws, id)
		wantKind(t, "versions after", err, engram.ErrNotFound)
		_, err = f.EraseMemory(t.Context(), ws, id, f.now)
		wantKind(t, "second erase", err, engram.ErrNotFound)
		_, err = f.RestoreMemory(t.Context(), ws, id, f.now)
		wantKind(t, "restore", err, engram.ErrNotFound)
		same(t, "as of", f.list(t, store.Filter{AsOf: start}, store.ByCreated, store.Page{}), "")
		if again := f.save(t, note("a", "a")); again.ID == id {
			t.Errorf("the id %d was given twice", id)
		}
	},
	"erase of a hidden one": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a")).ID
		_ = must(f.DeleteMemory(t.Context(), ws, id, f.now))(t)
		same(t, "memories", must(f.EraseMemory(t.Context(), ws, id, f.now))(t).Memories, 1)
		same(t, "with deleted", f.list(t, store.Filter{Deleted: store.WithDeleted}, store.ByCreated, store.Page{}), "")
	},
	"erase takes what rests on it alone": func(t *testing.T, f *fixture) {
		ids := map[string]int64{}
		for _, title := range []string{"source", "other", "derived", "shared", "deeper", "circle"} {
			ids[title] = f.save(t, note(title, title)).ID
		}
		for _, s := range [][2]string{
			{"derived", "source"},
			{"shared", "source"},
			{"shared", "other"},
			{"deeper", "derived"},
			{"circle", "source"},
			{"circle", "deeper"},
		} {
			ok(t, f.Support(t.Context(), ws, ids[s[0]], ids[s[1]]))
		}
		receipt := must(f.EraseMemory(t.Context(), ws, ids["source"], f.now))(t)
		receipt.Postings, receipt.Copies = 0, nil
		same(t, "receipt", receipt, engram.Receipt{ID: ids["source"], Hard: true, Memories: 4, Derived: 3, Supports: 5})
		same(t, "list", f.list(t, store.Filter{}, store.ByCreated, store.Page{}), "shared other")
		same(t, "next", must(f.EraseMemory(t.Context(), ws, ids["other"], f.now))(t).Memories, 2)
	},
	"erase of a summary takes the session's copy": func(t *testing.T, f *fixture) {
		rule := f.rule()
		rule.SessionSummary = "done"
		id := must(f.SaveMemory(t.Context(), note("a", "done"), rule))(t).ID
		_ = must(f.EraseMemory(t.Context(), ws, id, f.now))(t)
		same(t, "summary", must(f.Session(t.Context(), ws, "s1"))(t).Summary, "")
	},
	"a session's summary goes by its memory": func(t *testing.T, f *fixture) {
		summarise := func(content string) int64 {
			rule := f.rule()
			rule.SessionSummary = content
			return must(f.SaveMemory(t.Context(), note("sum "+content, content, typed(engram.TypeSessionSummary)), rule))(t).ID
		}
		summary := func() string { return must(f.Session(t.Context(), ws, "s1"))(t).Summary }
		a := summarise("a")
		f.tick(time.Second)
		b := summarise("b")
		other := f.save(t, note("other", "b", session("s2"), typed(engram.TypeSessionSummary))).ID
		_ = must(f.UpdateMemory(t.Context(), ws, a, store.Patch{Content: ptr("a2")}, f.now))(t)
		same(t, "an older one edited", summary(), "b")
		_ = must(f.UpdateMemory(t.Context(), ws, b, store.Patch{Content: ptr("b2")}, f.now))(t)
		same(t, "edited", summary(), "b2")
		_ = must(f.UpdateMemory(t.Context(), ws, other, store.Patch{Content: ptr("b2")}, f.now))(t)
		_ = must(f.DeleteMemory(t.Context(), ws, other, f.now))(t)
		same(t, "another session's deleted", summary(), "b2")
		_ = must(f.DeleteMemory(t.Context(), ws, b, f.now))(t)
		same(t, "deleted", summary(), "a2")
		_ = must(f.RestoreMemory(t.Context(), ws, b, f.now))(t)
		same(t, "restored", summary(), "b2")
		_ = must(f.DeleteMemory(t.Context(), ws, a, f.now))(t)
		_ = must(f.DeleteMemory(t.Context(), ws, b, f.now))(t)
		same(t, "both deleted", summary(), "")
		_ = must(f.RestoreMemory(t.Context(), ws, b, f.now))(t)
		_ = must(f.RestoreMemory(t.Context(), ws, a, f.now))(t)
		same(t, "the older restored last", summary(), "b2")
		_ = must(f.UpdateMemory(t.Context(), ws, b, store.Patch{Type: ptr(engram.TypeManual)}, f.now))(t)
		same(t, "no summary any more", summary(), "a2")
		_ = must(f.UpdateMemory(t.Context(), ws, a, store.Patch{TopicKey: ptr("k")}, f.now))(t)
		f.save(t, note("sum a", "a3", typed(engram.TypeSessionSummary), topic("k")))
		same(t, "topic written over", summary(), "a3")
		_ = must(f.EraseMemory(t.Context(), ws, a, f.now))(t)
		same(t, "erased", summary(), "")
	},
	"a summary of the session's own stays": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a", typed(engram.TypeSessionSummary))).ID
		_ = must(f.EndSession(t.Context(), ws, "s1", "all went well", f.now))(t)
		_ = must(f.UpdateMemory(t.Context(), ws, id, store.Patch{Content: ptr("b")}, f.now))(t)
		_ = must(f.DeleteMemory(t.Context(), ws, id, f.now))(t)
		_ = must(f.RestoreMemory(t.Context(), ws, id, f.now))(t)
		same(t, "summary", must(f.Session(t.Context(), ws, "s1"))(t).Summary, "all went well")
	},
	"erase lets another summary be": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a")).ID
		_ = must(f.EndSession(t.Context(), ws, "s1", "all went well", f.now))(t)
		_ = must(f.EraseMemory(t.Context(), ws, id, f.now))(t)
		same(t, "summary", must(f.Session(t.Context(), ws, "s1"))(t).Summary, "all went well")
	},
}
