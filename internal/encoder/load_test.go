package encoder

import (
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"engram"
)

var smallShape = Shape{Layers: 1, Vocab: 64, Positions: 16}

// smallFile is a model of one layer with weights by chance.
func smallFile(t testing.TB) []byte {
	t.Helper()
	rng := rand.New(rand.NewPCG(21, 22))
	var sections [][]byte
	for _, part := range smallShape.Sections() {
		b := make([]byte, part.Size)
		switch {
		case part.Name == "damp":
			putFloats(b, func() float64 { return 1 })
			binary.LittleEndian.PutUint32(b[4*7:], math.Float32bits(2))
		case strings.HasSuffix(part.Name, ".sum"):
			sumUp(b, sections[len(sections)-1])
		case strings.HasSuffix(part.Name, ".scale"):
			putFloats(b, func() float64 { return 0.001 })
		case strings.HasSuffix(part.Name, "bias"), strings.HasSuffix(part.Name, "gain"), part.Name == "position":
			putFloats(b, rng.NormFloat64)
		default:
			for i := range b {
				b[i] = byte(int8(rng.IntN(129) - 64))
			}
		}
		sections = append(sections, b)
	}
	file, err := Pack(smallShape, sections)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func putFloats(b []byte, next func() float64) {
	for i := 0; i < len(b); i += 4 {
		binary.LittleEndian.PutUint32(b[i:], math.Float32bits(float32(next())))
	}
}

// sumUp puts the sum of each output's weights into b.
func sumUp(b, weights []byte) {
	n := len(b) / 4
	for i := range n {
		var sum int32
		for j := range len(weights) / n {
			sum += int32(weightAt(weights, len(weights)/n, i, j))
		}
		binary.LittleEndian.PutUint32(b[4*i:], uint32(sum))
	}
}

// sectionAt is where a section begins in a file of the small shape.
func sectionAt(t *testing.T, name string) int {
	t.Helper()
	at := headerSize
	for _, part := range smallShape.Sections() {
		if part.Name == name {
			return at
		}
		at += padded(part.Size)
	}
	t.Fatalf("no section %s", name)
	return 0
}

func seal(file []byte) { binary.LittleEndian.PutUint32(file[crcAt:], checksum(file)) }

func TestLoad(t *testing.T) {
	t.Parallel()
	file := smallFile(t)
	m, err := Load(file)
	if err != nil {
		t.Fatal(err)
	}
	if m.Shape() != smallShape {
		t.Errorf("shape %+v, want %+v", m.Shape(), smallShape)
	}
	if want := []damp{{7, 0.5}}; len(m.damped) != 1 || m.damped[0] != want[0] {
		t.Errorf("damped %v, want %v", m.damped, want)
	}
}

func TestLoadRefuses(t *testing.T) {
	t.Parallel()
	good := smallFile(t)
	put := func(at int, v uint32) func([]byte) []byte {
		return func(file []byte) []byte {
			binary.LittleEndian.PutUint32(file[at:], v)
			seal(file)
			return file
		}
	}
	for name, c := range map[string]struct {
		change func([]byte) []byte
		want   string
	}{
		"nothing":                 {func([]byte) []byte { return nil }, "not a file of an encoder"},
		"another program's file":  {func([]byte) []byte { return []byte(strings.Repeat("GGUF", 100)) }, "not a file of an encoder"},
		"a header only":           {func(f []byte) []byte { return f[:headerSize] }, "64 bytes"},
		"a file cut off":          {func(f []byte) []byte { return f[:len(f)-1] }, "its header tells"},
		"a file with more behind": {func(f []byte) []byte { return append(f, 0) }, "its header tells"},
		"a bit flipped":           {func(f []byte) []byte { f[len(f)/2] ^= 4; return f }, "damaged"},
		"a checksum flipped":      {func(f []byte) []byte { f[crcAt] ^= 1; return f }, "damaged"},
		"a newer format":          {put(8, 2), "version 2"},
		"another width":           {put(20, 768), "768"},
		"no layer":                {put(12, 0), "0 layers"},
		"too many layers":         {put(12, 1<<31), "layers"},
		"too many tokens":         {put(28, 1<<20), "tokens"},
		"too many positions":      {put(32, 1<<30), "positions"},
		"another count of layers": {put(12, 2), "its sizes come to"},
		"a pair too large":        {put(sectionAt(t, "layer.0.up")+8, 0x00007F02), "too large"},
		"a pair too small":        {put(sectionAt(t, "layer.0.down"), 0xFF800000), "too large"},
		"a scale that is NaN":     {put(sectionAt(t, "layer.0.qkv.scale")+4, 0x7FC00000), "NaN"},
		"an infinite position":    {put(sectionAt(t, "position")+400, 0x7F800000), "+Inf"},
		"a channel divided by 0":  {put(sectionAt(t, "damp"), 0), "channel 0"},
	} {
		_, err := Load(c.change(append([]byte(nil), good...)))
		var told *engram.Error
		if !errors.As(err, &told) || !errors.Is(err, engram.ErrUnavailable) || engram.ErrorCode(err) != "encoder_unavailable" {
			t.Errorf("%s: error %v", name, err)
			continue
		}
		if !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %q does not say %q", name, err, c.want)
		}
	}
}

