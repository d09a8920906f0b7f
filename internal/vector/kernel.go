package vector

import "math/bits"

// chunk is how many vectors' distances are computed before they are looked at.
const chunk = 256

// quad is the query as it is compared with signs of 256 bits: its own signs,
// then its planes.
type quad [(1 + planes) * 4]uint64

// quadDistances computes the distance of as many signs of four words as dst has
// room for, as [Query.distance] does.
func quadDistances(dst []uint16, signs []uint64, q *quad) {
	for i := range dst {
		s := (*[4]uint64)(signs[4*i:])
		a, b, c, d := s[0]^q[0], s[1]^q[1], s[2]^q[2], s[3]^q[3]
		dst[i] = uint16(bits.OnesCount64(a&q[4]) + bits.OnesCount64(b&q[5]) + bits.OnesCount64(c&q[6]) + bits.OnesCount64(d&q[7]) +
			2*(bits.OnesCount64(a&q[8])+bits.OnesCount64(b&q[9])+bits.OnesCount64(c&q[10])+bits.OnesCount64(d&q[11])) +
			4*(bits.OnesCount64(a&q[12])+bits.OnesCount64(b&q[13])+bits.OnesCount64(c&q[14])+bits.OnesCount64(d&q[15])))
	}
}

// anyDistances is quadDistances for signs of any number of words: q has of each
// word the query's own signs and its planes, side by side.
func anyDistances(dst []uint16, signs, q []uint64) {
	words := len(q) / (1 + planes)
	for i := range dst {
		d := 0
		for w, s := range signs[i*words:][:words] {
			at := (*[1 + planes]uint64)(q[(1+planes)*w:])
			x := s ^ at[0]
			d += bits.OnesCount64(x&at[1]) + 2*bits.OnesCount64(x&at[2]) + 4*bits.OnesCount64(x&at[3])
		}
		dst[i] = uint16(d)
	}
}

// dotCodes multiplies codes; c is int8 each, as many as q has.
func dotCodes(q []int16, c []byte) int64 {
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
