package keyword

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sort"

	"engram/internal/vector"
)

// ErrPack is the error of a pack that cannot be used.
var ErrPack = errors.New("a pack of vectors is damaged")

// pack has vectors of a space. But for a space's tail, it is ordered by memories
// and versions, whose passages are side by side.
type pack struct {
	block    *vector.Block // bare where codes are only in the rows; a removed vector has none
	ids      []int64
	versions []uint32
	rows     []int64 // where the codes are
	texts    int     // versions that it was made of; 0 for a tail
}

func newPack(block *vector.Block) *pack { return &pack{block: block} }

func (p *pack) len() int { return len(p.ids) }

func (p *pack) key(slot int) docKey { return docKey{p.ids[slot], p.versions[slot]} }

// add adds what a slot is beside its vector.
func (p *pack) add(key docKey, row int64) {
	p.ids, p.versions, p.rows = append(p.ids, key.id), append(p.versions, key.version), append(p.rows, row)
}

func (p *pack) size() int { return 8*cap(p.ids) + 4*cap(p.versions) + 8*cap(p.rows) + p.block.Size() }

// find gives where the vectors of a version of a memory are.
func (p *pack) find(key docKey) (run, bool) {
	n := p.len()
	if n == 0 || key.id < p.ids[0] || key.id > p.ids[n-1] {
		return run{}, false
	}
	at := sort.Search(n, func(i int) bool { return compareKeys(p.key(i), key) >= 0 })
	if at == n || p.key(at) != key || !p.block.Has(at) {
		return run{}, false
	}
	return p.runAt(at), true
}

// runAt gives the vectors of the version of a memory that has a slot, not of a tail.
func (p *pack) runAt(slot int) run {
	first, end := slot, slot+1
	for first > 0 && p.key(first-1) == p.key(slot) {
		first--
	}
	for end < p.len() && p.key(end) == p.key(slot) {
		end++
	}
	return run{p, first, end - first}
}

// runs gives the rows that the pack is made of, and the first slot of each.
func (p *pack) runs() (rows []Row, firsts []int) {
	for slot := 0; slot < p.len(); {
		r := p.runAt(slot)
		rows, firsts = append(rows, r.row()), append(firsts, slot)
		slot += r.n
	}
	return rows, firsts
}

func (p *pack) forget(id int64) {
	n := p.len()
	if n == 0 || id < p.ids[0] || id > p.ids[n-1] {
		return
	}
	at, _ := slices.BinarySearch(p.ids, id)
	for ; at < n && p.ids[at] == id; at++ {
		p.block.Remove(at)
	}
}

func (r run) row() Row {
	return Row{Row: r.p.rows[r.first], ID: r.p.ids[r.first], Version: int(r.p.versions[r.first])}
}

func (r run) remove() {
	for slot := r.first; slot < r.first+r.n; slot++ {
		r.p.block.Remove(slot)
	}
}

// sorted makes one pack of others, in block, without what was removed from them.
func sorted(block *vector.Block, from ...*pack) *pack {
	type place struct {
		p    *pack
		slot int
	}
	var places []place
	for _, p := range from {
		for slot := range p.len() {
			if p.block.Has(slot) {
				places = append(places, place{p, slot})
			}
		}
	}
	slices.SortStableFunc(places, func(a, b place) int { return compareKeys(a.p.key(a.slot), b.p.key(b.slot)) })
	out := newPack(block)
	block.Grow(len(places))
	out.ids, out.versions, out.rows = make([]int64, 0, len(places)), make([]uint32, 0, len(places)), make([]int64, 0, len(places))
	for _, at := range places {
		out.add(at.p.key(at.slot), at.p.rows[at.slot])
		block.Take(at.p.block, at.slot)
	}
	out.count()
	return out
}

// count counts the texts of a pack.
func (p *pack) count() {
	p.texts = 0
	for slot := range p.rows {
		if slot == 0 || p.key(slot) != p.key(slot-1) {
			p.texts++
		}
	}
}

// StoredPack is a pack as an engine keeps it: what is needed to find vectors by
// their signs, without going through all their rows.
type StoredPack struct {
	ID           int64 // number in the engine's store, 0 = it is not there
	MinID, MaxID int64 // of memories
	Slots        int
	Data         []byte
}

