package text

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// closers maps an opening quotation mark to those that may close it.
var closers = map[rune]string{
	'"': "\"", '“': "”", '„': "“”", '«': "»", '「': "」", '『': "』", '《': "》",
}

// maxPhrases bounds the phrases of a query: each is looked for in whole texts.
const maxPhrases = 8

// phrases gives what stands in quotes, as folded words: the first few, each once.
func phrases(q string) [][]string {
	var found [][]string
	for i := 0; i < len(q) && len(found) < maxPhrases; {
		r, size := utf8.DecodeRuneInString(q[i:])
		end := strings.IndexAny(q[i+size:], closers[r])
		if closers[r] == "" || !opens(q, i, r) {
			i += size
			continue
		}
		if end < 0 {
			return found
		}
		p := phraseWords(q[i+size : i+size+end])
		same := func(other []string) bool { return slices.Equal(other, p) }
		if len(p) > 0 && !slices.ContainsFunc(found, same) {
			found = append(found, p)
		}
		_, closeSize := utf8.DecodeRuneInString(q[i+size+end:])
		i += size + end + closeSize
	}
	return found
}

// opens tells whether the straight quote at i can begin a phrase: nothing is
// glued to it in front.
func opens(q string, i int, r rune) bool {
	if r != '"' || i == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(q[:i])
	return !unicode.IsLetter(before) && !unicode.IsNumber(before)
}

// phraseWords gives the folded runs of letters and digits of s.
func phraseWords(s string) []string {
	return strings.FieldsFunc(Fold(s), func(r rune) bool {
		c := classOf(r)
		return c == otherChar
	})
}

// PhraseFinder finds phrases in texts: a text is taken apart once for all of
// them. It is for one goroutine.
type PhraseFinder struct {
	phrases [][]byte // folded, a space between words
	words   []byte   // of the text at hand, likewise
}

// NewPhraseFinder is a finder of phrases as [Query] has them.
func NewPhraseFinder(phrases [][]string) *PhraseFinder {
	f := &PhraseFinder{phrases: make([][]byte, len(phrases))}
	for i, p := range phrases {
		f.phrases[i] = []byte(strings.Join(p, " "))
	}
	return f
}

// Find sets found[i] where the words of phrase i stand next to each other in s.
// Words of unspaced scripts may begin and end inside a run. Of a text longer
// than most bytes it reads no more than the words that end within them; it
// gives how many bytes it read.
func (f *PhraseFinder) Find(s string, most int, found []bool) (read int) {
	if len(s) > most {
		s = s[:wordBoundary(s, clusterBoundary(s, max(most, 0)))]
	}
	f.words = appendWords(f.words[:0], s)
	for i, p := range f.phrases {
		found[i] = found[i] || hasPhrase(f.words, p)
	}
	return len(s)
}

// appendWords appends the phraseWords of s with a space between them.
func appendWords(dst []byte, s string) []byte {
	s = clean(s)
	apart := false // from the word before
	put := func(class charClass, r ...byte) {
		if class == otherChar {
			apart = true
			return
		}
		if apart && len(dst) > 0 {
			dst = append(dst, ' ')
		}
		apart = false
		dst = append(dst, r...)
	}
	var folded []byte
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			put(asciiClass[c], lowerASCII(c))
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		i += size
		folded = appendFoldRune(folded[:0], r)
		for rest := folded; len(rest) > 0; {
			r, size := utf8.DecodeRune(rest)
			put(classOf(r), rest[:size]...)
			rest = rest[size:]
		}
	}
	return dst
}

// hasPhrase tells whether words hold a phrase that begins and ends at the edge
// of a word. Where it does not, the search goes on at the next edge: a text of
// one letter costs no more than another.
func hasPhrase(words, phrase []byte) bool {
	if len(phrase) == 0 {
		return false
	}
	for from := 0; ; {
		i := bytes.Index(words[from:], phrase)
		if i < 0 {
			return false
		}
		start := from + i
		if atWordEdge(words, start) && atWordEdge(words, start+len(phrase)) {
			return true
		}
		from = start
		for from == start || from < len(words) && !atWordEdge(words, from) {
			_, size := utf8.DecodeRune(words[from:])
			from += size
		}
	}
}

// atWordEdge tells whether a word may begin or end at i.
func atWordEdge(s []byte, i int) bool {
	if i == 0 || i == len(s) {
		return true
	}
	before, _ := utf8.DecodeLastRune(s[:i])
	after, _ := utf8.DecodeRune(s[i:])
	return before == ' ' || after == ' ' || classOf(before) >= hanChar || classOf(after) >= hanChar
}
