package storetest

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
)

// said makes a turn of a memory.
func said(speaker, role string) func(*engram.Memory) {
	return func(m *engram.Memory) { m.Speaker, m.Role = speaker, role }
}

// duplicateTests are about what a save finds to be there already.
var duplicateTests = map[string]func(t *testing.T, f *fixture){
	"duplicate within the window of the last sighting": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "Same  text")).ID
		for i := 2; i <= 4; i++ { // 30 minutes after the first, but 10 after the last
			f.tick(10 * time.Minute)
			saved := f.save(t, note("a", "same text", session("s2")))
			if saved.Outcome != store.Duplicate || saved.ID != id {
				t.Fatalf("Saved = %+v, want a duplicate of %d", saved, id)
			}
			got := f.get(t, id)
			same(t, "count", got.DuplicateCount, i)
			same(t, "LastSeenAt", got.LastSeenAt, f.now)
			same(t, "UpdatedAt", got.UpdatedAt, start)
			same(t, "content", got.Content, "Same  text")
			same(t, "version", got.Version, 1)
		}
		f.tick(15*time.Minute + time.Microsecond)
		if saved := f.save(t, note("a", "same text")); saved.Outcome != store.Created {
			t.Errorf("after the window: %+v, want created", saved)
		}
	},
	"duplicates agree in project scope type title workspace speaker role": func(t *testing.T, f *fixture) {
		f.save(t, note("a", "x"))
		for _, m := range []*engram.Memory{
			note("a", "x", project("coffee")), note("a", "x", scope(engram.ScopeGlobal)), note("a", "x", typed("bugfix")),
			note("b", "x"), note("a", "x", inWorkspace("other")), note("a", "y"),
			note("a", "x", said("Ana", "")), note("a", "x", said("Bea", "")), note("a", "x", said("", "user")),
		} {
			if saved := f.save(t, m); saved.Outcome != store.Created {
				t.Errorf("%+v: %+v, want created", m, saved)
			}
		}
	},
	"deleted memories have no duplicates": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "x")).ID
		_ = must(f.DeleteMemory(t.Context(), ws, id, f.now))(t)
		if saved := f.save(t, note("a", "x")); saved.Outcome != store.Created {
			t.Errorf("Saved = %+v, want created", saved)
		}
	},
	"the same dated save again": func(t *testing.T, f *fixture) {
		turn := func(set ...func(*engram.Memory)) *engram.Memory {
			return note("a", "ok", append([]func(*engram.Memory){occurred(start.Add(-time.Hour)), said("Ana", "user")}, set...)...)
		}
		id := f.save(t, turn()).ID
		f.tick(time.Minute)
		again := f.save(t, turn())
		same(t, "Saved", again, store.Saved{ID: id, UID: again.UID, Outcome: store.Duplicate, RevisionCount: 1})
		got := f.get(t, id)
		same(t, "count", got.DuplicateCount, 2)
		same(t, "LastSeenAt", got.LastSeenAt, f.now)
		same(t, "OccurredAt", got.OccurredAt, start.Add(-time.Hour))
		same(t, "not rounded", f.save(t, turn(occurred(start.Add(-time.Hour+300*time.Nanosecond)))).Outcome, store.Duplicate)
		for name, m := range map[string]*engram.Memory{
			"another time":      turn(occurred(start.Add(-time.Hour + time.Microsecond))),
			"another session":   turn(session("s2")),
			"no session":        turn(session("")),
			"another speaker":   turn(said("Bea", "user")),
			"another role":      turn(said("Ana", "assistant")),
			"another project":   turn(project("coffee")),
			"another title":     turn(func(m *engram.Memory) { m.Title = "b" }),
			"another type":      turn(typed("chat")),
			"another scope":     turn(scope(engram.ScopePersonal)),
			"another workspace": turn(inWorkspace("other")),
		} {
			same(t, name, f.save(t, m).Outcome, store.Created)
		}
		same(t, "no session again", f.save(t, turn(session(""))).Outcome, store.Duplicate)
		f.tick(15*time.Minute + time.Microsecond)
		same(t, "after the window", f.save(t, turn()).Outcome, store.Created)
		saved := must(f.SaveMemory(t.Context(), turn(), store.SaveRule{Now: f.now}))(t)
		same(t, "without a window", saved.Outcome, store.Created)
	},
	"a deleted dated memory has none": func(t *testing.T, f *fixture) {
		f.save(t, note("other", "other"))
		id := f.save(t, note("a", "ok", occurred(start))).ID
		_ = must(f.DeleteMemory(t.Context(), ws, id, f.now))(t)
		same(t, "outcome", f.save(t, note("a", "ok", occurred(start))).Outcome, store.Created)
	},
	"dated items of one batch are none of each other": func(t *testing.T, f *fixture) {
		ok := func() *engram.Memory { return note("a", "ok", occurred(start), said("Ana", "user")) }
		batch := func(want ...store.Outcome) (ids []int64) {
			t.Helper()
			var ms []*engram.Memory
			for range want {
				ms = append(ms, ok())
			}
			var outcomes []store.Outcome
			for _, s := range must(f.SaveMemories(t.Context(), ms, f.rule()))(t) {
				outcomes, ids = append(outcomes, s.Outcome), append(ids, s.ID)
			}
			same(t, "outcomes", outcomes, want)
			slices.Sort(ids)
			return ids
		}
		first := batch(store.Created, store.Created)
		f.tick(time.Minute)
		same(t, "ids of the batch sent again", batch(store.Duplicate, store.Duplicate), first)
		all := batch(store.Duplicate, store.Duplicate, store.Created)
		same(t, "the two there", all[:2], first)
		for i, id := range all {
			same(t, "count", f.get(t, id).DuplicateCount, []int{3, 3, 1}[i])
		}
		same(t, "one alone", f.save(t, ok()).Outcome, store.Duplicate)
		many := []*engram.Memory{ok(), note("a", "ok", said("Ana", "user")), note("a", "ok", said("Ana", "user")), ok()}
		for i, s := range must(f.SaveMemories(t.Context(), many, f.rule()))(t) {
			same(t, fmt.Sprint("mixed with undated ones, item ", i), s.Outcome, store.Duplicate)
		}
		same(t, "rows", must(f.CountMemories(t.Context(), store.Filter{Workspace: ws}))(t), 3)
	},
	"an item of a batch repeats what was there once": func(t *testing.T, f *fixture) {
		f.save(t, note("a", "ok", occurred(start)))
		ms := []*engram.Memory{
			note("k", "key", occurred(start), topic("k")), note("a", "ok", occurred(start)), note("a", "ok", occurred(start)),
			note("k", "key", occurred(start)), // the row that the first item made
		}
		var outcomes []store.Outcome
		for _, s := range must(f.SaveMemories(t.Context(), ms, f.rule()))(t) {
			outcomes = append(outcomes, s.Outcome)
		}
		same(t, "outcomes", outcomes, []store.Outcome{store.Created, store.Duplicate, store.Created, store.Created})
	},
	"a session summary is one of its session": func(t *testing.T, f *fixture) {
		summary := func(s string) store.Saved {
			rule := f.rule()
			rule.SessionSummary = "all done"
			return must(f.SaveMemory(t.Context(), note("sum", "all done", typed(engram.TypeSessionSummary), session(s)), rule))(t)
		}
		first := summary("s1")
		same(t, "same session", summary("s1").ID, first.ID)
		second := summary("s2")
		same(t, "another session", second.Outcome, store.Created)
		same(t, "its session", f.get(t, second.ID).Session, "s2")
		same(t, "same session, again", summary("s1").ID, first.ID)
		same(t, "no session", summary("").Outcome, store.Created)
	},
	"no window looks for no duplicates": func(t *testing.T, f *fixture) {
		f.save(t, note("a", "x"))
		saved := must(f.SaveMemory(t.Context(), note("a", "x"), store.SaveRule{Now: f.now}))(t)
		same(t, "outcome", saved.Outcome, store.Created)
	},
	"a duplicate brings its topic key": func(t *testing.T, f *fixture) { // D4
		id := f.save(t, note("a", "x")).ID
		same(t, "second save", f.save(t, note("a", "x", topic("k"))).Outcome, store.Duplicate)
		same(t, "key", f.get(t, id).TopicKey, "k")
		saved := f.save(t, note("b", "y", topic("k")))
		if saved.Outcome != store.Updated || saved.ID != id {
			t.Errorf("third save: %+v, want an update of %d", saved, id)
		}
		same(t, "a key in force is told", f.save(t, note("b", "y")).TopicKey, "k")
		f.save(t, note("c", "z", topic("k1")))
		same(t, "another topic", f.save(t, note("c", "z", topic("k2"))).Outcome, store.Created)
		same(t, "no topic", f.save(t, note("c", "z")).Outcome, store.Duplicate)
		same(t, "the first topic", f.save(t, note("c", "z", topic("k1"))).Outcome, store.Updated)
		ms := must(f.ListMemories(t.Context(), store.Filter{Workspace: ws}, store.ByCreated, store.Page{}))(t)
		var keys []string
		for _, m := range ms {
			if m.Title == "c" {
				keys = append(keys, m.TopicKey)
			}
		}
		slices.Sort(keys)
		same(t, "a living memory for each key", keys, []string{"k1", "k2"})
		for _, key := range []string{"d1", "d2"} {
			same(t, "a dated one, "+key, f.save(t, note("d", "dated", occurred(start), topic(key))).Outcome, store.Created)
		}
	},
	"a duplicate takes over what the save adds": func(t *testing.T, f *fixture) {
		for name, dated := range map[string][]func(*engram.Memory){"undated": nil, "dated": {occurred(start), said("Ana", "user")}} {
			save := func(set ...func(*engram.Memory)) store.Saved {
				f.tick(time.Minute)
				return f.save(t, note(name, name+" text", append(slices.Clone(dated), set...)...))
			}
			first := save(typed(engram.TypeTask), func(m *engram.Memory) { m.Files, m.Importance, m.Status = []string{"a.go"}, 0.5, "open" })
			revision, version := 1, 1
			for _, tt := range []struct {
				what    string
				set     func(m *engram.Memory)
				edits   bool
				version bool
			}{
				{"nothing", func(*engram.Memory) {}, false, false},
				{"what is there", func(m *engram.Memory) { m.Files, m.Importance, m.Status = []string{"a.go"}, 0.25, "open" }, false, false},
				{"status", func(m *engram.Memory) { m.Status = engram.StatusDone }, true, false},
				{"pinned", func(m *engram.Memory) { m.Pinned = true }, true, false},
				{"importance", func(m *engram.Memory) { m.Importance = 0.75 }, true, false},
				{"files", func(m *engram.Memory) { m.Files = []string{"b.go", "a.go"} }, true, true},
				{"topic", func(m *engram.Memory) { m.TopicKey = "t/" + name }, false, true},
			} {
				before := f.get(t, first.ID)
				saved := save(typed(engram.TypeTask), tt.set)
				want := store.Saved{ID: first.ID, UID: first.UID, Outcome: store.Duplicate, RevisionCount: revision}
				if tt.edits {
					revision++
					want.Outcome, want.RevisionCount = store.Updated, revision
				}
				if tt.version {
					version++
				}
				got := f.get(t, first.ID)
				want.TopicKey = got.TopicKey
				same(t, name+" "+tt.what, saved, want)
				same(t, tt.what+": version", got.Version, version)
				same(t, tt.what+": sightings", got.DuplicateCount, before.DuplicateCount+1)
				same(t, tt.what+": seen", got.LastSeenAt, f.now)
				same(t, tt.what+": updated", got.UpdatedAt.Equal(f.now), tt.edits)
			}
			got := f.get(t, first.ID)
			same(t, "files", got.Files, []string{"a.go", "b.go"})
			same(t, "status", got.Status, engram.StatusDone)
			same(t, "importance", got.Importance, 0.75)
			same(t, "pinned", got.Pinned, true)
			same(t, "topic", got.TopicKey, "t/"+name)
			hits := must(f.Keyword(t.Context(), store.KeywordQuery{
				Filter: store.Filter{Workspace: ws, Pinned: true}, Terms: []store.Term{{Text: "b.go", Weight: 1}, {Text: name, Weight: 1}}, Limit: 10,
			}))(t)
			same(t, "found by what it took over", len(hits.Hits) > 0 && hits.Hits[0].ID == first.ID, true)
		}
	},
	"ever duplicate asks for hash, project and scope alone": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "x", typed("decision"))).ID
		f.tick(1000 * time.Hour)
		rule := store.SaveRule{Now: f.now, EverDuplicate: true}
		saved := must(f.SaveMemory(t.Context(), note("b", "X", typed("passive")), rule))(t)
		if saved.Outcome != store.Duplicate || saved.ID != id {
			t.Errorf("Saved = %+v, want a duplicate of %d", saved, id)
		}
		saved = must(f.SaveMemory(t.Context(), note("b", "x", project("coffee")), rule))(t)
		same(t, "in another project", saved.Outcome, store.Created)
		saved = must(f.SaveMemory(t.Context(), note("b", "x", scope(engram.ScopePersonal)), rule))(t)
		same(t, "in another scope", saved.Outcome, store.Created)
	},
}
