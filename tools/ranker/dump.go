package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"engram"
	"engram/internal/eval"
	"engram/internal/recall"
	"engram/internal/recall/recalltest"
	"engram/internal/store"
	"engram/internal/text"
)

func dump(ctx context.Context, dirs []string, out string) error {
	d := &Data{Inputs: recall.InputNames[:]}
	for _, dir := range dirs {
		set, err := eval.LoadSet(dir)
		if err != nil {
			return err
		}
		started := time.Now()
		x, names, last := load(set)
		now := time.Now()
		for _, q := range set.Questions {
			if now = q.Time; q.Time.IsZero() {
				now = last[q.Group]
			}
			p, err := x.Find(ctx, q.Text, store.Filter{Workspace: "w", Projects: []string{set.Name + "/" + q.Group}}, recall.Options{Now: now})
			if err != nil {
				return err
			}
			d.Pools = append(d.Pools, newPool(set, &q, p, names))
		}
		fmt.Fprintf(os.Stderr, "%s: %d questions, %.1f s\n", set.Name, len(set.Questions), time.Since(started).Seconds())
	}
	return d.write(out)
}

func load(set *eval.Set) (*recalltest.Index, map[int64]string, map[string]time.Time) {
	x, names, last := recalltest.NewIndex(), map[int64]string{}, map[string]time.Time{}
	loaded := time.Now()
	for i, doc := range set.Documents {
		id := int64(i + 1)
		m := &engram.Memory{
			ID: id, Workspace: "w", Project: set.Name + "/" + doc.Group, Session: doc.Session, Speaker: doc.Speaker,
			Title: doc.Title, Content: doc.Text, OccurredAt: doc.Time,
		}
		if doc.Time.IsZero() {
			loaded = loaded.Add(time.Microsecond)
			m.OccurredAt = loaded
		}
		last[doc.Group] = m.OccurredAt
		names[id] = doc.ID
		x.Add(m, text.Analyze(m.Speaker, m.Title, m.Content))
	}
	return x, names, last
}

func newPool(set *eval.Set, q *eval.Question, ranked *recall.Pool, names map[int64]string) *Pool {
	p := &Pool{Set: set.Name, Group: q.Group, Question: q.ID, Order: ranked.Query.Order}
	gold := set.Gold[q.ID]
	for _, grade := range gold {
		p.Gold = append(p.Gold, grade)
	}
	for _, c := range ranked.Candidates {
		dc := Candidate{
			ID: c.ID, OccurredAt: c.OccurredAt.UnixMicro(), Kind: c.Kind, Grade: gold[names[c.ID]],
			Evidence: c.Evidence, Features: c.Features,
		}
		for j, x := range c.Inputs {
			dc.Inputs[j] = float32(x)
		}
		p.Candidates = append(p.Candidates, dc)
	}
	return p
}
