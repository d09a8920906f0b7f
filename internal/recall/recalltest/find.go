package recalltest

import (
	"context"

	"engram/internal/embed"
	"engram/internal/recall"
	"engram/internal/store"
)

// poolSize is how many candidates an arm draws, as the memory service has it.
const poolSize = 200

// Find ranks what the index has for a question, by the steps in which the
// memory service goes through recall.
func (x *Index) Find(ctx context.Context, question string, f store.Filter, opts recall.Options) (*recall.Pool, error) {
	q := recall.Analyse(question, opts)
	q.Mean(embed.Static())
	var arms []recall.Arm
	if q.HasWords() {
		r, err := x.Keyword(ctx, q.Keyword(f, poolSize))
		if err != nil {
			return nil, err
		}
		terms := len(q.Terms)
		lookups := q.Lookups(r)
		changed := len(q.Terms) > terms // abbreviations are spelled out
		for _, l := range lookups {
			stands, err := x.standIn(ctx, q, l)
			if err != nil {
				return nil, err
			}
			changed = changed || stands
		}
		if changed {
			if r, err = x.Keyword(ctx, q.Keyword(f, poolSize)); err != nil {
				return nil, err
			}
		}
		arms = append(arms, recall.Arms(q, r)...)
	}
	if q.HasTime() {
		from, to := q.Bounds()
		ids, err := x.InWindow(ctx, f, from, to, q.Oldest(), poolSize)
		if err != nil {
			return nil, err
		}
		arms = append(arms, recall.TimeArm(ids))
	}
	p := recall.Fuse(q, arms...)
	p.Rank()
	return p, nil
}

func (x *Index) standIn(ctx context.Context, q *recall.Query, l recall.Lookup) (bool, error) {
	if l.Prefix != "" {
		terms, err := x.PrefixTerms(ctx, l.Prefix, l.Limit)
		if err != nil || q.Begin(l, terms) {
			return err == nil, err
		}
	}
	if l.Similar != "" {
		terms, err := x.SimilarTerms(ctx, l.Similar, l.Limit)
		if err != nil || q.Resemble(l, terms) {
			return err == nil, err
		}
	}
	if len(l.Pieces) == 0 {
		return false, nil
	}
	pieces := make([]store.Term, len(l.Pieces))
	for i, p := range l.Pieces {
		pieces[i].Text = p
	}
	r, err := x.Keyword(ctx, store.KeywordQuery{Terms: pieces, Limit: 1})
	return err == nil && q.Compose(l, r.DF), err
}
