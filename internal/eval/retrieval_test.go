package eval_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/client"
	"engram/internal/eval"
	"engram/internal/rest"
	"engram/internal/service/memory"
	"engram/internal/service/transfer"
	"engram/internal/store/sqlite"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// open is the product as the application puts it together.
func open(ctx context.Context, dir string, now func() time.Time) (*eval.Product, error) {
	st, err := sqlite.Open(ctx, filepath.Join(dir, "memory.db"), sqlite.Options{})
	if err != nil {
		return nil, err
	}
	s := memory.New(st, memory.Options{Now: now, DuplicateWindow: -1})
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
	if f := s.Floor; f.Answered != 1 || f.Recall5 != 1 || f.Null != 1 || f.Refused != 1 || f.NoAnswerPrecision != 1 {
		t.Errorf("floor = %+v", f)
	}
	if len(s.Kinds) != 3 || s.Kinds[1].Name != "one" {
		t.Errorf("kinds = %+v", s.Kinds)
	}
	null := s.Kinds[0]
	if null.Name != "null" || null.Scores.Questions != 0 || null.Floor.Null != 1 || null.Floor.Refused != 1 {
		t.Errorf("the kind without gold = %+v", null)
	}
	if r.Reliability == nil || r.Reliability.Answers.Predictions != 3 {
		t.Errorf("reliability = %+v, want 3 answers", r.Reliability)
	}
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil || !strings.Contains(table.String(), "little") {
		t.Errorf("table = %q, %v", table.String(), err)
	}
}

// TestAblation: every combination is asked, the whole one gives what all arms
// give.
func TestAblation(t *testing.T) {
	t.Parallel()
	r, err := eval.Retrieval(t.Context(), eval.RetrievalOptions{Dirs: []string{write(t, little)}, Open: open, Temp: t.TempDir(), Ablation: true})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sets[0]
	want := eval.Combinations(memory.Steps())
	if len(s.Ablation) != len(want) {
		t.Fatalf("%d parts, want %d", len(s.Ablation), len(want))
	}
	for i, p := range s.Ablation {
		if diff := cmp.Diff(want[i], p.Arms); diff != "" {
			t.Errorf("part %d mismatch (-want +got):\n%s", i, diff)
		}
	}
	whole := s.Ablation[len(want)-1]
	if diff := cmp.Diff(s.Scores, whole.Scores); diff != "" || whole.Name() != strings.Join(memory.Steps(), ",") {
		t.Errorf("%s mismatch (-all arms +it):\n%s", whole.Name(), diff)
	}
}

func TestCombinations(t *testing.T) {
	t.Parallel()
	var got []string
	for _, c := range eval.Combinations([]string{"keyword", "vector", "time", "rerank"}) {
		got = append(got, strings.Join(c, "+"))
	}
	want := []string{
		"keyword", "vector", "keyword+vector", "keyword+time", "keyword+rerank",
		"vector+time+rerank", "keyword+time+rerank", "keyword+vector+rerank", "keyword+vector+time", "keyword+vector+time+rerank",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Combinations() mismatch (-want +got):\n%s", diff)
	}
}

// TestRepeatsStay: what a set repeats is there as often as in the set, dated or
// not, on both sides of the border between two batches.
func TestRepeatsStay(t *testing.T) {
	t.Parallel()
	var corpus strings.Builder
	for i := range 1002 {
		at := ""
		if i%2 == 0 {
			at = `,"time":"2026-01-05T10:00:00Z"`
		}
		fmt.Fprintf(&corpus, `{"id":"%d","text":"The ferry leaves at nine.","session":"s%d"%s}`+"\n", i, i%4, at)
	}
	dir := write(t, map[string]string{
		"corpus.jsonl": corpus.String(), "queries.jsonl": `{"id":"1","text":"ferry"}`, "qrels.tsv": "1\t0\t1\n",
	})
	// With the product's own window for duplicates, too.
	product := func(ctx context.Context, dir string, now func() time.Time) (*eval.Product, error) {
		st, err := sqlite.Open(ctx, filepath.Join(dir, "memory.db"), sqlite.Options{})
		if err != nil {
			return nil, err
		}
		s := memory.New(st, memory.Options{Now: now})
		return &eval.Product{Memory: s, Close: func() error {
			s.Close()
			stats, err := st.Stats(t.Context(), engram.DefaultWorkspace, nil)
			if err == nil && stats.Memories != 1002 {
				t.Errorf("the store has %d memories", stats.Memories)
			}
			return errors.Join(err, st.Close())
		}}, nil
	}
	for _, open := range []eval.Opener{open, product} {
		if _, err := eval.Retrieval(t.Context(), eval.RetrievalOptions{Dirs: []string{dir}, Open: open, Temp: t.TempDir()}); err != nil {
			t.Error(err)
		}
	}
}

// TestServer: from outside it measures what it measures inside, and does so again.
func TestServer(t *testing.T) {
	t.Parallel()
	st, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mem := memory.New(st, memory.Options{})
	srv := httptest.NewServer(rest.New(rest.Services{Memory: mem, Transfer: transfer.New(st, transfer.Options{})}, rest.Options{Token: "t"}))
	t.Cleanup(func() {
		srv.Close()
		mem.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	server, err := client.New(srv.URL, client.Options{Token: "t"})
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, little)
	inside, err := eval.Retrieval(t.Context(), eval.RetrievalOptions{Dirs: []string{dir}, Open: open, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		r, err := eval.Retrieval(t.Context(), eval.RetrievalOptions{Dirs: []string{dir}, Server: server})
		if err != nil {
			t.Fatal(err)
		}
		times := cmpopts.IgnoreTypes(eval.Spread{})
		rate := cmpopts.IgnoreFields(eval.SetReport{}, "PerSecond", "Reliability")
		if diff := cmp.Diff(inside.Sets, r.Sets, times, rate); diff != "" {
			t.Errorf("from outside mismatch (-inside +outside):\n%s", diff)
		}
	}
	for name, opts := range map[string]eval.RetrievalOptions{
		"some arms":   {Server: server, Arms: []string{"keyword"}},
		"an ablation": {Server: server, Ablation: true},
	} {
		opts.Dirs = []string{dir}
		if _, err := eval.Retrieval(t.Context(), opts); engram.ErrorCode(err) != "invalid_arm" {
			t.Errorf("a server with %s gave %v", name, err)
		}
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
