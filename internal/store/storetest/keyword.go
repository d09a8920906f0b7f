package storetest

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp/cmpopts"

	"engram"
	"engram/internal/store"
	"engram/internal/text"
)

var keywordTests = map[string]func(t *testing.T, f *fixture){
	"best first by BM25, ties newest first": func(t *testing.T, f *fixture) {
		f.save(t, note("one", "kettle lamp lamp"))
		f.save(t, note("two", "kettle kettle lamp"))
		f.save(t, note("three", "lamp lamp lamp"))
		f.save(t, note("four", "kettle lamp lamp"))
		r := f.keyword(t, store.KeywordQuery{}, "kettle", "engine")
		same(t, "titles", f.found(t, r), "two four one")
		same(t, "frequencies of the best", r.Hits[0].TF, []float32{2, 0})
		same(t, "DF", r.DF, []int{3, 0})
		same(t, "Docs and AvgLen", []float64{float64(r.Docs), r.AvgLen}, []float64{4, 4})
		idf := math.Log(1 + (4-3+.5)/(3+.5))
		for i, tf := range []float64{2, 1, 1} {
			want := idf * tf * 2.2 / (tf + 1.2)
			same(t, "score", r.Hits[i].Score, want, cmpopts.EquateApprox(1e-4, 0))
			same(t, "length", r.Hits[i].Len, 4)
		}
	},
	"any of the terms, and the limit": func(t *testing.T, f *fixture) {
		for i := range 5 {
			f.save(t, note(fmt.Sprint("t", i), strings.Repeat("kettle ", i+1)+strings.Repeat("lamp ", 5-i)))
		}
		f.save(t, note("other", "engine"))
		same(t, "three", f.found(t, f.keyword(t, store.KeywordQuery{Limit: 3}, "kettle")), "t4 t3 t2")
		same(t, "any", len(f.keyword(t, store.KeywordQuery{}, "kettle", "engine", "nothing").Hits), 6)
		same(t, "none", len(f.keyword(t, store.KeywordQuery{}, "nothing").Hits), 0)
	},
	"weights": func(t *testing.T, f *fixture) {
		f.save(t, note("one", "kettle"))
		f.save(t, note("two", "lamp"))
		r := must(f.Keyword(t.Context(), store.KeywordQuery{
			Filter: store.Filter{Workspace: ws}, Limit: 10,
			Terms: []store.Term{{Text: "kettle", Weight: 1}, {Text: "lamp", Weight: 2}, {Text: "one", Weight: 0}, {Text: "two", Weight: 0}},
		}))(t)
		same(t, "titles", f.found(t, r), "two one")
		same(t, "a term without weight is counted", r.Hits[1].TF, []float32{1, 0, 1, 0})
		r = must(f.Keyword(t.Context(), store.KeywordQuery{
			Filter: store.Filter{Workspace: ws}, Limit: 10, Terms: []store.Term{{Text: "one", Weight: 0}},
		}))(t)
		same(t, "and finds nothing by itself", f.found(t, r), "")
		r = must(f.Keyword(t.Context(), store.KeywordQuery{Filter: store.Filter{Workspace: ws}, Terms: []store.Term{{Text: "kettle"}, {Text: "sieve"}}}))(t)
		same(t, "without a limit nothing is found", f.found(t, r), "")
		same(t, "but counted", r.DF, []int{1, 0})
	},
	"the type": func(t *testing.T, f *fixture) {
		decision := text.TypeTerm("decision")
		f.save(t, note("one", "kettle", typed("decision")))
		two := f.save(t, note("two", "kettle lamp")).ID
		r := f.keyword(t, store.KeywordQuery{}, decision, text.TypeTerm("bugfix"))
		same(t, "titles", f.found(t, r), "one")
		same(t, "frequencies", r.Hits[0].TF, []float32{1, 0})
		same(t, "a type is no part of the length", r.AvgLen, 2.5)
		f.tick(time.Hour)
		must(f.UpdateMemory(t.Context(), ws, two, store.Patch{Type: ptr("decision")}, f.now))(t)
		same(t, "of another type by an edit", f.found(t, f.keyword(t, store.KeywordQuery{}, decision)), "one two")
		must(f.UpdateMemory(t.Context(), ws, two, store.Patch{Type: ptr("bugfix")}, f.tick(time.Hour)))(t)
		same(t, "and by one more", f.found(t, f.keyword(t, store.KeywordQuery{}, decision)), "one")
	},
	"the filter applies before the limit": func(t *testing.T, f *fixture) {
		f.save(t, note("wanted", "kettle among many other words that make this text a long one", project("coffee"), scope(engram.ScopeGlobal)))
		f.save(t, note("task", "a kettle to be bought for the kitchen some day", typed(engram.TypeTask), status("open"), session("s2")))
		for i := range 20 {
			f.save(t, note(fmt.Sprint("more", i), "kettle "+fmt.Sprint(i)))
		}
		f.save(t, note("foreign", "kettle", inWorkspace("other")))
		for name, filter := range map[string]store.Filter{
			"wanted": {Projects: []string{"coffee"}},
			"task":   {OpenTasks: true},
		} {
			same(t, name, f.found(t, f.keyword(t, store.KeywordQuery{Filter: filter, Limit: 1}, "kettle")), name)
		}
		for _, filter := range []store.Filter{
			{Scopes: []engram.Scope{engram.ScopeGlobal}},
			{Projects: []string{"nothing"}, Global: true},
		} {
			same(t, "global", f.found(t, f.keyword(t, store.KeywordQuery{Filter: filter}, "kettle")), "wanted")
		}
		same(t, "type", f.found(t, f.keyword(t, store.KeywordQuery{Filter: store.Filter{Types: []string{engram.TypeTask}}}, "kettle")), "task")
		same(t, "session", f.found(t, f.keyword(t, store.KeywordQuery{Filter: store.Filter{Session: "s2"}}, "kettle")), "task")
		same(t, "unknown session", f.found(t, f.keyword(t, store.KeywordQuery{Filter: store.Filter{Session: "s9"}}, "kettle")), "")
		other := f.keyword(t, store.KeywordQuery{Filter: store.Filter{Workspace: "other"}}, "kettle")
		same(t, "of another workspace", len(other.Hits), 1)
	},
	"changes are found at once": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "kettle", topic("k"))).ID
		then := f.now
		f.tick(time.Hour)
		f.save(t, note("a", "lamp", topic("k")))
		same(t, "old text", f.found(t, f.keyword(t, store.KeywordQuery{}, "kettle")), "")
		same(t, "new text", f.found(t, f.keyword(t, store.KeywordQuery{}, "lamp")), "a")
		known := store.KeywordQuery{Filter: store.Filter{AsOf: then}}
		same(t, "old text then", len(f.keyword(t, known, "kettle").Hits), 1)
		same(t, "new text then", len(f.keyword(t, known, "lamp").Hits), 0)
		before := store.KeywordQuery{Filter: store.Filter{AsOf: then.Add(-time.Second)}}
		same(t, "before it was saved", len(f.keyword(t, before, "kettle").Hits), 0)

		_ = must(f.DeleteMemory(t.Context(), ws, id, f.tick(time.Hour)))(t)
		r := f.keyword(t, store.KeywordQuery{}, "lamp")
		same(t, "deleted", []int{len(r.Hits), r.DF[0], r.Docs}, []int{0, 0, 0})
		deleted := store.KeywordQuery{Filter: store.Filter{Deleted: store.OnlyDeleted}}
		same(t, "only deleted", len(f.keyword(t, deleted, "lamp").Hits), 1)
		same(t, "old text before the deletion", len(f.keyword(t, known, "kettle").Hits), 0)
		knownDeleted := store.KeywordQuery{Filter: store.Filter{AsOf: then, Deleted: store.OnlyDeleted}}
		same(t, "asked for", len(f.keyword(t, knownDeleted, "kettle").Hits), 1)
		_ = must(f.RestoreMemory(t.Context(), ws, id, f.tick(time.Hour)))(t)
		same(t, "restored", f.found(t, f.keyword(t, store.KeywordQuery{}, "lamp")), "a")
		same(t, "restored, its old text", len(f.keyword(t, known, "kettle").Hits), 1)
		_ = must(f.EraseMemory(t.Context(), ws, id, f.tick(time.Hour)))(t)
		all := store.KeywordQuery{Filter: store.Filter{Deleted: store.WithDeleted}}
		same(t, "erased", len(f.keyword(t, all, "lamp").Hits), 0)
		same(t, "erased as of then", len(f.keyword(t, known, "kettle").Hits), 0)
		same(t, "terms of the erased", len(must(f.PrefixTerms(t.Context(), "lam", 5))(t)), 0)
	},
	"what another process commits is found": func(t *testing.T, f *fixture) {
		a, b := f.pair(t)
		x, y := &fixture{Store: a, open: f.open, now: f.now}, &fixture{Store: b, open: f.open, now: f.now}
		for i := range 5 {
			x.save(t, note(fmt.Sprint("x", i), fmt.Sprint("kettle ", i)))
			same(t, "the second finds", len(y.keyword(t, store.KeywordQuery{}, "kettle").Hits), 2*i+1)
			y.save(t, note(fmt.Sprint("y", i), fmt.Sprint("kettle other ", i)))
			same(t, "the first finds", len(x.keyword(t, store.KeywordQuery{}, "kettle").Hits), 2*i+2)
		}
	},
	"turns come with their neighbours": func(t *testing.T, f *fixture) {
		var ids []int64
		for i, word := range []string{"door", "lamp", "kettle", "engine", "river"} {
			m := note(word, word, session("talk"), occurred(f.now.Add(time.Duration(i)*time.Minute)))
			m.Kind, m.Role = engram.KindTurn, "user"
			ids = append(ids, f.save(t, m).ID)
		}
		f.save(t, note("no turn", "garden", session("talk")))
		_ = must(f.DeleteMemory(t.Context(), ws, ids[1], f.now))(t)
		r := f.keyword(t, store.KeywordQuery{Neighbours: 2}, "kettle", "door")
		same(t, "titles", f.found(t, r), "kettle door")
		for _, h := range r.Hits {
			var around []string
			for _, n := range h.Neighbours {
				around = append(around, fmt.Sprint(n.ID == ids[0], n.ID == ids[2], n.ID == ids[3], n.ID == ids[4], n.Distance, n.TF))
			}
			switch h.ID {
			case ids[2]: // the deleted turn does not count
				same(t, "around kettle", around, []string{
					"true false false false -1 [0 1]", "false false true false 1 [0 0]", "false false false true 2 [0 0]",
				})
			case ids[0]:
				same(t, "around door", around, []string{"false true false false 1 [1 0]", "false false true false 2 [0 0]"})
			}
		}
		r = f.keyword(t, store.KeywordQuery{Widen: 1}, "kettle")
		same(t, "widened", f.found(t, r), "kettle engine door")
		same(t, "a neighbour's own score", []bool{r.Hits[0].Score > 0, r.Hits[1].Score == 0}, []bool{true, true})
		same(t, "no turn has neighbours", len(f.keyword(t, store.KeywordQuery{Neighbours: 4}, "garden").Hits[0].Neighbours), 0)
	},
	"similar terms and prefixes": func(t *testing.T, f *fixture) {
		for i, words := range []string{"kettle kettles kettl", "kettles", "postgres", "postgresql"} {
			f.save(t, note(fmt.Sprint(i), words, typed("x"+fmt.Sprint(i))))
		}
		has := func(terms []string, want ...string) {
			t.Helper()
			for _, w := range want {
				if !strings.Contains(" "+strings.Join(terms, " ")+" ", " "+w+" ") {
					t.Errorf("%q are without %q", terms, w)
				}
			}
		}
		has(must(f.SimilarTerms(t.Context(), "ketle", 10))(t), "kettle")
		has(must(f.SimilarTerms(t.Context(), "kettel", 10))(t), "kettle")
		has(must(f.SimilarTerms(t.Context(), "postgrse", 10))(t), "postgres")
		has(must(f.PrefixTerms(t.Context(), "postgres", 10))(t), "postgres", "postgresql")
		same(t, "limit", len(must(f.PrefixTerms(t.Context(), "ke", 1))(t)), 1)
		same(t, "nothing near", len(must(f.SimilarTerms(t.Context(), "xylophone", 10))(t)), 0)
	},
}

// keyword looks for terms of equal weight; without a limit for ten hits.
func (f *fixture) keyword(t *testing.T, q store.KeywordQuery, terms ...string) *store.KeywordResult {
	t.Helper()
	if q.Filter.Workspace == "" {
		q.Filter.Workspace = ws
	}
	if q.Limit == 0 {
		q.Limit = 10
	}
	for _, text := range terms {
		q.Terms = append(q.Terms, store.Term{Text: text, Weight: 1})
	}
	return must(f.Keyword(t.Context(), q))(t)
}

// found is the titles of the hits, in their order.
func (f *fixture) found(t *testing.T, r *store.KeywordResult) string {
	t.Helper()
	var out []string
	for _, h := range r.Hits {
		out = append(out, f.get(t, h.ID).Title)
	}
	return strings.Join(out, " ")
}
