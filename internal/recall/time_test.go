package recall_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/recall"
)

// A question for nothing but a time lists what lies in it, however the time is
// written, and nothing else.
func TestOnlyTime(t *testing.T) {
	t.Parallel()
	at := func(month time.Month, day int, content string) engram.Memory {
		return engram.Memory{Content: content, OccurredAt: time.Date(2026, month, day, 10, 0, 0, 0, time.UTC)}
	}
	x := index(
		at(time.April, 20, "Spring release planning: chose feature flags."),
		at(time.June, 23, "Deployed the search gateway to production."),
		at(time.June, 26, "We migrated the billing service to Postgres 16."),
		at(time.July, 1, "Reviewed the incident about the DNS outage."),
		at(time.July, 2, "Wrote the onboarding guide."),
		at(time.May, 3, "Filler topic 23 about lanterns and soup."),
	)
	for question, want := range map[string][]int64{
		"what did we do since 2026-06-26": {5, 4, 3},
		"what happened on 2026-06-23":     {2},
		"what happened on 06/23/2026":     {2},
		"2026-06-23":                      {2},
		"2026-06":                         {3, 2},
		"what happened on June 23":        {2},
		"what happened before 2026-05-01": {1},
		"what did we do on 2026-06-24":    {},
		"上周我们做了什么":                        {3, 2},
		"昨天做了什么":                          {4},
		"2026年6月23日发生了什么":                 {2},
		"昨日何をしましたか":                       {4},
		"先週の記録":                           {3, 2},
		"어제 뭐 했지":                         {4},
		"지난주에 우리가 한 일":                    {3, 2},
	} {
		if got := idsOf(find(t, x, question).Passed()); !slices.Equal(got, want) {
			t.Errorf("%q: %v, want %v", question, got, want)
		}
	}
}

// A number of the date is not looked for in texts of other times.
func TestNumberOfADate(t *testing.T) {
	t.Parallel()
	p := find(t, index(
		engram.Memory{Content: "Fixed the memory leak in the websocket pool.", OccurredAt: now.Add(-24 * time.Hour)},
		engram.Memory{Content: "Topic 20 is about lanterns.", OccurredAt: now.Add(-2000 * time.Hour)},
		engram.Memory{Content: "Bread is baked before dawn.", OccurredAt: now.Add(-24 * time.Hour)},
	), "after June 20 what did we fix")
	if got := idsOf(p.Passed()); len(got) == 0 || got[0] != 1 || slices.Contains(got, 2) {
		t.Errorf("found %v, want 1 first and no 2", got)
	}
}

// Asked for an order, memories are packed in it, however old or important they
// are.
func TestPackInOrder(t *testing.T) {
	t.Parallel()
	items := []recall.Item{
		{Text: "moved the office", Relevance: .9, OccurredAt: now.Add(-9000 * time.Hour)},
		{Text: strings.Repeat("interviewed candidates ", 20), Relevance: .9, OccurredAt: now.Add(-5000 * time.Hour)},
		{Text: "moved the office again", Relevance: .9, Importance: 1, OccurredAt: now},
	}
	var got []int
	for _, p := range recall.PackInOrder(items, 20, now) {
		if p.Kept {
			got = append(got, p.Index)
		}
	}
	if !slices.Equal(got, []int{0, 2}) {
		t.Errorf("kept %v, want all that fits, as it came", got)
	}
	if first := recall.PackInOrder(items, 6, now)[0]; first.Index != 0 || !first.Kept {
		t.Errorf("of a budget for one it got %+v", first)
	}
}
