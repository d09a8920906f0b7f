package memory_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/text"
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

func TestSearchFilters(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	text := "The ferry leaves at nine."
	here := f.save(t, memory.SaveInput{Content: text, Project: "harbour", Type: "decision"}).ID
	global := f.save(t, memory.SaveInput{Content: text, Project: "office", Scope: "global"}).ID
	personal := f.save(t, memory.SaveInput{Content: text, Project: "harbour", Scope: "personal"}).ID
	other := f.save(t, memory.SaveInput{Content: text, Project: "office"}).ID
	tests := map[string]struct {
		in   memory.SearchInput
		want []int64
	}{
		"a project and what is global": {memory.SearchInput{Project: " HARBOUR "}, []int64{here, global, personal}},
		"all projects":                 {memory.SearchInput{AllProjects: true}, []int64{here, global, personal, other}},
		"a scope":                      {memory.SearchInput{Project: "harbour", Scope: "personal"}, []int64{personal}},
		"a type":                       {memory.SearchInput{AllProjects: true, Types: []string{"decision"}}, []int64{here}},
		"a limit":                      {memory.SearchInput{AllProjects: true, Limit: 1}, []int64{other}},
		"every word":                   {memory.SearchInput{AllProjects: true, Query: "ferry nine harbour", MatchAll: true}, nil},
		"deep":                         {memory.SearchInput{Project: "harbour", Scope: "project", Deep: true}, []int64{here}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if tt.in.Query == "" {
				tt.in.Query = "when does the ferry leave"
			}
			r, err := f.Search(agent(t), tt.in)
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for _, h := range r.Hits {
				got = append(got, h.Memory.ID)
			}
			slices.Sort(got)
			if !slices.Equal(got, tt.want) {
				t.Errorf("found %v, want %v", got, tt.want)
			}
		})
	}
}

func TestSearchAsOf(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	before := f.clock.Now()
	f.clock.Add(time.Hour)
	r := f.save(t, memory.SaveInput{Title: "Router", Content: "We use gin as the router.", TopicKey: "router"})
	then := f.clock.Now()
	f.clock.Add(time.Hour)
	f.save(t, memory.SaveInput{Title: "Router", Content: "We use chi as the router.", TopicKey: "router"})
	for name, tt := range map[string]struct {
		asOf time.Time
		want string
	}{
		"now":         {time.Time{}, "We use chi as the router."},
		"then":        {then, "We use gin as the router."},
		"before both": {before, ""},
	} {
		got, err := f.Search(agent(t), memory.SearchInput{Query: "which router do we use", AsOf: tt.asOf})
		if err != nil {
			t.Fatal(err)
		}
		content := ""
		for _, h := range got.Hits {
			if h.Memory.ID != r.ID {
				t.Errorf("%s: found #%d", name, h.Memory.ID)
			}
			content += h.Memory.Content
		}
		if content != tt.want {
			t.Errorf("%s: %q, want %q", name, content, tt.want)
		}
	}
}

func TestSearchRefusesBadInput(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for code, in := range map[string]memory.SearchInput{
		"query_required": {Query: "\n"},
		"invalid_limit":  {Query: "x", Limit: 51},
		"invalid_scope":  {Query: "x", Scope: "galaxy"},
		"invalid_arm":    {Query: "x", Arms: []string{"psychic"}},
	} {
		_, err := f.Search(agent(t), in)
		wantError(t, err, engram.ErrInvalid, code)
	}
	for _, budget := range []int{-1, 1, 32001} {
		_, err := f.Recall(agent(t), memory.RecallInput{SearchInput: memory.SearchInput{Query: "x"}, Budget: budget})
		wantError(t, err, engram.ErrInvalid, "invalid_budget")
	}
}

func TestSearchNamesSimilarProjects(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, project := range []string{"harbour-api", "harbour", "bakery", "harbor"} {
		f.save(t, memory.SaveInput{Content: "The ferry leaves at nine.", Project: project})
	}
	r, err := f.Search(agent(t), memory.SearchInput{Query: "ferry", Project: "harbuor"})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(r.SimilarProjects)
	if want := []string{"harbor", "harbour"}; !r.NoAnswer || !slices.Equal(r.SimilarProjects, want) {
		t.Errorf("similar to harbuor: %v, want %v", r.SimilarProjects, want)
	}
	// Much may be in the project, and what is asked for in one beside it.
	r, err = f.Search(agent(t), memory.SearchInput{Query: "mercury", Project: "harbour"})
	slices.Sort(r.SimilarProjects)
	if want := []string{"harbor", "harbour-api"}; err != nil || !r.NoAnswer || !slices.Equal(r.SimilarProjects, want) {
		t.Errorf("similar to harbour: %v, %v, want %v", r.SimilarProjects, err, want)
	}
	for _, in := range []memory.SearchInput{
		{Query: "ferry", Project: "harbour"},
		{Query: "mercury", Project: "bakery"},
		{Query: "mercury", AllProjects: true},
	} {
		if r, err := f.Search(agent(t), in); err != nil || len(r.SimilarProjects) != 0 {
			t.Errorf("%+v names %v, %v", in, r.SimilarProjects, err)
		}
	}
}

