package text

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const ellipsis = "…"

// ValidUTF8 is s with each run of bytes that are not UTF-8 as one U+FFFD.
func ValidUTF8(s string) string { return strings.ToValidUTF8(s, "\uFFFD") }

// Snippet is the beginning of s in at most max characters, and whether that
// is less than all. The cut lies at a word where one ends in the second half,
// never inside what a reader sees as one character, and is marked with "…".
func Snippet(s string, max int) (out string, truncated bool) {
	if len(s) <= max || runeOffset(s, max) == len(s) {
		return s, false
	}
	if max <= 0 {
		return "", true
	}
	return cutAt(s, runeOffset(s, max-1)) + ellipsis, true
}

// SnippetBytes is [Snippet] with max in bytes; it is never longer. A code
// block that the cut leaves open is closed, within the budget.
func SnippetBytes(s string, max int) (out string, truncated bool) {
	if len(s) <= max {
		return s, false
	}
	if max < len(ellipsis) {
		return "", true
	}
	out = cutAt(s, max-len(ellipsis)) + ellipsis
	fence := openFence(out)
	if fence == "" {
		return out, true
	}
	end := "\n" + fence
	if room := max - len(ellipsis) - len(end); room > 0 {
		out = cutAt(s, room) + ellipsis
		if openFence(out) != "" {
			out += end
		}
	}
	return out, true
}

// openFence is the marker of the code block that is open at the end of s.
func openFence(s string) string {
	open := ""
	for line := range strings.Lines(s) {
		open = nextFence(open, strings.TrimRight(line, "\r\n"))
	}
	return open
}

