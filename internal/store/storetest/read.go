package storetest

import (
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
)

var readTests = map[string]func(t *testing.T, f *fixture){
	"one memory": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a")).ID
		_, err := f.Memory(t.Context(), ws, id+1, true)
		wantKind(t, "unknown id", err, engram.ErrNotFound)
		_, err = f.Memory(t.Context(), "other", id, true)
		wantKind(t, "another workspace", err, engram.ErrNotFound)
		_ = must(f.DeleteMemory(t.Context(), ws, id, f.now))(t)
		_, err = f.Memory(t.Context(), ws, id, false)
		wantKind(t, "deleted", err, engram.ErrNotFound)
		if m := must(f.Memory(t.Context(), ws, id, true))(t); !m.DeletedAt.Equal(f.now) {
			t.Errorf("DeletedAt = %v, want %v", m.DeletedAt, f.now)
		}
	},
	"by id, in the order of ids, filtered": func(t *testing.T, f *fixture) {
		var ids []int64
		for _, p := range []string{"tea", "coffee", "tea", "tea"} {
			ids = append(ids, f.save(t, note(p, "text of "+p+time.Duration(len(ids)).String(), project(p))).ID)
		}
		_ = must(f.DeleteMemory(t.Context(), ws, ids[3], f.now))(t)
		got := must(f.MemoriesByID(t.Context(), store.Filter{Workspace: ws, Projects: []string{"tea"}},
			[]int64{ids[3], ids[2], 999999, ids[1], ids[0], ids[2]}))(t)
		same(t, "ids", memoryIDs(got), []int64{ids[2], ids[0]})
		got = must(f.MemoriesByID(t.Context(), store.Filter{Workspace: "other"}, ids))(t)
		same(t, "ids of another workspace", memoryIDs(got), nil)
		same(t, "no ids", memoryIDs(must(f.MemoriesByID(t.Context(), store.Filter{Workspace: ws}, nil))(t)), nil)
		many := make([]int64, 3000)
		for i := range many {
			many[i] = int64(i + 1)
		}
		same(t, "many ids", len(must(f.MemoriesByID(t.Context(), store.Filter{Workspace: ws}, many))(t)), 3)
	},
	"as of": func(t *testing.T, f *fixture) {
		t0 := f.now
		id := f.save(t, note("v1", "one", topic("k"))).ID
		t1 := f.tick(time.Hour)
		f.save(t, note("v2", "two", topic("k")))
		late := f.save(t, note("late", "late")).ID
		t2 := f.tick(time.Hour)
		type known struct {
			at   time.Time
			want string
		}
		check := func(what string, deleted store.Deleted, cases ...known) {
			t.Helper()
			for _, c := range cases {
				filter := store.Filter{Workspace: ws, AsOf: c.at, Deleted: deleted}
				what := what + " as of " + c.at.Format(time.TimeOnly)
				same(t, what+", list", f.list(t, filter, store.ByCreated, store.Page{}), c.want)
				same(t, what+", by id", titles(must(f.MemoriesByID(t.Context(), filter, []int64{late, id}))(t)), c.want)
				same(t, what+", in window", len(must(f.InWindow(t.Context(), filter, time.Time{}, time.Time{}, false, 9))(t)), len(strings.Fields(c.want)))
			}
		}
		living := []known{
			{t0.Add(-time.Microsecond), ""}, {t0, "v1"}, {t1.Add(-time.Microsecond), "v1"}, {t1, "late v2"}, {t2, "late v2"},
		}
		check("living", store.WithoutDeleted, living...)
		_ = must(f.DeleteMemory(t.Context(), ws, id, t2))(t)
		check("deleted since", store.WithoutDeleted, known{t0, ""}, known{t1, "late"}, known{t2.Add(-time.Microsecond), "late"}, known{t2, "late"})
		check("with deleted", store.WithDeleted, living...)
		check("only deleted", store.OnlyDeleted, known{t0.Add(-time.Microsecond), ""}, known{t0, "v1"}, known{t1, "v2"})
		_, err := f.Versions(t.Context(), ws, id)
		wantKind(t, "versions of the deleted", err, engram.ErrNotFound)
		_ = must(f.RestoreMemory(t.Context(), ws, id, f.tick(time.Hour)))(t)
		check("restored", store.WithoutDeleted, living...)
		same(t, "versions of the restored", titles(must(f.Versions(t.Context(), ws, id))(t)), "v1 v2")
		filter := store.Filter{Workspace: ws, AsOf: t0, Projects: []string{"coffee"}}
		same(t, "another project", f.list(t, filter, store.ByCreated, store.Page{}), "")
		filter = store.Filter{Workspace: "other", AsOf: t0}
		same(t, "another workspace", f.list(t, filter, store.ByCreated, store.Page{}), "")
	},
	"versions": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a")).ID
		for _, title := range []string{"b", "c"} {
			_ = must(f.UpdateMemory(t.Context(), ws, id, store.Patch{Title: &title}, f.tick(time.Minute)))(t)
		}
		got := must(f.Versions(t.Context(), ws, id))(t)
		same(t, "titles", titles(got), "a b c")
		for i, v := range got {
			if v.Version != i+1 || v.ID != id || !v.RecordedAt.Equal(start.Add(time.Duration(i)*time.Minute)) {
				t.Errorf("version %d = %d of %d recorded %v", i+1, v.Version, v.ID, v.RecordedAt)
			}
		}
		if !got[2].InvalidatedAt.IsZero() {
			t.Errorf("the current version ended at %v", got[2].InvalidatedAt)
		}
		_, err := f.Versions(t.Context(), "other", id)
		wantKind(t, "another workspace", err, engram.ErrNotFound)
	},
	"timeline": func(t *testing.T, f *fixture) {
		ids := map[string]int64{}
		for i, title := range []string{"a", "b", "c", "d", "e"} {
			at := start.Add(time.Duration(i) * time.Second)
			if title == "d" {
				at = start.Add(2 * time.Second) // as c
			}
			ids[title] = f.save(t, note(title, title, occurred(at))).ID
		}
		f.save(t, note("x", "x", session("s2"), occurred(start.Add(2*time.Second))))
		early := f.save(t, note("0", "0", occurred(start.Add(-time.Hour)))).ID // by time, not by id
		gone := f.save(t, note("gone", "gone", occurred(start.Add(time.Second)))).ID
		_ = must(f.DeleteMemory(t.Context(), ws, gone, f.now))(t)
		got := must(f.Timeline(t.Context(), ws, ids["c"], 2, 5))(t)
		same(t, "before", titles(got.Before), "a b")
		same(t, "focus", got.Focus.Title, "c")
		same(t, "after", titles(got.After), "d e")
		same(t, "total", got.Total, 6)
		same(t, "session", got.Session.ID, "s1")
		got = must(f.Timeline(t.Context(), ws, early, 5, 1))(t)
		same(t, "before the first", titles(got.Before), "")
		same(t, "after the first", titles(got.After), "a")
		got = must(f.Timeline(t.Context(), ws, ids["c"], 0, 0))(t)
		same(t, "nothing asked for", titles(got.Before)+titles(got.After), "")

		alone := f.save(t, note("alone", "alone", session(""))).ID
		got = must(f.Timeline(t.Context(), ws, alone, 5, 5))(t)
		if got.Session != nil || len(got.Before)+len(got.After)+got.Total != 0 {
			t.Errorf("timeline of a memory without session = %+v", got)
		}
		_, err := f.Timeline(t.Context(), ws, gone, 5, 5)
		wantKind(t, "deleted focus", err, engram.ErrNotFound)
		_, err = f.Timeline(t.Context(), "other", alone, 5, 5)
		wantKind(t, "another workspace", err, engram.ErrNotFound)
	},
}

