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

// blockTokens is half of the windows of BestWindow.
const blockTokens = 16

// BestWindow is the greatest cosine of a question's vector, which is of length 1,
// to any 32 tokens on end of a text, begun every 16. It finds the sentence that
// answers, where the vector of the whole says only what the text is about. It is
// 0 without known tokens.
func (t *Table) BestWindow(question []float32, tokens []uint16) float64 {
	best, found := 0.0, false
	var before [Dim]int64
	for from := 0; from < len(tokens); from += blockTokens {
		to := min(from+blockTokens, len(tokens))
		var block [Dim]int64
		t.addRows(&block, tokens[from:to])
		window := block
		for i, x := range before {
			window[i] += x
		}
		before = block
		if from == 0 && to < len(tokens) {
			continue // the first window is the first two blocks
		}
		if c, ok := cosine(question, &window); ok && (!found || c > best) {
			best, found = c, true
		}
	}
	return best
}

func cosine(unit []float32, sum *[Dim]int64) (float64, bool) {
	var dot, square float64
	for i, x := range sum {
		f := float64(x)
		square += float64(f * f)
		dot += float64(f * float64(unit[i]))
	}
	if square == 0 {
		return 0, false
	}
	return dot / math.Sqrt(square), true
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
