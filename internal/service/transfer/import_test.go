package transfer_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"engram"
	"engram/internal/service/transfer"
	"engram/internal/store"
)

func readCase(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join("testdata", "engram-export", name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// living is what can be found in a store.
func (f *fixture) living(t testing.TB) map[string]*engram.Memory {
	t.Helper()
	ms, err := f.store.ListMemories(t.Context(), store.Filter{Workspace: engram.DefaultWorkspace}, store.ByCreated, store.Page{})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]*engram.Memory{}
	for _, m := range ms {
		out[m.Title] = m
	}
	return out
}

func TestImportCase010(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.imp(t, readCase(t, "export-0.1.0.json"))
	if r.Sessions != 3 || r.Memories != 5 || r.Prompts != 1 || r.Version != "0.1.0" || len(r.Refused) != 0 {
		t.Errorf("report = %+v", r)
	}
	got := f.living(t)
	if want := []string{"Lost last row", "Orphan", "Salary note", "Serial at 115200"}; !slices.Equal(slices.Sorted(maps.Keys(got)), want) {
		t.Errorf("living = %q, want %q", slices.Sorted(maps.Keys(got)), want)
	}
	m := got["Serial at 115200"]
	if m.Content != "The loom driver talks serial at 115200 baud." || m.Project != "weaver" || m.TopicKey != "architecture/loom-driver" ||
		m.RevisionCount != 3 || m.Origin != engram.OriginImport || m.Trust != 1 ||
		!m.CreatedAt.Equal(date(10, 8, 10)) || !m.UpdatedAt.Equal(date(10, 9, 0)) || !m.OccurredAt.Equal(date(10, 8, 10)) {
		t.Errorf("memory = %+v", m)
	}
	if m := got["Lost last row"]; m.DuplicateCount != 2 || !m.LastSeenAt.Equal(date(10, 9, 15)) {
		t.Errorf("memory = %+v", m)
	}
	if m := got["Salary note"]; m.Content != "Pay is [REDACTED] a month." || m.Scope != engram.ScopePersonal {
		t.Errorf("memory = %+v", m)
	}
	s, err := f.store.Session(t.Context(), engram.DefaultWorkspace, "s-9")
	if err != nil || s.Project != "weaver" || s.Count != 1 {
		t.Errorf("the session of the orphan = %+v, %v", s, err)
	}
	s, err = f.store.Session(t.Context(), engram.DefaultWorkspace, "s-1")
	if err != nil || s.Status != engram.SessionEnded || s.Summary != "Moved the loom driver to serial." || s.Directory != "/home/dev/weaver" {
		t.Errorf("session = %+v, %v", s, err)
	}
}

func date(day, hour, minute int) time.Time {
	return time.Date(2026, 1, day, hour, minute, 0, 0, time.UTC)
}

// TestImportCase020: one observation takes the place of another, which is found
// by who asks for what was deleted.
func TestImportCase020(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r := f.imp(t, readCase(t, "export-0.2.0.json"))
	if r.Sessions != 1 || r.Memories != 2 || r.Prompts != 1 || len(r.Refused) != 0 || r.Version != "0.2.0" {
		t.Errorf("report = %+v", r)
	}
	checkSuperseded(t, f)
}

func checkSuperseded(t *testing.T, f *fixture) {
	t.Helper()
	got := f.living(t)
	if got["Serial at 230400"] == nil {
		t.Errorf("living = %q", slices.Sorted(maps.Keys(got)))
	}
	known, err := f.store.ListMemories(t.Context(), store.Filter{Workspace: engram.DefaultWorkspace, AsOf: date(15, 0, 0), Deleted: store.OnlyDeleted}, store.ByCreated, store.Page{})
	if err != nil || !slices.ContainsFunc(known, func(m *engram.Memory) bool { return m.Title == "Serial at 115200" }) {
		t.Errorf("known on the 15th and deleted since: %v, %v", known, err)
	}
}

// TestImportVersionsMeet: what both versions of a foreign export have comes
// once, in either order.
func TestImportVersionsMeet(t *testing.T) {
	t.Parallel()
	for _, order := range [][]string{{"export-0.1.0.json", "export-0.2.0.json"}, {"export-0.2.0.json", "export-0.1.0.json"}} {
		t.Run(order[0], func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			for range 2 {
				for _, name := range order {
					f.imp(t, readCase(t, name))
				}
			}
			all := f.all(t)
			if len(all.Memories) != 6 || len(all.Prompts) != 1 || len(all.Sessions) != 3 {
				t.Errorf("%d memories, %d prompts, %d sessions; want 6, 1, 3", len(all.Memories), len(all.Prompts), len(all.Sessions))
			}
		})
	}
}

