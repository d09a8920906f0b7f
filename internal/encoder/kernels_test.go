package encoder

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"unsafe"
)

// eachTier runs a test for each tier that has kernels, and skips where there is none.
func eachTier(t *testing.T, test func(*testing.T, *kernels)) {
	t.Helper()
	t.Parallel()
	fast := available()
	if len(fast) == 0 {
		t.Skip("plain Go only")
	}
	for _, k := range fast {
		t.Run(k.tier.String(), func(t *testing.T) {
			t.Parallel()
			test(t, k)
		})
	}
}

// untouched is what the memory around a result has before and after.
const untouched = 12345

func filled(n int) []float32 { return slices.Repeat([]float32{untouched}, n) }

func normals(rng *rand.Rand, n int) []float32 {
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// near tells whether a sum is right but for rounding. terms is the sum of the sizes of what was added.
func near(got float32, want, terms float64) bool {
	return math.Abs(float64(got)-want) <= 1e-6*(terms+1e-30)
}

func TestTilesOfEachHeight(t *testing.T) {
	eachTier(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(1, 2))
		for _, inputs := range []int{32, Dim, inner} {
			for rows := 1; rows < len(k.tiles); rows++ {
				checkTile(t, k, rng, rows, inputs)
			}
		}
	})
}

// checkTile has the largest codes and weights there can be in its first row and columns. The
// result must be the exact sum of products, made a float, and nothing beside it be written.
func checkTile(t *testing.T, k *kernels, rng *rand.Rand, rows, inputs int) {
	t.Helper()
	codes := make([]byte, rows*inputs)
	for i := range codes {
		codes[i] = byte(rng.IntN(256))
		if i < inputs {
			codes[i] = byte(i / (inputs / 2) * 255) // half of them 0, half 255
		}
	}
	weights, sums := randomWeights(rng, k.cols, inputs)
	wide := k.cols + 4
	c := filled((rows + 1) * wide)
	scale, bias, rs := normals(rng, k.cols), normals(rng, k.cols), normals(rng, rows)
	nzp, zero := make([]int32, rows), make([]int32, rows)
	shifted := slices.Clone(codes)
	for i := range shifted {
		shifted[i] -= byte(k.shift)
	}
	for r := range rows {
		zero[r] = int32(rng.IntN(256))
		nzp[r] = k.shift - zero[r]
	}
	k.tiles[rows](&tile{
		a: first(shifted), w: first(weights), k4: uintptr(inputs / 4), lda: uintptr(inputs),
		c: first(c), ldc: uintptr(4 * wide), wsum: first(sums), nzp: first(nzp), wscale: first(scale), bias: first(bias), rs: first(rs),
	})
	for i, got := range c {
		r, col := i/wide, i%wide
		if r == rows || col >= k.cols {
			if got != untouched {
				t.Fatalf("%d rows of %d: wrote beside the result, at row %d, column %d", rows, inputs, r, col)
			}
			continue
		}
		var sum int64
		for j := range inputs {
			sum += int64(weightAt(weights, inputs, col, j)) * (int64(codes[r*inputs+j]) - int64(zero[r]))
		}
		product := float64(sum) * float64(scale[col]) * float64(rs[r])
		if !near(got, product+float64(bias[col]), math.Abs(product)+math.Abs(float64(bias[col]))) {
			t.Fatalf("%d rows of %d: row %d, column %d is %v, want %v", rows, inputs, r, col, got, product+float64(bias[col]))
		}
	}
}

// randomWeights are pairs that pairsFit allows, the largest in the first columns, and their sums.
func randomWeights(rng *rand.Rand, columns, inputs int) (weights []byte, sums []int32) {
	weights, sums = make([]byte, columns*inputs), make([]int32, columns)
	for col := range columns {
		for j := 0; j < inputs; j += 2 {
			pair := [][2]int{{127, 1}, {-128, 0}, {0, -128}, {127, -128}}[col%4]
			if col > 3 {
				pair = [2]int{rng.IntN(128) - 64, rng.IntN(128) - 64}
			}
			for i, w := range pair {
				weights[weightIndex(inputs, col, j+i)] = byte(int8(w))
				sums[col] += int32(w)
			}
		}
	}
	return weights, sums
}

