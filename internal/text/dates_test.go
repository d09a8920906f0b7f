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

// TestQueryWindow shows the kinds of phrases, asked on Thursday 2 July 2026 in Berlin.
func TestQueryWindow(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	now := time.Date(2026, 7, 2, 9, 15, 0, 0, time.UTC)
	for query, want := range map[string]string{
		"what did we do two weeks ago":        "2026-06-15 2026-06-22",
		"three days ago":                      "2026-06-29 2026-06-30",
		"in the last year":                    "2025-07-02 2026-07-03",
		"what changed last year":              "2025-01-01 2026-01-01",
		"over the past two weeks":             "2026-06-18 2026-07-03",
		"errors in the last 7d":               "2026-06-25 2026-07-03",
		"on Tuesday we met":                   "2026-06-30 2026-07-01",
		"Friday of last week":                 "2026-06-26 2026-06-27",
		"from Monday to Wednesday":            "2026-06-29 2026-07-02",
		"between March and May 2025":          "2025-03-01 2025-06-01",
		"between October and May":             "2025-10-01 2026-06-01",
		"from 3 to 5 May 2026":                "2026-05-03 2026-05-06",
		"3–5 May 2026":                        "2026-05-03 2026-05-06",
		"May to July 2025":                    "2025-05-01 2025-08-01",
		"2024-05-01..2024-05-10":              "2024-05-01 2024-05-11",
		"after March 14, 2026":                "2026-03-15 open",
		"until last Friday":                   "open 2026-06-27",
		"in the summer of 2024":               "2024-06-01 2024-09-01",
		"first half of 2025":                  "2025-01-01 2025-07-01",
		"third quarter of 2025":               "2025-07-01 2025-10-01",
		"the week of May 3":                   "2026-04-27 2026-05-04",
		"last weekend":                        "2026-06-27 2026-06-29",
		"last year in October":                "2025-10-01 2025-11-01",
		"by the end of last month":            "open 2026-07-01",
		"mid-2024":                            "2024-01-01 2025-01-01",
		"31 December":                         "2025-12-31 2026-01-01",
		"5/6/2026 call":                       "2026-05-06 2026-05-07",
		"05.06.2026":                          "2026-06-05 2026-06-06",
		"in the 1990s":                        "1990-01-01 2000-01-01",
		"hace tres días":                      "2026-06-29 2026-06-30",
		"entre enero y marzo de 2025":         "2025-01-01 2025-04-01",
		"los últimos 7 días":                  "2026-06-25 2026-07-03",
		"antes de marzo de 2025":              "open 2025-03-01",
		"letzten Freitag":                     "2026-06-26 2026-06-27",
		"seit drei Tagen":                     "2026-06-29 open",
		"vor März 2025":                       "open 2025-03-01",
		"letztes Jahr im Mai":                 "2025-05-01 2025-06-01",
		"vom 3. bis 5. Mai 2026":              "2026-05-03 2026-05-06",
		"les 7 derniers jours":                "2026-06-25 2026-07-03",
		"depuis le 1er janvier":               "2026-01-01 open",
		"l'été dernier":                       "2025-06-01 2025-09-01",
		"avant-hier":                          "2026-06-30 2026-07-01",
		"há três dias":                        "2026-06-29 2026-06-30",
		"na semana passada":                   "2026-06-22 2026-06-29",
		"sexta-feira passada":                 "2026-06-26 2026-06-27",
		"venerdì scorso":                      "2026-06-26 2026-06-27",
		"da lunedì":                           "2026-06-29 open",
		"drie dagen geleden":                  "2026-06-29 2026-06-30",
		"de afgelopen 7 dagen":                "2026-06-25 2026-07-03",
		"на прошлой неделе":                   "2026-06-22 2026-06-29",
		"för tre dagar sedan":                 "2026-06-29 2026-06-30",
		"三天前的会议":                              "2026-06-29 2026-06-30",
		"上周五讨论了什么":                            "2026-06-26 2026-06-27",
		"最近7天的错误":                             "2026-06-25 2026-07-03",
		"去年五月":                                "2025-05-01 2025-06-01",
		"从5月到6月":                              "2026-05-01 2026-07-01",
		"2025年3月之前":                           "open 2025-03-01",
		"十二月三日":                               "2025-12-03 2025-12-04",
		"先週の金曜日":                              "2026-06-26 2026-06-27",
		"過去7日間":                               "2026-06-25 2026-07-03",
		"지난주 금요일":                             "2026-06-26 2026-06-27",
		"3일 전":                                "2026-06-29 2026-06-30",
		"3월부터 5월까지":                           "2026-03-01 2026-06-01",
		"test 3 may fail":                     "",
		"the week before 16 November 2023":    "2023-11-09 2023-11-16",
		"two days before yesterday":           "2026-06-29 2026-06-30",
		"the day after 3 May 2026":            "2026-05-04 2026-05-05",
		"drei Tage vor dem 3. Mai":            "2026-04-30 2026-05-01",
		"this may lead to errors":             "",
		"Friday the 13th":                     "",
		"how much can it eat in a day":        "",
		"谁的生日更靠近年底":                           "",
		"最近天气变暖了":                             "",
		"every Tuesday standup":               "",
		"Black Friday sale":                   "",
		"in spring boot":                      "",
		"What did April say about June":       "",
		"summer job list":                     "",
		"version 2024.3 notes":                "",
		"in 2024 lines of code":               "",
		"HTTP 2024 error":                     "",
		"192.168.2024.1":                      "",
		"2024-13-45":                          "",
		"how many days did it last":           "",
		"how did you finish in 3 days":        "",
		"the last half of the game":           "",
		"plan an upcoming trip":               "",
		"por la mañana":                       "",
		"guten Morgen":                        "",
		"was steht hier":                      "",
		"mes dernières notes":                 "",
		"一周一次的会议":                             "",
		"내일정 확인":                              "",
		"reuniões da semana passada no Porto": "2026-06-22 2026-06-29",
	} {
		got := ""
		if w, ok := QueryWindow(query, now, zone); ok {
			got = dayOf(w.From, zone) + " " + dayOf(w.To, zone)
		}
		if got != want {
			t.Errorf("QueryWindow(%q) = %q, want %q", query, got, want)
		}
	}
}

