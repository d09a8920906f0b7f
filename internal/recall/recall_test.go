package recall_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"engram"
	"engram/internal/embed"
	"engram/internal/recall"
	"engram/internal/recall/recalltest"
	"engram/internal/store"
	"engram/internal/text"
)

var now = time.Date(2026, 7, 2, 9, 0, 0, 0, time.UTC) // a Thursday

// index makes an index of memories; their ids count from 1.
func index(ms ...engram.Memory) *recalltest.Index {
	x := recalltest.NewIndex()
	for i := range ms {
		m := &ms[i]
		m.ID, m.Workspace = int64(i+1), "w"
		if m.OccurredAt.IsZero() {
			m.OccurredAt = now.Add(-1000 * time.Hour)
		}
		x.Add(m, text.Analyze(m.Speaker, m.Content))
	}
	return x
}

func find(t testing.TB, x *recalltest.Index, question string) *recall.Pool {
	t.Helper()
	p, err := x.Find(t.Context(), question, store.Filter{Workspace: "w"}, recall.Options{Now: now})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func idsOf(cs []*recall.Candidate) []int64 {
	out := []int64{}
	for _, c := range cs {
		out = append(out, c.ID)
	}
	return out
}

func notes(contents ...string) []engram.Memory {
	ms := make([]engram.Memory, len(contents))
	for i, c := range contents {
		ms[i].Content = c
	}
	return ms
}

func TestFuse(t *testing.T) {
	t.Parallel()
	p := recall.Fuse(recall.Analyse("x", recall.Options{Now: now}),
		recall.Arm{Name: "a", Found: []recall.Found{{ID: 1, Score: 9}, {ID: 2, Score: 5}, {ID: 3, Score: 1}, {ID: 1, Score: 1}}},
		recall.Arm{Name: "b", Found: []recall.Found{{ID: 3, Score: .5}}},
	)
	got := map[int64][]recall.ArmScore{}
	for _, c := range p.Candidates {
		got[c.ID] = c.Arms
	}
	want := map[int64][]recall.ArmScore{
		1: {{Rank: 1, Score: 9, Share: 1}, {}},
		2: {{Rank: 2, Score: 5, Share: .5}, {}},
		3: {{Rank: 3, Score: 1}, {Rank: 1, Score: .5, Share: 1}},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Fuse mismatch (-want +got):\n%s", diff)
	}
}

// A short turn is found by what was said around it, a note by its own words.
func TestContextOfTurns(t *testing.T) {
	t.Parallel()
	said := []string{
		"Shall we talk about the holidays?", "Where do you want to fly in August?", "Lisbon.", "Fine with me.",
		"The dishwasher is broken.", "I will call somebody.", "Thanks.",
	}
	turns, same := make([]engram.Memory, len(said)), make([]engram.Memory, len(said))
	for i, s := range said {
		m := engram.Memory{Content: s, Session: "s", OccurredAt: now.Add(time.Duration(i) * time.Minute)}
		same[i] = m
		m.Speaker = []string{"Ann", "Ben"}[i%2]
		turns[i] = m
	}
	question := "where will they fly in August"
	if got := idsOf(find(t, index(turns...), question).Candidates); !slices.Contains(got, 3) {
		t.Errorf("turns: the answer is not among %v", got)
	}
	for _, c := range find(t, index(same...), question).Candidates {
		if c.ID == 3 && c.Features.Context > 0 {
			t.Errorf("notes that share a session gave each other context: %+v", c.Features)
		}
	}
}

func TestStandIns(t *testing.T) {
	t.Parallel()
	x := index(notes("Authentication uses passkeys.", "func getUserByID panics", "The greenhouse needs water.", "Nothing of it.")...)
	for question, want := range map[string]int64{
		"auth": 1, "autentication": 1, "userbyid": 2, "greenhuose": 3,
	} {
		p := find(t, x, question)
		if got := idsOf(p.Passed()); len(got) != 1 || got[0] != want {
			t.Errorf("%q found %v, want %d", question, got, want)
		}
		if w := p.Trace().Query.Words[0]; len(w.Instead) == 0 {
			t.Errorf("%q: the trace does not say what stands in", question)
		}
	}
	// Common words are no misspellings of each other.
	if got := idsOf(find(t, index(notes("We met at the bloom of the cherry.")...), "blood").Passed()); len(got) != 0 {
		t.Errorf("blood found %v", got)
	}
}

func TestOrder(t *testing.T) {
	t.Parallel()
	var ms []engram.Memory
	for i := range 4 {
		ms = append(ms, engram.Memory{
			Content: "Decided about the router, round " + string(rune('a'+i)), OccurredAt: now.Add(time.Duration(i-10) * 24 * time.Hour),
		})
	}
	x := index(append(ms, notes("Bread needs salt.")...)...)
	if got := idsOf(find(t, x, "latest decision about the router").Passed()); len(got) == 0 || got[0] != 4 {
		t.Errorf("latest: %v", got)
	}
	if got := idsOf(find(t, x, "first decision about the router").Passed()); len(got) == 0 || got[0] != 1 {
		t.Errorf("first: %v", got)
	}
	if got, want := idsOf(find(t, x, "latest notes").Passed()), []int64{4, 3, 2, 1, 5}; !slices.Equal(got, want) {
		t.Errorf("latest notes: %v, want %v", got, want)
	}
}

func TestWindow(t *testing.T) {
	t.Parallel()
	day := func(n int) time.Time { return now.Add(time.Duration(n) * 24 * time.Hour) }
	x := index(
		engram.Memory{Content: "Met Ilse about the garden wall.", OccurredAt: day(-40)},
		engram.Memory{Content: "Met Ilse about the garden gate.", OccurredAt: day(-1)},
		engram.Memory{Content: "Bought flour.", OccurredAt: day(-1)},
		engram.Memory{Content: "Cut the hedge.", OccurredAt: now},
	)
	// The window lifts what lies inside, and hides nothing that says what was asked.
	if got, want := idsOf(find(t, x, "what did Ilse say about the garden yesterday").Passed()), []int64{2, 1}; !slices.Equal(got, want) {
		t.Errorf("words and a window: %v, want %v", got, want)
	}
	// With nothing else asked, it lists what lies inside.
	if got, want := idsOf(find(t, x, "notes from yesterday").Passed()), []int64{3, 2}; !slices.Equal(got, want) {
		t.Errorf("only a window: %v, want %v", got, want)
	}
	if got := idsOf(find(t, x, "notes from March 2019").Passed()); len(got) != 0 {
		t.Errorf("an empty window: %v", got)
	}
	// A text that names times in passing asks for none.
	long := strings.Repeat("many different words about rivers, bridges, mountains, harbours and ferries ", 5) + "yesterday"
	if q := recall.Analyse(long+" one two three four five six seven eight nine ten oranges apples pears plums figs dates", recall.Options{Now: now}); q.Window != nil {
		t.Errorf("a long text asks for %v", q.Window)
	}
}

func TestMatchAllAndMinus(t *testing.T) {
	t.Parallel()
	x := index(notes("Redis holds the sessions.", "Redis holds the cache of the web shop.", "The cache is warm.")...)
	p, err := x.Find(t.Context(), "the redis cache", store.Filter{Workspace: "w"}, recall.Options{Now: now, MatchAll: true})
	if err != nil {
		t.Fatal(err)
	}
	if got := idsOf(p.Passed()); !slices.Equal(got, []int64{2}) {
		t.Errorf("all words: %v, want [2]", got)
	}
	if got := idsOf(find(t, x, "sessions -warm").Passed()); !slices.Equal(got, []int64{1, 3}) {
		t.Errorf("a minus: %v, want both, the word without it first", got)
	}
}

// The same question about the same memories has one answer, in one order.
func TestDeterministic(t *testing.T) {
	t.Parallel()
	var contents []string
	for i := range 60 {
		contents = append(contents, "the queue drains "+[]string{"slowly", "at night", "twice"}[i%3])
	}
	x := index(notes(contents...)...)
	want := idsOf(find(t, x, "why does the queue drain at night").Candidates)
	for range 5 {
		if diff := cmp.Diff(want, idsOf(find(t, x, "why does the queue drain at night").Candidates)); diff != "" {
			t.Fatalf("another order (-first +later):\n%s", diff)
		}
	}
}

// The floor holds for a store of one memory and for one of thousands.
func TestFloorAtAnySize(t *testing.T) {
	t.Parallel()
	for _, filler := range []int{0, 10, 3000} {
		ms := notes("The ferry to Sweden leaves on the third of July at nine.", "数据库每天凌晨三点备份到归档主机。")
		for i := range filler {
			ms = append(ms, engram.Memory{Content: "entry about subject" + string(rune('a'+i%26)) + " and matter" + string(rune('a'+i/26%26))})
		}
		x := index(ms...)
		for question, want := range map[string]int64{
			"when does the ferry leave": 1, "ferry": 1, "数据库什么时候备份？": 2, "归档": 2,
		} {
			if got := idsOf(find(t, x, question).Passed()); len(got) == 0 || got[0] != want {
				t.Errorf("%d others: %q found %v, want %d", filler, question, got, want)
			}
		}
		for _, question := range []string{
			"boiling point of mercury", "asdf qwer zxcv", "蒙古的首都是哪里", "the and of", "¿?", "treaty between Sparta and Persia",
		} {
			if got := idsOf(find(t, x, question).Passed()); len(got) != 0 {
				t.Errorf("%d others: %q found %v", filler, question, got)
			}
		}
	}
}

func TestTrace(t *testing.T) {
	t.Parallel()
	p := find(t, index(notes("The ferry leaves at nine.", "The recipe for bread.", "Rain.")...), "recipe for kimchi from Korea with cabbage and radish")
	tr := p.Trace()
	tr.Close(p.Passed(), func(int64) bool { return true })
	if !tr.NoAnswer || tr.Rejected == nil || tr.Rejected.ID != 2 || tr.Rejected.Outcome != recall.BelowFloor {
		t.Errorf("trace = %+v, want memory 2 as the best that was rejected", tr)
	}
	p = find(t, index(notes("The ferry leaves at nine.", "The ferry is late.")...), "ferry at nine")
	tr = p.Trace()
	tr.Close(p.Passed()[:1], func(int64) bool { return true })
	if tr.NoAnswer || tr.Candidates[0].Outcome != recall.Returned || tr.Candidates[0].Rank != 1 ||
		tr.Candidates[0].Arms[recall.ArmKeyword].Rank != 1 {
		t.Errorf("trace = %+v", tr)
	}
}

func TestPack(t *testing.T) {
	t.Parallel()
	old := now.Add(-365 * 24 * time.Hour)
	items := []recall.Item{
		{Text: strings.Repeat("the ferry leaves at nine ", 8), Relevance: .9, OccurredAt: old},
		{Text: strings.Repeat("the ferry leaves at nine ", 8), Relevance: .9, OccurredAt: old},
		{Text: strings.Repeat("tickets are bought on board ", 7), Relevance: .85, OccurredAt: old},
		{Text: strings.Repeat("word ", 400), Relevance: .99, OccurredAt: now},
	}
	packing := recall.Pack(items, 110, now)
	var order, kept []int
	for _, p := range packing {
		order = append(order, p.Index)
		if p.Kept {
			kept = append(kept, p.Index)
		}
	}
	if !slices.Equal(kept, []int{0, 2}) || len(order) != len(items) {
		t.Errorf("order %v, kept %v, want the ferry, then what says something else", order, kept)
	}
	if packing[0].Kept {
		t.Errorf("the text of %d tokens went into a budget of 110", packing[0].Tokens)
	}
	if got := recall.Pack(nil, 100, now); len(got) != 0 {
		t.Errorf("Pack(nil) = %v", got)
	}
}

func TestTokens(t *testing.T) {
	t.Parallel()
	for s, want := range map[string]int{"": 0, "four": 1, "twelve bytes": 3, "数据库": 3, "データベース": 5, "é": 1} {
		if got := recall.Tokens(s); got != want {
			t.Errorf("Tokens(%q) = %d, want %d", s, got, want)
		}
	}
}

func TestDistance(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0},
		{"kitten", "sitting", 3},
		{"greenhuose", "greenhouse", 1},
		{"", "abc", 3},
		{"渡轮", "渡口", 1},
	} {
		if got := recall.Distance(tt.a, tt.b); got != tt.want {
			t.Errorf("Distance(%q, %q) = %d, want %d", tt.a, tt.b, got, tt.want)
		}
	}
}

