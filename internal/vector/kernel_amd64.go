package vector

import "golang.org/x/sys/cpu"

// Go compiles for processors of 2003 unless it is told otherwise: without the
// instruction that counts bits, and without vectors of integers. Whatever is
// computed here, kernel.go computes alike, some three times (distances) and
// ten times (codes) slower.
var (
	hasPopcnt = cpu.X86.HasPOPCNT
	hasAVX2   = cpu.X86.HasAVX2
)

// maxDot is how many products of codes a sum of 32 bits holds in each of eight
// lanes.
const maxDot = 4096

//go:noescape
func popcntDistances(dst *uint16, n int, signs *uint64, q *quad)

//go:noescape
func popcntSixDistances(dst *uint16, n int, signs, q *uint64)

//go:noescape
func popcntWideDistances(dst *uint16, n int, signs, q *uint64, words int)

//go:noescape
func avx2Dot(q *int16, c *byte, n int) int64

func distances(dst []uint16, signs []uint64, q *quad) {
	if !hasPopcnt || len(dst) == 0 {
		quadDistances(dst, signs, q)
		return
	}
	_ = signs[4*len(dst)-1]
	popcntDistances(&dst[0], len(dst), &signs[0], q)
}

func wideDistances(dst []uint16, signs, q []uint64) {
	words := len(q) / (1 + planes)
	if !hasPopcnt || len(dst) == 0 || words == 0 {
		anyDistances(dst, signs, q)
		return
	}
	_ = signs[words*len(dst)-1]
	if words == 6 { // 384 dimensions, as the encoder's
		popcntSixDistances(&dst[0], len(dst), &signs[0], &q[0])
		return
	}
	popcntWideDistances(&dst[0], len(dst), &signs[0], &q[0], words)
}

// dot multiplies codes; c is int8 each.
func dot(q []int16, c []byte) (sum int64) {
	n := min(len(q), len(c))
	if !hasAVX2 {
		return dotCodes(q[:n], c[:n])
	}
	at := 0
	for n-at >= 16 {
		m := min(n-at, maxDot) &^ 15
		sum += avx2Dot(&q[at], &c[at], m)
		at += m
	}
	return sum + dotCodes(q[at:n], c[at:n])
}
