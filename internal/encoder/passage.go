package encoder

import (
	"strings"
	"unicode/utf8"
)

// maxSentence is the most bytes that are read as one sentence.
const maxSentence = 4096

// passages adds the first passages of a text, most at most, and returns how many.
func (w *worker) passages(text string, most int) int {
	w.lex, w.cuts = w.lex[:0], w.cuts[:0]
	for text != "" && len(w.lex) < most*passageRoom {
		n := sentence(text)
		w.lex = w.table.WordPieces(w.lex, text[:n])
		w.cuts = append(w.cuts, len(w.lex))
		text = text[n:]
	}
	count, begin := 0, 0
	for ; begin < len(w.lex) && count < most; count++ {
		end := w.passageEnd(begin, most-count)
		w.ids = append(append(append(w.ids, tokenCLS), w.lex[begin:end]...), tokenSEP)
		w.ends = append(w.ends, len(w.ids))
		begin = end
	}
	return count
}

// passageEnd tells where in w.lex the passage ends that begins there. What is left is shared
// out evenly, so that no passage of a few words remains, and cut at the end of
// the sentence that is nearest; without one by half of that share, at a word. most is how many
// passages there may still be.
func (w *worker) passageEnd(begin, most int) int {
	left := len(w.lex) - begin
	if left <= passageRoom {
		return len(w.lex)
	}
	share := min(left/min((left+passageRoom-1)/passageRoom, most), passageRoom)
	target, end := begin+share, 0
	for _, cut := range w.cuts {
		if cut < begin+share/2 || cut > begin+passageRoom {
			continue
		}
		if end == 0 || abs(cut-target) < abs(end-target) {
			end = cut
		}
	}
	if end > 0 {
		return end
	}
	for end = target; end > begin+1 && w.continues(w.lex[end]); end-- {
	}
	return end
}

// continues tells whether a token is the rest of a word.
func (w *worker) continues(token uint16) bool {
	return strings.HasPrefix(w.table.Token(token), "##")
}

func abs(n int) int { return max(n, -n) }

// sentence is how many bytes the first sentence or line of a text has, the white space behind it
// included: up to a line break, up to a full stop, question or exclamation mark before a blank, or
// up to one of those that Chinese and Japanese have. A longer one than maxSentence ends at a blank.
func sentence(text string) int {
	for i, r := range text {
		n := i + utf8.RuneLen(r)
		switch r {
		case '\n', '。', '！', '？':
			return n
		case '.', '!', '?':
			if n == len(text) || text[n] == ' ' || text[n] == '\t' || text[n] == '\r' {
				return n
			}
		}
		if i < maxSentence {
			continue
		}
		if blank := strings.LastIndexByte(text[:i], ' '); blank > 0 {
			return blank + 1
		}
		return i
	}
	return len(text)
}
