package encoder

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"slices"
	"testing"

	"engram/internal/embed"
)

// golden is a text with its tokens, [CLS] and [SEP] among them, and its vector by the original in
// float32.
type golden struct {
	Text string
	IDs  []uint16
	Vec  []float32
}

func readGolden(t testing.TB) []golden {
	t.Helper()
	file, err := os.Open("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []golden
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	if err := lines.Err(); err != nil || len(all) < 40 {
		t.Fatalf("%d golden texts: %v", len(all), err)
	}
	return all
}

func TestGoldenTokens(t *testing.T) {
	t.Parallel()
	for _, g := range readGolden(t) {
		ids := append(embed.Static().WordPieces([]uint16{tokenCLS}, g.Text), tokenSEP)
		if !slices.Equal(ids, g.IDs) {
			t.Errorf("tokens of %q are %v, want %v", g.Text, ids, g.IDs)
		}
	}
}

// needModel skips in builds without a model: see builtin_none_test.go.
func needModel(t testing.TB) {
	t.Helper()
	if !Included() {
		t.Skip("built with the tag noencoder")
	}
}

// on is the model in the binary with other kernels.
func on(t testing.TB, k *kernels) *Model {
	t.Helper()
	needModel(t)
	m, err := Default()
	if err != nil {
		t.Fatal(err)
	}
	other := *m
	other.k = k
	return &other
}

func TestGoldenVectors(t *testing.T) {
	t.Parallel()
	// [CLS] and [SEP] alone, dots, and words of one letter repeated are the hardest.
	const least, leastMean = 0.994, 0.998
	for _, k := range tiers() {
		t.Run(k.tier.String(), func(t *testing.T) {
			t.Parallel()
			r := on(t, k).NewRunner(512)
			var sum float64
			all := readGolden(t)
			for _, g := range all {
				got := make([]float32, Dim)
				if err := r.Run(got, g.IDs, []int{len(g.IDs)}); err != nil {
					t.Fatal(err)
				}
				cos := cosine(got, g.Vec)
				sum += cos
				if cos < least {
					t.Errorf("vector of %q has the cosine %.5f with the original's, want %v", g.Text, cos, least)
				}
			}
			if mean := sum / float64(len(all)); mean < leastMean {
				t.Errorf("mean cosine %.5f, want %v", mean, leastMean)
			}
		})
	}
}

func cosine(a, b []float32) float64 {
	var sum, aa, bb float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return sum / math.Sqrt(aa*bb)
}
