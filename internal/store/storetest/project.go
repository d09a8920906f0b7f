package storetest

import (
	"testing"
	"time"

	"engram"
	"engram/internal/store"
	"engram/internal/text"
)

func termsOf(words ...string) []string { return text.Analyze(words...).Terms }

func (f *fixture) resolve(t *testing.T, name string) string {
	t.Helper()
	return must(f.ResolveProject(t.Context(), ws, name))(t)
}

var projectTests = map[string]func(t *testing.T, f *fixture){
	"list": func(t *testing.T, f *fixture) {
		f.save(t, note("a", "a", project("b")))
		f.save(t, note("a", "a", project("a")))
		gone := f.save(t, note("g", "g", project("gone"), session(""))).ID
		_ = must(f.DeleteMemory(t.Context(), ws, gone, f.now))(t)
		f.save(t, note("n", "n", project("")))
		f.save(t, note("x", "x", project("foreign"), inWorkspace("other")))
		ok(t, f.SavePrompt(t.Context(), &engram.Prompt{Workspace: ws, Project: "asked", Content: "q", CreatedAt: f.tick(time.Hour)}))
		_, _, err := f.StartSession(t.Context(), engram.Session{ID: "s5", Workspace: ws, Project: "begun", StartedAt: f.tick(time.Hour)})
		ok(t, err)
		_ = must(f.ClaimRemote(t.Context(), ws, "host/o/a", "a", "o/a"))(t)
		got := must(f.ListProjects(t.Context(), ws))(t)
		same(t, "projects", got, []engram.Project{
			{Name: "begun", Sessions: 1, LastUsed: start.Add(2 * time.Hour)},
			{Name: "asked", Prompts: 1, LastUsed: start.Add(time.Hour)},
			{Name: "a", Memories: 1, LastUsed: start, Remote: "host/o/a"},
			{Name: "b", Memories: 1, Sessions: 1, LastUsed: start},
		})
	},
	"resolve": func(t *testing.T, f *fixture) {
		same(t, "unknown name", f.resolve(t, "x"), "x")
		same(t, "no name", f.resolve(t, ""), "")
	},
	"claim remote": func(t *testing.T, f *fixture) {
		claim := func(remote, name, qualified string) string {
			return must(f.ClaimRemote(t.Context(), ws, remote, name, qualified))(t)
		}
		same(t, "first", claim("h/o/app", "app", "o/app"), "app")
		same(t, "again", claim("h/o/app", "other", "o/other"), "app")
		same(t, "name taken", claim("h/p/app", "app", "p/app"), "p/app")
		same(t, "kept", claim("h/p/app", "app", "p/app"), "p/app")
		same(t, "both taken", claim("H2/p/app", "app", "p/app"), "h2/p/app")
		same(t, "both taken by others", claim("h3/p/app", "app", "p/app"), "h3/p/app")
		same(t, "both taken, kept", claim("H2/p/app", "app", "p/app"), "h2/p/app")
		same(t, "another workspace", must(f.ClaimRemote(t.Context(), "other", "h/p/app", "app", "p/app"))(t), "app")
	},
	"merge and undo": func(t *testing.T, f *fixture) {
		a := f.save(t, note("a", "a", project("old"))).ID
		_ = must(f.DeleteMemory(t.Context(), ws, f.save(t, note("d", "d", project("old"))).ID, f.now))(t)
		b := f.save(t, note("b", "b", project("new"), session("s2"))).ID
		f.save(t, note("x", "x", project("old"), inWorkspace("other")))
		ok(t, f.SavePrompt(t.Context(), &engram.Prompt{Workspace: ws, Project: "old", Content: "q", CreatedAt: f.now}))
		moved := must(f.MergeProjects(t.Context(), ws, "old", "new", f.now))(t)
		same(t, "moved", moved, 4) // two memories, a session, a prompt
		got := f.get(t, a)
		if got.Project != "new" || got.ProjectOrigin != "old" || got.Version != 1 {
			t.Errorf("moved memory = %+v", got)
		}
		same(t, "alias", f.resolve(t, "old"), "new")
		same(t, "list of new", f.list(t, store.Filter{Projects: []string{"new"}}, store.ByCreated, store.Page{}), "b a")
		projects := must(f.ListProjects(t.Context(), ws))(t)
		same(t, "projects", projects, []engram.Project{{
			Name: "new", Aliases: []string{"old"}, Memories: 2, Sessions: 2, Prompts: 1, LastUsed: start,
		}})
		same(t, "prompts", len(must(f.ListPrompts(t.Context(), ws, []string{"new"}, store.Page{}))(t)), 1)
		same(t, "foreign", must(f.ResolveProject(t.Context(), "other", "old"))(t), "old")

		since := f.save(t, note("c", "c", project("new"), originName("old"), session("s3"))).ID
		moved = must(f.UnmergeProject(t.Context(), ws, "old", f.now))(t)
		same(t, "moved back", moved, 6) // and a memory with its session since
		for id, want := range map[int64]string{a: "old", b: "new", since: "old"} {
			got := f.get(t, id)
			if got.Project != want || got.ProjectOrigin != "" {
				t.Errorf("memory %s = %q (%q), want %q", got.Title, got.Project, got.ProjectOrigin, want)
			}
		}
		same(t, "alias", f.resolve(t, "old"), "old")
		_, err := f.UnmergeProject(t.Context(), ws, "old", f.now)
		wantKind(t, "second undo", err, engram.ErrNotFound)
	},
	"bad merges": func(t *testing.T, f *fixture) {
		f.save(t, note("a", "a"))
		for _, names := range [][2]string{{"tea", "tea"}, {"", "tea"}, {"tea", ""}} {
			_, err := f.MergeProjects(t.Context(), ws, names[0], names[1], f.now)
			wantKind(t, names[0]+" into "+names[1], err, engram.ErrInvalid)
		}
		_, err := f.MergeProjects(t.Context(), ws, "unknown", "tea", f.now)
		wantKind(t, "unknown", err, engram.ErrNotFound)
		_ = must(f.MergeProjects(t.Context(), ws, "tea", "drinks", f.now))(t)
		_, err = f.MergeProjects(t.Context(), ws, "drinks", "tea", f.now)
		wantKind(t, "in a circle", err, engram.ErrInvalid)
	},
	"chains are undone link by link": func(t *testing.T, f *fixture) {
		a := f.save(t, note("a", "a", project("a"))).ID
		b := f.save(t, note("b", "b", project("b"), session("s2"))).ID
		_ = must(f.MergeProjects(t.Context(), ws, "a", "b", f.now))(t)
		_ = must(f.MergeProjects(t.Context(), ws, "b", "c", f.now))(t)
		where := func() string {
			return f.get(t, a).Project + f.get(t, b).Project + f.resolve(t, "a") + f.resolve(t, "b")
		}
		same(t, "merged", where(), "cccc")
		same(t, "aliases", must(f.ListProjects(t.Context(), ws))(t)[0].Aliases, []string{"a", "b"})
		_ = must(f.UnmergeProject(t.Context(), ws, "b", f.now))(t)
		same(t, "b is back", where(), "bbbb")
		_ = must(f.UnmergeProject(t.Context(), ws, "a", f.now))(t)
		same(t, "a is back", where(), "abab")
	},
	"topics of both": func(t *testing.T, f *fixture) {
		a := f.save(t, note("a", "a", project("old"), topic("k"))).ID
		b := f.save(t, note("b", "b", project("new"), topic("k"))).ID
		_ = must(f.MergeProjects(t.Context(), ws, "old", "new", f.now))(t)
		same(t, "keys", f.get(t, a).TopicKey+" "+f.get(t, b).TopicKey, " k")
		if saved := f.save(t, note("b2", "b2", project("new"), topic("k"))); saved.ID != b {
			t.Errorf("the topic is %d's, want %d's", saved.ID, b)
		}
		_ = must(f.UnmergeProject(t.Context(), ws, "old", f.now))(t)
		same(t, "keys", f.get(t, a).TopicKey+" "+f.get(t, b).TopicKey, "k k")
		if saved := f.save(t, note("a2", "a2", project("old"), topic("k"))); saved.ID != a {
			t.Errorf("the topic is %d's, want %d's", saved.ID, a)
		}
	},
	"versions move too": func(t *testing.T, f *fixture) {
		f.save(t, note("v1", "v1", project("old"), topic("k")))
		f.tick(time.Hour)
		f.save(t, note("v2", "v2", project("old"), topic("k")))
		_ = must(f.MergeProjects(t.Context(), ws, "old", "new", f.now))(t)
		filter := store.Filter{AsOf: start, Projects: []string{"new"}}
		same(t, "as of before", f.list(t, filter, store.ByCreated, store.Page{}), "v1")
	},
}

