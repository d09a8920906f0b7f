package encoder

import (
	"math"
	"unsafe"
)

// plainKernels run on every processor. The multiplications are not here: see matmulPlain and
// attendPlain.
var plainKernels = kernels{
	tier: Plain,
	addln: func(t *lnArgs) {
		x, y := floatsAt(t.x, t.n), floatsAt(t.y, t.n)
		t.mn, t.mx = addNormPlain(x, y, floatsAt(t.g, t.n), floatsAt(t.b, t.n), t.invn, t.eps)
	},
	minmax: func(t *mmArgs) { t.mn, t.mx = minmaxPlain(floatsAt(t.x, t.n)) },
	gelu:   func(t *mmArgs) { t.mn, t.mx = geluPlain(floatsAt(t.x, t.n)) },
	quant: func(t *qArgs) {
		quantPlain(unsafe.Slice((*byte)(t.q), t.n), floatsAt(t.x, t.n), t.inv, t.zp)
	},
}

func floatsAt(p unsafe.Pointer, n uintptr) []float32 { return unsafe.Slice((*float32)(p), n) }

func addNormPlain(x, y, gain, bias []float32, invn, eps float32) (mn, mx float32) {
	var sum, squares float32
	for i := range x {
		x[i] += y[i]
		sum += x[i]
	}
	mean := sum * invn
	for i := range x {
		x[i] -= mean
		squares += x[i] * x[i]
	}
	scale := float32(1 / math.Sqrt(float64(squares*invn+eps)))
	for i := range x {
		v := x[i]*scale*gain[i] + bias[i]
		x[i] = v
		mn, mx = min(mn, v), max(mx, v)
	}
	return mn, mx
}

func minmaxPlain(x []float32) (mn, mx float32) {
	for _, v := range x {
		mn, mx = min(mn, v), max(mx, v)
	}
	return mn, mx
}

func geluPlain(x []float32) (mn, mx float32) {
	for i, v := range x {
		c := min(max(v, -geluEdge), geluEdge)
		square := c * c
		p := geluC[len(geluC)-1]
		for k := len(geluC) - 2; k >= 0; k-- {
			p = p*square + geluC[k]
		}
		v *= p*c + 0.5
		x[i] = v
		mn, mx = min(mn, v), max(mx, v)
	}
	return mn, mx
}

// rounder added and taken off again rounds a float32 to the nearest whole number, to the even
// one of two.
const rounder = 3 << 22

func quantPlain(q []byte, x []float32, inv float32, zp int32) {
	for i, v := range x {
		code := int32(float32(float32(v*inv)+rounder)-rounder) + zp
		q[i] = byte(min(max(code, 0), 255))
	}
}

func softmaxPlain(x []float32) {
	most := x[0]
	for _, v := range x {
		most = max(most, v)
	}
	var sum float32
	for i, v := range x {
		x[i] = exp(v - most)
		sum += x[i]
	}
	scale := 1 / sum
	for i := range x {
		x[i] *= scale
	}
}

// exp is e^x for x ≤ 0.
func exp(x float32) float32 {
	z := max(float32(x*math.Log2E), expLeast)
	whole := float32(z+rounder) - rounder
	p := expC[len(expC)-1]
	for k := len(expC) - 2; k >= 0; k-- {
		p = p*(z-whole) + expC[k]
	}
	return math.Float32frombits(math.Float32bits(p) + uint32(int32(whole))<<23)
}
