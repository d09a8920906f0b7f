package eval_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/eval"
	"engram/internal/service/memory"
	"engram/internal/store/sqlite"
)

// open is the product as the application puts it together.
func open(ctx context.Context, dir string, now func() time.Time) (*eval.Product, error) {
	st, err := sqlite.Open(ctx, filepath.Join(dir, "memory.db"), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	s := memory.New(st, memory.Options{Now: now})
	return &eval.Product{Memory: s, Close: func() error {
		s.Close()
		return st.Close()
	}}, nil
}

// write makes a set of a few documents.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "little")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

var little = map[string]string{
	"corpus.jsonl": `{"id":"a","text":"The ferry leaves at nine.","time":"2026-01-05T10:00:00Z","group":"g"}
{"id":"b","text":"The bakery is closed on Mondays.","time":"2026-01-06T10:00:00Z","group":"g"}
{"id":"c","text":"The ferry leaves at ten.","time":"2026-01-06T10:00:00Z","group":"h"}
`,
	"queries.jsonl": `{"id":"1","text":"when does the ferry leave","group":"g","kind":"one"}
{"id":"2","text":"bakery","group":"g","kind":"two"}
{"id":"3","text":"boiling point of mercury","group":"g","kind":"null"}
`,
	"qrels.tsv": "1\ta\t1\n2\tb\t1\n",
}

func TestRetrieval(t *testing.T) {
	t.Parallel()
	r, err := eval.Retrieval(t.Context(), eval.RetrievalOptions{Dirs: []string{write(t, little)}, Open: open, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sets[0]
	if s.Name != "little" || s.Documents != 3 || s.Scores.Questions != 2 || s.Scores.Recall1 != 1 || s.Scores.MRR != 1 {
		t.Errorf("scores = %+v", s)
	}
	if f := s.Floor; f.Answered != 1 || f.Recall5 != 1 || f.Precision != 1 || f.Null != 1 || f.Refused != 1 || f.NoAnswerPrecision != 1 {
		t.Errorf("floor = %+v", f)
	}
	if len(s.Kinds) != 2 || s.Kinds[0].Name != "one" {
		t.Errorf("kinds = %+v", s.Kinds)
	}
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil || !strings.Contains(table.String(), "little") {
		t.Errorf("table = %q, %v", table.String(), err)
	}
}

func TestRetrievalRefusesWhatIsNoSet(t *testing.T) {
	t.Parallel()
	broken := map[string]string{"corpus.jsonl": `{"id":"a"`, "queries.jsonl": "", "qrels.tsv": ""}
	for name, dirs := range map[string][]string{
		"none":       nil,
		"not there":  {filepath.Join(t.TempDir(), "no")},
		"not a set":  {t.TempDir()},
		"broken":     {write(t, broken)},
		"wrong gold": {write(t, map[string]string{"corpus.jsonl": "", "queries.jsonl": "", "qrels.tsv": "1 a 1\n"})},
	} {
		if r, err := eval.Retrieval(t.Context(), eval.RetrievalOptions{Dirs: dirs, Open: open}); err == nil {
			t.Errorf("%s: %+v, want an error", name, r)
		}
	}
	_, err := eval.Retrieval(t.Context(), eval.RetrievalOptions{Dirs: []string{write(t, little)}, Open: open, Arms: []string{"psychic"}})
	if engram.ErrorCode(err) != "invalid_arm" {
		t.Errorf("an unknown arm gave %v", err)
	}
}

// TestBench measures the public sets, which are not part of this repository.
func TestBench(t *testing.T) {
	root := os.Getenv("ENGRAM_BENCH")
	if root == "" {
		t.Skip("ENGRAM_BENCH names no folder of benchmark sets")
	}
	// The least R@5 that each set may have, without vectors.
	floors := map[string]float64{
		"locomo": 65, "realtalk": 39, "beam100k": 31, "lihua": 81, "restic": 48, "memdaily": 80, "madial_zh": 48, "2wiki": 63,
	}
	var dirs []string
	for name := range floors {
		dirs = append(dirs, filepath.Join(root, name))
	}
	dirs = append(dirs, filepath.Join(root, "scifact"), filepath.Join(root, "xquad"))
	slices.Sort(dirs)
	r, err := eval.Retrieval(t.Context(), eval.RetrievalOptions{Dirs: dirs, Open: open, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.Sets {
		got, want := 100*s.Scores.Recall5, floors[s.Name]
		switch s.Name {
		case "scifact":
			got, want = 100*s.Scores.NDCG10, 69
		case "xquad":
			got, want = 100*s.Scores.Recall1, 92
		}
		if got < want {
			t.Errorf("%s: %.1f, want at least %.0f", s.Name, got, want)
		}
	}
	if err := r.WriteTable(t.Output()); err != nil {
		t.Error(err)
	}
}
