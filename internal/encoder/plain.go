package encoder

import "encoding/binary"

// Plain Go multiplies three rows at once: their codes share a word in fields of 21 bits, and
// code × (weight + 128) is at most 255 × 255, so that 32 products fit into a field.
const (
	plainRows  = 3
	plainField = 21
	plainMask  = 1<<plainField - 1
	plainSpan  = 32 // products that fit
)

// plainGroups is in how many words the codes of so many rows are; it is even.
func plainGroups(rows int) int { return ((rows+plainRows-1)/plainRows + 1) &^ 1 }

func (r *Runner) matmulPlain(n int, codes []byte, l *linear, c []float32) {
	r.packRows(n, codes, l.k)
	groups := plainGroups(n)
	var sums [4 * plainRows]int32
	for col := range l.n {
		w := l.w[col&^15*l.k+col&15*4:]
		for group := 0; group < groups; {
			a := r.packed[group*l.k:]
			many := 2
			if groups-group >= 4 {
				many = 4
				dot4(&sums, a, w, l.k)
			} else {
				dot2(&sums, a, w, l.k)
			}
			for i, row := 0, group*plainRows; i < many*plainRows && row < n; i, row = i+1, row+1 {
				acc := sums[i] - 128*r.rowSum[row] + r.nzp[row]*l.sum[col]
				c[row*l.n+col] = float32(float32(acc)*l.scale[col])*r.rs[row] + l.bias[col]
			}
			group += many
		}
	}
}

// packRows puts the codes of n rows into words, and their sums into r.rowSum. Words of four groups, of
// two at the end, lie beside each other for each code.
func (r *Runner) packRows(n int, codes []byte, k int) {
	groups := plainGroups(n)
	clear(r.packed[:groups*k])
	for row := range n {
		group, step := row/plainRows, 4
		if group >= groups&^3 {
			step = 2
		}
		begin := group / step * step
		words := r.packed[begin*k+group-begin:]
		shift := row % plainRows * plainField
		var sum int32
		for i, code := range codes[row*k:][:k] {
			words[i*step] |= uint64(code) << shift
			sum += int32(code)
		}
		r.rowSum[row] = sum
	}
}

// dot4 gives the sums of code × (weight + 128) of the rows of four groups, whose k codes are in
// a. The output's weights are four together in w, 64 bytes apart.
func dot4(sums *[4 * plainRows]int32, a []uint64, w []byte, k int) {
	clear(sums[:])
	for from := 0; from < k; from += plainSpan {
		var t0, t1, t2, t3 uint64
		for i := from; i < from+plainSpan; i += 4 {
			v := uint64(binary.LittleEndian.Uint32(w[16*i:]) ^ 0x80808080)
			x := (*[16]uint64)(a[4*i:])
			u := v & 255
			t0 += x[0] * u
			t1 += x[1] * u
			t2 += x[2] * u
			t3 += x[3] * u
			u = v >> 8 & 255
			t0 += x[4] * u
			t1 += x[5] * u
			t2 += x[6] * u
			t3 += x[7] * u
			u = v >> 16 & 255
			t0 += x[8] * u
			t1 += x[9] * u
			t2 += x[10] * u
			t3 += x[11] * u
			u = v >> 24
			t0 += x[12] * u
			t1 += x[13] * u
			t2 += x[14] * u
			t3 += x[15] * u
		}
		spill(sums[0:3], t0)
		spill(sums[3:6], t1)
		spill(sums[6:9], t2)
		spill(sums[9:12], t3)
	}
}

// dot2 is dot4 of two groups.
func dot2(sums *[4 * plainRows]int32, a []uint64, w []byte, k int) {
	clear(sums[:])
	for from := 0; from < k; from += plainSpan {
		var t0, t1 uint64
		for i := from; i < from+plainSpan; i += 4 {
			v := uint64(binary.LittleEndian.Uint32(w[16*i:]) ^ 0x80808080)
			x := (*[8]uint64)(a[2*i:])
			w0, w1, w2, w3 := v&255, v>>8&255, v>>16&255, v>>24
			t0 += x[0]*w0 + x[2]*w1 + x[4]*w2 + x[6]*w3
			t1 += x[1]*w0 + x[3]*w1 + x[5]*w2 + x[7]*w3
		}
		spill(sums[0:3], t0)
		spill(sums[3:6], t1)
	}
}

func spill(sums []int32, t uint64) {
	sums[0] += int32(t & plainMask)
	sums[1] += int32(t >> plainField & plainMask)
	sums[2] += int32(t >> (2 * plainField))
}

func (r *Runner) attendPlain(begin, end, head int) {
	att := r.att[:end-begin]
	col := head * headDim
	for i := begin; i < end; i++ {
		q := r.qkv[i*qkvRow+col:][:headDim]
		for j := range att {
			key := r.qkv[(begin+j)*qkvRow+Dim+col:][:headDim]
			var sum float32
			for d, x := range key {
				sum += q[d] * x
			}
			att[j] = sum
		}
		softmaxPlain(att)
		out := r.y[i*Dim+col:][:headDim]
		clear(out)
		for j, weight := range att {
			value := r.qkv[(begin+j)*qkvRow+2*Dim+col:][:headDim]
			for d, x := range value {
				out[d] += weight * x
			}
		}
	}
}
