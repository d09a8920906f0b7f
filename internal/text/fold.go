package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Fold gives the form of s in which spellings compare equal: NFKC, case folded,
// diacritics removed, with ß as ss, İ and ı as i, Arabic vowel marks and
// characters of no width left out. Bytes that are not UTF-8 become spaces.
// Marks that make another letter, as in Kana, Hangul and Thai, stay.
func Fold(s string) string {
	s = clean(s)
	b := appendFold(make([]byte, 0, len(s)), s)
	if !isASCII(s) && !norm.NFKC.IsNormal(b) {
		b = norm.NFKC.Bytes(b) // parts of a syllable stood apart by a mark that is gone
	}
	return string(b)
}

// clean gives s in NFKC, valid UTF-8, without characters of no width. Case and
// diacritics stay, because names, identifiers and stems need them.
func clean(s string) string {
	if isASCII(s) {
		return s
	}
	s = strings.ToValidUTF8(s, " ")
	if strings.ContainsRune(s, '´') {
		// NFKC would make it a space with an accent: "don´t".
		s = strings.ReplaceAll(s, "´", "'")
	}
	if !norm.NFKC.IsNormalString(s) {
		s = norm.NFKC.String(s)
	}
	if strings.ContainsFunc(s, isInvisible) {
		s = strings.Map(dropInvisible, s)
	}
	return s
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

func dropInvisible(r rune) rune {
	if isInvisible(r) {
		return -1
	}
	return r
}

// isInvisible tells whether r has no width of its own: joiners, byte order
// marks, direction marks, soft hyphens, variation selectors, skin tones, and
// the Arabic tatweel, which only stretches a word.
func isInvisible(r rune) bool {
	switch {
	case r < 0xAD:
		return false
	case r == 0xAD, r == 0x34F, r == 0x61C, r == 0x640, r == 0xFEFF, r == 0xFFFD:
		return true
	case r >= 0x180B && r <= 0x180F:
		return true
	case r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E, r >= 0x2060 && r <= 0x206F:
		return true
	case r >= 0xFE00 && r <= 0xFE0F, r == 0x20E3:
		return true
	case r >= 0x1F3FB && r <= 0x1F3FF, r >= 0xE0000 && r <= 0xE0FFF:
		return true
	}
	return false
}

// appendFold appends the folded form of s, which clean has seen.
func appendFold(dst []byte, s string) []byte {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			dst = append(dst, lowerASCII(c))
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		dst = appendFoldRune(dst, r)
		i += size
	}
	return dst
}

func lowerASCII(c byte) byte {
	if 'A' <= c && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// foldLow and foldHigh hold the ranges in which letters carry diacritics.
const (
	foldLowEnd    = 0x780
	foldHighStart = 0x1E00
	foldHighEnd   = 0x2000
)

var foldTables = sync.OnceValue(func() *[2][]string {
	low := make([]string, foldLowEnd)
	for r := range rune(foldLowEnd) {
		low[r] = foldSlow(r)
	}
	high := make([]string, foldHighEnd-foldHighStart)
	for i := range high {
		high[i] = foldSlow(foldHighStart + rune(i))
	}
	return &[2][]string{low, high}
})

func appendFoldRune(dst []byte, r rune) []byte {
	switch {
	case r < foldLowEnd:
		return append(dst, foldTables()[0][r]...)
	case r >= foldHighStart && r < foldHighEnd:
		return append(dst, foldTables()[1][r-foldHighStart]...)
	case r >= 0x2E80 && r < 0xA000, r >= 0xAC00 && r < 0xD7B0: // Han, Kana, Hangul
		return utf8.AppendRune(dst, r)
	case isDiacritic(r):
		return dst
	}
	return utf8.AppendRune(dst, unicode.ToLower(r))
}

// foldedLetters are letters that do not decompose into a base and a mark.
var foldedLetters = map[rune]string{
	'ß': "ss", 'ẞ': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ð': "d", 'ł': "l",
	'þ': "th", 'ħ': "h", 'ŧ': "t", 'ŋ': "n", 'ĸ': "k", 'ı': "i", 'ς': "σ",
	'ى': "ي", 'ی': "ي", 'ک': "ك", 'ة': "ه",
}

func foldSlow(r rune) string {
	var b []byte
	for _, d := range norm.NFKD.String(string(r)) {
		if isDiacritic(d) {
			continue
		}
		d = unicode.ToLower(d)
		if s, ok := foldedLetters[d]; ok {
			b = append(b, s...)
			continue
		}
		b = utf8.AppendRune(b, d)
	}
	return string(b)
}

// isDiacritic tells whether r is a mark that may be left out in writing: accents
// over Latin, Greek and Cyrillic letters, Arabic and Hebrew vowels.
func isDiacritic(r rune) bool {
	switch {
	case r < 0x300:
		return false
	case r <= 0x36F, r >= 0x483 && r <= 0x487:
		return true
	case r >= 0x591 && r <= 0x5C7, r >= 0x610 && r <= 0x61A, r >= 0x64B && r <= 0x65F, r == 0x670, r >= 0x6D6 && r <= 0x6ED:
		return unicode.Is(unicode.Mn, r)
	case r >= 0x1AB0 && r <= 0x1AFF, r >= 0x1DC0 && r <= 0x1DFF, r >= 0x20D0 && r <= 0x20FF, r >= 0xFE20 && r <= 0xFE2F:
		return true
	}
	return false
}
