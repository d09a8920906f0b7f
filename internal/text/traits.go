package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Traits are what the form of a text tells about what it may answer.
type Traits uint16

// The traits.
const (
	Asks      Traits = 1 << iota // it has a question
	HasNumber                    // digits, or a number as a word
	HasTime                      // a word that says when
	Brief                        // fewer than six words
	HasPlace                     // a word for a place, or a name behind a word such as "in"
	HasPerson                    // a word for a person, or a name inside a sentence
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
	for w := range strings.FieldsFuncSeq(Fold(s), notInWord) {
		words++
		if numberWords[w] || strings.ContainsFunc(w, unicode.IsDigit) {
			t |= HasNumber
		}
		if timeWords[w] {
			t |= HasTime
		}
		if placeWords[w] {
			t |= HasPlace
		}
		if personWords[w] {
			t |= HasPerson
		}
	}
	if words < briefWords {
		t |= Brief
	}
	return t | namesOf(s)
}

func notInWord(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }

// namesOf looks for capitalised words inside sentences: behind "in", "at" and
// their like they are taken for places, else for persons.
func namesOf(s string) Traits {
	var t Traits
	last, inside := "", false
	for w := range strings.FieldsSeq(s) {
		bare := strings.TrimFunc(w, notInWord)
		if first, _ := utf8.DecodeRuneInString(bare); inside && mayName(bare) && unicode.IsUpper(first) {
			if placeBefore[last] {
				t |= HasPlace
			} else {
				t |= HasPerson
			}
		}
		last = bare
		inside = bare != "" && !strings.ContainsAny(w[len(w)-1:], ".!?:\"")
	}
	return t
}

// mayName tells names from other words that are written with a capital.
func mayName(w string) bool {
	return len(w) > 1 && !strings.HasPrefix(w, "I'") && !strings.HasPrefix(w, "I’") && !timeWords[strings.ToLower(w)]
}

// briefWords is how many words a text has at least that is not brief.
const briefWords = 6

var (
	numberWords = wordSet(`one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty hundred thousand
million dozen couple several first second third once twice half`)

	timeWords = wordSet(`today yesterday tomorrow tonight morning afternoon evening night noon midnight day days week weeks weekend month months year
years hour hours minute minutes ago last next since until monday tuesday wednesday thursday friday saturday sunday january february
march april may june july august september october november december spring summer autumn winter recently lately soon`)

	placeWords = wordSet(`city town village country state street road park beach lake river mountain mountains island forest home house
apartment office school university college library museum gallery church hospital clinic shop store market mall restaurant cafe bar
gym studio theater theatre cinema hotel airport station room kitchen garden yard farm camp place here there abroad downtown`)

	personWords = wordSet(`mother mom mum father dad parents sister brother son daughter kids children child wife husband partner girlfriend
boyfriend friend friends aunt uncle cousin grandma grandpa grandmother grandfather family boss manager colleague colleagues coworker
teacher professor doctor coach neighbor neighbour roommate she he they her him`)

	placeBefore = map[string]bool{"in": true, "at": true, "to": true, "from": true, "near": true, "around": true, "across": true}
)