func TestImportUnknownVersions(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for in, says := range map[string]string{
		readCase(t, "export-9.json"):                    "9.0.0",
		`{"version":"0.3.0","observations":[]}`:         "0.3.0",
		`{"format":"engram","version":2,"memories":[]}`: "2",
		`{"format":"engram","memories":[]}`:             "version",
		`{"format":"diary","version":1,"memories":[]}`:  "diary",
		`{"version":3,"observations":[]}`:               "version",
		`{"hello":"world"}`:                             "not an export",
		`{}`:                                            "not an export",
		`[]`:                                            "one JSON object",
		`"text"`:                                        "one JSON object",
		``:                                              "ends in the middle",
		`{"version":"0.1.0","observations":[`:           "ends in the middle",
		`{"version":"0.1.0","observations":{}}`:         "must be a list",
		`{"version":"0.1.0","observations":[{"id":1},]}`:     "byte",
		`{"version":"0.1.0","observations":[` + one + `]} x`: "follows it",
		`{"version":"0.1.0","observations":[` + one + `]}{}`: "follows it",
		`<<<<<<< HEAD`: "invalid character",
	} {
		_, err := f.Import(admin(t), strings.NewReader(in), transfer.ImportOptions{})
		if !errors.Is(err, engram.ErrInvalid) || !strings.Contains(fmt.Sprint(err), says) {
			t.Errorf("import of %.60q: %v, want it to say %q", in, err, says)
		}
	}
	if all := f.all(t); len(all.Memories)+len(all.Sessions)+len(all.Prompts) != 0 {
		t.Errorf("something was stored: %+v", all)
	}
}

const one = `{"id":1,"session_id":"s","type":"manual","title":"T","content":"C","scope":"project","created_at":"2026-01-10 08:00:00"}`

// TestImportTolerates: what is harmless is taken.
func TestImportTolerates(t *testing.T) {
	t.Parallel()
	for name, in := range map[string]string{
		"null lists":            `{"version":"0.1.0","sessions":null,"observations":[` + one + `],"prompts":null}`,
		"a version at the end":  `{"observations":[` + one + `],"version":"0.1.0"}`,
		"no version":            `{"observations":[` + one + `]}`,
		"unknown fields":        `{"version":"0.1.0","x":{"y":[1]},"observations":[` + one[:len(one)-1] + `,"z":[{}]}]}`,
		"a byte order mark":     "\uFEFF" + `{"version":"0.1.0","observations":[` + one + `]}` + "\r\n",
		"an id that is a text":  `{"version":"0.1.0","observations":[` + strings.Replace(one, `"id":1`, `"id":"doc-1"`, 1) + `]}`,
		"no id":                 `{"version":"0.1.0","observations":[` + strings.Replace(one, `"id":1,`, ``, 1) + `]}`,
		"a time with a zone":    `{"version":"0.1.0","observations":[` + strings.Replace(one, `2026-01-10 08:00:00`, `2026-01-10T09:00:00+01:00`, 1) + `]}`,
		"observations, twice":   `{"version":"0.1.0","observations":[` + one + `],"observations":[` + one + `]}`,
		"no title, no type":     `{"version":"0.1.0","observations":[{"id":1,"session_id":"s","content":"T","created_at":"2026-01-10 08:00:00"}]}`,
		"sessions after all":    `{"version":"0.1.0","observations":[` + one + `],"sessions":[{"id":"s","project":"p","started_at":"2026-01-09 08:00:00","summary":"S"}]}`,
		"no session, no matter": `{"version":"0.1.0","observations":[` + strings.Replace(one, `"session_id":"s"`, `"session_id":""`, 1) + `]}`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			r := f.imp(t, in)
			if r.Memories != 1 || r.Sessions != 1 || len(r.Refused) != 0 {
				t.Errorf("report = %+v", r)
			}
			m := f.living(t)["T"]
			if m == nil || !m.CreatedAt.Equal(date(10, 8, 0)) {
				t.Errorf("memory = %+v", m)
			}
			if strings.HasPrefix(name, "sessions") {
				s, err := f.store.Session(t.Context(), engram.DefaultWorkspace, "s")
				if err != nil || s.Summary != "S" || s.Project != "p" {
					t.Errorf("session = %+v, %v", s, err)
				}
			}
			if again := f.imp(t, in); again.Memories+again.Sessions != 0 {
				t.Errorf("a second import = %+v", again)
			}
		})
	}
}

