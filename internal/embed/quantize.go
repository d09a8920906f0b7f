package embed

import "math"

// Quantize appends the int8 codes of a vector to dst and gives the scale: a
// component is scale × code. The greatest component has the code 127 or -127.
// A vector of zeros has the scale 0.
func Quantize(dst []int8, v []float32) (codes []int8, scale float32) {
	var most float32
	for _, x := range v {
		most = max(most, x, -x)
	}
	scale = most / 127
	if scale == 0 {
		return append(dst, make([]int8, len(v))...), 0
	}
	for _, x := range v {
		dst = append(dst, int8(math.RoundToEven(float64(x)/float64(most)*127)))
	}
	return dst, scale
}

// Dequantize appends the vector that codes and a scale stand for to dst.
func Dequantize(dst []float32, codes []int8, scale float32) []float32 {
	for _, c := range codes {
		dst = append(dst, scale*float32(c))
	}
	return dst
}

// DotInt8 is the dot product of two vectors of codes of the same length; that of
// the vectors is it times both scales.
func DotInt8(a, b []int8) int32 {
	b = b[:len(a)]
	var s, t, u, v int32
	for len(a) >= 8 && len(b) >= 8 {
		s += int32(a[0])*int32(b[0]) + int32(a[4])*int32(b[4])
		t += int32(a[1])*int32(b[1]) + int32(a[5])*int32(b[5])
		u += int32(a[2])*int32(b[2]) + int32(a[6])*int32(b[6])
		v += int32(a[3])*int32(b[3]) + int32(a[7])*int32(b[7])
		a, b = a[8:], b[8:]
	}
	for i, x := range a {
		s += int32(x) * int32(b[i])
	}
	return s + t + u + v
}
