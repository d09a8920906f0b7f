package storetest

import (
	"errors"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"engram"
	"engram/internal/store"
)

// fill puts one of each thing into a store.
func (f *fixture) fill(t *testing.T) {
	t.Helper()
	m := note("v1", "v1", topic("k"), project("old"))
	m.Files, m.Importance, m.Pinned = []string{"f"}, 0.5, true
	f.save(t, m)
	f.tick(time.Hour)
	f.save(t, note("v2", "v2", topic("k"), project("old")))
	src := f.save(t, note("source", "source", session("s2"))).ID
	derived := f.save(t, note("derived", "derived", session(""), occurred(start.Add(-time.Hour)))).ID
	ok(t, f.Support(t.Context(), ws, derived, src))
	ok(t, f.TouchMemories(t.Context(), ws, []int64{src}, f.now))
	_ = must(f.DeleteMemory(t.Context(), ws, f.save(t, note("gone", "gone", topic("g"))).ID, f.now))(t)
	ok(t, f.SavePrompt(t.Context(), &engram.Prompt{Workspace: ws, Session: "s1", Project: "old", Content: "kettle", CreatedAt: f.now}))
	ok(t, f.SavePrompt(t.Context(), &engram.Prompt{Workspace: ws, Session: "s7", Project: "tea", Content: "cup", CreatedAt: f.now}))
	_ = must(f.EndSession(t.Context(), ws, "s2", "summary", f.now))(t)
	_ = must(f.MergeProjects(t.Context(), ws, "old", "new", f.now))(t)
	_ = must(f.ClaimRemote(t.Context(), ws, "h/o/new", "new", "o/new"))(t)
	_ = must(f.ClaimRemote(t.Context(), ws, "h/p/new", "new", "p/new"))(t)
	f.save(t, note("x", "x", inWorkspace("other")))
	_ = must(f.ClaimRemote(t.Context(), "other", "h/x/new", "new", "x/new"))(t)
}

var ignoreIDs = cmpopts.IgnoreFields(engram.Memory{}, "ID")

