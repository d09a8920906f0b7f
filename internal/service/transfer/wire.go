package transfer

import (
	"strings"
	"time"

	"engram"
	"engram/internal/store"
)

// wireVersions are the versions of the wire form that can be read; the first
// is written.
var wireVersions = []string{"0.1.0", "0.2.0"}

// wireTime is how the wire form writes times: UTC, to the second.
const wireTime = "2006-01-02 15:04:05"

// wireSession, wireObservation and wirePrompt have the fields of the wire form
// in its order, then what newer versions and we added.
type wireSession struct {
	ID        string  `json:"id"`
	Project   string  `json:"project"`
	Directory string  `json:"directory"`
	StartedAt string  `json:"started_at"`
	EndedAt   *string `json:"ended_at,omitempty"`
	Summary   *string `json:"summary,omitempty"`
}

type wireObservation struct {
	ID             int64   `json:"id"`
	SessionID      string  `json:"session_id"`
	Type           string  `json:"type"`
	Title          string  `json:"title"`
	Content        string  `json:"content"`
	ToolName       *string `json:"tool_name,omitempty"`
	Project        *string `json:"project,omitempty"`
	Scope          string  `json:"scope"`
	TopicKey       *string `json:"topic_key,omitempty"`
	RevisionCount  int     `json:"revision_count"`
	DuplicateCount int     `json:"duplicate_count"`
	LastSeenAt     *string `json:"last_seen_at,omitempty"`
	CreatedAt      string  `json:"created_at"`
	UpdatedAt      string  `json:"updated_at"`
	DeletedAt      *string `json:"deleted_at,omitempty"`
	SyncID         string  `json:"sync_id,omitempty"`
	Pinned         bool    `json:"pinned,omitempty"`
	Speaker        *string `json:"speaker,omitempty"`
	Role           *string `json:"role,omitempty"`
	OccurredAt     *string `json:"occurred_at,omitempty"`
}

type wirePrompt struct {
	ID        int64   `json:"id"`
	SessionID string  `json:"session_id"`
	Content   string  `json:"content"`
	Project   *string `json:"project,omitempty"`
	CreatedAt string  `json:"created_at"`
	SyncID    string  `json:"sync_id,omitempty"`
}

// wireRelation is what 0.2.0 says about two observations, by sync id.
type wireRelation struct {
	SyncID    string `json:"sync_id"`
	Source    string `json:"source_id"`
	Target    string `json:"target_id"`
	Relation  string `json:"relation"`
	Status    string `json:"judgment_status"`
	CreatedAt string `json:"created_at"`
}

// exporter writes a store down in one form.
type exporter interface {
	begin(now time.Time)
	batch(b store.Batch)
	end()
}

// wireExport writes the wire form. Its lists come in its order whether or not
// there is anything in them.
type wireExport struct{ *objectWriter }

func (x wireExport) begin(now time.Time) {
	x.field("version", wireVersions[0])
	x.field("exported_at", now.UTC().Format(wireTime))
	x.objectWriter.begin("sessions")
}

func (x wireExport) batch(b store.Batch) {
	for _, s := range b.Sessions {
		x.item("sessions", toWireSession(s))
	}
	if len(b.Memories) > 0 {
		x.objectWriter.begin("observations")
	}
	for _, m := range b.Memories {
		x.item("observations", toWireObservation(m))
	}
	if len(b.Prompts) > 0 {
		x.reach("prompts")
	}
	for _, p := range b.Prompts {
		x.item("prompts", toWirePrompt(p))
	}
}

func (x wireExport) end() { x.reach("prompts") }

// reach begins a list, with the one before it where that was left out.
func (x wireExport) reach(list string) {
	if x.list == "sessions" {
		x.objectWriter.begin("observations")
	}
	x.objectWriter.begin(list)
}

func toWireSession(s *engram.Session) wireSession {
	return wireSession{
		ID:        s.ID,
		Project:   s.Project,
		Directory: s.Directory,
		StartedAt: formatWire(s.StartedAt),
		EndedAt:   optionalWire(s.EndedAt),
		Summary:   optional(s.Summary),
	}
}

func toWireObservation(m *engram.Memory) wireObservation {
	o := wireObservation{
		ID:             m.ID,
		SessionID:      m.Session,
		Type:           m.Type,
		Title:          m.Title,
		Content:        m.Content,
		ToolName:       optional(m.ToolName),
		Project:        optional(m.Project),
		Scope:          string(m.Scope),
		TopicKey:       optional(m.TopicKey),
		RevisionCount:  m.RevisionCount,
		DuplicateCount: m.DuplicateCount,
		LastSeenAt:     optionalWire(m.LastSeenAt),
		CreatedAt:      formatWire(m.CreatedAt),
		UpdatedAt:      formatWire(m.UpdatedAt),
		DeletedAt:      optionalWire(m.DeletedAt),
		SyncID:         m.UID,
		Pinned:         m.Pinned,
		Speaker:        optional(m.Speaker),
		Role:           optional(m.Role),
	}
	// Seconds lose the order of what was said within one.
	if !m.OccurredAt.Equal(m.CreatedAt.Truncate(time.Second)) {
		o.OccurredAt = optional(formatExact(m.OccurredAt))
	}
	return o
}

func toWirePrompt(p *engram.Prompt) wirePrompt {
	return wirePrompt{
		ID:        p.ID,
		SessionID: p.Session,
		Content:   p.Content,
		Project:   optional(p.Project),
		CreatedAt: formatWire(p.CreatedAt),
		SyncID:    p.UID,
	}
}

func optional(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

func value(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func formatWire(t time.Time) string { return t.UTC().Format(wireTime) }

func optionalWire(t time.Time) *string {
	if t.IsZero() {
		return nil
	}
	return optional(formatWire(t))
}

// formatExact is RFC 3339 with as many digits as t has, "" for the zero time.
func formatExact(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// timeLayouts are the forms in which times are read.
var timeLayouts = []string{wireTime, time.RFC3339Nano, "2006-01-02T15:04:05", "2006-01-02 15:04:05Z07:00", time.DateOnly}

// parseTime reads a time of an export; "" is the zero time. Without a zone it is UTC.
func parseTime(what, s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		if t = t.UTC().Round(time.Microsecond); t.Year() < 1 || t.Year() > 9999 {
			break
		}
		return t, nil
	}
	return time.Time{}, engram.Errorf(engram.ErrInvalid, "%s %.40q is not a time", what, s).WithCode("invalid_time").
		WithHint("write it as 2006-01-02 15:04:05 in UTC, or in RFC 3339")
}
