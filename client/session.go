package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Session is one run of an agent in a project.
type Session struct {
	ID          string    `json:"id"`
	Project     string    `json:"project"`
	Directory   string    `json:"directory"`
	Status      string    `json:"status"` // active, ended or lapsed
	Summary     string    `json:"summary"`
	Truncated   bool      `json:"truncated"` // Summary is cut; [Client.Session] has it whole
	MemoryCount int       `json:"memory_count"`
	StartedAt   time.Time `json:"started_at"`
	EndedAt     time.Time `json:"ended_at"`
	LastSeenAt  time.Time `json:"last_seen_at"`
}

// StartSession starts a session, or gives the one that is there.
func (c *Client) StartSession(ctx context.Context, id, project, directory string) (*Session, error) {
	return c.session(ctx, http.MethodPost, "/v1/sessions", struct {
		ID        string `json:"id"`
		Project   string `json:"project,omitempty"`
		Directory string `json:"directory,omitempty"`
	}{id, project, directory})
}

// EndSession ends a session. A second end keeps what is there, unless it brings
// a summary.
func (c *Client) EndSession(ctx context.Context, id, summary string) (*Session, error) {
	return c.session(ctx, http.MethodPost, sessionPath(id)+"/end", struct {
		Summary string `json:"summary,omitempty"`
	}{summary})
}

// SummarizeSession saves a summary of a session as a memory.
func (c *Client) SummarizeSession(ctx context.Context, id, project, content string) (Saved, error) {
	var s Saved
	err := c.call(ctx, http.MethodPost, sessionPath(id)+"/summary", nil, struct {
		Content string `json:"content"`
		Project string `json:"project,omitempty"`
	}{content, project}, &s)
	return s, err
}

// Session is one session.
func (c *Client) Session(ctx context.Context, id string) (*Session, error) {
	return c.session(ctx, http.MethodGet, sessionPath(id), nil)
}

// RecentInput asks for the newest sessions or prompts.
type RecentInput struct {
	Project string // "" = all
	Limit   int    // default 20, at most 1000
	Cursor  string // Next of the page before
}

func (in RecentInput) values() url.Values {
	q := values("project", in.Project, "cursor", in.Cursor)
	if in.Limit != 0 {
		q.Set("limit", strconv.Itoa(in.Limit))
	}
	return q
}

// SessionPage is a part of a list.
type SessionPage struct {
	Items []Session `json:"items"`
	Next  string    `json:"next_cursor"` // "" = this was the last
}

// Sessions gives a page of sessions, last active first. One that is written
// into while you page goes to the front.
func (c *Client) Sessions(ctx context.Context, in RecentInput) (SessionPage, error) {
	var p SessionPage
	err := c.call(ctx, http.MethodGet, "/v1/sessions", in.values(), nil, &p)
	return p, err
}

func sessionPath(id string) string { return "/v1/sessions/" + url.PathEscape(id) }

func (c *Client) session(ctx context.Context, method, path string, in any) (*Session, error) {
	s := new(Session)
	if err := c.call(ctx, method, path, nil, in, s); err != nil {
		return nil, err
	}
	return s, nil
}

// Prompt is something that the user asked.
type Prompt struct {
	ID        int64     `json:"id"`
	UID       string    `json:"uid"`
	SessionID string    `json:"session_id"`
	Project   string    `json:"project"`
	Content   string    `json:"content"`
	Truncated bool      `json:"truncated"` // Content is cut; [Client.Prompt] has it whole
	CreatedAt time.Time `json:"created_at"`
}

// SavePrompt keeps what the user asked; session and project may be empty.
func (c *Client) SavePrompt(ctx context.Context, session, project, content string) (*Prompt, error) {
	p := new(Prompt)
	err := c.call(ctx, http.MethodPost, "/v1/prompts", nil, struct {
		Content   string `json:"content"`
		SessionID string `json:"session_id,omitempty"`
		Project   string `json:"project,omitempty"`
	}{content, session, project}, p)
	if err != nil {
		return nil, err
	}
	return p, nil
}

// Prompt is one prompt, whole.
func (c *Client) Prompt(ctx context.Context, id int64) (*Prompt, error) {
	p := new(Prompt)
	if err := c.call(ctx, http.MethodGet, "/v1/prompts/"+strconv.FormatInt(id, 10), nil, nil, p); err != nil {
		return nil, err
	}
	return p, nil
}

// PromptPage is a part of a list.
type PromptPage struct {
	Items    []Prompt `json:"items"`
	Next     string   `json:"next_cursor"` // "" = this was the last
	Warnings []string `json:"warnings"`    // of a search, as Found's
}

// Prompts gives a page of prompts, newest first, their contents cut where they
// are long.
func (c *Client) Prompts(ctx context.Context, in RecentInput) (PromptPage, error) {
	var p PromptPage
	err := c.call(ctx, http.MethodGet, "/v1/prompts", in.values(), nil, &p)
	return p, err
}
