package text

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// maxDerivedTitle is the number of characters of a title made from a content.
const maxDerivedTitle = 80

var (
	blockMarks = regexp.MustCompile(`^(?:[ \t]|#{1,6}[ \t]+|>|[-*+•][ \t]+|[0-9]{1,4}[.)][ \t]+|\[[ xX]\][ \t]+)+`)
	linkMark   = regexp.MustCompile(`!?\[([^\[\]\n]*)\]\([^()\s]*(?:[ \t]+"[^"\n]*")?\)`)
)

// TitleFrom is a title for a content that has none: its first line with words,
// without Markdown's marks, cut at a word where it is over 80 characters.
// It is "" when there is no such line.
func TitleFrom(content string) string {
	fence, code := "", ""
	for line := range strings.Lines(content) {
		line = strings.TrimRight(line, "\r\n")
		if fence = nextFence(fence, line); isFence(line) {
			continue
		}
		if fence != "" {
			if code == "" {
				code = strings.Join(strings.Fields(line), " ")
			}
			continue
		}
		if title := plainLine(withoutBlockMarks(line)); hasWord(title) {
			return shorten(title, maxDerivedTitle)
		}
	}
	return shorten(code, maxDerivedTitle) // a content that is code only
}

// withoutBlockMarks is a line without what makes it a heading, a quote or an item.
func withoutBlockMarks(line string) string {
	first, _ := utf8.DecodeRuneInString(line)
	if !strings.ContainsRune(" \t#>-*+•[0123456789", first) {
		return line // as most are
	}
	return blockMarks.ReplaceAllString(line, "")
}

func hasWord(s string) bool { return strings.ContainsFunc(s, isWordRune) }

func isWordRune(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// shorten is s cut by [Snippet].
func shorten(s string, max int) string {
	s, _ = Snippet(s, max)
	return s
}

// plainLine is a line of Markdown as plain text: links as their text, without
// the marks of emphasis and code, white space folded.
func plainLine(s string) string {
	if strings.Contains(s, "](") {
		s = linkMark.ReplaceAllString(s, "$1")
	}
	if strings.ContainsAny(s, "`*_~") {
		s = stripInline(s)
	}
	return strings.Join(strings.Fields(s), " ")
}

// stripInline drops the marks of code and of emphasis; what is code keeps its
// stars and underscores.
func stripInline(s string) string {
	var b strings.Builder
	for s != "" {
		open := strings.IndexByte(s, '`')
		if open < 0 {
			break
		}
		n := len(s[open:]) - len(strings.TrimLeft(s[open:], "`"))
		mark := s[open : open+n]
		length := strings.Index(s[open+n:], mark)
		if length < 0 {
			break
		}
		b.WriteString(stripEmphasis(s[:open]))
		b.WriteString(s[open+n : open+n+length])
		s = strings.TrimLeft(s[open+n+length+n:], "`")
	}
	b.WriteString(stripEmphasis(s))
	return b.String()
}

func stripEmphasis(s string) string {
	for _, mark := range []string{"***", "**", "__", "~~", "*", "_"} {
		s = stripPair(s, mark)
	}
	return s
}

// stripPair drops the pairs of mark that hug a text from outside: not in
// "2 * 3", not in snake_case, not in __init__.
func stripPair(s, mark string) string {
	var b strings.Builder
	for {
		start, end := findPair(s, mark)
		if start < 0 {
			break
		}
		b.WriteString(s[:start])
		b.WriteString(s[start+len(mark) : end])
		s = s[end+len(mark):]
	}
	if b.Len() == 0 {
		return s
	}
	b.WriteString(s)
	return b.String()
}

// findPair is where the first pair of mark that means emphasis begins, and
// where its closing mark does, or -1.
func findPair(s, mark string) (start, end int) {
	for start = nextMark(s, mark, 0); start >= 0; start = nextMark(s, mark, start+len(mark)) {
		inner := start + len(mark)
		if !hugs(s[inner:], s[:start], mark) {
			continue
		}
		for end = nextMark(s, mark, inner); end >= 0; end = nextMark(s, mark, end+len(mark)) {
			if end > inner && hugsBack(s[:end], s[end+len(mark):], mark) {
				break
			}
		}
		if end < 0 {
			return -1, -1
		}
		if mark != "__" || strings.Contains(s[inner:end], " ") {
			return start, end
		}
		start = end // __init__ is a name
	}
	return -1, -1
}

// nextMark is the offset of the first mark at or after from that is not part
// of a longer run, or -1.
func nextMark(s, mark string, from int) int {
	for from <= len(s) {
		i := strings.IndexByte(s[from:], mark[0])
		if i < 0 {
			return -1
		}
		start := from + i
		from = start
		for from < len(s) && s[from] == mark[0] {
			from++
		}
		if from-start == len(mark) {
			return start
		}
	}
	return -1
}

// hugs reports whether a mark between before and text can open an emphasis.
func hugs(text, before, mark string) bool {
	first, _ := utf8.DecodeRuneInString(text)
	last, _ := utf8.DecodeLastRuneInString(before)
	return text != "" && !unicode.IsSpace(first) && !((mark[0] == '_' || unicode.IsPunct(first)) && isWordRune(last))
}

// hugsBack reports whether a mark between text and after can close one.
func hugsBack(text, after, mark string) bool {
	last, _ := utf8.DecodeLastRuneInString(text)
	first, _ := utf8.DecodeRuneInString(after)
	return !unicode.IsSpace(last) && !((mark[0] == '_' || unicode.IsPunct(last)) && isWordRune(first))
}
