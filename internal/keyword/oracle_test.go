package keyword

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"engram/internal/text"
	"engram/internal/vector"
)

// testRules are of documents whose terms and vectors are made up.
var testRules = Rules{Analysis: 1, Space: vector.Space{Model: "test", Dim: 64}}

// oracle answers by looking at every document: what the index must answer.
type oracle struct {
	docs map[docKey]*Document
}

func (o *oracle) live(d *Document) bool { return !d.Closed && d.DeletedAt == 0 }

func (o *oracle) passes(f Filter, d *Document) bool {
	in := func(list []string, v string) bool { return len(list) == 0 || slices.Contains(list, v) }
	project := in(f.Projects, d.Project) || f.Global && d.Scope == "global"
	if d.Workspace != f.Workspace || !project || !in(f.Scopes, d.Scope) || !in(f.Types, d.Type) || !in(f.Kinds, d.Kind) ||
		slices.Contains(f.NotTypes, d.Type) || f.Session != "" && f.Session != d.Session ||
		f.Since.Set && d.OccurredAt < f.Since.At || f.Until.Set && d.OccurredAt >= f.Until.At ||
		f.Pinned && !d.Pinned || f.OpenTasks && !d.OpenTask {
		return false
	}
	deleted := d.DeletedAt != 0
	if !f.AsOf.Set {
		if d.Closed {
			return false
		}
	} else {
		if d.RecordedAt > f.AsOf.At || d.CreatedAt > f.AsOf.At || d.InvalidatedAt != 0 && d.InvalidatedAt <= f.AsOf.At {
			return false
		}
	}
	switch f.Deleted {
	case WithDeleted:
		return true
	case OnlyDeleted:
		return deleted
	}
	return !deleted
}

func (d *Document) tf(term string) float32 {
	if i := slices.Index(d.Terms, term); i >= 0 {
		return float32(d.TF[i])
	}
	return 0
}

func (d *Document) frequencies(terms []Term) []float32 {
	out := make([]float32, len(terms))
	for i, t := range terms {
		out[i] = d.tf(t.Text)
	}
	return out
}

// alike compares cosines of vectors with those of their codes.
var alike = gocmp.Options{
	cmpopts.EquateEmpty(),
	gocmp.Comparer(func(x, y float32) bool { return math.Abs(float64(x-y)) < 0.01 }),
}

func (d *Document) cosines(q Query) []float32 {
	var out []float32
	for _, v := range q.Vectors {
		if d.Vector == nil || v.Model != testRules.Space.Model {
			out = append(out, NoCosine)
			continue
		}
		var dot, x, y float64
		for i := range v.Unit {
			a, b := float64(v.Unit[i]), float64(d.Vector[i])
			dot, x, y = dot+a*b, x+a*a, y+b*b
		}
		out = append(out, float32(dot/math.Sqrt(x*y)))
	}
	return out
}

// checkNearest looks whether those that are ranked are the nearest of all that
// pass the filter.
func (o *oracle) checkNearest(t *testing.T, q Query, got *Result) {
	t.Helper()
	for i, v := range q.Vectors {
		var all []float32
		if v.Model == testRules.Space.Model {
			for _, d := range o.docs {
				if o.passes(q.Filter, d) && d.Vector != nil {
					all = append(all, d.cosines(q)[i])
				}
			}
		}
		slices.SortFunc(all, func(x, y float32) int { return cmp.Compare(y, x) })
		all = all[:min(len(all), q.Limit)]
		ranked := make([]*Hit, len(all))
		for j := range got.Hits {
			h := &got.Hits[j]
			switch rank := h.Nearest[i]; {
			case rank > len(all) || rank > 0 && ranked[rank-1] != nil:
				t.Fatalf("memory %d has rank %d of %d, or another one has it", h.ID, rank, len(all))
			case rank > 0:
				ranked[rank-1] = h
			}
		}
		for rank, h := range ranked {
			if h == nil {
				t.Fatalf("no memory has rank %d of %d", rank+1, len(all))
			}
			if p := ranked[max(rank-1, 0)]; p.Cosine[i] < h.Cosine[i] || p.Cosine[i] == h.Cosine[i] && p.ID < h.ID {
				t.Fatalf("rank %d has memory %d with %v behind %d with %v", rank+1, h.ID, h.Cosine[i], p.ID, p.Cosine[i])
			}
			if len(o.docs) <= compared && !gocmp.Equal(all[rank], h.Cosine[i], alike...) {
				t.Fatalf("rank %d has cosine %v, want %v", rank+1, h.Cosine[i], all[rank])
			}
		}
	}
}

