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
	t := namesOf(s)
	if strings.ContainsAny(s, "?？؟") {
		t |= Asks
	}
	var buf [1024]byte // most texts fit, and are folded without an allocation
	folded := appendFold(buf[:0], clean(s))
	words := 0
	for at := 0; at < len(folded); {
		from, digits := at, false
		for at < len(folded) {
			word, digit, size := wordByteAt(folded[at:])
			if !word {
				break
			}
			digits = digits || digit
			at += size
		}
		if at == from {
			_, _, size := wordByteAt(folded[at:])
			at += size
			continue
		}
		words++
		if digits {
			t |= HasNumber
		}
		t |= traitsOfWord(folded[from:at])
	}
	if words < briefWords {
		t |= Brief
	}
	return t
}

// wordByteAt tells of the character that b begins with whether it is a letter or a
// digit, whether it is a digit, and how many bytes it has.
func wordByteAt(b []byte) (word, digit bool, size int) {
	if c := b[0]; c < utf8.RuneSelf {
		digit = '0' <= c && c <= '9'
		return digit || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z', digit, 1
	}
	r, size := utf8.DecodeRune(b)
	digit = unicode.IsDigit(r)
	return digit || unicode.IsLetter(r), digit, size
}

// traitsOfWord looks a folded word up, if one of its length begins so.
func traitsOfWord(w []byte) Traits {
	first := w[0] - 'a'
	if first >= letters || len(w) > maxTraitWord || traitLengths[first]&(1<<len(w)) == 0 {
		return 0
	}
	return traitWords[string(w)]
}

func notInWord(r rune) bool { return !isWordRune(r) }

// namesOf looks for capitalised words inside sentences: behind "in", "at" and
// their like they are taken for places, else for persons.
func namesOf(s string) Traits {
	var t Traits
	last, inside := "", false
	for w := range strings.FieldsSeq(s) {
		at := strings.IndexFunc(w, isWordRune)
		if at < 0 {
			last, inside = w, false
			continue
		}
		if first, _ := utf8.DecodeRuneInString(w[at:]); inside && unicode.IsUpper(first) && mayName(strings.TrimFunc(w, notInWord)) {
			if placeBefore[strings.TrimFunc(last, notInWord)] {
				t |= HasPlace
			} else {
				t |= HasPerson
			}
		}
		last = w
		inside = !strings.ContainsAny(w[len(w)-1:], ".!?:\"")
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

const (
	letters      = 26
	maxTraitWord = 16
)

// traitWords are all of them with what they show; traitLengths has for each letter
// a bit for each length of the words that begin with it.
var traitWords, traitLengths = func() (words map[string]Traits, lengths [letters]uint32) {
	words = map[string]Traits{}
	for _, set := range []struct {
		words map[string]bool
		shows Traits
	}{{numberWords, HasNumber}, {timeWords, HasTime}, {placeWords, HasPlace}, {personWords, HasPerson}} {
		for w := range set.words {
			words[w] |= set.shows
			lengths[w[0]-'a'] |= 1 << len(w)
		}
	}
	return words, lengths
}()