// TestImportRefusesItems: the bad ones are named with a reason, the rest is taken.
func TestImportRefusesItems(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	bad := []string{
		`7`, `null`, `"text"`,
		strings.Replace(one, `"content":"C"`, `"content":" "`, 1),
		strings.Replace(one, `"content":"C"`, `"content":7`, 1),
		strings.Replace(one, `"scope":"project"`, `"scope":"team"`, 1),
		strings.Replace(one, `2026-01-10 08:00:00`, `yesterday`, 1),
		strings.Replace(one, `"title":"T"`, `"title":"`+strings.Repeat("x", 2001)+`"`, 1),
		strings.Replace(one, `"content":"C"`, `"content":"`+strings.Repeat("x", 1<<20+1)+`"`, 1),
		strings.Replace(one, `"id":1`, `"id":[1]`, 1),
		strings.Replace(one, `"scope"`, `"topic_key":"`+strings.Repeat("é", 121)+`","scope"`, 1),
	}
	in := `{"version":"0.1.0","sessions":[{"project":"p"},{"id":"s","started_at":"then"},{"id":"s","project":"p"}],
		"observations":[` + strings.Join(bad, ",") + `,` + one + `],
		"prompts":[{"id":1,"session_id":"s","content":""},{"id":2,"session_id":"s","content":"P"},{"id":3,"created_at":5}],
		"relations":[{"sync_id":"rel-1","relation":"related","judgment_status":"judged"},5]}`
	r := f.imp(t, in)
	if r.Memories != 1 || r.Sessions != 1 || r.Prompts != 1 || len(r.Refused) != len(bad)+6 {
		t.Errorf("report = %+v, want %d refused", r, len(bad)+6)
	}
	for _, refused := range r.Refused {
		if refused.Item == "" || refused.Reason == "" || strings.Contains(refused.Reason, "internal error") || strings.Contains(refused.Reason, "json:") {
			t.Errorf("refusal %+v tells nothing", refused)
		}
	}
}

func TestImportNamesSoMany(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := `{"version":"0.1.0","observations":[` + strings.Repeat(`{},`, 1500) + one + `]}`
	r := f.imp(t, in)
	if r.Memories != 1 || len(r.Refused) != 1001 || r.Refused[1000].Item != "500 more" {
		t.Errorf("%d refused, the last %+v", len(r.Refused), r.Refused[len(r.Refused)-1])
	}
}

func TestImportDryRun(t *testing.T) {
	t.Parallel()
	from := newFixture(t)
	fill(t, from)
	for _, in := range []string{
		from.export(t, transfer.JSON), from.export(t, transfer.Wire),
		readCase(t, "export-0.1.0.json"), readCase(t, "export-0.2.0.json"),
		`{"version":"0.1.0","observations":[` + one + `,` + one + `,{}]}`,
	} {
		f := newFixture(t)
		for range 2 { // into an empty store, then into one that has it all
			before := f.all(t)
			dry, err := f.Import(admin(t), strings.NewReader(in), transfer.ImportOptions{DryRun: true})
			if err != nil || !dry.DryRun {
				t.Fatalf("dry run = %+v, %v", dry, err)
			}
			if diff := cmp.Diff(before, f.all(t)); diff != "" {
				t.Errorf("a dry run stored something (-want +got):\n%s", diff)
			}
			done := f.imp(t, in)
			dry.DryRun = false
			if diff := cmp.Diff(done, dry); diff != "" {
				t.Errorf("dry run reports otherwise (-real +dry):\n%s\n%.300s", diff, in)
			}
		}
	}
}

