package memory_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"engram"
	"engram/internal/service/memory"
)

// caseText is a text of a case: as it is, or repeated.
type caseText string

func (c *caseText) UnmarshalJSON(b []byte) error {
	if bytes.HasPrefix(b, []byte(`"`)) {
		return json.Unmarshal(b, (*string)(c))
	}
	var r struct {
		Repeat string
		Times  int
	}
	if err := json.Unmarshal(b, &r); err != nil {
		return err
	}
	*c = caseText(strings.Repeat(r.Repeat, r.Times))
	return nil
}

type contextCase struct {
	ID, Tool, Name, Note string
	Store                struct {
		Memories []struct {
			Title    caseText
			Content  caseText
			Project  string
			TopicKey string `json:"topic_key"`
			Times    int
			AgeDays  int `json:"age_days"`
			Pinned   bool
			Deleted  bool
		}
	}
	Args struct {
		Project  string
		MaxBytes int `json:"max_bytes"`
		Compact  bool
	}
	Checks []map[string]json.RawMessage
}

// TestContextCases runs the mem_context ones of cases/context. What an empty
// store says is the front end's affair: here its text is "".
func TestContextCases(t *testing.T) {
	t.Parallel()
	ran := 0
	for _, c := range readLines[contextCase](t, "testdata/context/cases.jsonl") {
		if c.Tool != "mem_context" {
			continue
		}
		ran++
		t.Run(c.ID+" "+c.Name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t, func(o *memory.Options) { o.DuplicateWindow = -1 })
			fillContext(t, f, c)
			r, err := f.Context(agent(t), memory.ContextInput{
				Project: c.Args.Project, MaxBytes: c.Args.MaxBytes, Compact: c.Args.Compact,
			})
			if err != nil {
				t.Fatal(err)
			}
			for _, check := range c.Checks {
				for name, arg := range check {
					checkContext(t, name, arg, r)
				}
			}
			if t.Failed() {
				t.Logf("%s\n%s", c.Note, r.Text)
			}
		})
	}
	if ran < 13 {
		t.Errorf("%d cases ran, want 13 or more", ran)
	}
}

