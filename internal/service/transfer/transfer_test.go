package transfer_test

import (
	"bytes"
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
	"github.com/google/go-cmp/cmp/cmpopts"

	"engram"
	"engram/internal/service/transfer"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type fixture struct {
	*transfer.Service
	store store.Store
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return &fixture{transfer.New(st, transfer.Options{Now: func() time.Time { return now }}), st}
}

func admin(t testing.TB) context.Context {
	return engram.WithActor(t.Context(), engram.Actor{
		Name: "test", Workspace: engram.DefaultWorkspace, Access: engram.AccessAdmin, Origin: engram.OriginUser,
	})
}

func (f *fixture) imp(t testing.TB, in string) transfer.Report {
	t.Helper()
	r, err := f.Import(admin(t), strings.NewReader(in), transfer.ImportOptions{})
	if err != nil {
		t.Fatalf("Import: %v", err)
	}
	return r
}

func (f *fixture) export(t testing.TB, form transfer.Format, projects ...string) string {
	t.Helper()
	var b bytes.Buffer
	if err := f.Export(admin(t), &b, form, projects); err != nil {
		t.Fatalf("Export: %v", err)
	}
	return b.String()
}

// all is everything in the store, softly deleted memories too.
func (f *fixture) all(t testing.TB) store.Batch {
	t.Helper()
	var all store.Batch
	err := f.store.Export(t.Context(), engram.DefaultWorkspace, nil, 100, func(b store.Batch) error {
		all.Sessions = append(all.Sessions, b.Sessions...)
		all.Memories = append(all.Memories, b.Memories...)
		all.Prompts = append(all.Prompts, b.Prompts...)
		all.Versions = append(all.Versions, b.Versions...)
		all.Supports = append(all.Supports, b.Supports...)
		if b.Aliases != nil {
			all.Aliases = maps.Clone(b.Aliases)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// mem is a memory for a test, saved with the store's own rules.
func (f *fixture) mem(t testing.TB, m engram.Memory, at time.Time) *engram.Memory {
	t.Helper()
	m.Workspace = engram.DefaultWorkspace
	m.Hash = engram.ContentHash(m.Content)
	if m.Type == "" {
		m.Type = engram.TypeManual
	}
	if m.Title == "" {
		m.Title = m.Content
	}
	if _, err := f.store.SaveMemory(t.Context(), &m, store.SaveRule{Now: at}); err != nil {
		t.Fatal(err)
	}
	return &m
}

// fill stores some of everything that an export has to carry.
func fill(t testing.TB, f *fixture) {
	t.Helper()
	ctx := t.Context()
	const ws = engram.DefaultWorkspace
	at := now.Add(-48 * time.Hour)
	check := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := f.store.StartSession(ctx, engram.Session{ID: "s1", Workspace: ws, Project: "weaver", Directory: "/home/dev/weaver", StartedAt: at})
	check(err)
	source := f.mem(t, engram.Memory{
		Content: "The loom driver talks serial.\x00 渡轮 \"quoted\" <b>", Project: "weaver", Session: "s1", Scope: engram.ScopeProject,
		TopicKey: "arch/loom", Importance: 0.25, Pinned: true, Origin: engram.OriginUser, Trust: 3, Files: []string{"loom.go", "a b.go"},
	}, at.Add(123456*time.Microsecond))
	f.mem(t, engram.Memory{
		Content: "The loom driver talks serial at 230400 baud.", Project: "weaver", Session: "s1", Scope: engram.ScopeProject,
		TopicKey: "arch/loom", Origin: engram.OriginAgent, Trust: 2,
	}, at.Add(time.Hour))
	derived := f.mem(t, engram.Memory{
		Content: "Ana weaves.", Kind: engram.KindTurn, Project: "weaver", Session: "s1", Scope: engram.ScopePersonal,
		Speaker: "Ana", Role: "user", ToolName: "hook", Status: "open", Type: engram.TypeTask,
		OccurredAt: at.Add(-1000 * time.Hour), Origin: engram.OriginDerived,
	}, at.Add(2*time.Hour))
	check(f.store.Support(ctx, ws, derived.ID, source.ID))
	gone := f.mem(t, engram.Memory{Content: "Use bluetooth.", Project: "weaver", Session: "s2"}, at.Add(3*time.Hour))
	_, err = f.store.DeleteMemory(ctx, ws, gone.ID, at.Add(4*time.Hour))
	check(err)
	check(f.store.TouchMemories(ctx, ws, []int64{source.ID}, at.Add(5*time.Hour)))
	f.mem(t, engram.Memory{Content: "From the old name.", Project: "loom", Session: "manual-save-loom", Scope: engram.ScopeGlobal}, at.Add(6*time.Hour))
	_, err = f.store.MergeProjects(ctx, ws, "loom", "weaver", at.Add(7*time.Hour))
	check(err)
	_, err = f.store.EndSession(ctx, ws, "s1", "Moved to serial.", at.Add(8*time.Hour))
	check(err)
	check(f.store.SavePrompt(ctx, &engram.Prompt{Workspace: ws, Session: "s1", Project: "weaver", Content: "use the serial port", CreatedAt: at}))
	f.mem(t, engram.Memory{Content: "Of another project.", Project: "ferry", Session: "s3"}, at.Add(9*time.Hour))
}

// TestOwnFormRestores: a store that is written down and read back is the same,
// ids aside.
func TestOwnFormRestores(t *testing.T) {
	t.Parallel()
	from, to := newFixture(t), newFixture(t)
	fill(t, from)
	out := from.export(t, transfer.JSON)
	r := to.imp(t, out)
	want := transfer.Report{Sessions: 4, Memories: 5, Prompts: 1, Versions: 1, Version: "1"}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Errorf("report mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(from.all(t), to.all(t), ignoreIDs); diff != "" {
		t.Errorf("restored store mismatch (-want +got):\n%s", diff)
	}
	if again := to.imp(t, out); again.Memories+again.Sessions+again.Prompts+again.Versions != 0 || again.Skipped != 10 {
		t.Errorf("a second import = %+v, want nothing new", again)
	}
	if back := from.imp(t, out); back.Memories+back.Sessions+back.Prompts+back.Versions != 0 {
		t.Errorf("an import of one's own export = %+v, want nothing new", back)
	}
	if diff := cmp.Diff(from.all(t), to.all(t), ignoreIDs); diff != "" {
		t.Errorf("after the second import (-want +got):\n%s", diff)
	}
	if second := to.export(t, transfer.JSON); withoutIDs(t, second) != withoutIDs(t, out) {
		t.Errorf("the restored store exports something else:\n%s\n%s", out, second)
	}
}

var ignoreIDs = cmp.Options{
	cmpopts.IgnoreFields(engram.Memory{}, "ID"),
	cmpopts.IgnoreFields(engram.Prompt{}, "ID"),
	cmpopts.EquateEmpty(),
	cmpopts.SortSlices(func(a, b *engram.Memory) bool { return a.UID+fmt.Sprint(a.Version) < b.UID+fmt.Sprint(b.Version) }),
}

func withoutIDs(t *testing.T, export string) string {
	t.Helper()
	var v map[string]any
	if err := json.Unmarshal([]byte(export), &v); err != nil {
		t.Fatal(err)
	}
	for _, m := range v["memories"].([]any) {
		delete(m.(map[string]any), "id")
	}
	b, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// TestWireExport: fields and their order as the wire form has them.
func TestWireExport(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	fill(t, f)
	out := f.export(t, transfer.Wire)
	var doc struct {
		Version      string
		ExportedAt   string `json:"exported_at"`
		Sessions     []json.RawMessage
		Observations []json.RawMessage
		Prompts      []json.RawMessage
	}
	if err := json.Unmarshal([]byte(out), &doc); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if doc.Version != "0.1.0" || doc.ExportedAt != "2026-03-01 12:00:00" || len(doc.Sessions) != 4 || len(doc.Observations) != 5 || len(doc.Prompts) != 1 {
		t.Errorf("export:\n%s", out)
	}
	uids := map[string]string{}
	for _, m := range f.all(t).Memories {
		uids[m.Content] = m.UID
	}
	for i, want := range map[int]string{
		0: `{"id":1,"session_id":"s1","type":"manual","title":"The loom driver talks serial at 230400 baud.","content":"The loom driver talks serial at 230400 baud.","project":"weaver","scope":"project","topic_key":"arch/loom","revision_count":2,"duplicate_count":1,"last_seen_at":"2026-02-27 13:00:00","created_at":"2026-02-27 12:00:00","updated_at":"2026-02-27 13:00:00","sync_id":"` + uids["The loom driver talks serial at 230400 baud."] + `","pinned":true,"occurred_at":"2026-02-27T12:00:00.123456Z"}`,
		1: `{"id":2,"session_id":"s1","type":"task","title":"Ana weaves.","content":"Ana weaves.","tool_name":"hook","project":"weaver","scope":"personal","revision_count":1,"duplicate_count":1,"last_seen_at":"2026-02-27 14:00:00","created_at":"2026-02-27 14:00:00","updated_at":"2026-02-27 14:00:00","sync_id":"` + uids["Ana weaves."] + `","speaker":"Ana","role":"user","occurred_at":"2026-01-16T20:00:00Z"}`,
	} {
		if got := string(doc.Observations[i]); got != want {
			t.Errorf("observation %d = %s\nwant %s", i, got, want)
		}
	}
	if got, want := string(doc.Sessions[3]), `{"id":"s3","project":"ferry","directory":"","started_at":"2026-02-27 21:00:00"}`; got != want {
		t.Errorf("session = %s\nwant %s", got, want)
	}
	if !strings.Contains(string(doc.Observations[2]), `"deleted_at":"2026-02-27 16:00:00"`) {
		t.Errorf("a deleted observation = %s", doc.Observations[2])
	}
}

func TestExportOfProjects(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	fill(t, f)
	out := f.export(t, transfer.Wire, " Loom ") // an alias of weaver
	if !strings.Contains(out, "From the old name.") || !strings.Contains(out, "Ana weaves.") || strings.Contains(out, "another project") {
		t.Errorf("export of one project:\n%s", out)
	}
	var empty struct{ Sessions, Observations, Prompts []any }
	out = newFixture(t).export(t, transfer.Wire)
	if err := json.Unmarshal([]byte(out), &empty); err != nil || empty.Sessions == nil || empty.Observations == nil || empty.Prompts == nil {
		t.Errorf("export of an empty store (%v) has null lists:\n%s", err, out)
	}
	err := f.Export(admin(t), io.Discard, "xml", nil)
	if !errors.Is(err, engram.ErrInvalid) {
		t.Errorf("an unknown format: %v", err)
	}
	full := errors.New("disk full")
	if err := f.Export(admin(t), failing{full}, transfer.Wire, nil); !errors.Is(err, full) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// S8: a second import adds nothing, nor does one's own export.
func TestProbeS8ImportTwice(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	fill(t, f)
	own := f.export(t, transfer.Wire)
	before := f.all(t)
	for range 2 {
		if r := f.imp(t, own); r.Sessions+r.Memories+r.Prompts != 0 || r.Skipped != 10 {
			t.Errorf("import of one's own export = %+v", r)
		}
	}
	if diff := cmp.Diff(before, f.all(t)); diff != "" {
		t.Errorf("the store changed (-want +got):\n%s", diff)
	}
	other := newFixture(t)
	if r := other.imp(t, own); r.Sessions != 4 || r.Memories != 5 || r.Prompts != 1 {
		t.Errorf("import elsewhere = %+v", r)
	}
	if back := other.export(t, transfer.Wire); back != own {
		t.Errorf("exported again:\n%s\nwant\n%s", back, own)
	}
}

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
// by who asks for what was known before.
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
	known, err := f.store.ListMemories(t.Context(), store.Filter{Workspace: engram.DefaultWorkspace, AsOf: date(15, 0, 0)}, store.ByCreated, store.Page{})
	if err != nil || !slices.ContainsFunc(known, func(m *engram.Memory) bool { return m.Title == "Serial at 115200" }) {
		t.Errorf("known on the 15th: %v, %v", known, err)
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
