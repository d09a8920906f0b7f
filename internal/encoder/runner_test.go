package encoder

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"engram"
)

func smallModel(t testing.TB, k *kernels) *Model {
	t.Helper()
	m, err := Load(smallFile(t))
	if err != nil {
		t.Fatal(err)
	}
	m.k = k
	return m
}

func tokensByChance(rng *rand.Rand, n, vocab int) []uint16 {
	ids := make([]uint16, n)
	for i := range ids {
		ids[i] = uint16(rng.IntN(vocab))
	}
	return ids
}

// Every number of rows and keys, alone and with others: the same bits.
func TestTogetherIsAsAlone(t *testing.T) {
	t.Parallel()
	for _, k := range tiers() {
		t.Run(k.tier.String(), func(t *testing.T) {
			t.Parallel()
			m := smallModel(t, k)
			rng := rand.New(rand.NewPCG(31, 32))
			var ids []uint16
			var ends []int
			for n := 1; n <= smallShape.Positions; n++ {
				ids = append(ids, tokensByChance(rng, n, smallShape.Vocab)...)
				ends = append(ends, len(ids))
			}
			together := make([]float32, len(ends)*Dim)
			if err := m.NewRunner(len(ids)).Run(together, ids, ends); err != nil {
				t.Fatal(err)
			}
			begin := 0
			for i, end := range ends {
				alone := make([]float32, Dim)
				if err := m.NewRunner(end-begin).Run(alone, ids[begin:end], []int{end - begin}); err != nil {
					t.Fatal(err)
				}
				checkUnit(t, alone)
				if !slices.Equal(alone, together[i*Dim:][:Dim]) {
					t.Errorf("a text of %d tokens has another vector alone", end-begin)
				}
				begin = end
			}
		})
	}
}

// A runner keeps nothing of the texts before.
func TestRunnerForgets(t *testing.T) {
	t.Parallel()
	m := smallModel(t, tiers()[0])
	rng := rand.New(rand.NewPCG(33, 34))
	used := m.NewRunner(40)
	for range 20 {
		n := 1 + rng.IntN(smallShape.Positions)
		ids := tokensByChance(rng, n, smallShape.Vocab)
		got, want := make([]float32, Dim), make([]float32, Dim)
		if err := errors.Join(used.Run(got, ids, []int{n}), m.NewRunner(n).Run(want, ids, []int{n})); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d tokens have another vector after other texts", n)
		}
	}
}

func TestPlainIsNearTheOthers(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(35, 36))
	for _, n := range []int{1, 7, 16} {
		ids := tokensByChance(rng, n, smallShape.Vocab)
		want := make([]float32, Dim)
		if err := smallModel(t, &plainKernels).NewRunner(n).Run(want, ids, []int{n}); err != nil {
			t.Fatal(err)
		}
		for _, k := range available() {
			got := make([]float32, Dim)
			if err := smallModel(t, k).NewRunner(n).Run(got, ids, []int{n}); err != nil {
				t.Fatal(err)
			}
			if cos := cosine(got, want); cos < 0.9995 {
				t.Errorf("%d tokens: the cosine of %s with plain Go is %v", n, k.tier, cos)
			}
		}
	}
}

// The sums of plain Go are exact, in whatever field of a word they are made.
func TestPlainProducts(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(37, 38))
	const outputs = 32
	for _, inputs := range []int{Dim, inner} {
		weights, sums := randomWeights(rng, outputs, inputs)
		ones, bias := slices.Repeat([]float32{1}, outputs), make([]float32, outputs)
		l := &linear{n: outputs, k: inputs, w: weights, sum: sums, scale: ones, bias: bias}
		for rows := 1; rows <= 13; rows++ {
			r := smallModelRunner(t, rows)
			codes := make([]byte, rows*inputs)
			for i := range codes {
				codes[i] = byte(min(rng.IntN(512), 255)) // half of them the largest
			}
			for row := range rows {
				r.rs[row], r.nzp[row] = 1, -int32(rng.IntN(256))
			}
			c := make([]float32, rows*outputs)
			r.matmulPlain(rows, codes, l, c)
			for i, got := range c {
				row, col := i/outputs, i%outputs
				var want int32
				for j := range inputs {
					want += int32(weightAt(weights, inputs, col, j)) * (int32(codes[row*inputs+j]) + r.nzp[row])
				}
				if got != float32(want) {
					t.Fatalf("%d rows of %d: row %d, column %d is %v, want %d", rows, inputs, row, col, got, want)
				}
			}
		}
	}
}

