package vector

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// random gives a vector near to one of a few directions.
func random(r *rand.Rand, dim int) []float32 {
	v := make([]float32, dim)
	topic := rand.New(rand.NewPCG(r.Uint64N(20), 1))
	for i := range v {
		v[i] = float32(0.2 + topic.NormFloat64() + 0.7*r.NormFloat64())
	}
	return v
}

func exact(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}

func TestCosine(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{1, 7, 64, 100, 256, 1024, 4096} {
		r := rand.New(rand.NewPCG(uint64(dim), 2))
		b := NewBlock(Space{"m", dim})
		var all [][]float32
		for range 50 {
			all = append(all, random(r, dim))
			b.Append(all[len(all)-1])
		}
		for range 20 {
			v := random(r, dim)
			q := NewQuery(v)
			for i := range all {
				got, ok := b.Cosine(i, q)
				if want := exact(v, all[i]); !ok || math.Abs(float64(got)-want) > 0.006 {
					t.Fatalf("dimension %d: cosine %v, want %v", dim, got, want)
				}
			}
		}
		if c, _ := b.Cosine(3, NewQuery(all[3])); c < 0.9999 && dim > 1 || c > 1 {
			t.Errorf("dimension %d: a vector has cosine %v with itself", dim, c)
		}
	}
}

func TestNoVector(t *testing.T) {
	t.Parallel()
	nan, inf := float32(math.NaN()), float32(math.Inf(1))
	b := NewBlock(Space{"m", 2})
	for _, v := range [][]float32{nil, {}, {1}, {1, 2, 3}, {0, 0}, {nan, 1}, {1, inf}, {-inf, 1}} {
		b.Append(v)
		if b.Has(b.Len() - 1) {
			t.Errorf("%v is taken for a vector", v)
		}
		if len(v) == 2 && NewQuery(v) != nil {
			t.Errorf("%v is taken for a query", v)
		}
	}
	b.Append([]float32{3, 4})
	b.Append([]float32{4, 3})
	b.Remove(8)
	var n Nearest
	n.Begin(NewQuery([]float32{1, 1}), 10)
	n.Scan(b, make([]int64, b.Len()), func(int) bool { return true })
	if got := n.Best(10); len(got) != 1 || got[0].Slot != 9 {
		t.Errorf("found %v, want slot 9 only", got)
	}
	if _, ok := b.Cosine(8, NewQuery([]float32{1, 1})); ok {
		t.Error("what was removed has a cosine")
	}
}

// blocks cuts vectors into blocks at random, in another order.
func blocks(r *rand.Rand, all [][]float32) (out []*Block, ids [][]int64) {
	order := r.Perm(len(all))
	for len(order) > 0 {
		n := 1 + r.IntN(len(order))
		b := NewBlock(Space{"m", len(all[0])})
		var own []int64
		for _, i := range order[:n] {
			b.Append(all[i])
			own = append(own, int64(i))
		}
		out, ids = append(out, b), append(ids, own)
		order = order[n:]
	}
	return out, ids
}

// Looking at everything gives what a search that compares all codes gives; one
// that compares fewer gives the same for any cut into blocks.
func TestNearest(t *testing.T) {
	t.Parallel()
	for _, dim := range []int{64, 100, 256, 320} {
		r := rand.New(rand.NewPCG(uint64(dim), 3))
		var all [][]float32
		for i := range 3000 {
			if i%7 == 0 && i > 0 {
				all = append(all, all[i-1]) // ties
			} else {
				all = append(all, random(r, dim))
			}
		}
		for _, odd := range []bool{false, true} {
			allowed := func(id int64) bool { return !odd || id%2 == 1 }
			v := random(r, dim)
			want := oracle(all, v, allowed)
			for _, keep := range []int{1, 50, 200, 5000} {
				var first []int64
				for range 4 {
					bs, ids := blocks(r, all)
					var n Nearest
					n.Begin(NewQuery(v), keep)
					for i, b := range bs {
						n.Scan(b, ids[i], func(slot int) bool { return allowed(ids[i][slot]) })
					}
					var got []int64
					for _, x := range n.Best(40) {
						if ids[x.Block][x.Slot] != x.ID {
							t.Fatalf("%+v is memory %d", x, ids[x.Block][x.Slot])
						}
						got = append(got, x.ID)
					}
					if first == nil {
						first = got
					}
					if diff := gocmp.Diff(first, got); diff != "" {
						t.Fatalf("dimension %d, keep %d: other blocks, other result (-first +this):\n%s", dim, keep, diff)
					}
				}
				if len(first) != min(keep, 40) {
					t.Fatalf("dimension %d, keep %d: %d found", dim, keep, len(first))
				}
				if diff := gocmp.Diff(want[:40], first); keep == 5000 && diff != "" {
					t.Fatalf("dimension %d: the nearest (-want +got):\n%s", dim, diff)
				}
			}
		}
	}
}

