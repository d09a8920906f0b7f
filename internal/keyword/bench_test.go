package keyword

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"engram/internal/embed"
	"engram/internal/text"
	"engram/internal/vector"
)

// common are words that most English texts have, most frequent first.
var common = strings.Fields(`the of and to a in that is was it for on with as he be at by this had not are but from or
	have an they which you were her all she there would their we him been has when who will more no if out so said what up
	its about into than them can only other new some could time these two may then do first any my now such like our over
	man me even most made after also did many before must through back years where much your way well down should because
	each just those people how too little state good very make world still own see men work long get here between both life
	being under never day same another know while last might us great old year off come since against go came right used take three`)

// corpus makes texts whose words follow Zipf's law: common words, then made-up
// ones.
type corpus struct {
	r     *rand.Rand
	words []string
	total []float64 // of the weights up to each word
}

func newCorpus(words int) *corpus {
	c := &corpus{r: rand.New(rand.NewPCG(1, 2))}
	seen := map[string]bool{}
	for len(c.words) < words {
		w := ""
		if len(c.words) < len(common) {
			w = common[len(c.words)]
		} else {
			for range 2 + c.r.IntN(3) {
				w += string("bcdfghklmnprstvw"[c.r.IntN(16)]) + string("aeiou"[c.r.IntN(5)])
			}
			w += pick(c.r, "", "s", "n", "r", "ing", "ed")
		}
		if !seen[w] {
			seen[w] = true
			c.words = append(c.words, w)
		}
	}
	sum := 0.0
	for i := range c.words {
		sum += 1 / math.Pow(float64(i)+2.7, 1.07)
		c.total = append(c.total, sum)
	}
	return c
}

func (c *corpus) word() string {
	i, _ := slices.BinarySearch(c.total, c.r.Float64()*c.total[len(c.total)-1])
	return c.words[min(i, len(c.words)-1)]
}

// text is about so many characters.
func (c *corpus) text(chars int) string {
	var b strings.Builder
	for n := chars/2 + c.r.IntN(chars); b.Len() < n; {
		b.WriteString(c.word())
		b.WriteByte(' ')
	}
	return b.String()
}

func (c *corpus) document(id int64) Document {
	title, content := c.text(20), c.text(400)
	a := text.Analyze(title, content)
	m := Meta{
		ID: id, Version: 1, Workspace: "default", Project: fmt.Sprintf("p%d", id%20), Type: pick(c.r, "note", "decision", "bugfix"),
		Scope: "project", Kind: "observation", Session: fmt.Sprintf("session-%d", id/50), Turn: c.r.IntN(2) == 0,
		OccurredAt: id * 1_000_000, RecordedAt: id*1_000_000 + 5, CreatedAt: id*1_000_000 + 5,
	}
	tokens := embed.Static().Tokens(nil, title+"\n"+content)
	v, _ := embed.Static().TokensVector(tokens)
	return Document{Meta: m, Terms: a.Terms, TF: a.TF, Len: a.Len, Tokens: tokens, Vector: v}
}

// benchRules are those of the built-in table.
var benchRules = Rules{Analysis: 1, Space: vector.Space{Model: embed.Static().Model(), Dim: embed.Dim}}

// benchIndex is built as an engine builds it, and read back.
func benchIndex(tb testing.TB, docs int) (*Index, *corpus) {
	tb.Helper()
	c := newCorpus(60_000)
	x := New(benchRules)
	for id := int64(1); id <= int64(docs); {
		var batch []Document
		for range 1000 {
			batch = append(batch, c.document(id))
			id++
		}
		if err := x.Apply(batch, nil); err != nil {
			tb.Fatal(err)
		}
		x.Compact(1000)
	}
	return x, c
}

// question is natural: mostly common words, a few that say what is asked for.
func (c *corpus) question(commonWords, rareWords int) []Term {
	words := make([]string, 0, commonWords+rareWords)
	for range commonWords {
		words = append(words, common[c.r.IntN(60)])
	}
	for range rareWords {
		words = append(words, c.words[200+c.r.IntN(5000)])
	}
	var terms []Term
	for _, w := range text.AnalyzeQuery(strings.Join(words, " ")).Words {
		for _, f := range w.Forms {
			terms = append(terms, Term{Text: f, Weight: 1})
		}
	}
	return terms
}

var sizes = []int{10_000, 100_000}

func BenchmarkSearch(b *testing.B) {
	for _, docs := range sizes {
		x, c := benchIndex(b, docs)
		for _, q := range []struct {
			name         string
			common, rare int
			query        Query
		}{
			{"natural", 6, 3, Query{Neighbours: 2}},
			{"common only", 8, 0, Query{Neighbours: 2}},
			{"common only bare", 8, 0, Query{}},
			{"long", 20, 10, Query{Neighbours: 2}},
			{"project", 8, 0, Query{Neighbours: 2, Filter: Filter{Projects: []string{"p7"}}}},
			{"natural by meaning", 6, 3, Query{Neighbours: 2, Vectors: []Vector{{}}}},
			{"project by meaning", 8, 0, Query{Neighbours: 2, Vectors: []Vector{{}}, Filter: Filter{Projects: []string{"p7"}}}},
		} {
			b.Run(fmt.Sprintf("%d/%s", docs, q.name), func(b *testing.B) {
				queries := make([]Query, 64)
				for i := range queries {
					queries[i] = q.query
					queries[i].Terms, queries[i].Limit, queries[i].Filter.Workspace = c.question(q.common, q.rare), 200, "default"
					if q.query.Vectors != nil {
						v, _ := embed.Static().Vector(c.text(60))
						queries[i].Vectors = []Vector{{benchRules.Space.Model, v}}
					}
				}
				b.ReportAllocs()
				var took []time.Duration
				for b.Loop() {
					start := time.Now()
					x.Search(queries[len(took)%len(queries)])
					took = append(took, time.Since(start))
				}
				slices.Sort(took)
				b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
			})
		}
		b.Run(fmt.Sprintf("%d/similar", docs), func(b *testing.B) {
			for b.Loop() {
				x.Similar(c.words[400], 10)
			}
		})
		b.Run(fmt.Sprintf("%d/load", docs), func(b *testing.B) {
			var stored []*Stored
			for _, c := range x.Changes() {
				stored = append(stored, c.Insert)
			}
			for b.Loop() {
				y := New(benchRules)
				for _, st := range stored {
					if err := y.Load(st); err != nil {
						b.Fatal(err)
					}
				}
			}
			b.ReportMetric(float64(x.Size())/(1<<20), "MB")
			b.ReportMetric(float64(len(stored)), "segments")
		})
	}
}
