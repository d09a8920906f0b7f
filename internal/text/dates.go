package text

import "time"

// Window is the time that a query means: [From, To), a zero bound is open.
type Window struct {
	From, To time.Time
	Phrase   string // the words that name it, folded

	at stretch // where Phrase stands in the folded query
}

// stretch is where something stands in a text, in bytes.
type stretch struct{ from, to int }

func (s stretch) within(outer stretch) bool { return s.from >= outer.from && s.to <= outer.to }

func (s stretch) meets(other stretch) bool { return s.from < other.to && s.to > other.from }

// within gives where the window is named in q, which is cleaned and not folded: an
// empty stretch where it is not.
func (w *Window) within(q string) stretch {
	at := stretch{-1, len(q)}
	folded := 0
	var room []byte
	for i, r := range q {
		if folded >= w.at.to {
			at.to = i
			break
		}
		if folded >= w.at.from && at.from < 0 {
			at.from = i
		}
		room = appendFold(room[:0], string(r))
		folded += len(room)
	}
	if w.Phrase == "" || at.from < 0 || Fold(q[at.from:at.to]) != w.Phrase {
		return stretch{}
	}
	return at
}

// QueryWindow finds the time that a query means, as someone in zone says it at
// now: "last week", "in May 2023", "seit gestern", "上个月". Weeks begin on Monday; a
// month or weekday without more is the most recent one. It is false when the query
// names no time. A nil zone is UTC.
func QueryWindow(q string, now time.Time, zone *time.Location) (Window, bool) {
	if zone == nil {
		zone = time.UTC
	}
	q = Fold(q)
	p := dateParser{votes: dateVotes(q), now: now.In(zone)}
	p.lang = p.votes.ofQuery()
	p.words = scanDates(q, p.lang == english || p.lang == unknownLanguage)
	p.today = civil(p.now.Year(), int(p.now.Month()), p.now.Day())
	for i := 0; i < len(p.words); i++ {
		if p.has(i, everyRole) {
			i++
			continue
		}
		if s, end, ok := p.window(i); ok {
			at := stretch{p.words[i].start, p.words[end-1].end}
			w := Window{Phrase: q[at.from:at.to], at: at}
			w.From, w.To = inZone(s.from, zone), inZone(s.to, zone)
			return w, true
		}
	}
	return Window{}, false
}

// dateVotes counts for the languages, some of which write different times the
// same way.
func dateVotes(q string) ballot {
	var votes ballot
	if len(q) > maxDateQuery {
		return votes
	}
	sc := scanner{s: q}
	for t, ok := sc.next(); ok; t, ok = sc.next() {
		if t.plain && t.text != "hier" {
			votes.addLexeme(words.get(t.text))
		}
	}
	return votes
}

// dateParser reads phrases of time. Its methods take the index of a word and give
// what begins there, the index after it, and whether there is such a thing.
type dateParser struct {
	words []dateWord
	now   time.Time
	today time.Time
	votes ballot
	lang  language
}

func (p *dateParser) role(i int, k roleKind) (int, bool) {
	if i < 0 || i >= len(p.words) {
		return 0, false
	}
	if langs, ok := gates[gate{p.words[i].text, k}]; ok && !langs.has(p.lang) {
		return 0, false
	}
	return p.words[i].role(k)
}

func (p *dateParser) has(i int, k roleKind) bool {
	_, ok := p.role(i, k)
	return ok
}

// A gate lets a word play a role only in some languages.
type gate struct {
	word string
	kind roleKind
}

const noLanguage = languageSet(1 << unknownLanguage)