func TestSearchPhrases(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, memory.SaveInput{Content: "Bound the queue: retry, then drop. Retry bound queue messages twice."})
	want := f.save(t, memory.SaveInput{Content: "There are many words here about how the bound retry queue of the mailer came to be what it is."}).ID
	r, err := f.Search(agent(t), memory.SearchInput{Query: `"bound retry queue"`, Explain: true})
	if err != nil || len(r.Hits) == 0 || r.Hits[0].Memory.ID != want {
		t.Errorf("the phrase is not first: %v, %v", r.Hits, err)
	}
	if r.Trace == nil || r.Trace.Candidates[0].Features.Phrases != 1 || r.Trace.Candidates[0].Outcome != "returned" {
		t.Errorf("trace = %+v", r.Trace)
	}
}

func TestSearchCountsAccesses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.save(t, memory.SaveInput{Content: "The ferry leaves at nine."}).ID
	for _, in := range []memory.SearchInput{{Query: "ferry"}, {Query: "ferry", NoFloor: true}} {
		if _, err := f.Search(agent(t), in); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Recall(agent(t), memory.RecallInput{SearchInput: memory.SearchInput{Query: "ferry"}}); err != nil {
		t.Fatal(err)
	}
	f.Close()
	m, err := f.store.Memory(t.Context(), engram.DefaultWorkspace, id, false)
	if err != nil || m.AccessCount != 2 || !m.LastAccessed.Equal(f.clock.Now()) {
		t.Errorf("%d accesses, last %v, %v; want 2", m.AccessCount, m.LastAccessed, err)
	}
}

func TestRecall(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	day := time.Date(2026, 2, 3, 10, 0, 0, 0, time.UTC)
	note := f.save(t, memory.SaveInput{Title: "Ferry times", Content: "The ferry to the island leaves at nine.", OccurredAt: day}).ID
	turn := f.save(t, memory.SaveInput{Content: "I take the ferry on Friday.", Speaker: "Ann", Session: "s", OccurredAt: day}).ID
	r, err := f.Recall(agent(t), memory.RecallInput{SearchInput: memory.SearchInput{Query: "ferry", Explain: true}})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		fmt.Sprintf("#%d (2026-02-03) Ferry times\nThe ferry to the island leaves at nine.", note),
		fmt.Sprintf("#%d (2026-02-03) Ann: I take the ferry on Friday.", turn),
	} {
		if !strings.Contains(r.Text, want) {
			t.Errorf("the text lacks %q:\n%s", want, r.Text)
		}
	}
	if len(r.Hits) != 2 || r.OverBudget != 0 || r.Tokens == 0 || len(r.Trace.Packing) != 2 {
		t.Errorf("result = %+v", r)
	}
	if r, err = f.Recall(agent(t), memory.RecallInput{SearchInput: memory.SearchInput{Query: "mercury"}}); err != nil || !r.NoAnswer || r.Text != "" {
		t.Errorf("nothing to answer with gave %+v, %v", r, err)
	}
}

// A question for the first of something packs in the order of the search, however
// small the budget.
func TestRecallKeepsTheOrderOfTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	at := func(daysAgo int, content string) int64 {
		return f.save(t, memory.SaveInput{Content: content, OccurredAt: f.clock.Now().AddDate(0, 0, -daysAgo)}).ID
	}
	want := []int64{at(500, "Moved the office to Berlin."), at(300, "Interviewed two candidates."), at(40, "Lanterns and soup."), at(1, "Wrote the guide.")}
	for _, query := range []string{"first thing we did", "what did we do first", "what did we do last"} {
		for _, budget := range []int{50, 2000} {
			r, err := f.Recall(agent(t), memory.RecallInput{SearchInput: memory.SearchInput{Query: query}, Budget: budget})
			if err != nil {
				t.Fatal(err)
			}
			var got []int64
			for _, h := range r.Hits {
				got = append(got, h.Memory.ID)
			}
			wanted := slices.Clone(want)
			if strings.HasSuffix(query, "last") {
				slices.Reverse(wanted)
			}
			if len(got) == 0 || budget == 2000 && len(got) != len(want) || !slices.Equal(got, wanted[:len(got)]) {
				t.Errorf("%q in %d tokens: %v, want %v", query, budget, got, wanted)
			}
		}
	}
}

// A recall keeps to its budget, and cuts what is too long for it around the
// words that were asked for.
func TestRecallBudget(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	filler := strings.Repeat("Nothing of interest was said about the weather. ", 60)
	long := f.save(t, memory.SaveInput{Title: "Minutes", Content: filler + "The ferry leaves at nine. " + filler}).ID
	for i := range 12 {
		f.save(t, memory.SaveInput{Content: fmt.Sprintf("The ferry number %d leaves at nine.", i)})
	}
	for _, budget := range []int{50, 200, 2000} {
		r, err := f.Recall(agent(t), memory.RecallInput{SearchInput: memory.SearchInput{Query: "when does the ferry leave"}, Budget: budget})
		if err != nil {
			t.Fatal(err)
		}
		if r.Tokens > budget || len(r.Hits) == 0 || len(r.Hits)+r.OverBudget != 13 {
			t.Errorf("budget %d: %d tokens, %d packed, %d left out", budget, r.Tokens, len(r.Hits), r.OverBudget)
		}
		note := fmt.Sprintf("[cut; the whole text is #%d]", long)
		if budget == 200 && strings.Contains(r.Text, "Minutes") &&
			(!strings.Contains(r.Text, note) || !strings.Contains(r.Text, "The ferry leaves at nine.")) {
			t.Errorf("the long text is not cut around the ferry:\n%s", r.Text)
		}
	}
}