func weightIndex(inputs, col, j int) int { return col/16*16*inputs + j/4*64 + col%16*4 + j%4 }

func weightAt(w []byte, inputs, col, j int) int8 { return int8(w[weightIndex(inputs, col, j)]) }

func TestFloatProducts(t *testing.T) {
	eachTier(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(3, 4))
		for _, inner := range []int{1, 2, 3, 4, 5, 8, 11, headDim, 129} {
			for rows := 1; rows < len(k.sg16); rows++ {
				checkProduct(t, k.sg16[rows], rng, rows, 16, inner)
				checkProduct(t, k.sg8[rows], rng, rows, 8, inner)
			}
		}
	})
}

func checkProduct(t *testing.T, kernel func(*sgArgs), rng *rand.Rand, rows, cols, inner int) {
	t.Helper()
	const beside = 3
	lda, ldb, ldc := inner+beside, cols+beside, cols+beside
	a, b, c := normals(rng, rows*lda), normals(rng, inner*ldb), filled((rows+1)*ldc)
	kernel(&sgArgs{
		a: first(a), b: first(b), c: first(c), k: uintptr(inner),
		lda: uintptr(4 * lda), ldb: uintptr(4 * ldb), ldc: uintptr(4 * ldc),
	})
	for i, got := range c {
		r, col := i/ldc, i%ldc
		if r == rows || col >= cols {
			if got != untouched {
				t.Fatalf("%d×%d×%d: wrote beside the result, at row %d, column %d", rows, inner, cols, r, col)
			}
			continue
		}
		var want, terms float64
		for j := range inner {
			product := float64(a[r*lda+j]) * float64(b[j*ldb+col])
			want += product
			terms += math.Abs(product)
		}
		if !near(got, want, terms) {
			t.Fatalf("%d×%d×%d: row %d, column %d is %v, want %v", rows, inner, cols, r, col, got, want)
		}
	}
}

// sameAs tells whether two results are the same but for rounding.
func sameAs(got, want []float32, off float64) bool {
	return slices.EqualFunc(got, want, func(g, w float32) bool {
		return math.Abs(float64(g)-float64(w)) <= off*(1+math.Abs(float64(w)))
	})
}

func TestAddNorm(t *testing.T) {
	eachTier(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(5, 6))
		x, y, gain, bias := normals(rng, Dim), normals(rng, Dim), normals(rng, Dim), normals(rng, Dim)
		want := slices.Clone(x)
		addNormPlain(want, y, gain, bias, 1.0/Dim, normEps)
		args := lnArgs{x: first(x), y: first(y), g: first(gain), b: first(bias), n: Dim, invn: 1.0 / Dim, eps: normEps}
		k.addln(&args)
		if !sameAs(x, want, 1e-5) {
			t.Errorf("norm is %v, want %v", x, want)
		}
		if mn, mx := minmaxPlain(x); args.mn != mn || args.mx != mx {
			t.Errorf("bounds are %v, %v, want %v, %v", args.mn, args.mx, mn, mx)
		}
	})
}

func TestBoundsHaveZeroBetween(t *testing.T) {
	eachTier(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(7, 8))
		for at := range 32 {
			for _, sign := range []float32{1, -1} {
				x := make([]float32, 64)
				for i := range x {
					x[i] = sign * (1 + rng.Float32())
				}
				x[at], x[63-at] = sign*5, sign/2
				args := mmArgs{x: first(x), n: 64}
				k.minmax(&args)
				if mn, mx := minmaxPlain(x); args.mn != mn || args.mx != mx {
					t.Fatalf("bounds of %v are %v, %v", x, args.mn, args.mx)
				}
			}
		}
	})
}

