package embed

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

const (
	// MaxTokens is the most tokens that a text is read for; what follows them is
	// not read.
	MaxTokens = 4096
	// maxWord is the most characters of a word; a longer one is no word.
	maxWord = 100
)

// Tokens appends the tokens of a text that the table has a meaning for, in order,
// MaxTokens at most. Names as code has them are taken apart the way people read
// them: getUserByID is get, user, by, id. Any bytes are a text.
func (t *Table) Tokens(dst []uint16, text string) []uint16 {
	lx := lexer{table: t, dst: dst, limit: len(dst) + MaxTokens, names: true}
	lx.read(text)
	return lx.dst
}

// WordPieces appends all tokens of a text by plain WordPiece of uncased BERT, the
// [UNK] of unknown words among them, without taking names apart. It is what a
// transformer with the same vocabulary reads, but for its [CLS] and [SEP].
func (t *Table) WordPieces(dst []uint16, text string) []uint16 {
	lx := lexer{table: t, dst: dst, limit: int(^uint(0) >> 1)}
	lx.read(text)
	return lx.dst
}

// Coverage tells how far the table knows the words of a text, from 0 to 1: the
// mean over words, where a word that is a token of its own counts 1, one of n
// pieces 1/n, an unknown one and one of another script than Latin 0. English
// comes close to 1, other languages stay well below. It is 0 without words.
func (t *Table) Coverage(text string) float64 {
	var buf [256]uint16
	lx := lexer{table: t, dst: buf[:0], limit: MaxTokens, names: true}
	lx.read(text)
	if lx.words == 0 {
		return 0
	}
	return lx.covered / float64(lx.words)
}

// lexer reads one text.
type lexer struct {
	table *Table
	dst   []uint16
	limit int  // the length of dst at which reading ends
	names bool // take names apart, leave out what has no meaning

	words   int     // words with a letter or a digit
	covered float64 // of them; see Coverage

	// The word that is being read, lower-cased.
	word    [maxWord * utf8.UTFMax]byte
	size    int
	chars   int
	name    name
	letters bool // there is a letter or a digit in it
	foreign bool // there is a letter of another script than Latin in it
}

func (lx *lexer) read(text string) {
	if !isASCII(text) && !norm.NFD.IsNormalString(text) {
		text = norm.NFD.String(text)
	}
	for i := 0; i < len(text) && len(lx.dst) < lx.limit; {
		if c := text[i]; c < utf8.RuneSelf {
			i++
			lx.char(rune(c), asciiClasses[c])
			continue
		}
		r, size := utf8.DecodeRuneInString(text[i:])
		i += size
		lx.char(r, classOf(r))
	}
	lx.endWord()
	lx.dst = lx.dst[:min(len(lx.dst), lx.limit)]
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func (lx *lexer) char(r rune, c class) {
	switch c {
	case dropClass:
	case spaceClass:
		lx.endWord()
	case punctClass, hanClass:
		lx.endWord()
		if c == punctClass && r == '_' && lx.names {
			return // it joins the parts of a name, as a blank joins words
		}
		lx.add(r, c)
		lx.endWord()
	default:
		lx.add(r, c)
	}
}

// add takes one more character into the word.
func (lx *lexer) add(r rune, c class) {
	lx.chars++
	if lx.chars > maxWord {
		return
	}
	if lx.names {
		lx.name.next(r, c, lx.size)
	}
	lx.letters = lx.letters || c <= digitClass || c == hanClass
	if r < utf8.RuneSelf {
		if c == capitalClass {
			r += 'a' - 'A'
		}
		lx.word[lx.size] = byte(r)
		lx.size++
		return
	}
	lx.foreign = lx.foreign || !unicode.Is(unicode.Latin, r)
	lx.size += utf8.EncodeRune(lx.word[lx.size:], unicode.ToLower(r))
}

// endWord turns the word into tokens.
func (lx *lexer) endWord() {
	switch {
	case lx.chars == 0:
		return
	case !lx.names:
		var ok bool
		if lx.chars <= maxWord {
			lx.dst, ok = lx.table.vocab.spell(lx.dst, lx.word[:lx.size])
		}
		if !ok {
			lx.dst = append(lx.dst, lx.table.vocab.unknown)
		}
	case lx.chars > maxWord, lx.name.isCode(lx.word[:lx.size]):
		lx.count(0)
	default:
		lx.parts()
	}
	lx.size, lx.chars, lx.letters, lx.foreign = 0, 0, false, false
	lx.name.reset()
}

// parts adds a word, or the parts of a name that is not a word as a whole.
func (lx *lexer) parts() {
	word := lx.word[:lx.size]
	cuts := lx.name.parts(word)
	if len(cuts) > 0 {
		if id, ok := lx.table.vocab.find(hashOf(string(word)), word, false); ok {
			lx.dst = append(lx.dst, id)
			lx.count(1)
			return
		}
	}
	start := 0
	for _, cut := range cuts {
		lx.spell(word[start:cut])
		start = int(cut)
	}
	lx.spell(word[start:])
}

// spell adds the tokens of a word that have a meaning.
func (lx *lexer) spell(word []byte) {
	n := len(lx.dst)
	lx.dst, _ = lx.table.vocab.spell(lx.dst, word)
	lx.count(len(lx.dst) - n)
	kept := lx.dst[:n]
	for _, id := range lx.dst[n:] {
		if lx.table.Known(id) {
			kept = append(kept, id)
		}
	}
	lx.dst = kept
}

// count counts a word of so many pieces.
func (lx *lexer) count(pieces int) {
	if !lx.letters {
		return
	}
	lx.words++
	if pieces > 0 && !lx.foreign {
		lx.covered += 1 / float64(pieces)
	}
}
