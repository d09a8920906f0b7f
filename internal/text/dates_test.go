package text

import (
	"math"
	"testing"
	"time"
)

// dateCase is a line of testdata/dates/queries.jsonl.
type dateCase struct {
	ID    string     `json:"id"`
	Now   time.Time  `json:"now"`
	Zone  string     `json:"tz"`
	Query string     `json:"query"`
	From  *time.Time `json:"from"`
	To    *time.Time `json:"to"`
	Slack int        `json:"slack_days"`
	Level string     `json:"level"`
}

func TestQueryWindowCases(t *testing.T) {
	t.Parallel()
	var should, passed int
	for _, c := range readCases[dateCase](t, "testdata/dates/queries.jsonl") {
		zone, err := time.LoadLocation(c.Zone)
		if err != nil {
			t.Fatal(err)
		}
		w, ok := QueryWindow(c.Query, c.Now, zone)
		good := ok == (c.From != nil || c.To != nil) && sameBound(w.From, c.From, c.Slack) && sameBound(w.To, c.To, c.Slack)
		if c.Level == "should" {
			should++
			if good {
				passed++
			}
			continue
		}
		if !good {
			t.Errorf("%s %q at %s = [%s, %s) of %q, %t; want [%v, %v)", c.ID, c.Query, c.Now.In(zone), w.From, w.To, w.Phrase, ok, c.From, c.To)
		}
	}
	t.Logf("should: %d of %d", passed, should)
}

// sameBound compares a bound with what is wanted, nil for open, give or take days.
func sameBound(got time.Time, want *time.Time, slack int) bool {
	if want == nil {
		return got.IsZero()
	}
	return !got.IsZero() && math.Abs(got.Sub(*want).Hours()) <= float64(24*slack)
}
