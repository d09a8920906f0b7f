package vector

import "math"

// Query is a vector that others are compared with, at a higher resolution than
// theirs.
type Query struct {
	codes []int16
	signs []uint64
	norm  float64 // 1 / length of the codes
}

// NewQuery makes a query of a vector, whose length does not matter. It is nil
// for a vector that has no direction: zero, empty or not finite.
func NewQuery(v []float32) *Query {
	top := greatest(v)
	if top == 0 {
		return nil
	}
	q := &Query{codes: make([]int16, len(v)), signs: make([]uint64, (len(v)+63)/64)}
	signs := make([]byte, len(v))
	scale, square := math.MaxInt16/top, int64(0)
	for i, x := range v {
		c := int64(round(float64(float64(x) * scale)))
		q.codes[i] = int16(c)
		square += c * c
		if c < 0 {
			signs[i] = 0xff
		}
	}
	packSigns(q.signs, signs)
	q.norm = 1 / math.Sqrt(float64(square))
	return q
}

// Cosine compares a slot's vector with a query of the same dimension. It is
// false for a slot that has none.
func (b *Block) Cosine(slot int, q *Query) (float32, bool) {
	norm := b.norms[slot]
	if norm == 0 {
		return 0, false
	}
	c := float64(dot(q.codes, b.slot(slot))) * q.norm * float64(norm)
	return float32(min(max(c, -1), 1)), true
}

// dot multiplies codes; c is int8 each.
func dot(q []int16, c []byte) int64 {
	var s0, s1, s2, s3 int64
	for len(q) >= 8 && len(c) >= 8 {
		x, y := (*[8]int16)(q), (*[8]byte)(c)
		s0 += int64(x[0])*int64(int8(y[0])) + int64(x[4])*int64(int8(y[4]))
		s1 += int64(x[1])*int64(int8(y[1])) + int64(x[5])*int64(int8(y[5]))
		s2 += int64(x[2])*int64(int8(y[2])) + int64(x[6])*int64(int8(y[6]))
		s3 += int64(x[3])*int64(int8(y[3])) + int64(x[7])*int64(int8(y[7]))
		q, c = q[8:], c[8:]
	}
	for i := range min(len(q), len(c)) {
		s0 += int64(q[i]) * int64(int8(c[i]))
	}
	return s0 + s1 + s2 + s3
}
