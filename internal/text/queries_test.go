package text

import (
	"slices"
	"strings"
	"testing"
)

// queryCase is a line of testdata/queries/cases.jsonl.
type queryCase struct {
	ID    string `json:"id"`
	Query string `json:"query"`
	Docs  []struct{ ID, Text string }
	Must  []string `json:"must"`
	Not   []string `json:"must_not"`
	First string   `json:"first"`
	Empty bool     `json:"empty"`
	Level string   `json:"level"`
}

// shared gives the words of q that count and that a text has.
func shared(q Query, text string) []string {
	d := Analyze(text)
	var words []string
	for _, w := range q.Words {
		if w.Stop {
			continue
		}
		if slices.ContainsFunc(w.Forms, func(form string) bool {
			return slices.ContainsFunc(d.Terms, func(term string) bool {
				return term == form || w.Prefix && strings.HasPrefix(term, form)
			})
		}) {
			words = append(words, w.Surface)
		}
	}
	return words
}

// needTypos are the cases whose only hit is a misspelt word, which the engine's
// similar terms find.
var needTypos = map[string]bool{"q-066": true}

func TestQueryCases(t *testing.T) {
	t.Parallel()
	var should, passed int
	for _, c := range readCases[queryCase](t, "testdata/queries/cases.jsonl") {
		q := AnalyzeQuery(c.Query)
		var faults []string
		best := 0
		hits := map[string]int{}
		for _, d := range c.Docs {
			n := len(shared(q, d.Text))
			hits[d.ID], best = n, max(best, n)
			if slices.Contains(c.Must, d.ID) && n == 0 && !needTypos[c.ID] {
				faults = append(faults, d.ID+" shares no word")
			}
			if slices.Contains(c.Not, d.ID) && n > 0 {
				faults = append(faults, d.ID+" shares "+strings.Join(shared(q, d.Text), " "))
			}
			if c.Empty && n > 0 {
				faults = append(faults, d.ID+" is found by nothing")
			}
		}
		if c.First != "" && hits[c.First] < best {
			faults = append(faults, "the best shares more than "+c.First)
		}
		if c.Level == "should" {
			should++
			if len(faults) == 0 {
				passed++
			}
			t.Logf("%s should: %v", c.ID, faults)
			continue
		}
		if len(faults) > 0 {
			t.Errorf("%s %.60q: %v\n%+v", c.ID, c.Query, faults, q.Words)
		}
	}
	t.Logf("should: %d of %d", passed, should)
}
