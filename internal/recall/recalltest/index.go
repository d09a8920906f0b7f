// Package recalltest holds an exhaustive searcher for tests and experiments:
// plain maps, every document that has a term is scored, nothing clever.
// What it answers is by definition what an engine's index should answer. It
// knows current versions only: as-of is the engines' own affair.
package recalltest

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"time"

	"engram"
	"engram/internal/recall"
	"engram/internal/store"
	"engram/internal/text"
)

// BM25's parameters, as store.Searcher fixes them.
const (
	k1 = 1.2
	b  = 0.75
)

// Index is a [store.Searcher] over memories that are given to Add.
type Index struct {
	docs     []*document
	df       map[string]int
	total    int // terms in all documents
	sessions map[string][]*document
	postings map[string][]*document
}

type document struct {
	m        *engram.Memory
	tf       map[string]float32
	len      int
	position int // in its session
}

// NewIndex returns an empty index.
func NewIndex() *Index {
	return &Index{df: map[string]int{}, sessions: map[string][]*document{}, postings: map[string][]*document{}}
}

// Add puts m into the index by its analysed text. Memories of a session are
// added in the order of time.
func (x *Index) Add(m *engram.Memory, doc text.Doc) {
	d := &document{m: m, tf: make(map[string]float32, len(doc.Terms)), len: doc.Len}
	for i, t := range doc.Terms {
		d.tf[t] = float32(doc.TF[i])
		x.df[t]++
		x.postings[t] = append(x.postings[t], d)
	}
	x.total += doc.Len
	x.docs = append(x.docs, d)
	if m.Session != "" && m.IsTurn() {
		key := m.Workspace + "\x00" + m.Session
		d.position = len(x.sessions[key])
		x.sessions[key] = append(x.sessions[key], d)
	}
}

// Keyword implements [store.Searcher].
func (x *Index) Keyword(_ context.Context, q store.KeywordQuery) (*store.KeywordResult, error) {
	r := &store.KeywordResult{DF: make([]int, len(q.Terms)), Docs: len(x.docs)}
	if len(x.docs) == 0 {
		return r, nil
	}
	r.AvgLen = float64(x.total) / float64(len(x.docs))
	for i, t := range q.Terms {
		r.DF[i] = x.df[t.Text]
	}
	found := map[*document]bool{}
	type scored struct {
		d     *document
		score float64
	}
	var hits []scored
	for _, t := range q.Terms {
		if t.Weight == 0 {
			continue
		}
		for _, d := range x.postings[t.Text] {
			if !found[d] && passes(q.Filter, d.m) {
				found[d] = true
				hits = append(hits, scored{d, x.bm25(d, q.Terms, r)})
			}
		}
	}
	clear(found)
	slices.SortFunc(hits, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.d.m.ID, a.d.m.ID))
	})
	hits = hits[:min(q.Limit, len(hits))]
	for _, h := range hits {
		found[h.d] = true
	}
	for _, h := range slices.Clone(hits) {
		for _, n := range x.around(h.d, q.Widen) {
			if !found[n.d] && passes(q.Filter, n.d.m) {
				found[n.d] = true
				hits = append(hits, scored{n.d, x.bm25(n.d, q.Terms, r)})
			}
		}
	}
	slices.SortFunc(hits, func(a, b scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.d.m.ID, a.d.m.ID))
	})
	for _, h := range hits {
		hit := store.KeywordHit{
			ID: h.d.m.ID, Score: h.score, Len: h.d.len, TF: h.d.frequencies(q.Terms),
			Turn: h.d.m.IsTurn(), OccurredAt: h.d.m.OccurredAt,
		}
		for _, n := range x.around(h.d, q.Neighbours) {
			hit.Neighbours = append(hit.Neighbours, store.KeywordNeighbour{
				ID: n.d.m.ID, Distance: n.distance, Len: n.d.len, TF: n.d.frequencies(q.Terms),
			})
		}
		r.Hits = append(r.Hits, hit)
	}
	return r, nil
}

func (x *Index) bm25(d *document, terms []store.Term, r *store.KeywordResult) float64 {
	var sum float64
	for i, t := range terms {
		tf := float64(d.tf[t.Text])
		if tf == 0 {
			continue
		}
		df := float64(r.DF[i])
		idf := math.Log(1 + (float64(r.Docs)-df+.5)/(df+.5))
		sum += t.Weight * idf * tf * (k1 + 1) / (tf + k1*(1-b+b*float64(d.len)/r.AvgLen))
	}
	return sum
}

type neighbour struct {
	d        *document
	distance int
}

// around gives the turns beside d, nearest first, the earlier one first.
func (x *Index) around(d *document, n int) []neighbour {
	if d.m.Session == "" || !d.m.IsTurn() {
		return nil
	}
	session := x.sessions[d.m.Workspace+"\x00"+d.m.Session]
	var out []neighbour
	for i := 1; i <= n; i++ {
		for _, distance := range []int{-i, i} {
			if p := d.position + distance; p >= 0 && p < len(session) {
				out = append(out, neighbour{session[p], distance})
			}
		}
	}
	return out
}

func (d *document) frequencies(terms []store.Term) []float32 {
	tf := make([]float32, len(terms))
	for i, t := range terms {
		tf[i] = d.tf[t.Text]
	}
	return tf
}

func passes(f store.Filter, m *engram.Memory) bool {
	inProject := len(f.Projects) == 0 || slices.Contains(f.Projects, m.Project) || f.Global && m.Scope == engram.ScopeGlobal
	return m.Workspace == f.Workspace && inProject && !m.Deleted() &&
		(len(f.Scopes) == 0 || slices.Contains(f.Scopes, m.Scope)) &&
		(len(f.Types) == 0 || slices.Contains(f.Types, m.Type))
}

// InWindow implements [store.Searcher].
func (x *Index) InWindow(_ context.Context, f store.Filter, from, to time.Time, oldest bool, limit int) ([]int64, error) {
	var in []*engram.Memory
	for _, d := range x.docs {
		t := d.m.OccurredAt
		if passes(f, d.m) && (from.IsZero() || !t.Before(from)) && (to.IsZero() || t.Before(to)) {
			in = append(in, d.m)
		}
	}
	slices.SortFunc(in, func(a, b *engram.Memory) int {
		c := cmp.Or(a.OccurredAt.Compare(b.OccurredAt), cmp.Compare(a.ID, b.ID))
		if oldest {
			return c
		}
		return -c
	})
	ids := make([]int64, 0, min(limit, len(in)))
	for _, m := range in[:min(limit, len(in))] {
		ids = append(ids, m.ID)
	}
	return ids, nil
}

// SimilarTerms implements [store.Searcher].
func (x *Index) SimilarTerms(_ context.Context, word string, limit int) ([]string, error) {
	most := 1
	if len([]rune(word)) >= 8 {
		most = 2
	}
	return x.terms(limit, func(t string) bool { return t != word && recall.Distance(word, t) <= most }), nil
}

// PrefixTerms implements [store.Searcher].
func (x *Index) PrefixTerms(_ context.Context, prefix string, limit int) ([]string, error) {
	return x.terms(limit, func(t string) bool { return strings.HasPrefix(t, prefix) }), nil
}

func (x *Index) terms(limit int, want func(string) bool) []string {
	var out []string
	for t := range x.df {
		if want(t) {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b string) int { return cmp.Or(cmp.Compare(x.df[b], x.df[a]), cmp.Compare(a, b)) })
	return out[:min(limit, len(out))]
}
