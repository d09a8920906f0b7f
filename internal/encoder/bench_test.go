package encoder

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// benchTokens are texts of so many tokens, one after the other.
func benchTokens(texts, tokens int) (ids []uint16, ends []int) {
	rng := rand.New(rand.NewPCG(41, 42))
	for range texts {
		ids = append(ids, tokenCLS)
		for range tokens - 2 {
			ids = append(ids, uint16(1000+rng.IntN(29_000)))
		}
		ids = append(ids, tokenSEP)
		ends = append(ends, len(ids))
	}
	return ids, ends
}

// each runs what is measured, and reports the least time: what others do on the machine does not make that less.
func each(b *testing.B, pause time.Duration, do func() error) (least time.Duration) {
	b.Helper()
	var times []time.Duration
	for b.Loop() {
		time.Sleep(pause)
		began := time.Now()
		if err := do(); err != nil {
			b.Fatal(err)
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	b.ReportMetric(times[0].Seconds()*1e3, "ms/least")
	b.ReportMetric(times[len(times)/2].Seconds()*1e3, "ms/median")
	return times[0]
}

func BenchmarkBatch(b *testing.B) {
	for _, k := range tiers() {
		for _, tokens := range []int{16, 32, 64, 128} {
			b.Run(fmt.Sprintf("%s/%d", k.tier, tokens), func(b *testing.B) {
				ids, ends := benchTokens(batchTokens/tokens, tokens)
				r := on(b, k).NewRunner(batchTokens)
				dst := make([]float32, len(ends)*Dim)
				least := each(b, 0, func() error { return r.Run(dst, ids, ends) })
				b.ReportMetric(float64(len(ids))/least.Seconds(), "tokens/s")
			})
		}
	}
}

// BenchmarkQuestion is a question of 16 tokens from text to vector: one after the other, and after
// the processor had nothing to do.
func BenchmarkQuestion(b *testing.B) {
	const question = "Which database does the billing service use since we moved it last year?"
	needModel(b)
	e := New()
	ask := func() error {
		_, err := e.Question(b.Context(), question)
		return err
	}
	b.Run("hot", func(b *testing.B) { each(b, 0, ask) })
	b.Run("idle20ms", func(b *testing.B) { each(b, 20*time.Millisecond, ask) })
}

func BenchmarkLoad(b *testing.B) {
	needModel(b)
	each(b, 0, func() error {
		_, err := Load(fileBytes())
		return err
	})
}
