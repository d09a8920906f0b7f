package sqlite_test

import (
	"bytes"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"engram"
	"engram/internal/embed"
	"engram/internal/store"
	"engram/internal/store/sqlite"
	"engram/internal/vector"
)

// meaning is what the built-in embedder makes of a text.
func meaning(t *testing.T, said string) []store.QueryVector {
	t.Helper()
	unit, ok := embed.Static().Vector(said)
	if !ok {
		t.Fatalf("%q has no vector", said)
	}
	return []store.QueryVector{{Model: embed.Static().Model(), Unit: unit}}
}

// foreignVectors makes the vectors of a segment those of another model.
func foreignVectors(t *testing.T, data []byte) []byte {
	t.Helper()
	own := vector.Space{Model: embed.Static().Model(), Dim: embed.Dim}
	b, rest, err := vector.DecodeBlock(data, own)
	if err != nil {
		t.Fatal(err)
	}
	other := vector.NewBlock(vector.Space{Model: "other", Dim: embed.Dim})
	for range b.Len() {
		other.Append(nil)
	}
	return append(other.Encode(nil), rest...)
}

// Vectors that are damaged, gone or of another model are named, and made anew
// from the memories; what is searched is found all the while.
func TestUnusableVectors(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(t *testing.T, data []byte) []byte{
		"a flipped bit": func(_ *testing.T, data []byte) []byte {
			data[len(data)/2] ^= 4
			return data
		},
		"cut":           func(_ *testing.T, data []byte) []byte { return data[:len(data)/2] },
		"gone":          func(*testing.T, []byte) []byte { return []byte{} },
		"another model": foreignVectors,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "store", "memory.db")
			s := open(t, path)
			tea, office := note("tea", "boiling water for tea"), note("office", "invoices of the accounting department")
			save(t, s, clock()(), tea, office)
			if err := s.Seal(t.Context()); err != nil {
				t.Fatal(err)
			}
			var data []byte
			if err := s.Writer().QueryRowContext(t.Context(), `SELECT vectors FROM keyword_segments`).Scan(&data); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Writer().ExecContext(t.Context(), `UPDATE keyword_segments SET vectors = ?1`, spoil(t, data)); err != nil {
				t.Fatal(err)
			}
			closeStores(t, s)

			var log bytes.Buffer
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			findings := ok[[]store.Finding](t)(s.Check(t.Context(), false))
			named := false
			for _, f := range findings {
				named = named || f.Check == "index" && !f.OK
			}
			if !named {
				t.Errorf("a check does not name it: %+v", findings)
			}
			wantFound(t, s, "invoices", store.Filter{}, office.ID)
			r := search(t, s, store.KeywordQuery{Filter: store.Filter{Workspace: "default"}, Limit: 1, Vectors: meaning(t, "a hot drink")})
			if len(r.Hits) != 1 || r.Hits[0].ID != tea.ID {
				t.Errorf("by meaning: %+v, want memory %d", r.Hits, tea.ID)
			}
			if !strings.Contains(log.String(), "segment dropped") {
				t.Errorf("the log does not tell: %q", log.String())
			}
			ok[[]store.Finding](t)(s.Check(t.Context(), true))
			closeStores(t, s)
			s = open(t, path)
			sound(t, s)
			closeStores(t, s)
		})
	}
}

// Neither the vector nor the tokens of an erased memory stay in any file.
func TestEraseLeavesNoVector(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	path := filepath.Join(dir, "store", "memory.db")
	s := open(t, path)
	defer closeStores(t, s)
	now := clock()
	said := "the violin teacher keeps her letters in a drawer under the window " + strings.Repeat("beside the harbour ", 20)
	kept, gone := note("kept", "boiling water for tea"), note("gone", said)
	save(t, s, now(), kept, gone)
	if err := s.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	var tokens vector.Tokens
	all := embed.Static().Tokens(nil, "gone\n"+said)
	tokens.Append(all)
	unit, _ := embed.Static().TokensVector(all)
	block := vector.NewBlock(vector.Space{Model: embed.Static().Model(), Dim: embed.Dim})
	block.Append(unit)
	traces := map[string][]byte{
		"tokens": tokens.Encode(nil)[18:][:2*len(all)],
		"vector": block.Encode(nil)[16+len(embed.Static().Model())+4:][:embed.Dim],
	}
	has := func(part []byte) bool {
		found := false
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			data, err := os.ReadFile(path)
			found = found || bytes.Contains(data, part)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	for name, part := range traces {
		if !has(part) {
			t.Fatalf("the %s of a sealed memory are not where they are looked for", name)
		}
	}
	ok[engram.Receipt](t)(s.EraseMemory(t.Context(), "default", gone.ID, now()))
	for name, part := range traces {
		if has(part) {
			t.Errorf("the %s of an erased memory are still there", name)
		}
	}
	sound(t, s)
}

// What one process saves, the next search of another finds by its meaning alone.
func TestNearestOfAnotherProcess(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "memory.db")
	a, b := open(t, path), open(t, path)
	defer closeStores(t, a, b)
	now := clock()
	nearest := func(question string) int64 {
		t.Helper()
		r := ok[*store.KeywordResult](t)(b.Keyword(t.Context(), store.KeywordQuery{
			Filter: store.Filter{Workspace: "default"}, Limit: 5, Vectors: meaning(t, question),
		}))
		for _, h := range r.Hits {
			if h.Nearest[0] == 1 {
				return h.ID
			}
		}
		return 0
	}
	if got := nearest("a musician"); got != 0 {
		t.Fatalf("an empty store has memory %d", got)
	}
	for _, c := range []struct{ said, question string }{
		{"the violin player practises at dawn", "a musician"},
		{"invoices are sent by the accounting department", "billing and bookkeeping"},
		{"our puppy chewed the carpet", "a young dog"},
	} {
		m := note(c.said, c.said)
		save(t, a, now(), m)
		if got := nearest(c.question); got != m.ID {
			t.Errorf("%q is answered by memory %d, not by %q", c.question, got, c.said)
		}
	}
}
