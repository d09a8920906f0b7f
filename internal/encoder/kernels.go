package encoder

import (
	"math"
	"unsafe"
)

//go:generate go run ../../tools/encoder/kernels .

// kernels are the functions that the time goes into, for one kind of processor. All take a pointer
// to a struct of arguments: the assembly reads it by offsets, so the order of fields matters. Pointers
// need no alignment.
//
// An architecture has a file that lists what its processors may run, the best first (available), and assembly that
// tools/encoder/kernels writes. Tests run over tiers, so they hold for it as they are.
type kernels struct {
	tier Tier
	// shift is what quant takes off each code: 0 where codes are 0 to 255, 128
	// where they are -128 to 127.
	shift int32

	// cols is how many outputs a tile has: it divides 384, 1152 and 1536, and is a multiple
	// of 16. tiles is by its rows, [0] is nil. Plain
	// Go has none: it multiplies as matmulPlain does.
	cols  int
	tiles []func(*tile)
	// sg16 and sg8 multiply floats, 16 and 8 columns, by rows as tiles. Plain Go
	// has none: see attendPlain.
	sg16, sg8 []func(*sgArgs)
	softmax   func(*smArgs)

	addln  func(*lnArgs)
	minmax func(*mmArgs)
	gelu   func(*mmArgs)
	quant  func(*qArgs)
}

// tiers lists what this machine can run, the fastest first.
func tiers() []*kernels { return append(available(), &plainKernels) }

// tile is a block of c = rs × (nzp × wsum + Σ a × w) × wscale + bias, for some rows and cols columns.
type tile struct {
	a      unsafe.Pointer // codes of the rows
	w      unsafe.Pointer // weights, from the first column on
	k4     uintptr        // inputs / 4, a multiple of 8
	lda    uintptr        // bytes from row to row of a
	c      unsafe.Pointer // float32
	ldc    uintptr        // bytes from row to row of c
	wsum   unsafe.Pointer // int32 of each column
	nzp    unsafe.Pointer // int32 of each row: minus the code of 0
	wscale unsafe.Pointer // float32 of each column
	bias   unsafe.Pointer // float32 of each column
	rs     unsafe.Pointer // float32 of each row: its scale
}

// sgArgs is c = a × b for some rows and 16 or 8 columns, all float32.
type sgArgs struct {
	a   unsafe.Pointer
	b   unsafe.Pointer
	k   uintptr // columns of a, rows of b, at least 1
	lda uintptr // bytes from row to row
	c   unsafe.Pointer
	ldc uintptr
	ldb uintptr
}

// lnArgs is x = norm(x + y) × g + b for n floats, n a multiple of 32. mn and mx are the
// least and the greatest of the result and 0.
type lnArgs struct {
	x, y, g, b unsafe.Pointer
	n          uintptr
	mn, mx     float32
	invn, eps  float32 // 1 / n, and what is added to the variance
}

// mmArgs is for minmax and for gelu in place, n a multiple of 32. mn and mx are as in lnArgs.
type mmArgs struct {
	x      unsafe.Pointer
	n      uintptr
	mn, mx float32
	consts unsafe.Pointer // geluV
}

// qArgs is q = min(max(round(x × inv) + zp, 0), 255) - shift, n a multiple of 32.
type qArgs struct {
	x    unsafe.Pointer
	n    uintptr
	q    unsafe.Pointer
	inv  float32
	zp   int32
	perm unsafe.Pointer // permV, for AVX2
}

// smArgs is the softmax of each row in place.
type smArgs struct {
	s      unsafe.Pointer
	ld     uintptr // bytes from row to row
	rows   uintptr
	n      uintptr        // floats of a row, a multiple of 8
	consts unsafe.Pointer // expV
}

// GELU is x × (0.5 + c × P(c²)) with c = x held within ±4.5; fitted, at most 4e-5 off.
var geluC = [10]float32{
	0.3988322913646698, -0.06622681766748428, 0.009752882644534111, -0.0010942664230242372, 9.222713561030105e-05,
	-5.6922121984825935e-06, 2.467004662776162e-07, -7.03692659698163e-09, 1.176650027412407e-10, -8.682923629231565e-13,
}

const geluEdge = 4.5

// 2^f for f within ±0.5, fitted, at most 7e-8 off. Exponents under expLeast count as that.
var expC = [6]float32{
	1.0000001192092896, 0.6931469440460205, 0.24022120237350464,
	0.05550713464617729, 0.009675541892647743, 0.0013276457320898771,
}

const expLeast = -120

// The same for kernels, each number eight times: geluC, 0.5, ±geluEdge; log₂e, expLeast, expC.
var (
	geluV = func() (t [13][8]float32) {
		for i := range 8 {
			for k, c := range geluC {
				t[k][i] = c
			}
			t[10][i], t[11][i], t[12][i] = 0.5, geluEdge, -geluEdge
		}
		return t
	}()
	expV = func() (t [8][8]float32) {
		for i := range 8 {
			t[0][i], t[1][i] = math.Log2E, expLeast
			for k, c := range expC {
				t[2+k][i] = c
			}
		}
		return t
	}()
	// permV puts in order what AVX2 packs within halves.
	permV = [8]int32{0, 4, 1, 5, 2, 6, 3, 7}
)
