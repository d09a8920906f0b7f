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

// packRows puts the codes of n rows into words, and their sums into r.rowSum.
func (r *Runner) packRows(n int, codes []byte, k int) {
	clear(r.packed[:plainGroups(n)*k])
	for row := range n {
		words := r.packed[row/plainRows*k:][:k]
		shift := row % plainRows * plainField
		var sum int32
		for i, code := range codes[row*k:][:k] {
			words[i] |= uint64(code) << shift
			sum += int32(code)
		}
		r.rowSum[row] = sum
	}
}

// dot4 gives the sums of code × (weight + 128) of the rows of four words, whose k codes follow each
// other in a. The output's weights are four together in w, 64 bytes apart.
func dot4(sums *[4 * plainRows]int32, a []uint64, w []byte, k int) {
	clear(sums[:])
	x0, x1, x2, x3 := a[:k], a[k:][:k], a[2*k:][:k], a[3*k:][:k]
	for from := 0; from < k; from += plainSpan {
		var t0, t1, t2, t3 uint64
		for i := from; i < from+plainSpan; i += 4 {
			v := uint64(binary.LittleEndian.Uint32(w[16*i:]) ^ 0x80808080)
			a0, a1, a2, a3 := (*[4]uint64)(x0[i:]), (*[4]uint64)(x1[i:]), (*[4]uint64)(x2[i:]), (*[4]uint64)(x3[i:])
			w0, w1, w2, w3 := v&255, v>>8&255, v>>16&255, v>>24
			t0 += a0[0]*w0 + a0[1]*w1 + a0[2]*w2 + a0[3]*w3
			t1 += a1[0]*w0 + a1[1]*w1 + a1[2]*w2 + a1[3]*w3
			t2 += a2[0]*w0 + a2[1]*w1 + a2[2]*w2 + a2[3]*w3
			t3 += a3[0]*w0 + a3[1]*w1 + a3[2]*w2 + a3[3]*w3
		}
		spill(sums[0:3], t0)
		spill(sums[3:6], t1)
		spill(sums[6:9], t2)
		spill(sums[9:12], t3)
	}
}

// dot2 is dot4 of two words.
func dot2(sums *[4 * plainRows]int32, a []uint64, w []byte, k int) {
	clear(sums[:])
	x0, x1 := a[:k], a[k:][:k]
	for from := 0; from < k; from += plainSpan {
		var t0, t1 uint64
		for i := from; i < from+plainSpan; i += 4 {
			v := uint64(binary.LittleEndian.Uint32(w[16*i:]) ^ 0x80808080)
			a0, a1 := (*[4]uint64)(x0[i:]), (*[4]uint64)(x1[i:])
			w0, w1, w2, w3 := v&255, v>>8&255, v>>16&255, v>>24
			t0 += a0[0]*w0 + a0[1]*w1 + a0[2]*w2 + a0[3]*w3
			t1 += a1[0]*w0 + a1[1]*w1 + a1[2]*w2 + a1[3]*w3
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
