package storetest

import (
	"fmt"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
)

// mergedTests are about writes that name a project which was merged meanwhile.
var mergedTests = map[string]func(t *testing.T, f *fixture){
	"writes under an alias go where it leads": func(t *testing.T, f *fixture) {
		f.mergeInto(t, "old", "mid")
		f.mergeInto(t, "mid", "new")
		one := f.save(t, note("one", "one", project("old"), session("s2"))).ID
		many := []*engram.Memory{note("two", "two", project("old")), note("three", "three", project("new"))}
		_ = must(f.SaveMemories(t.Context(), many, f.rule()))(t)
		same(t, "what the caller gets", []string{many[0].Project, many[0].ProjectOrigin, many[1].ProjectOrigin}, []string{"new", "old", ""})
		p := &engram.Prompt{Workspace: ws, Session: "s3", Project: "old", Content: "q", CreatedAt: f.now}
		ok(t, f.SavePrompt(t.Context(), p))
		started, _, err := f.StartSession(t.Context(), engram.Session{Workspace: ws, ID: "s4", Project: "old", StartedAt: f.now})
		ok(t, err)
		same(t, "session", []string{started.Project, started.ProjectOrigin}, []string{"new", "old"})
		same(t, "prompt", []string{p.Project, p.ProjectOrigin}, []string{"new", "old"})
		for _, id := range []string{"s2", "s3"} {
			s := must(f.Session(t.Context(), ws, id))(t)
			same(t, "session "+id, []string{s.Project, s.ProjectOrigin}, []string{"new", "old"})
		}
		f.nothingStrayed(t, f, "old")

		_ = must(f.UnmergeProject(t.Context(), ws, "mid", f.now))(t)
		_ = must(f.UnmergeProject(t.Context(), ws, "old", f.now))(t)
		same(t, "back", []string{f.get(t, one).Project, f.get(t, one).ProjectOrigin}, []string{"old", ""})
	},
	"the rules look where the name leads": func(t *testing.T, f *fixture) {
		f.mergeInto(t, "old", "new")
		first := f.save(t, note("k", "k1", project("new"), topic("k"))).ID
		same(t, "topic", f.save(t, note("k", "k2", project("old"), topic("k"))),
			store.Saved{ID: first, UID: f.get(t, first).UID, Outcome: store.Updated, TopicKey: "k", RevisionCount: 2})
		f.save(t, note("d", "d", project("new")))
		same(t, "duplicate", f.save(t, note("d", "d", project("old"))).Outcome, store.Duplicate)
	},
	"an update": func(t *testing.T, f *fixture) {
		f.mergeInto(t, "old", "new")
		id := f.save(t, note("a", "a")).ID
		name := "old"
		for range 2 {
			got := must(f.UpdateMemory(t.Context(), ws, id, store.Patch{Project: &name}, f.now))(t)
			same(t, "updated", []string{got.Project, got.ProjectOrigin}, []string{"new", "old"})
		}
		same(t, "versions", f.get(t, id).Version, 2)
		title := "b"
		got := must(f.UpdateMemory(t.Context(), ws, id, store.Patch{Title: &title}, f.now))(t)
		same(t, "origin stays", got.ProjectOrigin, "old")
	},
	"an import": func(t *testing.T, f *fixture) {
		f.mergeInto(t, "old", "new")
		f.save(t, note("local", "local", project("here")))
		m := note("m", "m", project("old"), session("s7"), topic("k"))
		m.UID, m.CreatedAt, m.Version = "u1", f.now, 2
		v := note("v", "v", project("old"), session("s7"), topic("k"))
		v.UID, v.CreatedAt, v.Version, v.RecordedAt, v.InvalidatedAt = "u1", f.now.Add(-time.Hour), 1, f.now.Add(-time.Hour), f.now
		b := store.Batch{
			Memories: []*engram.Memory{m}, Versions: []*engram.Memory{v},
			Sessions: []*engram.Session{{Workspace: ws, ID: "s8", Project: "here", StartedAt: f.now}},
			Prompts:  []*engram.Prompt{{UID: "u2", Session: "s9", Project: "old", Content: "q", CreatedAt: f.now}},
			Aliases:  map[string]string{"here": "old"},
		}
		_ = must(f.Import(t.Context(), ws, b, f.now))(t)
		same(t, "list", f.list(t, store.Filter{Projects: []string{"new"}}, store.ByCreated, store.Page{}), "m local was in old")
		same(t, "as of", f.list(t, store.Filter{Projects: []string{"new"}, AsOf: f.now.Add(-time.Minute)}, store.ByCreated, store.Page{}), "was in old v")
		for id, origin := range map[string]string{"s7": "old", "s8": "here", "s9": "old"} {
			s := must(f.Session(t.Context(), ws, id))(t)
			same(t, "session "+id, []string{s.Project, s.ProjectOrigin}, []string{"new", origin})
		}
		f.nothingStrayed(t, f, "old")
		f.nothingStrayed(t, f, "here")
	},
	"a merge beside saves strands none": func(t *testing.T, f *fixture) {
		a, b := f.pair(t)
		for round := range 5 {
			from, to := fmt.Sprint("from", round), fmt.Sprint("to", round)
			_ = must(a.SaveMemory(t.Context(), note("was", "was", project(from), session("")), f.rule()))(t)
			const writers, saves = 4, 8
			for _, err := range together(writers+1, func(w int) error {
				st := []store.Store{a, b}[w%2]
				if w == writers {
					_, err := st.MergeProjects(t.Context(), ws, from, to, f.now)
					return err
				}
				for i := range saves {
					m := note("a", fmt.Sprint(round, w, i), project(from), session(fmt.Sprint("s", round, w, i)))
					if _, err := st.SaveMemory(t.Context(), m, f.rule()); err != nil {
						return err
					}
				}
				return nil
			}) {
				ok(t, err)
			}
			filter := store.Filter{Workspace: ws, Projects: []string{to}}
			same(t, "saves in "+to, must(b.CountMemories(t.Context(), filter))(t), writers*saves+1)
			f.nothingStrayed(t, a, from)
		}
	},
}

// mergeInto makes from an alias of to, with one memory that was in it.
func (f *fixture) mergeInto(t *testing.T, from, to string) {
	t.Helper()
	f.save(t, note("was in "+from, "was in "+from, project(from), session("")))
	_ = must(f.MergeProjects(t.Context(), ws, from, to, f.now))(t)
	f.tick(time.Minute)
}

// nothingStrayed checks that no row is filed under name.
func (f *fixture) nothingStrayed(t *testing.T, st store.Store, name string) {
	t.Helper()
	projects := []string{name}
	filter := store.Filter{Workspace: ws, Projects: projects, Deleted: store.WithDeleted}
	same(t, "memories in "+name, must(st.CountMemories(t.Context(), filter))(t), 0)
	same(t, "sessions in "+name, len(must(st.ListSessions(t.Context(), ws, projects, store.Page{}))(t)), 0)
	same(t, "prompts in "+name, len(must(st.ListPrompts(t.Context(), ws, projects, store.Page{}))(t)), 0)
	for _, finding := range must(st.Check(t.Context(), false))(t) {
		if !finding.OK {
			t.Errorf("Check: %+v", finding)
		}
	}
}
