package vector

import "math/bits"

// rotate turns a vector in place, all of them in the same way, so that no
// cosine changes (nor does it matter that their lengths do, by a factor that they
// have in common). Models give some of their dimensions far more weight than
// others; afterwards all weigh nearly the same, and a sign or a code of one says
// as much as that of another. There is nothing but adding, subtracting and
// changing signs: the result is the same on every platform.
func rotate(v []float32) {
	if len(v) == 0 {
		return
	}
	part := 1 << (bits.Len(uint(len(v))) - 1)
	flip(v, 0)
	hadamard(v[:part])
	flip(v, 1)
	if part == len(v) {
		hadamard(v)
		return
	}
	// The first dimensions became longer by the root of part, the others did not.
	// Each round's part overlaps the other's, and dividing by a power of two is exact.
	rest := v[part:]
	for i := range rest {
		rest[i] *= rootOf(part)
	}
	hadamard(v[len(v)-part:])
	rest = v[:len(v)-part]
	for i := range rest {
		rest[i] *= rootOf(part)
	}
}

// rootOf is the root of a power of two.
func rootOf(n int) float32 {
	e := bits.Len(uint(n)) - 1
	root := float32(int(1) << (e / 2))
	if e%2 == 1 {
		root *= 1.4142135
	}
	return root
}

// flip changes signs that look random.
func flip(v []float32, round uint64) {
	var word uint64
	for i := range v {
		if i%64 == 0 {
			word = mix(round<<32 | uint64(i/64))
		}
		if word&1 != 0 {
			v[i] = -v[i]
		}
		word >>= 1
	}
}

// mix is the output function of SplitMix64.
func mix(x uint64) uint64 {
	x = (x + 1) * 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// hadamard is the Walsh-Hadamard transform of a power of two of values.
func hadamard(v []float32) {
	for half := 1; half < len(v); half *= 2 {
		for at := 0; at < len(v); at += 2 * half {
			low := v[at : at+half]
			high := v[at+half : at+2*half][:len(low)]
			for i, x := range low {
				y := high[i]
				low[i], high[i] = x+y, x-y
			}
		}
	}
}
