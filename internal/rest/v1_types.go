package rest

import (
	"engram"
	"engram/internal/service/memory"
	"engram/internal/store"
)

// memoryJSON is a memory as /v1 writes it.
type memoryJSON struct {
	ID             int64    `json:"id"`
	UID            string   `json:"uid"                        doc:"the same in every store it travels to"`
	Kind           string   `json:"kind"                       doc:"observation or turn"`
	Type           string   `json:"type"`
	Title          string   `json:"title"`
	Content        string   `json:"content"`
	Truncated      bool     `json:"truncated,omitempty"        doc:"the content is cut; GET /v1/memories/{id} has it whole"`
	Project        string   `json:"project,omitempty"`
	Scope          string   `json:"scope"                      doc:"project, personal or global"`
	SessionID      string   `json:"session_id,omitempty"`
	Speaker        string   `json:"speaker,omitempty"`
	Role           string   `json:"role,omitempty"`
	ToolName       string   `json:"tool_name,omitempty"`
	TopicKey       string   `json:"topic_key,omitempty"`
	Files          []string `json:"files"`
	Importance     float64  `json:"importance"                 doc:"0 to 1"`
	Pinned         bool     `json:"pinned"`
	Origin         string   `json:"origin"`
	Trust          int      `json:"trust"                      doc:"0 (web, unknown) to 3 (the user)"`
	Status         string   `json:"status,omitempty"           doc:"of a task"`
	Version        int      `json:"version"`
	RevisionCount  int      `json:"revision_count"`
	DuplicateCount int      `json:"duplicate_count"`
	AccessCount    int      `json:"access_count"`
	OccurredAt     string   `json:"occurred_at,omitempty"`
	ValidFrom      string   `json:"valid_from,omitempty"       doc:"true in the world from then"`
	ValidTo        string   `json:"valid_to,omitempty"`
	RecordedAt     string   `json:"recorded_at,omitempty"      doc:"this version was known from then"`
	InvalidatedAt  string   `json:"invalidated_at,omitempty"`
	SupersededBy   int64    `json:"superseded_by,omitempty"`
	CreatedAt      string   `json:"created_at"`
	UpdatedAt      string   `json:"updated_at"`
	LastSeenAt     string   `json:"last_seen_at,omitempty"`
	LastAccessedAt string   `json:"last_accessed_at,omitempty"`
	DeletedAt      string   `json:"deleted_at,omitempty"`
}

func memoryOf(m *engram.Memory) memoryJSON {
	return memoryJSON{
		ID: m.ID, UID: m.UID, Kind: string(m.Kind), Type: m.Type, Title: m.Title, Content: m.Content,
		Project: m.Project, Scope: string(m.Scope), SessionID: m.Session, Speaker: m.Speaker, Role: m.Role,
		ToolName: m.ToolName, TopicKey: m.TopicKey, Files: list(m.Files), Importance: m.Importance, Pinned: m.Pinned,
		Origin: string(m.Origin), Trust: int(m.Trust), Status: m.Status, Version: m.Version,
		RevisionCount: m.RevisionCount, DuplicateCount: m.DuplicateCount, AccessCount: m.AccessCount,
		OccurredAt: stamp(m.OccurredAt), ValidFrom: stamp(m.ValidFrom), ValidTo: stamp(m.ValidTo),
		RecordedAt: stamp(m.RecordedAt), InvalidatedAt: stamp(m.InvalidatedAt), SupersededBy: m.SupersededBy,
		CreatedAt: stamp(m.CreatedAt), UpdatedAt: stamp(m.UpdatedAt), LastSeenAt: stamp(m.LastSeenAt),
		LastAccessedAt: stamp(m.LastAccessed), DeletedAt: stamp(m.DeletedAt),
	}
}

// redactedList is what writes say of texts that were not kept as they came.
type redactedList struct {
	Redacted []string `json:"redacted" doc:"kinds of secrets that were taken out"`
}

func allRedacted(kinds []string) redactedList { return redactedList{list(kinds)} }

type changedMemory struct {
	memoryJSON
	redactedList
}

func memorySnippet(m *engram.Memory) memoryJSON {
	out := memoryOf(m)
	out.Content, out.Truncated = snippet(out.Content)
	return out
}

func memoryOr(m *engram.Memory, err error) (memoryJSON, error) {
	if err != nil {
		return memoryJSON{}, err
	}
	return memoryOf(m), nil
}

func memorySnippets(ms []*engram.Memory) []memoryJSON {
	out := make([]memoryJSON, 0, len(ms))
	for _, m := range ms {
		out = append(out, memorySnippet(m))
	}
	return out
}

// page is a part of a list.
type page[T any] struct {
	Items      []T    `json:"items"`
	NextCursor string `json:"next_cursor" doc:"asks for the next page; empty on the last"`
}

