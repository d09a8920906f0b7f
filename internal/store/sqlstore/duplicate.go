package sqlstore

import (
	"cmp"
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
	files, status string
	pinned        bool
	importance    float64
}

// originalColumns are what scan reads.
const originalColumns = `id, uid, revision_count, topic_key, files, status, pinned, importance`

func (o *original) scan(rows *sql.Rows, more ...any) error {
	return rows.Scan(append([]any{&o.ID, &o.UID, &o.RevisionCount, &o.TopicKey, &o.files, &o.status, &o.pinned, &o.importance}, more...)...)
}

// countDuplicate counts m on the memory that is the same, which takes over what
// m adds to it.
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
	_, err = v.tx.Exec(ctx, `UPDATE memories SET duplicate_count = duplicate_count + 1, last_seen_at = $1 WHERE id = $2`,
		micros(v.rule.Now), found.ID)
	if err != nil {
		return store.Saved{}, false, err
	}
	found.Outcome = store.Duplicate
	if !v.rule.EverDuplicate {
		err = v.takeOver(ctx, found, m)
	}
	return found.Saved, true, err
}

// takeOver gives a memory what its duplicate adds: a topic key or a status of its
// own, files, a higher importance, a pin. All but the key count as an edit.
func (v *saver) takeOver(ctx context.Context, found *original, m *engram.Memory) error {
	key, status := cmp.Or(found.TopicKey, m.TopicKey), cmp.Or(m.Status, found.status)
	pinned, importance := found.pinned || m.Pinned, max(found.importance, m.Importance)
	files, err := unite(found.files, m.Files)
	if err != nil {
		return err
	}
	edited := files != found.files || status != found.status || pinned != found.pinned || importance != found.importance
	switch {
	case key != found.TopicKey || files != found.files: // search looks at them, so this is a new version
		seq, err := v.nextSeq(ctx)
		if err != nil {
			return err
		}
		if err := closeVersion(ctx, v.tx, found.ID, v.rule.Now, seq); err != nil {
			return err
		}
		v.counted[found.ID] = true
	case edited:
		seq, err := v.nextSeq(ctx)
		if err != nil {
			return err
		}
		if _, err := v.tx.Exec(ctx, `UPDATE memories SET seq = $1 WHERE id = $2`, seq, found.ID); err != nil {
			return err
		}
	default:
		return nil
	}
	found.TopicKey = key
	if !edited {
		_, err = v.tx.Exec(ctx, `UPDATE memories SET topic_key = $1 WHERE id = $2`, key, found.ID)
		return err
	}
	found.Outcome = store.Updated
	found.RevisionCount++
	_, err = v.tx.Exec(ctx, `UPDATE memories SET topic_key = $1, files = $2, status = $3, pinned = $4, importance = $5,
			revision_count = revision_count + 1, updated_at = $6 WHERE id = $7`,
		key, files, status, boolValue(pinned), importance, micros(v.rule.Now), found.ID)
	return err
}

// unite gives the stored form of the files of a memory with more of them.
func unite(stored string, more []string) (string, error) {
	files, err := decodeFiles(stored)
	if err != nil {
		return "", err
	}
	before := len(files)
	for _, f := range more {
		if !slices.Contains(files, f) {
			files = append(files, f)
		}
	}
	if len(files) == before {
		return stored, nil
	}
	if err := engram.CheckFiles(files); err != nil {
		return "", err
	}
	return encodeFiles(files)
}

// seenBefore is the memory that the undated m is a duplicate of, or nil.
func (v *saver) seenBefore(ctx context.Context, m *engram.Memory) (found *original, err error) {
	q := new(query)
	q.add(`SELECT `+originalColumns+` FROM memories
		WHERE workspace = ? AND hash = ? AND project = ? AND scope = ? AND deleted_at IS NULL`, m.Workspace, m.Hash, m.Project, m.Scope)
	if !v.rule.EverDuplicate {
		q.add(" AND last_seen_at >= ? AND type = ? AND title = ? AND speaker = ? AND role = ?",
			v.windowStart(), m.Type, m.Title, m.Speaker, m.Role)
		if m.Type == engram.TypeSessionSummary {
			q.add(" AND COALESCE(session, '') = ?", m.Session)
		}
		if m.TopicKey != "" {
			q.add(" AND topic_key IN ('', ?)", m.TopicKey)
		}
	}
	q.add(" ORDER BY last_seen_at DESC, id LIMIT 1")
	err = v.tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
		found = new(original)
		return found.scan(rows)
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
// of the batch is: each counts on one of its own. One of another topic is none.
func (v *saver) turnBefore(m *engram.Memory) *original {
	for _, one := range v.before[turnKey{
		sessionKey: sessionKey{m.Workspace, m.Session},
		hash:       m.Hash, project: m.Project, typ: m.Type, title: m.Title, speaker: m.Speaker, role: m.Role,
		scope: m.Scope, at: micros(m.OccurredAt.Round(time.Microsecond)),
	}] {
		if !v.counted[one.ID] && (m.TopicKey == "" || one.TopicKey == "" || one.TopicKey == m.TopicKey) {
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
	q.add(`SELECT `+originalColumns+`, COALESCE(session, ''), hash, project, type, title, speaker, role, scope, occurred_at
		FROM memories WHERE workspace = ? AND deleted_at IS NULL AND last_seen_at >= ?`, workspace, v.windowStart())
	in(q, "hash", "IN", hashes)
	q.add(" ORDER BY id")
	return v.tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
		var one original
		key := turnKey{sessionKey: sessionKey{workspace: workspace}}
		err := one.scan(rows, &key.id, &key.hash, &key.project, &key.typ, &key.title, &key.speaker, &key.role, &key.scope, &key.at)
		v.before[key] = append(v.before[key], one)
		return err
	})
}
