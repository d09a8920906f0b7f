package text

import (
	"slices"
	"strings"
	"testing"
	"time"
)

// The words of a date that makes the window are told from those that say what is
// asked, however it is written; a second date stays words.
func TestAnalyzeTimedQuery(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 12, 7, 11, 0, 0, 0, time.UTC)
	for query, want := range map[string]string{
		"what did we fix since 2026-12-01":    "fix",
		"what broke on 12/03/2026?":           "broke",
		"2026-12-03":                          "",
		"releases 2026-12":                    "releases",
		"releases in 2026":                    "releases",
		"2024-05-01..2024-05-10 backups":      "backups",
		"deployed 03.12.2026 by Ana":          "deployed ana",
		"2026-12-03T10:00:00Z outage":         "outage",
		"what did we fix on December 3":       "fix",
		"yesterday's outage":                  "outage",
		"compare 2026-12-01 with 2026-11-02":  "compare 2026-11-02 2026-11 2026",
		"what did the last team do last week": "last team",
		"release 2026.13.45 notes":            "release 2026.13.45 notes",
		"Ｗhat Ａna did on ２０２６-12-03":          "ana",
		"Straße am 3. Dezember gesperrt":      "strasse gesperrt",
		"昨天部署":                                "部署",
		"上周我们部署了搜索网关":                         "们部 部署 搜索 索网 网关",
		"2026年12月3日部署":                        "部署",
		"十二月三日部署":                             "部署",
		"昨天雨":                                 "雨",
		"昨日デプロイした":                            "デプ プロ ロイ イし",
		"지난주 배포":                              "배포",
	} {
		w, ok := QueryWindow(query, now, nil)
		if !ok && !strings.Contains(query, "2026.13.45") {
			t.Errorf("%q names no window", query)
		}
		var said []string
		for _, word := range AnalyzeTimedQuery(query, w).Words {
			if !word.When && !word.Stop {
				said = append(said, word.Surface)
			}
		}
		wanted := strings.Fields(want)
		slices.Sort(said)
		slices.Sort(wanted)
		if !slices.Equal(said, wanted) {
			t.Errorf("%q says %q beside %q, want %q", query, said, w.Phrase, wanted)
		}
	}
}

// A window of another query marks nothing.
func TestAnalyzeTimedQueryOfAnother(t *testing.T) {
	t.Parallel()
	w, _ := QueryWindow("what was there on 2026-12-03", time.Date(2026, 12, 7, 11, 0, 0, 0, time.UTC), nil)
	for _, query := range []string{"", "short", "a longer query with other words 2026-12-04", "数据库在哪里呢数据库在哪里呢"} {
		for _, word := range AnalyzeTimedQuery(query, w).Words {
			if word.When {
				t.Errorf("%q: %q names a window", query, word.Surface)
			}
		}
	}
}

func TestMadeOf(t *testing.T) {
	t.Parallel()
	words := map[string]bool{"做": true, "発生": true}
	for run, want := range map[string]bool{
		"": true, "我们做了什么": true, "做": true, "我们修复了什么": false, "発生した": true, "発": false, "做饭": false,
	} {
		if got := MadeOf(run, words); got != want {
			t.Errorf("MadeOf(%q) = %t", run, got)
		}
	}
}