// hitJSON is a found memory.
type hitJSON struct {
	memoryJSON
	Probability float64 `json:"probability" doc:"that it answers the query, 0 to 1"`
}

func hitsOf(hits []memory.Hit) []hitJSON {
	out := make([]hitJSON, 0, len(hits))
	for _, h := range hits {
		out = append(out, hitJSON{memoryJSON: memorySnippet(h.Memory), Probability: h.Probability})
	}
	return out
}

// receiptJSON says what a delete took away.
type receiptJSON struct {
	ID       int64    `json:"id"`
	Hard     bool     `json:"hard"`
	Memories int      `json:"memories"`
	Versions int      `json:"versions"`
	Derived  int      `json:"derived"  doc:"memories that rested on it alone"`
	Supports int      `json:"supports"`
	Postings int      `json:"postings" doc:"entries of the keyword index"`
	Copies   []string `json:"copies"   doc:"where copies may remain that this store cannot erase"`
}

func receiptOf(r engram.Receipt) receiptJSON {
	return receiptJSON{
		ID: r.ID, Hard: r.Hard, Memories: r.Memories, Versions: r.Versions, Derived: r.Derived,
		Supports: r.Supports, Postings: r.Postings, Copies: list(r.Copies),
	}
}

type sessionJSON struct {
	ID          string `json:"id"`
	Project     string `json:"project,omitempty"`
	Directory   string `json:"directory,omitempty"`
	Status      string `json:"status"                 doc:"active, ended or lapsed"`
	Summary     string `json:"summary,omitempty"`
	Truncated   bool   `json:"truncated,omitempty"    doc:"the summary is cut"`
	MemoryCount int    `json:"memory_count"`
	StartedAt   string `json:"started_at"`
	EndedAt     string `json:"ended_at,omitempty"`
	LastSeenAt  string `json:"last_seen_at,omitempty"`
}

func sessionOf(s *engram.Session) sessionJSON {
	return sessionJSON{
		ID: s.ID, Project: s.Project, Directory: s.Directory, Status: string(s.Status), Summary: s.Summary,
		MemoryCount: s.Count, StartedAt: stamp(s.StartedAt), EndedAt: stamp(s.EndedAt), LastSeenAt: stamp(s.LastSeen),
	}
}

func sessionOr(s *engram.Session, err error) (sessionJSON, error) {
	if err != nil {
		return sessionJSON{}, err
	}
	return sessionOf(s), nil
}

type startedSession struct {
	sessionJSON
	redactedList
}

type endedSession struct {
	sessionJSON
	redactedList
}

type savedPrompt struct {
	promptJSON
	redactedList
}

type promptJSON struct {
	ID        int64  `json:"id"`
	UID       string `json:"uid"`
	SessionID string `json:"session_id,omitempty"`
	Project   string `json:"project,omitempty"`
	Content   string `json:"content"`
	Truncated bool   `json:"truncated,omitempty" doc:"the content is cut; its id gives it whole"`
	CreatedAt string `json:"created_at"`
}

func promptOf(p *engram.Prompt) promptJSON {
	return promptJSON{
		ID: p.ID, UID: p.UID, SessionID: p.Session, Project: p.Project, Content: p.Content, CreatedAt: stamp(p.CreatedAt),
	}
}

type projectJSON struct {
	Name       string   `json:"name"`
	Remote     string   `json:"remote,omitempty"`
	Aliases    []string `json:"aliases"                doc:"names merged into it"`
	Memories   int      `json:"memories"`
	Sessions   int      `json:"sessions"`
	Prompts    int      `json:"prompts"`
	LastUsedAt string   `json:"last_used_at,omitempty"`
}

func projectsOf(ps []engram.Project) []projectJSON {
	out := make([]projectJSON, 0, len(ps))
	for _, p := range ps {
		out = append(out, projectJSON{
			Name: p.Name, Remote: p.Remote, Aliases: list(p.Aliases), Memories: p.Memories,
			Sessions: p.Sessions, Prompts: p.Prompts, LastUsedAt: stamp(p.LastUsed),
		})
	}
	return out
}

type timelineJSON struct {
	Focus   memoryJSON   `json:"focus"`
	Before  []memoryJSON `json:"before"  doc:"oldest first"`
	After   []memoryJSON `json:"after"   doc:"oldest first"`
	Session *sessionJSON `json:"session" doc:"null when the memory has none"`
	Total   int          `json:"total"   doc:"living memories of the session"`
}

func timelineOf(tl *store.Timeline) timelineJSON {
	t := timelineJSON{
		Focus: memorySnippet(tl.Focus), Before: memorySnippets(tl.Before), After: memorySnippets(tl.After), Total: tl.Total,
	}
	if tl.Session != nil {
		s := sessionOf(tl.Session)
		t.Session = &s
	}
	return t
}
