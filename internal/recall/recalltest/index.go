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
	"engram/internal/embed"
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
	tokens   []uint16
	unit     []float32 // nil = has no vector
	traits   text.Traits
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
	d := &document{m: m, traits: text.TraitsOf(m.Content), tf: make(map[string]float32, len(doc.Terms)), len: doc.Len}
	for i, t := range doc.Terms {
		d.tf[t] = float32(doc.TF[i])
		x.df[t]++
		x.postings[t] = append(x.postings[t], d)
	}
	x.total += doc.Len
	table := embed.Static()
	d.tokens = table.Tokens(nil, textOf(m))
	d.unit, _ = table.TokensVector(d.tokens)
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
	s := &search{index: x, q: q, r: r, hits: map[*document]*scored{}, sessions: map[string]int{}}
	s.byWords()
	s.widen()
	s.byMeaning()
	s.fill()
	return r, nil
}

// search is one question under way.
type search struct {
	index    *Index
	q        store.KeywordQuery
	r        *store.KeywordResult
	hits     map[*document]*scored
	sessions map[string]int
}

type scored struct {
	d       *document
	score   float64
	nearest []int
}

func (s *search) add(d *document) *scored {
	if s.hits[d] == nil {
		s.hits[d] = &scored{d: d, score: s.index.bm25(d, s.q.Terms, s.r), nearest: make([]int, len(s.q.Vectors))}
	}
	return s.hits[d]
}

// sorted gives the hits so far, best first.
func (s *search) sorted() []*scored {
	out := make([]*scored, 0, len(s.hits))
	for _, h := range s.hits {
		out = append(out, h)
	}
	slices.SortFunc(out, func(a, b *scored) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.d.m.ID, a.d.m.ID))
	})
	return out
}

func (s *search) byWords() {
	for _, t := range s.q.Terms {
		if t.Weight == 0 {
			continue
		}
		for _, d := range s.index.postings[t.Text] {
			if passes(s.q.Filter, d.m) {
				s.add(d)
			}
		}
	}
	for i, h := range s.sorted() {
		if i >= s.q.Limit {
			delete(s.hits, h.d)
		}
	}
}

func (s *search) widen() {
	for _, h := range s.sorted() {
		for _, n := range s.index.around(h.d, s.q.Widen) {
			if passes(s.q.Filter, n.d.m) {
				s.add(n.d)
			}
		}
	}
}

func (s *search) byMeaning() {
	for i, v := range s.q.Vectors {
		type near struct {
			d      *document
			cosine float32
		}
		var all []near
		for _, d := range s.index.docs {
			if c := cosine(v, d); c != store.NoCosine && passes(s.q.Filter, d.m) {
				all = append(all, near{d, c})
			}
		}
		slices.SortFunc(all, func(a, b near) int {
			return cmp.Or(cmp.Compare(b.cosine, a.cosine), cmp.Compare(b.d.m.ID, a.d.m.ID))
		})
		for rank, n := range all[:min(s.q.Limit, len(all))] {
			s.add(n.d).nearest[i] = rank + 1
		}
	}
}

// fill writes down what is known of each hit.
func (s *search) fill() {
	for _, h := range s.sorted() {
		d := h.d
		hit := store.KeywordHit{
			ID: d.m.ID, Score: h.score, Len: d.len, TF: d.frequencies(s.q.Terms), Turn: d.m.IsTurn(), OccurredAt: d.m.OccurredAt,
			Cosine: s.cosines(d), Nearest: h.nearest, Tokens: d.tokens, Speaker: d.m.Speaker, Assistant: d.m.Role == "assistant",
			Traits: d.traits,
		}
		if d.m.Session != "" {
			key := d.m.Workspace + "\x00" + d.m.Session
			if s.sessions[key] == 0 {
				s.sessions[key] = len(s.sessions) + 1
			}
			hit.Session = s.sessions[key]
		}
		for _, n := range s.index.around(d, s.q.Neighbours) {
			hit.Neighbours = append(hit.Neighbours, store.KeywordNeighbour{
				ID: n.d.m.ID, Distance: n.distance, Len: n.d.len, TF: n.d.frequencies(s.q.Terms),
				Cosine: s.cosines(n.d), Tokens: n.d.tokens, Traits: n.d.traits,
			})
		}
		s.r.Hits = append(s.r.Hits, hit)
	}
}

func (s *search) cosines(d *document) []float32 {
	out := make([]float32, len(s.q.Vectors))
	for i, v := range s.q.Vectors {
		out[i] = cosine(v, d)
	}
	return out
}

// cosine compares a question with a memory, which has a vector of the built-in
// model only.
func cosine(v store.QueryVector, d *document) float32 {
	if d.unit == nil || v.Model != embed.Static().Model() {
		return store.NoCosine
	}
	var sum float32
	for i, x := range v.Unit {
		sum += x * d.unit[i]
	}
	return sum
}

// textOf is what of a memory has a meaning.
func textOf(m *engram.Memory) string {
	if m.Title == "" || m.Title == text.Title("", m.Content) {
		return m.Content
	}
	return m.Title + "\n" + m.Content
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
