package sqlstore

import (
	"context"
	"database/sql"
	"slices"
	"time"

	"engram"
	"engram/internal/store"
)

// original is a memory that others are duplicates of.
type original struct {
	store.Saved
	topic string
}

// countDuplicate counts m on the memory that is the same.
func (v *saver) countDuplicate(ctx context.Context, m *engram.Memory) (store.Saved, bool, error) {
	var found *original
	var err error
	switch {
	case !m.OccurredAt.IsZero():
		found = v.turnBefore(m)
	case v.rule.EverDuplicate || v.rule.Window > 0:
		found, err = v.seenBefore(ctx, m)
	}
	if err != nil || found == nil {
		return store.Saved{}, false, err
	}
	if found.topic == "" && m.TopicKey != "" && !v.rule.EverDuplicate {
		if err := v.takeTopic(ctx, found.ID, m.TopicKey); err != nil {
			return store.Saved{}, false, err
		}
	}
	_, err = v.tx.Exec(ctx, `UPDATE memories SET duplicate_count = duplicate_count + 1, last_seen_at = $1 WHERE id = $2`,
		micros(v.rule.Now), found.ID)
	found.Outcome = store.Duplicate
	return found.Saved, true, err
}

// takeTopic gives a memory the key that its duplicate brought. A key is part
// of the text that search looks at, so this is a new version.
func (v *saver) takeTopic(ctx context.Context, id int64, key string) error {
	seq, err := v.nextSeq(ctx)
	if err != nil {
		return err
	}
	if err := closeVersion(ctx, v.tx, id, v.rule.Now, seq); err != nil {
		return err
	}
	v.counted[id] = true
	_, err = v.tx.Exec(ctx, `UPDATE memories SET topic_key = $1 WHERE id = $2`, key, id)
	return err
}

// seenBefore is the memory that the undated m is a duplicate of, or nil.
func (v *saver) seenBefore(ctx context.Context, m *engram.Memory) (found *original, err error) {
	q := new(query)
	q.add(`SELECT id, uid, revision_count, topic_key FROM memories
		WHERE workspace = ? AND hash = ? AND project = ? AND deleted_at IS NULL`, m.Workspace, m.Hash, m.Project)
	if !v.rule.EverDuplicate {
		q.add(" AND last_seen_at >= ? AND scope = ? AND type = ? AND title = ? AND speaker = ? AND role = ?",
			v.windowStart(), m.Scope, m.Type, m.Title, m.Speaker, m.Role)
		if m.Type == engram.TypeSessionSummary {
			q.add(" AND COALESCE(session, '') = ?", m.Session)
		}
	}
	q.add(" ORDER BY last_seen_at DESC, id LIMIT 1")
	err = v.tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
		found = new(original)
		return rows.Scan(&found.ID, &found.UID, &found.RevisionCount, &found.topic)
	})
	return found, err
}

func (v *saver) windowStart() int64 { return micros(v.rule.Now.Add(-v.rule.Window)) }

// turnKey is what dated duplicates have in common.
type turnKey struct {
	sessionKey
	hash, project, typ, title, speaker, role string
	scope                                    engram.Scope
	at                                       int64
}

// turnBefore is the memory that the dated m is a duplicate of, or nil. No other
// of the batch is: each counts on one of its own.
func (v *saver) turnBefore(m *engram.Memory) *original {
	for _, one := range v.before[turnKey{
		sessionKey: sessionKey{m.Workspace, m.Session},
		hash:       m.Hash, project: m.Project, typ: m.Type, title: m.Title, speaker: m.Speaker, role: m.Role,
		scope: m.Scope, at: micros(m.OccurredAt.Round(time.Microsecond)),
	}] {
		if !v.counted[one.ID] {
			v.counted[one.ID] = true
			return &one
		}
	}
	return nil
}

// lookForTurns reads what the dated ones of ms may be duplicates of, before
// anything is saved. It asks for many at once: in a bulk load there are none, and
// a query for each would take a quarter of its time.
func (v *saver) lookForTurns(ctx context.Context, ms []*engram.Memory) error {
	if v.rule.Window <= 0 {
		return nil
	}
	hashes := map[string][]string{} // by workspace
	for _, m := range ms {
		if !m.OccurredAt.IsZero() {
			hashes[m.Workspace] = append(hashes[m.Workspace], m.Hash)
		}
	}
	v.before = map[turnKey][]original{}
	for workspace, all := range hashes {
		for part := range slices.Chunk(distinct(all), 512) {
			if err := v.readTurns(ctx, workspace, part); err != nil {
				return err
			}
		}
	}
	return nil
}

// readTurns notes the memories of these hashes that were seen within the window.
func (v *saver) readTurns(ctx context.Context, workspace string, hashes []string) error {
	q := new(query)
	q.add(`SELECT id, uid, revision_count, topic_key, COALESCE(session, ''), hash, project, type, title, speaker, role, scope, occurred_at
		FROM memories WHERE workspace = ? AND deleted_at IS NULL AND last_seen_at >= ?`, workspace, v.windowStart())
	in(q, "hash", "IN", hashes)
	q.add(" ORDER BY id")
	return v.tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
		var one original
		key := turnKey{sessionKey: sessionKey{workspace: workspace}}
		err := rows.Scan(&one.ID, &one.UID, &one.RevisionCount, &one.topic,
			&key.id, &key.hash, &key.project, &key.typ, &key.title, &key.speaker, &key.role, &key.scope, &key.at)
		v.before[key] = append(v.before[key], one)
		return err
	})
}
