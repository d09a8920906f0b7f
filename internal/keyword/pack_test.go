package keyword

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"engram/internal/vector"
)

var late = vector.Space{Model: "late", Dim: 64}

// codedOf makes vectors of so many passages.
func codedOf(r *rand.Rand, id int64, version, passages int) Coded {
	c := Coded{Row: Row{Row: r.Int64N(1 << 40), ID: id, Version: version}}
	for range passages {
		v := make([]float32, late.Dim)
		for i := range v {
			v[i] = float32(r.NormFloat64())
		}
		c.Codes = append(c.Codes, vector.Code(v)...)
	}
	return c
}

// Whatever comes, is written anew and is forgotten, a space has what it was given
// last, in its tail or in packs, and so have packs that are made of it.
func TestSpaceHasWhatItWasGiven(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 1))
	x := New(testRules)
	want := map[docKey]Coded{}
	var stored *StoredPack
	for step := range 40 {
		batch := map[docKey]Coded{}
		for range 250 {
			c := codedOf(r, r.Int64N(3000), 1+r.IntN(2), r.IntN(4))
			batch[docKey{c.ID, uint32(c.Version)}] = c
		}
		var put []Coded
		for key, c := range batch {
			put = append(put, c)
			if want[key] = c; len(c.Codes) == 0 {
				delete(want, key)
			}
		}
		x.PutVectors(late, put, Mark{Seq: int64(step)})
		gone := map[int64]bool{r.Int64N(3000): true, r.Int64N(3000): true}
		x.forgetVectors(gone)
		for key := range want {
			if gone[key.id] {
				delete(want, key)
			}
		}
	}
	if n := len(x.spaces[late].packs); n < 2 {
		t.Fatalf("%d packs: the test is too small", n)
	}
	check := func(how string, x *Index) {
		t.Helper()
		if got := x.Texts(late); got != len(want) {
			t.Errorf("%s: %d texts, want %d", how, got, len(want))
		}
		for _, c := range want {
			if !x.Vectors(late, &c) {
				t.Fatalf("%s: other vectors of %v", how, c.Row)
			}
		}
	}
	check("put", x)
	var all []Coded
	for _, c := range want {
		all = append(all, c)
	}
	for part := range slices.Chunk(all, 700) {
		var err error
		if stored, err = MakePack(late, stored, part); err != nil {
			t.Fatal(err)
		}
	}
	load := func(how string) {
		t.Helper()
		packed, err := OpenPacks(late, [][]byte{stored.Data}, Mark{})
		if err != nil {
			t.Fatal(err)
		}
		y := New(testRules)
		y.LoadVectors(packed)
		check(how, y)
	}
	load("packed")
	gone := []int64{all[0].ID, all[1].ID, 1 << 40}
	for key := range want {
		if slices.Contains(gone, key.id) {
			delete(want, key)
		}
	}
	var err error
	if stored, err = PackWithout(stored, late, gone); err != nil {
		t.Fatal(err)
	}
	load("without some")
	if same, err := PackWithout(stored, late, gone); err != nil || same != stored {
		t.Errorf("nothing to take out: %v", err)
	}
	if none, err := MakePack(late, nil, nil); err != nil || none != nil {
		t.Errorf("a pack of nothing: %v, %v", none, err)
	}
}

// Every flipped bit and every cut of a pack is found.
func TestDamagedPack(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(4, 1))
	var vectors []Coded
	for id := range int64(20) {
		vectors = append(vectors, codedOf(r, id, 1, 2))
	}
	st, err := MakePack(late, nil, vectors)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := OpenPacks(late, [][]byte{st.Data, st.Data}, Mark{}); err != nil {
		t.Fatal(err)
	}
	for i := range 400 + len(st.Data) {
		bad := slices.Clone(st.Data)
		if i < 400 {
			bad[r.IntN(len(bad))] ^= 1 << r.IntN(8)
		} else {
			bad = bad[:i-400]
		}
		if _, err := OpenPacks(late, [][]byte{st.Data, bad}, Mark{}); !errors.Is(err, ErrPack) {
			t.Fatalf("damage %d: %v", i, err)
		}
	}
	if _, err := OpenPacks(vector.Space{Model: "other", Dim: 64}, [][]byte{st.Data}, Mark{}); !errors.Is(err, ErrPack) {
		t.Errorf("of another model: %v", err)
	}
}
