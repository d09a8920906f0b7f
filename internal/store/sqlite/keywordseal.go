package sqlite

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"engram/internal/keyword"
	"engram/internal/store/sqlstore"
)

const (
	// sealAt is how much outside of segments is worth one, in documents of no more
	// than sealUnit bytes; a longer one counts as several. It is also the most that
	// a search finds still to be analysed, soon after a write by this process.
	sealAt   = 1000
	sealUnit = 2 << 10
	// sealIdle is the same when there is nothing else to do and the index is
	// loaded anyway.
	sealIdle = 128
	// The background looks at how much is not sealed after so many commits, or so
	// long after one: a look costs about as much as a read.
	commitsPerLook = 16
	lookAfter      = 500 * time.Millisecond

	sealLease    = "keyword-seal"
	sealLeaseFor = time.Minute
)

// errOtherState is told inside a sealing transaction when the sealed segments
// are not those that this process knows.
var errOtherState = errors.New("the sealed segments changed")

// noteCommit is called after each transaction that wrote.
func (k *keywordIndex) noteCommit() {
	if k.commits.Add(1)%commitsPerLook == 0 {
		k.nudge()
		return
	}
	k.begin()
	select {
	case k.written <- struct{}{}:
	default:
	}
}

// nudge has the background look whether there is something to seal.
func (k *keywordIndex) nudge() {
	k.begin()
	select {
	case k.wake <- struct{}{}:
	default:
	}
}

// begin starts the background, the first time.
func (k *keywordIndex) begin() {
	k.start.Do(func() {
		ctx, stop := context.WithCancel(context.Background())
		k.stop = stop
		k.done.Go(func() { k.background(ctx) })
	})
}

func (k *keywordIndex) background(ctx context.Context) {
	var later, warm <-chan time.Time // set between a write, or a search by rows, and the look at it
	for {
		select {
		case <-ctx.Done():
			return
		case <-k.warmSoon:
			if warm == nil {
				warm = time.After(k.lookAfter)
			}
			continue
		case <-warm:
			warm = nil
			if err := k.warmSpaces(ctx); err != nil && ctx.Err() == nil {
				k.log().ErrorContext(ctx, "codes of vectors not read", "error", err)
			}
			continue
		case <-k.written:
			if later == nil {
				later = time.After(k.lookAfter)
			}
			continue
		case <-later:
		case <-k.wake:
		}
		later = nil
		if err := k.seal(ctx, sealAt); err != nil && ctx.Err() == nil {
			k.log().ErrorContext(ctx, "keyword index not sealed", "error", err)
		}
		if err := k.sealVectors(ctx, sealAt); err != nil && ctx.Err() == nil {
			k.log().ErrorContext(ctx, "vectors not packed", "error", err)
		}
	}
}

// sealKeyword gives what is in no sealed segment yet to the disk, if it is
// enough to be worth it: every process that comes after is spared it.
func (s *Store) sealKeyword(ctx context.Context) error {
	least := sealAt
	if s.keyword.state.Load() != nil {
		least = sealIdle
	}
	return errors.Join(s.keyword.seal(ctx, least), s.keyword.sealVectors(ctx, least))
}

// seal writes segments when at least so much is in none. In a store
// that is only read, and where another process seals, only this process's
// index is put in order.
func (k *keywordIndex) seal(ctx context.Context, least int) error {
	if err := k.take(ctx); err != nil {
		return err
	}
	defer k.give()
	mine := false
	if !k.s.opts.ReadOnly {
		due, err := k.due(ctx, least)
		if err != nil {
			return fmt.Errorf("seal keyword index: %w", err)
		}
		if due {
			if mine, err = k.s.AcquireLease(ctx, sealLease, k.holder, time.Now(), sealLeaseFor); err != nil {
				return fmt.Errorf("seal keyword index: %w", err)
			}
		}
	}
	if !mine {
		if st := k.state.Load(); st != nil {
			st.index.Compact(sealAt)
		}
		return nil
	}
	err := k.sealAll(ctx)
	if release := k.s.ReleaseLease(context.WithoutCancel(ctx), sealLease, k.holder); err == nil {
		err = release
	}
	if err != nil {
		return fmt.Errorf("seal keyword index: %w", err)
	}
	return nil
}

// due reports whether at least so much is in no sealed segment, or some sealed
// ones were found to be of no use: every process would index their memories again.
func (k *keywordIndex) due(ctx context.Context, least int) (bool, error) {
	if st := k.state.Load(); st != nil && st.damaged {
		return true, nil
	}
	n, err := k.unsealed(ctx, least)
	return n >= least, err
}

