package recall_test

import (
	"testing"
	"time"

	"engram"
)

// Of texts that say the same about what was asked, time alone decides, however the
// ranker likes their other words. What says less does not compete.
func TestOrderAmongLikeTexts(t *testing.T) {
	t.Parallel()
	at := func(year int, content string) engram.Memory {
		return engram.Memory{Content: content, OccurredAt: time.Date(year, 3, 5, 9, 0, 0, 0, time.UTC)}
	}
	x := index(
		at(2022, "we use MySQL as our main database"),
		at(2023, "decision: the main database is PostgreSQL from now on, after long talks about cost and about the team's own skills"),
		at(2024, "main database: CockroachDB"),
		at(2025, "we use DynamoDB as our main database for everything, and the old one is kept for reports until summer"),
		at(2026, "lunch was late"),
		at(2026, "the frontend uses a database of icons"),
	)
	for question, want := range map[string]int64{
		"what is the latest main database?":        4,
		"the most recent main database":            4,
		"which main database did we use at first?": 1,
		"our newest main database":                 4,
	} {
		p := find(t, x, question)
		if got := idsOf(p.Candidates); got[0] != want {
			t.Errorf("%q: order %v, want %d first", question, got, want)
		}
	}
}
