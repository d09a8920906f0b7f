package text

import (
	"math/bits"
	"unicode/utf8"
)

// language is a language whose words can be stemmed.
type language uint8

const (
	english language = iota
	spanish
	german
	french
	portuguese
	italian
	dutch
	russian
	swedish
	danish
	norwegian
	finnish
	hungarian
	romanian
	turkish
	arabic
	numLanguages

	unknownLanguage = numLanguages
)

var languageCodes = [...]string{
	"en", "es", "de", "fr", "pt", "it", "nl", "ru", "sv", "da", "no", "fi", "hu", "ro", "tr", "ar", "",
}

// languageSet has a bit for each language.
type languageSet uint32

func (s languageSet) has(l language) bool { return s>>l&1 == 1 }

const cyrillicOnly, arabicOnly = languageSet(1 << russian), languageSet(1 << arabic)

// letterVotes are the languages whose words have a letter.
var letterVotes = map[rune]languageSet{
	'ß': 1 << german, 'ä': 1<<german | 1<<swedish | 1<<finnish, 'ö': 1<<german | 1<<swedish | 1<<finnish | 1<<hungarian | 1<<turkish,
	'ü': 1<<german | 1<<turkish | 1<<hungarian, 'ñ': 1 << spanish, 'ã': 1 << portuguese, 'õ': 1 << portuguese,
	'å': 1<<swedish | 1<<danish | 1<<norwegian, 'ø': 1<<danish | 1<<norwegian, 'æ': 1<<danish | 1<<norwegian,
	'ő': 1 << hungarian, 'ű': 1 << hungarian, 'ğ': 1 << turkish, 'ı': 1 << turkish, 'ş': 1 << turkish,
	'ă': 1 << romanian, 'ț': 1 << romanian, 'ș': 1 << romanian, 'ç': 1<<french | 1<<portuguese | 1<<turkish,
	'è': 1<<french | 1<<italian, 'ê': 1<<french | 1<<portuguese, 'œ': 1 << french, 'à': 1<<french | 1<<italian, 'ù': 1<<french | 1<<italian,
	'ó': 1<<spanish | 1<<portuguese | 1<<hungarian, 'í': 1<<spanish | 1<<portuguese | 1<<hungarian, 'ú': 1<<spanish | 1<<portuguese | 1<<hungarian,
	'á': 1<<spanish | 1<<portuguese | 1<<hungarian, 'é': 1<<spanish | 1<<portuguese | 1<<hungarian | 1<<french, 'ò': 1 << italian, 'ì': 1 << italian,
	'â': 1<<french | 1<<portuguese | 1<<romanian, 'î': 1<<french | 1<<romanian,
}

// Weights of the evidence for a language, shared among those it speaks for.
const (
	functionVote = 12
	letterVote   = 6
	// enoughVotes is one function word that no other language has.
	enoughVotes = 12
)

// lettersOf gives the languages that the letters of a lower-case word point to.
func lettersOf(lower string) languageSet {
	var set languageSet
	for i := 0; i < len(lower); {
		if lower[i] < utf8.RuneSelf {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(lower[i:])
		i += size
		switch {
		case r >= 0x400 && r < 0x530:
			return cyrillicOnly
		case r >= 0x600 && r < 0x700:
			return arabicOnly
		}
		if v := letterVotes[r]; set == 0 {
			set = v
		} else if set&v != 0 {
			set &= v
		}
	}
	return set
}

// ballot counts the evidence for each language.
type ballot [numLanguages]int32

func (b *ballot) add(set languageSet, weight int) {
	n := bits.OnesCount32(uint32(set))
	if n == 0 {
		return
	}
	share := int32(max(weight/n, 1))
	for set != 0 {
		l := bits.TrailingZeros32(uint32(set))
		b[l] += share
		set &= set - 1
	}
}

func (b *ballot) addLexeme(x *lexeme) {
	b.add(x.function, functionVote)
	b.add(x.letters, letterVote)
}

// best gives the two languages with most votes, and how many they have.
func (b *ballot) best() (first language, most, next int32) {
	for l, n := range b {
		if n > most {
			first, most, next = language(l), n, most
		} else if n > next {
			next = n
		}
	}
	return first, most, next
}

// ofText decides for a text: English unless another language is well supported.
func (b *ballot) ofText() language {
	l, most, _ := b.best()
	if most < enoughVotes && l != russian && l != arabic || most <= b[english] {
		return english
	}
	return l
}

// ofQuery decides for a query, which has few words: unknown unless clear.
func (b *ballot) ofQuery() language {
	l, most, next := b.best()
	if most == 0 || most < enoughVotes && l != russian && l != arabic || 2*most < 3*next {
		return unknownLanguage
	}
	return l
}
