package cli

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"engram"
	"engram/client"
)

// viewMemory is a memory as --json shows it: as the REST API does.
func viewMemory(m *engram.Memory) client.Memory {
	return client.Memory{
		ID: m.ID, UID: m.UID, Kind: string(m.Kind), Type: m.Type, Title: m.Title, Content: m.Content,
		Project: m.Project, Scope: string(m.Scope), SessionID: m.Session, Speaker: m.Speaker, Role: m.Role,
		ToolName: m.ToolName, TopicKey: m.TopicKey, Files: list(m.Files), Importance: m.Importance, Pinned: m.Pinned,
		Origin: string(m.Origin), Trust: int(m.Trust), Status: m.Status, Version: m.Version,
		RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount, AccessCount: m.AccessCount,
		OccurredAt: utc(m.OccurredAt), ValidFrom: utc(m.ValidFrom), ValidTo: utc(m.ValidTo),
		RecordedAt: utc(m.RecordedAt), InvalidatedAt: utc(m.InvalidatedAt), SupersededBy: m.SupersededBy,
		CreatedAt: utc(m.CreatedAt), UpdatedAt: utc(m.UpdatedAt), LastSeenAt: utc(m.LastSeenAt),
		LastAccessedAt: utc(m.LastAccessed), DeletedAt: utc(m.DeletedAt),
	}
}

// utc is t as JSON shows it.
func utc(t time.Time) time.Time {
	if t.IsZero() {
		return time.Time{}
	}
	return t.UTC()
}

func viewMemories(ms []*engram.Memory) []client.Memory {
	out := make([]client.Memory, 0, len(ms))
	for _, m := range ms {
		out = append(out, viewMemory(m))
	}
	return out
}

// list is a list that JSON never shows as null.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

func rfc3339(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999Z07:00")
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// parseID reads the id of a memory, with or without #.
func parseID(s string) (int64, error) {
	id, err := strconv.ParseInt(strings.TrimPrefix(s, "#"), 10, 64)
	if err != nil || id <= 0 {
		return 0, usageError{fmt.Errorf("%q is not the id of a memory: use a number like 12", s)}
	}
	return id, nil
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}