var gates = map[gate]languageSet{
	{"an", unitRole}:  1 << french,
	{"ans", unitRole}: 1 << french, {"tag", unitRole}: 1 << german, {"da", sinceRole}: 1<<italian | noLanguage,
	{"na", afterRole}: 1 << dutch, {"ar", unitRole}: 1 << swedish, {"for", wideRole}: ^languageSet(1 << swedish),
	{"i dag", dayRole}: 1<<swedish | 1<<danish | 1<<norwegian | noLanguage, {"ore", unitRole}: 1 << italian,
	{"sedan", sinceRole}: 1 << swedish, {"fa", agoAfter}: ^languageSet(1 << spanish), {"ab", sinceRole}: 1<<german | noLanguage,
	{"с", sinceRole}: 1<<russian | noLanguage, {"till", untilRole}: ^languageSet(1 << swedish), {"ete", seasonRole}: 1<<french | noLanguage,
	{"var", seasonRole}: 1 << swedish, {"host", seasonRole}: 1 << swedish,
}

// window reads a phrase with the preposition that says how its date is meant.
func (p *dateParser) window(i int) (span, int, bool) {
	type reading func(int) (span, int, bool)
	for _, read := range []reading{p.offset, p.between, p.days, p.since, p.ago, p.later, p.after, p.before, p.until, p.rollingUnit, p.within} {
		if s, end, ok := read(i); ok {
			return s, end, true
		}
	}
	return span{}, 0, false
}

// within reads a date as the time in which something is, with what may follow it.
func (p *dateParser) within(i int) (span, int, bool) {
	firm := firmNone
	j := i
	if p.has(i, inRole) {
		firm, j = firmIn, i+1
	} else if p.has(i, wideRole) || p.has(i, fromRole) {
		firm, j = firmWide, i+1
	}
	s, end, ok := p.date(p.skip(j, articleRole, 1), firm)
	if !ok && j > i {
		s, end, ok = p.date(i, firmNone)
	}
	if !ok {
		return span{}, 0, false
	}
	if r, e, ok := p.rangeFrom(s, end); ok {
		return r, e, true
	}
	if v, ok := p.role(end, sincePost); ok {
		return sinceSpan(s, v == 1), end + 1, true
	}
	if v, ok := p.role(end, beforePost); ok {
		return untilSpan(s, v == 1), end + 1, true
	}
	if p.has(i, fromRole) && p.has(end, onwardRole) {
		return sinceSpan(s, false), end + 1, true
	}
	return s, end, true
}

func sinceSpan(s span, without bool) span {
	if without {
		return span{from: s.to, unit: openUnit}
	}
	return span{from: s.from, unit: openUnit}
}

func untilSpan(s span, with bool) span {
	if with {
		return span{to: s.to, unit: openUnit}
	}
	return span{to: s.from, unit: openUnit}
}

// rangeFrom reads the rest of a range whose first date is known: "to 5 May".
func (p *dateParser) rangeFrom(first span, i int) (span, int, bool) {
	if !p.has(i, toRole) {
		return span{}, 0, false
	}
	last, end, ok := p.date(p.skip(i+1, articleRole, 1), firmIn)
	if !ok {
		return span{}, 0, false
	}
	for end < len(p.words) && (p.has(end, beforePost) || p.has(end, sincePost)) {
		end++
	}
	return p.join(first, last, end)
}

// join makes a range of two dates. A first one without a year is that before the
// last one.
func (p *dateParser) join(first, last span, end int) (span, int, bool) {
	if first.yearless {
		for first.from.After(last.from) {
			first.from = civil(first.from.Year()-1, int(first.from.Month()), first.from.Day())
		}
		if !last.yearless {
			for y := first.from.Year(); civil(y+1, int(first.from.Month()), first.from.Day()).Before(last.to); y++ {
				first.from = civil(y+1, int(first.from.Month()), first.from.Day())
			}
		}
	}
	if !first.from.Before(last.to) {
		return span{}, 0, false
	}
	return span{from: first.from, to: last.to, unit: openUnit}, end, true
}

// between reads "between A and B", "from A to B" and "3 to 5 May".
func (p *dateParser) between(i int) (span, int, bool) {
	link := andRole
	switch {
	case p.has(i, betweenRole):
	case p.has(i, fromRole), p.has(i, sinceRole):
		link = toRole
	default:
		return span{}, 0, false
	}
	j := p.skip(i+1, articleRole, 1)
	first, next, ok := p.date(j, firmIn)
	if ok {
		if !p.has(next, link) {
			return span{}, 0, false
		}
		last, end, ok := p.date(p.skip(next+1, articleRole, 1), firmIn)
		if !ok {
			return span{}, 0, false
		}
		return p.join(first, last, end)
	}
	return p.dayRange(j, link)
}

