package recall

import (
	"slices"
	"unicode"
	"unicode/utf8"

	"engram/internal/store"
	"engram/internal/text"
)

// When no memory has a word in its text, others stand in for it, at a lower tier: what it is an
// abbreviation of, terms that begin with it, terms that are spelled nearly like it, or the terms that it is
// written together from.
const (
	prefixTier       = 0.7
	similarTier      = 0.6
	compoundTier     = 0.8
	abbreviationTier = 0.9

	minPrefix   = 3 // letters
	minSimilar  = 4
	minCompound = 6
	maxCompound = 24
	minPiece    = 2

	maxLookups   = 4  // words of one question that others are looked up for
	prefixTerms  = 8  // that may stand in for one word
	maxLone      = 2  // words of a question in which a single character counts
	runTerms     = 32 // that may hold a single character
	similarTerms = 4
)

// Lookup is a word for which the store is asked for terms to take instead: for
// each that is set, in this order, until there is an answer.
type Lookup struct {
	Word    int      // of the query
	Prefix  string   // terms that begin so
	Similar string   // terms that are spelled nearly so
	Limit   int      // of either
	Pieces  []string // terms that it may be written together from
}

// Lookups are the words that others may stand in for, by what the store said of
// the query's terms.
func (q *Query) Lookups(r *store.KeywordResult) []Lookup {
	q.learn(r)
	var out []Lookup
	for i := range q.Words {
		w := &q.Words[i]
		if len(out) == maxLookups {
			break
		}
		switch {
		case w.Prefix && q.length() > maxLone:
		case w.Prefix:
			out = append(out, Lookup{Word: i, Prefix: w.Forms[0], Limit: runTerms})
		case w.Stop || w.inTexts > 0 || w.Kind == text.CJK || q.spellOut(w):
		default:
			if l := w.lookup(i); l.Limit > 0 {
				out = append(out, l)
			}
		}
	}
	return out
}

func (w *Word) lookup(i int) Lookup {
	l := Lookup{Word: i}
	letters := utf8.RuneCountInString(w.Surface)
	if !isLetters(w.Surface) {
		return l
	}
	if letters >= minPrefix {
		l.Prefix, l.Limit = w.Surface, prefixTerms
	}
	if letters >= minSimilar && !isCommon(w) { // nobody mistypes one word as another
		l.Similar = w.Surface
	}
	if letters >= minCompound && letters <= maxCompound {
		l.Pieces = pieces(w.Surface)
	}
	return l
}

func isLetters(s string) bool {
	for _, r := range s {
		if !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

// pieces are all parts of a word that may be words themselves.
func pieces(s string) []string {
	runes := []rune(s)
	var out []string
	for i := range runes {
		for j := i + minPiece; j <= len(runes); j++ {
			if j-i < len(runes) {
				out = append(out, string(runes[i:j]))
			}
		}
	}
	return out
}

// Begin lets terms that begin with a word stand in for it, and reports whether
// there are any.
func (q *Query) Begin(l Lookup, terms []string) bool { return q.stand(l.Word, terms, prefixTier) }

// Resemble lets terms that are spelled nearly like a word stand in for it, and
// reports whether any may be what was meant.
func (q *Query) Resemble(l Lookup, terms []string) bool {
	word := q.Words[l.Word].Surface
	return q.stand(l.Word, slices.DeleteFunc(terms, func(t string) bool { return !alike(word, t) }), similarTier)
}

func (q *Query) stand(word int, terms []string, tier float64) bool {
	if len(terms) == 0 {
		return false
	}
	w := &q.Words[word]
	for _, t := range terms {
		w.forms = append(w.forms, form{terms: []int{q.term(t, tier)}, weight: tier})
	}
	w.instead, w.tier = terms, tier
	return true
}

// alike reports whether a term that is spelled nearly like a word may be what
// was meant: people rarely mistype the first letter.
func alike(word, term string) bool {
	a, _ := utf8.DecodeRuneInString(word)
	b, _ := utf8.DecodeRuneInString(term)
	return a == b
}

// Compose lets the fewest of pieces that make up the word stand in for it, all
// together, and reports whether there are such. df says how many memories have each
// of the pieces.
func (q *Query) Compose(l Lookup, df []int) bool {
	known := map[string]bool{}
	for i, p := range l.Pieces {
		if df[i] > 0 {
			known[p] = true
		}
	}
	w := &q.Words[l.Word]
	parts := compose([]rune(w.Surface), known)
	if parts == nil {
		return false
	}
	f := form{weight: compoundTier}
	for _, p := range parts {
		f.terms = append(f.terms, q.term(p, compoundTier/float64(len(parts))))
	}
	w.forms = append(w.forms, f)
	w.instead, w.tier = parts, compoundTier
	return true
}

// compose splits a word into the fewest known pieces, the longest first among
// equals; nil when it cannot be.
func compose(word []rune, known map[string]bool) []string {
	best := make([][]string, len(word)+1)
	best[len(word)] = []string{}
	for i := len(word) - minPiece; i >= 0; i-- {
		for j := len(word); j >= i+minPiece; j-- {
			piece := string(word[i:j])
			if best[j] != nil && known[piece] && (best[i] == nil || len(best[j])+1 < len(best[i])) {
				best[i] = append([]string{piece}, best[j]...)
			}
		}
	}
	if len(best[0]) < 2 {
		return nil
	}
	return best[0]
}
