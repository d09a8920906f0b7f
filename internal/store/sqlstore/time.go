package sqlstore

import (
	"database/sql"
	"time"
)

// micros is how a time is stored: UTC microseconds, rounded.
func micros(t time.Time) int64 { return t.Round(time.Microsecond).UnixMicro() }

// optional is micros for a column that may be "not set".
func optional(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return micros(t)
}

func fromMicros(us int64) time.Time { return time.UnixMicro(us).UTC() }

func fromOptional(us sql.NullInt64) time.Time {
	if !us.Valid {
		return time.Time{}
	}
	return fromMicros(us.Int64)
}

// cmpTime is the first time that is set.
func cmpTime(ts ...time.Time) time.Time {
	for _, t := range ts {
		if !t.IsZero() {
			return t
		}
	}
	return time.Time{}
}
