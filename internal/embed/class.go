package embed

import (
	"sync"
	"unicode"
	"unicode/utf8"
)

// class is what a character is to the tokenizer.
type class uint8

const (
	otherClass   class = iota // part of a word, neither letter nor digit
	letterClass               // a letter that is not a capital
	capitalClass              // a capital letter
	digitClass                // a decimal digit
	dropClass                 // left out: controls, formats, unassigned, combining marks
	spaceClass                // parts words
	punctClass                // parts words and is one itself
	hanClass                  // a word by itself
)

var asciiClasses = func() (t [utf8.RuneSelf]class) {
	for c := range t {
		switch {
		case c == ' ', c == '\t', c == '\n', c == '\r':
			t[c] = spaceClass
		case c < ' ', c == 0x7F:
			t[c] = dropClass
		case 'a' <= c && c <= 'z':
			t[c] = letterClass
		case 'A' <= c && c <= 'Z':
			t[c] = capitalClass
		case '0' <= c && c <= '9':
			t[c] = digitClass
		default:
			t[c] = punctClass
		}
	}
	return t
}()

// planeClasses holds the classes of the characters of the basic plane, which
// asking the tables of package unicode one by one would take too long for.
var planeClasses = sync.OnceValue(func() *[1 << 16]class {
	t := new([1 << 16]class)
	fill := func(c class, tables ...*unicode.RangeTable) {
		for _, table := range tables {
			for _, r := range table.R16 {
				for x := int(r.Lo); x <= int(r.Hi); x += int(r.Stride) {
					t[x] = c
				}
			}
		}
	}
	// Later lines win: what is dropped is dropped first of all, as slowClass has it.
	fill(letterClass, unicode.L)
	fill(capitalClass, unicode.Lu)
	fill(digitClass, unicode.Nd)
	fill(punctClass, unicode.P)
	fill(hanClass, hanBlocks)
	fill(spaceClass, unicode.White_Space)
	fill(dropClass, unicode.C, unicode.Mn)
	t[utf8.RuneError] = dropClass
	return t
})

// hanBlocks are the blocks of unified and compatibility ideographs.
var hanBlocks = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x3400, Hi: 0x4DBF, Stride: 1}, {Lo: 0x4E00, Hi: 0x9FFF, Stride: 1}, {Lo: 0xF900, Hi: 0xFAFF, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x20000, Hi: 0x2A6DF, Stride: 1}, {Lo: 0x2A700, Hi: 0x2CEAF, Stride: 1}, {Lo: 0x2F800, Hi: 0x2FA1F, Stride: 1}},
}

// classOf gives the class of a character that is not ASCII.
func classOf(r rune) class {
	if r < 1<<16 {
		return planeClasses()[r]
	}
	return slowClass(r)
}

func slowClass(r rune) class {
	switch {
	case unicode.In(r, unicode.C, unicode.Mn):
		return dropClass
	case unicode.Is(unicode.White_Space, r):
		return spaceClass
	case unicode.Is(hanBlocks, r):
		return hanClass
	case unicode.Is(unicode.P, r):
		return punctClass
	case unicode.Is(unicode.Nd, r):
		return digitClass
	case unicode.Is(unicode.Lu, r):
		return capitalClass
	case unicode.IsLetter(r):
		return letterClass
	}
	return otherClass
}
