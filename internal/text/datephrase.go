package text

import "time"

// firmness says what stands before a date, and so how readily a word is taken
// for one: "May" alone is a verb, "in May" a month.
type firmness int

const (
	firmNone firmness = iota
	firmWide          // "on", "for", "of"
	firmIn            // "in", "since", "between"
)

// date reads what names a stretch of time: a day, a week, a month, a year.
func (p *dateParser) date(i int, firm firmness) (span, int, bool) {
	if i >= len(p.words) {
		return span{}, 0, false
	}
	if p.has(i, qualifierRole) {
		j := p.skip(i+1, ofRole, 2)
		if p.text(j) == "-" { // mid-2024
			j++
		}
		if s, end, ok := p.plainDate(j, firmIn); ok && (j > i+1 || s.unit > weekUnit) {
			return s, end, true
		}
	}
	return p.plainDate(i, firm)
}

func (p *dateParser) plainDate(i int, firm firmness) (span, int, bool) {
	if i >= len(p.words) {
		return span{}, 0, false
	}
	type reading func(int, firmness) (span, int, bool)
	for _, read := range []reading{p.digitDate, p.namedDay, p.relative, p.weekday, p.monthDate, p.quarter, p.season, p.year} {
		if s, end, ok := read(i, firm); ok {
			return s, end, true
		}
	}
	return span{}, 0, false
}

// digitDate reads a date in digits, and what narrows a year: 2023年春天.
func (p *dateParser) digitDate(i int, _ firmness) (span, int, bool) {
	if p.words[i].span == nil {
		return span{}, 0, false
	}
	return p.narrow(*p.words[i].span, i+1)
}

// narrow reads the month, season, quarter or weekday of a year or week before it.
func (p *dateParser) narrow(s span, end int) (span, int, bool) {
	j := p.skip(end, ofRole, 2)
	if s.unit == yearUnit {
		y := s.from.Year()
		if m, ok := p.month(j); ok {
			if d := p.words[j].num; d > 0 && validDate(y, m, d) {
				return daySpan(civil(y, m, d)), j + 1, true
			}
			return monthSpan(y, m), j + 1, true
		}
		if n, ok := p.role(j, seasonRole); ok {
			return seasonSpan(y, n), j + 1, true
		}
		if of, next, ok := p.part(j); ok {
			return of(y), next, true
		}
	}
	if s.unit == weekUnit {
		if d, ok := p.role(j, weekdayRole); ok {
			return daySpan(s.from.AddDate(0, 0, (d+6)%7)), j + 1, true
		}
		if d, ok := shortHanDay[p.text(end)]; ok && p.words[end].glued {
			return daySpan(s.from.AddDate(0, 0, d)), end + 1, true
		}
	}
	return s, end, true
}

// shortHanDay are the days of a week named before them: 上周五.
var shortHanDay = map[string]int{"一": 0, "二": 1, "三": 2, "四": 3, "五": 4, "六": 5, "日": 6, "天": 6}

func (p *dateParser) text(i int) string {
	if i < 0 || i >= len(p.words) {
		return ""
	}
	return p.words[i].text
}

// notTomorrow are the words before morgen and mañana that make a morning of it.
var notTomorrow = wordSet("guten jeden am diesen der den heute gestern goede elke de la una cada esta buena bom")

func (p *dateParser) namedDay(i int, _ firmness) (span, int, bool) {
	n, ok := p.role(i, dayRole)
	if !ok {
		return span{}, 0, false
	}
	if t := p.text(i); (t == "morgen" || t == "manana") && notTomorrow[p.text(i-1)] {
		return span{}, 0, false
	}
	if p.text(i) == "hier" && p.votes[french] <= max(p.votes[german], p.votes[dutch]) && len(p.words) > 1 {
		return span{}, 0, false // here, in German and Dutch
	}
	return daySpan(p.today.AddDate(0, 0, n)), i + 1, true
}

