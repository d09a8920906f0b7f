package encoder

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// The sizes that the kernels are made for. A file with other ones is refused.
const (
	// Dim is the length of a vector and of the hidden state of a token.
	Dim = 384

	inner   = 1536 // of the feed-forward part
	heads   = 12
	headDim = Dim / heads
)

// The file: a header of 64 bytes, then sections that begin at multiples of 64, zeros between
// them. All numbers are little-endian.
//
//	 0  magic
//	 8  uint32 version of the format
//	12  uint32 layers, 16 heads, 20 Dim, 24 inner, 28 tokens of the vocabulary, 32 positions
//	36  uint32 CRC-32C of all other bytes of the file
//	40  uint64 length of the file in bytes
//	48  zeros
const (
	fileMagic   = "ENGENCOD"
	fileVersion = 1
	headerSize  = 64
	sectionStep = 64
	crcAt       = 36
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// Shape is what may differ between models of the format.
type Shape struct {
	Layers    int // transformer layers
	Vocab     int // rows of the embedding
	Positions int // the most tokens of a text
}

// Section is a part of the file.
type Section struct {
	Name string
	Size int // in bytes
}

// Sections lists the parts of a file of this shape in their order, with the sizes in bytes. Weights of
// a linear part with n outputs and k inputs are int8 in the order [n/16][k/4][16][4]; "sum" is the int32
// sum of each output's weights, the rest is float32. Queries' weights and biases are divided by √32
// beforehand; the positions have the row of token type 0 added. "damp" is what a channel of the hidden state is
// divided by before it gets codes, for "qkv" and "up", whose weights of that channel are multiplied by it: a few
// channels are many times as large as the others, which would share few codes. It is 1 for all but maxDamped.
func (s Shape) Sections() []Section {
	list := []Section{
		{"embedding", s.Vocab * Dim},
		{"embedding.scale", 4 * s.Vocab},
		{"position", 4 * s.Positions * Dim},
		{"norm.gain", 4 * Dim},
		{"norm.bias", 4 * Dim},
		{"damp", 4 * Dim},
	}
	for i := range s.Layers {
		name := fmt.Sprintf("layer.%d.", i)
		linear := func(part string, n, k int) {
			list = append(list,
				Section{name + part, n * k}, Section{name + part + ".sum", 4 * n},
				Section{name + part + ".scale", 4 * n}, Section{name + part + ".bias", 4 * n})
		}
		norm := func(part string) {
			list = append(list, Section{name + part + ".gain", 4 * Dim}, Section{name + part + ".bias", 4 * Dim})
		}
		linear("qkv", 3*Dim, Dim)
		linear("output", Dim, Dim)
		norm("norm1")
		linear("up", inner, Dim)
		linear("down", Dim, inner)
		norm("norm2")
	}
	return list
}

// size is the length of a file of this shape.
func (s Shape) size() int {
	n := headerSize
	for _, part := range s.Sections() {
		n += padded(part.Size)
	}
	return n
}

func padded(n int) int { return (n + sectionStep - 1) &^ (sectionStep - 1) }

// Pack makes a file of sections, which are those of [Shape.Sections] in that order.
func Pack(s Shape, sections [][]byte) ([]byte, error) {
	if err := s.check(); err != nil {
		return nil, err
	}
	want := s.Sections()
	if len(sections) != len(want) {
		return nil, fmt.Errorf("%d sections, want %d", len(sections), len(want))
	}
	out := make([]byte, headerSize, s.size())
	copy(out, fileMagic)
	for i, v := range []int{fileVersion, s.Layers, heads, Dim, inner, s.Vocab, s.Positions} {
		binary.LittleEndian.PutUint32(out[8+4*i:], uint32(v))
	}
	binary.LittleEndian.PutUint64(out[40:], uint64(s.size()))
	for i, part := range sections {
		if len(part) != want[i].Size {
			return nil, fmt.Errorf("section %s: %d bytes, want %d", want[i].Name, len(part), want[i].Size)
		}
		out = append(out, part...)
		out = out[:padded(len(out))] // the capacity is there, and zero
	}
	binary.LittleEndian.PutUint32(out[crcAt:], checksum(out))
	return out, nil
}

// checksum is over all bytes but its own four.
func checksum(file []byte) uint32 {
	return crc32.Update(crc32.Checksum(file[:crcAt], castagnoli), castagnoli, file[crcAt+4:])
}

// check refuses shapes that nothing could be made of, before sizes are computed from them.
func (s Shape) check() error {
	switch {
	case s.Layers < 1 || s.Layers > 48:
		return fmt.Errorf("%d layers, want 1 to 48", s.Layers)
	case s.Vocab < 1 || s.Vocab > 1<<16:
		return fmt.Errorf("%d tokens, want 1 to %d", s.Vocab, 1<<16)
	case s.Positions < 8 || s.Positions > 1<<12:
		return fmt.Errorf("%d positions, want 8 to %d", s.Positions, 1<<12)
	}
	return nil
}