func (o *oracle) stats(terms []Term) (r Result) {
	r.DF = make([]int, len(terms))
	sum := 0
	for _, d := range o.docs {
		if !o.live(d) {
			continue
		}
		r.Docs++
		sum += d.Len
		for i, t := range terms {
			if d.tf(t.Text) > 0 {
				r.DF[i]++
			}
		}
	}
	if r.Docs > 0 {
		r.AvgLen = float64(sum) / float64(r.Docs)
	}
	return r
}

func (o *oracle) score(d *Document, terms []Term, r Result) float64 {
	sum := 0.0
	for i, t := range terms {
		if tf := float64(d.tf(t.Text)); tf > 0 {
			df := float64(r.DF[i])
			idf := math.Log(1 + (max(float64(r.Docs), df)-df+.5)/(df+.5))
			sum += t.Weight * idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(d.Len)/max(1, r.AvgLen)))
		}
	}
	return sum
}

func (o *oracle) around(f Filter, d *Document, n int) []Neighbour {
	if !d.Turn || d.Session == "" {
		return nil
	}
	var turns []*Document
	for _, t := range o.docs {
		if t.Turn && t.Workspace == d.Workspace && t.Session == d.Session && (t == d || o.passes(f, t)) {
			turns = append(turns, t)
		}
	}
	slices.SortFunc(turns, func(x, y *Document) int {
		return cmp.Or(cmp.Compare(x.OccurredAt, y.OccurredAt), cmp.Compare(x.ID, y.ID), cmp.Compare(x.Version, y.Version))
	})
	at := slices.Index(turns, d)
	var out []Neighbour
	for i := 1; i <= n; i++ {
		for _, distance := range []int{-i, i} {
			if p := at + distance; p >= 0 && p < len(turns) {
				out = append(out, Neighbour{
					ID: turns[p].ID, Distance: distance, Len: turns[p].Len, Tokens: turns[p].Tokens, Traits: text.Traits(turns[p].Traits),
				})
			}
		}
	}
	return out
}

// found gives the document of a filter that has an id: at most one version of a
// memory passes.
func (o *oracle) found(f Filter, id int64) *Document {
	for _, d := range o.docs {
		if d.ID == id && o.passes(f, d) {
			return d
		}
	}
	return nil
}

// check compares a search's result with what looking at everything gives.
func (o *oracle) check(t *testing.T, x *Index, q Query) {
	t.Helper()
	got := x.Search(q)
	want := o.stats(q.Terms)
	for i := range want.DF {
		// A word that no current version has is a rare one where older versions are
		// searched; erased ones may still count until their segment is rewritten.
		if q.Filter.AsOf.Set && want.DF[i] == 0 && got.DF[i] == 1 {
			want.DF[i] = 1
		}
	}
	if diff := gocmp.Diff(want.DF, got.DF); diff != "" || want.Docs != got.Docs || math.Abs(want.AvgLen-got.AvgLen) > 1e-9 {
		t.Fatalf("statistics: docs %d, want %d; mean length %v, want %v; df (-want +got):\n%s",
			got.Docs, want.Docs, got.AvgLen, want.AvgLen, diff)
	}
	scores := map[int64]float64{}
	for _, d := range o.docs {
		if o.passes(q.Filter, d) {
			if s := o.score(d, q.Terms, want); s > 0 {
				scores[d.ID] = s
			}
		}
	}
	o.checkHits(t, q, got, scores, want)
	if q.Widen > 0 {
		o.checkWidened(t, x, q, got)
	}
}

const tolerance = 2e-5