var transferTests = map[string]func(t *testing.T, f *fixture){
	"an export makes an equal store": func(t *testing.T, f *fixture) {
		f.fill(t)
		want, batches, err := export(t.Context(), f, nil, 2)
		ok(t, err)
		if batches < 5 {
			t.Errorf("%d batches, want several", batches)
		}
		same(t, "items", []int{len(want.Sessions), len(want.Memories), len(want.Versions), len(want.Prompts), len(want.Supports), len(want.Aliases)},
			[]int{3, 4, 1, 2, 1, 1})
		same(t, "remotes", want.Remotes, map[string]string{"h/o/new": "new", "h/p/new": "p/new"})
		for i, m := range want.Memories[1:] {
			if m.ID <= want.Memories[i].ID {
				t.Errorf("memories are not by id: %v", memoryIDs(want.Memories))
			}
		}
		to := f.openTo(t)
		var sum store.Imported
		err = f.Export(t.Context(), ws, nil, 2, func(b store.Batch) error {
			got, err := to.Import(t.Context(), ws, b, f.now)
			sum.Sessions += got.Sessions
			sum.Memories += got.Memories
			sum.Prompts += got.Prompts
			sum.Versions += got.Versions
			sum.Skipped += got.Skipped
			return err
		})
		ok(t, err)
		same(t, "imported", sum, store.Imported{Sessions: 3, Memories: 4, Prompts: 2, Versions: 1})
		got, _, err := export(t.Context(), to, nil, 100)
		ok(t, err)
		same(t, "store", got, want, ignoreIDs, cmpopts.IgnoreFields(engram.Prompt{}, "ID"))
		same(t, "prompts found", len(must(to.SearchPrompts(t.Context(), ws, nil, termsOf("kettle"), 5))(t)), 1)

		again := must(to.Import(t.Context(), ws, got, f.now))(t)
		same(t, "second import", again, store.Imported{Skipped: 10})
		twice, _, err := export(t.Context(), to, nil, 100)
		ok(t, err)
		same(t, "store after the second import", twice, got)
	},
	"export of projects": func(t *testing.T, f *fixture) {
		f.fill(t)
		got, _, err := export(t.Context(), f, []string{"new"}, 10)
		ok(t, err)
		same(t, "memories", titles(got.Memories), "v2")
		same(t, "versions", titles(got.Versions), "v1")
		same(t, "prompts", contents(got.Prompts), []string{"kettle"})
		same(t, "supports", len(got.Supports), 0)
		same(t, "remotes", got.Remotes, map[string]string{"h/o/new": "new"})
	},
	"import overwrites no remote": func(t *testing.T, f *fixture) {
		_ = must(f.ClaimRemote(t.Context(), ws, "h/o/app", "app", "o/app"))(t)
		_ = must(f.Import(t.Context(), ws, store.Batch{Remotes: map[string]string{"h/o/app": "x", "h/p/app": "p/app"}}, f.now))(t)
		for remote, want := range map[string]string{"h/o/app": "app", "h/p/app": "p/app"} {
			same(t, remote, must(f.ClaimRemote(t.Context(), ws, remote, "new", "o/new"))(t), want)
		}
	},
	"export ends with an error of yield": func(t *testing.T, f *fixture) {
		f.fill(t)
		stop := errors.New("stop")
		n := 0
		err := f.Export(t.Context(), ws, nil, 1, func(store.Batch) error { n++; return stop })
		if !errors.Is(err, stop) || n != 1 {
			t.Errorf("Export = %v after %d batches", err, n)
		}
	},
	"export reads one state": func(t *testing.T, f *fixture) {
		f.fill(t)
		var got store.Batch
		err := f.Export(t.Context(), ws, nil, 1, func(b store.Batch) error {
			got.Memories = append(got.Memories, b.Memories...)
			f.save(t, note("meanwhile", time.Duration(len(got.Memories)).String()))
			return nil
		})
		ok(t, err)
		same(t, "memories", titles(got.Memories), "v2 source derived gone")
	},
	"import sets ids and creates sessions": func(t *testing.T, f *fixture) {
		m := &engram.Memory{ID: 77, UID: "u1", Kind: engram.KindTurn, Type: "chat", Title: "a", Content: "A  b", Session: "new", Project: "tea", CreatedAt: start.Add(-time.Hour)}
		p := &engram.Prompt{ID: 5, Session: "new2", Content: "p", CreatedAt: start.Add(-time.Minute)}
		got := must(f.Import(t.Context(), ws, store.Batch{Memories: []*engram.Memory{m}, Prompts: []*engram.Prompt{p}}, f.now))(t)
		same(t, "imported", got, store.Imported{Memories: 1, Prompts: 1})
		stored := f.get(t, m.ID)
		same(t, "stored", stored, m)
		if m.ID == 77 || p.UID == "" || !m.OccurredAt.Equal(m.CreatedAt) || !m.UpdatedAt.Equal(m.CreatedAt) || m.Hash != engram.ContentHash("a b") || m.Version != 1 || m.DuplicateCount != 1 {
			t.Errorf("imported %+v", m)
		}
		s := must(f.Session(t.Context(), ws, "new"))(t)
		if s.Project != "tea" || !s.StartedAt.Equal(m.CreatedAt) || s.Count != 1 {
			t.Errorf("session = %+v", s)
		}
		_ = must(f.Session(t.Context(), ws, "new2"))(t)
		again := &engram.Memory{ID: 3, UID: "u1", Title: "x", Content: "x"}
		got = must(f.Import(t.Context(), ws, store.Batch{Memories: []*engram.Memory{again}}, f.now))(t)
		same(t, "again", got, store.Imported{Skipped: 1})
		same(t, "id of the skipped", again.ID, m.ID)
	},
	"neither topic nor duplicate rules": func(t *testing.T, f *fixture) {
		var ms []*engram.Memory
		for _, m := range []*engram.Memory{note("a", "x"), note("a", "x"), note("new", "n", topic("k")), note("old", "o", topic("k"))} {
			m.CreatedAt = start
			if m.Title == "old" {
				m.CreatedAt = start.Add(-time.Hour)
			}
			ms = append(ms, m)
		}
		same(t, "imported", must(f.Import(t.Context(), ws, store.Batch{Memories: ms}, f.now))(t).Memories, 4)
		same(t, "the newer keeps the key", f.get(t, ms[2].ID).TopicKey+f.get(t, ms[3].ID).TopicKey, "k")
		newest := note("newest", "z", topic("k"))
		newest.CreatedAt = start.Add(time.Hour)
		_ = must(f.Import(t.Context(), ws, store.Batch{Memories: []*engram.Memory{newest}}, f.now))(t)
		same(t, "the newest takes it", f.get(t, newest.ID).TopicKey+f.get(t, ms[2].ID).TopicKey, "k")
	},
	"all or nothing": func(t *testing.T, f *fixture) {
		m := note("a", "a")
		m.UID = "u1"
		b := store.Batch{Memories: []*engram.Memory{m}, Supports: [][2]string{{"u1", "nowhere"}}}
		_, err := f.Import(t.Context(), ws, b, f.now)
		wantKind(t, "unknown source", err, engram.ErrInvalid)
		same(t, "list", f.list(t, store.Filter{}, store.ByCreated, store.Page{}), "")
		same(t, "id", m.ID, 0)
	},
	"erased ones stay away": func(t *testing.T, f *fixture) {
		id := f.save(t, note("v1", "v1", topic("k"))).ID
		f.save(t, note("v2", "v2", topic("k")))
		b, _, err := export(t.Context(), f, nil, 100)
		ok(t, err)
		_ = must(f.EraseMemory(t.Context(), ws, id, f.now))(t)
		same(t, "imported", must(f.Import(t.Context(), ws, b, f.now))(t), store.Imported{Skipped: 3})
		same(t, "id", b.Memories[0].ID, id)
		same(t, "list", f.list(t, store.Filter{Deleted: store.WithDeleted}, store.ByCreated, store.Page{}), "")
	},
	"known": func(t *testing.T, f *fixture) {
		living, hidden, erased := f.save(t, note("a", "a")), f.save(t, note("b", "b")), f.save(t, note("c", "c"))
		_ = must(f.DeleteMemory(t.Context(), ws, hidden.ID, f.now))(t)
		_ = must(f.EraseMemory(t.Context(), ws, erased.ID, f.now))(t)
		p := &engram.Prompt{Workspace: ws, Content: "p", CreatedAt: f.now}
		ok(t, f.SavePrompt(t.Context(), p))
		foreign := f.save(t, note("x", "x", inWorkspace("other")))
		got := must(f.Known(t.Context(), ws, []string{living.UID, hidden.UID, erased.UID, p.UID, foreign.UID, "none"}))(t)
		same(t, "known", got, map[string]int64{living.UID: living.ID, hidden.UID: hidden.ID, erased.UID: erased.ID, p.UID: p.ID})
	},
}