// Whatever is asked, the ranking ends, and every probability is one.
func FuzzFind(f *testing.F) {
	for _, s := range []string{
		"", "ferry", `"the ferry" -nine`, "a\"b", "\x00", "数据库", "lease.go getUserByID 10.0.0.12:7437", "latest notes from yesterday",
		"🦊", "mig*", strings.Repeat("login ", 400), "NEAR(a b)^2", "\xff\xfe",
	} {
		f.Add(s)
	}
	x := index(notes("The ferry leaves at nine.", "func getUserByID in lease.go", "数据库每天备份。", "The fox 🦊 came.")...)
	f.Fuzz(func(t *testing.T, question string) {
		p := find(t, x, question)
		for _, c := range p.Candidates {
			if c.Probability < 0 || c.Probability > 1 || math.IsNaN(c.Probability) || math.IsNaN(c.Score) {
				t.Fatalf("%q: %+v", question, c)
			}
		}
		if tr := p.Trace(); tr.Pool != len(p.Candidates) {
			t.Fatalf("%q: trace = %+v", question, tr)
		}
	})
}

// BenchmarkRank is what a search costs outside the store: a question of eight
// words, 400 candidates with eight neighbours each.
func BenchmarkRank(b *testing.B) {
	var ms []engram.Memory
	for i := range 400 {
		ms = append(ms, engram.Memory{
			Session: "s", Speaker: "Ann", OccurredAt: now.Add(time.Duration(i) * time.Minute),
			Content: fmt.Sprintf("The ferry number %d to the harbour leaves after breakfast with tickets and luggage", i),
		})
	}
	x := index(ms...)
	question := "when does the ferry to the harbour leave with our luggage and tickets after breakfast"
	q := recall.Analyse(question, recall.Options{Now: now})
	q.Mean(embed.Static())
	r, err := x.Keyword(b.Context(), q.Keyword(store.Filter{Workspace: "w"}, 400))
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		q := recall.Analyse(question, recall.Options{Now: now})
		q.Mean(embed.Static())
		q.Lookups(r)
		p := recall.Fuse(q, recall.Arms(q, r)...)
		p.Rank()
		if len(p.Passed()) == 0 {
			b.Fatal("nothing passed")
		}
	}
}