// TestImportHidesPrivate is P3 for imports: whatever field it comes by.
func TestImportHidesPrivate(t *testing.T) {
	t.Parallel()
	const hidden = "a <private reason='x'>zorblatt</private> b AKI" + "AFAKEUGJ7SUI3ETXT"
	h, err := json.Marshal(hidden)
	if err != nil {
		t.Fatal(err)
	}
	wire := strings.ReplaceAll(`{"version":"0.1.0","sessions":[{"id":H,"project":H,"directory":H,"summary":H}],
		"observations":[{"id":1,"session_id":H,"type":H,"title":H,"content":H,"tool_name":H,"project":H,"topic_key":H,"speaker":H,"role":H,"sync_id":H}],
		"prompts":[{"id":1,"session_id":H,"content":H,"project":H,"sync_id":H}]}`, "H", string(h))
	own := strings.ReplaceAll(`{"format":"engram","version":1,
		"sessions":[{"id":H,"project":H,"project_origin":H,"directory":H,"summary":H,"status":"ended","started_at":"2026-01-10T08:00:00Z"}],
		"memories":[{"uid":H,"kind":"observation","session_id":H,"type":H,"title":H,"content":H,"tool_name":H,"project":H,"project_origin":H,"topic_key":H,
			"speaker":H,"role":H,"status":H,"files":[H],"version":2,"versions":[{"version":1,"type":H,"title":H,"content":H,"files":[H]}]}],
		"prompts":[{"session_id":H,"content":H,"project":H,"created_at":"2026-01-10T08:00:00Z"}],"aliases":{H:"weaver"}}`, "H", string(h))
	for name, in := range map[string]string{"wire": wire, "own": own} {
		f := newFixture(t)
		if r := f.imp(t, in); r.Memories != 1 || r.Sessions != 1 || r.Prompts != 1 {
			t.Errorf("%s: report = %+v", name, r)
		}
		out := f.export(t, transfer.JSON)
		for _, s := range []string{"zorblatt", "<private", "AKI" + "AFAKE"} {
			if strings.Contains(out, s) {
				t.Errorf("%s: %q was stored:\n%s", name, s, out)
			}
		}
		if !strings.Contains(out, "a [REDACTED] b [REDACTED:aws-key]") {
			t.Errorf("%s: the rest of the text is gone:\n%s", name, out)
		}
		if again := f.imp(t, in); again.Memories+again.Sessions+again.Prompts+again.Versions != 0 {
			t.Errorf("%s: a second import = %+v", name, again)
		}
	}
}

// TestImportKeepsEdits: an import of what was edited or erased since does not
// bring it back.
func TestImportKeepsEdits(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	in := readCase(t, "export-0.1.0.json")
	f.imp(t, in)
	living := f.living(t)
	edited, erased := living["Orphan"], living["Lost last row"]
	text := "edited"
	if _, err := f.store.UpdateMemory(t.Context(), engram.DefaultWorkspace, edited.ID, store.Patch{Content: &text}, now); err != nil {
		t.Fatal(err)
	}
	if _, err := f.store.EraseMemory(t.Context(), engram.DefaultWorkspace, erased.ID, now); err != nil {
		t.Fatal(err)
	}
	if r := f.imp(t, in); r.Memories != 0 {
		t.Errorf("report = %+v", r)
	}
	living = f.living(t)
	if living["Orphan"].Content != "edited" || living["Lost last row"] != nil {
		t.Errorf("the import undid an edit, or brought back what was erased: %+v", living)
	}
}

// TestImportFollowsAliases: what was exported under a name that was merged away
// here is filed where it belongs, and goes back with an unmerge.
func TestImportFollowsAliases(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.mem(t, engram.Memory{Content: "x", Project: "weaver", Session: "s"}, now)
	if _, err := f.store.MergeProjects(t.Context(), engram.DefaultWorkspace, "weaver", "loom", now); err != nil {
		t.Fatal(err)
	}
	f.imp(t, readCase(t, "export-0.1.0.json"))
	if m := f.living(t)["Orphan"]; m.Project != "loom" || m.ProjectOrigin != "weaver" {
		t.Errorf("project %q, before %q", m.Project, m.ProjectOrigin)
	}
	if _, err := f.store.UnmergeProject(t.Context(), engram.DefaultWorkspace, "weaver", now); err != nil {
		t.Fatal(err)
	}
	if m := f.living(t)["Orphan"]; m.Project != "weaver" {
		t.Errorf("after unmerge project %q", m.Project)
	}
}

