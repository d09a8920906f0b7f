package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"engram"
	"engram/internal/store"
)

// SaveMemory implements [store.Memories].
func (s *Store) SaveMemory(ctx context.Context, m *engram.Memory, rule store.SaveRule) (store.Saved, error) {
	saved, err := s.SaveMemories(ctx, []*engram.Memory{m}, rule)
	if err != nil {
		return store.Saved{}, err
	}
	return saved[0], nil
}

// SaveMemories implements [store.Memories].
func (s *Store) SaveMemories(ctx context.Context, ms []*engram.Memory, rule store.SaveRule) ([]store.Saved, error) {
	rule.Now = rule.Now.UTC().Round(time.Microsecond)
	var saved []store.Saved
	created := make([]engram.Memory, len(ms)) // what the new rows hold, given to ms once they are safe
	err := s.Write(ctx, func(tx *Tx) error {
		saver := saver{s: s, tx: tx, rule: rule, sessions: map[sessionKey]bool{}, counted: map[int64]bool{}}
		if err := saver.lookForTurns(ctx, ms); err != nil {
			return fmt.Errorf("save memories: %w", err)
		}
		for i, m := range ms {
			created[i] = *m
			one, err := saver.save(ctx, &created[i])
			if err != nil {
				return fmt.Errorf("save memory: %w", err)
			}
			saved = append(saved, one)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for i, m := range ms {
		if saved[i].Outcome == store.Created {
			*m = created[i]
		}
	}
	return saved, nil
}

// saver saves memories in one transaction.
type saver struct {
	s        *Store
	tx       *Tx
	rule     store.SaveRule
	seq      int64 // of this transaction, 0 = not drawn yet
	sessions map[sessionKey]bool
	before   map[turnKey][]original // what dated ones may be duplicates of
	counted  map[int64]bool         // of before: what no further one is a duplicate of
}

type sessionKey struct{ workspace, id string }

// nextSeq draws the number of the transaction once.
func (v *saver) nextSeq(ctx context.Context) (seq int64, err error) {
	if v.seq == 0 {
		v.seq, err = nextSeq(ctx, v.tx)
	}
	return v.seq, err
}

func (v *saver) save(ctx context.Context, m *engram.Memory) (store.Saved, error) {
	saved, err := v.place(ctx, m)
	if err != nil || v.rule.SessionSummary == "" || m.Session == "" {
		return saved, err
	}
	_, err = v.tx.Exec(ctx, `UPDATE sessions SET summary = $1 WHERE workspace = $2 AND id = $3`,
		v.rule.SessionSummary, m.Workspace, m.Session)
	return saved, err
}

// place finds the memory that m is, or makes it one.
func (v *saver) place(ctx context.Context, m *engram.Memory) (store.Saved, error) {
	if err := v.s.ensureWorkspace(ctx, v.tx, m.Workspace, v.rule.Now); err != nil {
		return store.Saved{}, err
	}
	m.Scope = cmp.Or(m.Scope, engram.ScopeProject)
	session := v.sessionOf(m)
	if err := v.tx.file(ctx, m.Workspace, &m.Project, &m.ProjectOrigin); err != nil {
		return store.Saved{}, err
	}
	if err := v.touchSession(ctx, session); err != nil {
		return store.Saved{}, err
	}
	if m.TopicKey != "" {
		if saved, found, err := v.overwriteTopic(ctx, m); err != nil || found {
			return saved, err
		}
	}
	if saved, found, err := v.countDuplicate(ctx, m); err != nil || found {
		return saved, err
	}
	return v.insert(ctx, m)
}

// sessionOf is what the memory's session is created with.
func (v *saver) sessionOf(m *engram.Memory) engram.Session {
	return engram.Session{
		Workspace: m.Workspace, ID: m.Session, Project: cmp.Or(v.rule.Session.Project, m.Project),
		ProjectOrigin: m.ProjectOrigin, Directory: v.rule.Session.Directory,
	}
}

// touchSession makes a memory's session known and notes the write.
func (v *saver) touchSession(ctx context.Context, session engram.Session) error {
	key := sessionKey{session.Workspace, session.ID}
	if session.ID == "" || v.sessions[key] {
		return nil
	}
	v.sessions[key] = true
	return touchSession(ctx, v.tx, session, v.rule.Now)
}

// overwriteTopic writes m over the living memory of its topic.
func (v *saver) overwriteTopic(ctx context.Context, m *engram.Memory) (store.Saved, bool, error) {
	var id int64
	err := v.tx.Row(ctx, `SELECT id FROM memories
		WHERE workspace = $1 AND topic_key = $2 AND topic_key <> '' AND project = $3 AND scope = $4 AND deleted_at IS NULL`,
		[]any{m.Workspace, m.TopicKey, m.Project, m.Scope}, &id)
	if errors.Is(err, sql.ErrNoRows) {
		return store.Saved{}, false, nil
	}
	if err != nil {
		return store.Saved{}, false, err
	}
	seq, err := v.nextSeq(ctx)
	if err != nil {
		return store.Saved{}, false, err
	}
	files, err := encodeFiles(m.Files)
	if err != nil {
		return store.Saved{}, false, err
	}
	if err := closeVersion(ctx, v.tx, id, v.rule.Now, seq); err != nil {
		return store.Saved{}, false, err
	}
	if err := rewriteSummary(ctx, v.tx, id, m.Type, m.Content); err != nil {
		return store.Saved{}, false, err
	}
	v.counted[id] = true
	// A text of little trust takes the trust of the one that it replaces away.
	saved := store.Saved{ID: id, Outcome: store.Updated, TopicKey: m.TopicKey}
	err = v.tx.Row(ctx, `UPDATE memories SET type = $1, title = $2, content = $3, hash = $4, tool_name = $5, files = $6,
			origin = $7, trust = $8,
			importance = CASE WHEN $9 <> 0.0 THEN $9 ELSE importance END,
			pinned = CASE WHEN $10 <> 0 THEN 1 ELSE pinned END,
			status = CASE WHEN $11 <> '' THEN $11 ELSE status END,
			occurred_at = COALESCE($12, occurred_at),
			revision_count = revision_count + 1, updated_at = $13, last_seen_at = $13
		WHERE id = $14 RETURNING uid, revision_count`,
		[]any{
			m.Type, m.Title, m.Content, m.Hash, m.ToolName, files, m.Origin, m.Trust, m.Importance, boolValue(m.Pinned), m.Status,
			optional(m.OccurredAt), micros(v.rule.Now), id,
		}, &saved.UID, &saved.RevisionCount)
	return saved, true, err
}

// insert stores m as a new memory and completes it.
func (v *saver) insert(ctx context.Context, m *engram.Memory) (store.Saved, error) {
	seq, err := v.nextSeq(ctx)
	if err != nil {
		return store.Saved{}, err
	}
	now := v.rule.Now
	m.Version, m.RevisionCount, m.DuplicateCount, m.AccessCount = 1, 1, 1, 0
	m.OccurredAt = cmpTime(m.OccurredAt, now)
	m.RecordedAt, m.CreatedAt, m.UpdatedAt, m.LastSeenAt = now, now, now, now
	m.InvalidatedAt, m.LastAccessed, m.DeletedAt = time.Time{}, time.Time{}, time.Time{}
	if err := insertMemory(ctx, v.tx, m, seq); err != nil {
		return store.Saved{}, err
	}
	return store.Saved{ID: m.ID, UID: m.UID, Outcome: store.Created, TopicKey: m.TopicKey, RevisionCount: 1}, nil
}

// insertMemory stores m as it is and sets its ID, and its UID where it has none.
func insertMemory(ctx context.Context, tx *Tx, m *engram.Memory, seq int64) error {
	files, err := encodeFiles(m.Files)
	if err != nil {
		return err
	}
	m.UID = cmp.Or(m.UID, engram.NewUID(m.CreatedAt))
	m.Kind = cmp.Or(m.Kind, engram.KindObservation)
	m.OccurredAt = m.OccurredAt.UTC().Round(time.Microsecond)
	return tx.Row(ctx, `INSERT INTO memories (uid, workspace, seq, version, kind, type, project, project_origin, scope, session,
			topic_key, hash, importance, pinned, origin, trust, status, revision_count, duplicate_count, access_count,
			occurred_at, valid_from, valid_to, recorded_at, invalidated_at, superseded_by, created_at, updated_at,
			last_seen_at, last_accessed, deleted_at, speaker, role, tool_name, files, title, content)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
			$25, $26, $27, $28, $29, $30, $31, $32, $33, $34, $35, $36, $37) RETURNING id`,
		[]any{
			m.UID, m.Workspace, seq, m.Version, m.Kind, m.Type, m.Project, m.ProjectOrigin, m.Scope, sessionValue(m.Session),
			m.TopicKey, m.Hash, m.Importance, boolValue(m.Pinned), m.Origin, m.Trust, m.Status, m.RevisionCount, m.DuplicateCount, m.AccessCount,
			micros(m.OccurredAt), optional(m.ValidFrom), optional(m.ValidTo), micros(m.RecordedAt), optional(m.InvalidatedAt), idValue(m.SupersededBy), micros(m.CreatedAt), micros(m.UpdatedAt),
			micros(m.LastSeenAt), optional(m.LastAccessed), optional(m.DeletedAt), m.Speaker, m.Role, m.ToolName, files, m.Title, m.Content,
		}, &m.ID)
}
