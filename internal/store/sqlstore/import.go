package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"engram"
	"engram/internal/store"
)

// Import implements [store.Transfer]. Of two living memories that have one
// topic, the one that was written to last keeps the key.
func (s *Store) Import(ctx context.Context, workspace string, b store.Batch, now time.Time) (store.Imported, error) {
	i := importer{s: s, workspace: workspace, now: now, ids: map[int64]int64{}, uids: map[string]place{}}
	// The items are completed only when everything is stored.
	memories := make([]engram.Memory, len(b.Memories))
	prompts := make([]engram.Prompt, len(b.Prompts))
	err := s.Write(ctx, func(tx *Tx) (err error) {
		i.tx = tx
		if err := s.ensureWorkspace(ctx, tx, workspace, now); err != nil {
			return err
		}
		if i.seq, err = nextSeq(ctx, tx); err != nil {
			return err
		}
		if err := tx.Row(ctx, `SELECT EXISTS (SELECT 1 FROM tombstones)`, nil, &i.anyErased); err != nil {
			return err
		}
		for alias, project := range b.Aliases {
			if err := i.alias(ctx, alias, project); err != nil {
				return fmt.Errorf("alias %q: %w", alias, err)
			}
		}
		if err := i.sessions(ctx, b); err != nil {
			return fmt.Errorf("sessions: %w", err)
		}
		for n, m := range b.Memories {
			memories[n] = *m
			if err := i.memory(ctx, &memories[n]); err != nil {
				return fmt.Errorf("memory %s: %w", m.UID, err)
			}
		}
		for _, v := range b.Versions {
			if err := i.version(ctx, v); err != nil {
				return fmt.Errorf("version %d of memory %s: %w", v.Version, v.UID, err)
			}
		}
		for n, p := range b.Prompts {
			prompts[n] = *p
			if err := i.prompt(ctx, &prompts[n]); err != nil {
				return fmt.Errorf("prompt %s: %w", p.UID, err)
			}
		}
		return i.links(ctx, b, memories)
	})
	if err != nil {
		return store.Imported{}, wrap("import", err)
	}
	for n := range memories {
		*b.Memories[n] = memories[n]
	}
	for n := range prompts {
		*b.Prompts[n] = prompts[n]
	}
	return i.done, nil
}

// importer stores a batch in one transaction.
type importer struct {
	s         *Store
	tx        *Tx
	workspace string
	now       time.Time
	seq       int64
	done      store.Imported
	ids       map[int64]int64 // id in the batch → id here
	uids      map[string]place
	anyErased bool // at all, so that few look-ups look for the erased
}

func (i *importer) count(n int64, created *int) {
	if n > 0 {
		*created++
	} else {
		i.done.Skipped++
	}
}

// sessions stores the batch's sessions, and those that its memories and
// prompts name and nobody knows, as long as these are.
func (i *importer) sessions(ctx context.Context, b store.Batch) error {
	for _, in := range b.Sessions {
		n, err := i.session(ctx, *in)
		if err != nil {
			return err
		}
		i.count(n, &i.done.Sessions)
	}
	var (
		order   []string
		unknown = map[string]*engram.Session{}
	)
	note := func(id, project, origin string, at time.Time) {
		at = cmpTime(at, i.now)
		s := unknown[id]
		switch {
		case id == "":
			return
		case s == nil:
			s = &engram.Session{ID: id, Project: project, ProjectOrigin: origin, StartedAt: at, LastSeen: at}
			unknown[id] = s
			order = append(order, id)
		}
		s.StartedAt, s.LastSeen = earlier(s.StartedAt, at), later(s.LastSeen, at)
	}
	for _, m := range b.Memories {
		note(m.Session, m.Project, m.ProjectOrigin, m.CreatedAt)
	}
	for _, v := range b.Versions {
		note(v.Session, v.Project, v.ProjectOrigin, v.CreatedAt)
	}
	for _, p := range b.Prompts {
		note(p.Session, p.Project, p.ProjectOrigin, p.CreatedAt)
	}
	for _, id := range order {
		if _, err := i.session(ctx, *unknown[id]); err != nil {
			return err
		}
	}
	return nil
}

func (i *importer) session(ctx context.Context, in engram.Session) (int64, error) {
	if err := i.tx.file(ctx, i.workspace, &in.Project, &in.ProjectOrigin); err != nil {
		return 0, err
	}
	started := cmpTime(in.StartedAt, i.now)
	status := in.Status
	if status == "" {
		status = engram.SessionActive
		if !in.EndedAt.IsZero() {
			status = engram.SessionEnded
		}
	}
	return i.tx.Exec(ctx, `INSERT INTO sessions (workspace, id, project, project_origin, directory, status, started_at, ended_at, last_seen, summary)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10) ON CONFLICT (workspace, id) DO NOTHING`,
		i.workspace, in.ID, in.Project, in.ProjectOrigin, in.Directory, status, micros(started), optional(in.EndedAt),
		micros(cmpTime(in.LastSeen, in.EndedAt, started)), in.Summary)
}