func dayOf(t time.Time, zone *time.Location) string {
	if t.IsZero() {
		return "open"
	}
	return t.In(zone).Format(time.DateOnly)
}

func TestQueryWindowWhereMidnightIsSkipped(t *testing.T) {
	t.Parallel()
	zone, err := time.LoadLocation("America/Sao_Paulo")
	if err != nil {
		t.Fatal(err)
	}
	// On 4 November 2018 the clocks of São Paulo went from 0:00 to 1:00.
	w, ok := QueryWindow("yesterday", time.Date(2018, 11, 5, 12, 0, 0, 0, time.UTC), zone)
	if want := time.Date(2018, 11, 4, 3, 0, 0, 0, time.UTC); !ok || !w.From.Equal(want) {
		t.Errorf("from = %s, want %s", w.From, want)
	}
	if want := time.Date(2018, 11, 5, 2, 0, 0, 0, time.UTC); !w.To.Equal(want) {
		t.Errorf("to = %s, want %s", w.To, want)
	}
}

func TestQueryOrder(t *testing.T) {
	t.Parallel()
	for query, want := range map[string]Order{
		"the latest decision on billing":    Latest,
		"what is my current address":        Latest,
		"when was the last time we met":     Latest,
		"what was the first bug we fixed":   First,
		"oldest note":                       First,
		"la última decisión":                Latest,
		"die neueste Version":               Latest,
		"最新的决定":                             Latest,
		"最早的记录":                             First,
		"what happened last week":           None,
		"last Friday's deploy":              None,
		"errors in the last 7 days":         None,
		"my last name":                      None,
		"how long did it last":              None,
		"what did we do first":              First,
		"What have we tried first?":         First,
		"which database did they use last?": Latest,
		"how long did we last":              None,
		"what did the battery last":         None,
		"what made us last":                 None,
		"which was released first":          None,
		"what did we use at first":          None,
		"how long does the battery last on": None,
		"the first quarter":                 None,
		"最近7天的错误":                           None,
		"why is the build slow":             None,
	} {
		if got := QueryOrder(query); got != want {
			t.Errorf("QueryOrder(%q) = %d, want %d", query, got, want)
		}
	}
}

func FuzzQueryWindow(f *testing.F) {
	for _, q := range []string{
		"last week", "between 3 and 5 May 2026", "seit drei Tagen", "上周五", "2026-02-30", "31.12.2025", "3일 전", "5月から", "in the 1990s", "a few years ago",
		"from to and between since 12月", "0000-00-00", "\x00\xff last \u200bFriday", "999 years ago", "next 999 months",
	} {
		f.Add(q, int64(1782983700))
	}
	zone := time.FixedZone("", 3600)
	f.Fuzz(func(t *testing.T, q string, unix int64) {
		now := time.Unix(unix%4e9, 0)
		w, ok := QueryWindow(q, now, zone)
		if !ok {
			return
		}
		if w.From.IsZero() && w.To.IsZero() {
			t.Errorf("QueryWindow(%q) is open at both ends", q)
		}
		if !w.From.IsZero() && !w.To.IsZero() && !w.From.Before(w.To) {
			t.Errorf("QueryWindow(%q) = [%s, %s)", q, w.From, w.To)
		}
		if w.Phrase == "" {
			t.Errorf("QueryWindow(%q) has no phrase", q)
		}
		if again, _ := QueryWindow(q, now, zone); again != w {
			t.Errorf("QueryWindow(%q) = %v, then %v", q, w, again)
		}
	})
}
