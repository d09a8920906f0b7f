package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"engram/internal/service/memory"
)

// local is a product of our own with one set in its store.
type local struct {
	product *Product
	remove  func()
	arms    []string
	set     *Set
	now     time.Time
	names   map[int64]string // memory → document
	last    map[string]time.Time
}

func newLocal(ctx context.Context, opts RetrievalOptions) (*local, error) {
	dir, remove, err := scratch(opts.Temp)
	if err != nil {
		return nil, err
	}
	l := &local{remove: remove, arms: opts.Arms, now: time.Now(), names: map[int64]string{}, last: map[string]time.Time{}}
	if l.product, err = opts.Open(ctx, dir, func() time.Time { return l.now }); err != nil {
		remove()
		return nil, err
	}
	return l, nil
}

func (l *local) close() error {
	defer l.remove()
	return l.product.Close()
}

func (l *local) load(ctx context.Context, set *Set) error {
	l.set = set
	repeats := repeats{}
	for part := range slices.Chunk(set.Documents, batch) {
		in := make([]memory.SaveInput, len(part))
		for i, d := range part {
			in[i] = memory.SaveInput{
				Title: d.Title, Content: d.Text, Project: set.project(d.Group), Session: d.Session,
				Speaker: d.Speaker, OccurredAt: repeats.apart(d, l.now),
			}
			l.last[d.Group] = in[i].OccurredAt
		}
		saved, err := l.product.Memory.SaveAll(ctx, in)
		if err != nil {
			return err
		}
		for i, s := range saved {
			if other, ok := l.names[s.ID]; ok {
				return fmt.Errorf("document %s is counted as a duplicate of %s: what a set repeats must stay", part[i].ID, other)
			}
			l.names[s.ID] = part[i].ID
		}
	}
	if l.product.Settle == nil {
		return nil
	}
	return l.product.Settle(ctx)
}

func (l *local) ask(ctx context.Context, q *Question) ([]hit, error) {
	in := l.input(q)
	in.Arms = l.arms
	return l.search(ctx, in)
}

func (l *local) rank(ctx context.Context, q *Question, arms []string) ([]hit, error) {
	in := l.input(q)
	in.Arms, in.NoFloor, in.Limit = arms, true, 100
	return l.search(ctx, in)
}

// input is q as a search, when it was asked: one without a time when its group
// has ended.
func (l *local) input(q *Question) memory.SearchInput {
	if l.now = q.Time; q.Time.IsZero() {
		l.now = l.last[q.Group]
	}
	return memory.SearchInput{Query: q.Text, Project: l.set.project(q.Group)}
}

func (l *local) search(ctx context.Context, in memory.SearchInput) ([]hit, error) {
	r, err := l.product.Memory.Search(ctx, in)
	if err != nil {
		return nil, err
	}
	hits := make([]hit, len(r.Hits))
	for i, h := range r.Hits {
		hits[i] = hit{l.names[h.Memory.ID], h.Probability, r.Answer}
	}
	return hits, nil
}

// repeats counts documents that are equal in all but their id.
type repeats map[Document]int

// apart is when d is from, now where it does not say. One that repeats an earlier
// document is a microsecond later, since what comes again with the same time, or
// without one soon after, is taken for the same.
func (r repeats) apart(d Document, now time.Time) time.Time {
	if d.Time.IsZero() {
		d.Time = now
	}
	key := d
	key.ID, key.Time = "", d.Time.UTC()
	r[key]++
	return d.Time.Add(time.Duration(r[key]-1) * time.Microsecond)
}