// relative reads "last week", "semana pasada", "上个月", "the last 7 days", "next
// Friday", "last May".
func (p *dateParser) relative(i int, _ firmness) (span, int, bool) {
	if v, ok := p.role(i, relUnitRole); ok {
		return p.narrow(unitSpan(p.today, timeUnit(v/16), v%16-8), i+1)
	}
	if s, end, ok := p.relBefore(i); ok {
		return s, end, true
	}
	if s, end, ok := p.relCount(i); ok {
		return s, end, true
	}
	if s, end, ok := p.relAfter(i); ok {
		return p.narrow(s, end)
	}
	return p.weekOf(i)
}

func (p *dateParser) relBefore(i int) (span, int, bool) {
	rel, ok := p.role(i, relRole)
	if !ok {
		return span{}, 0, false
	}
	if unit, ok := p.role(i+1, unitRole); ok && timeUnit(unit) != hourUnit {
		if timeUnit(unit) == dayUnit || p.text(i+1) == "half" {
			return span{}, 0, false // "the last day" is the last of something
		}
		return p.narrow(unitSpan(p.today, timeUnit(unit), rel), i+2)
	}
	if d, ok := p.role(i+1, weekdayRole); ok {
		return p.relWeekday(time.Weekday(d), rel), i + 2, true
	}
	if m, ok := p.month(i + 1); ok {
		if p.text(i) == "this" && p.has(i+1, looseMonth) && i+2 < len(p.words) {
			return span{}, 0, false // "this may lead to"
		}
		return p.relMonth(m, rel), i + 2, true
	}
	if n, ok := p.role(i+1, seasonRole); ok && !springs[p.text(i+2)] {
		return p.relSeason(n, rel), i + 2, true
	}
	return span{}, 0, false
}

// relCount reads "last 7 days", "7 derniers jours", "past few weeks".
func (p *dateParser) relCount(i int) (span, int, bool) {
	rel, ok := p.role(i, relRole)
	if !ok {
		rel, ok = p.role(i, rollingRole)
	}
	if ok && rel != 0 {
		if n, next, ok := p.number(i + 1); ok {
			if unit, ok := p.role(next, unitRole); ok {
				return p.rolling(timeUnit(unit), rel*n), next + 1, true
			}
		}
		return span{}, 0, false
	}
	n, next, ok := p.number(i)
	if !ok {
		return span{}, 0, false
	}
	rel, ok = p.role(next, relRole)
	unit, isUnit := p.role(next+1, unitRole)
	if !ok || !isUnit || rel == 0 || isPrefixOnly[p.text(next)] {
		return span{}, 0, false
	}
	return p.rolling(timeUnit(unit), rel*n), next + 2, true
}

// relAfter reads "semana pasada", "viernes pasado", "mai dernier".
func (p *dateParser) relAfter(i int) (span, int, bool) {
	rel, ok := p.role(i+1, relRole)
	if !ok || isPrefixOnly[p.text(i+1)] {
		return span{}, 0, false
	}
	if _, taken, ok := p.relBefore(i + 1); ok && taken > 0 {
		return span{}, 0, false
	}
	mine := p.text(i) == "mes" && frenchLast[p.text(i+1)]
	if unit, ok := p.role(i, unitRole); ok && timeUnit(unit) > dayUnit && !mine {
		return unitSpan(p.today, timeUnit(unit), rel), i + 2, true
	}
	if d, ok := p.role(i, weekdayRole); ok {
		return p.relWeekday(time.Weekday(d), rel), i + 2, true
	}
	if m, ok := p.month(i); ok {
		return p.relMonth(m, rel), i + 2, true
	}
	if n, ok := p.role(i, seasonRole); ok {
		return p.relSeason(n, rel), i + 2, true
	}
	return span{}, 0, false
}

// frenchLast follow mes, my, in French, which is a month in Spanish.
var frenchLast = wordSet("dernier derniere derniers dernieres prochain prochaine prochains prochaines")

