package keyword

import (
	"cmp"
	"math"
	"slices"
	"sync"

	"engram/internal/vector"
)

// Scores are sums of integers: a term's share is its BM25 times a scale that
// the query sets. So a sum does not depend on the order of adding, equal
// documents have equal scores wherever they are, and a bound is exact.
const scaleBits = 30 // all shares together stay below 1 << scaleBits

// search is one search at work. Its slices are used again by the next one.
type search struct {
	x       *Index
	q       *Query
	parts   []part
	match   matcher
	weight  []float32 // of each query term, scaled; 0 = not scored
	df      []int
	scale   float64
	meanLen float64
	norms   [1024]float32 // K of BM25 for short documents

	entries []entry // of each query term in each part; list and tail nil = not there

	lists  []list // of the terms that are scored, in the part at hand
	scored []scoredTerm
	sums   []uint32 // of each document of the part at hand
	block  block
	cands  []candidate
	docs   []uint16
	tfs    []uint16
	best   heap

	nearMatch matcher // as match: findNearest runs beside findBest
	byVector  vector.Nearest
	queries   []*spaceQuery   // of the query's vectors; without q = of a model that nothing has a vector of, without sp = the documents' own
	near      [][]vector.Near // of each of the query's vectors, best first

	gathering gathering
	spans     map[uint32][]span
	beside    []ref    // turns on one side of a document
	order     []uint64 // of what was gathered: refs with their places
}

// scoredTerm is a query term in the part at hand.
type scoredTerm struct {
	l      *list
	weight float32
	bound  uint32
}

type candidate struct {
	doc   uint16
	score uint32
}

// ref names a document: its part's place in the search, and its number there.
type ref uint32

func refOf(part int, d uint16) ref { return ref(part)<<16 | ref(d) }

func (r ref) part() int { return int(r >> 16) }

func (r ref) doc() uint16 { return uint16(r) }

func newScratch() *search {
	return &search{sums: make([]uint32, maxDocs), spans: map[uint32][]span{}}
}

// Search finds the best documents for a query.
func (x *Index) Search(q Query) *Result {
	s := x.scratch.Get().(*search)
	defer x.scratch.Put(s)
	x.mu.RLock()
	defer x.mu.RUnlock()
	s.begin(x, &q)
	defer s.end()
	r := &Result{DF: append(make([]int, 0, len(s.df)), s.df...), Docs: x.docs}
	if x.docs > 0 {
		r.AvgLen = float64(x.terms) / float64(x.docs)
	}
	if q.Limit > 0 && !s.match.never {
		s.find()
		r.Hits = s.hits()
	}
	return r
}

// sideBySide is from how many documents on it is worth it to look for the best by
// words and the nearest by vectors at the same time.
const sideBySide = 20_000

// find fills s.best and s.near.
func (s *search) find() {
	if len(s.q.Vectors) == 0 || s.x.docs < s.x.sideBySide {
		s.findBest()
		s.findNearest()
		return
	}
	var nearest sync.WaitGroup
	nearest.Go(s.findNearest)
	s.findBest()
	nearest.Wait()
}

func (s *search) begin(x *Index, q *Query) {
	s.x, s.q = x, q
	s.parts = append(s.parts[:0], x.tail)
	for _, seg := range slices.Backward(x.segments) {
		s.parts = append(s.parts, seg)
	}
	s.match.prepare(&q.Filter, x.names)
	s.nearMatch.prepare(&q.Filter, x.names)
	s.best.reset(max(q.Limit, 0))
	s.weigh()
}

func (s *search) end() {
	s.x, s.q = nil, nil
	s.match.end()
	s.nearMatch.end()
	s.byVector.Begin(nil, 0)
	s.queries, s.near = nil, nil
	s.gathering.freq, s.gathering.cosines = nil, nil // the result has them
	clear(s.parts)
	clear(s.lists)
	for i := range s.entries {
		s.entries[i] = entry{cursor: cursor{term: s.entries[i].cursor.term}}
	}
	clear(s.scored)
	clear(s.spans)
}

// weigh counts documents of each term and prepares BM25.
func (s *search) weigh() {
	s.df, s.weight = s.df[:0], s.weight[:0]
	var all float64
	idf := make([]float64, len(s.q.Terms))
	s.entries = slices.Grow(s.entries[:0], len(s.parts)*len(s.q.Terms))[:len(s.parts)*len(s.q.Terms)]
	for i, t := range s.q.Terms {
		df, known := 0, false
		for number, p := range s.parts {
			e := s.entry(number, i)
			e.list, e.tail = nil, nil
			if p.find(t.Text, e) {
				df += e.live
				known = true
			}
		}
		if df == 0 && known && s.q.Filter.AsOf.Set {
			df = 1 // only closed versions have it: a rare word, and not an unknown one
		}
		s.df = append(s.df, df)
		docs := float64(max(s.x.docs, df)) // all may be closed
		idf[i] = math.Log(1 + (docs-float64(df)+.5)/(float64(df)+.5))
		if t.Weight > 0 {
			all += t.Weight * idf[i] * (k1 + 1)
		}
	}
	s.scale = 1
	if all > 0 {
		// Half a term's share at most is lost by rounding up bounds.
		s.scale = math.Exp2(math.Floor(scaleBits - math.Log2(all)))
	}
	for i, t := range s.q.Terms {
		w := float32(0)
		if t.Weight > 0 {
			w = float32(t.Weight * idf[i] * (k1 + 1) * s.scale)
		}
		s.weight = append(s.weight, w)
	}
	s.meanLen = max(1, float64(s.x.terms)/float64(max(1, s.x.docs)))
	for i := range s.norms {
		s.norms[i] = s.norm(uint32(i))
	}
}

