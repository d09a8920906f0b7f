package transfer_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/service/transfer"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

// stalled is a client that reads nothing until it is let go.
type stalled struct {
	begun chan struct{} // closed at the first part
	goOn  chan struct{}
	parts int
	got   bytes.Buffer
	err   error
}

func (s *stalled) Write(p []byte) (int, error) {
	if s.parts++; s.parts == 1 {
		close(s.begun)
		<-s.goOn
	}
	if s.err != nil {
		return 0, s.err
	}
	return s.got.Write(p)
}

// A client that stops reading an export holds nobody up: what is written
// meanwhile does not stay in the log, and is not in the export.
func TestExportToStalledClient(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "memory.db")
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	s := transfer.New(st, transfer.Options{Dir: dir})
	save := func(title string) {
		t.Helper()
		m := &engram.Memory{
			Workspace: engram.DefaultWorkspace, Type: engram.TypeManual, Title: title, Session: "s",
			Content: title + strings.Repeat(" text", 4000), Hash: title,
		}
		if _, err := st.SaveMemory(t.Context(), m, store.SaveRule{Now: now}); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		save("early")
	}
	for _, clientErr := range []error{nil, errors.New("the client is gone")} {
		w := &stalled{begun: make(chan struct{}), goOn: make(chan struct{}), err: clientErr}
		done := make(chan error, 1)
		go func() { done <- s.Export(admin(t), w, transfer.JSON, nil) }()
		<-w.begun
		save("late")
		if err := st.Checkpoint(t.Context()); err != nil {
			t.Error(err)
		}
		if info, err := os.Stat(path + "-wal"); err != nil || info.Size() > 0 {
			t.Errorf("the log has %d bytes while the client waits, %v", info.Size(), err)
		}
		close(w.goOn)
		if err := <-done; !errors.Is(err, clientErr) {
			t.Errorf("Export: %v, want %v", err, clientErr)
		}
		if clientErr == nil {
			if n := strings.Count(w.got.String(), `"early text`); n != 100 || strings.Contains(w.got.String(), "late") {
				t.Errorf("%d memories of before in the export, late ones: %v", n, strings.Contains(w.got.String(), "late"))
			}
			if w.parts < 10 {
				t.Errorf("%d bytes came in %d parts", w.got.Len(), w.parts)
			}
		}
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			if !strings.HasPrefix(e.Name(), "memory.db") {
				t.Errorf("%s is left", e.Name())
			}
		}
		if err != nil {
			t.Error(err)
		}
	}
	// What is in the export is a whole store.
	other := newFixture(t)
	var out bytes.Buffer
	if err := s.Export(admin(t), &out, transfer.JSON, nil); err != nil {
		t.Fatal(err)
	}
	if r := other.imp(t, out.String()); r.Memories != 102 || len(r.Refused) > 0 {
		t.Errorf("imported %+v, want 102 memories", r)
	}
}

func TestExportWithoutRoom(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for i := range 60 {
		f.imp(t, strings.Replace(`{"version":"0.1.0","observations":[{"session_id":"s","type":"manual","title":"TITLE","content":"`+
			strings.Repeat("text ", 5000)+`"}]}`, "TITLE", time.Unix(int64(i), 0).UTC().Format(time.RFC3339), 1))
	}
	s := transfer.New(f.store, transfer.Options{Dir: filepath.Join(t.TempDir(), "nowhere")})
	var out bytes.Buffer
	if err := s.Export(admin(t), &out, transfer.JSON, nil); err == nil || out.Len() > 0 {
		t.Errorf("Export = %v with %d bytes; want an error before the first byte", err, out.Len())
	}
}