// isPrefixOnly are the words that never follow what they say the time of.
var isPrefixOnly = wordSet(`last previous prior this current next coming upcoming letzte letzten letzter letztes vorige nachste nachsten
diese dieser diesen dieses este esta ce cet cette questo questa deze dit denna afgelopen`)

// weekOf reads "the week of 3 May".
func (p *dateParser) weekOf(i int) (span, int, bool) {
	unit, ok := p.role(i, unitRole)
	if !ok || timeUnit(unit) != weekUnit || !p.has(i+1, ofRole) {
		return span{}, 0, false
	}
	s, end, ok := p.plainDate(p.skip(i+1, ofRole, 2), firmIn)
	if !ok || s.unit != dayUnit {
		return span{}, 0, false
	}
	return unitSpan(s.from, weekUnit, 0), end, true
}

// relWeekday gives last, this or next Friday: the most recent before today, that
// of this week, the first after today.
func (p *dateParser) relWeekday(d time.Weekday, rel int) span {
	ahead := (int(d-p.today.Weekday()) + 7) % 7
	switch {
	case rel < 0:
		return daySpan(p.today.AddDate(0, 0, ahead-7))
	case rel == 0:
		return daySpan(monday(p.today).AddDate(0, 0, (int(d)+6)%7))
	case ahead == 0:
		ahead = 7
	}
	return daySpan(p.today.AddDate(0, 0, ahead))
}

// relMonth gives last May: the most recent that is over; this May: that of this
// year; next May: the first to come.
func (p *dateParser) relMonth(m, rel int) span {
	s := monthSpan(p.today.Year(), m)
	switch {
	case rel < 0 && s.to.After(p.today):
		return monthSpan(p.today.Year()-1, m)
	case rel > 0 && !s.from.After(p.today):
		return monthSpan(p.today.Year()+1, m)
	}
	return s
}

func (p *dateParser) relSeason(n, rel int) span {
	s := seasonSpan(p.today.Year(), n)
	switch {
	case rel == 0 && n == 3 && p.today.Month() < time.March:
		return seasonSpan(p.today.Year()-1, n)
	case rel < 0 && s.to.After(p.today):
		s = seasonSpan(p.today.Year()-1, n)
		if s.to.After(p.today) {
			s = seasonSpan(p.today.Year()-2, n)
		}
	case rel > 0 && !s.from.After(p.today):
		return seasonSpan(p.today.Year()+1, n)
	}
	return s
}

// weekday reads a bare weekday, the most recent one, and what narrows it.
func (p *dateParser) weekday(i int, _ firmness) (span, int, bool) {
	d, ok := p.role(i, weekdayRole)
	if !ok || p.has(i-1, notWeekday) || p.text(i+1) == "gras" || p.text(i+2) == "13th" || p.words[i].glued && p.has(i-1, numberRole) {
		return span{}, 0, false
	}
	// "Friday, 3 May" and "Friday of last week".
	j := p.skip(i+1, ofRole, 3)
	if s, end, ok := p.plainDate(j, firmIn); ok {
		if s.unit == dayUnit && !p.has(j, dayRole) && !p.has(j, weekdayRole) && !p.has(j, relRole) {
			return s, end, true
		}
		if s.unit == weekUnit {
			return daySpan(s.from.AddDate(0, 0, (d+6)%7)), end, true
		}
	}
	back := (int(p.today.Weekday()) - d + 7) % 7
	return daySpan(p.today.AddDate(0, 0, -back)), i + 1, true
}

