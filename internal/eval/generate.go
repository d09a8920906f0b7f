package eval

import (
	"math/rand/v2"
	"strings"
)

// generator makes texts that behave like texts to an index: words by Zipf's
// law, function words between them, the same for the same seed.
type generator struct {
	rand  *rand.Rand
	zipf  *rand.Zipf
	words []string
}

// Sizes of what is generated.
const (
	vocabulary  = 30_000
	textLength  = 400 // characters, about
	projectsOf  = 20
	commonWords = 40 // the most frequent ones, which common questions are made of
)

var (
	// functionWords stand between the others as in English.
	functionWords = strings.Fields(`the of and to in a is that for it was on with as at by this be from have or had not but what are when
which their we one all there an been has more if will would who about so them can only other new some could time these two may`)
	onsets = strings.Fields("b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sc sh sl sm sn sp st str t th tr v w z")
	nuclei = strings.Fields("a e i o u ai ea ee ie oa oo ou")
	codas  = strings.Fields("b ck d ff g l ll m mp n nd ng nt p r rd rk rm rn rt s sh ss st t th x")
)

func newGenerator(seed uint64) *generator {
	r := rand.New(rand.NewPCG(seed, seed^0x9e3779b97f4a7c15))
	g := &generator{rand: r, zipf: rand.NewZipf(r, 1.08, 3, vocabulary-1)}
	seen := map[string]bool{}
	for len(g.words) < vocabulary {
		w := g.syllables()
		if !seen[w] {
			seen[w] = true
			g.words = append(g.words, w)
		}
	}
	return g
}

// syllables makes a word of one syllable to three.
func (g *generator) syllables() string {
	var b strings.Builder
	for range 1 + g.rand.IntN(3) {
		b.WriteString(g.pick(onsets))
		b.WriteString(g.pick(nuclei))
	}
	b.WriteString(g.pick(codas))
	return b.String()
}

func (g *generator) pick(from []string) string { return from[g.rand.IntN(len(from))] }

// word is a word of the vocabulary, the more often the lower its number.
func (g *generator) word() string { return g.words[g.zipf.Uint64()] }

// text is some sentences.
func (g *generator) text() string {
	var b strings.Builder
	for b.Len() < textLength-40 {
		if b.Len() > 0 {
			b.WriteString(" ")
		}
		b.WriteString(g.sentence())
	}
	return b.String()
}

func (g *generator) sentence() string {
	words := make([]string, 6+g.rand.IntN(9))
	for i := range words {
		if g.rand.IntN(100) < 45 {
			words[i] = g.pick(functionWords)
		} else {
			words[i] = g.word()
		}
	}
	s := strings.Join(words, " ") + "."
	return strings.ToUpper(s[:1]) + s[1:]
}

// misspelt is a word with two letters in each other's place, as fingers do it.
func (g *generator) misspelt() string {
	w := []byte(g.word())
	if len(w) < 5 {
		return string(w)
	}
	i := 1 + g.rand.IntN(len(w)-2)
	w[i], w[i+1] = w[i+1], w[i]
	return string(w)
}

// question asks for some words as people do, one in ten of them misspelt; a
// common one only for words that most texts have.
func (g *generator) question(common bool) string {
	word := func() string {
		if g.rand.IntN(10) == 0 {
			return g.misspelt()
		}
		return g.word()
	}
	if common {
		word = func() string { return g.words[g.rand.IntN(commonWords)] }
	}
	switch g.rand.IntN(5) {
	case 0:
		return "what did we decide about the " + word() + " " + word() + " and why"
	case 1:
		return "how does " + word() + " work with " + word() + " in the " + word()
	case 2:
		return "when was the " + word() + " of " + word() + " changed"
	case 3:
		return word() + " " + word() + " " + word()
	}
	return "where is the " + word() + " for " + word() + " and who has " + word()
}
