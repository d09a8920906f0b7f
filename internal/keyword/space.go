package keyword

import (
	"cmp"
	"slices"

	"engram/internal/vector"
)

// A space has the vectors of a model other than the index's own: those that come
// late, from rows, and are of no use until somebody asks by that model. It knows
// which versions of which memories it has vectors of and nothing else of them;
// what they are, and whether they may be found, a search reads from the documents.
//
// New ones go into a tail, which becomes a pack when it is long enough.
type space struct {
	model vector.Space
	mark  Mark
	packs []*pack
	tail  *pack
	at    map[docKey]run // what is in the tail
}

// run is where the vectors of a version of a memory are, one for each of its
// passages.
type run struct {
	p        *pack
	first, n int
}

// Mark says how far a space follows the rows that its vectors come from.
type Mark struct {
	Generation int64 // of the rows: in another one some were taken away
	Seq        int64 // of the last row that was read
}

// Row names the row that a version of a memory has of a model.
type Row struct {
	Row     int64
	ID      int64
	Version int
}

// Coded is the vectors of a version of a memory, one after the other as
// [vector.Code] makes them. One without codes says that there is none.
type Coded struct {
	Row

	Codes []byte
}

const (
	packSlots = 4096 // slots from which on a tail becomes a pack
	spaceStep = 256  // vectors that are put in at once, so that searches need not wait long
	// warmBytes is how many bytes of codes a space keeps at hand; those of more
	// vectors are read from their rows.
	warmBytes = 32 << 20
)

func newSpace(model vector.Space, mark Mark) *space {
	return &space{model: model, mark: mark, tail: newPack(vector.NewBlock(model)), at: map[docKey]run{}}
}

// find gives where the vectors of a version of a memory are; of none there is no run.
func (sp *space) find(key docKey) (run, bool) {
	if r, ok := sp.at[key]; ok {
		return r, true
	}
	for _, p := range slices.Backward(sp.packs) {
		if r, ok := p.find(key); ok {
			return r, true
		}
	}
	return run{}, false
}

// runOf gives the vectors of the version of a memory that has a slot.
func (sp *space) runOf(p *pack, slot int) run {
	if p == sp.tail {
		return sp.at[p.key(slot)]
	}
	return p.runAt(slot)
}

func (sp *space) put(c *Coded) {
	key := docKey{c.ID, uint32(c.Version)}
	if r, ok := sp.find(key); ok {
		r.remove()
		delete(sp.at, key)
	}
	n := len(c.Codes) / sp.model.Dim
	if n == 0 {
		return
	}
	sp.at[key] = run{sp.tail, sp.tail.len(), n}
	for i := range n {
		sp.tail.add(key, c.Row.Row)
		sp.tail.block.AppendCodes(c.Codes[i*sp.model.Dim:][:sp.model.Dim])
	}
	if sp.tail.len() >= packSlots {
		sp.freeze()
	}
}

// freeze makes a pack of the tail.
func (sp *space) freeze() {
	block := vector.NewBlock(sp.model)
	if sp.warm()+sp.tail.len()*sp.model.Dim > warmBytes {
		block = vector.NewBare(sp.model)
	}
	if p := sorted(block, sp.tail); p.len() > 0 {
		sp.packs = append(slices.Clip(sp.packs), p)
	}
	sp.tail, sp.at = newPack(vector.NewBlock(sp.model)), map[docKey]run{}
}

// warm is how many bytes of codes the packs have.
func (sp *space) warm() (n int) {
	for _, p := range sp.packs {
		if !p.block.Bare() {
			n += p.len() * sp.model.Dim
		}
	}
	return n
}

// slots is how many slots there are, and of how many texts.
func (sp *space) slots() (slots, texts int) {
	slots, texts = sp.tail.len(), len(sp.at)
	for _, p := range sp.packs {
		slots, texts = slots+p.len(), texts+p.texts
	}
	return slots, texts
}

// size estimates how many bytes of memory the space takes.
func (sp *space) size() int {
	const perTailText = 72
	size := sp.tail.size() + perTailText*len(sp.at)
	for _, p := range sp.packs {
		size += p.size()
	}
	return size
}

