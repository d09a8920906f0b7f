package memory_test

import (
	"testing"
	"time"

	"engram"
	"engram/internal/service/memory"
)

// A softly deleted memory is in no search, whatever time is asked about, and
// has no history to show until it is restored.
func TestDeletedIsHiddenAsOfAnyTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	id := f.save(t, memory.SaveInput{Title: "Car", Content: "The car colour is magenta and blue", Project: "p"}).ID
	then := f.clock.Now()
	f.clock.Add(time.Hour)
	hits := func() int {
		t.Helper()
		r, err := f.Search(ctx, memory.SearchInput{Query: "car colour", Project: "p", AsOf: then})
		if err != nil {
			t.Fatal(err)
		}
		return len(r.Hits)
	}
	if n := hits(); n != 1 {
		t.Fatalf("%d hits before the deletion, want 1", n)
	}
	if _, err := f.Delete(ctx, id, false); err != nil {
		t.Fatal(err)
	}
	if n := hits(); n != 0 {
		t.Errorf("%d hits as of a time before the deletion, want none", n)
	}
	_, err := f.History(ctx, id)
	wantError(t, err, engram.ErrNotFound, "unknown_id")
	if _, err := f.Restore(ctx, id); err != nil {
		t.Fatal(err)
	}
	if versions, err := f.History(ctx, id); err != nil || len(versions) != 1 || hits() != 1 {
		t.Errorf("restored: history %v, %v, and %d hits; want one of each", versions, err, hits())
	}
}
