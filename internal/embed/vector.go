package embed

import "math"

// Vector makes the vector of a text: that of its Tokens. It is false for a text
// without a word that the table knows; such a text has no vector.
func (t *Table) Vector(text string) ([]float32, bool) {
	var buf [256]uint16
	return t.TokensVector(t.Tokens(buf[:0], text))
}

// TokensVector makes the vector of a text from its tokens: the sum of their
// rows, brought to length 1. It is false if the table knows none of them.
func (t *Table) TokensVector(tokens []uint16) ([]float32, bool) {
	var sum [Dim]int64
	for len(tokens) > 0 {
		n := min(len(tokens), maxBatch)
		t.addRows(&sum, tokens[:n])
		tokens = tokens[n:]
	}
	return unit(&sum)
}

// unit brings a sum to length 1. Products are converted before they are added,
// so that no platform fuses the two and gets another result.
func unit(sum *[Dim]int64) ([]float32, bool) {
	var square float64
	for _, x := range sum {
		square += float64(float64(x) * float64(x))
	}
	if square == 0 {
		return nil, false
	}
	length := math.Sqrt(square)
	out := make([]float32, Dim)
	for i, x := range sum {
		out[i] = float32(float64(x) / length)
	}
	return out, true
}

// maxBatch is how many products of a byte and a scale fit into 32 bits.
const maxBatch = 1 << (32 - 8 - scaleOneBit)

// addRows adds the rows of a batch of tokens to sum, in fixed point.
//
// Two sums go into one word: with the scale in 16 bits and the code, made
// positive by adding 128, in 8, a batch cannot carry from the low half into the
// high one. What was added is taken off at the end.
func (t *Table) addRows(sum *[Dim]int64, tokens []uint16) {
	var rows [maxBatch]int32 // where each begins
	var scales [maxBatch]uint16
	n := 0
	var all uint64 // scales
	for _, token := range tokens {
		if int(token) >= t.Len() {
			continue
		}
		scale := uint64(t.scale(token)*t.fixed + 0.5)
		if scale == 0 {
			continue
		}
		rows[n], scales[n] = int32(token)*Dim, uint16(scale)
		all += scale
		n++
	}
	const low = 0x000000FF_000000FF
	bias := int64(all) * 128
	for at := 0; at < Dim; at += 8 {
		var a, b, c, d uint64
		for i, row := range rows[:n] {
			s := t.codes[int(row)+at:]
			s = s[:8]
			w := uint64(s[0]) | uint64(s[1])<<8 | uint64(s[2])<<16 | uint64(s[3])<<24 |
				uint64(s[4])<<32 | uint64(s[5])<<40 | uint64(s[6])<<48 | uint64(s[7])<<56
			w ^= 0x80808080_80808080
			scale := uint64(scales[i])
			a += w & low * scale
			b += w >> 8 & low * scale
			c += w >> 16 & low * scale
			d += w >> 24 & low * scale
		}
		for i, x := range [4]uint64{a, b, c, d} {
			sum[at+i] += int64(x&math.MaxUint32) - bias
			sum[at+i+4] += int64(x>>32) - bias
		}
	}
}
