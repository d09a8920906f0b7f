package eval

import (
	"context"
	"fmt"
	"strings"

	"engram/internal/recall"
)

// Pools loads a set as Retrieval does, and shows what was found for each of its
// questions, ranked. document gives the id of the document that a memory was made of.
// Questions that ask nothing are left out.
func Pools(
	ctx context.Context, set *Set, opts RetrievalOptions,
	show func(q *Question, pool *recall.Pool, document func(id int64) string),
) (err error) {
	ctx = asBench(ctx)
	l, err := newLocal(ctx, opts)
	if err != nil {
		return err
	}
	defer func() {
		if e := l.close(); err == nil {
			err = e
		}
	}()
	if err := l.load(ctx, set); err != nil {
		return fmt.Errorf("set %s: %w", set.Name, err)
	}
	for i := range set.Questions {
		q := &set.Questions[i]
		if strings.TrimSpace(q.Text) == "" {
			continue
		}
		pool, err := l.product.Memory.Pool(ctx, l.input(q))
		if err != nil {
			return fmt.Errorf("set %s: question %s: %w", set.Name, q.ID, err)
		}
		show(q, pool, func(id int64) string { return l.names[id] })
	}
	return nil
}