var upkeepTests = map[string]func(t *testing.T, f *fixture){
	"stats": func(t *testing.T, f *fixture) {
		f.fill(t)
		got := must(f.Stats(t.Context(), ws, nil))(t)
		if got.Path != "" && got.Bytes <= 0 {
			t.Errorf("Bytes = %d", got.Bytes)
		}
		want := store.Stats{
			Memories: 3, Deleted: 1, Versions: 1, Sessions: 3, Prompts: 2,
			ByType: map[string]int{"manual": 3}, Projects: []string{"new", "tea"},
		}
		same(t, "stats", got, want, cmpopts.IgnoreFields(store.Stats{}, "Bytes", "Path"))
		got = must(f.Stats(t.Context(), ws, []string{"new"}))(t)
		want = store.Stats{Memories: 1, Versions: 1, Sessions: 1, Prompts: 1, ByType: map[string]int{"manual": 1}, Projects: []string{"new"}}
		same(t, "of a project", got, want, cmpopts.IgnoreFields(store.Stats{}, "Bytes", "Path"))
		same(t, "of nobody", must(f.Stats(t.Context(), "nobody", nil))(t), store.Stats{}, cmpopts.IgnoreFields(store.Stats{}, "Bytes", "Path"))
	},
	"a sound store": func(t *testing.T, f *fixture) {
		f.fill(t)
		for _, repair := range []bool{false, true} {
			for _, finding := range must(f.Check(t.Context(), repair))(t) {
				if !finding.OK || finding.Message == "" {
					t.Errorf("Check(repair %v): %+v", repair, finding)
				}
			}
		}
		ok(t, f.Checkpoint(t.Context()))
		if v := must(f.SchemaVersion(t.Context()))(t); v < 1 {
			t.Errorf("SchemaVersion = %d", v)
		}
	},
	"backup": func(t *testing.T, f *fixture) {
		f.fill(t)
		if f.open.NoFile {
			wantKind(t, "Backup", f.Backup(t.Context(), filepath.Join(t.TempDir(), "copy")), engram.ErrInvalid)
			return
		}
		path := filepath.Join(t.TempDir(), "with space é", "copy.db")
		if err := f.Backup(t.Context(), path); err == nil {
			t.Error("a backup into a directory that is not there succeeded")
		}
		path = filepath.Join(t.TempDir(), "copy é?.db")
		ok(t, f.Backup(t.Context(), path))
		wantKind(t, "to a file that is there", f.Backup(t.Context(), path), engram.ErrConflict)
	},
	"after close": func(t *testing.T, f *fixture) {
		st := f.open.Open(t)
		ok(t, st.Close())
		ok(t, st.Close())
		other := fixture{Store: st, now: start}
		_, err := st.SaveMemory(t.Context(), note("a", "a"), other.rule())
		wantKind(t, "SaveMemory", err, engram.ErrUnavailable)
		_, err = st.ListMemories(t.Context(), store.Filter{Workspace: ws}, store.ByCreated, store.Page{})
		wantKind(t, "ListMemories", err, engram.ErrUnavailable)
		_, err = st.Keyword(t.Context(), store.KeywordQuery{Filter: store.Filter{Workspace: ws}, Terms: []store.Term{{Text: "a", Weight: 1}}, Limit: 1})
		wantKind(t, "Keyword", err, engram.ErrUnavailable)
		_, err = st.Stats(t.Context(), ws, nil)
		wantKind(t, "Stats", err, engram.ErrUnavailable)
		_, err = st.Check(t.Context(), false)
		wantKind(t, "Check", err, engram.ErrUnavailable)
		wantKind(t, "Backup", st.Backup(t.Context(), filepath.Join(t.TempDir(), "x")), engram.ErrUnavailable)
		wantKind(t, "Checkpoint", st.Checkpoint(t.Context()), engram.ErrUnavailable)
		_, err = st.SchemaVersion(t.Context())
		wantKind(t, "SchemaVersion", err, engram.ErrUnavailable)
	},
}
