package transfer

import (
	"time"

	"engram"
	"engram/internal/store"
)

// The own form: everything there is.
const (
	ownFormat  = "engram"
	ownVersion = 1
)

type ownSession struct {
	ID            string    `json:"id"`
	Project       string    `json:"project,omitempty"`
	ProjectOrigin string    `json:"project_origin,omitempty"`
	Directory     string    `json:"directory,omitempty"`
	StartedAt     time.Time `json:"started_at"`
	EndedAt       time.Time `json:"ended_at,omitzero"`
	LastSeen      time.Time `json:"last_seen,omitzero"`
	Status        string    `json:"status"`
	Summary       string    `json:"summary,omitempty"`
}

// givenTime is when something occurred. It is left out where that is not known:
// the zero time, if a file has it, is none that could be kept.
type givenTime struct{ time.Time }

// checkGiven is nil when t, which a file names, can be kept.
func checkGiven(t time.Time) error {
	if engram.Keepable(t) {
		return nil
	}
	return engram.Errorf(engram.ErrInvalid, "occurred_at is in the year %d", t.UTC().Year()).WithCode("invalid_time").
		WithHint("years %d to %d can be kept; leave it out where it is not known", engram.MinYear, engram.MaxYear)
}

// UnmarshalJSON takes what can be kept, and null.
func (t *givenTime) UnmarshalJSON(b []byte) error {
	if err := t.Time.UnmarshalJSON(b); err != nil {
		return err
	}
	if string(b) == "null" {
		return nil
	}
	return checkGiven(t.Time)
}

// ownVersionOf is one version of a memory's text with all that goes by it.
type ownVersionOf struct {
	Version        int       `json:"version"`
	Kind           string    `json:"kind"`
	Type           string    `json:"type"`
	Title          string    `json:"title"`
	Content        string    `json:"content"`
	Project        string    `json:"project,omitempty"`
	ProjectOrigin  string    `json:"project_origin,omitempty"`
	Scope          string    `json:"scope"`
	Session        string    `json:"session_id,omitempty"`
	Speaker        string    `json:"speaker,omitempty"`
	Role           string    `json:"role,omitempty"`
	ToolName       string    `json:"tool_name,omitempty"`
	TopicKey       string    `json:"topic_key,omitempty"`
	Files          []string  `json:"files,omitempty"`
	Importance     float64   `json:"importance,omitempty"`
	Pinned         bool      `json:"pinned,omitempty"`
	Origin         string    `json:"origin,omitempty"`
	Trust          int       `json:"trust"`
	Status         string    `json:"status,omitempty"`
	RevisionCount  int       `json:"revision_count"`
	DuplicateCount int       `json:"duplicate_count"`
	OccurredAt     givenTime `json:"occurred_at,omitzero"`
	ValidFrom      time.Time `json:"valid_from,omitzero"`
	ValidTo        time.Time `json:"valid_to,omitzero"`
	RecordedAt     time.Time `json:"recorded_at,omitzero"`
	InvalidatedAt  time.Time `json:"invalidated_at,omitzero"`
	CreatedAt      time.Time `json:"created_at,omitzero"`
	UpdatedAt      time.Time `json:"updated_at,omitzero"`
	LastSeenAt     time.Time `json:"last_seen_at,omitzero"`
}

type ownMemory struct {
	UID string `json:"uid"`
	ID  int64  `json:"id"` // in the store that wrote it: SupersededBy goes by it
	ownVersionOf
	AccessCount  int            `json:"access_count,omitempty"`
	LastAccessed time.Time      `json:"last_accessed,omitzero"`
	DeletedAt    time.Time      `json:"deleted_at,omitzero"`
	SupersededBy int64          `json:"superseded_by,omitempty"`
	Versions     []ownVersionOf `json:"versions,omitempty"` // closed ones, oldest first
}

type ownPrompt struct {
	UID           string    `json:"uid"`
	Session       string    `json:"session_id,omitempty"`
	Project       string    `json:"project,omitempty"`
	ProjectOrigin string    `json:"project_origin,omitempty"`
	Content       string    `json:"content"`
	CreatedAt     time.Time `json:"created_at"`
}

// jsonExport writes the own form. Links between memories, aliases and remotes
// come last, when all that they name is there.
type jsonExport struct {
	*objectWriter
	supports [][2]string
	aliases  map[string]string
	remotes  map[string]string
}

