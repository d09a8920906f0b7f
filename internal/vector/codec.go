package vector

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"slices"
)

// Errors of bytes that cannot be used.
var (
	ErrDamaged = errors.New("vectors are damaged")
	ErrSpace   = errors.New("vectors are of another model")
)

const (
	blockMagic   = 0x31425645 // "EVB1"
	tokensMagic  = 0x31545645 // "EVT1"
	headerSize   = 16
	checksumSize = 4
	align        = 8
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Encode appends the block as bytes, little endian: magic, dimension, number of
// slots, length of the model's name; the name; norms; codes; filled up to a
// multiple of eight with the checksum of all at the end.
func (b *Block) Encode(dst []byte) []byte {
	from := len(dst)
	dst = slices.Grow(dst, headerSize+len(b.space.Model)+4*b.Len()+len(b.codes)+checksumSize+align)
	for _, v := range []int{blockMagic, b.space.Dim, b.Len(), len(b.space.Model)} {
		dst = binary.LittleEndian.AppendUint32(dst, uint32(v))
	}
	dst = append(dst, b.space.Model...)
	for _, n := range b.norms {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(n))
	}
	dst = append(dst, b.codes...)
	return seal(dst, from)
}

// seal fills up what begins at from and appends its checksum.
func seal(dst []byte, from int) []byte {
	for (len(dst)-from+checksumSize)%align != 0 {
		dst = append(dst, 0)
	}
	return binary.LittleEndian.AppendUint32(dst, crc32.Checksum(dst[from:], castagnoli))
}

// sealed checks that data begins with a sealed piece whose content has so many
// bytes, and gives the content and what follows the piece.
func sealed(data []byte, size int) (content, rest []byte, err error) {
	whole := (size + checksumSize + align - 1) / align * align
	if size < 0 || whole > len(data) {
		return nil, nil, fmt.Errorf("%w: %d bytes where %d are needed", ErrDamaged, len(data), whole)
	}
	sum := whole - checksumSize
	if crc32.Checksum(data[:sum], castagnoli) != binary.LittleEndian.Uint32(data[sum:]) {
		return nil, nil, fmt.Errorf("%w: the checksum differs", ErrDamaged)
	}
	return data[:size:size], data[whole:], nil
}

// header reads the numbers that data begins with.
func header(data []byte, magic uint32) (h [3]int, err error) {
	if len(data) < headerSize || binary.LittleEndian.Uint32(data) != magic {
		return h, fmt.Errorf("%w: they have no known form", ErrDamaged)
	}
	for i := range h {
		v := binary.LittleEndian.Uint32(data[4+4*i:])
		if v > math.MaxInt32 {
			return h, fmt.Errorf("%w: a size of %d", ErrDamaged, v)
		}
		h[i] = int(v)
	}
	return h, nil
}

// DecodeBlock reads a block of the given space from the beginning of data, checks
// all of it, and gives what follows it. It keeps data. Its error is [ErrDamaged]
// or [ErrSpace].
func DecodeBlock(data []byte, want Space) (b *Block, rest []byte, err error) {
	h, err := header(data, blockMagic)
	if err != nil {
		return nil, nil, err
	}
	dim, n, name := h[0], h[1], h[2]
	size := int64(headerSize) + int64(name) + int64(n)*(4+int64(dim))
	if size > int64(len(data)) {
		return nil, nil, fmt.Errorf("%w: %d vectors do not fit", ErrDamaged, n)
	}
	data, rest, err = sealed(data, int(size))
	if err != nil {
		return nil, nil, err
	}
	data = data[headerSize:]
	if have := (Space{string(data[:name]), dim}); have != want {
		return nil, nil, fmt.Errorf("%w: %q with %d dimensions, not %q with %d", ErrSpace, have.Model, dim, want.Model, want.Dim)
	}
	data = data[name:]
	b = &Block{space: want, norms: make([]float32, n)}
	if b.codes, err = readNorms(b.norms, data); err != nil {
		return nil, nil, err
	}
	b.signs = make([]uint64, n*b.words())
	for i := range n {
		packSigns(b.signsOf(i), b.slot(i))
	}
	return b, rest, nil
}

// readNorms reads norms from the beginning of data and gives what follows them.
func readNorms(norms []float32, data []byte) (rest []byte, err error) {
	for i := range norms {
		v := math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		if !(v >= 0 && v <= 1) {
			return nil, fmt.Errorf("%w: the length of vector %d is impossible", ErrDamaged, i)
		}
		norms[i] = v
	}
	return data[4*len(norms):], nil
}