// runeOffset is the offset behind the first n runes of s, or its length.
func runeOffset(s string, n int) int {
	if n <= 0 {
		return 0
	}
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// cutAt is s[:end] moved back to the last place where a reader would cut,
// without white space at its end.
func cutAt(s string, end int) string {
	if end < len(s) {
		end = clusterBoundary(s, end)
		if w := wordBoundary(s, end); w > end/2 {
			end = w
		}
	}
	return strings.TrimRightFunc(s[:min(end, len(s))], dangles)
}

// dangles reports whether r means nothing at the end of a text.
func dangles(r rune) bool {
	return unicode.IsSpace(r) || r == zwj || unicode.Is(unicode.Variation_Selector, r)
}

// wordBoundary is the last offset up to end that does not lie inside a word.
// Scripts that are written without spaces may be cut anywhere.
func wordBoundary(s string, end int) int {
	for end > 0 && end < len(s) {
		before, n := utf8.DecodeLastRuneInString(s[:end])
		after, _ := utf8.DecodeRuneInString(s[end:])
		if !inWord(before) || !inWord(after) || unspaced(before) || unspaced(after) {
			return end
		}
		end -= n
	}
	return end
}

func inWord(r rune) bool {
	return isWordRune(r) || unicode.IsMark(r) || strings.ContainsRune("_-'’./@", r)
}

// unspaced reports whether r is of a script without spaces between words.
func unspaced(r rune) bool {
	return r >= 0x0E00 && unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

const (
	zwj           = '\u200D'
	maxLookBehind = 64 // bytes; a longer cluster is cut
)

// clusterBoundary is the last offset up to end that splits no rune and no
// cluster: a letter from its marks, a family of emoji, a flag.
func clusterBoundary(s string, end int) int {
	for end > 0 && end < len(s) && !utf8.RuneStart(s[end]) {
		end--
	}
	for i := end; i > 0 && i < len(s) && end-i <= maxLookBehind; {
		before, n := utf8.DecodeLastRuneInString(s[:i])
		after, _ := utf8.DecodeRuneInString(s[i:])
		if !extends(after) && before != zwj && !splitsFlag(s[:i], after) {
			return i
		}
		i -= n
	}
	return end
}

// extends reports whether r belongs to the rune before it.
func extends(r rune) bool {
	return r == zwj || unicode.IsMark(r) || unicode.Is(unicode.Variation_Selector, r) ||
		r >= 0x1F3FB && r <= 0x1F3FF || r >= 0xE0020 && r <= 0xE007F
}

func isRegional(r rune) bool { return r >= 0x1F1E6 && r <= 0x1F1FF }

// splitsFlag reports whether a cut before next parts the two halves of a flag.
func splitsFlag(before string, next rune) bool {
	if !isRegional(next) {
		return false
	}
	n := 0
	for len(before) > 0 && n < maxLookBehind {
		r, size := utf8.DecodeLastRuneInString(before)
		if !isRegional(r) {
			break
		}
		n++
		before = before[:len(before)-size]
	}
	return n%2 == 1
}

// maxSnippetHits bounds the work of [SnippetAround] on a long text.
const maxSnippetHits = 2000

// SnippetAround is [Snippet], with the window that holds the most different
// terms: the first such one, begun a little before its first term and marked
// with "…" where text was left out. Terms are compared without case.
func SnippetAround(s string, terms []string, max int) (out string, truncated bool) {
	out, truncated = Snippet(s, max)
	if !truncated || max < 40 {
		return out, truncated
	}
	hits := findTerms(s, terms)
	best := bestWindow(hits, max*3/4)
	if best < 0 || hits[best].offset < len(out)/2 {
		return out, truncated
	}
	start := hits[best].offset
	for back := max / 5; back > 0 && start > 0; back-- {
		_, n := utf8.DecodeLastRuneInString(s[:start])
		start -= n
	}
	// Forward to where a word begins, not into the term itself.
	if sp := strings.IndexFunc(s[start:hits[best].offset], unicode.IsSpace); start > 0 && sp >= 0 {
		start += sp
	}
	start += len(s[start:]) - len(strings.TrimLeftFunc(s[start:], unicode.IsSpace))
	start = clusterBoundary(s, start)
	if start == 0 {
		return out, truncated
	}
	tail, _ := Snippet(s[start:], max-1)
	return ellipsis + tail, true
}

type termHit struct{ offset, runes, term int }

// findTerms is where the terms stand in s, in order.
func findTerms(s string, terms []string) []termHit {
	lower := strings.ToLower(s)
	if len(lower) != len(s) {
		lower = s // offsets would not fit
	}
	var hits []termHit
	for t, term := range terms {
		if term = strings.ToLower(strings.TrimSpace(term)); term == "" {
			continue
		}
		for from, n := 0, 0; n < maxSnippetHits; n++ {
			i := strings.Index(lower[from:], term)
			if i < 0 {
				break
			}
			before, _ := utf8.DecodeLastRuneInString(lower[:from+i])
			first, _ := utf8.DecodeRuneInString(term)
			if !isWordRune(before) || unspaced(first) { // at the begin of a word
				hits = append(hits, termHit{offset: from + i, term: t})
			}
			from += i + len(term)
		}
	}
	slices.SortFunc(hits, func(a, b termHit) int { return cmp.Compare(a.offset, b.offset) })
	runes, last := 0, 0
	for i := range hits {
		runes += utf8.RuneCountInString(s[last:hits[i].offset])
		hits[i].runes, last = runes, hits[i].offset
	}
	return hits
}

// bestWindow is the index of the hit from which width characters hold the most
// different terms, then the most hits, or -1.
func bestWindow(hits []termHit, width int) int {
	best, bestDistinct, bestHits := -1, 0, 0
	count := map[int]int{}
	end := 0
	for i := range hits {
		for end < len(hits) && hits[end].runes < hits[i].runes+width {
			count[hits[end].term]++
			end++
		}
		if d := len(count); d > bestDistinct || d == bestDistinct && end-i > bestHits {
			best, bestDistinct, bestHits = i, d, end-i
		}
		if count[hits[i].term]--; count[hits[i].term] == 0 {
			delete(count, hits[i].term)
		}
	}
	return best
}