// days reads "3–5 May".
func (p *dateParser) days(i int) (span, int, bool) { return p.dayRange(i, toRole) }

// dayRange reads two days of which only the last has its month: 3 and 5 May.
func (p *dateParser) dayRange(j int, link roleKind) (span, int, bool) {
	if j >= len(p.words) || p.words[j].num < 1 || p.words[j].num > 31 || !p.has(j+1, link) {
		return span{}, 0, false
	}
	last, end, ok := p.date(p.skip(j+2, articleRole, 1), firmIn)
	if !ok || last.unit != dayUnit || p.words[j].num >= last.from.Day() {
		return span{}, 0, false
	}
	return span{from: last.from.AddDate(0, 0, p.words[j].num-last.from.Day()), to: last.to, unit: openUnit}, end, true
}

// offset reads "two days before 3 May" and "the week after yesterday".
func (p *dateParser) offset(i int) (span, int, bool) {
	n, next, ok := p.number(i)
	if !ok {
		n, next = 1, p.skip(i, articleRole, 1)
	}
	u, ok := p.role(next, unitRole)
	sign := 0
	if p.has(next+1, beforeRole) {
		sign = -1
	} else if p.has(next+1, afterRole) {
		sign = 1
	}
	if !ok || sign == 0 || timeUnit(u) == hourUnit || timeUnit(u) == weekendUnit {
		return span{}, 0, false
	}
	s, end, ok := p.date(p.skip(next+2, articleRole, 1), firmIn)
	unit := timeUnit(u)
	switch {
	case !ok:
		return span{}, 0, false
	case unit == dayUnit && sign < 0:
		return daySpan(s.from.AddDate(0, 0, -n)), end, true
	case unit == dayUnit:
		return daySpan(s.to.AddDate(0, 0, n-1)), end, true
	case sign < 0:
		return span{from: shift(s.from, unit, -n), to: s.from, unit: openUnit}, end, true
	}
	return span{from: s.to, to: shift(s.to, unit, n), unit: openUnit}, end, true
}

func (p *dateParser) since(i int) (span, int, bool) {
	if !p.has(i, sinceRole) {
		return span{}, 0, false
	}
	j := p.skip(i+1, articleRole, 1)
	if p.text(i) == "da" && p.lang != italian && !italianTimes[p.text(j)] {
		return span{}, 0, false // of the, in Portuguese
	}
	if s, end, ok := p.ago(j); ok {
		return sinceSpan(s, false), end, true
	}
	if s, end, ok := p.date(j, firmIn); ok {
		for p.has(end, sincePost) || p.has(end, onwardRole) {
			end++
		}
		return sinceSpan(s, false), end, true
	}
	// "seit drei Tagen": since three days ago.
	if n, next, ok := p.number(j); ok {
		if unit, ok := p.role(next, unitRole); ok {
			return span{from: shift(p.today, timeUnit(unit), -n), unit: openUnit}, next + 1, true
		}
	}
	return span{}, 0, false
}

var italianTimes = wordSet(`ieri oggi lunedi martedi mercoledi giovedi venerdi sabato gennaio febbraio marzo aprile maggio giugno luglio
settembre ottobre dicembre`)

func (p *dateParser) after(i int) (span, int, bool) { return p.open(i, afterRole, true, sinceSpan) }

func (p *dateParser) before(i int) (span, int, bool) { return p.open(i, beforeRole, false, untilSpan) }

func (p *dateParser) until(i int) (span, int, bool) { return p.open(i, untilRole, true, untilSpan) }

