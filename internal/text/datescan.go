package text

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// dateWord is a word of a query as the grammar of time phrases sees it.
type dateWord struct {
	text       string
	start, end int
	roles      []role
	num        int   // -1 when it is not a number in digits
	ordinal    bool  // the number was written 3rd, or 3.
	span       *span // of a date in digits
	glued      bool  // nothing stood between it and the word before
}

func (w *dateWord) role(k roleKind) (int, bool) {
	for _, r := range w.roles {
		if r.kind == k {
			return r.val, true
		}
	}
	return 0, false
}

// maxDateQuery is how much of a query is searched for a time.
const maxDateQuery = 1000

// Dates in digits. The order matters: the longest first.
var (
	isoDay     = regexp.MustCompile(`^(\d{4})([-/.])(\d{1,2})([-/.])(\d{1,2})(t\d{2}:\d{2}[0-9:.]*z?)?`)
	isoMonth   = regexp.MustCompile(`^(\d{4})[-/](\d{1,2})`)
	dayFirst   = regexp.MustCompile(`^(\d{1,2})([-/.])(\d{1,2})([-/.])(\d{4})`)
	hanYear    = regexp.MustCompile(`^(\d{4}) ?(?:年|년)(?: ?(\d{1,2}) ?(?:月|월)(?:份)?(?: ?(\d{1,2}) ?(?:日|号|號|일))?)?`)
	hanMonth   = regexp.MustCompile(`^(\d{1,2}|[一二三四五六七八九]|十[一二]?) ?(?:月|월)(?:份)?(?: ?(\d{1,2}|[一二三]?十[一二三四五六七八九]?|[一二三四五六七八九]) ?(?:日|号|號|일))?`)
	decade     = regexp.MustCompile(`^(\d{3}0)(?:'?s|er)\b`)
	digitsOnly = regexp.MustCompile(`^\d+`)
	ordinalEnd = regexp.MustCompile(`^(?:st|nd|rd|th|er|ro|o)\b`)
)

// dateScanner cuts a folded query into date words.
type dateScanner struct {
	q        string
	pos      int
	words    []dateWord
	monthDay bool // 3/4/2026 is 4 March
}

func scanDates(q string, monthDay bool) []dateWord {
	if len(q) > maxDateQuery {
		cut := maxDateQuery
		for !utf8.RuneStart(q[cut]) {
			cut--
		}
		q = q[:cut]
	}
	sc := dateScanner{q: q, monthDay: monthDay}
	for sc.pos < len(q) {
		sc.step()
	}
	return sc.words
}

func (sc *dateScanner) step() {
	r, size := utf8.DecodeRuneInString(sc.q[sc.pos:])
	switch {
	case unicode.IsDigit(r):
		sc.digits()
	case isRunChar(r):
		sc.han(size)
	case unicode.IsLetter(r):
		sc.letters()
	case strings.ContainsRune("-–—~〜&", r):
		sc.emit(sc.pos+size, dateWord{num: -1})
	case strings.HasPrefix(sc.q[sc.pos:], "..") && !strings.HasPrefix(sc.q[sc.pos:], "..."):
		sc.emit(sc.pos+2, dateWord{num: -1})
	default:
		sc.pos += size
	}
}

// emit adds the word that ends at end, with its roles.
func (sc *dateScanner) emit(end int, w dateWord) {
	w.text, w.start, w.end = sc.q[sc.pos:end], sc.pos, end
	w.roles = dateRoles()[w.text]
	w.glued = len(sc.words) > 0 && sc.words[len(sc.words)-1].end == w.start
	sc.words = append(sc.words, w)
	sc.pos = end
}

func (sc *dateScanner) letters() {
	end := letterEnd(sc.q, sc.pos)
	best := end
	next := end
	for range maxDateWords {
		gap := next
		for gap < len(sc.q) && strings.IndexByte(" '-", sc.q[gap]) >= 0 {
			gap++
		}
		if gap == next || gap >= len(sc.q) {
			break
		}
		next = letterEnd(sc.q, gap)
		if next == gap {
			break
		}
		phrase := strings.Map(spaceOut, sc.q[sc.pos:next])
		if _, ok := dateRoles()[phrase]; ok {
			best = next
		}
	}
	start := sc.pos
	sc.emit(best, dateWord{num: -1})
	if best != end {
		w := &sc.words[len(sc.words)-1]
		w.text = strings.Map(spaceOut, sc.q[start:best])
		w.roles = dateRoles()[w.text]
	}
}

func spaceOut(r rune) rune {
	if r == '\'' || r == '-' {
		return ' '
	}
	return r
}

