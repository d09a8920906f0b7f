package text

import (
	"hash/maphash"
	"strings"
	"sync/atomic"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	snowarabic "github.com/blevesearch/snowballstem/arabic"
	snowdanish "github.com/blevesearch/snowballstem/danish"
	snowdutch "github.com/blevesearch/snowballstem/dutch"
	snowenglish "github.com/blevesearch/snowballstem/english"
	snowfinnish "github.com/blevesearch/snowballstem/finnish"
	snowfrench "github.com/blevesearch/snowballstem/french"
	snowgerman "github.com/blevesearch/snowballstem/german"
	snowhungarian "github.com/blevesearch/snowballstem/hungarian"
	snowitalian "github.com/blevesearch/snowballstem/italian"
	snownorwegian "github.com/blevesearch/snowballstem/norwegian"
	snowportuguese "github.com/blevesearch/snowballstem/portuguese"
	snowromanian "github.com/blevesearch/snowballstem/romanian"
	snowrussian "github.com/blevesearch/snowballstem/russian"
	snowspanish "github.com/blevesearch/snowballstem/spanish"
	snowswedish "github.com/blevesearch/snowballstem/swedish"
	snowturkish "github.com/blevesearch/snowballstem/turkish"
)

var stemmers = [numLanguages]func(*snowballstem.Env) bool{
	english: snowenglish.Stem, spanish: snowspanish.Stem, german: snowgerman.Stem, french: snowfrench.Stem,
	portuguese: snowportuguese.Stem, italian: snowitalian.Stem, dutch: snowdutch.Stem, russian: snowrussian.Stem,
	swedish: snowswedish.Stem, danish: snowdanish.Stem, norwegian: snownorwegian.Stem, finnish: snowfinnish.Stem,
	hungarian: snowhungarian.Stem, romanian: snowromanian.Stem, turkish: snowturkish.Stem, arabic: snowarabic.Stem,
}

// A lexeme is what is known of a word whatever text it stands in.
type lexeme struct {
	written  string // as it stood, the key of the cache
	lower    string // lower case with its diacritics, for the stemmers
	surface  string // folded: the index term of just this spelling
	function languageSet
	letters  languageSet
	stems    [numLanguages]atomic.Pointer[string]
}

// lexicon remembers lexemes in slots by hash; a slot holds the last word that
// fell into it. What it gives does not depend on what it remembers.
type lexicon struct {
	seed  maphash.Seed
	slots [1 << 13]atomic.Pointer[lexeme]
}

var words = &lexicon{seed: maphash.MakeSeed()}

// maxCachedWord keeps blobs from filling the lexicon.
const maxCachedWord = 32

func (l *lexicon) get(written string) *lexeme {
	if len(written) > maxCachedWord {
		return newLexeme(written)
	}
	slot := &l.slots[maphash.String(l.seed, written)%uint64(len(l.slots))]
	if x := slot.Load(); x != nil && x.written == written {
		return x
	}
	x := newLexeme(strings.Clone(written))
	slot.Store(x)
	return x
}

func newLexeme(written string) *lexeme {
	x := &lexeme{written: written, lower: written}
	if !isASCII(written) || strings.ContainsFunc(written, unicode.IsUpper) {
		x.lower = toLower(written)
	}
	if isASCII(written) {
		x.surface = capTerm(x.lower)
	} else {
		x.surface = capTerm(string(appendFold(nil, written)))
		x.letters = lettersOf(x.lower)
	}
	x.function = functionMasks()[x.surface]
	return x
}

// toLower is strings.ToLower but for İ, whose dot would become a mark of its own.
func toLower(s string) string {
	return strings.ToLower(strings.ReplaceAll(s, "İ", "i"))
}

// stem gives the index term that x shares with its other forms in a language.
func (x *lexeme) stem(l language) string {
	if s := x.stems[l].Load(); s != nil {
		return *s
	}
	s := x.surface
	if stemmable(x.lower) {
		s = computeStem(x.lower, l)
	}
	if s == "" {
		s = x.surface
	}
	x.stems[l].Store(&s)
	return s
}

// maxStemmed is longer than any word that has a stem.
const maxStemmed = 64

func stemmable(lower string) bool {
	return len(lower) > 2 && len(lower) <= maxStemmed && utf8.RuneCountInString(lower) > 2
}

func computeStem(lower string, l language) string {
	switch l {
	case english:
		if base, ok := englishIrregulars()[lower]; ok {
			lower = base
		}
		lower = americanEnding(lower)
	case portuguese:
		lower = portugueseSingular(lower)
	case arabic:
		lower = string(appendFold(nil, lower))
	}
	env := snowballstem.NewEnv(lower)
	stemmers[l](env)
	stem := string(appendFold(nil, env.Current()))
	if l == english {
		stem = canonicalStem(stem)
	}
	return capTerm(stem)
}
