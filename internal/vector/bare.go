package vector

import (
	"encoding/binary"
	"fmt"
	"math"
)

// NewBare returns an empty block that keeps signs only.
func NewBare(s Space) *Block { return &Block{space: s, bare: true} }

// Bare reports whether the block has no codes.
func (b *Block) Bare() bool { return b.bare }

// Fill gives a bare block the codes of its slots, which it keeps: as many for each
// as the space has dimensions, those of slots without a vector too.
func (b *Block) Fill(codes []byte) {
	b.bare, b.codes = false, codes
	for slot, norm := range b.norms {
		if norm == 0 {
			clear(b.slot(slot))
		}
	}
}

// SameSigns reports whether a slot's signs are those of codes.
func (b *Block) SameSigns(slot int, codes []byte) bool {
	other := NewBare(b.space)
	other.AppendCodes(codes)
	for i, word := range other.signs {
		if b.signsOf(slot)[i] != word {
			return false
		}
	}
	return b.Has(slot) == other.Has(0)
}

// Signs are the signs of codes as bytes in the order in which [Block.EncodeSigns]
// writes them.
func Signs(codes []byte) []byte {
	words := make([]uint64, (len(codes)+63)/64)
	packSigns(words, codes)
	out := make([]byte, 0, 8*len(words))
	for _, w := range words {
		out = binary.LittleEndian.AppendUint64(out, w)
	}
	return out
}

// CodesCosine compares codes that are in no block with a query of the same
// dimension. It is false for codes that have no direction.
func CodesCosine(codes []byte, q *Query) (float32, bool) {
	if len(codes) != len(q.codes) {
		return 0, false
	}
	square := 0
	for _, c := range codes {
		square += int(int8(c)) * int(int8(c))
	}
	if square == 0 {
		return 0, false
	}
	return q.cosine(codes, float32(1/math.Sqrt(float64(square)))), true
}

const signsMagic = 0x31535645 // "EVS1"

// EncodeSigns appends what a bare block has as bytes, little endian: magic,
// dimension, number of slots, length of the model's name; the name; norms; signs;
// filled up to a multiple of eight with the checksum of all at the end.
func (b *Block) EncodeSigns(dst []byte) []byte {
	from := len(dst)
	for _, v := range []int{signsMagic, b.space.Dim, b.Len(), len(b.space.Model)} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
	}
	dst = append(dst, b.space.Model...)
	for _, n := range b.norms {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(n))
	}
	for _, w := range b.signs {
		dst = binary.LittleEndian.AppendUint64(dst, w)
	}
	return seal(dst, from)
}

// DecodeSigns reads a bare block of the given space from the beginning of data,
// checks all of it, and gives what follows it. It keeps nothing of data. Its error
// is [ErrDamaged] or [ErrSpace].
func DecodeSigns(data []byte, want Space) (b *Block, rest []byte, err error) {
	h, err := header(data, signsMagic)
	if err != nil {
		return nil, nil, err
	}
	dim, n, name := h[0], h[1], h[2]
	size := int64(headerSize) + int64(name) + int64(n)*(4+8*((int64(dim)+63)/64))
	if size > int64(len(data)) {
		return nil, nil, fmt.Errorf("%w: the signs of %d vectors do not fit", ErrDamaged, n)
	}
	data, rest, err = sealed(data, int(size))
	if err != nil {
		return nil, nil, err
	}
	data = data[headerSize:]
	if have := (Space{string(data[:name]), dim}); have != want {
		return nil, nil, fmt.Errorf("%w: %q with %d dimensions, not %q with %d", ErrSpace, have.Model, dim, want.Model, want.Dim)
	}
	b = &Block{space: want, bare: true, norms: make([]float32, n)}
	if data, err = readNorms(b.norms, data[name:]); err != nil {
		return nil, nil, err
	}
	b.signs = make([]uint64, n*b.words())
	for i := range b.signs {
		b.signs[i] = binary.LittleEndian.Uint64(data[8*i:])
	}
	return b, rest, nil
}
