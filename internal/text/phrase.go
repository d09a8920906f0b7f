package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// closers maps an opening quotation mark to those that may close it.
var closers = map[rune]string{
	'"': "\"", '“': "”", '„': "“”", '«': "»", '「': "」", '『': "』", '《': "》",
}

// phrases gives what stands in quotes, as folded words.
func phrases(q string) [][]string {
	var found [][]string
	for i := 0; i < len(q); {
		r, size := utf8.DecodeRuneInString(q[i:])
		end := strings.IndexAny(q[i+size:], closers[r])
		if closers[r] == "" || !opens(q, i, r) {
			i += size
			continue
		}
		if end < 0 {
			return found
		}
		if p := phraseWords(q[i+size : i+size+end]); len(p) > 0 {
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

// HasPhrase tells whether the words of a phrase stand next to each other in a
// text. Words of unspaced scripts may begin and end inside a run.
func HasPhrase(s string, phrase []string) bool {
	if len(phrase) == 0 {
		return false
	}
	haystack := strings.Join(phraseWords(s), " ")
	needle := strings.Join(phrase, " ")
	for from := 0; ; {
		i := strings.Index(haystack[from:], needle)
		if i < 0 {
			return false
		}
		start := from + i
		if atWordEdge(haystack, start) && atWordEdge(haystack, start+len(needle)) {
			return true
		}
		_, size := utf8.DecodeRuneInString(haystack[start:])
		from = start + size
	}
}

// atWordEdge tells whether a word may begin or end at i.
func atWordEdge(s string, i int) bool {
	if i == 0 || i == len(s) {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(s[:i])
	after, _ := utf8.DecodeRuneInString(s[i:])
	return before == ' ' || after == ' ' || classOf(before) >= hanChar || classOf(after) >= hanChar
}
