package encoder

import "unsafe"

const (
	// attendRows is how many queries are done at once: their attention to a text of
	// 128 tokens is then 12 KB.
	attendRows = 24
	qkvRow     = 3 * Dim
	// masked is the attention to keys that are not there.
	masked = -1e30
)

// attention puts softmax(q·kᵀ)·v of each text and head into y.
func (r *Runner) attention() {
	begin := 0
	for _, end := range r.ends {
		for head := range heads {
			if r.m.k.sg16 == nil {
				r.attendPlain(begin, end, head)
			} else {
				r.attend(begin, end, head)
			}
		}
		begin = end
	}
}

func (r *Runner) attend(begin, end, head int) {
	n := end - begin
	wide := roundUp8(n)
	r.transposeKeys(begin, n, head)
	col := head * headDim
	for row := 0; row < n; row += attendRows {
		rows := min(attendRows, n-row)
		r.sg = sgArgs{k: headDim, lda: 4 * qkvRow, ldb: uintptr(4 * wide), ldc: uintptr(4 * wide)}
		r.sgemm(at(r.qkv, (begin+row)*qkvRow+col), first(r.keys), first(r.att), rows, wide)
		for i := range rows {
			tail := r.att[i*wide+n : (i+1)*wide]
			for j := range tail {
				tail[j] = masked
			}
		}
		r.sm = smArgs{s: first(r.att), ld: uintptr(4 * wide), rows: uintptr(rows), n: uintptr(wide), consts: unsafe.Pointer(&expV)}
		r.m.k.softmax(&r.sm)
		r.sg = sgArgs{k: uintptr(n), lda: uintptr(4 * wide), ldb: 4 * qkvRow, ldc: 4 * Dim}
		r.sgemm(first(r.att), at(r.qkv, begin*qkvRow+2*Dim+col), at(r.y, (begin+row)*Dim+col), rows, headDim)
	}
}

// transposeKeys puts the keys of a head into r.keys, headDim rows of n and zeros up to a
// multiple of 8.
func (r *Runner) transposeKeys(begin, n, head int) {
	wide := roundUp8(n)
	keys := r.keys[:headDim*wide]
	for j := range n {
		key := r.qkv[(begin+j)*qkvRow+Dim+head*headDim:][:headDim]
		for d, x := range key {
			keys[d*wide+j] = x
		}
	}
	for d := range headDim {
		clear(keys[d*wide+n : (d+1)*wide])
	}
}

// sgemm does c = a × b with r.sg, in which the strides and k are set: so many rows, and columns
// that are a multiple of 8.
func (r *Runner) sgemm(a, b, c unsafe.Pointer, rows, cols int) {
	t := &r.sg
	kernels, most := r.m.k.sg16, len(r.m.k.sg16)-1
	parts := (rows + most - 1) / most
	for col := 0; col < cols; {
		width := 16
		if cols-col < width {
			width, kernels = 8, r.m.k.sg8
		}
		t.b = unsafe.Add(b, 4*col)
		for part := range parts {
			row, end := rows*part/parts, rows*(part+1)/parts
			t.a = unsafe.Add(a, row*int(t.lda))
			t.c = unsafe.Add(c, row*int(t.ldc)+4*col)
			kernels[end-row](t)
		}
		col += width
	}
}
