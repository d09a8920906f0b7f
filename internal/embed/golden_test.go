package embed

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// golden is a line of testdata/golden.jsonl: what the tokenizer and the table of
// the training make of a text, or the cosine of two.
type golden struct {
	Text   *string
	IDs    []uint16
	Vec8   []float64
	A, B   string
	Cosine float64
}

func readGolden(t *testing.T) (texts, pairs []golden) {
	t.Helper()
	f, err := os.Open("testdata/golden.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		if g.Text != nil {
			texts = append(texts, g)
		} else {
			pairs = append(pairs, g)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	return texts, pairs
}

func TestGolden(t *testing.T) {
	t.Parallel()
	texts, pairs := readGolden(t)
	if len(texts) < 49 || len(pairs) < 5 {
		t.Fatalf("only %d texts and %d pairs", len(texts), len(pairs))
	}
	table := Static()
	var worst float64
	for _, g := range texts {
		ids := table.WordPieces(nil, *g.Text)
		if diff := cmp.Diff(g.IDs, append([]uint16{}, ids...)); diff != "" {
			t.Errorf("WordPieces(%q) mismatch (-want +got):\n%s", *g.Text, diff)
			continue
		}
		v, ok := table.TokensVector(ids)
		if !ok {
			v = make([]float32, Dim)
		}
		for i, want := range g.Vec8 {
			worst = max(worst, math.Abs(float64(v[i])-want))
			if math.Abs(float64(v[i])-want) > 1e-4 {
				t.Errorf("vector of %q: component %d is %v, want %v", *g.Text, i, v[i], want)
			}
		}
	}
	for _, g := range pairs {
		a, _ := table.TokensVector(table.WordPieces(nil, g.A))
		b, _ := table.TokensVector(table.WordPieces(nil, g.B))
		got := dot(a, b)
		worst = max(worst, math.Abs(got-g.Cosine))
		if math.Abs(got-g.Cosine) > 1e-4 {
			t.Errorf("cosine of %q and %q is %v, want %v", g.A, g.B, got, g.Cosine)
		}
	}
	t.Logf("greatest difference %.1e", worst)
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}