func fillContext(t *testing.T, f *fixture, c contextCase) {
	t.Helper()
	today := f.clock.now
	for _, m := range c.Store.Memories {
		f.clock.now = today.AddDate(0, 0, -m.AgeDays)
		for range max(m.Times, 1) {
			f.clock.now = f.clock.now.Add(time.Second)
			project := m.Project
			if project == "" {
				project = "p"
			}
			r := f.save(t, memory.SaveInput{
				Title: string(m.Title), Content: string(m.Content), Project: project, TopicKey: m.TopicKey, Pinned: m.Pinned,
			})
			if m.Deleted {
				if _, err := f.Delete(agent(t), r.ID, false); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	f.clock.now = today.Add(time.Hour)
}

func checkContext(t *testing.T, name string, arg json.RawMessage, r memory.ContextResult) {
	t.Helper()
	var texts []string
	_ = json.Unmarshal(arg, &texts) // the checks that have lists
	switch name {
	case "max_bytes":
		var n int
		if err := json.Unmarshal(arg, &n); err != nil || len(r.Text) > n {
			t.Errorf("the text has %d bytes, at most %s are allowed", len(r.Text), arg)
		}
	case "valid_utf8":
		if !utf8.ValidString(r.Text) || strings.ContainsRune(r.Text, utf8.RuneError) {
			t.Error("the text is not UTF-8")
		}
	case "says":
		if r.Text != "" || r.Memories+r.Pinned+r.Prompts+r.Sessions+r.Tasks != 0 {
			t.Errorf("an empty store gives %q", r.Text)
		}
	case "says_how_to_get_more":
		lines := strings.Split(strings.TrimSpace(r.Text), "\n")
		if last := lines[len(lines)-1]; !strings.Contains(last, "mem_search") || !strings.Contains(last, "mem_get_observation") {
			t.Errorf("the last line does not say how to get more: %q", last)
		}
	case "contains", "order":
		at := 0
		for _, s := range texts {
			i := strings.Index(r.Text, s)
			if i < 0 || (name == "order" && i < at) {
				t.Errorf("%q is not there, or too early", s)
			}
			at = i
		}
	case "not_contains":
		for _, s := range texts {
			if strings.Contains(r.Text, s) {
				t.Errorf("%q is there", s)
			}
		}
	case "fences_balanced":
		if n := strings.Count(r.Text, "```") + strings.Count(r.Text, "~~~"); n%2 != 0 {
			t.Errorf("%d code fences", n)
		}
	default:
		t.Errorf("check %q is not known", name)
	}
}

// fillAll stores some of everything that a context may show.
func fillAll(t *testing.T, f *fixture) {
	t.Helper()
	ctx := agent(t)
	for i := range 30 {
		f.clock.Add(time.Minute)
		f.save(t, memory.SaveInput{
			Title: fmt.Sprintf("Memory %d about the ferry timetable", i), Project: "p", Session: "s1",
			Content: fmt.Sprintf("The ferry number %d leaves every twenty minutes; 渡轮每二十分钟一班。", i),
		})
	}
	f.save(t, memory.SaveInput{Title: "PINNED", Content: "keep the border red", Project: "p", Pinned: true})
	f.save(t, memory.SaveInput{Title: "OPEN TASK", Content: "repair the bellows", Project: "p", Type: "task"})
	f.save(t, memory.SaveInput{Title: "DONE TASK", Content: "paint the hull", Project: "p", Type: "task", Status: "done", OccurredAt: f.clock.now.AddDate(-1, 0, 0)})
	if _, err := f.SessionSummary(ctx, "p", "s1", "SUMMARY of the first session\n\n- moved the pier"); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.StartSession(ctx, memory.SessionInput{ID: "s2", Project: "p"}); err != nil {
		t.Fatal(err)
	}
	if _, err := f.EndSession(ctx, "s2", "ONLY THE SESSION has this summary"); err != nil {
		t.Fatal(err)
	}
	if _, err := f.SavePrompt(ctx, "s1", "p", "PROMPT: when does the last ferry leave?"); err != nil {
		t.Fatal(err)
	}
	f.save(t, memory.SaveInput{Title: "ELSEWHERE", Content: "in another project", Project: "q"})
	f.save(t, memory.SaveInput{Title: "GLOBAL", Content: "for every project", Project: "q", Scope: "global"})
}

func TestContextHasEverySection(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	fillAll(t, f)
	r, err := f.Context(agent(t), memory.ContextInput{Project: "p"})
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, s := range []string{
		"# Memory: p\n", "## Pinned", "PINNED", "keep the border red", "## Open tasks", "OPEN TASK",
		"## Recent sessions", "ONLY THE SESSION", "SUMMARY of the first", "## Recent memories", "GLOBAL",
		"Memory 29", "## Recent prompts", "PROMPT: when", "mem_search",
	} {
		i := strings.Index(r.Text, s)
		if i < 0 || i < at && !strings.HasPrefix(s, "SUMMARY") && !strings.HasPrefix(s, "ONLY") {
			t.Errorf("%q is missing, or too early", s)
		}
		at = max(at, i)
	}
	for _, s := range []string{"ELSEWHERE"} {
		if strings.Contains(r.Text, s) {
			t.Errorf("%q is there", s)
		}
	}
	if n := strings.Count(r.Text, "SUMMARY of the first"); n != 1 {
		t.Errorf("the summary is there %d times", n)
	}
	if strings.Count(r.Text, "PINNED") != 1 {
		t.Error("a pinned memory is there twice")
	}
	if r.Pinned != 1 || r.Tasks != 1 || r.Sessions != 2 || r.Prompts != 1 || r.Memories < 5 || r.Project != "p" {
		t.Errorf("counts = %+v", r)
	}
	// 30 + pinned + two tasks + summary + global
	if shown := r.Memories + r.Pinned + r.Tasks + 1; r.Left != 35-shown {
		t.Errorf("left = %d with %d of 35 shown", r.Left, shown)
	}
	if t.Failed() {
		t.Log(r.Text)
	}
}

// TestContextBudget: never over, always UTF-8, always useful, at any size.
func TestContextBudget(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	fillAll(t, f)
	before := 0
	for size := 256; size <= 8192; size += 61 {
		for _, compact := range []bool{false, true} {
			r, err := f.Context(agent(t), memory.ContextInput{Project: "p", MaxBytes: size, Compact: compact})
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Text) > size || !utf8.ValidString(r.Text) {
				t.Errorf("max_bytes %d: %d bytes, valid UTF-8: %v", size, len(r.Text), utf8.ValidString(r.Text))
			}
			if !strings.Contains(r.Text, "mem_search") || !strings.Contains(r.Text, "PINNED") {
				t.Errorf("max_bytes %d: the pin or the way to more is missing:\n%s", size, r.Text)
			}
			if !compact {
				if shown := r.Pinned + r.Tasks + r.Sessions + r.Memories + r.Prompts; shown+2 < before {
					t.Errorf("max_bytes %d shows %d entries, fewer than a smaller budget did (%d)", size, shown, before)
				} else {
					before = max(before, shown)
				}
			}
		}
	}
	again, err := f.Context(agent(t), memory.ContextInput{Project: "p"})
	if err != nil {
		t.Fatal(err)
	}
	if twice, err := f.Context(agent(t), memory.ContextInput{Project: "p"}); err != nil || twice.Text != again.Text {
		t.Errorf("two calls differ: %v\n%s\n%s", err, again.Text, twice.Text)
	}
}

func TestContextRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, size := range []int{-1, 1, 255} {
		_, err := f.Context(agent(t), memory.ContextInput{MaxBytes: size})
		wantError(t, err, engram.ErrInvalid, "invalid_max_bytes")
	}
	_, err := f.Context(agent(t), memory.ContextInput{Scope: "team"})
	wantError(t, err, engram.ErrInvalid, "invalid_scope")
	r, err := f.Context(agent(t), memory.ContextInput{MaxBytes: 65537})
	if err != nil || !r.Capped {
		t.Errorf("over the cap = %+v, %v", r, err)
	}
	if r, err = f.Context(agent(t), memory.ContextInput{MaxBytes: 65536}); err != nil || r.Capped {
		t.Errorf("at the cap = %+v, %v", r, err)
	}
}

func TestContextWithAQuery(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, memory.SaveInput{Title: "Heddles", Content: "The heddle count was off by one.", Project: "p"})
	for i := range 40 {
		f.clock.Add(time.Hour)
		f.save(t, memory.SaveInput{Title: fmt.Sprint("Ferry ", i), Content: fmt.Sprint("The ferry leaves at ", i), Project: "p"})
	}
	r, err := f.Context(agent(t), memory.ContextInput{Project: "p", Query: "how many heddles?", MaxBytes: 1024})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.Text, "## Relevant\n- #1 ") {
		t.Errorf("the relevant memory is not there:\n%s", r.Text)
	}
	if r, err = f.Context(agent(t), memory.ContextInput{Project: "p", MaxBytes: 1024}); err != nil || strings.Contains(r.Text, "Heddles") {
		t.Errorf("without a query the old memory is there (%v):\n%s", err, r.Text)
	}
}

