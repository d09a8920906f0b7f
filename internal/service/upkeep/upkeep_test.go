package upkeep_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"engram"
	"engram/internal/service/upkeep"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

var now = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

type fixture struct {
	*upkeep.Service
	store store.Store
	dir   string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "data")
	st := open(t, filepath.Join(dir, "memory.db"))
	return &fixture{upkeep.New(st, upkeep.Options{Dir: dir, Now: func() time.Time { return now }}), st, dir}
}

func open(t *testing.T, path string) store.Store {
	t.Helper()
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return st
}

func as(t *testing.T, access engram.Access) context.Context {
	t.Helper()
	return engram.WithActor(t.Context(), engram.Actor{Name: "test", Workspace: engram.DefaultWorkspace, Access: access})
}

func save(t *testing.T, st store.Store, content string) {
	t.Helper()
	m := &engram.Memory{
		Workspace: engram.DefaultWorkspace, Type: engram.TypeManual, Title: content, Content: content,
		Hash: engram.ContentHash(content), Session: "s",
	}
	if _, err := st.SaveMemory(t.Context(), m, store.SaveRule{Now: now}); err != nil {
		t.Fatal(err)
	}
}

func TestAsksFirst(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for name, call := range map[string]struct {
		access engram.Access
		do     func(ctx context.Context) error
	}{
		"Doctor": {engram.AccessAdmin, func(ctx context.Context) error { _, err := f.Doctor(ctx, false); return err }},
		"Backup": {engram.AccessAdmin, func(ctx context.Context) error { _, _, err := f.Backup(ctx, ""); return err }},
		"Idle":   {engram.AccessWrite, f.Idle},
	} {
		if err := call.do(t.Context()); !errors.Is(err, engram.ErrUnauthenticated) {
			t.Errorf("%s without an actor: %v", name, err)
		}
		if err := call.do(as(t, call.access-1)); !errors.Is(err, engram.ErrForbidden) {
			t.Errorf("%s with too little access: %v", name, err)
		}
		if err := call.do(as(t, call.access)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestBackup(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	save(t, f.store, "tea, not coffee")
	ctx := as(t, engram.AccessAdmin)
	var names []string
	for range 2 {
		path, size, err := f.Backup(ctx, "")
		if err != nil || size == 0 {
			t.Fatalf("Backup = %q, %d, %v", path, size, err)
		}
		names = append(names, filepath.Base(path))
	}
	want := []string{"memory-20260301-120000.db", "memory-20260301-120000-2.db"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Errorf("names mismatch (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{want[1], want[0]}, f.Backups()); diff != "" {
		t.Errorf("Backups mismatch (-want +got):\n%s", diff)
	}
	if runtime.GOOS != "windows" {
		info, err := os.Stat(filepath.Join(f.dir, "backups"))
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the folder is %v, %v", info.Mode(), err)
		}
	}
	copied := open(t, filepath.Join(f.dir, "backups", names[0]))
	ms, err := copied.ListMemories(t.Context(), store.Filter{Workspace: engram.DefaultWorkspace}, store.ByCreated, store.Page{})
	if err != nil || len(ms) != 1 || ms[0].Content != "tea, not coffee" {
		t.Errorf("in the copy: %+v, %v", ms, err)
	}
}

func TestBackupWritesOverNothing(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	path := filepath.Join(t.TempDir(), "mine.db")
	if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, _, err := f.Backup(as(t, engram.AccessAdmin), path); !errors.Is(err, engram.ErrConflict) {
		t.Errorf("Backup over a file: %v, want a conflict", err)
	}
	if b, err := os.ReadFile(path); err != nil || string(b) != "precious" {
		t.Errorf("the file holds %q, %v", b, err)
	}
	if _, _, err := f.Backup(as(t, engram.AccessAdmin), filepath.Join(f.dir, "no", "such", "folder.db")); engram.ErrorCode(err) == "internal" {
		t.Errorf("Backup into no folder: %v, want an error for people", err)
	}
}

func finding(found []store.Finding, check string) *store.Finding {
	for i := range found {
		if found[i].Check == check {
			return &found[i]
		}
	}
	return nil
}

func TestDoctor(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := as(t, engram.AccessAdmin)
	found, err := f.Doctor(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"schema", "integrity", "files"} {
		if finding(found, want) == nil {
			t.Errorf("check %s is missing", want)
		}
	}
	for _, one := range found {
		if !one.OK {
			t.Errorf("a new store: %+v", one)
		}
	}
	if finding(found, "foreign") != nil {
		t.Error("another product's file is found where there is none")
	}
}

func TestDoctorMendsPermissions(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("permissions are not modes there")
	}
	f := newFixture(t)
	ctx := as(t, engram.AccessAdmin)
	token := filepath.Join(f.dir, "token")
	if err := os.WriteFile(token, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(token, 0o644); err != nil {
		t.Fatal(err)
	}
	found, err := f.Doctor(ctx, false)
	if one := finding(found, "files"); err != nil || one.OK || !strings.Contains(one.Message, "token") || one.Fix == "" {
		t.Errorf("an open token: %+v, %v", one, err)
	}
	found, err = f.Doctor(ctx, true)
	if one := finding(found, "files"); err != nil || !one.OK {
		t.Errorf("after the repair: %+v, %v", one, err)
	}
	info, err := os.Stat(token)
	if err != nil || info.Mode().Perm() != fs.FileMode(0o600) {
		t.Errorf("the token is %v, %v", info.Mode(), err)
	}
}

func TestDoctorLeavesOthersAlone(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := as(t, engram.AccessAdmin)
	foreign := filepath.Join(f.dir, "engram.db")
	if err := os.WriteFile(foreign, []byte("of another product"), 0o600); err != nil {
		t.Fatal(err)
	}
	found, err := f.Doctor(ctx, true)
	if one := finding(found, "foreign"); err != nil || one == nil || !one.OK || !strings.Contains(one.Fix, "engram import FILE") || strings.Contains(one.Fix, "--from") {
		t.Errorf("with an empty store: %+v, %v", one, err)
	}
	save(t, f.store, "tea")
	found, err = f.Doctor(ctx, true)
	if one := finding(found, "foreign"); err != nil || one == nil || one.Fix != "" {
		t.Errorf("with a store in use: %+v, %v", one, err)
	}
	if b, err := os.ReadFile(foreign); err != nil || string(b) != "of another product" {
		t.Errorf("the file holds %q, %v", b, err)
	}
}

func TestIdle(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := as(t, engram.AccessWrite)
	_, _, err := f.store.StartSession(t.Context(), engram.Session{
		ID: "s", Workspace: engram.DefaultWorkspace, StartedAt: now.Add(-7 * time.Hour),
	})
	if err != nil {
		t.Fatal(err)
	}
	status := func() engram.SessionStatus {
		s, err := f.store.Session(t.Context(), engram.DefaultWorkspace, "s")
		if err != nil {
			t.Fatal(err)
		}
		return s.Status
	}
	// While another process holds the lease nothing is done, and nothing fails.
	if held, err := f.store.AcquireLease(t.Context(), "idle", "another", now, time.Minute); err != nil || !held {
		t.Fatal(held, err)
	}
	if err := f.Idle(ctx); err != nil || status() != engram.SessionActive {
		t.Errorf("while another is at it: %v, session %s", err, status())
	}
	if err := f.store.ReleaseLease(t.Context(), "idle", "another"); err != nil {
		t.Fatal(err)
	}
	if err := f.Idle(ctx); err != nil || status() != engram.SessionLapsed {
		t.Errorf("Idle: %v, session %s; want it lapsed", err, status())
	}
	// The lease was given back.
	if held, err := f.store.AcquireLease(t.Context(), "idle", "another", now, time.Minute); err != nil || !held {
		t.Errorf("the lease is held on: %v, %v", held, err)
	}
}
