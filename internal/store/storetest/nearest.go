package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/embed"
	"engram/internal/store"
	"engram/internal/text"
)

var nearestTests = map[string]func(t *testing.T, f *fixture){
	"by meaning, without a word in common": func(t *testing.T, f *fixture) {
		f.save(t, note("garage", "the car has a flat tyre"))
		f.save(t, note("kitchen", "bread and butter for breakfast"))
		f.save(t, note("harbour", "ships wait outside for the tide"))
		for question, want := range map[string]string{
			"which automobile needs its wheels repaired": "garage",
			"what to eat in the morning":                 "kitchen",
			"vessels at sea":                             "harbour",
		} {
			r := f.nearest(t, store.KeywordQuery{}, question)
			same(t, question, len(r.Hits), 3)
			for i, h := range byNearness(t, r) {
				same(t, "rank", h.Nearest, []int{i + 1})
				same(t, "score", h.Score, 0)
				if i == 0 {
					same(t, question, f.get(t, h.ID).Title, want)
				}
			}
		}
		same(t, "the limit", len(f.nearest(t, store.KeywordQuery{Limit: 2}, "vessels at sea").Hits), 2)
	},
	"beside what is found by its words": func(t *testing.T, f *fixture) {
		f.save(t, note("words", "the word kettle, and nothing of what is meant by it, in a list of letters"))
		f.save(t, note("meaning", "boiling water for tea"))
		f.save(t, note("both", "a kettle to boil water in"))
		q := store.KeywordQuery{Limit: 2, Vectors: meaning("heat up some water")}
		r := f.keyword(t, q, "kettle")
		same(t, "titles by score", f.found(t, r), "both words meaning")
		for _, h := range r.Hits {
			same(t, "own words", h.TF[0] > 0, h.Score > 0)
			same(t, "a rank", h.Nearest[0] > 0, f.get(t, h.ID).Title != "words")
			same(t, "a cosine of its own", len(h.Cosine), 1)
		}
		byNearness(t, r)
	},
	"with what a memory's text tells": func(t *testing.T, f *fixture) {
		for i, said := range []string{"Did you feed the cat?", "Yes, at seven o'clock this morning", "Then I will walk the dog", "🎉"} {
			m := note("", said, session(fmt.Sprint("talk", i/3)), occurred(f.now.Add(time.Duration(i)*time.Minute)))
			m.Kind, m.Speaker, m.Role = engram.KindTurn, []string{"ana", "ben"}[i%2], []string{"user", "assistant"}[i%2]
			f.save(t, m)
		}
		r := f.nearest(t, store.KeywordQuery{Neighbours: 2}, "cats and dogs")
		same(t, "hits", len(r.Hits), 3) // the last one says nothing that has a vector
		sessions := map[int]bool{}
		for _, h := range r.Hits {
			m := f.get(t, h.ID)
			same(t, "speaker", h.Speaker, m.Speaker)
			same(t, "assistant", h.Assistant, m.Role == "assistant")
			same(t, "traits", h.Traits, text.TraitsOf(m.Content))
			same(t, "tokens", h.Tokens, embed.Static().Tokens(nil, m.Content))
			sessions[h.Session] = true
			for _, n := range h.Neighbours {
				m := f.get(t, n.ID)
				same(t, "a neighbour's tokens", n.Tokens, embed.Static().Tokens(nil, m.Content))
				same(t, "a neighbour's traits", n.Traits, text.TraitsOf(m.Content))
				same(t, "a neighbour's cosine is its own", n.Cosine, cosineOf(r, n.ID))
			}
		}
		same(t, "sessions", sessions, map[int]bool{1: true})
		all := f.keyword(t, store.KeywordQuery{Vectors: meaning("cats and dogs")}, "ana", "ben")
		same(t, "found by who said it", len(all.Hits), 4)
		for _, h := range all.Hits {
			if f.get(t, h.ID).Content == "🎉" {
				same(t, "no vector", h.Cosine, []float32{store.NoCosine})
				same(t, "no rank", h.Nearest, []int{0})
				same(t, "another session", h.Session > 0, true)
			}
		}
	},
	"the nearest turns are widened too": func(t *testing.T, f *fixture) {
		for i, said := range []string{"door", "boiling water for tea", "garden", "engine"} {
			m := note("", said, session("talk"), occurred(f.now.Add(time.Duration(i)*time.Minute)))
			m.Kind, m.Role = engram.KindTurn, "user"
			f.save(t, m)
		}
		r := f.nearest(t, store.KeywordQuery{Limit: 1, Widen: 1}, "a cup of tea")
		same(t, "contents", strings.Join(f.contents(t, r), ", "), "garden, boiling water for tea, door")
		for _, h := range r.Hits {
			same(t, "a rank for the nearest only", h.Nearest[0] == 1, f.get(t, h.ID).Content == "boiling water for tea")
		}
	},
	"the filter applies before the limit": func(t *testing.T, f *fixture) {
		f.save(t, note("far", "invoices of the accounting department", project("office")))
		for i := range 20 {
			f.save(t, note(fmt.Sprint("near", i), fmt.Sprint("boiling water for tea number ", i)))
		}
		f.save(t, note("foreign", "boiling water for tea", inWorkspace("other")))
		q := store.KeywordQuery{Limit: 1, Filter: store.Filter{Projects: []string{"office"}}}
		same(t, "of a project", f.found(t, f.nearest(t, q, "boiling water for tea")), "far")
		other := f.nearest(t, store.KeywordQuery{Filter: store.Filter{Workspace: "other"}}, "boiling water for tea")
		same(t, "of a workspace", len(other.Hits), 1)
	},
	"versions, deletions and erasures": func(t *testing.T, f *fixture) {
		const question = "a hot drink"
		id := f.save(t, note("a", "boiling water for tea", topic("k"))).ID
		then := f.now
		f.tick(time.Hour)
		f.save(t, note("a", "invoices of the accounting department", topic("k")))
		now, before := store.KeywordQuery{}, store.KeywordQuery{Filter: store.Filter{AsOf: then}}
		cosine := func(q store.KeywordQuery) float32 {
			t.Helper()
			r := f.nearest(t, q, question)
			if len(r.Hits) != 1 || r.Hits[0].ID != id {
				t.Fatalf("%+v finds %+v, want memory %d", q.Filter, r.Hits, id)
			}
			return r.Hits[0].Cosine[0]
		}
		if a, b := cosine(before), cosine(now); a < b+0.2 {
			t.Errorf("cosine %v of the old text then, %v of the new one", a, b)
		}
		_ = must(f.DeleteMemory(t.Context(), ws, id, f.tick(time.Hour)))(t)
		same(t, "deleted", len(f.nearest(t, now, question).Hits), 0)
		same(t, "deleted, then", len(f.nearest(t, before, question).Hits), 0)
		cosine(store.KeywordQuery{Filter: store.Filter{Deleted: store.OnlyDeleted}})
		_ = must(f.RestoreMemory(t.Context(), ws, id, f.tick(time.Hour)))(t)
		cosine(now)
		_ = must(f.EraseMemory(t.Context(), ws, id, f.tick(time.Hour)))(t)
		for _, filter := range []store.Filter{{Deleted: store.WithDeleted}, {AsOf: then, Deleted: store.WithDeleted}} {
			same(t, "erased", len(f.nearest(t, store.KeywordQuery{Filter: filter}, question).Hits), 0)
		}
	},
	"what another process commits is found": func(t *testing.T, f *fixture) {
		a, b := f.pair(t)
		x, y := &fixture{Store: a, open: f.open, now: f.now}, &fixture{Store: b, open: f.open, now: f.now}
		for i := range 4 {
			x.save(t, note(fmt.Sprint("x", i), fmt.Sprint("boiling water for tea ", i)))
			same(t, "the second finds", len(y.nearest(t, store.KeywordQuery{}, "a hot drink").Hits), 2*i+1)
			y.save(t, note(fmt.Sprint("y", i), fmt.Sprint("a kettle of coffee ", i)))
			same(t, "the first finds", len(x.nearest(t, store.KeywordQuery{}, "a hot drink").Hits), 2*i+2)
		}
	},
	"several vectors, and a model that no memory has": func(t *testing.T, f *fixture) {
		f.save(t, note("tea", "boiling water for tea"))
		f.save(t, note("office", "invoices of the accounting department"))
		q := store.KeywordQuery{Limit: 1, Vectors: append(meaning("a hot drink"), meaning("bills and bookkeeping")...)}
		q.Vectors = append(q.Vectors, store.QueryVector{Model: "unheard-of", Unit: []float32{1, 0}})
		r := f.keyword(t, q)
		same(t, "titles", f.found(t, r), "office tea")
		same(t, "office", r.Hits[0].Nearest, []int{0, 1, 0})
		same(t, "tea", r.Hits[1].Nearest, []int{1, 0, 0})
		for _, h := range r.Hits {
			same(t, "no cosine", h.Cosine[2], store.NoCosine)
		}
		q.Vectors = q.Vectors[2:]
		same(t, "nothing", len(f.keyword(t, q).Hits), 0)
		same(t, "words all the same", f.found(t, f.keyword(t, q, "tea")), "tea")
	},
}