// part reads a quarter or a half, and gives it for a year.
func (p *dateParser) part(i int) (of func(y int) span, end int, ok bool) {
	if q, ok := p.role(i, quarterRole); ok {
		return func(y int) span { return quarterSpan(y, q) }, i + 1, true
	}
	if h, ok := p.role(i, halfRole); ok {
		return func(y int) span { return halfSpan(y, h) }, i + 1, true
	}
	n, ok := p.role(i, ordinalRole)
	if !ok && i < len(p.words) {
		n, ok = p.words[i].num, p.words[i].num >= 1
	}
	if !ok {
		n, ok = p.role(i, numberRole)
	}
	unit, isUnit := p.role(i+1, unitRole)
	switch {
	case !ok || !isUnit:
	case timeUnit(unit) == quarterUnit && n <= 4:
		return func(y int) span { return quarterSpan(y, n) }, i + 2, true
	case timeUnit(unit) == halfUnit && n <= 2:
		return func(y int) span { return halfSpan(y, n) }, i + 2, true
	}
	return nil, 0, false
}

func (p *dateParser) quarter(i int, firm firmness) (span, int, bool) {
	of, next, ok := p.part(i)
	if !ok {
		return span{}, 0, false
	}
	if y, end, ok := p.yearAfter(next); ok {
		return of(y), end, true
	}
	// T1 and H1 alone are many things; Q1 is a quarter.
	if t := p.text(i); next == i+1 && firm != firmIn && t[0] != 'q' {
		return span{}, 0, false
	}
	return p.recent(of), next, true
}

// recent gives the most recent of what comes once a year and has begun.
func (p *dateParser) recent(of func(y int) span) span {
	s := of(p.today.Year())
	if s.from.After(p.today) {
		s = of(p.today.Year() - 1)
	}
	s.yearless = true
	return s
}

func (p *dateParser) season(i int, firm firmness) (span, int, bool) {
	n, ok := p.role(i, seasonRole)
	if !ok {
		return span{}, 0, false
	}
	of := func(y int) span { return seasonSpan(y, n) }
	if y, end, ok := p.yearAfter(i + 1); ok {
		return of(y), end, true
	}
	if firm != firmIn || springs[p.text(i+1)] {
		return span{}, 0, false
	}
	return p.recent(of), i + 1, true
}

// yearAfter reads the year that follows a month, quarter or season.
func (p *dateParser) yearAfter(i int) (y, end int, ok bool) {
	j := p.skip(i, ofRole, 3)
	for _, k := range []int{j, i} {
		if k < len(p.words) && p.words[k].span == nil && plausibleYear(p.words[k].num) {
			return p.words[k].num, k + 1, true
		}
		if k < len(p.words) {
			if s, end, ok := p.relYear(k); ok {
				return s.from.Year(), end, true
			}
		}
	}
	return 0, 0, false
}

func (p *dateParser) relYear(i int) (span, int, bool) {
	if v, ok := p.role(i, relUnitRole); ok && timeUnit(v/16) == yearUnit {
		return unitSpan(p.today, yearUnit, v%16-8), i + 1, true
	}
	rel, ok := p.role(i, relRole)
	if unit, isUnit := p.role(i+1, unitRole); ok && isUnit && timeUnit(unit) == yearUnit {
		return unitSpan(p.today, yearUnit, rel), i + 2, true
	}
	unit, ok := p.role(i, unitRole)
	if rel, isRel := p.role(i+1, relRole); ok && isRel && timeUnit(unit) == yearUnit && !isPrefixOnly[p.text(i+1)] {
		return unitSpan(p.today, yearUnit, rel), i + 2, true
	}
	return span{}, 0, false
}

// year reads "2024" after a preposition, and "year 2024".
func (p *dateParser) year(i int, firm firmness) (span, int, bool) {
	named := p.has(i, yearWordRole)
	if named {
		i++
	}
	if i >= len(p.words) || p.words[i].span != nil || !plausibleYear(p.words[i].num) || firm == firmNone && !named {
		return span{}, 0, false
	}
	y := p.words[i].num
	if measured[p.text(i+1)] || firm == firmWide && (y < 1990 || y > p.today.Year()+5 || !datingWords[p.text(i-1)]) {
		return span{}, 0, false
	}
	return yearSpan(y), i + 1, true
}