// All pairs of weights, at each place of a word.
func TestPairsFit(t *testing.T) {
	t.Parallel()
	for a := -128; a < 128; a++ {
		for b := -128; b < 128; b++ {
			for place := 0; place < 16; place += 2 {
				w := make([]byte, 16)
				w[place], w[place+1] = byte(int8(a)), byte(int8(b))
				if got, want := pairsFit(w), a+b >= -128 && a+b <= 128; got != want {
					t.Fatalf("pairsFit of %d, %d at %d is %v", a, b, place, got)
				}
			}
		}
	}
}

func TestPackRefuses(t *testing.T) {
	t.Parallel()
	if _, err := Pack(Shape{Layers: 1, Vocab: 0, Positions: 16}, nil); err == nil {
		t.Error("a model without tokens was packed")
	}
	if _, err := Pack(smallShape, [][]byte{{1}}); err == nil {
		t.Error("one section was packed")
	}
	if _, err := Pack(smallShape, make([][]byte, len(smallShape.Sections()))); err == nil {
		t.Error("empty sections were packed")
	}
}

// FuzzLoad changes a file in a place, and makes its checksum right or not: it is refused, or runs.
func FuzzLoad(f *testing.F) {
	good := smallFile(f)
	f.Add(uint32(0), []byte("GGUF"), uint32(len(good)), true)
	f.Add(uint32(12), []byte{2, 0, 0, 0}, uint32(len(good)), true)
	f.Add(uint32(40), []byte{0, 0, 0, 0, 1}, uint32(len(good)), true)
	f.Add(uint32(70), []byte{0x80, 0x80, 0x7F}, uint32(len(good)), true)
	f.Add(uint32(len(good)-30_000), []byte{0, 0, 0x7F, 0x7F}, uint32(len(good)), true)
	f.Add(uint32(7), []byte{1}, uint32(100), false)
	f.Fuzz(func(t *testing.T, at uint32, patch []byte, size uint32, sealed bool) {
		file := append([]byte(nil), good...)
		copy(file[min(int(at), len(file)):], patch)
		file = file[:min(int(size), len(file))]
		if sealed && len(file) >= headerSize {
			seal(file)
		}
		m, err := Load(file)
		if err != nil {
			if engram.ErrorCode(err) != "encoder_unavailable" {
				t.Errorf("error %v", err)
			}
			return
		}
		dst := make([]float32, 2*Dim)
		err = m.NewRunner(8).Run(dst, []uint16{1, 2, 3, 4, 5}, []int{2, 5})
		if err == nil {
			checkUnit(t, dst[:Dim])
			checkUnit(t, dst[Dim:])
		} else if engram.ErrorCode(err) != "encoder_unavailable" {
			t.Errorf("error %v", err)
		}
	})
}

func checkUnit(t *testing.T, v []float32) {
	t.Helper()
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if len(v) != Dim || !(math.Abs(sum-1) < 1e-4) {
		t.Errorf("a vector of %d numbers, the square of its length is %v", len(v), sum)
	}
}