// entry is where a query term is in a part.
func (s *search) entry(part, term int) *entry { return &s.entries[part*len(s.q.Terms)+term] }

// open gives access to a query term's postings in a part.
func (s *search) open(part, term int, l *list) bool {
	e := s.entry(part, term)
	if e.list == nil && e.tail == nil {
		return false
	}
	s.parts[part].open(e, l)
	return true
}

func (s *search) norm(length uint32) float32 {
	return float32(k1 * (1 - b + b*float64(length)/s.meanLen))
}

// share is what a term adds to a document's score.
func (s *search) share(weight float32, tf uint16, length uint32) uint32 {
	var k float32
	if length < uint32(len(s.norms)) {
		k = s.norms[length]
	} else {
		k = s.norm(length)
	}
	f := float32(tf)
	return uint32(weight * (f / (f + k)))
}

// bound is what a term can add at most to a document of block i.
func (s *search) bound(t *scoredTerm, i int) uint32 {
	tf, length := t.l.bound(i)
	if tf >= maxCode {
		return uint32(t.weight) + 1
	}
	return s.share(t.weight, tf, length) + 1
}

// findBest fills s.best. Part by part, the terms that alone could lift a
// document among the best are added up for all their documents; the others
// only for documents that can still get there.
func (s *search) findBest() {
	for i, p := range s.parts {
		if p.cols().len() == 0 {
			continue
		}
		s.openTerms(i)
		if len(s.scored) > 0 {
			s.searchPart(i, p.cols())
		}
	}
}

// openTerms opens the query's terms in a part, least bound first.
func (s *search) openTerms(part int) {
	s.scored = s.scored[:0]
	s.lists = slices.Grow(s.lists[:0], len(s.q.Terms))[:len(s.q.Terms)]
	for i := range s.q.Terms {
		l := &s.lists[i]
		if s.weight[i] <= 0 || !s.open(part, i, l) {
			continue
		}
		st := scoredTerm{l: l, weight: s.weight[i]}
		for j := range l.count {
			st.bound = max(st.bound, s.bound(&st, j))
		}
		s.scored = append(s.scored, st)
	}
	slices.SortFunc(s.scored, func(a, b scoredTerm) int { return cmp.Compare(a.bound, b.bound) })
}

func (s *search) searchPart(number int, c *columns) {
	least := s.best.least()
	var optional uint32 // bound of what the terms before optionalTerms add
	optionalTerms := 0
	var all uint32
	for i := range s.scored {
		all += s.scored[i].bound
		if all < least {
			optional, optionalTerms = all, i+1
		}
	}
	if optionalTerms == len(s.scored) {
		return
	}
	for i := optionalTerms; i < len(s.scored); i++ {
		t := &s.scored[i]
		s.addUp(t, c, least, all-t.bound)
	}
	s.gather(c, least, optional)
	for i := optionalTerms - 1; i >= 0; i-- {
		t := &s.scored[i]
		s.addOptional(t, c, least, optional)
		optional -= t.bound
	}
	for _, k := range s.cands {
		s.best.offer(k.score, c.id[k.doc], refOf(number, k.doc))
	}
}

// addUp adds a term's share to all its documents, but in blocks that cannot
// reach least with all that the others add.
func (s *search) addUp(t *scoredTerm, c *columns, least, others uint32) {
	sums, length := s.sums, c.length
	for i := range t.l.count {
		if least > 0 && s.bound(t, i)+others < least {
			continue
		}
		t.l.decode(i, &s.block)
		tfs := s.block.tfs[:len(s.block.docs)]
		for j, d := range s.block.docs {
			sums[d] += s.share(t.weight, tfs[j], length[d])
		}
	}
}

// gather makes candidates of the documents that were added up and pass the
// filter, and clears the sums.
func (s *search) gather(c *columns, least, optional uint32) {
	s.cands = s.cands[:0]
	sums := s.sums[:c.len()]
	for d, sum := range sums {
		if sum == 0 {
			continue
		}
		sums[d] = 0
		if sum+optional >= least && s.match.passes(c, uint16(d)) {
			s.cands = append(s.cands, candidate{uint16(d), sum})
		}
	}
}

// addOptional adds a term's share to the candidates that can still reach
// least; optional is what this term and those after it add at most.
func (s *search) addOptional(t *scoredTerm, c *columns, least, optional uint32) {
	kept := s.cands[:0]
	s.docs = s.docs[:0]
	for _, k := range s.cands {
		if k.score+optional >= least {
			kept = append(kept, k)
			s.docs = append(s.docs, k.doc)
		}
	}
	s.cands = kept
	s.tfs = slices.Grow(s.tfs[:0], len(s.docs))[:len(s.docs)]
	t.l.frequencies(s.docs, s.tfs, &s.block)
	for i, tf := range s.tfs {
		if tf > 0 {
			kept[i].score += s.share(t.weight, tf, c.length[kept[i].doc])
		}
	}
}
