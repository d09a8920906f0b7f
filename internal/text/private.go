package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Redacted is what stands where private text was.
const Redacted = "[REDACTED]"

const privateName = "private"

// StripPrivate replaces every <private>…</private> span of s by [Redacted],
// one mark for the outermost of nested spans, and reports whether there was
// one. The name is compared without regard to ASCII case; attributes and white
// space in the tags are read as HTML reads them. Where a tag is not finished
// or not closed, all that follows is hidden. It is idempotent and linear.
func StripPrivate(s string) (out string, found bool) {
	var b strings.Builder
	kept := 0 // s[:kept] is written or hidden
	for i := 0; ; {
		t, ok := nextPrivateTag(s, i, false)
		if !ok {
			break
		}
		i = t.end
		if t.kind == openTag {
			i = privateSpanEnd(s, t.end)
		}
		b.WriteString(s[kept:t.start])
		b.WriteString(Redacted)
		kept, found = i, true
	}
	if !found {
		return s, false
	}
	b.WriteString(s[kept:])
	return b.String(), true
}

// privateSpanEnd is the offset after the tag that closes the span whose text
// begins at i, or the end of s.
func privateSpanEnd(s string, i int) int {
	for depth := 1; depth > 0; {
		t, ok := nextPrivateTag(s, i, true)
		if !ok {
			return len(s)
		}
		i = t.end
		switch t.kind {
		case openTag:
			depth++
		case closeTag:
			depth--
		case emptyTag:
		}
	}
	return i
}

type tagKind int

const (
	openTag  tagKind = iota
	closeTag         // </private>
	emptyTag         // <private/>
)

type privateTag struct {
	kind       tagKind
	start, end int
}

// nextPrivateTag finds the first private tag of s at or after i. Outside of a
// span a closing tag is text.
func nextPrivateTag(s string, i int, inside bool) (privateTag, bool) {
	for {
		j := strings.IndexByte(s[i:], '<')
		if j < 0 {
			return privateTag{}, false
		}
		i += j
		if t, ok := parsePrivateTag(s, i, inside); ok {
			return t, true
		}
		i++
	}
}

// parsePrivateTag reads the private tag that begins with the < at start.
func parsePrivateTag(s string, start int, inside bool) (privateTag, bool) {
	t := privateTag{kind: openTag, start: start}
	i := skipSpace(s, start+1)
	spaced := i > start+1
	if i < len(s) && s[i] == '/' {
		if !inside {
			return t, false
		}
		t.kind = closeTag
		j := skipSpace(s, i+1)
		spaced = spaced || j > i+1
		i = j
	}
	if len(s)-i < len(privateName) || !strings.EqualFold(s[i:i+len(privateName)], privateName) {
		return t, false
	}
	i += len(privateName)
	rest := skipSpace(s, i)
	switch {
	case rest < len(s) && s[rest] == '>':
		t.end = rest + 1
		return t, true
	case rest < len(s) && s[rest] == '/' && skipSpace(s, rest+1) < len(s) && s[skipSpace(s, rest+1)] == '>':
		t.end = skipSpace(s, rest+1) + 1
		if t.kind == openTag {
			t.kind = emptyTag
		}
		return t, true
	case spaced || rest == i || rest == len(s):
		// "a < private && b", a longer name, or nothing left to hide.
		return t, false
	}
	return parseAttributes(s, rest, t), true
}

// parseAttributes finds the end of the tag t, whose attributes begin at i. A
// quote guards a > only where a value may begin, so that <private it's> ends
// where its author thought. A < begins the next tag: this one was not finished,
// and must not swallow that one.
func parseAttributes(s string, i int, t privateTag) privateTag {
	afterEquals, unquoted := false, false
	for i < len(s) {
		c := s[i]
		switch {
		case c == '>':
			if s[i-1] == '/' && !unquoted && t.kind == openTag {
				t.kind = emptyTag
			}
			t.end = i + 1
			return t
		case c == '<':
			t.end = i
			return t
		case afterEquals && (c == '"' || c == '\''):
			// Without its twin the quote guards nothing.
			if n := strings.IndexByte(s[i+1:], c); n >= 0 {
				i += n + 1
			}
			afterEquals = false
		case c == '=' && !unquoted:
			afterEquals = true
		case c < utf8.RuneSelf && unicode.IsSpace(rune(c)):
			unquoted = false
		default:
			unquoted = unquoted || afterEquals
			afterEquals = false
		}
		i++
	}
	t.end = len(s)
	return t
}

// skipSpace is the offset of the first rune at or after i that is not white
// space.
func skipSpace(s string, i int) int {
	for i < len(s) {
		r, n := utf8.DecodeRuneInString(s[i:])
		if !unicode.IsSpace(r) {
			break
		}
		i += n
	}
	return i
}
