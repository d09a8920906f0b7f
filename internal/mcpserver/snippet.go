package mcpserver

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// How much of a text is shown where, in characters.
const (
	snippetLength  = 400 // of a found memory
	titleLength    = 200
	neighborLength = 200 // of a memory beside another in time
)

// replyTokens bounds one reply, less what its frame takes. Clients cut or set
// aside what is much longer.
const replyTokens = 7500

// snippet is the beginning of s on one line, at most limit characters with the
// mark where it is cut, after a word where one ends near, and whether something
// is missing.
func snippet(s string, limit int) (short string, cut bool) {
	var b strings.Builder
	n, space, lastSpace := 0, false, 0
	room := 0 // bytes that leave a character for the mark
	write := func(r rune) {
		b.WriteRune(r)
		if n++; n < limit {
			room = b.Len()
		}
	}
	for _, r := range s {
		if unicode.IsSpace(r) {
			space = b.Len() > 0
			continue
		}
		if space {
			space, lastSpace = false, b.Len()
			write(' ')
		}
		if n >= limit {
			return cutAt(b.String()[:room], min(lastSpace, room)), true
		}
		write(r)
	}
	return b.String(), false
}

// cutAt ends s at the word that ends at space, unless that loses more than a
// quarter of it: scripts without spaces are cut anywhere.
func cutAt(s string, space int) string {
	if space > len(s)*3/4 {
		s = s[:space]
	}
	return strings.TrimRight(s, " ") + "…"
}

// tokens estimates how many tokens a model needs for s: four letters of ASCII
// to a token, every other character one.
func tokens(s string) int {
	ascii, other := 0, 0
	for i := 0; i < len(s); {
		if s[i] < utf8.RuneSelf {
			ascii++
			i++
			continue
		}
		_, size := utf8.DecodeRuneInString(s[i:])
		other++
		i += size
	}
	return (ascii+3)/4 + other
}

// window is the part of s from character offset on that has at most limit
// characters and costs at most budget tokens. next is where the rest
// begins, 0 when there is none; total counts all characters.
func window(s string, offset, limit, budget int) (part string, next, total int) {
	total = utf8.RuneCountInString(s)
	start, end := len(s), len(s)
	n, quarters := 0, 0
	for i, r := range s {
		if n == offset {
			start = i
		}
		if n >= offset {
			if quarters++; r >= utf8.RuneSelf {
				quarters += 3
			}
			if n-offset >= limit || quarters > budget*4 {
				end, next = i, n
				break
			}
		}
		n++
	}
	return s[start:end], next, total
}
