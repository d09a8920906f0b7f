package vector

import (
	"math"
	"math/bits"
	"slices"
)

// Query is a vector that others are compared with, at a higher resolution than
// theirs.
type Query struct {
	codes  []int16
	norm   float64 // 1 / length of the codes
	signs  []uint64
	planes [planes][]uint64 // the bits of the codes' size on a scale of a few steps
	far    int              // the greatest distance
}

// planes is how many bits the size of a query's code has where it is compared
// with signs.
const planes = 3

// NewQuery makes a query of a vector, whose length does not matter. It is nil
// for a vector that has no direction: zero, empty or not finite.
func NewQuery(v []float32) *Query {
	v = slices.Clone(v)
	rotate(v)
	top := greatest(v)
	if top == 0 {
		return nil
	}
	words := (len(v) + 63) / 64
	q := &Query{codes: make([]int16, len(v)), signs: make([]uint64, words)}
	sizes := make([]int, len(v))
	signs := make([]byte, len(v))
	scale, square := math.MaxInt16/top, int64(0)
	for i, x := range v {
		c := round(float64(float64(x) * scale))
		q.codes[i] = int16(c)
		square += int64(c) * int64(c)
		if c < 0 {
			signs[i], c = 0xff, -c
		}
		sizes[i] = (c*(1<<planes-1) + math.MaxInt16/2) / math.MaxInt16
		q.far += sizes[i]
	}
	q.norm = 1 / math.Sqrt(float64(square))
	packSigns(q.signs, signs)
	for p := range q.planes {
		q.planes[p] = make([]uint64, words)
		for i, s := range sizes {
			signs[i] = byte(s>>p) << 7
		}
		packSigns(q.planes[p], signs)
	}
	return q
}

// distance is how much of the query points elsewhere than signs do.
func (q *Query) distance(signs []uint64) (d int) {
	for i, s := range signs {
		x := s ^ q.signs[i]
		for p := range q.planes {
			d += bits.OnesCount64(x&q.planes[p][i]) << p
		}
	}
	return d
}

// near calls offer with each of the signs that are no farther than bar.
func (q *Query) near(signs []uint64, bar *int, offer func(slot, distance int)) {
	words := len(q.signs)
	if words != 4 && q.far <= math.MaxUint16 {
		q.nearWide(signs, bar, offer)
		return
	}
	if words != 4 {
		for slot := 0; len(signs) >= words; slot++ {
			if d := q.distance(signs[:words]); d <= *bar {
				offer(slot, d)
			}
			signs = signs[words:]
		}
		return
	}
	var whole quad
	copy(whole[:4], q.signs)
	for p := range q.planes {
		copy(whole[4*(p+1):], q.planes[p])
	}
	var buf [chunk]uint16
	for slot := 0; len(signs) >= 4; slot += chunk {
		part := buf[:min(chunk, len(signs)/4)]
		distances(part, signs, &whole)
		for i, d := range part {
			if int(d) <= *bar {
				offer(slot+i, int(d))
			}
		}
		signs = signs[4*len(part):]
	}
}

// nearWide is near for signs of any number of words.
func (q *Query) nearWide(signs []uint64, bar *int, offer func(slot, distance int)) {
	words := len(q.signs)
	whole := make([]uint64, 0, (1+planes)*words)
	for i, s := range q.signs {
		whole = append(whole, s)
		for p := range q.planes {
			whole = append(whole, q.planes[p][i])
		}
	}
	var buf [chunk]uint16
	for slot := 0; len(signs) >= words && words > 0; slot += chunk {
		part := buf[:min(chunk, len(signs)/words)]
		wideDistances(part, signs, whole)
		for i, d := range part {
			if int(d) <= *bar {
				offer(slot+i, int(d))
			}
		}
		signs = signs[words*len(part):]
	}
}

// Cosine compares a slot's vector with a query of the same dimension. It is
// false for a slot that has none, or no codes.
func (b *Block) Cosine(slot int, q *Query) (float32, bool) {
	norm := b.norms[slot]
	if norm == 0 || b.bare {
		return 0, false
	}
	return q.cosine(b.slot(slot), norm), true
}

// cosine compares codes whose length is 1 / norm.
func (q *Query) cosine(codes []byte, norm float32) float32 {
	c := float64(dot(q.codes, codes)) * q.norm * float64(norm)
	return float32(min(max(c, -1), 1))
}