var listTests = map[string]func(t *testing.T, f *fixture){
	"newest first, ties by id": func(t *testing.T, f *fixture) { // T1
		for _, title := range []string{"a", "b", "c"} {
			f.save(t, note(title, title))
		}
		same(t, "list", f.list(t, store.Filter{}, store.ByCreated, store.Page{}), "c b a")
		same(t, "the newest two", f.list(t, store.Filter{}, store.ByCreated, store.Page{Limit: 2}), "c b")
	},
	"orders": func(t *testing.T, f *fixture) { // D5
		f.save(t, note("a", "a", topic("k"), occurred(start.Add(time.Hour))))
		f.tick(time.Minute)
		f.save(t, note("b", "b", occurred(start.Add(-time.Hour))))
		f.tick(time.Minute)
		f.save(t, note("a", "a2", topic("k")))
		same(t, "by creation", f.list(t, store.Filter{}, store.ByCreated, store.Page{}), "b a")
		same(t, "by activity", f.list(t, store.Filter{}, store.ByActivity, store.Page{}), "a b")
		same(t, "by occurrence", f.list(t, store.Filter{}, store.ByOccurred, store.Page{}), "a b")
	},
	"pages": func(t *testing.T, f *fixture) {
		for i := range 10 {
			f.save(t, note(string(rune('a'+i)), string(rune('a'+i)), project([]string{"tea", "coffee"}[i%2])))
			if i%3 == 0 {
				f.tick(time.Second)
			}
		}
		for _, filter := range []store.Filter{{Workspace: ws}, {Workspace: ws, Projects: []string{"tea", "coffee"}}} {
			for order := range 3 {
				var got string
				page := store.Page{Limit: 3}
				for {
					ms := must(f.ListMemories(t.Context(), filter, store.Order(order), page))(t)
					got += titles(ms)
					if len(ms) == 0 {
						break
					}
					last := ms[len(ms)-1]
					page.AfterID = last.ID
					page.After = []time.Time{last.CreatedAt, last.UpdatedAt, last.OccurredAt}[order]
					if len(ms) == 3 {
						got += " "
					}
				}
				same(t, "all pages", got, "j i h g f e d c b a")
			}
		}
	},
	"filters": func(t *testing.T, f *fixture) {
		f.save(t, note("plain", "1"))
		f.save(t, note("coffee", "2", project("coffee")))
		f.save(t, note("cocoa", "3", project("cocoa")))
		f.save(t, note("none", "4", project("")))
		f.save(t, note("global", "5", project("coffee"), scope(engram.ScopeGlobal)))
		f.save(t, note("ours-global", "6", scope(engram.ScopeGlobal)))
		f.save(t, note("personal", "7", scope(engram.ScopePersonal)))
		f.save(t, note("open", "8", typed(engram.TypeTask)))
		f.save(t, note("done", "9", typed(engram.TypeTask), status(engram.StatusDone)))
		f.save(t, note("turn", "10", func(m *engram.Memory) { m.Kind = engram.KindTurn }))
		f.save(t, note("pinned", "11", func(m *engram.Memory) { m.Pinned = true }))
		f.save(t, note("s2", "12", session("s2")))
		f.save(t, note("early", "13", occurred(start.Add(-time.Hour))))
		f.save(t, note("fix", "14", typed("bugfix")))
		gone := f.save(t, note("gone", "15")).ID
		_ = must(f.DeleteMemory(t.Context(), ws, gone, f.now))(t)
		f.save(t, note("foreign", "16", inWorkspace("other")))

		tea := []string{"tea"}
		for name, c := range map[string]struct {
			filter store.Filter
			want   string
		}{
			"all":                   {store.Filter{}, "fix early s2 pinned turn done open personal ours-global global none cocoa coffee plain"},
			"project":               {store.Filter{Projects: tea}, "fix early s2 pinned turn done open personal ours-global plain"},
			"projects":              {store.Filter{Projects: []string{"coffee", "cocoa", "coffee", "x"}}, "global cocoa coffee"},
			"no project":            {store.Filter{Projects: []string{""}}, "none"},
			"project and global":    {store.Filter{Projects: []string{"cocoa"}, Global: true}, "ours-global global cocoa"},
			"projects and global":   {store.Filter{Projects: []string{"coffee", "cocoa"}, Global: true}, "ours-global global cocoa coffee"},
			"global without":        {store.Filter{Global: true, Types: []string{"bugfix"}}, "fix"},
			"scope":                 {store.Filter{Scopes: []engram.Scope{engram.ScopePersonal}}, "personal"},
			"scopes":                {store.Filter{Scopes: []engram.Scope{engram.ScopePersonal, engram.ScopeGlobal}}, "personal ours-global global"},
			"scope and global":      {store.Filter{Projects: tea, Global: true, Scopes: []engram.Scope{engram.ScopeGlobal}}, "ours-global global"},
			"type":                  {store.Filter{Types: []string{"bugfix"}}, "fix"},
			"types":                 {store.Filter{Types: []string{"bugfix", engram.TypeTask}}, "fix done open"},
			"types of projects":     {store.Filter{Types: []string{"bugfix", "manual"}, Projects: []string{"cocoa", "coffee"}}, "global cocoa coffee"},
			"types, global":         {store.Filter{Types: []string{"bugfix", "manual"}, Projects: []string{"cocoa"}, Global: true}, "ours-global global cocoa"},
			"not types":             {store.Filter{NotTypes: []string{"manual", "bugfix"}}, "done open"},
			"kind":                  {store.Filter{Kinds: []engram.Kind{engram.KindTurn}}, "turn"},
			"session":               {store.Filter{Session: "s2"}, "s2"},
			"since":                 {store.Filter{Since: start, Projects: []string{"coffee"}}, "global coffee"},
			"until":                 {store.Filter{Until: start}, "early"},
			"since and until":       {store.Filter{Since: start.Add(-2 * time.Hour), Until: start}, "early"},
			"until is not included": {store.Filter{Until: start.Add(-time.Hour)}, ""},
			"pinned":                {store.Filter{Pinned: true}, "pinned"},
			"open tasks":            {store.Filter{OpenTasks: true}, "open"},
			"only deleted":          {store.Filter{Deleted: store.OnlyDeleted}, "gone"},
			"with deleted":          {store.Filter{Deleted: store.WithDeleted, Projects: tea, Types: []string{"manual"}}, "gone early s2 pinned turn personal ours-global plain"},
			"another workspace":     {store.Filter{Workspace: "other"}, "foreign"},
			"unknown workspace":     {store.Filter{Workspace: "nobody"}, ""},
			"everything at once": {store.Filter{
				Projects: tea, Global: true, Scopes: []engram.Scope{engram.ScopeProject}, Types: []string{"manual"},
				Kinds: []engram.Kind{engram.KindObservation}, Session: "s1", Since: start, Until: start.Add(time.Second), Pinned: true, NotTypes: []string{"x"},
			}, "pinned"},
		} {
			for order := range 3 {
				if order == int(store.ByOccurred) && name != "type" {
					continue
				}
				same(t, name, f.list(t, c.filter, store.Order(order), store.Page{}), c.want)
				same(t, name+" (as of)", f.list(t, asOf(c.filter, f.now), store.Order(order), store.Page{}), c.want)
				limited := must(f.ListMemories(t.Context(), inDefault(c.filter), store.Order(order), store.Page{Limit: 100}))(t)
				same(t, name+" (limited)", titles(limited), c.want)
			}
		}
	},
	"many projects": func(t *testing.T, f *fixture) {
		var projects []string
		want := ""
		for i := range 40 {
			p := "p" + string(rune('0'+i))
			projects = append(projects, p)
			f.save(t, note(p, p, project(p)))
			if i > 0 {
				want = " " + want
			}
			want = p + want
		}
		same(t, "list", f.list(t, store.Filter{Projects: projects}, store.ByActivity, store.Page{}), want)
	},
	"in a window": func(t *testing.T, f *fixture) {
		var ids []int64
		for i := range 5 {
			ids = append(ids, f.save(t, note("n", string(rune('a'+i)), occurred(start.Add(time.Duration(i)*time.Hour)), project([]string{"tea", "coffee"}[i%2]))).ID)
		}
		hour := func(h int) time.Time { return start.Add(time.Duration(h) * time.Hour) }
		for name, c := range map[string]struct {
			filter   store.Filter
			from, to time.Time
			oldest   bool
			limit    int
			want     []int64
		}{
			"newest first":  {from: hour(1), to: hour(4), limit: 10, want: []int64{ids[3], ids[2], ids[1]}},
			"oldest first":  {from: hour(1), to: hour(4), oldest: true, limit: 10, want: []int64{ids[1], ids[2], ids[3]}},
			"limit":         {from: hour(1), to: hour(4), limit: 1, want: []int64{ids[3]}},
			"open":          {limit: 2, want: []int64{ids[4], ids[3]}},
			"open to":       {from: hour(3), limit: 9, want: []int64{ids[4], ids[3]}},
			"open from":     {to: hour(1), limit: 9, want: []int64{ids[0]}},
			"projects":      {filter: store.Filter{Projects: []string{"tea"}}, limit: 9, want: []int64{ids[4], ids[2], ids[0]}},
			"two projects":  {filter: store.Filter{Projects: []string{"coffee", "tea"}}, oldest: true, limit: 2, want: []int64{ids[0], ids[1]}},
			"narrowed":      {filter: store.Filter{Since: hour(2)}, from: hour(1), to: hour(4), limit: 9, want: []int64{ids[3], ids[2]}},
			"as of":         {filter: store.Filter{AsOf: start}, from: hour(1), to: hour(4), limit: 2, want: []int64{ids[3], ids[2]}},
			"as of earlier": {filter: store.Filter{AsOf: start.Add(-time.Second)}, limit: 9},
		} {
			got := must(f.InWindow(t.Context(), inDefault(c.filter), c.from, c.to, c.oldest, c.limit))(t)
			same(t, name, got, c.want)
		}
	},
}

func inDefault(filter store.Filter) store.Filter {
	if filter.Workspace == "" {
		filter.Workspace = ws
	}
	return filter
}

func asOf(filter store.Filter, at time.Time) store.Filter {
	filter = inDefault(filter)
	filter.AsOf = at
	return filter
}
