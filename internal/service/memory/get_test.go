package memory_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/store"
)

func titles(ms []*engram.Memory) []string {
	var out []string
	for _, m := range ms {
		out = append(out, m.Title)
	}
	return out
}

func TestGetCountsTheAccess(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.save(t, memory.SaveInput{Content: "C"})
	f.get(t, r.ID)
	f.clock.Add(time.Minute)
	f.get(t, r.ID)
	if m := f.get(t, r.ID); m.AccessCount != 2 || !m.LastAccessed.Equal(f.clock.now) || m.Version != 1 {
		t.Errorf("accesses = %d, last %v, version %d", m.AccessCount, m.LastAccessed, m.Version)
	}
	_, err := f.Get(agent(t), 9999)
	wantError(t, err, engram.ErrNotFound, "")
}

func TestListPages(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	var want []string
	for i := range 25 {
		if i%3 == 0 { // some in the same instant: ties go by id
			f.clock.Add(time.Second)
		}
		title := fmt.Sprint("m", i)
		f.save(t, memory.SaveInput{Title: title, Content: title})
		want = append([]string{title}, want...)
	}
	for _, order := range []store.Order{store.ByCreated, store.ByActivity, store.ByOccurred} {
		var got []string
		in := memory.ListInput{Order: order, Limit: 7}
		for pages := 0; ; pages++ {
			r, err := f.List(ctx, in)
			if err != nil || pages > 4 {
				t.Fatalf("page %d: %v", pages, err)
			}
			got = append(got, titles(r.Memories)...)
			if in.Cursor = r.Next; r.Next == "" {
				break
			}
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("order %d mismatch (-want +got):\n%s", order, diff)
		}
	}
}

func TestListFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	f.save(t, memory.SaveInput{Title: "p", Content: "1", Project: "p", Type: "decision", Session: "s1"})
	f.save(t, memory.SaveInput{Title: "q", Content: "2", Project: "q", Pinned: true})
	f.save(t, memory.SaveInput{Title: "global", Content: "3", Project: "r", Scope: "global"})
	f.save(t, memory.SaveInput{Title: "personal", Content: "4", Project: "p", Scope: "personal"})
	f.save(t, memory.SaveInput{Title: "open", Content: "5", Project: "p", Type: "task"})
	f.save(t, memory.SaveInput{Title: "done", Content: "6", Project: "p", Type: "task", Status: "done"})
	old := f.save(t, memory.SaveInput{Title: "old", Content: "7", Project: "p", OccurredAt: f.clock.now.AddDate(-1, 0, 0)})
	gone := f.save(t, memory.SaveInput{Title: "gone", Content: "8", Project: "p"})
	if _, err := f.Delete(ctx, gone.ID, false); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		in   memory.ListInput
		want []string
	}{
		"all":             {memory.ListInput{}, []string{"old", "done", "open", "personal", "global", "q", "p"}},
		"project":         {memory.ListInput{Project: " P "}, []string{"old", "done", "open", "personal", "global", "p"}},
		"type":            {memory.ListInput{Types: []string{"decision", " "}}, []string{"p"}},
		"scope":           {memory.ListInput{Scope: "Personal"}, []string{"personal"}},
		"session":         {memory.ListInput{Session: "s1"}, []string{"p"}},
		"pinned":          {memory.ListInput{Pinned: true}, []string{"q"}},
		"open tasks":      {memory.ListInput{OpenTasks: true}, []string{"open"}},
		"until":           {memory.ListInput{Until: f.clock.now.AddDate(0, -1, 0)}, []string{"old"}},
		"by occurrence":   {memory.ListInput{Project: "p", Order: store.ByOccurred, Limit: 2}, []string{"done", "open"}},
		"deleted":         {memory.ListInput{Deleted: store.OnlyDeleted}, []string{"gone"}},
		"unknown project": {memory.ListInput{Project: "nobody"}, []string{"global"}},
	} {
		t.Run(name, func(t *testing.T) {
			r, err := f.List(ctx, tt.in)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, titles(r.Memories)); diff != "" {
				t.Errorf("List mismatch (-want +got):\n%s", diff)
			}
		})
	}
	if m := f.get(t, old.ID); !m.OccurredAt.Equal(f.clock.now.AddDate(-1, 0, 0)) {
		t.Errorf("occurred at %v", m.OccurredAt)
	}
}

func TestListRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	for range 3 {
		f.clock.Add(time.Hour)
		f.save(t, memory.SaveInput{Content: "C"})
	}
	first, err := f.List(ctx, memory.ListInput{Limit: 2})
	if err != nil || first.Next == "" {
		t.Fatalf("List = %+v, %v", first, err)
	}
	for name, tt := range map[string]struct {
		in   memory.ListInput
		code string
	}{
		"limit below 0":              {memory.ListInput{Limit: -1}, "invalid_limit"},
		"limit over 1000":            {memory.ListInput{Limit: 1001}, "invalid_limit"},
		"unknown scope":              {memory.ListInput{Scope: "team"}, "invalid_scope"},
		"unknown order":              {memory.ListInput{Order: 9}, "invalid_order"},
		"a cursor of another order":  {memory.ListInput{Cursor: first.Next, Order: store.ByActivity}, "invalid_cursor"},
		"a cursor that was cut":      {memory.ListInput{Cursor: first.Next[:8]}, "invalid_cursor"},
		"a cursor of another make":   {memory.ListInput{Cursor: "b2Zmc2V0OjIw"}, "invalid_cursor"},
		"a cursor of a later engram": {memory.ListInput{Cursor: "_" + first.Next[1:]}, "invalid_cursor"},
		"no cursor at all":           {memory.ListInput{Cursor: "page two, please"}, "invalid_cursor"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.List(ctx, tt.in)
			wantError(t, err, engram.ErrInvalid, tt.code)
		})
	}
}

func TestTimeline(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	base := f.clock.now
	var ids []int64
	for i, minutes := range []int{3, 1, 2, 5, 4} { // saved in another order than said
		r := f.save(t, memory.SaveInput{
			Title: fmt.Sprint("t", minutes), Content: fmt.Sprint(i), Session: "s", Project: "p",
			OccurredAt: base.Add(time.Duration(minutes) * time.Minute),
		})
		ids = append(ids, r.ID)
	}
	tl, err := f.Timeline(ctx, ids[0], 5, 1)
	if err != nil {
		t.Fatal(err)
	}
	got := []any{titles(tl.Before), tl.Focus.Title, titles(tl.After), tl.Total, tl.Session.ID}
	if diff := cmp.Diff([]any{[]string{"t1", "t2"}, "t3", []string{"t4"}, 5, "s"}, got); diff != "" {
		t.Errorf("Timeline mismatch (-want +got):\n%s", diff)
	}
	for _, n := range [][2]int{{-1, 5}, {5, -1}, {101, 5}, {5, 101}} {
		_, err := f.Timeline(ctx, ids[0], n[0], n[1])
		wantError(t, err, engram.ErrInvalid, "")
		if err != nil && !strings.Contains(err.Error(), "0 to 100") {
			t.Errorf("error %q does not say what is allowed", err)
		}
	}
	if tl, err := f.Timeline(ctx, ids[0], 0, 0); err != nil || len(tl.Before)+len(tl.After) != 0 {
		t.Errorf("Timeline(0, 0) = %+v, %v", tl, err)
	}
	_, err = f.Timeline(ctx, 9999, 1, 1)
	wantError(t, err, engram.ErrNotFound, "")
}

func TestStats(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	f.save(t, memory.SaveInput{Content: "1", Project: "p"})
	f.save(t, memory.SaveInput{Content: "2", Project: "q"})
	all, err := f.Stats(ctx, "")
	if err != nil || all.Memories != 2 || len(all.Projects) != 2 || all.SchemaVersion < 1 {
		t.Errorf("Stats = %+v, %v", all, err)
	}
	one, err := f.Stats(ctx, " P ")
	if err != nil || one.Memories != 1 {
		t.Errorf("Stats(p) = %+v, %v", one, err)
	}
}

func TestDeleteAndRestore(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *memory.Options) { o.Backups = func() []string { return []string{"memory-1.db"} } })
	ctx := agent(t)
	r := f.save(t, memory.SaveInput{Content: "zorblatt"})
	soft, err := f.Delete(ctx, r.ID, false)
	if err != nil || soft.Hard || soft.Memories != 1 || len(soft.Copies) != 0 {
		t.Errorf("soft delete = %+v, %v", soft, err)
	}
	_, err = f.Get(ctx, r.ID)
	wantError(t, err, engram.ErrNotFound, "")
	_, err = f.Delete(ctx, r.ID, false)
	wantError(t, err, engram.ErrNotFound, "")
	if m, err := f.Restore(ctx, r.ID); err != nil || m.Deleted() {
		t.Errorf("Restore = %+v, %v", m, err)
	}
	f.get(t, r.ID)
	hard, err := f.Delete(ctx, r.ID, true)
	if err != nil || !hard.Hard || hard.Memories != 1 {
		t.Errorf("hard delete = %+v, %v", hard, err)
	}
	if len(hard.Copies) != 1 || hard.Copies[0] != "backup memory-1.db" {
		t.Errorf("copies = %q, want the backup by name", hard.Copies)
	}
	_, err = f.Restore(ctx, r.ID)
	wantError(t, err, engram.ErrNotFound, "")
	if strings.Contains(f.dump(t), "zorblatt") {
		t.Error("an erased text is in the export")
	}
}

func TestPin(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.save(t, memory.SaveInput{Content: "C"})
	m, err := f.Pin(agent(t), r.ID, true)
	if err != nil || !m.Pinned || m.Version != 1 {
		t.Errorf("Pin = %+v, %v", m, err)
	}
	if m, err = f.Pin(agent(t), r.ID, false); err != nil || m.Pinned {
		t.Errorf("unpin = %+v, %v", m, err)
	}
	_, err = f.Pin(agent(t), 9999, true)
	wantError(t, err, engram.ErrNotFound, "")
}