func TestAsksFirst(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	writer := engram.WithActor(t.Context(), engram.Actor{Name: "x", Workspace: engram.DefaultWorkspace, Access: engram.AccessWrite})
	for ctx, kind := range map[context.Context]error{t.Context(): engram.ErrUnauthenticated, writer: engram.ErrForbidden} {
		if err := f.Export(ctx, io.Discard, transfer.JSON, nil); !errors.Is(err, kind) {
			t.Errorf("Export: %v, want %v", err, kind)
		}
		if _, err := f.Import(ctx, strings.NewReader("{}"), transfer.ImportOptions{}); !errors.Is(err, kind) {
			t.Errorf("Import: %v, want %v", err, kind)
		}
	}
}

// pipe is a reader that cannot go back.
type pipe struct{ r io.Reader }

func (p pipe) Read(b []byte) (int, error) { return p.r.Read(b) }

func TestImportFromAPipe(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	r, err := f.Import(admin(t), pipe{strings.NewReader(readCase(t, "export-0.1.0.json"))}, transfer.ImportOptions{})
	if err != nil || r.Memories != 5 {
		t.Errorf("Import = %+v, %v", r, err)
	}
	broken := errors.New("connection lost")
	if _, err := f.Import(admin(t), pipe{io.MultiReader(strings.NewReader("{"), failingReader{broken})}, transfer.ImportOptions{}); !errors.Is(err, broken) {
		t.Errorf("a pipe that breaks: %v", err)
	}
}

type failingReader struct{ err error }

func (f failingReader) Read([]byte) (int, error) { return 0, f.err }

// many is an export of n observations.
func many(n int) string {
	var b strings.Builder
	b.WriteString(`{"version":"0.1.0","sessions":[],"observations":[`)
	for i := range n {
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, `{"id":%d,"session_id":"s%d","type":"manual","title":"Memory %d","content":"%s %d","project":"p","scope":"project","created_at":"2026-01-10 08:00:00"}`,
			i, i/100, i, strings.Repeat("The loom driver talks serial at 115200 baud. ", 9), i)
	}
	b.WriteString(`],"prompts":[]}`)
	return b.String()
}

func TestImportInBatches(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	var steps []int
	s := transfer.New(f.store, transfer.Options{Progress: func(done int) { steps = append(steps, done) }})
	r, err := s.Import(admin(t), strings.NewReader(many(2500)), transfer.ImportOptions{})
	if err != nil || r.Memories != 2500 || r.Sessions != 25 {
		t.Errorf("Import = %+v, %v", r, err)
	}
	if len(steps) != 3 || !slices.IsSorted(steps) {
		t.Errorf("progress = %v, want three steps", steps)
	}
	ctx, cancel := context.WithCancel(admin(t))
	cancel()
	if _, err := s.Import(ctx, strings.NewReader(many(10)), transfer.ImportOptions{}); err == nil {
		t.Error("a cancelled import went on")
	}
}

func BenchmarkImport(b *testing.B) {
	in := many(10_000)
	for b.Loop() {
		f := newFixture(b)
		start := time.Now()
		if r := f.imp(b, in); r.Memories != 10_000 {
			b.Fatalf("%+v", r)
		}
		b.ReportMetric(10_000/time.Since(start).Seconds(), "memories/s")
	}
}

// TestImportOfOneTopicTwice: two machines had a topic of one name: both texts
// are kept, and the one that was written last goes on as the topic.
func TestImportOfOneTopicTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.mem(t, engram.Memory{Content: "here", Project: "p", Session: "s", TopicKey: "k", Scope: engram.ScopeProject}, date(10, 8, 0))
	item := func(id, hour int, title string) string {
		return fmt.Sprintf(`{"id":%d,"session_id":"s","type":"manual","title":%q,"content":"C","project":"p","scope":"project","topic_key":"k","created_at":"2026-01-10 %02d:00:00"}`, id, title, hour)
	}
	r := f.imp(t, `{"version":"0.1.0","observations":[`+item(1, 12, "newest")+`,`+item(2, 9, "older")+`]}`)
	if r.Memories != 2 || len(r.Refused) != 0 {
		t.Errorf("report = %+v", r)
	}
	keys := map[string]string{}
	for title, m := range f.living(t) {
		keys[title] = m.TopicKey
	}
	if diff := cmp.Diff(map[string]string{"here": "", "newest": "k", "older": ""}, keys); diff != "" {
		t.Errorf("topic keys mismatch (-want +got):\n%s", diff)
	}
}
