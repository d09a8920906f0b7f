package text

import (
	"strings"
	"unicode"
)

// Traits are what the form of a text tells about what it may answer.
type Traits uint16

// The traits.
const (
	Asks      Traits = 1 << iota // it has a question
	HasNumber                    // digits, or a number as a word
	HasTime                      // a word that says when
	Brief                        // fewer than six words
)

// Has reports whether t has all of other.
func (t Traits) Has(other Traits) bool { return t&other == other }

// TraitsOf reads the traits of a text.
func TraitsOf(s string) Traits {
	var t Traits
	if strings.ContainsAny(s, "?？؟") {
		t |= Asks
	}
	words := 0
	for w := range strings.FieldsFuncSeq(Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words++
		if numberWords[w] || strings.ContainsFunc(w, unicode.IsDigit) {
			t |= HasNumber
		}
		if timeWords[w] {
			t |= HasTime
		}
	}
	if words < briefWords {
		t |= Brief
	}
	return t
}

// briefWords is how many words a text has at least that is not brief.
const briefWords = 6

var numberWords = wordSet(`one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand
million dozen couple several first second third once twice half`)

var timeWords = wordSet(`today yesterday tomorrow tonight morning afternoon evening night noon midnight day days week weeks weekend month months year
years hour hours minute minutes ago last next since until monday tuesday wednesday thursday friday saturday sunday january february
march april may june july august september october november december spring summer autumn winter recently lately soon`)
