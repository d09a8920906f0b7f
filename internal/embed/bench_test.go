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
