package sqlstore

import (
	"database/sql"
	"encoding/json"
	"fmt"

	"engram"
)

// textColumns are what memories and memory_versions have in common, in the
// order of scanMemory.
const textColumns = `uid, workspace, version, kind, type, project, project_origin, scope, session, topic_key,
	hash, importance, pinned, origin, trust, status, revision_count, duplicate_count,
	occurred_at, valid_from, valid_to, recorded_at, created_at, updated_at, last_seen_at,
	speaker, role, tool_name, files, title, content, invalidated_at`

// memoryColumns are the columns of scanMemory, from memories.
const memoryColumns = `id, ` + textColumns + `, access_count, superseded_by, last_accessed, deleted_at`

// versionColumns are the columns of scanMemory, from memory_versions.
const versionColumns = `memory_id, ` + textColumns + `, 0, NULL, NULL, NULL`

type scanner interface{ Scan(dest ...any) error }

// scanMemory reads memoryColumns or versionColumns.
func scanMemory(row scanner) (*engram.Memory, error) {
	var (
		m                                         engram.Memory
		session                                   sql.NullString
		files                                     string
		pinned, occurred, recorded                int64
		created, updated, seen                    int64
		validFrom, validTo, invalidated, accessed sql.NullInt64
		deleted, superseded                       sql.NullInt64
	)
	err := row.Scan(
		&m.ID, &m.UID, &m.Workspace, &m.Version, &m.Kind, &m.Type, &m.Project, &m.ProjectOrigin, &m.Scope, &session,
		&m.TopicKey, &m.Hash, &m.Importance, &pinned, &m.Origin, &m.Trust, &m.Status, &m.RevisionCount, &m.DuplicateCount,
		&occurred, &validFrom, &validTo, &recorded, &created, &updated, &seen,
		&m.Speaker, &m.Role, &m.ToolName, &files, &m.Title, &m.Content, &invalidated,
		&m.AccessCount, &superseded, &accessed, &deleted)
	if err != nil {
		return nil, err
	}
	if m.Files, err = decodeFiles(files); err != nil {
		return nil, fmt.Errorf("memory %d: %w", m.ID, err)
	}
	m.Session = session.String
	m.Pinned = pinned != 0
	m.OccurredAt, m.RecordedAt = fromMicros(occurred), fromMicros(recorded)
	m.CreatedAt, m.UpdatedAt, m.LastSeenAt = fromMicros(created), fromMicros(updated), fromMicros(seen)
	m.ValidFrom, m.ValidTo, m.InvalidatedAt = fromOptional(validFrom), fromOptional(validTo), fromOptional(invalidated)
	m.LastAccessed, m.DeletedAt = fromOptional(accessed), fromOptional(deleted)
	m.SupersededBy = superseded.Int64
	return &m, nil
}

func encodeFiles(files []string) (string, error) {
	if len(files) == 0 {
		return "", nil
	}
	b, err := json.Marshal(files)
	if err != nil {
		return "", fmt.Errorf("files: %w", err)
	}
	return string(b), nil
}

func decodeFiles(s string) (files []string, err error) {
	if s == "" {
		return nil, nil
	}
	if err := json.Unmarshal([]byte(s), &files); err != nil {
		return nil, fmt.Errorf("files: %w", err)
	}
	return files, nil
}

// sessionValue is a session as its column has it.
func sessionValue(id string) any {
	if id == "" {
		return nil
	}
	return id
}

func boolValue(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func idValue(id int64) any {
	if id == 0 {
		return nil
	}
	return id
}
