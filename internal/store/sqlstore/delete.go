package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"engram"
	"engram/internal/store"
)

// DeleteMemory implements [store.Memories].
func (s *Store) DeleteMemory(ctx context.Context, workspace string, id int64, now time.Time) (engram.Receipt, error) {
	err := s.Write(ctx, func(tx *Tx) error {
		if _, err := memoryByID(ctx, tx, workspace, id, false); err != nil {
			return err
		}
		if err := stampSeq(ctx, tx, id); err != nil {
			return err
		}
		if err := leaveSummary(ctx, tx, id); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE memories SET deleted_at = $1 WHERE id = $2`, micros(now), id)
		return err
	})
	if err != nil {
		return engram.Receipt{}, wrap("delete memory", err)
	}
	return engram.Receipt{ID: id, Memories: 1}, nil
}

// RestoreMemory implements [store.Memories].
func (s *Store) RestoreMemory(ctx context.Context, workspace string, id int64, now time.Time) (store.Restored, error) {
	var got store.Restored
	err := s.Write(ctx, func(tx *Tx) error {
		m, err := memoryByID(ctx, tx, workspace, id, true)
		if err != nil {
			return err
		}
		if got = (store.Restored{Memory: m, WasLiving: !m.Deleted()}); got.WasLiving {
			return nil
		}
		seq, err := nextSeq(ctx, tx)
		if err != nil {
			return err
		}
		holder, err := topicHolder(ctx, tx, m)
		if err != nil {
			return err
		}
		if holder != 0 {
			got.LostTopic, got.TopicHolder = m.TopicKey, holder
			if err := dropTopic(ctx, tx, id, now, seq); err != nil {
				return err
			}
		}
		if _, err := tx.Exec(ctx, `UPDATE memories SET deleted_at = NULL, seq = $1 WHERE id = $2`, seq, id); err != nil {
			return err
		}
		if err := returnSummary(ctx, tx, id); err != nil {
			return err
		}
		got.Memory, err = memoryByID(ctx, tx, workspace, id, false)
		return err
	})
	if err != nil {
		return store.Restored{}, wrap("restore memory", err)
	}
	return got, nil
}

// dropTopic takes a memory's topic key away, as a new version of it.
func dropTopic(ctx context.Context, tx *Tx, id int64, now time.Time, seq int64) error {
	if err := closeVersion(ctx, tx, id, now, seq); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `UPDATE memories SET topic_key = '' WHERE id = $1`, id)
	return err
}

// EraseMemory implements [store.Memories].
func (s *Store) EraseMemory(ctx context.Context, workspace string, id int64, now time.Time) (engram.Receipt, error) {
	receipt := engram.Receipt{ID: id, Hard: true}
	var wipe Wipe
	err := s.Write(ctx, func(tx *Tx) error {
		if _, err := memoryByID(ctx, tx, workspace, id, true); err != nil {
			return err
		}
		ids, err := restingOn(ctx, tx, id)
		if err != nil {
			return err
		}
		receipt.Memories, receipt.Derived = len(ids), len(ids)-1
		receipt.Postings, wipe, err = s.eng.Erase(ctx, tx, Erased{Memories: ids})
		if err != nil {
			return err
		}
		return erase(ctx, tx, ids, now, &receipt)
	})
	if err != nil {
		return engram.Receipt{}, wrap("erase memory", err)
	}
	if receipt.Copies, err = wipe(ctx); err != nil {
		return receipt, wrap("erase memory", s.mapError(ctx, err))
	}
	return receipt, nil
}

// restingOn are id and the derived memories that rest on it, or on one
// another, alone.
func restingOn(ctx context.Context, tx *Tx, id int64) ([]int64, error) {
	ids := []int64{id}
	for {
		q := new(query)
		q.add(`SELECT DISTINCT derived FROM supports s WHERE 1 = 1`)
		in(q, "source", "IN", ids)
		in(q, "derived", "NOT IN", ids)
		q.add(` AND NOT EXISTS (SELECT 1 FROM supports o WHERE o.derived = s.derived`)
		in(q, "o.source", "NOT IN", ids)
		q.add(`) ORDER BY derived`)
		found := len(ids)
		err := tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
			var derived int64
			err := rows.Scan(&derived)
			ids = append(ids, derived)
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("derived memories: %w", err)
		}
		if len(ids) == found {
			return ids, nil
		}
	}
}

// erase removes memories with all that belongs to them and counts it.
func erase(ctx context.Context, tx *Tx, ids []int64, now time.Time, receipt *engram.Receipt) error {
	seq, err := nextSeq(ctx, tx)
	if err != nil {
		return err
	}
	for _, id := range ids {
		if err := eraseOne(ctx, tx, id, now, seq, receipt); err != nil {
			return fmt.Errorf("memory %d: %w", id, err)
		}
	}
	return nil
}

func eraseOne(ctx context.Context, tx *Tx, id int64, now time.Time, seq int64, receipt *engram.Receipt) error {
	_, err := tx.Exec(ctx, `INSERT INTO tombstones (memory_id, workspace, uid, erased_at, seq)
		SELECT id, workspace, uid, $1, $2 FROM memories WHERE id = $3`, micros(now), seq, id)
	if err != nil {
		return err
	}
	// Also where it is the text of an old version.
	const summary = `UPDATE sessions SET summary = ` + nextSummary + ` WHERE summary <> ''
		AND (workspace, id) = (SELECT workspace, session FROM memories WHERE id = $1)
		AND (summary = (SELECT content FROM memories WHERE id = $1)
			OR summary IN (SELECT content FROM memory_versions WHERE memory_id = $1))`
	for _, step := range []struct {
		text  string
		count *int
	}{
		{summary, nil},
		{`UPDATE memories SET superseded_by = NULL WHERE superseded_by = $1`, nil},
		{`DELETE FROM vectors WHERE memory_id = $1`, nil},
		{`DELETE FROM memory_versions WHERE memory_id = $1`, &receipt.Versions},
		{`DELETE FROM supports WHERE derived = $1 OR source = $1`, &receipt.Supports},
		{`DELETE FROM memories WHERE id = $1`, nil},
	} {
		n, err := tx.Exec(ctx, step.text, id)
		if err != nil {
			return err
		}
		if step.count != nil {
			*step.count += int(n)
		}
	}
	return nil
}
