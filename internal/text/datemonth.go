package text

// month gives a month that stands at i, however it is written.
func (p *dateParser) month(i int) (int, bool) {
	for _, k := range []roleKind{monthRole, looseMonth, shortMonth} {
		if m, ok := p.role(i, k); ok {
			return m, true
		}
	}
	return 0, false
}

// monthDate reads "May 2023", "3 May", "May 3, 2026", "3 de mayo de 2026", "in May".
func (p *dateParser) monthDate(i int, firm firmness) (span, int, bool) {
	if w := p.words[i]; w.num >= 1 && w.num <= 31 && w.span == nil {
		if s, end, ok := p.dayMonth(i, firm); ok {
			return s, end, true
		}
	}
	// "el mes de mayo"
	if unit, ok := p.role(i, unitRole); ok && timeUnit(unit) == monthUnit && p.has(i+1, ofRole) {
		i, firm = p.skip(i+1, ofRole, 2), firmIn
	}
	m, ok := p.month(i)
	if !ok {
		return span{}, 0, false
	}
	if d := p.words[i].num; d > 0 { // 5月3日
		return p.recentDay(m, d, i+1)
	}
	if s, end, ok := p.monthDay(i, m); ok {
		return s, end, true
	}
	if y, end, ok := p.yearAfter(i + 1); ok {
		return monthSpan(y, m), end, true
	}
	if _, ranged := p.month(i + 2); ranged && p.has(i+1, toRole) {
		firm = firmIn // May to July
	}
	if p.text(i-1) == "the" && p.has(i, looseMonth) && m != 3 && m != 5 {
		firm = firmIn // "the August release"; but "the march"
	}
	if !p.has(i, monthRole) && (firm != firmIn || p.isOtherWord(i)) {
		return span{}, 0, false
	}
	return p.recent(func(y int) span { return monthSpan(y, m) }), i + 1, true
}

// isOtherWord tells whether a month that is also another word, or short, is
// rather that: "march of", "out".
func (p *dateParser) isOtherWord(i int) bool {
	if p.has(i, looseMonth) {
		return p.text(i+1) == "of"
	}
	return unlikelyShort[p.text(i)]
}

var unlikelyShort = wordSet("out ago set mar mag gen ott ene dic dez")

// dayMonth reads a day before its month: "3 May", "3rd of May 2026".
func (p *dateParser) dayMonth(i int, firm firmness) (span, int, bool) {
	j := p.skip(i+1, ofRole, 2)
	m, ok := p.month(j)
	if !ok {
		return span{}, 0, false
	}
	d := p.words[i].num
	if y, end, ok := p.yearAfter(j + 1); ok && validDate(y, m, d) {
		return daySpan(civil(y, m, d)), end, true
	}
	if !p.has(j, monthRole) && firm == firmNone && !p.words[i].ordinal && j == i+1 && j+1 < len(p.words) {
		return span{}, 0, false // "test 3 may fail"
	}
	return p.recentDay(m, d, j+1)
}

// monthDay reads a month before its day: "May 3", "March 14, 2026".
func (p *dateParser) monthDay(i, m int) (span, int, bool) {
	j := p.skip(i+1, articleRole, 1)
	if j >= len(p.words) || p.words[j].span != nil {
		return span{}, 0, false
	}
	d := p.words[j].num
	if d < 1 || d > 31 || measured[p.text(j+1)] || p.has(j+1, unitRole) {
		return span{}, 0, false
	}
	if y, end, ok := p.yearAfter(j + 1); ok && validDate(y, m, d) {
		return daySpan(civil(y, m, d)), end, true
	}
	return p.recentDay(m, d, j+1)
}

// recentDay gives the most recent such day that is not to come.
func (p *dateParser) recentDay(m, d, end int) (span, int, bool) {
	for y := p.today.Year(); y > p.today.Year()-9; y-- {
		if day := civil(y, m, d); validDate(y, m, d) && !day.After(p.today) {
			s := daySpan(day)
			s.yearless = true
			return s, end, true
		}
	}
	return span{}, 0, false
}
