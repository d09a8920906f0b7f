package text

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// isRunChar tells whether r is written without spaces in Chinese, Japanese or
// Korean. Hangul is written with them, but compounds are spaced freely, so it is
// cut into bigrams too.
func isRunChar(r rune) bool {
	switch {
	case r < 0x1100:
		return false
	case r <= 0x11FF: // Jamo that NFKC could not compose
		return true
	case r == 0x3005, r == 0x3006, r == 0x3007, r == 0x303B: // 々 〆 〇 〻
		return true
	case r >= 0x3041 && r <= 0x3096, r >= 0x309D && r <= 0x309F, r >= 0x30A1 && r <= 0x30FA, r >= 0x30FC && r <= 0x30FF:
		return true
	case r >= 0x3105 && r <= 0x312F, r >= 0x3131 && r <= 0x318E, r >= 0x31A0 && r <= 0x31BF, r >= 0x31F0 && r <= 0x31FF:
		return true
	case r >= 0x3400 && r <= 0x4DBF, r >= 0x4E00 && r <= 0x9FFF, r >= 0xF900 && r <= 0xFAFF:
		return true
	case r >= 0xA960 && r <= 0xA97F, r >= 0xAC00 && r <= 0xD7FF:
		return true
	case r >= 0x20000 && r <= 0x3FFFF, r >= 0x1B000 && r <= 0x1B16F:
		return true
	}
	return false
}

// isThaiChar tells whether r belongs to a script of South-East Asia that has no
// spaces between words.
func isThaiChar(r rune) bool {
	if r < 0x0E00 || r > 0x17FF {
		return false
	}
	switch {
	case r <= 0x0EFF, r >= 0x1000 && r <= 0x109F, r >= 0x1780:
		return unicode.In(r, unicode.L, unicode.M)
	}
	return false
}

// clusters calls yield with the bounds of each character of a run with the marks
// that sit on it.
func clusters(s string, yield func(start, end int)) {
	start := 0
	for i, r := range s {
		if i > start && !unicode.Is(unicode.M, r) {
			yield(start, i)
			start = i
		}
	}
	if start < len(s) {
		yield(start, len(s))
	}
}

// bigrams calls yield with every two neighbouring characters of a run, and with
// the last one alone: with the prefixes of the terms, that makes every character
// findable.
func bigrams(s string, yield func(term string)) {
	prev := -1
	last := 0
	clusters(s, func(start, end int) {
		if prev >= 0 {
			yield(s[prev:end])
		}
		prev, last = start, start
	})
	if last < len(s) {
		yield(s[last:])
	}
}

// runLen is how many words a run counts for: words have about two characters.
func runLen(s string) int { return (utf8.RuneCountInString(s) + 1) / 2 }

func isBigram(s string) bool {
	n := 0
	clusters(s, func(int, int) { n++ })
	return n == 2
}

// hardParticles are the Han characters that part words almost everywhere, and
// softWords the words in which they do not.
const hardParticles = "的了吗嗎呢吧是在和與与"

var particleWords = []string{"目的", "的确", "的確", "了解", "了得", "和平", "和谐", "現在", "现在", "存在", "参与", "參與", "是非", "和解", "温和", "与会"}

// isRunStop tells whether a bigram or character counts for nothing alone: a
// function word, or a piece of one with a particle.
func isRunStop(term string) bool {
	if runStopSet()[term] {
		return true
	}
	for _, w := range particleWords {
		if w == term {
			return false
		}
	}
	stops, n := 0, 0
	for _, r := range term {
		n++
		if strings.ContainsRune(hardParticles, r) {
			return true
		}
		if runStopSet()[string(r)] {
			stops++
		}
	}
	return n > 0 && stops == n
}

// maxRunWord is the most characters of a word that MadeOf looks for.
const maxRunWord = 6

// MadeOf tells whether a run of a script without spaces is made of nothing but
// function words and words of a set.
func MadeOf(run string, words map[string]bool) bool {
	ends := []int{0} // of characters, up to here
	made := map[int]bool{0: true}
	for i, r := range run {
		end := i + utf8.RuneLen(r)
		for _, start := range ends[max(0, len(ends)-maxRunWord):] {
			w := run[start:end]
			if made[start] && (words[w] || runStopSet()[w] || strings.Contains(hardParticles, w)) {
				made[end] = true
				break
			}
		}
		ends = append(ends, end)
	}
	return made[len(run)]
}

// loneCharacters gives the characters of a run that have function words on both
// sides, or are the whole run: no bigram stands for them.
func loneCharacters(s string) []string {
	var chars []string
	clusters(s, func(start, end int) { chars = append(chars, s[start:end]) })
	if len(chars) == 1 {
		return chars
	}
	var lone []string
	for i, c := range chars {
		if isRunStop(c) || !isHan(c) {
			continue
		}
		left := i == 0 || isRunStop(chars[i-1]) && isRunStop(chars[i-1]+c)
		right := i == len(chars)-1 || isRunStop(chars[i+1]) && isRunStop(c+chars[i+1])
		if left && right {
			lone = append(lone, c)
		}
	}
	return lone
}

func isHan(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.Is(unicode.Han, r)
}
