package text

import (
	"unicode"
	"unicode/utf8"
)

// A token is a stretch of cleaned text that belongs together: a word with what
// is glued to it, a run of an unspaced script, or one symbol.
type token struct {
	text string
	kind tokenKind
	// plain says that it is one word of letters with no inner capital, so that
	// it need not be taken apart.
	plain bool
	// first says that nothing but punctuation stood before it.
	first bool
}

type tokenKind uint8

const (
	wordToken   tokenKind = iota
	runToken              // Han, Kana, Hangul: bigrams of characters
	thaiToken             // Thai, Lao, Khmer, Burmese: bigrams of clusters
	symbolToken           // an emoji or another sign
)

type charClass uint8

const (
	otherChar charClass = iota
	letterChar
	digitChar
	hanChar
	thaiChar
	symbolChar
)

var asciiClass = func() (t [utf8.RuneSelf]charClass) {
	for c := range t {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z':
			t[c] = letterChar
		case '0' <= c && c <= '9':
			t[c] = digitChar
		}
	}
	return t
}()

func classOf(r rune) charClass {
	switch {
	case r < utf8.RuneSelf:
		return asciiClass[r]
	case isRunChar(r):
		return hanChar
	case isThaiChar(r):
		return thaiChar
	case unicode.IsLetter(r), unicode.Is(unicode.M, r):
		return letterChar
	case unicode.IsDigit(r):
		return digitChar
	case unicode.In(r, unicode.Nl, unicode.No):
		return digitChar
	case unicode.In(r, unicode.So, unicode.Sc), unicode.Is(unicode.Sm, r) && r != 0x2044 && r != 0x2212:
		return symbolChar
	}
	return otherChar
}

// scanner cuts cleaned text into tokens in one pass.
type scanner struct {
	s     string
	pos   int
	begun bool
}

// next gives the next token, and false at the end.
func (sc *scanner) next() (token, bool) {
	for sc.pos < len(sc.s) {
		start := sc.pos
		class, size := classAt(sc.s, start)
		switch class {
		case otherChar:
			if t, ok := sc.dotWord(); ok {
				return sc.first(t), true
			}
			sc.pos += size
		case symbolChar:
			sc.pos += size + sc.flagTail(start, size)
			return sc.first(token{text: sc.s[start:sc.pos], kind: symbolToken}), true
		case hanChar:
			return sc.first(sc.run(hanChar, runToken)), true
		case thaiChar:
			return sc.first(sc.run(thaiChar, thaiToken)), true
		default:
			return sc.first(sc.word(start)), true
		}
	}
	return token{}, false
}

func (sc *scanner) first(t token) token {
	t.first = !sc.begun
	sc.begun = true
	return t
}

func classAt(s string, i int) (charClass, int) {
	if c := s[i]; c < utf8.RuneSelf {
		return asciiClass[c], 1
	}
	r, size := utf8.DecodeRuneInString(s[i:])
	return classOf(r), size
}

// flagTail is the length of the second half of a flag, which is two letters.
func (sc *scanner) flagTail(start, size int) int {
	isHalf := func(i int) bool {
		r, _ := utf8.DecodeRuneInString(sc.s[i:])
		return r >= 0x1F1E6 && r <= 0x1F1FF
	}
	if isHalf(start) && start+size < len(sc.s) && isHalf(start+size) {
		return size
	}
	return 0
}

func (sc *scanner) run(class charClass, kind tokenKind) token {
	start := sc.pos
	for sc.pos < len(sc.s) {
		c, size := classAt(sc.s, sc.pos)
		if c != class {
			break
		}
		sc.pos += size
	}
	return token{text: sc.s[start:sc.pos], kind: kind}
}

// dotWord takes a word whose dot in front belongs to it: .NET, .gitignore.
func (sc *scanner) dotWord() (token, bool) {
	i := sc.pos
	if sc.s[i] != '.' || i+1 >= len(sc.s) {
		return token{}, false
	}
	if class, _ := classAt(sc.s, i+1); class != letterChar {
		return token{}, false
	}
	if i > 0 {
		switch sc.s[i-1] {
		case ' ', '\t', '\n', '(', '[', '{', '"', '\'', '`', '/', ',':
		default:
			return token{}, false
		}
	}
	t := sc.word(i + 1)
	return token{text: sc.s[i:sc.pos], kind: t.kind}, true
}

// word takes letters and digits from start, with the connectors between them.
func (sc *scanner) word(start int) token {
	s, i := sc.s, start
	plain, lower := true, false
	for i < len(s) {
		c := s[i]
		if c < utf8.RuneSelf {
			switch asciiClass[c] {
			case letterChar:
				if c >= 'a' {
					lower = true
				} else if i > start && (lower || i+1 < len(s) && isLowerASCII(s[i+1])) {
					plain = false
				}
				i++
				continue
			case digitChar:
				plain = false
				i++
				continue
			}
			if n := connector(s, start, i); n > 0 {
				plain = false
				i += n
				continue
			}
			break
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		class := classOf(r)
		if class == digitChar {
			plain = false
		} else if class != letterChar {
			if n := connector(s, start, i); n > 0 {
				plain = false
				i += n
				continue
			}
			break
		}
		if unicode.IsUpper(r) {
			if i > start && lower {
				plain = false
			}
		} else {
			lower = true
		}
		i += size
	}
	if n := languageSuffix(s, start, i); n > 0 {
		plain = false
		i += n
	}
	sc.pos = i
	return token{text: s[start:i], kind: wordToken, plain: plain}
}

func isLowerASCII(c byte) bool { return 'a' <= c && c <= 'z' }
func isDigitASCII(c byte) bool { return '0' <= c && c <= '9' }

// connector gives the length of what stands at i when it joins the characters
// before and after it into one token, and 0 when it parts them.
func connector(s string, start, i int) int {
	r, size := utf8.DecodeRuneInString(s[i:])
	next := i + size
	if r == '_' {
		for next < len(s) && s[next] == '_' {
			next++
		}
	}
	if i == start || next >= len(s) {
		return 0
	}
	class, _ := classAt(s, next)
	if class != letterChar && class != digitChar {
		return 0
	}
	switch r {
	case '_', '-', '‐', '.', '/', '\\', '@', '\'', '’', '&':
		return next - i
	case ':', ',':
		if isDigitASCII(s[i-1]) && isDigitASCII(s[next]) {
			return next - i
		}
	}
	return 0
}

// languageSuffix gives the length of the signs after a short name: C++, C#.
func languageSuffix(s string, start, end int) int {
	rest := s[end:]
	if len(rest) == 0 || end-start == 0 {
		return 0
	}
	last := s[end-1] | 0x20
	letter := isLowerASCII(last) && (end-start == 1 || asciiClass[s[end-2]&0x7f] == otherChar && s[end-2] < utf8.RuneSelf)
	switch {
	case len(rest) >= 2 && rest[:2] == "++" && isLowerASCII(last):
		return 2
	case rest[0] == '#' && letter:
		return 1
	}
	return 0
}
