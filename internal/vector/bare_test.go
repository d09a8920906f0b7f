package vector

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"
)

// A bare block finds the same candidates, and the codes beside it give the same
// cosines.
func TestBareBlock(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{64, 100, 384} {
		r := rand.New(rand.NewPCG(uint64(dim), 5))
		whole, bare := NewBlock(Space{"m", dim}), NewBare(Space{"m", dim})
		var codes []byte
		for i := range 300 {
			v := random(r, dim)
			if i%9 == 4 {
				v = nil
			}
			whole.Append(v)
			if i%2 == 0 {
				bare.Append(v)
			} else {
				bare.Take(whole, i)
			}
			codes = append(codes, whole.slot(i)...)
		}
		bare.Remove(7)
		whole.Remove(7)
		q, ids := NewQuery(random(r, dim)), make([]int64, 300)
		find := func(b *Block) []Near {
			var n Nearest
			n.Begin(q, 20)
			n.Scan(b, ids, func(int) bool { return true })
			return n.Candidates()
		}
		near := find(bare)
		if !slices.Equal(near, find(whole)) || len(near) == 0 {
			t.Errorf("dimension %d: other candidates", dim)
		}
		for slot := range 300 {
			want, has := whole.Cosine(slot, q)
			got, ok := CodesCosine(whole.slot(slot), q)
			if got != want || ok != has || bare.Has(slot) != has || !bare.SameSigns(slot, whole.slot(slot)) {
				t.Fatalf("dimension %d, slot %d: %v %v, want %v %v", dim, slot, got, ok, want, has)
			}
			if _, ok := bare.Cosine(slot, q); ok {
				t.Fatal("a bare block has no cosines")
			}
		}
		if bare.Size() >= whole.Size()/4 {
			t.Errorf("a bare block takes %d bytes, a whole one %d", bare.Size(), whole.Size())
		}
		bare.Fill(slices.Clone(codes))
		for slot := range 300 {
			if got, _ := bare.Cosine(slot, q); !slices.Equal(bare.slot(slot), whole.slot(slot)) || slot == 7 && got != 0 {
				t.Fatalf("dimension %d, slot %d: filled otherwise", dim, slot)
			}
		}
	}
}

func TestSignsRoundTrip(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, 40} {
		b := sample(n, 100)
		data := b.EncodeSigns([]byte("before"))[len("before"):]
		back, rest, err := DecodeSigns(append(slices.Clone(data), 1, 2), b.Space())
		if err != nil {
			t.Fatal(err)
		}
		if !back.Bare() || !slices.Equal(rest, []byte{1, 2}) || !slices.Equal(b.signs, back.signs) || !slices.Equal(b.norms, back.norms) {
			t.Errorf("%d vectors are read back otherwise", n)
		}
		if _, _, err := DecodeSigns(data, Space{"other", 100}); !errors.Is(err, ErrSpace) {
			t.Errorf("of another model: %v", err)
		}
		r := rand.New(rand.NewPCG(2, 8))
		for range 300 {
			bad := slices.Clone(data)
			bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
			if _, _, err := DecodeSigns(bad, b.Space()); !errors.Is(err, ErrDamaged) {
				t.Fatalf("a flipped bit gives %v", err)
			}
		}
		for cut := range len(data) {
			if _, _, err := DecodeSigns(data[:cut], b.Space()); !errors.Is(err, ErrDamaged) {
				t.Fatalf("%d bytes: %v", cut, err)
			}
		}
	}
	codes := Code(random(rand.New(rand.NewPCG(1, 9)), 128))
	b := NewBare(Space{"m", 128})
	b.AppendCodes(codes)
	if !slices.Equal(Signs(codes), b.EncodeSigns(nil)[headerSize+1+4:headerSize+1+4+16]) {
		t.Error("signs are written otherwise than they say")
	}
}