// oracle orders all vectors by the cosine of their codes.
func oracle(all [][]float32, v []float32, allowed func(int64) bool) []int64 {
	b := NewBlock(Space{"m", len(v)})
	q := NewQuery(v)
	var ids []int64
	cosines := map[int64]float32{}
	for i := range all {
		b.Append(all[i])
		if allowed(int64(i)) {
			cosines[int64(i)], _ = b.Cosine(i, q)
			ids = append(ids, int64(i))
		}
	}
	slices.SortFunc(ids, func(x, y int64) int { return cmp.Or(cmp.Compare(cosines[y], cosines[x]), cmp.Compare(y, x)) })
	return ids
}

// Thousands of equal vectors cost no more than others, and the newest win.
func TestNearestOfEqualOnes(t *testing.T) {
	t.Parallel()
	b := NewBlock(Space{"m", 64})
	v := random(rand.New(rand.NewPCG(1, 1)), 64)
	ids := make([]int64, 50_000)
	for i := range ids {
		b.Append(v)
		ids[i] = int64(i)
	}
	var n Nearest
	n.Begin(NewQuery(v), 100)
	n.Scan(b, ids, func(int) bool { return true })
	if len(n.kept) > 4*100+1024 {
		t.Errorf("%d are kept", len(n.kept))
	}
	if got := n.Best(3); len(got) != 3 || got[0].ID != 49_999 || got[2].ID != 49_997 {
		t.Errorf("found %v", got)
	}
}

func TestTake(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 4))
	from, to := NewBlock(Space{"m", 100}), NewBlock(Space{"m", 100})
	for range 10 {
		from.Append(random(r, 100))
	}
	from.Append(nil)
	q := NewQuery(random(r, 100))
	for slot := range from.Len() {
		to.Take(from, from.Len()-1-slot)
	}
	for slot := range from.Len() {
		a, okA := from.Cosine(slot, q)
		b, okB := to.Cosine(from.Len()-1-slot, q)
		if a != b || okA != okB {
			t.Errorf("slot %d: %v %v became %v %v", slot, a, okA, b, okB)
		}
	}
	to.Take(NewBlock(Space{"other", 100}), 0)
	if to.Has(to.Len() - 1) {
		t.Error("a vector of another model was taken")
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	var tokens Tokens
	want := [][]uint16{{1, 2, 3}, {}, {65535}, make([]uint16, 300), {}}
	for _, w := range want {
		tokens.Append(w)
	}
	before := tokens.Of(2)
	tokens.Append(make([]uint16, 70_000))
	for i, w := range want {
		if !slices.Equal(tokens.Of(i), w) {
			t.Errorf("slot %d has %v, want %v", i, tokens.Of(i), w)
		}
	}
	if n := len(tokens.Of(5)); n != math.MaxUint16 || before[0] != 65535 {
		t.Errorf("%d tokens kept; what was given before is %v now", n, before)
	}
	back, rest, err := DecodeTokens(append(tokens.Encode(nil), 7, 8))
	if err != nil || !slices.Equal(rest, []byte{7, 8}) || !slices.Equal(back.all, tokens.all) || !slices.Equal(back.ends, tokens.ends) {
		t.Errorf("read back: %v, rest %v", err, rest)
	}
}

func BenchmarkScan(b *testing.B) {
	for _, n := range []int{10_000, 100_000, 1_000_000} {
		r := rand.New(rand.NewPCG(1, 5))
		block := NewBlock(Space{"m", 256})
		block.Grow(n)
		ids := make([]int64, n)
		for i := range ids {
			block.Append(random(r, 256))
			ids[i] = int64(i)
		}
		q := NewQuery(random(r, 256))
		for share, every := range map[string]int{"all": 1, "a hundredth": 100} {
			b.Run(fmt.Sprintf("%d/%s", n, share), func(b *testing.B) {
				var s Nearest
				for b.Loop() {
					s.Begin(q, 1000)
					s.Scan(block, ids, func(slot int) bool { return slot%every == 0 })
					s.Best(200)
				}
			})
		}
		b.Run(fmt.Sprintf("%d/decode", n), func(b *testing.B) {
			data := block.Encode(nil)
			for b.Loop() {
				if _, _, err := DecodeBlock(data, block.Space()); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkCosine(b *testing.B) {
	block := NewBlock(Space{"m", 256})
	v := random(rand.New(rand.NewPCG(1, 6)), 256)
	block.Append(v)
	q := NewQuery(v)
	for b.Loop() {
		block.Cosine(0, q)
	}
}

func BenchmarkAppend(b *testing.B) {
	block := NewBlock(Space{"m", 256})
	v := random(rand.New(rand.NewPCG(1, 6)), 256)
	for b.Loop() {
		if block.Len() > 1000 {
			block = NewBlock(block.Space())
		}
		block.Append(v)
	}
}
