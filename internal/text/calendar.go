package text

import "time"

// A span is a stretch of calendar days [from, to), as midnights in UTC whatever
// the zone is: calendar arithmetic knows no clock changes.
type span struct {
	from, to time.Time
	unit     timeUnit
	yearless bool // its year was not said
}

// timeUnit is a unit of calendar time.
type timeUnit int

const (
	hourUnit timeUnit = iota
	dayUnit
	weekendUnit
	weekUnit
	fortnightUnit
	monthUnit
	quarterUnit
	halfUnit
	yearUnit
	openUnit // open at one end
)

func civil(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

func daySpan(d time.Time) span { return span{from: d, to: d.AddDate(0, 0, 1), unit: dayUnit} }

func monthSpan(y, m int) span {
	from := civil(y, m, 1)
	return span{from: from, to: from.AddDate(0, 1, 0), unit: monthUnit}
}

func yearSpan(y int) span { return span{from: civil(y, 1, 1), to: civil(y+1, 1, 1), unit: yearUnit} }

func quarterSpan(y, q int) span {
	return span{from: civil(y, 3*q-2, 1), to: civil(y, 3*q+1, 1), unit: quarterUnit}
}

func halfSpan(y, h int) span {
	return span{from: civil(y, 6*h-5, 1), to: civil(y, 6*h+1, 1), unit: halfUnit}
}

// seasonSpan gives a season by its number, spring 0, of the north; winter ends in
// the year after.
func seasonSpan(y, s int) span {
	return span{from: civil(y, 3+3*s, 1), to: civil(y, 6+3*s, 1), unit: quarterUnit}
}

// monday gives the first day of the week that d lies in.
func monday(d time.Time) time.Time { return d.AddDate(0, 0, -(int(d.Weekday())+6)%7) }

// addMonths keeps to the month: a month after 31 January is the end of February.
func addMonths(d time.Time, n int) time.Time {
	first := civil(d.Year(), int(d.Month())+n, 1)
	last := first.AddDate(0, 1, -1).Day()
	return first.AddDate(0, 0, min(d.Day(), last)-1)
}

// unitSpan gives the calendar unit that lies n units from the one of today.
func unitSpan(today time.Time, unit timeUnit, n int) span {
	switch unit {
	case weekUnit, fortnightUnit:
		days := 7
		if unit == fortnightUnit {
			days = 14
		}
		from := monday(today).AddDate(0, 0, days*n)
		return span{from: from, to: from.AddDate(0, 0, 7), unit: weekUnit}
	case weekendUnit:
		from := monday(today).AddDate(0, 0, 5+7*n)
		return span{from: from, to: from.AddDate(0, 0, 2), unit: weekendUnit}
	case monthUnit:
		return monthSpan(today.Year(), int(today.Month())+n)
	case quarterUnit:
		return quarterSpan(today.Year(), (int(today.Month())+2)/3+n)
	case halfUnit:
		return halfSpan(today.Year(), (int(today.Month())+5)/6+n)
	case yearUnit:
		return yearSpan(today.Year() + n)
	}
	return daySpan(today.AddDate(0, 0, n))
}

// shift moves a day by n units.
func shift(d time.Time, unit timeUnit, n int) time.Time {
	switch unit {
	case hourUnit:
		return d.AddDate(0, 0, n/24)
	case weekUnit, weekendUnit:
		return d.AddDate(0, 0, 7*n)
	case fortnightUnit:
		return d.AddDate(0, 0, 14*n)
	case monthUnit:
		return addMonths(d, n)
	case quarterUnit:
		return addMonths(d, 3*n)
	case halfUnit:
		return addMonths(d, 6*n)
	case yearUnit:
		return addMonths(d, 12*n)
	}
	return d.AddDate(0, 0, n)
}

// agoSpan gives the unit that lies n units back: the day, the week, the month.
func agoSpan(today time.Time, unit timeUnit, n int) span {
	if unit == hourUnit {
		return daySpan(shift(today, unit, -n))
	}
	return unitSpan(today, unit, -n)
}

// rollingSpan gives the last n units up to today, or the next n from today.
func rollingSpan(today time.Time, unit timeUnit, n int) span {
	if n >= 0 {
		return span{from: today, to: shift(today, unit, n).AddDate(0, 0, 1), unit: openUnit}
	}
	return span{from: shift(today, unit, n), to: today.AddDate(0, 0, 1), unit: openUnit}
}

// inZone turns a civil midnight into the start of that day in a zone. Where the
// clocks skip midnight, the day starts later.
func inZone(d time.Time, zone *time.Location) time.Time {
	if d.IsZero() {
		return time.Time{}
	}
	t := time.Date(d.Year(), d.Month(), d.Day(), 0, 0, 0, 0, zone)
	if t.Day() != d.Day() {
		t = t.Add(time.Hour)
	}
	return t
}

// DayEnd is the last moment of a civil day in a zone, to the microsecond.
func DayEnd(day time.Time, zone *time.Location) time.Time {
	next := civil(day.Year(), int(day.Month()), day.Day()).AddDate(0, 0, 1)
	return inZone(next, zone).Add(-time.Microsecond)
}

func validDate(y, m, d int) bool {
	if y < 1 || y > 9999 || m < 1 || m > 12 || d < 1 {
		return false
	}
	return civil(y, m, d).Day() == d
}
