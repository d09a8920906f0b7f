package recall

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"engram/internal/embed"
	"engram/internal/store"
	"engram/internal/text"
)

// How much the forms of a word count when the store chooses candidates.
// Function words choose none: they are counted only on what others chose.
const (
	stemWeight    = 1.0
	surfaceWeight = 0.3
	otherWeight   = 0.5 // stems in languages that the query may be in

	typeWeight = 0.5 // of a memory's type, where the word names one

	minusWeight = 0.8 // of a word with a minus in front, which excludes nothing

	stopWeight = 0.3 // of a function word's IDF, in ranking
)

// Query is a question made ready for the arms.
type Query struct {
	Text     string
	Language string
	Words    []Word
	Terms    []store.Term // what the keyword arm is asked for
	Phrases  [][]string   // that stood in quotes
	Window   *text.Window // the time that it means, nil = none
	Order    text.Order
	Vectors  []store.QueryVector // what it means, to each model
	MatchAll bool                // only what has every word
	Cut      bool                // it has more words than are looked for

	now     time.Time
	runs    []string // of scripts without spaces, without what names the window
	terms   map[string]int
	wants   text.Traits  // what a text has that answers it, 0 = nothing in particular
	trust   float64      // how far the built-in model knows its words
	table   *embed.Table // nil = only words count
	encoded bool         // the encoder's cosines count beside the table's
	idf     float64      // of all words, as the ranker weighs them
	nameIDF float64      // … of the names among them
	unknown float64      // what the words that no memory has count for the floor
	missing float64      // … and what all count, for a text that has none of them
	rarest  float64      // IDF of a word that no memory has
	asked   float64      // how many words say what is asked
}

// Word is a word of the query with the index terms that stand for it.
type Word struct {
	text.Word
	DF int // memories that have it, in its most frequent form

	forms    []form
	typeForm int     // the one that is the type that it names, 0 = it names none
	inTexts  int     // memories that have it in their texts
	minus    bool    // written with a minus in front
	when     bool    // it says no more than the window or the order does
	exact    int     // the term of its own spelling, -1 when the first form is that
	idf      float64 // as the ranker weighs it
	said     float64 // what it counts for the floor, in a text that has it
	missing  float64 // … and in one that has not
	before   int     // the pair of characters that ends with its first …
	after    int     // … and the one that begins with its last, -1 = none
	slight   bool    // it is a number that many texts have by chance
	tier     float64 // 1 as asked for, less for what stands in for it
	instead  []string
}

// form is one way to say a word: by all of its terms.
type form struct {
	terms  []int
	weight float64
}

// Options say how a question is meant.
type Options struct {
	Now      time.Time
	Zone     *time.Location
	MatchAll bool
}

// Analyse takes a question apart.
func Analyse(question string, opts Options) *Query {
	a, window, order := takeApart(question, opts)
	q := &Query{
		Text: question, Language: a.Language, Phrases: a.Phrases, Window: window, Order: order,
		MatchAll: opts.MatchAll, Cut: a.Cut, terms: map[string]int{}, now: opts.Now, runs: a.Runs,
	}
	minus := withMinus(question)
	for _, w := range a.Words {
		word := q.word(w)
		word.minus = minus[w.Surface]
		q.Words = append(q.Words, word)
	}
	q.wants = wanted(&a)
	q.linkPairs()
	q.noteSlight()
	q.sayWhen()
	return q
}

// withMinus are the words that have a minus in front, as search engines exclude
// by it.
func withMinus(question string) map[string]bool {
	var words map[string]bool
	for _, f := range strings.Fields(question) {
		if w, ok := strings.CutPrefix(f, "-"); ok && w != "" && w[0] != '-' {
			if words == nil {
				words = map[string]bool{}
			}
			words[text.Fold(w)] = true
		}
	}
	return words
}

// Mean lets q be understood by the built-in table: it gets a vector, and words
// that mean nearly the same count as its own, unless the table does not know its
// language.
func (q *Query) Mean(table *embed.Table) {
	if q.trust = trust(q.Text, q.Language, table); q.trust > 0 {
		q.table = table
	}
	if unit, ok := table.Vector(q.spelledOut(table)); ok {
		q.Vectors = append(q.Vectors, store.QueryVector{Model: table.Model(), Unit: unit})
	}
}

// ForgetWords lets no word draw candidates: for measuring what words are worth.
func (q *Query) ForgetWords() {
	for i := range q.Terms {
		q.Terms[i].Weight = 0
	}
}

