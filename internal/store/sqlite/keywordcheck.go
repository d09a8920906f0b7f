package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"slices"

	"engram/internal/keyword"
	"engram/internal/store"
	"engram/internal/store/sqlstore"
)

// checkSample is about how many documents a check analyses again.
const checkSample = 200

// sameVector is the cosine that a vector has with its codes at least.
const sameVector = 0.99

// checkKeyword compares the index with the rows, and with repair builds it anew
// where they differ.
func (s *Store) checkKeyword(ctx context.Context, repair bool) ([]store.Finding, error) {
	if err := s.keyword.take(ctx); err != nil {
		return nil, err
	}
	defer s.keyword.give()
	problem, docs, err := s.keyword.compare(ctx)
	if err != nil {
		return nil, fmt.Errorf("keyword index: %w", err)
	}
	if problem == "" {
		return one("index", true, "", "the keyword index agrees with %d versions of memories", docs), nil
	}
	if !repair {
		return one("index", false, fixRepair, "the keyword index %s", problem), nil
	}
	if err := s.keyword.rebuild(ctx); err != nil {
		return nil, fmt.Errorf("rebuild keyword index: %w", err)
	}
	return one("index", true, "", "the keyword index was built anew (it %s)", problem), nil
}

// compare loads the index as a new process would and goes through all rows.
// The problem is "" when they agree.
func (k *keywordIndex) compare(ctx context.Context) (problem string, docs int, err error) {
	st, err := k.load(ctx)
	if err != nil {
		return "", 0, err
	}
	if st.damaged {
		return "has damaged segments", 0, nil
	}
	_, until, err := k.lastSeq(ctx)
	if err != nil {
		return "", 0, err
	}
	for st.seq < until {
		if st, err = k.step(ctx, st); err != nil {
			return "", 0, err
		}
	}
	known := map[versionKey]keyword.Entry{}
	for e := range st.index.Entries {
		known[versionKey{e.ID, e.Version}] = e
	}
	c := comparer{index: st.index, known: known, docs: len(known), every: max(1, len(known)/checkSample), left: map[int64]bool{}}
	err = k.s.Read(ctx, func(tx *sqlstore.Tx) error {
		// What was written meanwhile is left out.
		err := tx.Rows(ctx, `SELECT id FROM memories WHERE seq > $1 UNION SELECT memory_id FROM memory_versions WHERE seq > $1
			UNION SELECT memory_id FROM tombstones WHERE seq > $1`, []any{st.seq}, c.leaveOut)
		if err != nil {
			return err
		}
		for key := range known {
			if c.left[key.id] {
				delete(known, key)
			}
		}
		for _, query := range []string{
			currentRows + ` WHERE m.seq <= $1`, closedRows + ` WHERE v.seq <= $1`,
		} {
			if err := tx.Rows(ctx, query, []any{st.seq}, c.row); err != nil {
				return err
			}
		}
		return nil
	})
	return c.verdict(), c.docs, err
}

type versionKey struct {
	id      int64
	version int
}

// comparer looks at every row.
type comparer struct {
	index *keyword.Index
	known map[versionKey]keyword.Entry
	docs  int
	every int // how many rows there are to one that is analysed
	seen  int
	left  map[int64]bool // memories that are not compared
	buf   []uint16

	missing, different, misread int
}

func (c *comparer) row(rows *sql.Rows) error {
	r, err := scanKeywordRow(rows)
	if err != nil {
		return err
	}
	if c.left[r.ID] {
		return nil
	}
	key := versionKey{r.ID, r.Version}
	e, ok := c.known[key]
	delete(c.known, key)
	c.seen++
	switch {
	case !ok:
		c.missing++
	case e.Meta != r.Meta:
		c.different++
	case c.seen%c.every == 0 && !c.reads(&r, &e):
		c.misread++
	}
	return nil
}

// reads reports whether the index has the row's terms, tokens and vector.
func (c *comparer) reads(r *keywordRow, e *keyword.Entry) bool {
	a := r.Terms()
	have, ok := c.index.Frequencies(r.ID, r.Version, a.Terms)
	if !ok || a.Len != e.Len || r.Traits() != e.Traits {
		return false
	}
	tokens, unit := r.Embed(&c.buf)
	if cosine := c.index.Cosine(r.ID, r.Version, unit); (unit != nil) != e.Vector || unit != nil && cosine < sameVector {
		return false
	}
	if indexed, _ := c.index.Tokens(r.ID, r.Version); !slices.Equal(indexed, tokens) {
		return false
	}
	for i, n := range have {
		if n != a.TF[i] {
			return false
		}
	}
	return true
}

func (c *comparer) leaveOut(rows *sql.Rows) error {
	var id int64
	err := rows.Scan(&id)
	c.left[id] = true
	return err
}

func (c *comparer) verdict() string {
	if c.missing+c.different+c.misread+len(c.known) == 0 {
		return ""
	}
	return fmt.Sprintf("lacks %d versions of memories, has %d too many, knows %d wrongly and %d of a sample with other words or another meaning",
		c.missing, len(c.known), c.different, c.misread)
}

// rebuild drops all segments and indexes every row again. The turn is taken.
func (k *keywordIndex) rebuild(ctx context.Context) error {
	err := k.s.Write(ctx, func(tx *sqlstore.Tx) error {
		if _, err := tx.ExecContext(ctx, `DELETE FROM keyword_segments`); err != nil {
			return err
		}
		if err := setCounter(ctx, tx.Tx, "keyword_seq", 0); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, `UPDATE counters SET value = value + 1 WHERE name = 'keyword_generation'`)
		return err
	})
	if err != nil {
		return err
	}
	k.state.Store(nil)
	return k.sealAll(ctx)
}