// forget takes the vectors of memories out.
func (sp *space) forget(gone map[int64]bool) {
	for key, r := range sp.at {
		if gone[key.id] {
			r.remove()
			delete(sp.at, key)
		}
	}
	for _, p := range sp.packs {
		for id := range gone {
			p.forget(id)
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

// Packed is the beginning of a space, as packs have it.
type Packed struct{ space *space }

// OpenPacks reads what packs have of the rows of a model up to mark. Its error is
// [ErrPack].
func OpenPacks(model vector.Space, packs [][]byte, mark Mark) (*Packed, error) {
	sp := newSpace(model, mark)
	for _, data := range packs {
		p, err := decodePack(data, model)
		if err != nil {
			return nil, err
		}
		sp.packs = append(sp.packs, p)
	}
	return &Packed{sp}, nil
}

// LoadVectors begins the space of a model anew with packs, which may be taken once.
// It is for the goroutine that changes the index.
func (x *Index) LoadVectors(packed *Packed) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.spaces == nil {
		x.spaces = map[vector.Space]*space{}
	}
	x.spaces[packed.space.model] = packed.space
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
		sp = newSpace(model, Mark{Generation: mark.Generation})
		if x.spaces == nil {
			x.spaces = map[vector.Space]*space{}
		}
		x.spaces[model] = sp
	}
	for i := range vectors {
		sp.put(&vectors[i])
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

// Vectors reports whether the index has just these vectors of a version of a
// memory, by their signs.
func (x *Index) Vectors(model vector.Space, c *Coded) bool {
	x.mu.RLock()
	defer x.mu.RUnlock()
	sp, ok := x.spaces[model]
	if !ok {
		return false
	}
	r, ok := sp.find(docKey{c.ID, uint32(c.Version)})
	if !ok || len(c.Codes) != r.n*model.Dim || r.p.rows[r.first] != c.Row.Row {
		return false
	}
	for i := range r.n {
		if !r.p.block.SameSigns(r.first+i, c.Codes[i*model.Dim:][:model.Dim]) {
			return false
		}
	}
	return true
}

// Texts is how many versions of memories the index has vectors of.
func (x *Index) Texts(model vector.Space) int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	sp, ok := x.spaces[model]
	if !ok {
		return 0
	}
	n := len(sp.at)
	for _, p := range sp.packs {
		for slot := 0; slot < p.len(); {
			r := p.runAt(slot)
			if p.block.Has(slot) {
				n++
			}
			slot += r.n
		}
	}
	return n
}

// forgetVectors takes the vectors of memories out of all spaces.
func (x *Index) forgetVectors(gone map[int64]bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, sp := range x.spaces {
		sp.forget(gone)
	}
}

// Warm reads the codes of packs that have only signs, the newest first, as long as
// there is room for them, and reports whether it read some. It reads the rows of
// one pack by fetch, outside of any lock. A vector whose row is not there is not
// in the index any more. It is for the goroutine that changes the index.
func (x *Index) Warm(model vector.Space, fetch func(rows []Row, take func(i int, codes []byte)) error) (bool, error) {
	p := x.coldest(model)
	if p == nil {
		return false, nil
	}
	x.mu.RLock()
	rows, firsts := p.runs()
	x.mu.RUnlock()
	codes, have := make([]byte, p.len()*model.Dim), make([]bool, p.len())
	err := fetch(rows, func(i int, c []byte) {
		r := p.runAt(firsts[i])
		if len(c) != r.n*model.Dim {
			return
		}
		copy(codes[r.first*model.Dim:], c)
		for slot := r.first; slot < r.first+r.n; slot++ {
			have[slot] = true
		}
	})
	if err != nil {
		return false, err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for slot, ok := range have {
		if !ok {
			p.block.Remove(slot)
		}
	}
	p.block.Fill(codes)
	return true, nil
}

// coldest is the newest pack without codes that there is room for; nil for none.
func (x *Index) coldest(model vector.Space) *pack {
	x.mu.RLock()
	defer x.mu.RUnlock()
	sp, ok := x.spaces[model]
	if !ok {
		return nil
	}
	room := warmBytes - sp.warm()
	for _, p := range slices.Backward(sp.packs) {
		if p.block.Bare() && p.len()*model.Dim <= room {
			return p
		}
	}
	return nil
}

// compareKeys orders versions of memories.
func compareKeys(a, b docKey) int {
	return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.version, b.version))
}
