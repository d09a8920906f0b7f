package cli

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"engram"
	"engram/internal/text"
)

// memoryJSON is a memory as --json shows it: the names of the REST API.
type memoryJSON struct {
	ID             int64    `json:"id"`
	UID            string   `json:"uid"`
	Kind           string   `json:"kind"`
	Type           string   `json:"type"`
	Title          string   `json:"title"`
	Content        string   `json:"content"`
	Truncated      bool     `json:"truncated,omitempty"`
	Project        string   `json:"project,omitempty"`
	Scope          string   `json:"scope"`
	Session        string   `json:"session_id,omitempty"`
	Speaker        string   `json:"speaker,omitempty"`
	Role           string   `json:"role,omitempty"`
	ToolName       string   `json:"tool_name,omitempty"`
	TopicKey       string   `json:"topic_key,omitempty"`
	Files          []string `json:"files,omitempty"`
	Importance     float64  `json:"importance"`
	Pinned         bool     `json:"pinned"`
	Origin         string   `json:"origin"`
	Trust          int      `json:"trust"`
	Status         string   `json:"status,omitempty"`
	Version        int      `json:"version"`
	RevisionCount  int      `json:"revision_count"`
	DuplicateCount int      `json:"duplicate_count"`
	OccurredAt     string   `json:"occurred_at,omitempty"`
	RecordedAt     string   `json:"recorded_at,omitempty"`
	InvalidatedAt  string   `json:"invalidated_at,omitempty"`
	CreatedAt      string   `json:"created_at"`
	UpdatedAt      string   `json:"updated_at"`
	LastSeenAt     string   `json:"last_seen_at,omitempty"`
	DeletedAt      string   `json:"deleted_at,omitempty"`
	Probability    *float64 `json:"probability,omitempty"`
}

func viewMemory(m *engram.Memory) memoryJSON {
	return memoryJSON{
		ID: m.ID, UID: m.UID, Kind: string(m.Kind), Type: m.Type, Title: m.Title, Content: m.Content,
		Project: m.Project, Scope: string(m.Scope), Session: m.Session, Speaker: m.Speaker, Role: m.Role,
		ToolName: m.ToolName, TopicKey: m.TopicKey, Files: m.Files, Importance: m.Importance, Pinned: m.Pinned,
		Origin: string(m.Origin), Trust: int(m.Trust), Status: m.Status, Version: m.Version,
		RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount,
		OccurredAt: rfc3339(m.OccurredAt), RecordedAt: rfc3339(m.RecordedAt), InvalidatedAt: rfc3339(m.InvalidatedAt),
		CreatedAt: rfc3339(m.CreatedAt), UpdatedAt: rfc3339(m.UpdatedAt), LastSeenAt: rfc3339(m.LastSeenAt), DeletedAt: rfc3339(m.DeletedAt),
	}
}

func viewMemories(ms []*engram.Memory) []memoryJSON {
	out := make([]memoryJSON, 0, len(ms))
	for _, m := range ms {
		out = append(out, viewMemory(m))
	}
	return out
}

func rfc3339(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02T15:04:05.999999Z07:00")
}

// printLine prints a memory on one line: what it is, where, when.
func printLine(w io.Writer, m *engram.Memory) {
	fmt.Fprintf(w, "#%d (%s) %s", m.ID, m.Type, oneLine(m.Title))
	if m.Project != "" {
		fmt.Fprintf(w, "  [%s]", m.Project)
	}
	fmt.Fprintf(w, "  %s", localTime(m.OccurredAt))
	if m.Pinned {
		fmt.Fprint(w, "  pinned")
	}
	if m.Deleted() {
		fmt.Fprint(w, "  deleted")
	}
	fmt.Fprintln(w)
}

// printSnippet prints the beginning of a text, indented.
func printSnippet(w io.Writer, s string, max int) {
	cut, truncated := text.Snippet(s, max)
	for line := range strings.Lines(cut) {
		fmt.Fprintln(w, "    "+strings.TrimRight(line, "\r\n"))
	}
	if truncated {
		fmt.Fprintln(w, "    (cut; engram show ID gives all)")
	}
}

func localTime(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.Local().Format("2006-01-02 15:04")
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
