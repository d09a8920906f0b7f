package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"time"

	"engram/internal/app"
	"engram/internal/config"
	"engram/internal/eval"
	"engram/internal/recall"
)

// dump asks all questions of the sets and writes what was found.
func dump(ctx context.Context, dirs []string, embedder config.EmbedderChoice, out string) error {
	sets, err := loadSets(dirs)
	if err != nil {
		return err
	}
	addStrangers(sets)
	d := &Data{Inputs: recall.InputNames[:]}
	for _, set := range sets {
		started := time.Now()
		err := eval.Pools(ctx, set, eval.RetrievalOptions{Open: opener(embedder)}, func(q *eval.Question, p *recall.Pool, document func(int64) string) {
			d.Pools = append(d.Pools, newPool(set, q, p, document))
		})
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%s: %d questions, %.1f s\n", set.Name, len(set.Questions), time.Since(started).Seconds())
	}
	return d.write(out)
}

// opener opens the product over a store of its own, with the table alone or the encoder too.
func opener(embedder config.EmbedderChoice) func(context.Context, string, func() time.Time) (*eval.Product, error) {
	getenv := func(name string) string {
		if name == "ENGRAM_EMBEDDER" {
			return string(embedder)
		}
		return ""
	}
	return func(ctx context.Context, dir string, now func() time.Time) (*eval.Product, error) {
		cfg, err := config.Load(getenv, dir, dir)
		if err != nil {
			return nil, err
		}
		cfg.Zone = time.UTC
		a, err := app.Open(ctx, cfg, app.Options{Dir: dir, Home: dir, Getenv: getenv, Now: now})
		if err != nil {
			return nil, err
		}
		return &eval.Product{Memory: a.Memory, Close: a.Close, Settle: func(ctx context.Context) error {
			_, err := a.Embedder.Run(ctx, nil)
			return err
		}}, nil
	}
}

// stranger is the kind of a question that was meant for another set.
const stranger = "stranger"

// strangers is how many questions of each other set are asked of a set too.
const strangers = 6

// addStrangers asks every set some questions of the others, which it has no
// answer to: the floor learns from them what no answer looks like.
func addStrangers(sets []*eval.Set) {
	questions := make([][]eval.Question, len(sets))
	for i, set := range sets {
		questions[i] = slices.Clone(set.Questions)
	}
	for i, set := range sets {
		for j, others := range questions {
			if i == j || len(others) == 0 || related(set.Name, sets[j].Name) {
				continue
			}
			for n := range strangers {
				q := others[(n*len(others)/strangers+i)%len(others)]
				host := questions[i][(j*strangers+n)*7919%len(questions[i])]
				set.Questions = append(set.Questions, eval.Question{
					ID: stranger + "/" + sets[j].Name + "/" + q.ID, Text: q.Text, Group: host.Group, Time: host.Time, Kind: stranger,
				})
			}
		}
	}
}

// related reports whether two sets may answer each other's questions: they are of
// one source, or both of encyclopedia articles.
func related(a, b string) bool {
	articles := []string{"2wiki", "musique200", "hotpot100", "xquad", "t2rank100"}
	if slices.Contains(articles, a) && slices.Contains(articles, b) {
		return true
	}
	return min(len(a), len(b)) >= 4 && a[:4] == b[:4] && a != b
}

func newPool(set *eval.Set, q *eval.Question, ranked *recall.Pool, document func(int64) string) *Pool {
	p := &Pool{Set: set.Name, Group: q.Group, Question: q.ID, Kind: q.Kind, Order: ranked.Query.Order, Encoded: ranked.Query.Encoded()}
	gold := set.Gold[q.ID]
	for _, grade := range gold {
		p.Gold = append(p.Gold, grade)
	}
	for _, c := range ranked.Candidates {
		dc := Candidate{
			ID: c.ID, OccurredAt: c.OccurredAt.UnixMicro(), Kind: c.Kind, Grade: gold[document(c.ID)],
			Evidence: c.Evidence, Features: c.Features,
		}
		for j, x := range c.Inputs {
			dc.Inputs[j] = float32(x)
		}
		p.Candidates = append(p.Candidates, dc)
	}
	return p
}

// nonsense is the set of the cases of the floor, which the repository has.
const nonsense = "nonsense"

// loadSets reads the sets, and the cases of the floor.
func loadSets(dirs []string) ([]*eval.Set, error) {
	var out []*eval.Set
	for _, dir := range dirs {
		set, err := eval.LoadSet(dir)
		if err != nil {
			return nil, err
		}
		out = append(out, set)
	}
	set, err := loadNonsense("internal/recall/testdata/nonsense")
	return append(out, set), err
}

func loadNonsense(dir string) (*eval.Set, error) {
	set := &eval.Set{Name: nonsense, Gold: map[string]map[string]int{}}
	err := eachLine(filepath.Join(dir, "corpus.jsonl"), func(d *eval.Document) {
		set.Documents = append(set.Documents, eval.Document{ID: d.ID, Text: d.Text, Time: d.Time})
	})
	if err != nil {
		return nil, err
	}
	type floorCase struct {
		ID, Query, Kind string
		Gold            []string
	}
	err = eachLine(filepath.Join(dir, "cases.jsonl"), func(c *floorCase) {
		set.Questions = append(set.Questions, eval.Question{ID: c.ID, Text: c.Query, Kind: c.Kind})
		for _, g := range c.Gold {
			if set.Gold[c.ID] == nil {
				set.Gold[c.ID] = map[string]int{}
			}
			set.Gold[c.ID][g] = 1
		}
	})
	return set, err
}

// eachLine decodes a file of JSON lines.
func eachLine[T any](path string, do func(*T)) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("run from the root of the repository: %w", err)
	}
	defer f.Close()
	d := json.NewDecoder(f)
	for {
		var v T
		if err := d.Decode(&v); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		do(&v)
	}
}
