package encoder

import (
	"encoding/binary"
	"fmt"
	"math"

	"engram"
)

// Load makes a model of a file's bytes. They are kept and not copied, and must not change
// afterwards. The error is an [engram.Error] with the code encoder_unavailable: what is not a file of
// this format and version, whole and undamaged, is refused.
func Load(data []byte) (*Model, error) {
	shape, err := readHeader(data)
	if err != nil {
		return nil, badModel(err)
	}
	if got, want := checksum(data), binary.LittleEndian.Uint32(data[crcAt:]); got != want {
		return nil, badModel(fmt.Errorf("it is damaged: its checksum is %08x, not %08x", got, want))
	}
	m := &Model{shape: shape, sum: binary.LittleEndian.Uint32(data[crcAt:])}
	r := reader{rest: data[headerSize:]}
	m.read(&r)
	if r.err != nil {
		return nil, badModel(r.err)
	}
	m.k = tiers()[0]
	return m, nil
}

func badModel(err error) *engram.Error {
	return engram.Errorf(engram.ErrUnavailable, "the encoder's model cannot be used: %v", err).
		WithCode("encoder_unavailable").
		WithHint("install engram anew; who builds it makes the file with tools/encoder")
}

func readHeader(data []byte) (s Shape, err error) {
	if len(data) < headerSize || string(data[:len(fileMagic)]) != fileMagic {
		return s, fmt.Errorf("it is not a file of an encoder")
	}
	at := func(i int) int { return int(binary.LittleEndian.Uint32(data[i:])) }
	if v := at(8); v != fileVersion {
		return s, fmt.Errorf("it has version %d of the format, this program reads %d", v, fileVersion)
	}
	if at(16) != heads || at(20) != Dim || at(24) != inner {
		return s, fmt.Errorf("it has %d heads, %d and %d dimensions, this program can compute %d, %d and %d",
			at(16), at(20), at(24), heads, Dim, inner)
	}
	s = Shape{Layers: at(12), Vocab: at(28), Positions: at(32)}
	if err := s.check(); err != nil {
		return s, err
	}
	size := uint64(s.size())
	if told := binary.LittleEndian.Uint64(data[40:]); told != size {
		return s, fmt.Errorf("its header tells %d bytes, its sizes come to %d", told, size)
	}
	if uint64(len(data)) != size {
		return s, fmt.Errorf("it has %d bytes, its header tells %d", len(data), size)
	}
	return s, nil
}

// reader takes sections off a file whose size is known to be right. It keeps the first error.
type reader struct {
	rest []byte
	err  error
}

func (r *reader) bytes(n int) []byte {
	part := r.rest[:n:n]
	r.rest = r.rest[padded(n):]
	return part
}

// weights gives a section as it lies in the file, after seeing to it that the kernels
// compute it exactly.
func (r *reader) weights(n int) []byte {
	if r.err == nil && !pairsFit(r.rest[:n]) {
		r.err = fmt.Errorf("two neighbouring weights are too large together for this program's arithmetic")
	}
	return r.bytes(n)
}

func (r *reader) int32s(n int) []int32 {
	b := r.bytes(4 * n)
	out := make([]int32, n)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out
}

func (r *reader) floats(n int) []float32 {
	b := r.floatBytes(n)
	out := make([]float32, n)
	for i := range out {
		out[i] = floatAt(b, i)
	}
	return out
}

// floatBytes gives n float32 as they lie in the file, after seeing to it that none is infinite
// or no number.
func (r *reader) floatBytes(n int) []byte {
	const exponent = 0x7F800000
	b := r.bytes(4 * n)
	for i := 0; i < len(b); i += 4 {
		if r.err == nil && binary.LittleEndian.Uint32(b[i:])&exponent == exponent {
			r.err = fmt.Errorf("one of its numbers is %v", floatAt(b, i/4))
		}
	}
	return b
}

// damped gives the channels of a section of divisors that are not 1.
func (r *reader) damped() (list []damp) {
	for channel, divisor := range r.floats(Dim) {
		if divisor == 1 {
			continue
		}
		if r.err == nil && !(divisor > 1 && divisor <= 1000) {
			r.err = fmt.Errorf("channel %d is divided by %v, want 1 to 1000", channel, divisor)
		}
		list = append(list, damp{channel, 1 / divisor})
	}
	if r.err == nil && len(list) > maxDamped {
		r.err = fmt.Errorf("%d channels are divided, want at most %d", len(list), maxDamped)
	}
	return list
}

// floatAt reads the i-th float32 of a section, wherever that lies.
func floatAt(b []byte, i int) float32 {
	return math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
}

// pairsFit tells whether the sum of each two neighbouring weights (0 and 1, 2 and 3, …) is from -128 to
// 128. Codes are at most 255, so that code × weight + code × weight is at most 255 × 128 = 32640 then, and
// VPMADDUBSW, which adds two products in 16 bits, never saturates. Two weights of different signs
// always fit. The length is a multiple of 8.
func pairsFit(w []byte) bool {
	const lanes = 0x0001000100010001
	var bad uint64
	for ; len(w) >= 8; w = w[8:] {
		u := binary.LittleEndian.Uint64(w) ^ 0x8080808080808080 // each weight + 128
		sum := u&(0xFF*lanes) + u>>8&(0xFF*lanes)               // of a pair + 256, in 16 bits
		tooLarge := sum + (0x8000-385)*lanes                    // the top bit of a lane is 1 from 385 on
		largeEnough := sum + (0x8000-128)*lanes                 // … and here from 128 on
		bad |= tooLarge | ^largeEnough
	}
	return bad&(0x8000*lanes) == 0
}
