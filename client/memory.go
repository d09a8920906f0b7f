package client

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"time"
)

// Memory is one thing remembered. Times that are not set are zero; they and what
// else is empty are left out of its JSON, lists are not.
type Memory struct {
	ID             int64     `json:"id"`
	UID            string    `json:"uid"`
	Kind           string    `json:"kind"`
	Type           string    `json:"type"`
	Title          string    `json:"title"`
	Content        string    `json:"content"`
	Truncated      bool      `json:"truncated,omitempty"` // Content is cut; [Client.Get] has it whole
	Project        string    `json:"project,omitempty"`
	Scope          string    `json:"scope"`
	SessionID      string    `json:"session_id,omitempty"`
	Speaker        string    `json:"speaker,omitempty"`
	Role           string    `json:"role,omitempty"`
	ToolName       string    `json:"tool_name,omitempty"`
	TopicKey       string    `json:"topic_key,omitempty"`
	Files          []string  `json:"files"`
	Importance     float64   `json:"importance"`
	Pinned         bool      `json:"pinned"`
	Origin         string    `json:"origin"`
	Trust          int       `json:"trust"`
	Status         string    `json:"status,omitempty"`
	Version        int       `json:"version"`
	RevisionCount  int       `json:"revision_count"`
	DuplicateCount int       `json:"duplicate_count"`
	AccessCount    int       `json:"access_count"`
	OccurredAt     time.Time `json:"occurred_at,omitzero"`
	ValidFrom      time.Time `json:"valid_from,omitzero"`
	ValidTo        time.Time `json:"valid_to,omitzero"`
	RecordedAt     time.Time `json:"recorded_at,omitzero"`
	InvalidatedAt  time.Time `json:"invalidated_at,omitzero"`
	SupersededBy   int64     `json:"superseded_by,omitempty"`
	CreatedAt      time.Time `json:"created_at"`
	UpdatedAt      time.Time `json:"updated_at"`
	LastSeenAt     time.Time `json:"last_seen_at,omitzero"`
	LastAccessedAt time.Time `json:"last_accessed_at,omitzero"`
	DeletedAt      time.Time `json:"deleted_at,omitzero"`
}

// SaveInput is a memory to be saved; only Content is needed.
type SaveInput struct {
	Content    string     `json:"content"`
	Title      string     `json:"title,omitempty"`
	Type       string     `json:"type,omitempty"`
	Project    string     `json:"project,omitempty"`
	Scope      string     `json:"scope,omitempty"` // project, personal or global
	SessionID  string     `json:"session_id,omitempty"`
	TopicKey   string     `json:"topic_key,omitempty"` // a later save with the same key writes over this one
	ToolName   string     `json:"tool_name,omitempty"`
	Speaker    string     `json:"speaker,omitempty"`
	Role       string     `json:"role,omitempty"`
	OccurredAt *time.Time `json:"occurred_at,omitempty"`
	Importance *float64   `json:"importance,omitempty"`
	Pinned     bool       `json:"pinned,omitempty"`
	Status     string     `json:"status,omitempty"`
	Files      []string   `json:"files,omitempty"`
	Origin     string     `json:"origin,omitempty"`
}

// Saved says what a save did.
type Saved struct {
	ID                int64    `json:"id"`
	UID               string   `json:"uid"`
	Outcome           string   `json:"outcome"` // created, updated or duplicate
	Type              string   `json:"type"`
	Project           string   `json:"project"`
	SessionID         string   `json:"session_id"`
	TopicKey          string   `json:"topic_key"`
	SuggestedTopicKey string   `json:"suggested_topic_key"`
	RevisionCount     int      `json:"revision_count"`
	Redacted          []string `json:"redacted"` // kinds of secrets that were taken out
}

// Save stores a memory.
func (c *Client) Save(ctx context.Context, in SaveInput) (Saved, error) {
	var s Saved
	err := c.call(ctx, http.MethodPost, "/v1/memories", nil, in, &s)
	return s, err
}

