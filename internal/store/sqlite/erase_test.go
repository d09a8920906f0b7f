package sqlite_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

// bytesIn says which files of dir have word in them.
func bytesIn(t *testing.T, dir, word string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		if bytes.Contains(bytes.ToLower(b), []byte(word)) {
			found = append(found, filepath.Base(path))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

// canary is a memory with a word that is nowhere else, in every text that it has.
func canary(word string, i int) *engram.Memory {
	return &engram.Memory{
		Workspace: "default", Type: "note", Title: word + " title", Project: "p", TopicKey: "topic/" + word,
		Content: fmt.Sprintf("the %s is here %d", word, i), Scope: engram.ScopeProject, Session: "s" + fmt.Sprint(i%7),
		ToolName: word, Speaker: word, Role: word, Status: word, Files: []string{word + ".go"}, Hash: engram.ContentHash(fmt.Sprint(word, i)),
	}
}

// An erased text is in no file of the store, whatever happened to it before.
func TestEraseLeavesNoBytes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		do   func(t *testing.T, s *sqlite.Store, id int64)
	}{
		{"new", func(*testing.T, *sqlite.Store, int64) {}},
		{"versioned", func(t *testing.T, s *sqlite.Store, id int64) {
			for i := range 5 {
				title := fmt.Sprintf("zyzzyva %d", i)
				if _, err := s.UpdateMemory(t.Context(), "default", id, store.Patch{Title: &title}, time.Now()); err != nil {
					t.Fatal(err)
				}
			}
		}},
		{"sealed", func(t *testing.T, s *sqlite.Store, _ int64) {
			if err := s.Checkpoint(t.Context()); err != nil {
				t.Fatal(err)
			}
		}},
		{"hidden", func(t *testing.T, s *sqlite.Store, id int64) {
			if _, err := s.DeleteMemory(t.Context(), "default", id, time.Now()); err != nil {
				t.Fatal(err)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := filepath.Join(t.TempDir(), "data")
			s := open(t, filepath.Join(dir, "memory.db"))
			defer s.Close()
			rule := store.SaveRule{Now: time.Now(), SessionSummary: "the zyzzyva is here 0"}
			saved, err := s.SaveMemory(t.Context(), canary("zyzzyva", 0), rule)
			if err != nil {
				t.Fatal(err)
			}
			c.do(t, s, saved.ID)
			if bytesIn(t, dir, "zyzzyva") == nil {
				t.Fatal("the word is nowhere before it is erased")
			}
			receipt, err := s.EraseMemory(t.Context(), "default", saved.ID, time.Now())
			if err != nil {
				t.Fatal(err)
			}
			if found := bytesIn(t, dir, "zyzzyva"); found != nil {
				t.Errorf("the word is in %v after %+v", found, receipt)
			}
		})
	}
}

// The same with many rows, pages that split and move, and open readers.
func TestEraseAmongMany(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, filepath.Join(dir, "memory.db"))
	defer s.Close()
	r := rand.New(rand.NewPCG(7, 8))
	words := map[int64]string{}
	var ids []int64
	for i := range 600 {
		word := fmt.Sprintf("quux%04dx", i)
		m := canary(word, i)
		m.Content += string(bytes.Repeat([]byte(word+" "), r.IntN(60)))
		saved, err := s.SaveMemory(t.Context(), m, store.SaveRule{Now: time.Now()})
		if err != nil {
			t.Fatal(err)
		}
		words[saved.ID] = word
		ids = append(ids, saved.ID)
		for range r.IntN(3) { // another version of some, of any size
			id := ids[r.IntN(len(ids))]
			content := string(bytes.Repeat([]byte(words[id]+" "), 1+r.IntN(120)))
			if _, err := s.UpdateMemory(t.Context(), "default", id, store.Patch{Content: &content}, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
	}
	r.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
	for _, id := range ids[:120] {
		if _, err := s.EraseMemory(t.Context(), "default", id, time.Now()); err != nil {
			t.Fatal(err)
		}
		if found := bytesIn(t, dir, words[id]); found != nil {
			t.Errorf("the text of memory %d is in %v", id, found)
		}
	}
	sound(t, s)
}

// A reader of another process that keeps an old state is named in the receipt.
func TestEraseNamesBusyLog(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(dir, "memory.db")
	s, other := open(t, path), open(t, path)
	defer s.Close()
	defer other.Close()
	saved, err := s.SaveMemory(t.Context(), canary("zyzzyva", 0), store.SaveRule{Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	sqlite.SetWipeTime(s, 50*time.Millisecond)
	var receipt engram.Receipt
	err = other.Export(t.Context(), "default", nil, 1, func(b store.Batch) error {
		if len(b.Memories) == 0 {
			return nil
		}
		receipt, err = s.EraseMemory(t.Context(), "default", saved.ID, time.Now())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(receipt.Copies) != 1 {
		t.Errorf("Copies = %q, want the log to be named", receipt.Copies)
	}
	if err := s.Checkpoint(t.Context()); err != nil {
		t.Fatal(err)
	}
	if found := bytesIn(t, dir, "zyzzyva"); found != nil {
		t.Errorf("after the next checkpoint the word is in %v", found)
	}
}

func TestDeletedPromptLeavesNoBytes(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s := open(t, filepath.Join(dir, "memory.db"))
	defer s.Close()
	p := &engram.Prompt{Workspace: "default", Content: "the zyzzyva", CreatedAt: time.Now()}
	if err := s.SavePrompt(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	if err := s.DeletePrompt(t.Context(), "default", p.ID); err != nil {
		t.Fatal(err)
	}
	if found := bytesIn(t, dir, "zyzzyva"); found != nil {
		t.Errorf("the word is in %v", found)
	}
}

// A seal that was prepared before an erasure must not write the erased words
// after it.
func TestEraseWhileSealing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	path := filepath.Join(dir, "memory.db")
	s, other := open(t, path), open(t, path)
	defer s.Close()
	defer other.Close()
	saved, err := s.SaveMemory(t.Context(), canary("quuxsealx", 1), store.SaveRule{Now: time.Now()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.SaveMemory(t.Context(), canary("staysx", 2), store.SaveRule{Now: time.Now()}); err != nil {
		t.Fatal(err)
	}
	err = other.SealAround(t.Context(), func() {
		if _, err := s.EraseMemory(t.Context(), "default", saved.ID, time.Now()); err != nil {
			t.Error(err)
		}
	})
	if !errors.Is(err, sqlite.ErrOtherState) {
		t.Errorf("the seal: %v, want %v", err, sqlite.ErrOtherState)
	}
	if found := bytesIn(t, dir, "quuxsealx"); found != nil {
		t.Errorf("the erased word is in %v", found)
	}
}
