package memory

import (
	"strings"
	"time"

	"engram"
	"engram/internal/text"
)

// timesOfDay are the forms of a time without a zone, which is the user's then.
var timesOfDay = []string{"2006-01-02 15:04:05", "2006-01-02T15:04:05"}

// AsOf reads the time that a search is asked as of: a time, or a date, which
// means that all of that day in the user's zone was known. "" is the zero time.
func (s *Service) AsOf(value string) (time.Time, error) {
	value = strings.TrimSpace(value)
	if value == "" {
		return time.Time{}, nil
	}
	if t, err := time.Parse(time.RFC3339Nano, value); err == nil && engram.Keepable(t) {
		return t.UTC(), nil
	}
	for _, layout := range timesOfDay {
		if t, err := time.ParseInLocation(layout, value, s.opts.Zone); err == nil && engram.Keepable(t) {
			return t.UTC(), nil
		}
	}
	if day, err := time.Parse(time.DateOnly, value); err == nil && engram.Keepable(day) {
		return text.DayEnd(day, s.opts.Zone).UTC(), nil
	}
	return time.Time{}, engram.Errorf(engram.ErrInvalid, "as_of is not a time").WithCode("invalid_as_of").
		WithHint("write a time like 2026-03-31T12:00:00Z, or a date like 2026-03-31, which means its end")
}