// Get is one memory, whole.
func (c *Client) Get(ctx context.Context, id int64) (*Memory, error) {
	return c.memory(ctx, http.MethodGet, memoryPath(id), nil)
}

// UpdateInput changes fields of a memory; nil leaves one as it is.
type UpdateInput struct {
	Title      *string   `json:"title,omitempty"`
	Content    *string   `json:"content,omitempty"`
	Type       *string   `json:"type,omitempty"`
	Project    *string   `json:"project,omitempty"`
	Scope      *string   `json:"scope,omitempty"`
	TopicKey   *string   `json:"topic_key,omitempty"`
	Status     *string   `json:"status,omitempty"`
	Importance *float64  `json:"importance,omitempty"`
	Files      *[]string `json:"files,omitempty"`
}

// Update changes a memory; the version before stays in its history.
func (c *Client) Update(ctx context.Context, id int64, in UpdateInput) (*Memory, error) {
	return c.memory(ctx, http.MethodPatch, memoryPath(id), in)
}

// Pin sets or clears the pin of a memory.
func (c *Client) Pin(ctx context.Context, id int64, pinned bool) (*Memory, error) {
	method := http.MethodDelete
	if pinned {
		method = http.MethodPut
	}
	return c.memory(ctx, method, memoryPath(id)+"/pin", nil)
}

// Restored is a memory that was brought back.
type Restored struct {
	Memory
	WasLiving   bool   `json:"was_living"`                 // it was not deleted, and nothing was done
	LostTopic   string `json:"lost_topic_key,omitempty"`   // that it had to leave: another memory has it by now
	TopicHolder int64  `json:"topic_key_holder,omitempty"` // the memory that has LostTopic
}

// Restore brings a softly deleted memory back.
func (c *Client) Restore(ctx context.Context, id int64) (Restored, error) {
	var r Restored
	err := c.call(ctx, http.MethodPost, memoryPath(id)+"/restore", nil, nil, &r)
	return r, err
}

func memoryPath(id int64) string { return "/v1/memories/" + strconv.FormatInt(id, 10) }

func (c *Client) memory(ctx context.Context, method, path string, in any) (*Memory, error) {
	m := new(Memory)
	if err := c.call(ctx, method, path, nil, in, m); err != nil {
		return nil, err
	}
	return m, nil
}

// Receipt says what a delete took away, and where copies may remain.
type Receipt struct {
	ID       int64    `json:"id"`
	Hard     bool     `json:"hard"`
	Memories int      `json:"memories"`
	Versions int      `json:"versions"`
	Derived  int      `json:"derived"`
	Supports int      `json:"supports"`
	Postings int      `json:"postings"`
	Copies   []string `json:"copies"`
}

// Delete hides a memory, or with hard erases it.
func (c *Client) Delete(ctx context.Context, id int64, hard bool) (Receipt, error) {
	q := url.Values{}
	if hard {
		q.Set("hard", "true")
	}
	var r Receipt
	err := c.call(ctx, http.MethodDelete, memoryPath(id), q, nil, &r)
	return r, err
}

// History is all versions of a memory, oldest first, the current one last.
func (c *Client) History(ctx context.Context, id int64) ([]Memory, error) {
	var p struct{ Items []Memory }
	err := c.call(ctx, http.MethodGet, memoryPath(id)+"/history", nil, nil, &p)
	return p.Items, err
}

// ListInput asks for memories by time, newest first.
type ListInput struct {
	Project   string // "" = all
	Types     []string
	Scope     string
	SessionID string
	Pinned    bool
	OpenTasks bool
	Deleted   string // without (default), with or only
	Order     string // created (default), activity or occurred
	Limit     int    // default 20, at most 1000
	Cursor    string // Next of the page before
}

// Page is a part of a list.
type Page struct {
	Items []Memory `json:"items"`
	Next  string   `json:"next_cursor"` // "" = this was the last
}

