package transfer_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
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
		if b.Remotes != nil {
			all.Remotes = maps.Clone(b.Remotes)
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
	if m.Origin == "" {
		m.Origin, m.Trust = engram.OriginAgent, engram.TrustOf(engram.OriginAgent)
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
	for _, owner := range []string{"ana", "bo"} {
		_, err = f.store.ClaimRemote(ctx, ws, "example.org/"+owner+"/ferry", "ferry", owner+"/ferry")
		check(err)
	}
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

// TestRestoredRemotes: after a restore each repository is the project that it
// was, whichever is asked about first, and no claim made here is overwritten.
func TestRestoredRemotes(t *testing.T) {
	t.Parallel()
	from, to := newFixture(t), newFixture(t)
	fill(t, from)
	claim := func(f *fixture, owner string) string {
		t.Helper()
		name, err := f.store.ClaimRemote(t.Context(), engram.DefaultWorkspace, "example.org/"+owner+"/ferry", "ferry", owner+"/ferry")
		if err != nil {
			t.Fatal(err)
		}
		return name
	}
	out := from.export(t, transfer.JSON)
	if _, err := to.Import(admin(t), strings.NewReader(out), transfer.ImportOptions{DryRun: true}); err != nil {
		t.Fatal(err)
	}
	if got := to.all(t).Remotes; got != nil {
		t.Errorf("a dry run left remotes: %v", got)
	}
	to.imp(t, out)
	if bo, ana := claim(to, "bo"), claim(to, "ana"); bo != "bo/ferry" || ana != "ferry" {
		t.Errorf("after a restore bo's repository is %q, ana's %q", bo, ana)
	}
	other := newFixture(t)
	if got := claim(other, "bo"); got != "ferry" {
		t.Fatal(got)
	}
	other.imp(t, out)
	if got := claim(other, "bo"); got != "ferry" {
		t.Errorf("the import made bo's repository %q", got)
	}
	r := to.imp(t, `{"format":"engram","version":1,"remotes":{"":"x","h/o/a":" ","h/o/B":" My  Name "}}`)
	if len(r.Refused) != 2 || to.all(t).Remotes["h/o/B"] != "my name" {
		t.Errorf("refused %v, remotes %v", r.Refused, to.all(t).Remotes)
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
