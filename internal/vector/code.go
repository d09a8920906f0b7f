package vector

import (
	"encoding/binary"
	"hash/crc32"
	"math"
	"slices"
)

// Code gives the codes of a vector as a block holds them, one byte each, or nil
// for a vector that has no direction: zero, empty or not finite.
func Code(v []float32) []byte {
	var buf [1024]float32
	v = append(buf[:0], v...)
	rotate(v)
	codes := make([]byte, len(v))
	if quantise(codes, v) == 0 {
		return nil
	}
	return codes
}

// Turned gives a vector as codes are of: turned as Code turns it, so that its cosine
// with codes is that of the vectors.
func Turned(v []float32) []float32 {
	v = slices.Clone(v)
	rotate(v)
	return v
}

// Checksum is of codes that are kept outside of a block.
func Checksum(codes []byte) uint32 { return crc32.Checksum(codes, castagnoli) }

// AppendCodes adds a slot with the vector that [Code] made codes of. The slot has
// none when they are of another dimension or all 0.
func (b *Block) AppendCodes(codes []byte) {
	slot := b.Len()
	b.addSlot()
	b.setCodes(slot, codes)
}

// SetCodes gives a slot another vector, as AppendCodes does.
func (b *Block) SetCodes(slot int, codes []byte) {
	b.Remove(slot)
	b.setCodes(slot, codes)
}

func (b *Block) setCodes(slot int, codes []byte) {
	if len(codes) != b.space.Dim {
		return
	}
	square := 0
	for _, c := range codes {
		square += int(int8(c)) * int(int8(c))
	}
	if square == 0 {
		return
	}
	if !b.bare {
		copy(b.slot(slot), codes)
	}
	packSigns(b.signsOf(slot), codes)
	b.norms[slot] = float32(1 / math.Sqrt(float64(square)))
}

// Usable reports whether codes are those of one vector of so many dimensions, or
// of several, one after the other.
func Usable(codes []byte, dim int) bool {
	if dim <= 0 || len(codes) == 0 || len(codes)%dim != 0 {
		return false
	}
	for len(codes) > 0 {
		if !pointing(codes[:dim]) {
			return false
		}
		codes = codes[dim:]
	}
	return true
}

// pointing reports whether not all codes are 0.
func pointing(codes []byte) bool {
	for len(codes) >= 8 {
		if binary.LittleEndian.Uint64(codes) != 0 {
			return true
		}
		codes = codes[8:]
	}
	for _, c := range codes {
		if c != 0 {
			return true
		}
	}
	return false
}