// 20,000 characters are a question too, and quickly answered.
func TestSearchLongQuery(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.save(t, memory.SaveInput{Content: "The ferry leaves at nine."}).ID
	for name, query := range map[string]string{
		"one word":   strings.Repeat("ferry ", 4000),
		"many words": "ferry " + strings.Repeat("abcde fghij klmno pqrst uvwxy ", 700),
		"one run":    strings.Repeat("x", 20_000) + " ferry",
	} {
		r, err := f.Search(agent(t), memory.SearchInput{Query: query, NoFloor: true})
		if err != nil || len(r.Hits) != 1 || r.Hits[0].Memory.ID != id {
			t.Errorf("%s: %v, %v", name, r.Hits, err)
		}
	}
}

// A query of more words than are looked for is answered by the first of them, and
// says so; where every word was asked for that would be wrong, and it is refused.
func TestSearchQueryCut(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	id := f.save(t, memory.SaveInput{Content: "The ferry leaves at nine."}).ID
	long := "ferry " + strings.Join(numbered(text.MaxQueryWords-1), " ")
	for _, c := range []struct {
		name, query string
		cut         bool
	}{
		{"as many as are looked for", long, false},
		{"one more", long + " zeppelin", true},
	} {
		in := memory.SearchInput{Query: c.query, Explain: true, NoFloor: true}
		r, err := f.Search(ctx, in)
		if err != nil || len(r.Hits) != 1 || r.Hits[0].Memory.ID != id {
			t.Fatalf("%s: %+v, %v", c.name, r.Hits, err)
		}
		said := len(r.Warnings) == 1 && strings.HasPrefix(r.Warnings[0], "query_cut: ") && strings.Contains(r.Warnings[0], strconv.Itoa(text.MaxQueryWords))
		if said != c.cut || r.Trace.Query.Cut != c.cut || len(r.Trace.Warnings) != len(r.Warnings) {
			t.Errorf("%s: warnings %q, in the trace %q and %v", c.name, r.Warnings, r.Trace.Warnings, r.Trace.Query.Cut)
		}
		in.MatchAll = true
		_, err = f.Search(ctx, in)
		if !c.cut {
			if err != nil {
				t.Errorf("%s, all: %v", c.name, err)
			}
			continue
		}
		wantError(t, err, engram.ErrInvalid, "query_too_long")
		if !strings.Contains(engram.ErrorMessage(err), strconv.Itoa(text.MaxQueryWords)) {
			t.Errorf("%v does not say the limit", err)
		}
		block, err := f.Context(ctx, memory.ContextInput{Query: c.query})
		if err != nil || len(block.Warnings) != 1 {
			t.Errorf("Context warns %q, %v", block.Warnings, err)
		}
		prompts, err := f.SearchPrompts(ctx, c.query, memory.RecentInput{})
		if err != nil || len(prompts.Warnings) != 1 {
			t.Errorf("SearchPrompts warns %q, %v", prompts.Warnings, err)
		}
	}
}

// numbered are n different words.
func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = fmt.Sprintf("zq%c%c", 'a'+i/26, 'a'+i%26)
	}
	return out
}

// As of a time, a memory is found by the words that it had then, also when no
// current one has them.
func TestSearchAsOfFindsWordsOfOlderVersions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	id := f.save(t, memory.SaveInput{Title: "Paint", Content: "The hall is painted vermilion", Project: "p", TopicKey: "paint"}).ID
	then := f.clock.Now()
	f.clock.Add(time.Hour)
	f.save(t, memory.SaveInput{Title: "Paint", Content: "The hall is painted cerulean", Project: "p", TopicKey: "paint"})
	ask := func(query string, asOf time.Time) []int64 {
		r, err := f.Search(agent(t), memory.SearchInput{Query: query, Project: "p", AsOf: asOf})
		if err != nil {
			t.Fatal(err)
		}
		var ids []int64
		for _, h := range r.Hits {
			ids = append(ids, h.Memory.ID)
		}
		return ids
	}
	if got := ask("vermilion", then); !slices.Equal(got, []int64{id}) {
		t.Errorf("vermilion, as of then: %v, want %d", got, id)
	}
	if got := ask("vermilion", time.Time{}); len(got) != 0 {
		t.Errorf("vermilion, now: %v, want none", got)
	}
	if got := ask("cerulean", then); len(got) != 0 {
		t.Errorf("cerulean, as of then: %v, want none", got)
	}
}