func (p *dateParser) open(i int, k roleKind, flag bool, bound func(span, bool) span) (span, int, bool) {
	if !p.has(i, k) {
		return span{}, 0, false
	}
	firm := firmIn
	if p.text(i) == "by" {
		firm = firmWide // a book by April
	}
	s, end, ok := p.date(p.skip(i+1, articleRole, 1), firm)
	if !ok {
		return span{}, 0, false
	}
	return bound(s, flag), end, true
}

// skip passes at most n words of a role.
func (p *dateParser) skip(i int, k roleKind, n int) int {
	for ; n > 0 && p.has(i, k); n-- {
		i++
	}
	return i
}

// number reads a number in digits or words, "a couple of" too.
func (p *dateParser) number(i int) (n, end int, ok bool) {
	if i >= len(p.words) {
		return 0, 0, false
	}
	if n, ok := p.role(i, fewRole); ok {
		return n, i + 1, true
	}
	if w := &p.words[i]; w.num > 0 && !w.ordinal && w.span == nil && w.num < 1000 {
		return w.num, i + 1, true
	}
	if n, ok := p.role(i, numberRole); ok {
		if few, ok := p.role(i+1, fewRole); ok && n == 1 {
			return few, i + 2, true
		}
		return n, i + 1, true
	}
	return 0, 0, false
}

// ago reads "three days ago", "vor drei Tagen", "三天前".
func (p *dateParser) ago(i int) (span, int, bool) {
	j := i
	pre := p.has(i, agoBefore)
	if pre {
		j++
	}
	few := p.has(j, fewRole) || p.has(j+1, fewRole)
	n, next, ok := p.number(j)
	if !ok {
		return span{}, 0, false
	}
	unit, ok := p.role(next, unitRole)
	if !ok || !pre && !p.has(next+1, agoAfter) {
		return span{}, 0, false
	}
	end := next + 1
	if !pre {
		end++
	}
	u := timeUnit(unit)
	switch {
	case few:
		return span{from: shift(p.today, u, -2*n), to: p.today, unit: openUnit}, end, true
	case u == hourUnit:
		then := p.now.Add(-time.Duration(n) * time.Hour)
		return daySpan(civil(then.Year(), int(then.Month()), then.Day())), end, true
	}
	return agoSpan(p.today, u, n), end, true
}

// later reads "in three days", "a week from now", "三天后": not how long a thing took.
func (p *dateParser) later(i int) (span, int, bool) {
	j := i
	pre := p.has(i, laterBefore)
	if pre {
		j++
	}
	n, next, ok := p.number(j)
	if !ok {
		return span{}, 0, false
	}
	unit, ok := p.role(next, unitRole)
	if !ok || timeUnit(unit) == hourUnit || !pre && !p.has(next+1, laterAfter) {
		return span{}, 0, false
	}
	end := next + 1
	if !pre {
		end++
	}
	if pre && (p.text(end) == "of" || n == 1 && timeUnit(unit) == dayUnit) {
		return span{}, 0, false
	}
	for k := range p.words {
		if pre && finished[p.text(k)] {
			return span{}, 0, false
		}
	}
	return unitSpan(p.today, timeUnit(unit), n), end, true
}

// rollingUnit reads "in the last year" and "past week": up to now, unlike the
// calendar's last year.
func (p *dateParser) rollingUnit(i int) (span, int, bool) {
	j := i
	over := p.has(i, overRole)
	if over {
		j = p.skip(i+1, articleRole, 1)
	}
	if t := p.text(j); t != "past" && (!over || t != "last") {
		return span{}, 0, false
	}
	unit, ok := p.role(j+1, unitRole)
	if !ok || timeUnit(unit) == weekendUnit {
		return span{}, 0, false
	}
	return p.rolling(timeUnit(unit), -1), j + 2, true
}

// rolling gives the last or next n units, as seen today.
func (p *dateParser) rolling(u timeUnit, n int) span {
	if u == hourUnit && n < 0 {
		then := p.now.Add(time.Duration(n) * time.Hour)
		return span{from: civil(then.Year(), int(then.Month()), then.Day()), to: p.today.AddDate(0, 0, 1), unit: openUnit}
	}
	return rollingSpan(p.today, u, n)
}