// memory stores m unless its UID is known.
func (i *importer) memory(ctx context.Context, m *engram.Memory) error {
	batchID := m.ID
	m.Workspace = i.workspace
	m.Hash = cmp.Or(m.Hash, engram.ContentHash(m.Content))
	m.Version, m.RevisionCount, m.DuplicateCount = max(m.Version, 1), max(m.RevisionCount, 1), max(m.DuplicateCount, 1)
	m.CreatedAt = cmpTime(m.CreatedAt, i.now)
	m.UpdatedAt = cmpTime(m.UpdatedAt, m.CreatedAt)
	m.LastSeenAt = cmpTime(m.LastSeenAt, m.UpdatedAt)
	m.RecordedAt = cmpTime(m.RecordedAt, m.UpdatedAt)
	m.OccurredAt = cmpTime(m.OccurredAt, m.CreatedAt)
	m.SupersededBy = 0 // an id elsewhere; links sets those that the batch has
	if m.UID != "" {
		id, _, err := i.known(ctx, m.UID)
		if err != nil {
			return err
		}
		if id != 0 {
			m.ID = id
			i.ids[batchID] = id
			i.count(0, &i.done.Memories)
			return nil
		}
	}
	if err := i.tx.file(ctx, i.workspace, &m.Project, &m.ProjectOrigin); err != nil {
		return err
	}
	if m.TopicKey != "" && !m.Deleted() {
		if err := i.yieldTopic(ctx, m); err != nil {
			return err
		}
	}
	if err := insertMemory(ctx, i.tx, m, i.seq); err != nil {
		return err
	}
	i.ids[batchID], i.uids[m.UID] = m.ID, place{id: m.ID}
	i.count(1, &i.done.Memories)
	return nil
}

// yieldTopic takes the topic key from m, or from the memory that holds it.
func (i *importer) yieldTopic(ctx context.Context, m *engram.Memory) error {
	one := *m
	one.ID = 0
	id, err := topicHolder(ctx, i.tx, &one)
	if err != nil || id == 0 {
		return err
	}
	holder, err := memoryByID(ctx, i.tx, i.workspace, id, false)
	if err != nil {
		return err
	}
	if !holder.UpdatedAt.Before(m.UpdatedAt) {
		m.TopicKey = ""
		return nil
	}
	return dropTopic(ctx, i.tx, id, i.now, i.seq)
}

// place is where a memory is, or was before it was erased.
type place struct {
	id     int64
	erased bool
}

// known is the id here of a memory by its UID, 0 = none.
func (i *importer) known(ctx context.Context, uid string) (id int64, erased bool, err error) {
	if p, ok := i.uids[uid]; ok {
		return p.id, p.erased, nil
	}
	err = i.tx.Row(ctx, `SELECT id FROM memories WHERE workspace = $1 AND uid = $2`, []any{i.workspace, uid}, &id)
	if errors.Is(err, sql.ErrNoRows) && i.anyErased {
		err = i.tx.Row(ctx, `SELECT memory_id FROM tombstones WHERE workspace = $1 AND uid = $2`, []any{i.workspace, uid}, &id)
		erased = err == nil
	}
	if errors.Is(err, sql.ErrNoRows) {
		return 0, false, nil
	}
	if err == nil {
		i.uids[uid] = place{id, erased}
	}
	return id, erased, err
}

// linked is the id of a memory that something in the batch belongs to, 0 when
// it was erased.
func (i *importer) linked(ctx context.Context, uid string) (int64, error) {
	id, erased, err := i.known(ctx, uid)
	switch {
	case err != nil:
		return 0, err
	case erased:
		return 0, nil
	case id == 0:
		return 0, engram.Errorf(engram.ErrInvalid, "memory %q is not in this import, and not here", uid).WithCode("unknown_uid")
	}
	return id, nil
}