func (x *jsonExport) begin(now time.Time) {
	x.field("format", ownFormat)
	x.field("version", ownVersion)
	x.field("exported_at", now.UTC().Format(time.RFC3339))
	x.objectWriter.begin("sessions")
}

func (x *jsonExport) batch(b store.Batch) {
	for _, s := range b.Sessions {
		x.item("sessions", ownSession{
			ID: s.ID, Project: s.Project, ProjectOrigin: s.ProjectOrigin, Directory: s.Directory, StartedAt: s.StartedAt, EndedAt: s.EndedAt,
			LastSeen: s.LastSeen, Status: string(s.Status), Summary: s.Summary,
		})
	}
	closed := map[string][]ownVersionOf{}
	for _, v := range b.Versions {
		closed[v.UID] = append(closed[v.UID], toOwnVersion(v))
	}
	for _, m := range b.Memories {
		x.item("memories", ownMemory{
			UID: m.UID, ID: m.ID, ownVersionOf: toOwnVersion(m), AccessCount: m.AccessCount, SupersededBy: m.SupersededBy,
			LastAccessed: m.LastAccessed, DeletedAt: m.DeletedAt, Versions: closed[m.UID],
		})
	}
	for _, p := range b.Prompts {
		x.item("prompts", ownPrompt{UID: p.UID, Session: p.Session, Project: p.Project, ProjectOrigin: p.ProjectOrigin, Content: p.Content, CreatedAt: p.CreatedAt})
	}
	x.supports = append(x.supports, b.Supports...)
	for alias, project := range b.Aliases {
		if x.aliases == nil {
			x.aliases = map[string]string{}
		}
		x.aliases[alias] = project
	}
	for remote, project := range b.Remotes {
		if x.remotes == nil {
			x.remotes = map[string]string{}
		}
		x.remotes[remote] = project
	}
}

func (x *jsonExport) end() {
	for _, pair := range x.supports {
		x.item("supports", pair)
	}
	if len(x.aliases) > 0 {
		x.field("aliases", x.aliases)
	}
	if len(x.remotes) > 0 {
		x.field("remotes", x.remotes)
	}
}

func toOwnVersion(m *engram.Memory) ownVersionOf {
	return ownVersionOf{
		Version: m.Version, Kind: string(m.Kind), Type: m.Type, Title: m.Title, Content: m.Content,
		Project: m.Project, ProjectOrigin: m.ProjectOrigin, Scope: string(m.Scope), Session: m.Session,
		Speaker: m.Speaker, Role: m.Role, ToolName: m.ToolName, TopicKey: m.TopicKey, Files: m.Files,
		Importance: m.Importance, Pinned: m.Pinned, Origin: string(m.Origin), Trust: int(m.Trust), Status: m.Status,
		RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount,
		OccurredAt: givenTime{m.OccurredAt}, ValidFrom: m.ValidFrom, ValidTo: m.ValidTo, RecordedAt: m.RecordedAt,
		InvalidatedAt: m.InvalidatedAt, CreatedAt: m.CreatedAt, UpdatedAt: m.UpdatedAt, LastSeenAt: m.LastSeenAt,
	}
}

func (v *ownVersionOf) memory(uid string) *engram.Memory {
	return &engram.Memory{
		UID: uid, Version: v.Version, Kind: engram.Kind(v.Kind), Type: v.Type, Title: v.Title, Content: v.Content,
		Project: v.Project, ProjectOrigin: v.ProjectOrigin, Scope: engram.Scope(v.Scope), Session: v.Session,
		Speaker: v.Speaker, Role: v.Role, ToolName: v.ToolName, TopicKey: v.TopicKey, Files: v.Files,
		Importance: v.Importance, Pinned: v.Pinned, Origin: engram.Origin(v.Origin), Trust: engram.Trust(v.Trust), Status: v.Status,
		RevisionCount: v.RevisionCount, DuplicateCount: v.DuplicateCount,
		OccurredAt: v.OccurredAt.Time, ValidFrom: v.ValidFrom, ValidTo: v.ValidTo, RecordedAt: v.RecordedAt,
		InvalidatedAt: v.InvalidatedAt, CreatedAt: v.CreatedAt, UpdatedAt: v.UpdatedAt, LastSeenAt: v.LastSeenAt,
	}
}
