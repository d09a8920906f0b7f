package memory_test

import (
	"testing"
	"time"

	"engram"
	"engram/internal/service/memory"
)

func TestAsOf(t *testing.T) {
	t.Parallel()
	cairo := zone(t, "Africa/Cairo") // its clocks skip the midnight before 2026-04-24
	berlin := zone(t, "Europe/Berlin")
	for _, tt := range []struct {
		value string
		zone  *time.Location
		want  string
	}{
		{"", berlin, "0001-01-01T00:00:00Z"},
		{" 2026-03-31T12:00:00+02:00 ", berlin, "2026-03-31T10:00:00Z"},
		{"2026-03-31T12:00:00.25Z", berlin, "2026-03-31T12:00:00.25Z"},
		{"2026-03-31", time.UTC, "2026-03-31T23:59:59.999999Z"},
		{"2026-03-31", berlin, "2026-03-31T21:59:59.999999Z"},
		{"2026-03-28", berlin, "2026-03-28T22:59:59.999999Z"},
		{"2026-12-31", berlin, "2026-12-31T22:59:59.999999Z"},
		{"2026-04-23", cairo, "2026-04-23T21:59:59.999999Z"},
		{"2026-03-31 12:00:00", berlin, "2026-03-31T10:00:00Z"},
		{"2026-03-31T12:00:00", berlin, "2026-03-31T10:00:00Z"},
	} {
		s := memory.New(nil, memory.Options{Zone: tt.zone})
		got, err := s.AsOf(tt.value)
		if err != nil || got.Format(time.RFC3339Nano) != tt.want {
			t.Errorf("AsOf(%q) in %v = %v, %v, want %s", tt.value, tt.zone, got, err, tt.want)
		}
		s.Close()
	}
}

func TestAsOfRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, value := range []string{"yesterday", "2026-02-30", "31.03.2026", "0000-01-01", "0001-01-01T00:00:00Z", "2026", "1711886400"} {
		_, err := f.AsOf(value)
		wantError(t, err, engram.ErrInvalid, "invalid_as_of")
	}
}

func zone(t *testing.T, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Skipf("no time zones here: %v", err)
	}
	return z
}
