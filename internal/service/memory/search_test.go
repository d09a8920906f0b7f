package memory_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/service/memory"
)

// queryCase is a line of the cases of awkward queries.
type queryCase struct {
	ID, Query, Level, Note string
	Docs                   []struct{ ID, Text string }
	Must                   []string
	MustNot                []string `json:"must_not"`
	First                  string
	Empty                  bool
}

func TestSearchAwkwardQueries(t *testing.T) {
	t.Parallel()
	should, failed := 0, 0
	for _, c := range readLines[queryCase](t, "../../recall/testdata/queries/cases.jsonl") {
		f := newFixture(t)
		letters := map[int64]string{}
		for _, d := range c.Docs {
			letters[f.save(t, memory.SaveInput{Content: d.Text}).ID] = d.ID
		}
		r, err := f.Search(agent(t), memory.SearchInput{Query: c.Query})
		if err != nil && (!c.Empty || engram.ErrorCode(err) != "query_required") {
			t.Errorf("%s: %v", c.ID, err)
			continue
		}
		var got []string
		for _, h := range r.Hits {
			got = append(got, letters[h.Memory.ID])
		}
		wrong := c.judge(got)
		if c.Level == "should" {
			should++
			if wrong != "" {
				failed++
				t.Logf("%s, which should: %.60q gave %v: %s", c.ID, c.Query, got, wrong)
			}
		} else if wrong != "" {
			t.Errorf("%s: %.60q gave %v: %s", c.ID, c.Query, got, wrong)
		}
	}
	t.Logf("%d of %d that should pass", should-failed, should)
}

func (c *queryCase) judge(got []string) string {
	var wrong []string
	for _, want := range c.Must {
		if !slices.Contains(got, want) {
			wrong = append(wrong, want+" is missing")
		}
	}
	for _, not := range c.MustNot {
		if slices.Contains(got, not) {
			wrong = append(wrong, not+" is there")
		}
	}
	if c.First != "" && (len(got) == 0 || got[0] != c.First) {
		wrong = append(wrong, c.First+" is not first")
	}
	if c.Empty && len(got) > 0 {
		wrong = append(wrong, "something is found")
	}
	return strings.Join(wrong, ", ")
}

// floorFixture holds the memories of two lives, to be asked about.
func floorFixture(t *testing.T) (f *fixture, names map[int64]string) {
	t.Helper()
	f = newFixture(t)
	names = map[int64]string{}
	type document struct {
		ID, Text string
		Time     time.Time
	}
	for _, d := range readLines[document](t, "../../recall/testdata/nonsense/corpus.jsonl") {
		names[f.save(t, memory.SaveInput{Content: d.Text, OccurredAt: d.Time}).ID] = d.ID
	}
	return f, names
}

func TestSearchFloor(t *testing.T) {
	t.Parallel()
	f, names := floorFixture(t)
	type floorCase struct {
		ID, Query, Kind string
		Gold            []string
	}
	all, good := map[string]int{}, map[string]int{}
	for _, c := range readLines[floorCase](t, "../../recall/testdata/nonsense/cases.jsonl") {
		r, err := f.Search(agent(t), memory.SearchInput{Query: c.Query, Limit: 5})
		if err != nil {
			t.Fatalf("%s: %v", c.ID, err)
		}
		if r.NoAnswer != (len(r.Hits) == 0) {
			t.Errorf("%s: no_answer %v with %d hits", c.ID, r.NoAnswer, len(r.Hits))
		}
		var got []string
		for _, h := range r.Hits {
			got = append(got, names[h.Memory.ID])
		}
		kind, ok := "nonsense "+c.Kind, len(got) == 0
		if len(c.Gold) > 0 {
			kind = "gold " + c.Kind
			ok = slices.ContainsFunc(c.Gold, func(g string) bool { return slices.Contains(got, g) })
		}
		all[kind]++
		if ok {
			good[kind]++
		} else if kind == "nonsense far" || kind == "gold words" {
			t.Errorf("%s: %q (%s, gold %v) gave %v", c.ID, c.Query, kind, c.Gold, got)
		}
	}
	for kind, n := range all {
		t.Logf("%s: %d of %d", kind, good[kind], n)
	}
}

// The rows F1 to F7 and N1 of reference/wire-compat.md.
func TestProbeFinding(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	texts := map[string]string{
		"migration": "The migration of the orders table is running since noon.",
		"auth":      "Authentication uses passkeys.",
		"resume":    "Send the résumé to the Straße office.",
		"kana":      "認証の期限は十五分。データベースは夜に移行する。",
		"han":       "数据库每天备份。",
		"fox":       "The fox 🦊 came again.",
		"quote":     `The flag is a"b and nothing else.`,
		"cpp":       "The parser is written in C++.",
		"csharp":    "The desktop client is a C# program.",
		"user":      "func getUserByID(id int) panics on zero",
		"filler":    "The greenhouse needs water twice a day.",
	}
	named := map[int64]string{}
	for name, content := range texts {
		named[f.save(t, memory.SaveInput{Content: content, Project: "p"}).ID] = name
	}
	named[f.save(t, memory.SaveInput{Content: "Keys live in the vault.", TopicKey: "config/kms-rotation", Project: "p"}).ID] = "topic"
	for _, tt := range []struct{ row, query, want string }{
		{"F1", "migrations", "migration"},
		{"F1", "Running", "migration"},
		{"F1", "run", "migration"},
		{"F1", "auth", "auth"},
		{"F1", "mig*", "migration"},
		{"F1", "resume", "resume"},
		{"F1", "strasse", "resume"},
		{"F2", "認証", "kana"},
		{"F2", "データベース", "kana"},
		{"F2", "数据库", "han"},
		{"F2", "🦊", "fox"},
		{"F3", "migration AND NOT content:orders", "migration"},
		{"F3", "NEAR(orders table)^2", "migration"},
		{"F3", `"orders table"`, "migration"},
		{"F4", `a"b`, "quote"},
		{"F4", "orders\x00table", "migration"},
		{"F5", "migration zebra", "migration"},
		{"F6", "C++", "cpp"},
		{"F6", "C#", "csharp"},
		{"F6", "userbyid", "user"},
		{"F7", "kms rotation", "topic"},
		{"F7", "config/kms-rotation", "topic"},
	} {
		r, err := f.Search(agent(t), memory.SearchInput{Query: tt.query, Project: "p"})
		if err != nil {
			t.Errorf("%s: Search(%q): %v", tt.row, tt.query, err)
			continue
		}
		if len(r.Hits) == 0 || named[r.Hits[0].Memory.ID] != tt.want {
			t.Errorf("%s: Search(%q) = %v, want %s first", tt.row, tt.query, describe(r, named), tt.want)
		}
	}
	// F6: a project's name is no word of its memories. N1: nothing is an answer.
	r, err := f.Search(agent(t), memory.SearchInput{Query: "p", Project: "p"})
	if err != nil || !r.NoAnswer || len(r.Hits) != 0 {
		t.Errorf("Search(p) = %v, %v, want no answer", describe(r, named), err)
	}
	_, err = f.Search(agent(t), memory.SearchInput{Query: " \t\n"})
	wantError(t, err, engram.ErrInvalid, "query_required")
}

func describe(r memory.SearchResult, named map[int64]string) []string {
	var out []string
	for _, h := range r.Hits {
		out = append(out, fmt.Sprintf("%s %.2f", named[h.Memory.ID], h.Probability))
	}
	return out
}