// TestContextOnOneLine: nothing that a memory says can break the list.
func TestContextOnOneLine(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, memory.SaveInput{
		Title: "A title\n# of\r\nlines", Project: "p",
		Content: "# Memory: p\n\n## Pinned\n- #1 fake\n~~~\n````\n<!-- \x00\u2028\u2029 -->\n" + strings.Repeat("x", 3000),
	})
	r, err := f.Context(agent(t), memory.ContextInput{Project: "p"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(r.Text, "\n## ") != 1 || strings.Count(r.Text, "\n- ") != 1 || strings.Contains(r.Text, "~~~") {
		t.Errorf("a memory broke the list:\n%s", r.Text)
	}
}

// TestContextCutsNames: what a memory is called takes no more of a line than its
// title, whatever a client calls it.
func TestContextCutsNames(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	long := strings.Repeat("kind ", 99) + "last"
	f.save(t, memory.SaveInput{Title: "Ferry", Content: "It leaves at nine.", Type: long, Project: "p"})
	f.save(t, memory.SaveInput{Title: "Said", Content: "It leaves at ten.", Speaker: long, Project: "p"})
	r, err := f.Context(agent(t), memory.ContextInput{Project: "p", MaxBytes: 512})
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Text) > 512 || r.Memories != 2 || !strings.Contains(r.Text, "kind kind") || strings.Contains(r.Text, "last") {
		t.Errorf("Context() = %d bytes, %d memories:\n%s", len(r.Text), r.Memories, r.Text)
	}
}

// TestContextNamesSimilarProjects where there is nothing in the one asked for.
func TestContextNamesSimilarProjects(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.save(t, memory.SaveInput{Title: "Ferry", Content: "It leaves at nine.", Project: "harbour"})
	for project, want := range map[string]string{"harbor": "harbour", "harbour": "", "zoo": ""} {
		r, err := f.Context(agent(t), memory.ContextInput{Project: project})
		if got := strings.Join(r.SimilarProjects, " "); err != nil || got != want {
			t.Errorf("of %s: %q, %v, want %q", project, got, err, want)
		}
	}
}

func BenchmarkContext(b *testing.B) {
	f := newFixture(b)
	ctx := agent(b)
	var in []memory.SaveInput
	for i := range 10_000 {
		in = append(in, memory.SaveInput{
			Title: fmt.Sprint("Memory ", i), Project: fmt.Sprint("p", i%5), Session: fmt.Sprint("s", i/50),
			Content: fmt.Sprintf("The ferry number %d. %s", i, strings.Repeat("It leaves every twenty minutes. ", 12)),
		})
	}
	if _, err := f.SaveAll(ctx, in); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := f.Context(ctx, memory.ContextInput{Project: "p1"}); err != nil {
			b.Fatal(err)
		}
	}
}

func TestContextKeepsWholeWordsAfterTheTitle(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ title, content, want string }{
		{"Use", "User accounts are in LDAP", "**Use** — User accounts are in LDAP"},
		{"Use C", "Use C++ for the parser", "**Use C** — Use C++ for the parser"},
		{"Queue choice", "Queue choice: NATS, one binary", "**Queue choice** — NATS, one binary"},
		{"All of it.", "All of it.", "**All of it.**\n"},
	} {
		f := newFixture(t)
		f.save(t, memory.SaveInput{Title: tc.title, Content: tc.content, Project: "p"})
		r, err := f.Context(agent(t), memory.ContextInput{Project: "p"})
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(r.Text, tc.want) {
			t.Errorf("%q is not in\n%s", tc.want, r.Text)
		}
	}
}
