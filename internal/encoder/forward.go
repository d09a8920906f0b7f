package encoder

import (
	"math"
	"unsafe"
)

// normEps is what BERT adds to the variance.
const normEps = 1e-12

// embed makes the first hidden state: the token's row, its position's, normalised.
func (r *Runner) embed() {
	begin, text := 0, 0
	for i, id := range r.ids {
		if i == r.ends[text] {
			begin = i
			text++
		}
		row := r.m.embedding[int(id)*Dim:][:Dim]
		scale := floatAt(r.m.embedScale, int(id))
		position := r.m.position[4*Dim*(i-begin):][:4*Dim]
		x := r.x[i*Dim:][:Dim]
		for j := range x {
			x[j] = float32(float32(int8(row[j]))*scale) + floatAt(position, j)
		}
		r.addNorm(i, r.zero, &r.m.norm)
	}
}

// layer takes all rows through a layer. Codes of x are in xq before and after.
func (r *Runner) layer(l *layer) {
	n := len(r.ids)
	r.matmul(n, r.xq, &l.qkv, r.qkv)
	r.attention()
	for i := range n {
		y := r.y[i*Dim:][:Dim]
		r.mm = mmArgs{x: first(y), n: Dim}
		r.m.k.minmax(&r.mm)
		r.encode(i, y, r.xq, r.mm.mn, r.mm.mx)
	}
	r.matmul(n, r.xq, &l.output, r.y)
	for i := range n {
		r.addNorm(i, r.y[i*Dim:][:Dim], &l.norm1)
	}
	r.matmul(n, r.xq, &l.up, r.ff)
	for i := range n {
		ff := r.ff[i*inner:][:inner]
		r.mm = mmArgs{x: first(ff), n: inner, consts: unsafe.Pointer(&geluV)}
		r.m.k.gelu(&r.mm)
		r.encode(i, ff, r.fq, r.mm.mn, r.mm.mx)
	}
	r.matmul(n, r.fq, &l.down, r.y)
	for i := range n {
		r.addNorm(i, r.y[i*Dim:][:Dim], &l.norm2)
	}
}

// addNorm adds y to row i of x, normalises the sum, and makes its codes, those of damped channels of
// less than is in x.
func (r *Runner) addNorm(i int, y []float32, p *norm) {
	x := r.x[i*Dim:][:Dim]
	r.ln = lnArgs{x: first(x), y: first(y), g: first(p.gain), b: first(p.bias), n: Dim, invn: 1.0 / Dim, eps: normEps}
	r.m.k.addln(&r.ln)
	if len(r.m.damped) == 0 {
		r.encode(i, x, r.xq, r.ln.mn, r.ln.mx)
		return
	}
	var kept [maxDamped]float32
	for j, d := range r.m.damped {
		kept[j] = x[d.channel]
		x[d.channel] *= d.factor
	}
	r.mm = mmArgs{x: first(x), n: Dim}
	r.m.k.minmax(&r.mm)
	r.encode(i, x, r.xq, r.mm.mn, r.mm.mx)
	for j, d := range r.m.damped {
		x[d.channel] = kept[j]
	}
}

// encode makes row i of codes from x. They reach from mn to mx, which 0 lies between, in 255 steps,
// so that 0 has a code of its own.
func (r *Runner) encode(i int, x []float32, codes []byte, mn, mx float32) {
	const steps = 255
	var inv float32
	var zp int32
	span := mx - mn
	if span > 0 {
		inv = steps / span
		zp = int32(math.RoundToEven(float64(-mn * inv)))
	}
	r.rs[i], r.nzp[i] = span/steps, r.m.k.shift-zp
	r.q = qArgs{x: first(x), n: uintptr(len(x)), q: at(codes, i*len(x)), inv: inv, zp: zp, perm: unsafe.Pointer(&permV)}
	r.m.k.quant(&r.q)
}

// matmul puts l of n rows of codes into c.
func (r *Runner) matmul(n int, codes []byte, l *linear, c []float32) {
	k := r.m.k
	if k.tiles == nil {
		r.matmulPlain(n, codes, l, c)
		return
	}
	t := &r.tile
	t.k4, t.lda, t.ldc = uintptr(l.k/4), uintptr(l.k), uintptr(4*l.n)
	parts := (n + len(k.tiles) - 2) / (len(k.tiles) - 1)
	for col := 0; col < l.n; col += k.cols {
		t.w = at(l.w, col*l.k)
		t.wsum, t.wscale, t.bias = at(l.sum, col), at(l.scale, col), at(l.bias, col)
		for part := range parts {
			row, end := n*part/parts, n*(part+1)/parts
			t.a, t.c = at(codes, row*l.k), at(c, row*l.n+col)
			t.nzp, t.rs = at(r.nzp, row), at(r.rs, row)
			k.tiles[end-row](t)
		}
	}
}

// pool makes a text's vector: the mean of its rows, divided by its length
// (https://arxiv.org/abs/1908.10084). It is false if one has no length.
func (r *Runner) pool(dst []float32) bool {
	ok := true
	begin := 0
	for text, end := range r.ends {
		v := dst[text*Dim:][:Dim]
		clear(v)
		for i := begin; i < end; i++ {
			for j, x := range r.x[i*Dim:][:Dim] {
				v[j] += x
			}
		}
		ok = makeUnit(v) && ok
		begin = end
	}
	return ok
}

// makeUnit divides a vector by its length; false if that is not possible.
func makeUnit(v []float32) bool {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if !(sum > 0) || math.IsInf(sum, 0) {
		return false
	}
	scale := 1 / math.Sqrt(sum)
	for i, x := range v {
		v[i] = float32(float64(x) * scale)
	}
	return true
}

func first[T any](s []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(s)) }

func at[T any](s []T, i int) unsafe.Pointer { return unsafe.Pointer(&s[i]) }
