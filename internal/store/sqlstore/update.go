package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"engram"
	"engram/internal/store"
)

// UpdateMemory implements [store.Memories].
func (s *Store) UpdateMemory(ctx context.Context, workspace string, id int64, patch store.Patch, now time.Time) (*engram.Memory, error) {
	var got *engram.Memory
	err := s.Write(ctx, func(tx *Tx) error {
		old, err := memoryByID(ctx, tx, workspace, id, false)
		if err != nil {
			return err
		}
		updated := apply(*old, patch)
		origin := ""
		if patch.Project != nil {
			if err := tx.file(ctx, workspace, &updated.Project, &origin); err != nil {
				return err
			}
		}
		if err := topicFree(ctx, tx, &updated); err != nil {
			return err
		}
		if textChanged(old, &updated) {
			seq, err := nextSeq(ctx, tx)
			if err != nil {
				return err
			}
			if err := closeVersion(ctx, tx, id, now, seq); err != nil {
				return err
			}
		} else if old.Status != updated.Status || old.Importance != updated.Importance {
			if err := stampSeq(ctx, tx, id); err != nil {
				return err
			}
		}
		if err := rewriteSummary(ctx, tx, id, updated.Type, updated.Content); err != nil {
			return err
		}
		files, err := encodeFiles(updated.Files)
		if err != nil {
			return err
		}
		_, err = tx.Exec(ctx, `UPDATE memories SET title = $1, content = $2, hash = $3, type = $4, project = $5, topic_key = $6,
				status = $7, scope = $8, importance = $9, files = $10, origin = $11, trust = $12,
				revision_count = revision_count + 1, updated_at = $13
			WHERE id = $14`,
			updated.Title, updated.Content, updated.Hash, updated.Type, updated.Project, updated.TopicKey,
			updated.Status, updated.Scope, updated.Importance, files, updated.Origin, updated.Trust, micros(now), id)
		if err != nil {
			return err
		}
		if updated.Project != old.Project { // it was filed anew: an earlier merge is no longer why it is there
			_, err := tx.Exec(ctx, `UPDATE memories SET project_origin = $1, topic_origin = '' WHERE id = $2`, origin, id)
			if err != nil {
				return err
			}
		}
		got, err = memoryByID(ctx, tx, workspace, id, false)
		return err
	})
	if err != nil {
		return nil, wrap("update memory", err)
	}
	return got, nil
}

// apply is m with what the patch sets.
func apply(m engram.Memory, p store.Patch) engram.Memory {
	title, content := m.Title, m.Content
	set := func(to *string, from *string) {
		if from != nil {
			*to = *from
		}
	}
	set(&m.Title, p.Title)
	set(&m.Content, p.Content)
	set(&m.Hash, p.Hash)
	set(&m.Type, p.Type)
	set(&m.Project, p.Project)
	set(&m.TopicKey, p.TopicKey)
	set(&m.Status, p.Status)
	if p.Scope != nil {
		m.Scope = *p.Scope
	}
	if p.Importance != nil {
		m.Importance = *p.Importance
	}
	if p.Files != nil {
		m.Files = *p.Files
	}
	if p.Content != nil && p.Hash == nil {
		m.Hash = engram.ContentHash(m.Content)
	}
	if p.Trust != nil && *p.Trust < m.Trust && (m.Title != title || m.Content != content) {
		m.Trust = *p.Trust
		if p.Origin != nil {
			m.Origin = *p.Origin
		}
	}
	return m
}

// textChanged reports whether b is another version than a.
func textChanged(a, b *engram.Memory) bool {
	return a.Title != b.Title || a.Content != b.Content || a.Type != b.Type || a.Project != b.Project ||
		a.Scope != b.Scope || a.TopicKey != b.TopicKey || !slices.Equal(a.Files, b.Files)
}

// topicFree makes sure that no other living memory has m's topic.
func topicFree(ctx context.Context, tx *Tx, m *engram.Memory) error {
	holder, err := topicHolder(ctx, tx, m)
	if err != nil || holder == 0 {
		return err
	}
	return engram.Errorf(engram.ErrConflict, "memory %d has the topic key %q already", holder, m.TopicKey).
		WithCode("topic_key_taken").WithHint("update that memory, or use another topic key")
}

// topicHolder is the other living memory that has m's topic, 0 = none.
func topicHolder(ctx context.Context, tx *Tx, m *engram.Memory) (id int64, err error) {
	if m.TopicKey == "" {
		return 0, nil
	}
	err = tx.Row(ctx, `SELECT id FROM memories
		WHERE workspace = $1 AND topic_key = $2 AND topic_key <> '' AND project = $3 AND scope = $4 AND deleted_at IS NULL AND id <> $5`,
		[]any{m.Workspace, m.TopicKey, m.Project, m.Scope, m.ID}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return 0, nil
	}
	return id, err
}

// stampSeq tells followers that a memory changed in what a search could see.
func stampSeq(ctx context.Context, tx *Tx, id int64) error {
	seq, err := nextSeq(ctx, tx)
	if err != nil {
		return err
	}
	_, err = tx.Exec(ctx, `UPDATE memories SET seq = $1 WHERE id = $2`, seq, id)
	return err
}

// PinMemory implements [store.Memories].
func (s *Store) PinMemory(ctx context.Context, workspace string, id int64, pinned bool, now time.Time) error {
	err := s.Write(ctx, func(tx *Tx) error {
		if _, err := memoryByID(ctx, tx, workspace, id, false); err != nil {
			return err
		}
		n, err := tx.Exec(ctx, `UPDATE memories SET pinned = $1, updated_at = $2 WHERE id = $3 AND pinned <> $1`,
			boolValue(pinned), micros(now), id)
		if err != nil || n == 0 {
			return err
		}
		return stampSeq(ctx, tx, id)
	})
	return wrap("pin memory", err)
}

// TouchMemories implements [store.Memories].
func (s *Store) TouchMemories(ctx context.Context, workspace string, ids []int64, now time.Time) error {
	if len(ids) == 0 {
		return nil
	}
	err := s.Write(ctx, func(tx *Tx) error {
		for _, id := range ids {
			_, err := tx.Exec(ctx, `UPDATE memories SET access_count = access_count + 1, last_accessed = $1
				WHERE id = $2 AND workspace = $3`, micros(now), id, workspace)
			if err != nil {
				return err
			}
		}
		return nil
	})
	return wrap("touch memories", err)
}

// Support implements [store.Memories].
func (s *Store) Support(ctx context.Context, workspace string, derived, source int64) error {
	err := s.Write(ctx, func(tx *Tx) error {
		for _, id := range []int64{derived, source} {
			if _, err := memoryByID(ctx, tx, workspace, id, true); err != nil {
				return err
			}
		}
		if derived == source {
			return engram.Errorf(engram.ErrInvalid, "memory %d cannot rest on itself", source).WithCode("self_support")
		}
		_, err := tx.Exec(ctx, `INSERT INTO supports (derived, source) VALUES ($1, $2) ON CONFLICT DO NOTHING`, derived, source)
		return err
	})
	return wrap("support", err)
}