// unsealed is how much is in no sealed segment, as [sealAt] counts, of at most
// so many rows of each kind.
func (k *keywordIndex) unsealed(ctx context.Context, most int) (n int, err error) {
	const weigh = `SELECT COALESCE(SUM(1 + octet_length(content) / $2), 0) FROM`
	const count = `SELECT (` + weigh + ` (SELECT content FROM memories WHERE seq > s.value LIMIT $1))
		+ (` + weigh + ` (SELECT content FROM memory_versions WHERE seq > s.value LIMIT $1))
		FROM counters s WHERE s.name = 'keyword_seq'`
	err = k.s.Read(ctx, func(tx *sqlstore.Tx) error { return tx.Row(ctx, count, []any{most, sealUnit}, &n) })
	return n, err
}

// sealAll seals step by step until all that is committed now is sealed.
func (k *keywordIndex) sealAll(ctx context.Context) error {
	_, until, err := k.lastSeq(ctx)
	if err != nil {
		return err
	}
	st := k.state.Load()
	for {
		if st == nil {
			if st, err = k.load(ctx); err != nil {
				return err
			}
		}
		if st.seq < until {
			if st, err = k.step(ctx, st); err != nil {
				return err
			}
		}
		st.index.Compact(1)
		st, err = k.write(ctx, st)
		switch {
		case errors.Is(err, errOtherState):
			st = nil // another process sealed or erased: begin with what it left
		case err != nil:
			return err
		case st.seq >= until:
			k.state.Store(st)
			return nil
		}
	}
}

// write stores what the index has and the disk has not, a short transaction
// for each change.
func (k *keywordIndex) write(ctx context.Context, st *keywordState) (*keywordState, error) {
	next := *st
	if st.damaged {
		if err := k.sealing(ctx, &next, func(tx *sqlstore.Tx) error { return dropUnusable(ctx, tx, st.index) }); err != nil {
			return nil, err
		}
		next.damaged = false
	}
	for _, c := range st.index.Changes() {
		if err := k.sealing(ctx, &next, func(tx *sqlstore.Tx) error { return writeChange(ctx, tx, c) }); err != nil {
			return nil, err
		}
		st.index.Confirm(c)
	}
	err := k.sealing(ctx, &next, func(tx *sqlstore.Tx) error { return setCounter(ctx, tx.Tx, "keyword_seq", st.seq) })
	if err != nil {
		return nil, err
	}
	return &next, nil
}

// sealing runs fn in a transaction that makes the next generation of segments,
// if the last one is the one that is known.
func (k *keywordIndex) sealing(ctx context.Context, st *keywordState, fn func(tx *sqlstore.Tx) error) error {
	err := k.s.Write(ctx, func(tx *sqlstore.Tx) error {
		_, generation, err := sealedState(ctx, tx)
		if err != nil {
			return err
		}
		if generation != st.generation {
			return errOtherState
		}
		if err := fn(tx); err != nil {
			return err
		}
		return setCounter(ctx, tx.Tx, "keyword_generation", generation+1)
	})
	if err == nil {
		st.generation++
	}
	return err
}

func setCounter(ctx context.Context, tx *sql.Tx, name string, value int64) error {
	_, err := tx.ExecContext(ctx, `UPDATE counters SET value = ?1 WHERE name = ?2`, value, name)
	return err
}

// dropUnusable removes the segments that could not be loaded.
func dropUnusable(ctx context.Context, tx *sqlstore.Tx, x *keyword.Index) error {
	var all []int64
	err := tx.Rows(ctx, `SELECT id FROM keyword_segments`, nil, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		all = append(all, id)
		return err
	})
	if err != nil {
		return err
	}
	for _, id := range all {
		if !x.Stores(id) {
			if _, err := tx.ExecContext(ctx, `DELETE FROM keyword_segments WHERE id = ?1`, id); err != nil {
				return err
			}
		}
	}
	return setCounter(ctx, tx.Tx, "keyword_seq", 0)
}