// meaning is what the built-in embedder makes of a text.
func meaning(question string) []store.QueryVector {
	unit, _ := embed.Static().Vector(question)
	return []store.QueryVector{{Model: embed.Static().Model(), Unit: unit}}
}

// nearest looks for what means the same as a text.
func (f *fixture) nearest(t *testing.T, q store.KeywordQuery, question string) *store.KeywordResult {
	t.Helper()
	q.Vectors = meaning(question)
	return f.keyword(t, q)
}

// byNearness is the hits that are among the nearest to the first vector, in order. Their
// cosines must be in the same order.
func byNearness(t *testing.T, r *store.KeywordResult) []store.KeywordHit {
	t.Helper()
	ranked := map[int]store.KeywordHit{}
	for _, h := range r.Hits {
		if rank := h.Nearest[0]; rank > 0 {
			ranked[rank] = h
		}
	}
	var out []store.KeywordHit
	for rank := 1; rank <= len(ranked); rank++ {
		h, ok := ranked[rank]
		if !ok {
			t.Fatalf("no hit has rank %d of %d", rank, len(ranked))
		}
		if rank > 1 && h.Cosine[0] > ranked[rank-1].Cosine[0] {
			t.Errorf("rank %d has cosine %v, behind %v", rank, h.Cosine[0], ranked[rank-1].Cosine[0])
		}
		out = append(out, h)
	}
	return out
}

func cosineOf(r *store.KeywordResult, id int64) []float32 {
	for _, h := range r.Hits {
		if h.ID == id {
			return h.Cosine
		}
	}
	return nil
}

func (f *fixture) contents(t *testing.T, r *store.KeywordResult) []string {
	t.Helper()
	var out []string
	for _, h := range r.Hits {
		out = append(out, f.get(t, h.ID).Content)
	}
	return out
}
