package memory_test

import (
	"fmt"
	"slices"
	"testing"

	"engram/internal/recall"
	"engram/internal/service/memory"
)

func TestSaveNamesWhatIsAlike(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	old := f.save(t, memory.SaveInput{Project: "pool", Content: "The connection pool holds 20 connections."})
	again := f.save(t, memory.SaveInput{Project: "pool", Content: "Integration tests need Docker to run."})
	f.save(t, memory.SaveInput{Project: "pool", Content: "Grandma lives next to the church."})
	f.save(t, memory.SaveInput{Project: "other", Content: "The connection pool holds 20 connections!"})

	for name, c := range map[string]struct {
		content string
		want    []string
	}{
		"another value":    {"The connection pool holds 200 connections.", []string{fmt.Sprint(old.ID, " The connection pool holds 20 connections. ", recall.Changed)}},
		"in other words":   {"To run, the integration tests need Docker.", []string{fmt.Sprint(again.ID, " Integration tests need Docker to run. ", recall.Same)}},
		"of another thing": {"The linter is golint.", nil},
		"without a word":   {"!?", nil},
	} {
		r := f.save(t, memory.SaveInput{Project: "pool", Content: c.content, Compare: true})
		if r.NotCompared != nil {
			t.Fatalf("%s: %v", name, r.NotCompared)
		}
		var got []string
		for _, a := range r.Alike {
			got = append(got, fmt.Sprint(a.ID, " ", a.Title, " ", a.Verdict))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
	if _, err := f.Delete(agent(t), old.ID, false); err != nil {
		t.Fatal(err)
	}
	r := f.save(t, memory.SaveInput{Project: "pool", Content: "The connection pool holds 20 connections, at most.", Compare: true})
	for _, a := range r.Alike {
		if a.ID == old.ID {
			t.Errorf("a deleted memory is named: %+v", r.Alike)
		}
	}
	if r = f.save(t, memory.SaveInput{Project: "pool", Content: "Integration tests need Docker to run!"}); r.Alike != nil {
		t.Errorf("nobody asked, got %+v", r.Alike)
	}
}

// What naming alike memories adds to a save: in a project of 10,000 notes.
func BenchmarkSaveAndCompare(b *testing.B) {
	for _, compare := range []bool{false, true} {
		b.Run(fmt.Sprintf("compare=%v", compare), func(b *testing.B) {
			f := newFixture(b)
			in := make([]memory.SaveInput, 10_000)
			for i := range in {
				in[i] = memory.SaveInput{Project: "p", Content: fmt.Sprintf("Service %d of team %d listens on port %d, its logs go to bucket %d and it is rebuilt on day %d.", i, i%97, 2000+i, i%31, i%7)}
			}
			if _, err := f.SaveAll(agent(b), in); err != nil {
				b.Fatal(err)
			}
			f.save(b, memory.SaveInput{Project: "p", Content: "first", Compare: true}) // the index is read
			i := 0
			for b.Loop() {
				i++
				f.save(b, memory.SaveInput{Project: "p", Content: fmt.Sprintf("The team of service %d moved its logs to bucket %d.", i, i), Compare: compare})
			}
		})
	}
}
