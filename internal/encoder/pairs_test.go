package encoder

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"errors"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestLikenessAsPeopleSeeIt compares cosines with what people said of pairs of sentences (STS benchmark, English).
func TestLikenessAsPeopleSeeIt(t *testing.T) {
	t.Parallel()
	needModel(t)
	if os.Getenv("ENGRAM_BENCH") == "" {
		t.Skip("ENGRAM_BENCH does not say where the sets are: see docs/benchmarks.md")
	}
	const least = 0.86
	cosines, scores := pairsOf(t, filepath.Join(os.Getenv("ENGRAM_BENCH"), "pairs_stsb", "pairs.jsonl.gz"))
	got := correlation(ranks(cosines), ranks(scores))
	t.Logf("Spearman's correlation over %d pairs is %.4f", len(scores), got)
	if len(scores) < 1000 || got < least {
		t.Errorf("correlation %.4f, want %v", got, least)
	}
}

func pairsOf(t *testing.T, name string) (cosines, scores []float64) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	plain, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	e := New()
	for lines := json.NewDecoder(plain); ; {
		var pair struct {
			A, B, Lang string
			Score      float64
		}
		if err := lines.Decode(&pair); errors.Is(err, io.EOF) {
			return cosines, scores
		} else if err != nil {
			t.Fatal(err)
		}
		if pair.Lang != "en" {
			continue
		}
		v, err := e.Embed(t.Context(), []string{pair.A, pair.B})
		if err != nil {
			t.Fatal(err)
		}
		cosines, scores = append(cosines, cosine(v[0], v[1])), append(scores, pair.Score)
	}
}

// ranks gives each number its place in order; equal ones share the mean of theirs.
func ranks(x []float64) []float64 {
	order := make([]int, len(x))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(x[a], x[b]) })
	out := make([]float64, len(x))
	for from := 0; from < len(order); {
		to := from
		for to < len(order) && x[order[to]] == x[order[from]] {
			to++
		}
		for _, i := range order[from:to] {
			out[i] = float64(from+to-1) / 2
		}
		from = to
	}
	return out
}

// correlation is Pearson's.
func correlation(a, b []float64) float64 {
	mean := func(x []float64) (m float64) {
		for _, v := range x {
			m += v / float64(len(x))
		}
		return m
	}
	ma, mb := mean(a), mean(b)
	var ab, aa, bb float64
	for i := range a {
		ab += (a[i] - ma) * (b[i] - mb)
		aa += (a[i] - ma) * (a[i] - ma)
		bb += (b[i] - mb) * (b[i] - mb)
	}
	return ab / math.Sqrt(aa*bb)
}
