package keyword

import "engram/internal/vector"

// A space has the vectors of a model other than the index's own: those that come
// late, from rows, and are of no use until somebody asks by that model. It knows
// which versions of which memories it has vectors of and nothing else of them;
// what they are, and whether they may be found, a search reads from the documents.
type space struct {
	mark   Mark
	blocks []*vector.Block // all but the last have spaceBlock slots
	keys   [][]docKey      // whose a slot is; a zero one = nobody's any more
	ids    [][]int64
	at     map[docKey]run
}

// run is where the vectors of a version of a memory are, one for each of its
// passages: slots, counted through the blocks.
type run struct{ first, n int }

// Mark says how far a space follows the rows that its vectors come from.
type Mark struct {
	Generation int64 // of the rows: in another one some were taken away
	Seq        int64 // of the last row that was read
}

// Coded is the vectors of a version of a memory, one after the other as
// [vector.Code] makes them. One without codes says that there is none.
type Coded struct {
	ID      int64
	Version int
	Codes   []byte
}

const (
	spaceBlock = 4096 // slots of a block, so that growing copies little
	spaceStep  = 256  // vectors that are put in at once, so that searches need not wait long
)

func (sp *space) put(model vector.Space, c *Coded) {
	key := docKey{c.ID, uint32(c.Version)}
	n := len(c.Codes) / model.Dim
	have := sp.at[key]
	if have.n != n {
		sp.drop(key)
		have = run{sp.slots(), n}
		for range n {
			sp.addSlot(model, key)
		}
		if n > 0 {
			sp.at[key] = have
		}
	}
	for i := range n {
		slot := have.first + i
		sp.blocks[slot/spaceBlock].SetCodes(slot%spaceBlock, c.Codes[i*model.Dim:(i+1)*model.Dim])
	}
}

// slots is how many slots there are.
func (sp *space) slots() int {
	last := len(sp.blocks) - 1
	if last < 0 {
		return 0
	}
	return last*spaceBlock + sp.blocks[last].Len()
}

func (sp *space) addSlot(model vector.Space, key docKey) {
	if sp.slots() == len(sp.blocks)*spaceBlock {
		sp.blocks = append(sp.blocks, vector.NewBlock(model))
		sp.keys, sp.ids = append(sp.keys, nil), append(sp.ids, nil)
	}
	last := len(sp.blocks) - 1
	sp.blocks[last].Append(nil)
	sp.keys[last] = append(sp.keys[last], key)
	sp.ids[last] = append(sp.ids[last], key.id)
}

// drop takes the vectors of a version of a memory out.
func (sp *space) drop(key docKey) {
	have := sp.at[key]
	for slot := have.first; slot < have.first+have.n; slot++ {
		sp.blocks[slot/spaceBlock].Remove(slot % spaceBlock)
		sp.keys[slot/spaceBlock][slot%spaceBlock] = docKey{}
	}
	delete(sp.at, key)
}

// size estimates how many bytes of memory the space takes.
func (sp *space) size() int {
	const perSlot, perRun = 16 + 8, 56
	size := perSlot*sp.slots() + perRun*len(sp.at)
	for _, b := range sp.blocks {
		size += b.Size()
	}
	return size
}

// forget takes the vectors of memories out.
func (sp *space) forget(gone map[int64]bool) {
	for key := range sp.at {
		if gone[key.id] {
			sp.drop(key)
		}
	}
}

// SpaceMark says how far the vectors of a model are read; false if none are.
func (x *Index) SpaceMark(model vector.Space) (Mark, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	sp, ok := x.spaces[model]
	if !ok {
		return Mark{}, false
	}
	return sp.mark, true
}

// PutVectors puts in the vectors of a model that rows up to mark have, in place
// of those that are there. With another generation than the last one's, it begins
// anew. It is for the goroutine that changes the index.
func (x *Index) PutVectors(model vector.Space, vectors []Coded, mark Mark) {
	for first := true; first || len(vectors) > 0; first = false {
		n := min(spaceStep, len(vectors))
		x.putSome(model, vectors[:n], mark, n == len(vectors))
		vectors = vectors[n:]
	}
}

func (x *Index) putSome(model vector.Space, vectors []Coded, mark Mark, last bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	sp := x.spaces[model]
	if sp == nil || sp.mark.Generation != mark.Generation {
		sp = &space{mark: Mark{Generation: mark.Generation}, at: map[docKey]run{}}
		if x.spaces == nil {
			x.spaces = map[vector.Space]*space{}
		}
		x.spaces[model] = sp
	}
	for i := range vectors {
		sp.put(model, &vectors[i])
	}
	if last {
		sp.mark.Seq = mark.Seq
	}
}

// DropSpace forgets the vectors of a model.
func (x *Index) DropSpace(model vector.Space) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.spaces, model)
}

// Spaces are the models, beside the index's own, that vectors are there of.
func (x *Index) Spaces() []vector.Space {
	x.mu.RLock()
	defer x.mu.RUnlock()
	out := make([]vector.Space, 0, len(x.spaces))
	for model := range x.spaces {
		out = append(out, model)
	}
	return out
}

// forgetVectors takes the vectors of memories out of all spaces.
func (x *Index) forgetVectors(gone map[int64]bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, sp := range x.spaces {
		sp.forget(gone)
	}
}

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

// nearestIn givesthe documents that are nearest to a query by the nearest of their
// vectors in a space. It compares the codes of as many documents' vectors as keep
// says, where each has as many as all have on average.
func (s *search) nearestIn(sp *space, q *vector.Query, keep int) []vector.Near {
	if len(sp.at) == 0 {
		return nil
	}
	s.byVector.Begin(q, keep*sp.slots()/len(sp.at))
	for i, b := range sp.blocks {
		keys := sp.keys[i]
		s.byVector.Scan(b, sp.ids[i], func(slot int) bool {
			r, ok := s.refOfKey(keys[slot])
			return ok && s.nearMatch.passes(s.cols(r), r.doc())
		})
	}
	seen := make(map[ref]bool, s.q.Limit)
	return s.byVector.BestOf(s.q.Limit, func(n *vector.Near) bool {
		r, ok := s.refOfKey(sp.keys[n.Block][n.Slot])
		n.Block, n.Slot = r.part(), int(r.doc())
		if !ok || seen[r] {
			return false
		}
		seen[r] = true
		return true
	})
}

// cosine compares a document's vector, its own or its nearest in a space, with a
// query.
func (s *search) cosine(r ref, q *vector.Query, sp *space) float32 {
	if q == nil {
		return NoCosine
	}
	c, d := s.cols(r), r.doc()
	if sp == nil {
		return cosineOr(c.vectors, int(d), q, NoCosine)
	}
	have, best := sp.at[docKey{c.id[d], c.version[d]}], float32(NoCosine)
	for slot := have.first; slot < have.first+have.n; slot++ {
		best = max(best, cosineOr(sp.blocks[slot/spaceBlock], slot%spaceBlock, q, best))
	}
	return best
}

// cosineOr is the cosine of a slot's vector, or what is given for one that has none.
func cosineOr(b *vector.Block, slot int, q *vector.Query, none float32) float32 {
	if cosine, ok := b.Cosine(slot, q); ok {
		return cosine
	}
	return none
}