func (o *oracle) checkHits(t *testing.T, q Query, got *Result, scores map[int64]float64, stats Result) {
	t.Helper()
	seen := map[int64]bool{}
	for i, h := range got.Hits {
		d := o.found(q.Filter, h.ID)
		if d == nil || seen[h.ID] {
			t.Fatalf("hit %d: memory %d does not pass the filter, or comes twice", i, h.ID)
		}
		seen[h.ID] = true
		if s := o.score(d, q.Terms, stats); math.Abs(s-h.Score) > tolerance*max(1, s) {
			t.Fatalf("hit %d: memory %d has score %v, want %v", i, h.ID, h.Score, s)
		}
		if i > 0 {
			if p := got.Hits[i-1]; p.Score < h.Score || p.Score == h.Score && p.ID < h.ID {
				t.Fatalf("hit %d (%d, %v) is not worse than the one before (%d, %v)", i, h.ID, h.Score, p.ID, p.Score)
			}
		}
		if diff := gocmp.Diff(d.frequencies(q.Terms), h.TF); diff != "" || h.Len != d.Len || h.Turn != d.Turn || h.OccurredAt != d.OccurredAt {
			t.Fatalf("hit %d: memory %d: len %d, want %d; tf (-want +got):\n%s", i, h.ID, h.Len, d.Len, diff)
		}
		if diff := gocmp.Diff(d.cosines(q), h.Cosine, alike...); diff != "" || !slices.Equal(d.Tokens, h.Tokens) ||
			d.Traits != h.Traits || d.Speaker != h.Speaker || d.Assistant != h.Assistant || (d.Session == "") != (h.Session == 0) {
			t.Fatalf("hit %d: memory %+v is %+v; cosines (-want +got):\n%s", i, d, h, diff)
		}
		o.checkNeighbours(t, q, d, h)
	}
	o.checkNearest(t, q, got)
	if len(q.Vectors) > 0 {
		found := got.Hits
		got = &Result{}
		for _, h := range found {
			if h.Score > 0 && len(got.Hits) < q.Limit {
				got.Hits = append(got.Hits, h)
			}
		}
	}
	if q.Widen > 0 {
		return
	}
	if n := min(q.Limit, len(scores)); len(got.Hits) != n {
		t.Fatalf("%d hits, want %d", len(got.Hits), n)
	}
	for id, s := range scores {
		if !seen[id] && s > got.Hits[len(got.Hits)-1].Score+tolerance*max(1, s) {
			t.Fatalf("memory %d with score %v is missing; the last hit has %v", id, s, got.Hits[len(got.Hits)-1].Score)
		}
	}
}

func (o *oracle) checkNeighbours(t *testing.T, q Query, d *Document, h Hit) {
	t.Helper()
	want := o.around(q.Filter, d, q.Neighbours)
	for i := range want {
		n := o.found(q.Filter, want[i].ID)
		want[i].TF, want[i].Cosine = n.frequencies(q.Terms), n.cosines(q)
	}
	if len(want) != len(h.Neighbours) {
		t.Fatalf("memory %d has neighbours %v, want %v", h.ID, h.Neighbours, want)
	}
	if len(want) > 0 {
		if diff := gocmp.Diff(want, h.Neighbours, alike...); diff != "" {
			t.Fatalf("neighbours of %d (-want +got):\n%s", h.ID, diff)
		}
	}
}

// checkWidened looks whether the neighbours of what is found without widening,
// and no others, are hits.
func (o *oracle) checkWidened(t *testing.T, x *Index, q Query, got *Result) {
	t.Helper()
	narrow := q
	narrow.Widen = 0
	o.check(t, x, narrow)
	want := map[int64]bool{}
	hits := x.Search(narrow).Hits
	widens := map[int64]bool{} // the best by their words, and the nearest
	for i, h := range hits {
		best := h.Score > 0 && i < q.Limit
		for _, rank := range h.Nearest {
			best = best || rank > 0 && rank <= widenNearest
		}
		widens[h.ID] = best
	}
	for _, h := range hits {
		want[h.ID] = true
		if q.Vectors != nil && !widens[h.ID] {
			continue
		}
		for _, n := range o.around(q.Filter, o.found(q.Filter, h.ID), q.Widen) {
			want[n.ID] = true
		}
	}
	have := map[int64]bool{}
	for _, h := range got.Hits {
		have[h.ID] = true
	}
	if diff := gocmp.Diff(want, have); diff != "" {
		t.Fatalf("hits widened by %d (-want +got):\n%s", q.Widen, diff)
	}
}

// world is an index and the oracle, fed alike.
type world struct {
	r        *rand.Rand
	x        *Index
	o        *oracle
	next     int64
	now      int64
	vocab    int
	store    map[int64]*Stored
	storeNow int64
}

func newWorld(seed uint64, vocab int) *world {
	return &world{
		r: rand.New(rand.NewPCG(seed, 1)), x: New(testRules), o: &oracle{docs: map[docKey]*Document{}}, vocab: vocab, now: 1_000_000,
		store: map[int64]*Stored{},
	}
}