// letterEnd gives the end of the word at start: letters, then digits (Q1).
func letterEnd(s string, start int) int {
	for i := start; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		inside := unicode.IsLetter(r) || i > start && unicode.IsDigit(r)
		if !inside || isRunChar(r) {
			return i
		}
		i += size
	}
	return len(s)
}

// han takes the longest entry at the position, or one character.
func (sc *dateScanner) han(size int) {
	if sc.hanDate() {
		return
	}
	// A Korean word has its particles behind it and nothing in front.
	r, _ := utf8.DecodeRuneInString(sc.q[sc.pos:])
	if before, _ := utf8.DecodeLastRuneInString(sc.q[:sc.pos]); unicode.Is(unicode.Hangul, r) && unicode.Is(unicode.Hangul, before) && !sc.afterEntry() {
		sc.emit(sc.pos+size, dateWord{num: -1})
		sc.words[len(sc.words)-1].roles = nil
		return
	}
	ends := []int{}
	for i, n := sc.pos, 0; i < len(sc.q) && n < 6; n++ {
		c, size := utf8.DecodeRuneInString(sc.q[i:])
		if !isRunChar(c) && c != ' ' && !unicode.IsDigit(c) {
			break
		}
		i += size
		ends = append(ends, i)
	}
	for _, end := range slices.Backward(ends) {
		if _, ok := dateRoles()[sc.q[sc.pos:end]]; ok && koreanEnd(sc.q[sc.pos:], end-sc.pos) {
			sc.emit(end, dateWord{num: -1})
			return
		}
	}
	sc.emit(sc.pos+size, dateWord{num: -1})
}

// koreanEnd tells whether a Korean word of two syllables and more may end at end:
// before something else, or before a particle. 내일정 is no 내일.
func koreanEnd(s string, end int) bool {
	if r, size := utf8.DecodeRuneInString(s); end == size || !unicode.Is(unicode.Hangul, r) {
		return true
	}
	next, _ := utf8.DecodeRuneInString(s[end:])
	return !unicode.Is(unicode.Hangul, next) || strings.ContainsRune("은는이가을를의에도만까부로과와밤", next)
}

// afterEntry tells whether the word before ends here and has a role.
func (sc *dateScanner) afterEntry() bool {
	if len(sc.words) == 0 {
		return false
	}
	w := &sc.words[len(sc.words)-1]
	return w.end == sc.pos && (len(w.roles) > 0 || w.num >= 0 || w.span != nil)
}

// hanDate takes 五月 and 十二月三日.
func (sc *dateScanner) hanDate() bool {
	m := hanMonth.FindStringSubmatch(sc.q[sc.pos:])
	if m == nil {
		return false
	}
	return sc.hanMonthDay(m)
}

func (sc *dateScanner) hanMonthDay(m []string) bool {
	month := hanNumber(m[1])
	if month < 1 || month > 12 {
		return false
	}
	end := sc.pos + len(m[0])
	w := dateWord{num: -1}
	sc.emit(end, w)
	last := &sc.words[len(sc.words)-1]
	last.roles = []role{{monthRole, month}}
	if m[2] != "" {
		last.num = hanNumber(m[2])
	}
	return true
}

// hanNumber reads digits, or Han numerals below 40.
func hanNumber(s string) int {
	if n, err := strconv.Atoi(s); err == nil {
		return n
	}
	total, last := 0, 0
	for _, r := range s {
		i := strings.IndexRune("一二三四五六七八九", r)
		if r == '十' {
			total += max(last, 1) * 10
			last = 0
		} else if i >= 0 {
			last = i/len("一") + 1
		}
	}
	return total + last
}

// digits takes a date in digits, or a number.
func (sc *dateScanner) digits() {
	rest := sc.q[sc.pos:]
	free := sc.freeStart()
	if free {
		if sc.dateInDigits(rest) {
			return
		}
		if m := hanMonth.FindStringSubmatch(rest); m != nil && sc.hanMonthDay(m) {
			return
		}
	}
	end := sc.pos + len(digitsOnly.FindString(rest))
	if end == sc.pos { // digits of another script
		_, size := utf8.DecodeRuneInString(rest)
		sc.pos += size
		return
	}
	n, err := strconv.Atoi(sc.q[sc.pos:end])
	if err != nil || end-sc.pos > 4 || !free {
		n = -1
	}
	w := dateWord{num: n}
	tail := ordinalEnd.FindString(sc.q[end:])
	switch {
	case tail != "":
		w.ordinal = true
	case end < len(sc.q) && isLowerASCII(sc.q[end]): // 24h, 1q: no number alone
		if unit, ok := unitLetters[sc.q[end:letterEnd(sc.q, end)]]; ok && n > 0 {
			sc.emit(end, w)
			sc.emit(letterEnd(sc.q, end), dateWord{num: -1})
			sc.words[len(sc.words)-1].roles = []role{{unitRole, int(unit)}}
			return
		}
		tail = sc.q[end:letterEnd(sc.q, end)]
		w.num = -1
	case end+1 < len(sc.q) && strings.IndexByte(".,:", sc.q[end]) >= 0 && isDigitASCII(sc.q[end+1]): // 2024.3
		w.num = -1
		sc.emit(end, w)
		for sc.pos < len(sc.q) && (isDigitASCII(sc.q[sc.pos]) || strings.IndexByte(".,:", sc.q[sc.pos]) >= 0) {
			sc.pos++
		}
		return
	}
	sc.emit(end+len(tail), w)
}

