package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"

	"engram/internal/encoder"
)

// tensors is a file of https://github.com/huggingface/safetensors: the length of a header,
// the header in JSON, numbers.
type tensors struct {
	header map[string]tensor
	data   []byte
	err    error // the first
}

type tensor struct {
	Type    string `json:"dtype"`
	Offsets [2]int `json:"data_offsets"`
}

func readTensors(file []byte) (*tensors, error) {
	if len(file) < 8 || binary.LittleEndian.Uint64(file) > uint64(len(file)-8) {
		return nil, fmt.Errorf("it is no safetensors file")
	}
	n := 8 + int(binary.LittleEndian.Uint64(file))
	var parts map[string]json.RawMessage
	if err := json.Unmarshal(file[8:n], &parts); err != nil {
		return nil, fmt.Errorf("its header: %w", err)
	}
	delete(parts, "__metadata__")
	t := &tensors{header: map[string]tensor{}, data: file[n:]}
	for name, raw := range parts {
		var entry tensor
		if err := json.Unmarshal(raw, &entry); err != nil {
			return nil, fmt.Errorf("its header, %s: %w", name, err)
		}
		t.header[name] = entry
	}
	return t, nil
}

// floats gives a tensor of n numbers.
func (t *tensors) floats(name string, n int) []float32 {
	out := make([]float32, n)
	entry, ok := t.header[name]
	begin, end := entry.Offsets[0], entry.Offsets[1]
	if !ok || entry.Type != "F32" || begin < 0 || end-begin != 4*n || end > len(t.data) {
		if t.err == nil {
			t.err = fmt.Errorf("%s is not there as %d float32", name, n)
		}
		return out
	}
	for i := range out {
		out[i] = math.Float32frombits(binary.LittleEndian.Uint32(t.data[begin+4*i:]))
	}
	return out
}

func sectionsOfSafetensors(file []byte, shape encoder.Shape) ([][]byte, error) {
	t, err := readTensors(file)
	if err != nil {
		return nil, err
	}
	s := sections{tensors: t}
	s.embeddings(shape)
	for i := range shape.Layers {
		s.layer(fmt.Sprintf("encoder.layer.%d.", i))
	}
	return s.out, t.err
}

const inner = 4 * encoder.Dim

// sections are gathered in the order of [encoder.Shape.Sections].
type sections struct {
	*tensors
	out [][]byte
}

func (s *sections) add(parts ...[]byte) { s.out = append(s.out, parts...) }

func (s *sections) embeddings(shape encoder.Shape) {
	const name = "embeddings."
	codes, scales := quantizeRows(s.floats(name+"word_embeddings.weight", shape.Vocab*encoder.Dim), encoder.Dim)
	position := s.floats(name+"position_embeddings.weight", shape.Positions*encoder.Dim)
	types := s.floats(name+"token_type_embeddings.weight", 2*encoder.Dim)
	for i := range position {
		position[i] += types[i%encoder.Dim]
	}
	s.add(bytesOfCodes(codes), bytesOf(scales), bytesOf(position))
	s.norm(name + "LayerNorm")
	s.add(bytesOf(damp[:]))
}

func (s *sections) norm(name string) {
	s.add(bytesOf(s.floats(name+".weight", encoder.Dim)), bytesOf(s.floats(name+".bias", encoder.Dim)))
}

func (s *sections) layer(name string) {
	const dim = encoder.Dim
	self := name + "attention.self."
	var w, bias []float32
	for _, part := range []string{"query", "key", "value"} {
		partW, partBias := s.floats(self+part+".weight", dim*dim), s.floats(self+part+".bias", dim)
		if part == "query" {
			scale(partW, float32(1/math.Sqrt(32)))
			scale(partBias, float32(1/math.Sqrt(32)))
		}
		w, bias = append(w, partW...), append(bias, partBias...)
	}
	s.linear(damped(w), bias, dim)
	s.linear(s.floats(name+"attention.output.dense.weight", dim*dim), s.floats(name+"attention.output.dense.bias", dim), dim)
	s.norm(name + "attention.output.LayerNorm")
	s.linear(damped(s.floats(name+"intermediate.dense.weight", inner*dim)), s.floats(name+"intermediate.dense.bias", inner), dim)
	s.linear(s.floats(name+"output.dense.weight", dim*inner), s.floats(name+"output.dense.bias", dim), inner)
	s.norm(name + "output.LayerNorm")
}

func scale(x []float32, f float32) {
	for i := range x {
		x[i] *= f
	}
}

// linear adds a linear part with k inputs.
func (s *sections) linear(w, bias []float32, k int) {
	codes, scales := quantizePairs(w, k)
	sums := make([]int32, len(bias))
	for i, code := range codes {
		sums[i/k] += int32(code)
	}
	s.add(bytesOfCodes(packed(codes, k)), bytesOf(sums), bytesOf(scales), bytesOf(bias))
}

// packed turns rows of k codes into the order [n/16][k/4][16][4].
func packed(codes []int8, k int) []int8 {
	out := make([]int8, 0, len(codes))
	for block := 0; block < len(codes); block += 16 * k {
		for i := 0; i < k; i += 4 {
			for row := range 16 {
				out = append(out, codes[block+row*k+i:][:4]...)
			}
		}
	}
	return out
}

func bytesOfCodes(codes []int8) []byte {
	out := make([]byte, len(codes))
	for i, code := range codes {
		out[i] = byte(code)
	}
	return out
}

// bytesOf writes numbers of 32 bits, little-endian.
func bytesOf[T int32 | float32](x []T) []byte {
	out, err := binary.Append(make([]byte, 0, 4*len(x)), binary.LittleEndian, x)
	if err != nil {
		panic(err) // numbers of a fixed size always have a form
	}
	return out
}
