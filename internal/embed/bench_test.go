package embed

import (
	"strings"
	"testing"
)

// benchText is 400 characters of the kind that agents save.
var benchText = strings.Repeat("We moved the billing service from MySQL to PostgreSQL 16, because getUserByID() took 40 ms under load. "+
	"The pool (max_open_conns=25) was exhausted every Thursday when the report job ran; the fix is in internal/store/pool.go. ", 2)[:400]

func BenchmarkLoad(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := newTable(staticModel, rowsFile, vocabFile, neighboursFile); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkTokens(b *testing.B) {
	b.ReportAllocs()
	t := Static()
	var dst []uint16
	for b.Loop() {
		dst = t.Tokens(dst[:0], benchText)
	}
	b.ReportMetric(float64(len(dst)), "tokens")
}

func BenchmarkVector(b *testing.B) {
	b.ReportAllocs()
	t := Static()
	for b.Loop() {
		t.Vector(benchText)
	}
}

func BenchmarkCoverage(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		Static().Coverage(benchText)
	}
}

func BenchmarkPassages(b *testing.B) {
	long := strings.Repeat(benchText+"\n\n", 20)
	b.SetBytes(int64(len(long)))
	for b.Loop() {
		Static().Passages(long)
	}
}

// question is asked of 100 candidates of 100 tokens.
const question = "which database does the billing service use, and when was it moved?"

func benchCandidates() [][]uint16 {
	tokens := Static().Tokens(nil, benchText)[:100]
	candidates := make([][]uint16, 100)
	for i := range candidates {
		candidates[i] = append(append([]uint16{}, tokens[i:]...), tokens[:i]...)
	}
	return candidates
}

func BenchmarkNewMatcher(b *testing.B) {
	b.ReportAllocs()
	t := Static()
	tokens := t.Tokens(nil, question)
	for b.Loop() {
		t.NewMatcher(tokens, t.Weight)
	}
}

func BenchmarkMatch100x100(b *testing.B) {
	b.ReportAllocs()
	t := Static()
	m := t.NewMatcher(t.Tokens(nil, question), t.Weight)
	candidates := benchCandidates()
	for b.Loop() {
		for _, c := range candidates {
			m.Match(c, 100)
		}
	}
}

func BenchmarkBestWindow100x100(b *testing.B) {
	t := Static()
	q, _ := t.Vector(question)
	candidates := benchCandidates()
	for b.Loop() {
		for _, c := range candidates {
			t.BestWindow(q, c)
		}
	}
}

func BenchmarkQuantize(b *testing.B) {
	v, _ := Static().Vector(benchText)
	var dst []int8
	for b.Loop() {
		dst, _ = Quantize(dst[:0], v)
	}
}

func BenchmarkDotInt8(b *testing.B) {
	v, _ := Static().Vector(benchText)
	x, _ := Quantize(nil, v)
	y, _ := Quantize(nil, v)
	for b.Loop() {
		DotInt8(x, y)
	}
}