// MakePack makes a pack of vectors, and of what another one has, unless it is nil.
// It is nil without any vector. Its error is [ErrPack].
func MakePack(model vector.Space, last *StoredPack, vectors []Coded) (*StoredPack, error) {
	parts := []*pack{newPack(vector.NewBare(model))}
	for i := range vectors {
		c := &vectors[i]
		for at := 0; at+model.Dim <= len(c.Codes); at += model.Dim {
			parts[0].add(docKey{c.ID, uint32(c.Version)}, c.Row.Row)
			parts[0].block.AppendCodes(c.Codes[at:][:model.Dim])
		}
	}
	id := int64(0)
	if last != nil {
		p, err := decodePack(last.Data, model)
		if err != nil {
			return nil, err
		}
		parts, id = append(parts, p), last.ID
	}
	return sorted(vector.NewBare(model), parts...).stored(id), nil
}

// PackWithout gives a stored pack without some memories: nil when nothing is left,
// and the same one when it has none of them. Its error is [ErrPack].
func PackWithout(st *StoredPack, model vector.Space, erased []int64) (*StoredPack, error) {
	p, err := decodePack(st.Data, model)
	if err != nil {
		return nil, err
	}
	for _, id := range erased {
		p.forget(id)
	}
	rest := sorted(vector.NewBare(model), p)
	if rest.len() == p.len() {
		return st, nil
	}
	return rest.stored(st.ID), nil
}

func (p *pack) stored(id int64) *StoredPack {
	n := p.len()
	if n == 0 {
		return nil
	}
	return &StoredPack{ID: id, MinID: p.ids[0], MaxID: p.ids[n-1], Slots: n, Data: p.encode()}
}

const (
	packMagic   = 0x31504b45 // "EKP1"
	packHeader  = 8
	packPerSlot = 8 + 4 + 8
)

// encode gives the pack as bytes, little endian: magic, number of slots; ids,
// rows, versions; their checksum; the signs of the block.
func (p *pack) encode() []byte {
	out := binary.LittleEndian.AppendUint32(nil, packMagic)
	out = binary.LittleEndian.AppendUint32(out, uint32(p.len()))
	for _, id := range p.ids {
		out = binary.LittleEndian.AppendUint64(out, uint64(id))
	}
	for _, row := range p.rows {
		out = binary.LittleEndian.AppendUint64(out, uint64(row))
	}
	for _, v := range p.versions {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	out = binary.LittleEndian.AppendUint32(out, vector.Checksum(out))
	return p.block.EncodeSigns(out)
}

// decodePack reads a pack and checks all of it. It keeps nothing of data.
func decodePack(data []byte, model vector.Space) (*pack, error) {
	if len(data) < packHeader || binary.LittleEndian.Uint32(data) != packMagic {
		return nil, fmt.Errorf("%w: no pack of a known form", ErrPack)
	}
	n := int(binary.LittleEndian.Uint32(data[4:]))
	end := packHeader + packPerSlot*n
	if n == 0 || len(data) < end+4 {
		return nil, fmt.Errorf("%w: %d vectors in a pack of %d bytes", ErrPack, n, len(data))
	}
	if binary.LittleEndian.Uint32(data[end:]) != vector.Checksum(data[:end]) {
		return nil, fmt.Errorf("%w: the checksum of a pack differs", ErrPack)
	}
	block, rest, err := vector.DecodeSigns(data[end+4:], model)
	switch {
	case errors.Is(err, vector.ErrDamaged), errors.Is(err, vector.ErrSpace):
		return nil, fmt.Errorf("%w: %w", ErrPack, err)
	case err != nil:
		return nil, err
	case block.Len() != n || len(rest) > 0:
		return nil, fmt.Errorf("%w: %d vectors and the signs of %d", ErrPack, n, block.Len())
	}
	p := &pack{block: block, ids: make([]int64, n), rows: make([]int64, n), versions: make([]uint32, n)}
	ids, rows, versions := data[packHeader:], data[packHeader+8*n:], data[packHeader+16*n:]
	for i := range n {
		p.ids[i] = int64(binary.LittleEndian.Uint64(ids[8*i:]))
		p.rows[i] = int64(binary.LittleEndian.Uint64(rows[8*i:]))
		p.versions[i] = binary.LittleEndian.Uint32(versions[4*i:])
		if i > 0 && compareKeys(p.key(i-1), p.key(i)) > 0 {
			return nil, fmt.Errorf("%w: a pack is not in order", ErrPack)
		}
	}
	p.count()
	return p, nil
}