func (i *importer) version(ctx context.Context, v *engram.Memory) error {
	id, err := i.linked(ctx, v.UID)
	if err != nil {
		return err
	}
	if id == 0 {
		i.count(0, &i.done.Versions)
		return nil
	}
	files, err := encodeFiles(v.Files)
	if err != nil {
		return err
	}
	project, origin := v.Project, v.ProjectOrigin
	if err := i.tx.file(ctx, i.workspace, &project, &origin); err != nil {
		return err
	}
	created := cmpTime(v.CreatedAt, i.now)
	updated := cmpTime(v.UpdatedAt, created)
	recorded := cmpTime(v.RecordedAt, updated)
	n, err := i.tx.Exec(ctx, `INSERT INTO memory_versions (memory_id, seq, `+textColumns+`)
		VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
			$24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34) ON CONFLICT (memory_id, version) DO NOTHING`,
		id, i.seq, v.UID, i.workspace, max(v.Version, 1), cmp.Or(v.Kind, engram.KindObservation), v.Type, project, origin,
		cmp.Or(v.Scope, engram.ScopeProject), sessionValue(v.Session), v.TopicKey, cmp.Or(v.Hash, engram.ContentHash(v.Content)),
		v.Importance, boolValue(v.Pinned), v.Origin, v.Trust, v.Status, max(v.RevisionCount, 1), max(v.DuplicateCount, 1),
		micros(cmpTime(v.OccurredAt, created)), optional(v.ValidFrom), optional(v.ValidTo), micros(recorded), micros(created), micros(updated),
		micros(cmpTime(v.LastSeenAt, updated)), v.Speaker, v.Role, v.ToolName, files, v.Title, v.Content,
		micros(cmpTime(v.InvalidatedAt, recorded)))
	if err != nil {
		return err
	}
	i.count(n, &i.done.Versions)
	if n == 0 {
		return nil
	}
	// The current version is the one after all closed ones.
	n, err = i.tx.Exec(ctx, `UPDATE memories SET version = $1, seq = $2 WHERE id = $3 AND version < $1`, max(v.Version, 1)+1, i.seq, id)
	if err != nil || n == 0 {
		return err
	}
	return forgetVectors(ctx, i.tx, id)
}

func (i *importer) prompt(ctx context.Context, p *engram.Prompt) error {
	p.Workspace = i.workspace
	p.CreatedAt = cmpTime(p.CreatedAt, i.now)
	if p.UID != "" {
		err := i.tx.Row(ctx, `SELECT id FROM prompts WHERE workspace = $1 AND uid = $2`, []any{i.workspace, p.UID}, &p.ID)
		if !errors.Is(err, sql.ErrNoRows) {
			i.count(0, &i.done.Prompts)
			return err
		}
	}
	i.count(1, &i.done.Prompts)
	return insertPrompt(ctx, i.tx, p)
}

// links stores what connects the items.
func (i *importer) links(ctx context.Context, b store.Batch, memories []engram.Memory) error {
	for n, m := range b.Memories {
		by, ok := i.ids[m.SupersededBy]
		if m.SupersededBy == 0 || !ok {
			continue
		}
		_, err := i.tx.Exec(ctx, `UPDATE memories SET superseded_by = $1 WHERE id = $2 AND superseded_by IS NULL`, by, memories[n].ID)
		if err != nil {
			return err
		}
		memories[n].SupersededBy = by
	}
	for _, pair := range b.Supports {
		derived, err := i.linked(ctx, pair[0])
		if err != nil {
			return err
		}
		source, err := i.linked(ctx, pair[1])
		if err != nil {
			return err
		}
		if derived == 0 || source == 0 {
			continue
		}
		_, err = i.tx.Exec(ctx, `INSERT INTO supports (derived, source) VALUES ($1, $2) ON CONFLICT DO NOTHING`, derived, source)
		if err != nil {
			return err
		}
	}
	for remote, project := range b.Remotes {
		_, err := i.tx.Exec(ctx, `INSERT INTO project_remotes (workspace, remote, project) VALUES ($1, $2, $3)
			ON CONFLICT (workspace, remote) DO NOTHING`, i.workspace, remote, project)
		if err != nil {
			return err
		}
	}
	return nil
}

// alias keeps an alias, unless the name is one already or the two would go
// round in a circle, and files what is here under it where it leads from now on.
func (i *importer) alias(ctx context.Context, alias, project string) error {
	target, err := followAliases(ctx, i.tx, i.workspace, project)
	if err != nil || target == alias {
		return err
	}
	n, err := i.tx.Exec(ctx, `INSERT INTO project_aliases (workspace, alias, project, created_at) VALUES ($1, $2, $3, $4)
		ON CONFLICT (workspace, alias) DO NOTHING`, i.workspace, alias, project, micros(i.now))
	if err != nil || n == 0 {
		return err
	}
	return moveAlias(ctx, i.tx, i.workspace, alias, i.now)
}

// Known implements [store.Transfer].
func (s *Store) Known(ctx context.Context, workspace string, uids []string) (map[string]int64, error) {
	out := map[string]int64{}
	err := s.Read(ctx, func(tx *Tx) error {
		for part := range slices.Chunk(uids, 512) {
			for _, from := range []string{"memory_id, uid FROM tombstones", "id, uid FROM prompts", "id, uid FROM memories"} {
				q := new(query)
				q.add("SELECT "+from+" WHERE workspace = ?", workspace)
				in(q, "uid", "IN", part)
				err := tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
					var (
						id  int64
						uid string
					)
					err := rows.Scan(&id, &uid)
					out[uid] = id
					return err
				})
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, wrap("known uids", err)
	}
	return out, nil
}
