package memory_test

import (
	"bytes"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/service/transfer"
	"engram/internal/store/sqlite"
)

// A text that is within the limit as it is given is kept, though the marks for
// what is taken out of it are longer than that was; so it is when an export of it
// is read again.
func TestRedactionDoesNotMakeTooLong(t *testing.T) {
	t.Parallel()
	const limit = 4000
	line := "postgres://app:" + "q7Zk" + "2w@db.example.com/shop\n"
	said := strings.Repeat(line, limit/len(line))
	said += strings.Repeat("x", limit-len(said))
	path := filepath.Join(t.TempDir(), "memory.db")
	st, err := sqlite.Open(t.Context(), path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	s := memory.New(st, memory.Options{MaxContent: limit})
	defer s.Close()
	saved, err := s.Save(agent(t), memory.SaveInput{Title: "T", Content: said})
	if err != nil {
		t.Fatal(err)
	}
	got, err := s.Get(agent(t), saved.ID)
	if err != nil {
		t.Fatal(err)
	}
	if len(got.Content) <= limit {
		t.Fatalf("the text did not grow: %d bytes", len(got.Content))
	}
	for name, write := range map[string]func(text string) error{
		"save": func(text string) error {
			_, err := s.Save(agent(t), memory.SaveInput{Title: "U", Content: text})
			return err
		},
		"update": func(text string) error {
			_, err := s.Update(agent(t), saved.ID, memory.UpdateInput{Content: &text})
			return err
		},
		"prompt":  func(text string) error { _, err := s.SavePrompt(agent(t), "s", "p", text); return err },
		"summary": func(text string) error { _, err := s.SessionSummary(agent(t), "p", "s", text); return err },
	} {
		if err := write(said); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := write(strings.Repeat("x", limit+1)); !errors.Is(err, engram.ErrTooLarge) {
			t.Errorf("%s, a byte longer: %v, want too large", name, err)
		}
	}
	var out bytes.Buffer
	admin := engram.WithActor(t.Context(), engram.Actor{Name: "test", Workspace: engram.DefaultWorkspace, Access: engram.AccessAdmin})
	if err := transfer.New(st, transfer.Options{MaxContent: limit}).Export(admin, &out, transfer.JSON, nil); err != nil {
		t.Fatal(err)
	}
	other, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	r, err := transfer.New(other, transfer.Options{MaxContent: limit}).Import(admin, &out, transfer.ImportOptions{})
	if err != nil || len(r.Refused) > 0 || r.Memories < 2 {
		t.Errorf("import of the export: %+v, %v", r, err)
	}
}
