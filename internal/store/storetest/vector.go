package storetest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
)

// colours is a model of three dimensions.
const colours = "colours@3"

var (
	red   = []float32{1, 0, 0}
	green = []float32{0, 1, 0}
	blue  = []float32{0, 0, 1}
)

func (f *fixture) useModel(t *testing.T, name string, dim int) {
	t.Helper()
	ok(t, f.UseVectorModel(t.Context(), store.VectorModel{Name: name, Dim: dim, Recipe: "by hand"}, f.now))
}

// colour gives the current text of a memory vectors.
func (f *fixture) colour(t *testing.T, id int64, units ...[]float32) {
	t.Helper()
	n := must(f.SaveVectors(t.Context(), colours, []store.TextVector{{ID: id, Version: f.get(t, id).Version, Units: units}}))(t)
	same(t, "saved vectors", n, 1)
}

// lacking are the titles of what lacks the colours, in order.
func (f *fixture) lacking(t *testing.T, span store.WriteSpan, limit, maxBytes int) string {
	t.Helper()
	if span.Until == 0 {
		span.Until = must(f.LastWrite(t.Context()))(t)
	}
	var out []string
	for _, text := range must(f.TextsToEmbed(t.Context(), colours, span, limit, maxBytes))(t) {
		m := f.get(t, text.ID)
		same(t, "text to embed", text, store.TextToEmbed{
			ID: m.ID, Version: m.Version, Write: text.Write, Title: m.Title, Content: m.Content,
		})
		out = append(out, text.Title)
	}
	return strings.Join(out, " ")
}

func (f *fixture) all(t *testing.T) string {
	t.Helper()
	return f.lacking(t, store.WriteSpan{}, 100, 1<<20)
}

// model gives what is counted of the colours.
func (f *fixture) model(t *testing.T) store.VectorModel {
	t.Helper()
	for _, m := range must(f.VectorModels(t.Context()))(t) {
		if m.Name == colours {
			return m
		}
	}
	t.Fatal("the model is not known")
	return store.VectorModel{}
}

// byColour searches by a vector.
func (f *fixture) byColour(t *testing.T, q store.KeywordQuery, unit []float32) *store.KeywordResult {
	t.Helper()
	q.Vectors = []store.QueryVector{{Model: colours, Unit: unit}}
	return f.keyword(t, q)
}