// unitLetters are the units that are glued to their number: 7d.
var unitLetters = map[string]timeUnit{"h": hourUnit, "hrs": hourUnit, "d": dayUnit, "w": weekUnit, "wk": weekUnit, "mo": monthUnit, "y": yearUnit}

// freeStart tells whether a number may begin here: no part of a name or a longer
// number.
func (sc *dateScanner) freeStart() bool {
	if sc.pos == 0 {
		return true
	}
	before, _ := utf8.DecodeLastRuneInString(sc.q[:sc.pos])
	if isRunChar(before) || strings.HasSuffix(sc.q[:sc.pos], "..") {
		return true
	}
	return !unicode.IsLetter(before) && !unicode.IsDigit(before) && !strings.ContainsRune(".:#_/@$€£", before)
}

func (sc *dateScanner) dateInDigits(rest string) bool {
	if m := isoDay.FindStringSubmatch(rest); m != nil && m[2] == m[4] {
		return sc.emitDay(m[0], m[1], m[3], m[5])
	}
	if m := dayFirst.FindStringSubmatch(rest); m != nil && m[2] == m[4] {
		day, month := m[1], m[3]
		if hanNumber(month) > 12 || sc.monthDay && m[2] == "/" && hanNumber(day) <= 12 {
			day, month = month, day
		}
		return sc.emitDay(m[0], m[5], month, day)
	}
	if m := hanYear.FindStringSubmatch(rest); m != nil {
		return sc.emitHanYear(m)
	}
	if m := isoMonth.FindStringSubmatch(rest); m != nil && sc.ends(m[0]) {
		y, month := hanNumber(m[1]), hanNumber(m[2])
		if plausibleYear(y) && month >= 1 && month <= 12 {
			s := monthSpan(y, month)
			sc.emit(sc.pos+len(m[0]), dateWord{num: -1, span: &s})
			return true
		}
	}
	if m := decade.FindStringSubmatch(rest); m != nil && plausibleYear(hanNumber(m[1])) {
		y := hanNumber(m[1])
		sc.emit(sc.pos+len(m[0]), dateWord{num: -1, span: &span{from: civil(y, 1, 1), to: civil(y+10, 1, 1), unit: openUnit}})
		return true
	}
	return false
}

func plausibleYear(y int) bool { return y >= 1900 && y < 2200 }

// ends tells whether the matched text is not the front of something longer.
func (sc *dateScanner) ends(matched string) bool {
	end := sc.pos + len(matched)
	if end >= len(sc.q) {
		return true
	}
	c := sc.q[end]
	if isDigitASCII(c) || isLowerASCII(c) {
		return false
	}
	return end+1 >= len(sc.q) || strings.IndexByte("-/.:", c) < 0 || !isDigitASCII(sc.q[end+1])
}

func (sc *dateScanner) emitDay(matched, year, month, day string) bool {
	y, m, d := hanNumber(year), hanNumber(month), hanNumber(day)
	if !plausibleYear(y) || !validDate(y, m, d) || !sc.ends(matched) {
		return false
	}
	s := daySpan(civil(y, m, d))
	sc.emit(sc.pos+len(matched), dateWord{num: -1, span: &s})
	return true
}

func (sc *dateScanner) emitHanYear(m []string) bool {
	y := hanNumber(m[1])
	if !plausibleYear(y) {
		return false
	}
	s := yearSpan(y)
	if m[2] != "" {
		month := hanNumber(m[2])
		if month < 1 || month > 12 {
			return false
		}
		s = monthSpan(y, month)
		if m[3] != "" {
			if !validDate(y, month, hanNumber(m[3])) {
				return false
			}
			s = daySpan(civil(y, month, hanNumber(m[3])))
		}
	}
	sc.emit(sc.pos+len(m[0]), dateWord{num: -1, span: &s})
	return true
}
