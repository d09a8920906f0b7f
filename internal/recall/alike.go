package recall

import (
	"slices"
	"strings"

	"engram/internal/embed"
	"engram/internal/text"
)

// Saying is what a text says, to be compared with what others say.
type Saying struct {
	words   []text.Word
	content []text.Word // those that mean something alone
	forms   map[string]bool
	turns   map[string]bool // words that turn the meaning of the rest
	values  []string        // numbers, in order
	paths   []string        // paths and addresses, sorted
	vector  []float32       // by the built-in table
}

// Say takes a text apart; of a long one its first words count.
func Say(s string) *Saying {
	v, _ := embed.Static().Vector(s)
	a := &Saying{words: text.AnalyzeQuery(s).Words, forms: map[string]bool{}, turns: map[string]bool{}, vector: v}
	low := strings.ToLower(s)
	if strings.Contains(low, "n't") || strings.Contains(low, "n’t") {
		a.turns[denial] = true
	}
	for _, w := range a.words {
		for _, f := range w.Forms {
			a.forms[f] = true
		}
		if turn, ok := turningWords[w.Surface]; ok {
			a.turns[turn] = true
		} else if !w.Stop && !w.Part {
			a.content = append(a.content, w)
		}
		if isNumber(&w) {
			a.values = append(a.values, w.Forms[len(w.Forms)-1])
		}
	}
	a.paths = pathsIn(low)
	return a
}

// Vector is what the text means to the built-in table, nil = nothing.
func (a *Saying) Vector() []float32 { return a.vector }

// Likeness is how two texts compare.
type Likeness struct {
	Cosine  float64 // of their vectors by the built-in table, -1 … 1
	Shared  float64 // share of the content words of both that the other has too
	Differs bool    // a number, a name or what turns the meaning is another one, or words are on both sides that the other lacks
}

// Verdict is what a [Likeness] comes to.
type Verdict string

// The verdicts.
const (
	Unlike  Verdict = ""
	Same    Verdict = "same"    // says the same in the same or nearly the same words
	Changed Verdict = "changed" // says another thing of the same: perhaps one holds no more
)

// How alike two texts are at least, so that they say the same, or something of the
// same. Chosen on cases/values and pairs_mrpc (docs/benchmarks.md).
const (
	sameShared  = 0.85
	sameCosine  = 0.75
	aboutCosine = 0.72
	aboutShared = 0.34
)

// codedCosine is more than what a cosine of kept codes is off by.
const codedCosine = 0.03

// MayBeAlike reports whether texts of such a cosine by the built-in table are worth
// comparing.
func MayBeAlike(cosine float64) bool { return cosine >= aboutCosine-codedCosine }

// Verdict says what l comes to.
func (l *Likeness) Verdict() Verdict {
	switch {
	case l.Shared >= sameShared && l.Cosine >= sameCosine && !l.Differs:
		return Same
	case l.Shared >= aboutShared && l.Cosine >= aboutCosine && l.Differs:
		return Changed
	}
	return Unlike
}

// Compare says how like two texts are.
func (a *Saying) Compare(b *Saying) Likeness {
	var l Likeness
	for i := range min(len(a.vector), len(b.vector)) {
		l.Cosine += float64(float64(a.vector[i]) * float64(b.vector[i]))
	}
	onlyA, onlyB := a.without(b), b.without(a)
	if total := len(a.content) + len(b.content); total > 0 {
		l.Shared = 1 - float64(len(onlyA)+len(onlyB))/float64(total)
	}
	l.Differs = len(onlyA) > 0 && len(onlyB) > 0 || slices.ContainsFunc(onlyA, isValue) || slices.ContainsFunc(onlyB, isValue) ||
		!sameSet(a.turns, b.turns) || !sameOrder(a.values, b.values) || !slices.Equal(a.paths, b.paths)
	return l
}

// without are the content words of a that b has in no form.
func (a *Saying) without(b *Saying) []text.Word {
	var out []text.Word
	for i, w := range a.content {
		if slices.ContainsFunc(w.Forms, func(f string) bool { return b.forms[f] }) || a.partsIn(i, b) {
			continue
		}
		out = append(out, w)
	}
	return out
}

// partsIn reports whether b has all parts of an identifier of a.
func (a *Saying) partsIn(at int, b *Saying) bool {
	w := a.content[at]
	if w.Kind != text.Identifier {
		return false
	}
	from := slices.IndexFunc(a.words, func(o text.Word) bool { return o.Surface == w.Surface })
	parts := 0
	for _, p := range a.words[from+1:] {
		if !p.Part {
			break
		}
		if parts++; !b.forms[p.Surface] {
			return false
		}
	}
	return parts > 0
}

func isNumber(w *text.Word) bool {
	if w.Kind == text.Number || w.Surface == "one" {
		return true
	}
	return len(w.Forms) > 1 && strings.Trim(w.Forms[len(w.Forms)-1], "0123456789") == ""
}

func isValue(w text.Word) bool { return isNumber(&w) || w.Kind == text.Identifier || w.Name }

// pathsIn are what a text has of paths and addresses, which no stem may make alike.
func pathsIn(low string) []string {
	var out []string
	for f := range strings.FieldsSeq(low) {
		f = strings.Trim(f, "`'\"()[]<>{},.;:!?")
		if strings.Trim(f, "/@") == f && strings.ContainsAny(f, "/@") {
			out = append(out, f)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func sameSet(a, b map[string]bool) bool {
	for k := range a {
		if !b[k] {
			return false
		}
	}
	return len(a) == len(b)
}

// sameOrder reports whether the values that both have come in the same order.
func sameOrder(a, b []string) bool {
	both := slices.DeleteFunc(slices.Clone(a), func(v string) bool { return !slices.Contains(b, v) })
	other := slices.DeleteFunc(slices.Clone(b), func(v string) bool { return !slices.Contains(a, v) })
	return slices.Equal(both, other)
}

const denial = "not"

// turningWords are words that turn what the others say. Those of one meaning have one value.
var turningWords = func() map[string]string {
	m := map[string]string{}
	for meaning, words := range map[string]string{
		denial:   "not no never without kein keine keinen nicht nie ohne nunca sin jamás ningún ninguna cannot nor none neither",
		"longer": "longer anymore mehr",
		"before": "before vor antes bevor", "after": "after nach después nachdem",
		"on": "on enabled an", "off": "off disabled aus",
		"more": "more over above más über", "less": "less fewer under below menos unter",
		"from": "from", "all": "all every always alle immer siempre", "some": "some sometimes only",
	} {
		for _, w := range strings.Fields(words) {
			m[w] = meaning
		}
	}
	return m
}()