var settingTests = map[string]func(t *testing.T, f *fixture){
	"settings": func(t *testing.T, f *fixture) {
		_, found, err := f.Setting(t.Context(), ws, "x")
		ok(t, err)
		same(t, "unknown", found, false)
		for _, v := range []string{"one", "", "two"} {
			ok(t, f.SetSetting(t.Context(), ws, "x", v))
			got, found, err := f.Setting(t.Context(), ws, "x")
			if err != nil || !found || got != v {
				t.Errorf("Setting = %q, %v, %v; want %q", got, found, err, v)
			}
		}
		_, found, err = f.Setting(t.Context(), "other", "x")
		ok(t, err)
		same(t, "foreign", found, false)
	},
	"leases": func(t *testing.T, f *fixture) {
		acquire := func(holder string) bool {
			return must(f.AcquireLease(t.Context(), "sleep", holder, f.now, time.Minute))(t)
		}
		same(t, "free", acquire("a"), true)
		same(t, "held", acquire("b"), false)
		same(t, "renewed", acquire("a"), true)
		f.tick(time.Minute - time.Microsecond)
		same(t, "just before it runs out", acquire("b"), false)
		f.tick(time.Microsecond)
		same(t, "run out", acquire("b"), true)
		ok(t, f.ReleaseLease(t.Context(), "sleep", "a"))
		same(t, "released by another", acquire("a"), false)
		ok(t, f.ReleaseLease(t.Context(), "sleep", "b"))
		same(t, "released", acquire("a"), true)
		f.tick(-2 * time.Hour)
		same(t, "of a clock that was far ahead", acquire("b"), true)
	},
}

