package recalltest_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/embed"
	"engram/internal/keyword"
	"engram/internal/recall"
	"engram/internal/recall/recalltest"
	"engram/internal/store"
	"engram/internal/text"
	"engram/internal/vector"
)

var update = flag.Bool("update", false, "write golden files")

// goldenRanking is where scripts/arm64.sh has the order of one processor kept, for
// another one to compare its own with.
const goldenRanking = "ENGRAM_GOLDEN_RANKING"

// golden is what a question gives: best first.
type golden struct {
	Question string      `json:"question"`
	Hits     []goldenHit `json:"hits"`
}

type goldenHit struct {
	ID      int64   `json:"id"`
	Score   float64 `json:"score"`
	Other   float64 `json:"other"` // cosine, or probability
	Nearest int     `json:"nearest,omitempty"`
}

func lines(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var out []string
	for s := bufio.NewScanner(f); s.Scan(); {
		out = append(out, s.Text())
	}
	return out
}

var goldenDay = time.Date(2026, 5, 4, 9, 0, 0, 0, time.UTC)

// corpus is an invented one: notes and turns of three sessions.
func corpus(t *testing.T) []*engram.Memory {
	t.Helper()
	var out []*engram.Memory
	for i, line := range lines(t, "corpus.txt") {
		part := strings.SplitN(line, "|", 3)
		m := &engram.Memory{
			ID: int64(i + 1), Workspace: "golden", Kind: engram.KindObservation, Type: engram.TypeManual, Scope: engram.ScopeProject, Version: 1,
			Session: part[0], Speaker: part[1], Content: part[2], OccurredAt: goldenDay.Add(time.Duration(i) * time.Minute),
		}
		if m.Speaker == "user" || m.Speaker == "assistant" {
			m.Role, m.Speaker = m.Speaker, ""
		}
		out = append(out, m)
	}
	return out
}

// compare holds what was found against the golden file: the same order, and scores
// that differ by no more than rounding.
func compare(t *testing.T, path string, write bool, got []golden) {
	t.Helper()
	if write {
		var data bytes.Buffer
		for _, g := range got {
			if err := json.NewEncoder(&data).Encode(g); err != nil {
				t.Fatal(err)
			}
		}
		if err := os.WriteFile(path, data.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want []golden
	for d := json.NewDecoder(bytes.NewReader(data)); d.More(); {
		var g golden
		if err := d.Decode(&g); err != nil {
			t.Fatal(err)
		}
		want = append(want, g)
	}
	if len(got) != len(want) {
		t.Fatalf("%d questions, want %d", len(got), len(want))
	}
	for i, g := range got {
		w := want[i]
		if g.Question != w.Question || len(g.Hits) != len(w.Hits) {
			t.Errorf("%q gives %d, want %d for %q", g.Question, len(g.Hits), len(w.Hits), w.Question)
			continue
		}
		for j, h := range g.Hits {
			x := w.Hits[j]
			if h.ID != x.ID || h.Nearest != x.Nearest || math.Abs(h.Score-x.Score) > 1e-4 || math.Abs(h.Other-x.Other) > 1e-4 {
				t.Errorf("%q: place %d has %+v, want %+v", g.Question, j+1, h, x)
			}
		}
	}
}

// The scores of the index are the same on every processor.
func TestGoldenScores(t *testing.T) {
	t.Parallel()
	table := embed.Static()
	x := keyword.New(keyword.Rules{Analysis: 1, Space: vector.Space{Model: table.Model(), Dim: embed.Dim}})
	var docs []keyword.Document
	for _, m := range corpus(t) {
		a := text.Analyze(m.Speaker, m.Content)
		tokens := table.Tokens(nil, m.Content)
		unit, _ := table.TokensVector(tokens)
		docs = append(docs, keyword.Document{
			Meta: keyword.Meta{
				ID: m.ID, Version: 1, Workspace: m.Workspace, Type: m.Type, Session: m.Session, Turn: m.IsTurn(),
				Speaker: m.Speaker, OccurredAt: m.OccurredAt.UnixMicro(),
			},
			Terms: a.Terms, TF: a.TF, Len: a.Len, Tokens: tokens, Vector: unit,
		})
	}
	if err := x.Apply(docs[:20], nil); err != nil {
		t.Fatal(err)
	}
	x.Compact(1)
	if err := x.Apply(docs[20:], nil); err != nil {
		t.Fatal(err)
	}
	var got []golden
	for _, question := range lines(t, "questions.txt") {
		q := keyword.Query{Filter: keyword.Filter{Workspace: "golden"}, Limit: 8, Neighbours: 2, Widen: 1}
		for _, w := range text.AnalyzeQuery(question).Words {
			for _, f := range w.Forms {
				q.Terms = append(q.Terms, keyword.Term{Text: f, Weight: 1})
			}
		}
		if unit, ok := table.Vector(question); ok {
			q.Vectors = []keyword.Vector{{Model: table.Model(), Unit: unit}}
		}
		g := golden{Question: question}
		for _, h := range x.Search(q).Hits {
			hit := goldenHit{ID: h.ID, Score: h.Score}
			if len(h.Cosine) > 0 {
				hit.Other, hit.Nearest = float64(h.Cosine[0]), h.Nearest[0]
			}
			g.Hits = append(g.Hits, hit)
		}
		got = append(got, g)
	}
	compare(t, filepath.Join("testdata", "golden.jsonl"), *update, got)
}

// The ranking is the same on every processor. What it is changes with its training,
// so that no file of it is kept: see scripts/arm64.sh.
func TestGoldenRanking(t *testing.T) {
	t.Parallel()
	path := os.Getenv(goldenRanking)
	if path == "" {
		path = filepath.Join(t.TempDir(), "ranking.jsonl") // the second ranking is held against the first
	}
	rank := func() (out []golden) {
		x := recalltest.NewIndex()
		for _, m := range corpus(t) {
			x.Add(m, text.Analyze(m.Speaker, m.Content))
		}
		for _, question := range lines(t, "questions.txt") {
			p, err := x.Find(t.Context(), question, store.Filter{Workspace: "golden"}, recall.Options{Now: goldenDay.AddDate(0, 0, 7), Zone: time.UTC})
			if err != nil {
				t.Fatal(fmt.Errorf("%q: %w", question, err))
			}
			g := golden{Question: question}
			for _, c := range p.Candidates {
				g.Hits = append(g.Hits, goldenHit{ID: c.ID, Score: c.Score, Other: c.Probability})
			}
			out = append(out, g)
		}
		return out
	}
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		compare(t, path, true, rank())
	}
	compare(t, path, false, rank())
}