// List gives a page of memories, their contents cut where they are long.
func (c *Client) List(ctx context.Context, in ListInput) (Page, error) {
	q := values("project", in.Project, "scope", in.Scope, "session_id", in.SessionID,
		"deleted", in.Deleted, "order", in.Order, "cursor", in.Cursor)
	for _, t := range in.Types {
		q.Add("type", t)
	}
	if in.Pinned {
		q.Set("pinned", "true")
	}
	if in.OpenTasks {
		q.Set("open_tasks", "true")
	}
	if in.Limit != 0 {
		q.Set("limit", strconv.Itoa(in.Limit))
	}
	var p Page
	err := c.call(ctx, http.MethodGet, "/v1/memories", q, nil, &p)
	return p, err
}

// SearchInput asks for a ranked list; only Query is needed.
type SearchInput struct {
	Query     string     `json:"query"`
	Types     []string   `json:"types,omitempty"`
	Project   string     `json:"project,omitempty"` // "" = all
	Scope     string     `json:"scope,omitempty"`
	Limit     int        `json:"limit,omitempty"`      // default 10, at most 50
	MatchMode string     `json:"match_mode,omitempty"` // any (default) or all
	AsOf      *time.Time `json:"as_of,omitempty"`      // what was known then
	Deep      bool       `json:"deep,omitempty"`
	Explain   bool       `json:"explain,omitempty"` // fills Trace
}

// Hit is a found memory.
type Hit struct {
	Memory
	Probability float64 `json:"probability"` // that it answers the query
}

// Found is a ranked list, best first.
type Found struct {
	Items           []Hit    `json:"items"`
	NoAnswer        bool     `json:"no_answer"` // nothing cleared the floor
	Project         string   `json:"project"`
	SimilarProjects []string `json:"similar_projects"`
	Warnings        []string `json:"warnings"` // what the search had to do without, each beginning with a code

	Trace *ExplanationTrace `json:"trace"` // with Explain: how the answer came about
}

// Search finds the memories that answer a query.
func (c *Client) Search(ctx context.Context, in SearchInput) (Found, error) {
	var f Found
	err := c.call(ctx, http.MethodPost, "/v1/search", nil, in, &f)
	return f, err
}

// RecallInput asks for text to put before a model.
type RecallInput struct {
	SearchInput
	Budget int `json:"budget,omitempty"` // tokens, default 2000, at most 32000
}

// Recalled is packed text.
type Recalled struct {
	Found             // what was packed, in order
	Text       string `json:"text"`
	Tokens     int    `json:"tokens"`
	OverBudget int    `json:"over_budget"` // memories that would have answered and were left out
}

// Recall packs what answers a query within a budget of tokens.
func (c *Client) Recall(ctx context.Context, in RecallInput) (Recalled, error) {
	var r Recalled
	err := c.call(ctx, http.MethodPost, "/v1/recall", nil, in, &r)
	return r, err
}

// ContextInput asks for the block at the start of a session.
type ContextInput struct {
	Project  string // "" = all
	Scope    string
	MaxBytes int // default 4096, at most 65536
	Compact  bool
	Query    string // brings the memories most relevant to it
}

// Context is that block.
type Context struct {
	Text     string `json:"text"` // Markdown
	Project  string `json:"project"`
	Pinned   int    `json:"pinned"` // how many of each are in the text
	Tasks    int    `json:"tasks"`
	Sessions int    `json:"sessions"`
	Memories int    `json:"memories"`
	Prompts  int    `json:"prompts"`
	Left     int    `json:"left"` // memories that are not in the text

	Warnings        []string `json:"warnings"`         // as Found's
	SimilarProjects []string `json:"similar_projects"` // where Project has nothing: others of a similar name
}

// Context gives the block for the start of a session.
func (c *Client) Context(ctx context.Context, in ContextInput) (Context, error) {
	q := values("project", in.Project, "scope", in.Scope, "query", in.Query)
	if in.MaxBytes != 0 {
		q.Set("max_bytes", strconv.Itoa(in.MaxBytes))
	}
	if in.Compact {
		q.Set("compact", "true")
	}
	var out Context
	err := c.call(ctx, http.MethodGet, "/v1/context", q, nil, &out)
	return out, err
}
