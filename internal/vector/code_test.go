package vector

import (
	"math"
	"math/rand/v2"
	"testing"
)

func TestTurnedCosines(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, dim := range []int{3, 64, 256, 384, 1000} {
		a, b := make([]float32, dim), make([]float32, dim)
		for i := range a {
			a[i] = float32(random.NormFloat64())
			b[i] = a[i] + float32(random.NormFloat64())
		}
		codes := Code(a)
		asCodes := make([]float32, dim)
		for i, c := range codes {
			asCodes[i] = float32(int8(c))
		}
		got, want := cosine(asCodes, Turned(b)), cosine(a, b)
		if math.Abs(got-want) > 0.01 {
			t.Errorf("%d dimensions: cosine %v with codes, want %v", dim, got, want)
		}
	}
}

func cosine(a, b []float32) float64 {
	var dot, aa, bb float64
	for i := range a {
		dot += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return dot / math.Sqrt(aa*bb)
}
