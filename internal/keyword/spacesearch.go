package keyword

import (
	"cmp"
	"slices"

	"engram/internal/vector"
)

// Fetch reads the codes of rows of a model, and calls take with each that is
// there as it was written, in any order. What it cannot read counts as not there;
// who gives it keeps its errors.
type Fetch func(model vector.Space, rows []Row, take func(i int, codes []byte))

// refOfKey finds a version of a memory among the parts of the search.
func (s *search) refOfKey(key docKey) (ref, bool) {
	if d, ok := s.x.tail.place[key]; ok {
		return refOf(0, d), true
	}
	for i, p := range s.parts[1:] {
		if d, ok := p.(*segment).place(key.id, key.version); ok {
			return refOf(i+1, d), true
		}
	}
	return 0, false
}

// spaceQuery is a query's vector beside the space that it is compared with.
type spaceQuery struct {
	q  *vector.Query
	sp *space
	// known are cosines of documents that were looked at, each with the nearest of
	// its vectors.
	known map[ref]float32
}

// nearestIn gives the documents that are nearest to a query by the nearest of their
// vectors in a space. It compares the codes of as many documents' vectors as keep
// says, where each has as many as all have on average.
func (s *search) nearestIn(sq *spaceQuery, keep int) []vector.Near {
	slots, texts := sq.sp.slots()
	if texts == 0 {
		return nil
	}
	packs := append(slices.Clone(sq.sp.packs), sq.sp.tail)
	s.byVector.Begin(sq.q, keep*slots/texts)
	for _, p := range packs {
		s.byVector.Scan(p.block, p.ids, func(slot int) bool {
			r, ok := s.refOfKey(p.key(slot))
			return ok && s.nearMatch.passes(s.cols(r), r.doc())
		})
	}
	candidates := s.byVector.Candidates()
	refs, runs := make([]ref, 0, len(candidates)), make([]run, 0, len(candidates))
	for _, c := range candidates {
		p := packs[c.Block]
		if r, ok := s.refOfKey(p.key(c.Slot)); ok {
			if _, twice := sq.known[r]; !twice {
				sq.known[r] = NoCosine
				refs, runs = append(refs, r), append(runs, sq.sp.runOf(p, c.Slot))
			}
		}
	}
	near := make([]vector.Near, 0, len(refs))
	for i, cosine := range s.compareRuns(sq, runs) {
		if sq.known[refs[i]] = cosine; cosine != NoCosine {
			r := refs[i]
			near = append(near, vector.Near{Block: r.part(), Slot: int(r.doc()), ID: runs[i].row().ID, Cosine: cosine})
		}
	}
	return slices.Clip(vector.Sort(near, s.q.Limit))
}

// compareRuns gives the cosine of the nearest vector of each run. Codes that are
// not at hand are read from their rows, all at once.
func (s *search) compareRuns(sq *spaceQuery, runs []run) []float32 {
	out := make([]float32, len(runs))
	var cold []int
	for i, r := range runs {
		out[i] = NoCosine
		if r.p.block.Bare() {
			cold = append(cold, i)
			continue
		}
		for slot := r.first; slot < r.first+r.n; slot++ {
			if cosine, ok := r.p.block.Cosine(slot, sq.q); ok {
				out[i] = max(out[i], cosine)
			}
		}
	}
	if len(cold) == 0 || s.q.Fetch == nil {
		return out
	}
	slices.SortFunc(cold, func(a, b int) int { return cmp.Compare(runs[a].row().Row, runs[b].row().Row) })
	rows := make([]Row, len(cold))
	for i, at := range cold {
		rows[i] = runs[at].row()
	}
	dim := sq.sp.model.Dim
	s.q.Fetch(sq.sp.model, rows, func(i int, codes []byte) {
		at := cold[i]
		if len(codes) != runs[at].n*dim {
			return // written anew since
		}
		for ; len(codes) > 0; codes = codes[dim:] {
			if cosine, ok := vector.CodesCosine(codes[:dim], sq.q); ok {
				out[at] = max(out[at], cosine)
			}
		}
	})
	return out
}

// compareInSpace fills the places of a query's cosines with those of all that was
// gathered.
func (s *search) compareInSpace(sq *spaceQuery, fill func(place int, cosine float32)) {
	var (
		places []int
		runs   []run
	)
	for place, r := range s.gathering.refs {
		if cosine, ok := sq.known[r]; ok {
			fill(place, cosine)
			continue
		}
		c, d := s.cols(r), r.doc()
		if found, ok := sq.sp.find(docKey{c.id[d], c.version[d]}); ok {
			places, runs = append(places, place), append(runs, found)
		}
	}
	for i, cosine := range s.compareRuns(sq, runs) {
		fill(places[i], cosine)
	}
}