var jobTests = map[string]func(t *testing.T, f *fixture){
	"life of a job": func(t *testing.T, f *fixture) {
		j := &store.Job{Workspace: ws, Kind: "k", Payload: `{"a":1}`, MaxAttempts: 2, CreatedAt: f.now, RunAt: f.now.Add(time.Minute)}
		same(t, "created", must(f.Enqueue(t.Context(), j))(t), true)
		claim := func(kinds ...string) []store.Job {
			return must(f.Claim(t.Context(), kinds, 10, f.now, time.Minute))(t)
		}
		same(t, "not due", len(claim("k")), 0)
		f.tick(time.Minute)
		same(t, "another kind", len(claim("x")), 0)
		got := claim("x", "k")
		if len(got) != 1 {
			t.Fatalf("claimed %d, want 1", len(got))
		}
		want := *j
		want.State, want.Attempts, want.LeasedUntil = store.JobRunning, 1, f.now.Add(time.Minute)
		same(t, "claimed", got[0], want)
		same(t, "while leased", len(claim("k")), 0)
		state := must(f.Fail(t.Context(), j.ID, "no luck", f.now, f.now.Add(time.Second)))(t)
		same(t, "failed once", state, store.JobWaiting)
		same(t, "before the retry", len(claim("k")), 0)
		f.tick(time.Second)
		same(t, "retry", claim("k")[0].Attempts, 2)
		same(t, "failed twice", must(f.Fail(t.Context(), j.ID, "bad luck", f.now, f.now))(t), store.JobDead)
		dead := must(f.Job(t.Context(), j.ID))(t)
		if dead.State != store.JobDead || dead.LastError != "bad luck" || !dead.FinishedAt.Equal(f.now) {
			t.Errorf("job = %+v", dead)
		}
		same(t, "dead ones", len(claim("k")), 0)
	},
	"complete": func(t *testing.T, f *fixture) {
		j := &store.Job{Workspace: ws, Kind: "k", MaxAttempts: 1, CreatedAt: f.now, RunAt: f.now}
		_ = must(f.Enqueue(t.Context(), j))(t)
		wantKind(t, "a waiting one", f.Complete(t.Context(), j.ID, f.now), engram.ErrNotFound)
		_ = must(f.Claim(t.Context(), []string{"k"}, 1, f.now, time.Minute))(t)
		ok(t, f.Complete(t.Context(), j.ID, f.tick(time.Second)))
		wantKind(t, "twice", f.Complete(t.Context(), j.ID, f.now), engram.ErrNotFound)
		_, err := f.Fail(t.Context(), j.ID, "", f.now, f.now)
		wantKind(t, "failure of a done one", err, engram.ErrNotFound)
		got := must(f.Job(t.Context(), j.ID))(t)
		if got.State != store.JobDone || !got.FinishedAt.Equal(f.now) {
			t.Errorf("job = %+v", got)
		}
		_, err = f.Job(t.Context(), 999)
		wantKind(t, "unknown", err, engram.ErrNotFound)
	},
	"lease that ran out": func(t *testing.T, f *fixture) {
		j := &store.Job{Workspace: ws, Kind: "k", MaxAttempts: 3, CreatedAt: f.now, RunAt: f.now}
		_ = must(f.Enqueue(t.Context(), j))(t)
		_ = must(f.Claim(t.Context(), []string{"k"}, 1, f.now, time.Minute))(t)
		f.tick(time.Minute)
		got := must(f.Claim(t.Context(), []string{"k"}, 1, f.now, time.Minute))(t)
		if len(got) != 1 || got[0].Attempts != 2 {
			t.Errorf("claimed %+v, want the job again", got)
		}
	},
	"order and limit": func(t *testing.T, f *fixture) {
		var ids []int64
		for _, at := range []time.Duration{2, 1, 1, 0} {
			j := &store.Job{Workspace: ws, Kind: "k", MaxAttempts: 1, CreatedAt: f.now, RunAt: f.now.Add(at)}
			j.RunAt = f.now.Add(at * time.Microsecond)
			_ = must(f.Enqueue(t.Context(), j))(t)
			ids = append(ids, j.ID)
		}
		f.tick(time.Second)
		var got []int64
		for range 2 {
			for _, j := range must(f.Claim(t.Context(), []string{"k"}, 3, f.now, time.Minute))(t) {
				got = append(got, j.ID)
			}
		}
		same(t, "order", got, []int64{ids[3], ids[1], ids[2], ids[0]})
	},
	"unique key": func(t *testing.T, f *fixture) {
		job := func(kind, key string) *store.Job {
			return &store.Job{Workspace: ws, Kind: kind, UniqueKey: key, MaxAttempts: 1, CreatedAt: f.now, RunAt: f.now}
		}
		first, second := job("k", "u"), job("k", "u")
		same(t, "first", must(f.Enqueue(t.Context(), first))(t), true)
		same(t, "second", must(f.Enqueue(t.Context(), second))(t), false)
		same(t, "holder", second.ID, first.ID)
		same(t, "another kind", must(f.Enqueue(t.Context(), job("x", "u")))(t), true)
		same(t, "no key", must(f.Enqueue(t.Context(), job("k", "")))(t), true)
		same(t, "no key again", must(f.Enqueue(t.Context(), job("k", "")))(t), true)
		_ = must(f.Claim(t.Context(), []string{"k"}, 1, f.now, time.Minute))(t)
		same(t, "while running", must(f.Enqueue(t.Context(), job("k", "u")))(t), false)
		ok(t, f.Complete(t.Context(), first.ID, f.now))
		same(t, "when done", must(f.Enqueue(t.Context(), job("k", "u")))(t), true)
	},
}
