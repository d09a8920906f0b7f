package keyword

import (
	"encoding/binary"
	"math/bits"
)

// padding follows every run of packed bits, so that eight bytes can be read
// from any place in it.
const padding = 8

// appendPacked appends the low width bits of each of values, and fills up the
// last byte.
func appendPacked(dst []byte, values []uint16, width int) []byte {
	var word uint64
	var have int
	for _, v := range values {
		word |= uint64(v) << have
		have += width
		for have >= 8 {
			dst = append(dst, byte(word))
			word >>= 8
			have -= 8
		}
	}
	if have > 0 {
		dst = append(dst, byte(word))
	}
	return dst
}

// unpack reads len(dst) values of width bits, at most 16.
func unpack(dst []uint16, src []byte, width int) {
	mask := uint16(1)<<width - 1
	pos := 0
	for i := range dst {
		dst[i] = uint16(binary.LittleEndian.Uint64(src[pos>>3:])>>(pos&7)) & mask
		pos += width
	}
}

// unpackAt reads the i-th value of width bits.
func unpackAt(src []byte, width, i int) uint16 {
	if width == 0 {
		return 0
	}
	pos := i * width
	return uint16(binary.LittleEndian.Uint64(src[pos>>3:])>>(pos&7)) & (1<<width - 1)
}

func packedSize(n, width int) int { return (n*width + 7) / 8 }

// width is how many bits the greatest of values needs.
func width(values []uint16) int {
	var all uint16
	for _, v := range values {
		all |= v
	}
	return bits.Len16(all)
}

// Lengths are kept in a byte beside blocks, rounded down: exact below 16, then
// sixteen steps an octave.
func lengthCode(n uint32) uint8 {
	if n < 16 {
		return uint8(n)
	}
	e := bits.Len32(n) - 5
	return uint8(min(16*(e+1)+int(n>>e)&15, 255))
}

func codeLength(c uint8) uint32 {
	if c < 16 {
		return uint32(c)
	}
	e := int(c)/16 - 1
	return (16 + uint32(c)&15) << e
}

func trailing(word uint64) int { return bits.TrailingZeros64(word) }

func ones64(word uint64) int { return bits.OnesCount64(word) }