var vectorTests = map[string]func(t *testing.T, f *fixture){
	"what lacks one, last written first": func(t *testing.T, f *fixture) {
		a := f.save(t, note("a", "a", topic("k"))).ID
		gone := f.save(t, note("gone", "gone")).ID
		_ = must(f.DeleteMemory(t.Context(), ws, gone, f.now))(t)
		_ = must(f.SaveMemories(t.Context(), []*engram.Memory{note("c", "c"), note("d", "d")}, f.rule()))(t)
		same(t, "of an unknown model", f.lacking(t, store.WriteSpan{}, 100, 1<<20), "d c a")
		f.useModel(t, colours, 3)
		same(t, "at first", f.all(t), "d c a")
		same(t, "limit", f.lacking(t, store.WriteSpan{}, 2, 1<<20), "d c")
		same(t, "bytes", f.lacking(t, store.WriteSpan{}, 100, 3), "d c")
		same(t, "one at least", f.lacking(t, store.WriteSpan{}, 100, 1), "d")
		two := must(f.TextsToEmbed(t.Context(), colours, store.WriteSpan{Until: 1 << 40}, 1, 1<<20))(t)[0]
		same(t, "the rest of a write", f.lacking(t, store.WriteSpan{Until: two.Write, BelowID: two.ID}, 100, 1<<20), "c a")
		same(t, "after a write", f.lacking(t, store.WriteSpan{After: two.Write - 1}, 100, 1<<20), "d c")
		f.colour(t, a, red)
		same(t, "with one", f.all(t), "d c")
		f.save(t, note("a2", "a2", topic("k")))
		same(t, "another version is written last", f.all(t), "a2 d c")
		_ = must(f.RestoreMemory(t.Context(), ws, gone, f.now))(t)
		same(t, "restored", f.all(t), "gone a2 d c")
	},
	"of all workspaces": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a", inWorkspace("other"))).ID
		f.useModel(t, colours, 3)
		same(t, "texts", len(must(f.TextsToEmbed(t.Context(), colours, store.WriteSpan{Until: 1 << 40}, 9, 9))(t)), 1)
		same(t, "saved", must(f.SaveVectors(t.Context(), colours, []store.TextVector{{ID: id, Version: 1, Units: [][]float32{red}}}))(t), 1)
		same(t, "have", f.model(t).Have, 1)
		same(t, "found here", len(f.byColour(t, store.KeywordQuery{}, red).Hits), 0)
		same(t, "found there", len(f.byColour(t, store.KeywordQuery{Filter: store.Filter{Workspace: "other"}}, red).Hits), 1)
	},
	"of a version that is not current": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a", topic("k"))).ID
		f.useModel(t, colours, 3)
		f.save(t, note("a2", "a2", topic("k")))
		gone := f.save(t, note("gone", "gone")).ID
		_ = must(f.DeleteMemory(t.Context(), ws, gone, f.now))(t)
		n := must(f.SaveVectors(t.Context(), colours, []store.TextVector{
			{ID: id, Version: 1, Units: [][]float32{red}},
			{ID: gone, Version: 1, Units: [][]float32{red}},
			{ID: 1 << 40, Version: 1, Units: [][]float32{red}},
			{ID: id, Version: 2, Units: [][]float32{blue}},
		}))(t)
		same(t, "saved", n, 1)
		same(t, "left", f.all(t), "")
		same(t, "rows", f.model(t).Rows, 1)
	},
	"dimensions and models that are not known": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a")).ID
		_, err := f.SaveVectors(t.Context(), colours, []store.TextVector{{ID: id, Version: 1, Units: [][]float32{red}}})
		wantKind(t, "unknown model", err, engram.ErrNotFound)
		f.useModel(t, colours, 3)
		f.useModel(t, colours, 3)
		_, err = f.SaveVectors(t.Context(), colours, []store.TextVector{{ID: id, Version: 1, Units: [][]float32{red}}, {ID: id, Version: 1, Units: [][]float32{{1, 0}}}})
		wantKind(t, "another dimension", err, engram.ErrConflict)
		same(t, "code", engram.ErrorCode(err), "vector_dimension")
		same(t, "all or nothing", f.all(t), "a")
		wantKind(t, "the model's", f.UseVectorModel(t.Context(), store.VectorModel{Name: colours, Dim: 4}, f.now), engram.ErrConflict)
		same(t, "stays", f.model(t).Dim, 3)
	},
	"counts": func(t *testing.T, f *fixture) {
		var ids []int64
		for i := range 5 {
			ids = append(ids, f.save(t, note(fmt.Sprint("n", i), fmt.Sprint("text ", i))).ID)
		}
		f.useModel(t, "older@2", 2)
		f.tick(time.Second)
		f.useModel(t, colours, 3)
		f.colour(t, ids[0], red)
		_ = must(f.SaveVectors(t.Context(), colours, []store.TextVector{
			{ID: ids[1], Version: 1, Failed: "too long"}, {ID: ids[2], Version: 1},
		}))(t)
		_ = must(f.UpdateMemory(t.Context(), ws, ids[0], store.Patch{Content: ptr("other")}, f.now))(t)
		same(t, "counts", must(f.VectorModels(t.Context()))(t), []store.VectorModel{
			{Name: colours, Dim: 3, Recipe: "by hand", UsedAt: f.now, Have: 1, Lack: 3, Failed: 1, Rows: 3},
			{Name: "older@2", Dim: 2, Recipe: "by hand", UsedAt: f.now.Add(-time.Second), Lack: 5},
		})
		same(t, "retried", must(f.RetryVectors(t.Context(), colours))(t), 1)
		same(t, "lacks again", f.all(t), "n0 n4 n3 n1")
		last := must(f.LastWrite(t.Context()))(t)
		for _, id := range []int64{ids[0], ids[1], ids[3], ids[4]} {
			f.colour(t, id, red)
		}
		ok(t, f.VectorsDone(t.Context(), colours, last))
		ok(t, f.VectorsDone(t.Context(), colours, last-1))
		f.save(t, note("new", "new"))
		got := f.model(t)
		same(t, "done", []int{got.Have, got.Lack, got.Failed, int(got.Done)}, []int{5, 1, 0, int(last)})
	},
	"dropped with all": func(t *testing.T, f *fixture) {
		id := f.save(t, note("a", "a")).ID
		f.useModel(t, colours, 3)
		f.colour(t, id, red)
		same(t, "found", len(f.byColour(t, store.KeywordQuery{}, red).Hits), 1)
		same(t, "unknown", must(f.DropVectors(t.Context(), "unheard-of"))(t), 0)
		same(t, "dropped", must(f.DropVectors(t.Context(), colours))(t), 1)
		same(t, "models", len(must(f.VectorModels(t.Context()))(t)), 0)
		same(t, "found after", len(f.byColour(t, store.KeywordQuery{}, red).Hits), 0)
		f.useModel(t, colours, 3)
		same(t, "lacks", f.all(t), "a")
	},
	"found by them": func(t *testing.T, f *fixture) {
		f.useModel(t, colours, 3)
		for i, title := range []string{"rose", "leaf", "sky"} {
			f.colour(t, f.save(t, note(title, "about the "+title)).ID, [][]float32{red, green, blue}[i])
		}
		f.save(t, note("late", "it has no vector yet"))
		r := f.byColour(t, store.KeywordQuery{}, []float32{.1, 1, .2})
		var order []string
		for _, h := range byNearness(t, r) {
			order = append(order, f.get(t, h.ID).Title)
		}
		same(t, "nearest first", order, []string{"leaf", "sky", "rose"})
		same(t, "limit", f.found(t, f.byColour(t, store.KeywordQuery{Limit: 1}, blue)), "sky")
		r = f.keyword(t, store.KeywordQuery{Vectors: append(meaning("heaven"), store.QueryVector{Model: colours, Unit: blue})}, "late", "sky")
		for _, h := range r.Hits {
			late := f.get(t, h.ID).Title == "late"
			same(t, "cosines", []bool{h.Cosine[0] == store.NoCosine, h.Cosine[1] == store.NoCosine}, []bool{false, late})
			same(t, "a rank", h.Nearest[1] == 0, late)
		}
		same(t, "of another dimension", len(f.keyword(t, store.KeywordQuery{Vectors: []store.QueryVector{{Model: colours, Unit: []float32{1, 0}}}}).Hits), 0)
	},
	"of several passages": func(t *testing.T, f *fixture) {
		f.useModel(t, colours, 3)
		flag := f.save(t, note("flag", "red and green")).ID
		sea := f.save(t, note("sea", "blue, and nearly green")).ID
		none := f.save(t, note("none", "it says nothing")).ID
		f.colour(t, flag, red, green)
		f.colour(t, sea, blue, []float32{0, 1, 1}, nil, []float32{0, 0, 0})
		f.colour(t, none)
		same(t, "nothing lacks them", f.all(t), "")
		same(t, "have", f.model(t).Have, 3)
		r := f.byColour(t, store.KeywordQuery{}, green)
		same(t, "each once", len(r.Hits), 2)
		near := byNearness(t, r)
		same(t, "nearest first", []int64{near[0].ID, near[1].ID}, []int64{flag, sea})
		same(t, "by the nearest passage", []bool{near[0].Cosine[0] > .99, near[1].Cosine[0] > .69, near[1].Cosine[0] < .72}, []bool{true, true, true})
		same(t, "limit", f.found(t, f.byColour(t, store.KeywordQuery{Limit: 1}, red)), "flag")
		same(t, "another limit", len(f.byColour(t, store.KeywordQuery{Limit: 2}, red).Hits), 2)
		f.colour(t, flag, blue)
		same(t, "fewer", f.byColour(t, store.KeywordQuery{}, blue).Hits[0].Cosine[0] > .99, true)
		r = f.byColour(t, store.KeywordQuery{}, red)
		same(t, "the old ones are gone", byNearness(t, r)[0].Cosine[0] < .1, true)
		f.colour(t, flag, blue, green, red)
		near = byNearness(t, f.byColour(t, store.KeywordQuery{}, red))
		same(t, "more", []bool{near[0].ID == flag, near[0].Cosine[0] > .99}, []bool{true, true})
		_, err := f.SaveVectors(t.Context(), colours, []store.TextVector{{ID: sea, Version: 1, Units: [][]float32{red, {1, 0}}}})
		wantKind(t, "one of another dimension", err, engram.ErrConflict)
		_ = must(f.EraseMemory(t.Context(), ws, flag, f.now))(t)
		same(t, "erased", f.found(t, f.byColour(t, store.KeywordQuery{}, red)), "sea")
	},
	"filter, versions, deletions, erasures": func(t *testing.T, f *fixture) {
		f.useModel(t, colours, 3)
		id := f.save(t, note("a", "old", topic("k"))).ID
		f.colour(t, id, red)
		then := f.now
		far := f.save(t, note("far", "far", project("office"))).ID
		f.colour(t, far, blue)
		same(t, "the filter is before the limit",
			f.found(t, f.byColour(t, store.KeywordQuery{Limit: 1, Filter: store.Filter{Projects: []string{"office"}}}, red)), "far")
		f.tick(time.Hour)
		f.save(t, note("a2", "new", topic("k")))
		same(t, "a new version lacks it", f.found(t, f.byColour(t, store.KeywordQuery{}, red)), "far")
		asOf := store.KeywordQuery{Filter: store.Filter{AsOf: then}}
		same(t, "as of then", len(f.byColour(t, asOf, red).Hits), 2)
		f.colour(t, id, green)
		r := f.byColour(t, store.KeywordQuery{Limit: 1}, green)
		same(t, "the new version's", f.found(t, r), "a2")
		f.colour(t, id, blue)
		same(t, "written over", f.byColour(t, store.KeywordQuery{}, green).Hits[0].Cosine[0] < .5, true)
		_ = must(f.DeleteMemory(t.Context(), ws, far, f.now))(t)
		same(t, "deleted", f.found(t, f.byColour(t, store.KeywordQuery{}, blue)), "a2")
		_ = must(f.RestoreMemory(t.Context(), ws, far, f.now))(t)
		same(t, "restored", len(f.byColour(t, store.KeywordQuery{}, blue).Hits), 2)
		_ = must(f.EraseMemory(t.Context(), ws, id, f.now))(t)
		same(t, "erased", f.found(t, f.byColour(t, store.KeywordQuery{}, blue)), "far")
		same(t, "its rows", f.model(t).Rows, 1)
	},
	"in another process": func(t *testing.T, f *fixture) {
		a, b := f.pair(t)
		one, two := &fixture{Store: a, now: f.now}, &fixture{Store: b, now: f.now}
		one.useModel(t, colours, 3)
		id := one.save(t, note("a", "a")).ID
		same(t, "before", len(two.byColour(t, store.KeywordQuery{}, red).Hits), 0)
		one.colour(t, id, red)
		same(t, "after", len(two.byColour(t, store.KeywordQuery{}, red).Hits), 1)
		two.colour(t, id, blue)
		same(t, "written over", one.byColour(t, store.KeywordQuery{}, red).Hits[0].Cosine[0] < .5, true)
		_ = must(two.DropVectors(t.Context(), colours))(t)
		same(t, "dropped", len(one.byColour(t, store.KeywordQuery{}, red).Hits), 0)
		two.useModel(t, colours, 3)
		two.colour(t, id, red)
		same(t, "made again", len(one.byColour(t, store.KeywordQuery{}, red).Hits), 1)
		_ = must(two.EraseMemory(t.Context(), ws, id, f.now))(t)
		same(t, "erased", len(one.byColour(t, store.KeywordQuery{}, red).Hits), 0)
	},
	"an import that numbers versions anew": func(t *testing.T, f *fixture) {
		f.useModel(t, colours, 3)
		m := note("a", "a")
		f.save(t, m)
		f.colour(t, m.ID, red)
		closed := *m
		closed.Content, closed.InvalidatedAt = "older", f.now
		_ = must(f.Import(t.Context(), ws, store.Batch{Versions: []*engram.Memory{&closed}}, f.now))(t)
		same(t, "version", f.get(t, m.ID).Version, 2)
		same(t, "lacks", f.all(t), "a")
		same(t, "found", len(f.byColour(t, store.KeywordQuery{Filter: store.Filter{AsOf: f.now}}, red).Hits), 0)
	},
}
