package rest

import (
	"engram"
	"engram/internal/store"
)

// observation is a memory as the root routes write it.
type observation struct {
	ID             int64    `json:"id"`
	SyncID         string   `json:"sync_id"`
	SessionID      string   `json:"session_id"`
	Type           string   `json:"type"`
	Title          string   `json:"title"`
	Content        string   `json:"content"`
	Truncated      bool     `json:"truncated,omitempty" doc:"the content is cut; GET /observations/{id} has it whole"`
	ToolName       string   `json:"tool_name,omitempty"`
	Project        string   `json:"project,omitempty"`
	Scope          string   `json:"scope"`
	TopicKey       string   `json:"topic_key,omitempty"`
	Speaker        string   `json:"speaker,omitempty"`
	Role           string   `json:"role,omitempty"`
	Files          []string `json:"files,omitempty"`
	Importance     float64  `json:"importance,omitempty"`
	Pinned         bool     `json:"pinned,omitempty"`
	RevisionCount  int      `json:"revision_count"`
	DuplicateCount int      `json:"duplicate_count"`
	OccurredAt     string   `json:"occurred_at,omitempty"`
	LastSeenAt     string   `json:"last_seen_at,omitempty"`
	CreatedAt      string   `json:"created_at"`
	UpdatedAt      string   `json:"updated_at"`
	DeletedAt      string   `json:"deleted_at,omitempty"`
}

func wireObservation(m *engram.Memory) observation {
	return observation{
		ID: m.ID, SyncID: m.UID, SessionID: m.Session, Type: m.Type, Title: m.Title, Content: m.Content,
		ToolName: m.ToolName, Project: m.Project, Scope: string(m.Scope), TopicKey: m.TopicKey,
		Speaker: m.Speaker, Role: m.Role, Files: m.Files, Importance: m.Importance, Pinned: m.Pinned,
		RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount,
		OccurredAt: stamp(m.OccurredAt), LastSeenAt: stamp(m.LastSeenAt),
		CreatedAt: stamp(m.CreatedAt), UpdatedAt: stamp(m.UpdatedAt), DeletedAt: stamp(m.DeletedAt),
	}
}

// wireSnippet is m as a list shows it.
func wireSnippet(m *engram.Memory) observation {
	o := wireObservation(m)
	o.Content, o.Truncated = snippet(o.Content)
	return o
}

func wireSnippets(ms []*engram.Memory) []observation {
	out := make([]observation, 0, len(ms))
	for _, m := range ms {
		out = append(out, wireSnippet(m))
	}
	return out
}

// foundObservation is a search hit; smaller ranks are better.
type foundObservation struct {
	observation
	Rank float64 `json:"rank" doc:"minus the probability that it answers the query"`
}

// timelineEntry is a neighbour of the focus.
type timelineEntry struct {
	observation
	IsFocus bool `json:"is_focus"`
}

type wireTimeline struct {
	Focus        observation     `json:"focus"`
	Before       []timelineEntry `json:"before"`
	After        []timelineEntry `json:"after"`
	SessionInfo  *wireSession    `json:"session_info"`
	TotalInRange int             `json:"total_in_range"`
}

func wireTimelineOf(tl *store.Timeline) wireTimeline {
	entries := func(ms []*engram.Memory) []timelineEntry {
		out := make([]timelineEntry, 0, len(ms))
		for _, m := range ms {
			out = append(out, timelineEntry{observation: wireSnippet(m)})
		}
		return out
	}
	t := wireTimeline{
		Focus: wireSnippet(tl.Focus), Before: entries(tl.Before), After: entries(tl.After), TotalInRange: tl.Total,
	}
	if tl.Session != nil {
		s := wireSessionOf(tl.Session)
		t.SessionInfo = &s
	}
	return t
}

type wireSession struct {
	ID               string `json:"id"`
	Project          string `json:"project"`
	Directory        string `json:"directory"`
	StartedAt        string `json:"started_at"`
	EndedAt          string `json:"ended_at,omitempty"`
	Summary          string `json:"summary,omitempty"`
	Truncated        bool   `json:"truncated,omitempty" doc:"the summary is cut; GET /sessions/{id} has it whole"`
	Status           string `json:"status"`
	ObservationCount int    `json:"observation_count"`
}

func wireSessionOf(s *engram.Session) wireSession {
	return wireSession{
		ID: s.ID, Project: s.Project, Directory: s.Directory, StartedAt: stamp(s.StartedAt), EndedAt: stamp(s.EndedAt),
		Summary: s.Summary, Status: string(s.Status), ObservationCount: s.Count,
	}
}

type wirePrompt struct {
	ID        int64  `json:"id"`
	SyncID    string `json:"sync_id"`
	SessionID string `json:"session_id"`
	Content   string `json:"content"`
	Truncated bool   `json:"truncated,omitempty" doc:"the content is cut; its id gives it whole"`
	Project   string `json:"project,omitempty"`
	CreatedAt string `json:"created_at"`
}

// wirePromptOf is a prompt, whole.
func wirePromptOf(p *engram.Prompt) wirePrompt {
	return wirePrompt{ID: p.ID, SyncID: p.UID, SessionID: p.Session, Content: p.Content, Project: p.Project, CreatedAt: stamp(p.CreatedAt)}
}

func wirePrompts(ps []*engram.Prompt) []wirePrompt {
	out := make([]wirePrompt, 0, len(ps))
	for _, p := range ps {
		w := wirePromptOf(p)
		w.Content, w.Truncated = snippet(w.Content)
		out = append(out, w)
	}
	return out
}

// done is the answer of writes that have little to say.
type done struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

// redacted is what writes say of texts that were not kept as they came.
type redacted struct {
	Redacted []string `json:"redacted,omitempty" doc:"kinds of secrets that were taken out"`
}

type startedWireSession struct {
	done
	redacted
}

type changedObservation struct {
	observation
	redacted
}

type endedWireSession struct {
	done
	redacted
}

type savedWirePrompt struct {
	doneNumber
	redacted
}

// doneNumber is done for things that have numbers.
type doneNumber struct {
	ID     int64  `json:"id"`
	Status string `json:"status"`
}
