package engram

import "time"

// Session is one run of an agent in a project.
type Session struct {
	ID        string // the agent's own
	Workspace string
	Project   string
	// ProjectOrigin is the name before a merge of projects, "" = never merged.
	ProjectOrigin string
	Directory     string
	StartedAt     time.Time
	EndedAt       time.Time // zero = not ended
	Summary       string
	Status        SessionStatus
	LastSeen      time.Time // last write into it
	Count         int       // living memories in it; filled by lists
}

// SessionStatus is where a session is in its life.
type SessionStatus string

// A session that nobody ended lapses after an idle time; neither an ended nor
// a lapsed one blocks a write.
const (
	SessionActive SessionStatus = "active"
	SessionEnded  SessionStatus = "ended"
	SessionLapsed SessionStatus = "lapsed"
)

// DefaultSessionIdle is after how long without a write a session lapses.
const DefaultSessionIdle = 6 * time.Hour

// ManualSession is the id of the session for writes that name none: one for
// each project.
func ManualSession(project string) string {
	if project == "" {
		return "manual-save"
	}
	return "manual-save-" + project
}

// Prompt is something that the user asked.
type Prompt struct {
	ID        int64
	UID       string
	Workspace string
	Session   string
	Project   string
	// ProjectOrigin is the name before a merge of projects, "" = never merged.
	ProjectOrigin string
	Content       string
	CreatedAt     time.Time
}
