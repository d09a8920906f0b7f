package vector

import (
	"encoding/binary"
	"errors"
	"hash/crc32"
	"math/rand/v2"
	"slices"
	"testing"
)

func sample(n, dim int) *Block {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	b := NewBlock(Space{"model", dim})
	for i := range n {
		if i%5 == 3 {
			b.Append(nil)
		} else {
			b.Append(random(r, dim))
		}
	}
	return b
}

func TestBlockRoundTrip(t *testing.T) {
	t.Parallel()
	for _, b := range []*Block{sample(0, 256), sample(1, 3), sample(40, 256), sample(9, 100), NewBlock(Space{})} {
		data := b.Encode([]byte("before"))[len("before"):]
		back, rest, err := DecodeBlock(append(data, 1, 2, 3), b.Space())
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(rest, []byte{1, 2, 3}) || !slices.Equal(b.codes, back.codes) || !slices.Equal(b.signs, back.signs) ||
			!slices.Equal(b.norms, back.norms) || b.space != back.space {
			t.Errorf("block of %d × %d is read back otherwise", b.Len(), b.space.Dim)
		}
		back.Append(make([]float32, b.space.Dim)) // must not write behind its own bytes
		if !slices.Equal(rest, []byte{1, 2, 3}) {
			t.Error("an appended vector was written into what follows")
		}
	}
}

func TestBlockOfAnotherModel(t *testing.T) {
	t.Parallel()
	data := sample(3, 64).Encode(nil)
	for _, s := range []Space{{"other", 64}, {"model", 128}, {}} {
		if _, _, err := DecodeBlock(data, s); !errors.Is(err, ErrSpace) {
			t.Errorf("%v: error = %v, want %v", s, err, ErrSpace)
		}
	}
}

// Every flipped bit and every cut is found.
func TestDamage(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 8))
	b := sample(20, 64)
	var tokens Tokens
	for range 20 {
		tokens.Append(make([]uint16, r.IntN(50)))
	}
	for name, data := range map[string][]byte{"block": b.Encode(nil), "tokens": tokens.Encode(nil)} {
		decode := func(data []byte) error {
			if name == "block" {
				_, _, err := DecodeBlock(data, b.Space())
				return err
			}
			_, _, err := DecodeTokens(data)
			return err
		}
		if err := decode(data); err != nil {
			t.Fatal(err)
		}
		for range 500 {
			bad := slices.Clone(data)
			bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
			if err := decode(bad); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%s: a flipped bit gives %v", name, err)
			}
		}
		for n := range len(data) {
			if err := decode(data[:n]); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%s of %d bytes: %v", name, n, err)
			}
		}
	}
}

// Whatever the bytes are, under a right checksum too, reading them fails or
// gives what can be used.
func FuzzDecode(f *testing.F) {
	var tokens Tokens
	tokens.Append([]uint16{1, 2, 3})
	tokens.Append(nil)
	f.Add(sample(3, 64).Encode(nil), 64)
	f.Add(sample(0, 8).Encode(nil), 8)
	f.Add(tokens.Encode(nil), 0)
	f.Fuzz(func(t *testing.T, data []byte, dim int) {
		if dim < 0 || dim > 4096 {
			return
		}
		if sum := len(data) - checksumSize; sum >= 0 {
			data = binary.LittleEndian.AppendUint32(slices.Clone(data[:sum]), crc32.Checksum(data[:sum], castagnoli))
		}
		if b, _, err := DecodeBlock(data, Space{"model", dim}); err == nil {
			var n Nearest
			v := make([]float32, dim)
			for i := range v {
				v[i] = float32(i) - 3
			}
			n.Begin(NewQuery(v), 2)
			n.Scan(b, make([]int64, b.Len()), func(int) bool { return true })
			n.Best(5)
			b.Encode(nil)
		} else if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrSpace) {
			t.Fatalf("error is neither damage nor another space: %v", err)
		}
		if tokens, _, err := DecodeTokens(data); err == nil {
			for i := range tokens.Len() {
				tokens.Of(i)
			}
			tokens.Encode(nil)
		} else if !errors.Is(err, ErrDamaged) {
			t.Fatalf("error is no damage: %v", err)
		}
	})
}