func TestGELU(t *testing.T) {
	eachTier(t, func(t *testing.T, k *kernels) {
		x := make([]float32, 320)
		for i := range x {
			x[i] = float32(i-160) / 20 // ±8
		}
		want := slices.Clone(x)
		geluPlain(want)
		for i, v := range x {
			exact := float64(v) * 0.5 * (1 + math.Erf(float64(v)/math.Sqrt2))
			if math.Abs(float64(want[i])-exact) > 5e-5 {
				t.Errorf("GELU of %v is %v, want %v", v, want[i], exact)
			}
		}
		args := mmArgs{x: first(x), n: uintptr(len(x)), consts: unsafe.Pointer(&geluV)}
		k.gelu(&args)
		if !sameAs(x, want, 1e-5) {
			t.Errorf("GELU is %v, want %v", x, want)
		}
		if mn, mx := minmaxPlain(x); args.mn != mn || args.mx != mx {
			t.Errorf("bounds are %v, %v, want %v, %v", args.mn, args.mx, mn, mx)
		}
	})
}

func TestCodes(t *testing.T) {
	eachTier(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(9, 10))
		x := normals(rng, Dim)
		for i := range 32 {
			x[i] = float32(i) - 15.5 // halves go to the even side
		}
		x[40], x[41] = 1e4, -1e4 // beyond all codes
		for zp := int32(0); zp <= 255; zp += 51 {
			for _, inv := range []float32{0, 1, 37.5} {
				want := make([]byte, len(x))
				quantPlain(want, x, inv, zp)
				got := slices.Repeat([]byte{77}, len(x)+1)
				k.quant(&qArgs{x: first(x), n: uintptr(len(x)), q: first(got), inv: inv, zp: zp, perm: unsafe.Pointer(&permV)})
				for i := range want {
					if got[i]+byte(k.shift) != want[i] {
						t.Fatalf("code of %v × %v + %d is %d - %d, want %d", x[i], inv, zp, got[i], k.shift, want[i])
					}
				}
				if got[len(x)] != 77 {
					t.Fatal("wrote behind the codes")
				}
			}
		}
	})
}

func TestSoftmax(t *testing.T) {
	eachTier(t, func(t *testing.T, k *kernels) {
		rng := rand.New(rand.NewPCG(11, 12))
		for n := 1; n <= 40; n++ {
			const rows = 3
			wide := roundUp8(n)
			ld := wide + 5
			x := filled(rows * ld)
			var want []float32
			for r := range rows {
				row := x[r*ld:][:wide]
				for i := range row {
					row[i] = 10 * float32(rng.NormFloat64())
				}
				row[rng.IntN(n)] = 90 // the rest vanishes
				for i := range row[n:] {
					row[n+i] = masked
				}
				want = slices.Clone(row[:n])
				softmaxPlain(want)
			}
			k.softmax(&smArgs{s: first(x), ld: uintptr(4 * ld), rows: rows, n: uintptr(wide), consts: unsafe.Pointer(&expV)})
			last := x[(rows-1)*ld:]
			if !sameAs(last[:n], want, 1e-6) || slices.Max(append(last[n:wide:wide], 0)) > 1e-30 {
				t.Errorf("softmax of %d is %v, want %v", n, last[:wide], want)
			}
			if last[wide] != untouched {
				t.Errorf("softmax of %d wrote behind the row", n)
			}
		}
	})
}

// A text's vector is the same whichever tier makes it.
func TestTiersAgree(t *testing.T) {
	t.Parallel()
	fast := available()
	if len(fast) < 2 {
		t.Skip("this machine has not two tiers")
	}
	for _, g := range readGolden(t)[:10] {
		var want []float32
		for _, k := range fast {
			got := make([]float32, Dim)
			if err := on(t, k).NewRunner(512).Run(got, g.IDs, []int{len(g.IDs)}); err != nil {
				t.Fatal(err)
			}
			if want == nil {
				want = got
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s gives %q another vector than %s", k.tier, g.Text, fast[0].tier)
			}
		}
	}
}