func writeChange(ctx context.Context, tx *sqlstore.Tx, c *keyword.Change) error {
	for _, id := range c.Drop {
		if _, err := tx.Exec(ctx, `DELETE FROM keyword_segments WHERE id = $1`, id); err != nil {
			return err
		}
	}
	if seg := c.Insert; seg != nil {
		return tx.Row(ctx, `INSERT INTO keyword_segments (min_id, max_id, docs, columns, postings, checksum, vectors)
			VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING id`,
			[]any{seg.MinID, seg.MaxID, seg.Docs, seg.Columns, seg.Postings, seg.Checksum, seg.Vectors}, &seg.ID)
	}
	if seg := c.Update; seg != nil {
		_, err := tx.Exec(ctx, `UPDATE keyword_segments SET columns = $1, checksum = $2 WHERE id = $3`, seg.Columns, seg.Checksum, seg.ID)
		return err
	}
	return nil
}

// eraseKeyword takes memories out of the sealed index inside the transaction
// that erases them and says how many entries they have. Neither these nor terms
// that only they had stay in the segments; the indexes of processes follow the
// tombstones.
func (s *Store) eraseKeyword(ctx context.Context, tx *sql.Tx, ids []int64) (postings int, err error) {
	erased := make(map[int64]bool, len(ids))
	for _, id := range ids {
		erased[id] = true
		for _, query := range []string{currentRows + ` WHERE m.id = ?1`, closedRows + ` WHERE v.memory_id = ?1`} {
			n, err := countPostings(ctx, tx, query, id)
			if err != nil {
				return 0, err
			}
			postings += n
		}
	}
	segments, err := segmentsOf(ctx, tx, ids)
	if err != nil {
		return 0, err
	}
	for _, id := range segments {
		if err := s.eraseFrom(ctx, tx, id, func(id int64) bool { return erased[id] }); err != nil {
			return 0, err
		}
	}
	if err := s.eraseVectors(ctx, tx, ids); err != nil {
		return 0, err
	}
	// Also where no segment has them: a seal that is under way somewhere may have
	// been prepared with their words, and must not write them after this.
	_, err = tx.ExecContext(ctx, `UPDATE counters SET value = value + 1 WHERE name = 'keyword_generation'`)
	return postings, err
}

// segmentsOf names the segments that may hold some of the memories.
func segmentsOf(ctx context.Context, tx *sql.Tx, ids []int64) (out []int64, err error) {
	rows, err := tx.QueryContext(ctx, `SELECT id, min_id, max_id FROM keyword_segments`)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		var id, least, most int64
		if err := rows.Scan(&id, &least, &most); err != nil {
			return nil, err
		}
		for _, m := range ids {
			if m >= least && m <= most {
				out = append(out, id)
				break
			}
		}
	}
	return out, rows.Err()
}

// eraseFrom writes one segment anew. One that cannot be read might hold
// anything, so it goes wholly, and all rows are gone through again.
func (s *Store) eraseFrom(ctx context.Context, tx *sql.Tx, id int64, erased func(int64) bool) error {
	var seg keyword.Stored
	err := tx.QueryRowContext(ctx, segmentQuery+` WHERE id = ?1`, id).
		Scan(&seg.ID, &seg.MinID, &seg.MaxID, &seg.Docs, &seg.Columns, &seg.Postings, &seg.Checksum, &seg.Vectors)
	if err != nil {
		return err
	}
	rest, err := keyword.Without(&seg, keywordRules(), erased)
	switch {
	case errors.Is(err, keyword.ErrDamaged), errors.Is(err, keyword.ErrAnalysis):
		s.keyword.log().ErrorContext(ctx, "keyword segment dropped, its memories are indexed again", "segment", id, "error", err)
		if err := setCounter(ctx, tx, "keyword_seq", 0); err != nil {
			return err
		}
	case err != nil:
		return err
	case rest == &seg:
		return nil
	}
	if rest == nil {
		_, err = tx.ExecContext(ctx, `DELETE FROM keyword_segments WHERE id = ?1`, id)
		return err
	}
	_, err = tx.ExecContext(ctx, `UPDATE keyword_segments SET min_id = ?1, max_id = ?2, docs = ?3, columns = ?4, postings = ?5, checksum = ?6,
		vectors = ?7 WHERE id = ?8`, rest.MinID, rest.MaxID, rest.Docs, rest.Columns, rest.Postings, rest.Checksum, rest.Vectors, id)
	return err
}

func countPostings(ctx context.Context, tx *sql.Tx, query string, id int64) (n int, err error) {
	rows, err := tx.QueryContext(ctx, query, id)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r, err := scanKeywordRow(rows)
		if err != nil {
			return 0, err
		}
		n += len(r.Terms().Terms)
	}
	return n, rows.Err()
}