// linkPairs says of each pair of characters which others it overlaps.
func (q *Query) linkPairs() {
	for i := range q.Words {
		w := &q.Words[i]
		w.before, w.after = -1, -1
		if i == 0 || w.Kind != text.CJK || q.Words[i-1].Kind != text.CJK {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(q.Words[i-1].Surface)
		first, _ := utf8.DecodeRuneInString(w.Surface)
		if first == last {
			w.before, q.Words[i-1].after = i-1, i
		}
	}
}

func (q *Query) word(w text.Word) Word {
	out := Word{Word: w, exact: -1, tier: 1}
	for i, f := range w.Forms {
		weight := otherWeight
		switch {
		case w.Stop && w.Kind != text.CJK, byChance(&w):
			weight = 0
		case i == 0:
			weight = stemWeight
		case f == w.Surface:
			weight = surfaceWeight
		}
		term := q.term(f, weight)
		out.forms = append(out.forms, form{[]int{term}, 1})
		if i > 0 && f == w.Surface {
			out.exact = term
		}
	}
	if t := text.TypeTermFor(w.Surface); t != "" && !w.Stop {
		out.typeForm = len(out.forms)
		out.forms = append(out.forms, form{[]int{q.term(t, typeWeight)}, typeWeight})
	}
	return out
}

// term gives the number of an index term, asked for with the greatest weight
// that any word gives it.
func (q *Query) term(t string, weight float64) int {
	if i, ok := q.terms[t]; ok {
		q.Terms[i].Weight = max(q.Terms[i].Weight, weight)
		return i
	}
	q.terms[t] = len(q.Terms)
	q.Terms = append(q.Terms, store.Term{Text: t, Weight: weight})
	return len(q.Terms) - 1
}

// HasWords reports whether q has a word to look for.
func (q *Query) HasWords() bool {
	return slices.ContainsFunc(q.Words, func(w Word) bool { return !w.Stop })
}

// Surfaces are the words that say something, as they are spelled.
func (q *Query) Surfaces() []string {
	var out []string
	for i := range q.Words {
		if w := &q.Words[i]; !w.Stop {
			out = append(out, w.Surface)
		}
	}
	return out
}

// Keyword is what the store is asked for.
func (q *Query) Keyword(filter store.Filter, limit int) store.KeywordQuery {
	return store.KeywordQuery{
		Filter: filter, Terms: q.Terms, Limit: limit, Neighbours: wideReach, Widen: contextReach, Vectors: q.Vectors,
	}
}

// documents is the most memories that can have a form.
func (f form) documents(df []int) int {
	n := df[f.terms[0]]
	for _, t := range f.terms[1:] {
		n = min(n, df[t])
	}
	return n
}

// learn weighs the words by how many memories have them.
func (q *Query) learn(r *store.KeywordResult) {
	q.idf, q.nameIDF, q.unknown, q.missing, q.asked, q.rarest = 0, 0, 0, 0, 0, idf(0, r.Docs)
	for i := range q.Words {
		w := &q.Words[i]
		w.DF, w.inTexts = 0, 0
		for j, f := range w.forms {
			n := f.documents(r.DF)
			w.DF = max(w.DF, n)
			if j == 0 || j != w.typeForm {
				w.inTexts = max(w.inTexts, n)
			}
		}
		w.idf = idf(w.DF, r.Docs)
		switch {
		case w.Stop && w.Kind != text.CJK, byChance(&w.Word):
			w.idf *= stopWeight
		case w.minus:
			w.idf *= minusWeight
		}
		w.weigh(r.Docs)
		q.missing += w.missing
		if w.said > 0 {
			q.asked++
		}
		if w.DF > 0 { // the others tell nothing apart
			q.idf += w.idf
			if w.Name {
				q.nameIDF += w.idf
			}
		}
	}
	for i := range q.Words {
		w := &q.Words[i]
		switch {
		case w.DF == 0 && q.overlaps(w, func(i int) bool { return q.Words[i].DF > 0 }):
			q.unknown += bigramUnknown * overlapMissing * w.missing
		case w.DF == 0 && w.Kind == text.CJK:
			q.unknown += bigramUnknown * w.missing
		case w.DF == 0:
			q.unknown += w.missing
		case w.tier < 1:
			q.unknown += (1 - w.tier) * w.missing
		}
	}
}

// overlaps reports whether a pair of characters overlaps one that is had: then it
// may be no word, but the end of one and the beginning of another.
func (q *Query) overlaps(w *Word, had func(i int) bool) bool {
	return w.before >= 0 && had(w.before) || w.after >= 0 && had(w.after)
}
