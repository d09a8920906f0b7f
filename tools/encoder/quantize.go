package main

import "math"

// quantizeRows gives each row of k numbers codes of -127 to 127, and what a code is worth.
func quantizeRows(w []float32, k int) (codes []int8, scales []float32) {
	codes = make([]int8, len(w))
	for at := 0; at < len(w); at += k {
		var most float64
		for _, x := range w[at:][:k] {
			most = max(most, math.Abs(float64(x)))
		}
		scale := float32(most / 127)
		scales = append(scales, scale)
		if scale == 0 {
			continue
		}
		for i, x := range w[at:][:k] {
			codes[at+i] = nearest(x, scale)
		}
	}
	return codes, scales
}

func nearest(x, scale float32) int8 { return int8(math.RoundToEven(float64(x / scale))) }

// mostOfPair is the most that two neighbouring weights of the same sign may be together, so that VPMADDUBSW
// does not saturate: 255 × 128 < 2¹⁵.
const mostOfPair = 128

// quantizePairs is quantizeRows with the sum of weights 0 and 1, 2 and 3, … from -mostOfPair to mostOfPair. A
// row's scale is that of least squared error among 13, from the one that needs no codes over 127, with
// pairs that are too large made smaller, to the one with which none is.
func quantizePairs(w []float32, k int) (codes []int8, scales []float32) {
	const steps = 12
	codes = make([]int8, len(w))
	try := make([]int8, k)
	for at := 0; at < len(w); at += k {
		row := w[at:][:k]
		low, high := scaleRange(row)
		best, scale := math.Inf(1), float32(0)
		for step := range steps + 1 {
			s := float32(low + (high-low)*float64(step)/steps)
			if miss := codePairs(try, row, s); miss < best {
				best, scale = miss, s
				copy(codes[at:], try)
			}
			if low == high {
				break
			}
		}
		scales = append(scales, scale)
	}
	return codes, scales
}

func scaleRange(row []float32) (low, high float64) {
	var most, mostPair float64
	for i := 0; i < len(row); i += 2 {
		a, b := float64(row[i]), float64(row[i+1])
		most = max(most, math.Abs(a), math.Abs(b))
		if a*b > 0 {
			mostPair = max(mostPair, math.Abs(a+b))
		}
	}
	low = most / 127
	return low, max(low, mostPair/127)
}

// codePairs returns the sum of squared errors.
func codePairs(codes []int8, row []float32, scale float32) (miss float64) {
	clear(codes)
	if scale == 0 {
		return 0
	}
	for i := 0; i < len(row); i += 2 {
		a, b := int(nearest(row[i], scale)), int(nearest(row[i+1], scale))
		if over := a + b - mostOfPair; over > 0 {
			a -= over / 2
			b -= over - over/2
		} else if over := -a - b - mostOfPair; over > 0 {
			a += over / 2
			b += over - over/2
		}
		missA, missB := float64(row[i]-float32(a)*scale), float64(row[i+1]-float32(b)*scale)
		miss += missA*missA + missB*missB
		codes[i], codes[i+1] = int8(a), int8(b)
	}
	return miss
}