func smallModelRunner(t *testing.T, rows int) *Runner {
	t.Helper()
	return (&Model{shape: smallShape, k: &plainKernels}).NewRunner(rows)
}

func TestRunRefuses(t *testing.T) {
	t.Parallel()
	r := smallModel(t, tiers()[0]).NewRunner(24)
	for name, c := range map[string]struct {
		ids  []uint16
		ends []int
		room int
	}{
		"an empty text":          {[]uint16{1, 2}, []int{0, 2}, 2},
		"an empty text at last":  {[]uint16{1, 2}, []int{2, 2}, 2},
		"ends that fall":         {[]uint16{1, 2, 3}, []int{2, 1, 3}, 3},
		"an end below 0":         {[]uint16{1}, []int{-1, 1}, 2},
		"tokens of no text":      {[]uint16{1, 2, 3}, []int{2}, 1},
		"texts without tokens":   {[]uint16{1}, []int{2}, 1},
		"a text that is longer":  {make([]uint16, 17), []int{17}, 1},
		"more than it is for":    {make([]uint16, 26), []int{13, 26}, 2},
		"a token that is none":   {[]uint16{1, 64}, []int{2}, 1},
		"room for too few":       {[]uint16{1, 2}, []int{1, 2}, 1},
		"room for too many":      {[]uint16{1, 2}, []int{2}, 2},
		"room where no text is":  {nil, nil, 1},
		"an end beyond all ints": {[]uint16{1}, []int{int(^uint(0) >> 1)}, 1},
	} {
		err := r.Run(make([]float32, c.room*Dim), c.ids, c.ends)
		if !errors.Is(err, engram.ErrInvalid) || engram.ErrorCode(err) != "encoder_input" {
			t.Errorf("%s: error %v", name, err)
		}
	}
	if err := r.Run(nil, nil, nil); err != nil {
		t.Errorf("no texts: error %v", err)
	}
}

func TestRunAllocatesNothing(t *testing.T) {
	for _, k := range tiers() { // not parallel: what others allocate would count
		m := smallModel(t, k)
		r := m.NewRunner(48)
		rng := rand.New(rand.NewPCG(39, 40))
		ids, ends, dst := tokensByChance(rng, 33, smallShape.Vocab), []int{1, 12, 28, 33}, make([]float32, 4*Dim)
		allocs := testing.AllocsPerRun(10, func() {
			if err := r.Run(dst, ids, ends); err != nil {
				t.Fatal(err)
			}
		})
		if allocs > 0 {
			t.Errorf("%s: %v allocations a run", k.tier, allocs)
		}
	}
}

// FuzzRun gives a runner any tokens and ends: it refuses them or gives vectors.
func FuzzRun(f *testing.F) {
	r := smallModel(f, tiers()[0]).NewRunner(24)
	f.Add([]byte{1, 2, 3}, []byte{2, 3})
	f.Add([]byte{200}, []byte{1})
	f.Add([]byte{}, []byte{0})
	f.Add(make([]byte, 20), []byte{16, 20})
	f.Fuzz(func(t *testing.T, tokens, endings []byte) {
		ids, ends := make([]uint16, len(tokens)), make([]int, len(endings))
		for i, b := range tokens {
			ids[i] = uint16(b)
		}
		for i, b := range endings {
			ends[i] = int(int8(b))
		}
		dst := make([]float32, len(ends)*Dim)
		if err := r.Run(dst, ids, ends); err != nil {
			if engram.ErrorCode(err) != "encoder_input" {
				t.Errorf("error %v", err)
			}
			return
		}
		for i := range ends {
			checkUnit(t, dst[i*Dim:][:Dim])
		}
	})
}
