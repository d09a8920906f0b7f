package vector

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"unsafe"
)

// Tokens holds the token ids of slots 0, 1, 2, … The zero value is empty. One
// goroutine may change it, or several may read it.
type Tokens struct {
	ends []uint32 // where the tokens of each slot end in all
	all  []uint16
}

// Len is the number of slots.
func (t *Tokens) Len() int { return len(t.ends) }

// Size is how many bytes of memory the tokens take.
func (t *Tokens) Size() int { return 4*cap(t.ends) + 2*cap(t.all) }

// Grow makes room for n more slots.
func (t *Tokens) Grow(n int) { t.ends = slices.Grow(t.ends, n) }

// Clip gives back room for more that is not used.
func (t *Tokens) Clip() { t.ends, t.all = slices.Clip(t.ends), slices.Clone(t.all) }

// Append adds a slot with tokens, of which it keeps the first 65,535.
func (t *Tokens) Append(tokens []uint16) {
	t.all = append(t.all, tokens[:min(len(tokens), math.MaxUint16)]...)
	t.ends = append(t.ends, uint32(len(t.all)))
}

// Of gives the tokens of a slot. They are not to be written to, and stay as they
// are whatever is appended.
func (t *Tokens) Of(slot int) []uint16 {
	from := uint32(0)
	if slot > 0 {
		from = t.ends[slot-1]
	}
	return t.all[from:t.ends[slot]:t.ends[slot]]
}

// Encode appends the tokens as bytes, little endian: magic, number of slots,
// number of tokens, 0; how many each slot has, in 16 bits; all of them; filled up
// to a multiple of eight with the checksum of all at the end.
func (t *Tokens) Encode(dst []byte) []byte {
	from := len(dst)
	dst = slices.Grow(dst, headerSize+2*(t.Len()+len(t.all))+checksumSize+align)
	for _, v := range []int{tokensMagic, t.Len(), len(t.all), 0} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
	}
	last := uint32(0)
	for _, end := range t.ends {
		dst = binary.LittleEndian.AppendUint16(dst, uint16(end-last))
		last = end
	}
	for _, v := range t.all {
		dst = binary.LittleEndian.AppendUint16(dst, v)
	}
	return seal(dst, from)
}

// DecodeTokens reads tokens from the beginning of data, checks all of them, and
// gives what follows. It keeps data. Its error is [ErrDamaged].
func DecodeTokens(data []byte) (t *Tokens, rest []byte, err error) {
	h, err := header(data, tokensMagic)
	if err != nil {
		return nil, nil, err
	}
	n, count := h[0], h[1]
	if int64(n)+int64(count) > int64(len(data)) {
		return nil, nil, fmt.Errorf("%w: %d tokens do not fit", ErrDamaged, count)
	}
	data, rest, err = sealed(data, headerSize+2*(n+count))
	if err != nil {
		return nil, nil, err
	}
	data = data[headerSize:]
	t = &Tokens{ends: make([]uint32, n), all: uint16s(data[2*n:])}
	end := uint32(0)
	for i := range t.ends {
		end += uint32(binary.LittleEndian.Uint16(data[2*i:]))
		if int(end) > count {
			break
		}
		t.ends[i] = end
	}
	if int(end) != count {
		return nil, nil, fmt.Errorf("%w: there are %d tokens, not %d", ErrDamaged, count, end)
	}
	return t, rest, nil
}

// uint16s gives the numbers in data, little endian: data itself where the machine
// reads it so.
func uint16s(data []byte) []uint16 {
	n := len(data) / 2
	if n == 0 {
		return nil
	}
	if binary.NativeEndian.Uint16([]byte{1, 0}) == 1 && uintptr(unsafe.Pointer(&data[0]))%2 == 0 {
		return unsafe.Slice((*uint16)(unsafe.Pointer(&data[0])), n)
	}
	out := make([]uint16, n)
	for i := range out {
		out[i] = binary.LittleEndian.Uint16(data[2*i:])
	}
	return out
}
