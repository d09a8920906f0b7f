package memory

import (
	"context"
	"strings"
	"sync"
	"time"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
)

// StartSession creates a session, or gives the one that is there; created says which.
func (s *Service) StartSession(ctx context.Context, in SessionInput) (session StartedSession, created bool, err error) {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return StartedSession{}, false, err
	}
	c := s.cleaner()
	id, err := sessionID(c, in.ID)
	if err != nil {
		return StartedSession{}, false, err
	}
	dir := strings.TrimSpace(c.Text(in.Directory))
	if err := engram.CheckFiles([]string{dir}); err != nil {
		return StartedSession{}, false, err
	}
	name, err := c.project(in.Project)
	if err != nil {
		return StartedSession{}, false, err
	}
	where, err := s.fileUnder(ctx, actor.Workspace, name)
	if err != nil {
		return StartedSession{}, false, err
	}
	if err := s.lapse(ctx, actor.Workspace); err != nil {
		return StartedSession{}, false, err
	}
	now := s.now()
	started, created, err := s.store.StartSession(ctx, engram.Session{
		ID:            id,
		Workspace:     actor.Workspace,
		Project:       where.name,
		ProjectOrigin: where.origin,
		Directory:     dir,
		StartedAt:     now,
		LastSeen:      now,
		Status:        engram.SessionActive,
	})
	if err != nil {
		return StartedSession{}, false, err
	}
	return StartedSession{started, c.Kinds()}, created, nil
}

// EndSession ends a session. A second end keeps what is there, unless it brings
// a summary.
func (s *Service) EndSession(ctx context.Context, id, summary string) (EndedSession, error) {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return EndedSession{}, err
	}
	c := s.cleaner()
	if id, err = sessionID(c, id); err != nil {
		return EndedSession{}, err
	}
	summary = strings.TrimSpace(c.Text(summary))
	if summary != "" {
		if err := engram.CheckText("summary", summary, s.opts.MaxContent); err != nil {
			return EndedSession{}, err
		}
	}
	session, err := s.store.EndSession(ctx, actor.Workspace, id, summary, s.now())
	if err != nil {
		return EndedSession{}, err
	}
	return EndedSession{session, c.Kinds()}, nil
}

// SessionSummary saves a summary as a memory of type session_summary and as the
// session's summary. It does not end the session: more may come.
func (s *Service) SessionSummary(ctx context.Context, project, session, content string) (SaveResult, error) {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return SaveResult{}, err
	}
	k := s.intake(actor)
	m, redacted, err := k.memory(ctx, SaveInput{
		Title:   "Session summary",
		Content: content,
		Type:    engram.TypeSessionSummary,
		Session: session,
		Project: project,
	})
	if err != nil {
		return SaveResult{}, err
	}
	if m.Project != "" {
		m.Title += ": " + m.Project
	}
	rule := s.saveRule()
	rule.SessionSummary = m.Content
	saved, err := s.store.SaveMemory(ctx, m, rule)
	if err != nil {
		return SaveResult{}, err
	}
	return saveResult(m, saved, redacted), nil
}

// Session is one session, with the number of its living memories.
func (s *Service) Session(ctx context.Context, id string) (*engram.Session, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return nil, err
	}
	if id, err = sessionID(s.cleaner(), id); err != nil {
		return nil, err
	}
	if err := s.lapse(ctx, actor.Workspace); err != nil {
		return nil, err
	}
	return s.store.Session(ctx, actor.Workspace, id)
}

// Sessions lists sessions by last activity, newest first. One that is written
// into while somebody pages goes to the front.
func (s *Service) Sessions(ctx context.Context, in RecentInput) (SessionsResult, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return SessionsResult{}, err
	}
	limit, err := listLimit(in.Limit)
	if err != nil {
		return SessionsResult{}, err
	}
	page := store.Page{Limit: limit + 1} // one more tells whether there is a next page
	if err := parseCursor(in.Cursor, sessionCursor, &page); err != nil {
		return SessionsResult{}, err
	}
	projects, err := s.projectList(ctx, actor.Workspace, in)
	if err != nil {
		return SessionsResult{}, err
	}
	if err := s.lapse(ctx, actor.Workspace); err != nil {
		return SessionsResult{}, err
	}
	list, err := s.store.ListSessions(ctx, actor.Workspace, projects, page)
	if err != nil {
		return SessionsResult{}, err
	}
	var r SessionsResult
	r.Sessions, r.Next = cut(list, limit, func(last *engram.Session) string {
		return cursor(sessionCursor, last.LastSeen, []byte(last.ID))
	})
	return r, nil
}

// DeleteSession removes a session that has nothing in it, hidden memories and
// prompts included.
func (s *Service) DeleteSession(ctx context.Context, id string) error {
	actor, err := policy.Check(ctx, policy.WriteMemory)
	if err != nil {
		return err
	}
	if id, err = sessionID(s.cleaner(), id); err != nil {
		return err
	}
	return s.store.DeleteSession(ctx, actor.Workspace, id)
}

func sessionID(c *cleaner, id string) (string, error) {
	id = c.id(id)
	if id == "" {
		return "", engram.Errorf(engram.ErrInvalid, "a session id is needed").WithCode("session_id_required")
	}
	return id, engram.CheckName("session_id", id)
}

// lapseEvery is how often a process looks for sessions that nobody ended.
const lapseEvery = time.Minute

// lapses remembers when sessions of a workspace were last looked through.
type lapses struct {
	mu   sync.Mutex
	last map[string]time.Time
}

// lapse marks sessions that nobody wrote into for the idle time, so that what
// is shown of them is true. It is done before they are read, by whoever reads.
func (s *Service) lapse(ctx context.Context, workspace string) error {
	now := s.now()
	s.lapses.mu.Lock()
	defer s.lapses.mu.Unlock()
	last, looked := s.lapses.last[workspace]
	if looked && now.Sub(last).Abs() < min(lapseEvery, s.opts.SessionIdle) {
		return nil
	}
	if _, err := s.store.LapseSessions(ctx, workspace, now.Add(-s.opts.SessionIdle)); err != nil {
		return err
	}
	if s.lapses.last == nil {
		s.lapses.last = map[string]time.Time{}
	}
	s.lapses.last[workspace] = now
	return nil
}
