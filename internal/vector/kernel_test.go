package vector

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// What the processor's instructions give is what plain Go gives.
func TestKernelsAgree(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(5, 6))
	for range 50 {
		n := 1 + r.IntN(2*chunk)
		signs := make([]uint64, 4*n)
		for i := range signs {
			signs[i] = r.Uint64()
		}
		var q quad
		for i := range q {
			q[i] = r.Uint64()
		}
		if r.IntN(5) == 0 { // the farthest
			for i := range q {
				q[i] = math.MaxUint64
			}
			clear(signs[:4])
		}
		got, want := make([]uint16, n), make([]uint16, n)
		distances(got, signs, &q)
		quadDistances(want, signs, &q)
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("%d of %d: distance %d, want %d", i, n, got[i], want[i])
			}
		}
	}
	for words := range 20 {
		for range 10 {
			n := 1 + r.IntN(2*chunk)
			signs, q := make([]uint64, words*n), make([]uint64, (1+planes)*words)
			for _, part := range [][]uint64{signs, q} {
				for i := range part {
					part[i] = r.Uint64()
				}
			}
			got, want := make([]uint16, n), make([]uint16, n)
			wideDistances(got, signs, q)
			anyDistances(want, signs, q)
			if !slices.Equal(got, want) {
				t.Fatalf("%d words: distances %v, want %v", words, got, want)
			}
			if words != 4 {
				continue
			}
			var whole quad
			for i := range q {
				whole[i%4*4+i/4] = q[i]
			}
			quadDistances(got, signs, &whole)
			if !slices.Equal(got, want) {
				t.Fatalf("four words: distances %v, want %v", want, got)
			}
		}
	}
	for _, n := range []int{0, 1, 15, 16, 17, 100, 256, 300, 1024, 4096, 4112, 10_000} {
		q, c := make([]int16, n), make([]byte, n)
		for _, fill := range []func(i int) (int16, byte){
			func(int) (int16, byte) { return int16(r.Uint32()), byte(r.Uint32()) },
			func(int) (int16, byte) { return math.MaxInt16, 127 },
			func(int) (int16, byte) { return math.MaxInt16, 0x81 },
			func(i int) (int16, byte) { return int16(i), byte(i) },
		} {
			for i := range n {
				q[i], c[i] = fill(i)
			}
			if got, want := dot(q, c), dotCodes(q, c); got != want {
				t.Errorf("%d codes: %d, want %d", n, got, want)
			}
		}
	}
}

func BenchmarkKernels(b *testing.B) {
	const n = 1 << 14
	r := rand.New(rand.NewPCG(7, 8))
	signs := make([]uint64, 4*n)
	for i := range signs {
		signs[i] = r.Uint64()
	}
	var q quad
	dst := make([]uint16, chunk)
	codes, c := make([]int16, 256), make([]byte, 256)
	run := func(name string, per int, fn func()) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				fn()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(per), "ns/vector")
		})
	}
	each := func(fn func([]uint16, []uint64, *quad)) func() {
		return func() {
			for at := 0; at < n; at += chunk {
				fn(dst, signs[4*at:], &q)
			}
		}
	}
	run("distances", n, each(distances))
	wide := make([]uint64, 6*(1+planes))
	for i := range wide {
		wide[i] = r.Uint64()
	}
	six := func(fn func([]uint16, []uint64, []uint64)) func() {
		return func() {
			for at := 0; at+chunk <= n*4/6; at += chunk {
				fn(dst, signs[6*at:], wide)
			}
		}
	}
	run("distances of 6 words", n*4/6/chunk*chunk, six(wideDistances))
	run("distances of 6 words in Go", n*4/6/chunk*chunk, six(anyDistances))
	run("distances in Go", n, each(quadDistances))
	run("dot", 1, func() { dot(codes, c) })
	run("dot in Go", 1, func() { dotCodes(codes, c) })
}