func (w *world) word() string {
	return fmt.Sprintf("w%d", int(float64(w.vocab)*math.Pow(w.r.Float64(), 4)))
}

func (w *world) text(d *Document) {
	n := 1 + w.r.IntN(30)
	if w.r.IntN(50) == 0 {
		n = 2000
	}
	d.Terms, d.TF, d.Len = nil, nil, n
	d.Traits, d.Tokens, d.Vector = uint16(w.r.UintN(1<<16)), nil, nil
	for range w.r.IntN(9) {
		d.Tokens = append(d.Tokens, uint16(w.r.UintN(1<<16)))
	}
	if w.r.IntN(10) > 0 {
		d.Vector = w.vector()
	}
	tf := map[string]int{}
	for range n {
		t := w.word()
		if tf[t]++; tf[t] == 1 {
			d.Terms = append(d.Terms, t)
		}
	}
	for _, t := range d.Terms {
		d.TF = append(d.TF, tf[t])
	}
}

func (w *world) vector() []float32 {
	v := make([]float32, testRules.Space.Dim)
	topic := rand.New(rand.NewPCG(w.r.Uint64N(10), 3))
	for i := range v {
		v[i] = float32(topic.NormFloat64() + w.r.NormFloat64())
	}
	return v
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func (w *world) fresh() Document {
	w.next++
	w.now += int64(w.r.IntN(3))
	d := Document{Meta: Meta{
		ID: w.next, Version: 1, Workspace: pick(w.r, "a", "a", "b"), Project: pick(w.r, "", "p1", "p2"),
		Type: pick(w.r, "note", "task", "turn"), Scope: pick(w.r, "project", "project", "global"), Kind: pick(w.r, "observation", "turn"),
		Session: pick(w.r, "", "s1", "s2", "s3"), Pinned: w.r.IntN(5) == 0, Turn: w.r.IntN(2) == 0,
		Speaker: pick(w.r, "", "ana", "ben"), Assistant: w.r.IntN(3) == 0,
		OpenTask: w.r.IntN(4) == 0, OccurredAt: w.now - int64(w.r.IntN(100)), RecordedAt: w.now, CreatedAt: w.now,
	}}
	w.text(&d)
	return d
}

// apply gives documents to both.
func (w *world) apply(t *testing.T, docs []Document, erased ...int64) {
	t.Helper()
	for i := range docs {
		d := docs[i]
		w.o.docs[docKey{d.ID, uint32(d.Version)}] = &d
		if !w.x.NeedsTerms(&d.Meta) {
			docs[i].Terms, docs[i].TF, docs[i].Vector, docs[i].Tokens = nil, nil, nil, nil
		}
	}
	for _, id := range erased {
		for k := range w.o.docs {
			if k.id == id {
				delete(w.o.docs, k)
			}
		}
	}
	for k, d := range w.o.docs {
		if current := w.current(k.id); d.Closed && current != nil {
			d.DeletedAt = current.DeletedAt
		}
	}
	if err := w.x.Apply(docs, erased); err != nil {
		t.Fatal(err)
	}
}

func (w *world) current(id int64) *Document {
	for v := uint32(1); ; v++ {
		d, ok := w.o.docs[docKey{id, v}]
		if !ok {
			return nil
		}
		if !d.Closed {
			return d
		}
	}
}

// step does something at random.
func (w *world) step(t *testing.T) {
	t.Helper()
	w.now++
	id := 1 + w.r.Int64N(max(1, w.next))
	d := w.current(id)
	switch n := w.r.IntN(20); {
	case n < 8 || d == nil:
		var docs []Document
		for range 1 + w.r.IntN(40) {
			docs = append(docs, w.fresh())
		}
		w.apply(t, docs)
	case n < 12: // a new version
		old, next := *d, *d
		old.Closed, old.InvalidatedAt, next.RecordedAt = true, w.now, w.now
		next.Version++
		w.text(&next)
		w.apply(t, []Document{old, next})
	case n < 14: // hidden, or shown again
		next := *d
		next.DeletedAt = w.now
		if d.DeletedAt != 0 {
			next.DeletedAt = 0
		}
		w.apply(t, []Document{next})
	case n < 15:
		next := *d
		next.Project, next.Pinned = "p3", !d.Pinned
		w.apply(t, []Document{next})
	case n < 16 && w.r.IntN(2) == 0: // an import brings another text for a version that is known
		old, next := *d, *d
		old.Closed, old.InvalidatedAt, next.RecordedAt = true, w.now, w.now
		next.Version++
		w.text(&old)
		w.apply(t, []Document{old, next})
	case n < 16:
		w.apply(t, nil, id, id+1)
	case n < 17:
		w.x.Compact(0)
	case n < 18:
		w.seal()
	default:
		w.restart(t)
	}
}

// seal stores what is new, as an engine does.
func (w *world) seal() {
	w.x.Compact(0)
	for _, c := range w.x.Changes() {
		for _, id := range c.Drop {
			delete(w.store, id)
		}
		if c.Insert != nil {
			w.storeNow++
			c.Insert.ID = w.storeNow
			w.store[w.storeNow] = c.Insert
		}
		if c.Update != nil {
			c.Update.Vectors = w.store[c.Update.ID].Vectors
			w.store[c.Update.ID] = c.Update
		}
		w.x.Confirm(c)
	}
}

// restart opens the stored segments in a new index.
func (w *world) restart(t *testing.T) {
	t.Helper()
	w.seal()
	w.x = New(testRules)
	for _, st := range w.store {
		if err := w.x.Load(st); err != nil {
			t.Fatal(err)
		}
	}
}

func (w *world) query() Query {
	q := Query{Filter: Filter{Workspace: pick(w.r, "a", "b", "none")}, Limit: pick(w.r, 1, 5, 20, 1_000_000), Neighbours: w.r.IntN(5)}
	for range 1 + w.r.IntN(8) {
		q.Terms = append(q.Terms, Term{Text: w.word(), Weight: pick(w.r, 1, 1, 0.5, 0)})
	}
	q.Terms = append(q.Terms, Term{Text: "unknown", Weight: 1})
	for range max(0, w.r.IntN(5)-2) {
		q.Vectors = append(q.Vectors, Vector{pick(w.r, testRules.Space.Model, testRules.Space.Model, "unknown"), w.vector()})
	}
	if w.r.IntN(10) == 0 {
		q.Terms = q.Terms[:0]
	}
	f := &q.Filter
	switch w.r.IntN(14) {
	case 0:
		f.Projects, f.Global = []string{"p1"}, w.r.IntN(2) == 0
	case 1:
		f.Types, f.NotTypes = []string{"note", "task"}, []string{"task"}
	case 2:
		f.Session = pick(w.r, "s1", "s2", "unknown")
	case 3:
		f.Since, f.Until = At(w.now-200), At(w.now-50)
	case 4:
		f.AsOf = At(1_000_000 + w.r.Int64N(w.now-1_000_000+1))
	case 5:
		f.Deleted = pick(w.r, WithDeleted, OnlyDeleted)
	case 6:
		f.Pinned = true
	case 7:
		f.OpenTasks, f.Scopes = true, []string{"project"}
	case 8:
		f.Kinds = []string{"turn"}
	case 9:
		q.Widen = 1 + w.r.IntN(4)
	case 10:
		f.AsOf = At(w.now - 20)
		f.Deleted = pick(w.r, WithDeleted, OnlyDeleted)
	}
	return q
}

func TestIndexAgainstOracle(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name         string
		vocab, steps int
	}{
		{"few words", 12, 60}, {"some words", 300, 120}, {"many words", 20_000, 60},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(4) {
				w := newWorld(seed, c.vocab)
				for range c.steps {
					w.step(t)
					w.x.sideBySide = w.r.IntN(2) * sideBySide
					q := w.query()
					w.o.check(t, w.x, q)
				}
			}
		})
	}
}

// A part is dense, packed and pruned only when it is large.
func TestLargeIndexAgainstOracle(t *testing.T) {
	t.Parallel()
	w := newWorld(7, 4000)
	for round := range 6 {
		var docs []Document
		for range 1500 {
			docs = append(docs, w.fresh())
		}
		w.apply(t, docs)
		if round != 3 {
			w.x.Compact(1000)
		}
		if round == 4 {
			w.restart(t)
		}
		for i := range 12 {
			w.x.sideBySide = i % 2 * sideBySide
			q := w.query()
			q.Neighbours = min(q.Neighbours, 1)
			q.Limit = min(q.Limit, 30)
			w.o.check(t, w.x, q)
		}
	}
}
