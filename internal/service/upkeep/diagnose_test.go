package upkeep_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/remote"
	"engram/internal/service/upkeep"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

// broken is a data directory whose store has the bytes that spoil makes of a
// sound one, with a sound backup, an older one, and the newest one cut off.
func broken(t *testing.T, spoil func([]byte) []byte) (opts upkeep.Options, sound, older, cut string) {
	t.Helper()
	f := newFixture(t)
	for range 50 {
		save(t, f.store, "a fact about ferries "+strings.Repeat("x", 5000))
	}
	sound, older, cut = filepath.Join(f.dir, "backups", "b.db"), filepath.Join(f.dir, "backups", "c.db"), filepath.Join(f.dir, "backups", "a.db")
	if err := os.Mkdir(filepath.Join(f.dir, "backups"), 0o700); err != nil {
		t.Fatal(err)
	}
	for i, path := range []string{older, sound} {
		if _, _, err := f.Backup(as(t, engram.AccessAdmin), path); err != nil {
			t.Fatal(err)
		}
		at := now.Add(time.Duration(i) * time.Hour)
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
	}
	if err := f.store.Close(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(f.dir, "memory.db")
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{path: spoil(bytes.Clone(data)), cut: data[:len(data)/2]} {
		if err := os.WriteFile(name, data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return upkeep.Options{Dir: f.dir, Restorable: sqlite.Restorable}, sound, older, cut
}

// wantBackups checks that findings end with what there is to restore, newest first.
func wantBackups(t *testing.T, found []store.Finding, sound, older, cut string) {
	t.Helper()
	var backups []store.Finding
	for _, f := range found {
		if f.Check == "backup" {
			backups = append(backups, f)
		}
	}
	if len(backups) != 3 {
		t.Fatalf("backups: %+v, want three", backups)
	}
	if b := backups[0]; b.OK || b.Fix != "" || !strings.Contains(b.Message, cut) || !strings.Contains(b.Message, "cannot be restored") {
		t.Errorf("the one that is cut off: %+v", b)
	}
	for i, path := range []string{sound, older} {
		if b := backups[i+1]; !b.OK || !strings.Contains(b.Message, "2026-03-01 1") || b.Fix != "engram restore "+path {
			t.Errorf("backup %s: %+v", path, b)
		}
	}
}

func TestDiagnose(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name         string
		spoil        func([]byte) []byte
		message, fix string
	}{
		{"no database", func([]byte) []byte { return bytes.Repeat([]byte("garbage "), 1000) }, "not an Engram store", "restore a backup"},
		{"header", func(b []byte) []byte { copy(b, "SQLite format 9"); return b }, "not an Engram store", "restore a backup"},
		{"cut off", func(b []byte) []byte { return b[:len(b)/3] }, "damaged", "restore a backup"},
		{"newer schema", func(b []byte) []byte { b[63] = 99; return b }, "version 99", "install a newer engram, or restore a backup"},
		{"foreign", func(b []byte) []byte { b[18], b[19], b[68] = 1, 1, 0; return b }, "another program", "ENGRAM_DATA_DIR"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			opts, sound, older, cut := broken(t, tc.spoil)
			s, cause := sqlite.Open(t.Context(), filepath.Join(opts.Dir, "memory.db"), sqlite.Options{})
			if cause == nil {
				t.Fatal("it opens", s.Close())
			}
			found, err := upkeep.Diagnose(as(t, engram.AccessAdmin), opts, cause)
			if err != nil {
				t.Fatal(err)
			}
			if f := found[0]; f.Check != "open" || f.OK || !strings.Contains(f.Message, tc.message) || !strings.Contains(f.Message, opts.Dir) || !strings.Contains(f.Fix, tc.fix) {
				t.Errorf("finding %+v, want %q and %q", f, tc.message, tc.fix)
			}
			wantBackups(t, found, sound, older, cut)
		})
	}
}

// A setting that is wrong says nothing of the store, and no backup is of use.
func TestDiagnoseWrongSettings(t *testing.T) {
	t.Parallel()
	cause := remote.BadSetting("embedder is no address: nonsense", "use one such as http://localhost:11434/v1")
	found, err := upkeep.Diagnose(as(t, engram.AccessAdmin), upkeep.Options{Dir: t.TempDir()}, fmt.Errorf("open: %w", cause))
	if err != nil || len(found) != 1 || found[0].OK || found[0].Check != "settings" || strings.Contains(found[0].Message, "cannot be opened") ||
		!strings.Contains(found[0].Message, "nonsense") || !strings.Contains(found[0].Fix, "11434") {
		t.Errorf("findings %+v, %v", found, err)
	}
}

func TestDiagnoseWithoutBackup(t *testing.T) {
	t.Parallel()
	opts := upkeep.Options{Dir: t.TempDir(), Restorable: sqlite.Restorable}
	cause := engram.Errorf(engram.ErrUnavailable, "the store is damaged").WithCode("corrupt")
	if _, err := upkeep.Diagnose(t.Context(), opts, cause); engram.ErrorCode(err) != engram.ErrorCode(engram.ErrUnauthenticated) {
		t.Errorf("without an actor: %v", err)
	}
	found, err := upkeep.Diagnose(as(t, engram.AccessAdmin), opts, cause)
	if err != nil || len(found) != 2 || found[1].OK || !strings.Contains(found[1].Fix, ".recover") {
		t.Errorf("%+v, %v", found, err)
	}
	// A backup does not help where the disk is full.
	cause = engram.Errorf(engram.ErrUnavailable, "the disk is full").WithCode("disk_full").WithHint("free some space")
	found, err = upkeep.Diagnose(as(t, engram.AccessAdmin), opts, cause)
	if err != nil || len(found) != 1 || found[0].Fix != "free some space" {
		t.Errorf("%+v, %v", found, err)
	}
}

// A store that opens and is damaged further in.
func TestDoctorNamesBackups(t *testing.T) {
	t.Parallel()
	opts, sound, older, cut := broken(t, func(b []byte) []byte {
		for i := len(b) / 2; i < len(b); i += 7 {
			b[i] ^= 0x5a
		}
		return b
	})
	st := open(t, filepath.Join(opts.Dir, "memory.db"))
	found, err := upkeep.New(st, opts).Doctor(as(t, engram.AccessAdmin), false)
	if err != nil {
		t.Fatal(err)
	}
	wantBackups(t, found, sound, older, cut)
}
