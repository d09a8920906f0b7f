package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"engram"
)

type getArgs struct {
	ID       int64 `json:"id" required:"true" min:"1" alias:"observation_id"`
	History  bool  `json:"include_history" default:"false" doc:"Older versions too"`
	Offset   int   `json:"offset" default:"0" min:"0" doc:"First character, to go on in a long text"`
	MaxChars int   `json:"max_chars" min:"1" max:"1048576" doc:"Default: about 7,500 tokens' worth"`
}

type getResult struct {
	ID         int64    `json:"id"`
	Type       string   `json:"type"`
	Title      string   `json:"title"`
	Content    string   `json:"content"`
	Truncated  bool     `json:"truncated,omitempty"`
	NextOffset int      `json:"next_offset,omitempty"`
	TotalChars int      `json:"total_chars,omitempty"`
	Project    string   `json:"project,omitempty"`
	Scope      string   `json:"scope"`
	Session    string   `json:"session_id,omitempty"`
	TopicKey   string   `json:"topic_key,omitempty"`
	Tool       string   `json:"tool,omitempty"`
	Speaker    string   `json:"speaker,omitempty"`
	Files      []string `json:"files,omitempty"`
	Status     string   `json:"status,omitempty"`
	Pinned     bool     `json:"pinned,omitempty"`
	Importance float64  `json:"importance,omitempty"`
	Origin     string   `json:"origin,omitempty"`
	Trust      int      `json:"trust"`
	Created    string   `json:"created"`
	Updated    string   `json:"updated,omitempty"`
	Revisions  int      `json:"revisions,omitempty"`
	Seen       int      `json:"seen,omitempty"`
	// History is older versions, the newest of them first.
	History []version `json:"history,omitempty"`
	noted
}

// version is an older version of a memory.
type version struct {
	Version   int    `json:"version"`
	Title     string `json:"title"`
	Content   string `json:"content"`
	Truncated bool   `json:"truncated,omitempty"`
	From      string `json:"from"`
	Until     string `json:"until,omitempty"`
}

func getTool() tool {
	return newTool(tool{
		name: "mem_get_observation", title: "Read a memory in full", core: true, readOnly: true, idempotent: true,
		description: "The full text and facts of one memory by the id that mem_search or mem_context gave.",
	}, (*call).get)
}

func (c *call) get(ctx context.Context, in getArgs) (*getResult, error) {
	m, err := c.Get(ctx, in.ID)
	if err != nil {
		return nil, err
	}
	limit, budget := engram.DefaultMaxContent, replyTokens
	if in.MaxChars > 0 { // asked for in so many words: the caller knows what it can take
		limit, budget = in.MaxChars, engram.DefaultMaxContent
	}
	out := factsOf(m)
	var total int
	out.Content, out.NextOffset, total = window(m.Content, in.Offset, limit, budget)
	out.Truncated = out.NextOffset > 0
	if out.Truncated || in.Offset > 0 {
		out.TotalChars = total
	}
	switch {
	case in.Offset > 0 && in.Offset >= total:
		c.note(fmt.Sprintf("offset is past the end: the text has %d characters", total))
	case out.Truncated:
		c.note(fmt.Sprintf("characters %d to %d of %d; go on with offset %d, or take it whole with max_chars %d",
			in.Offset+1, out.NextOffset, total, out.NextOffset, total))
	}
	if in.History {
		err = c.history(ctx, m, out, budget-tokens(out.Content))
	}
	return out, err
}

// history adds the older versions: whole while they fit, then their beginnings.
func (c *call) history(ctx context.Context, m *engram.Memory, out *getResult, budget int) error {
	all, err := c.History(ctx, m.ID)
	if err != nil {
		return err
	}
	const frame = 40
	left := 0
	for i := len(all) - 2; i >= 0; i-- {
		v := version{Version: all[i].Version, Content: all[i].Content, From: when(all[i].RecordedAt), Until: when(all[i].InvalidatedAt)}
		v.Title, _ = snippet(all[i].Title, titleLength)
		if frame+tokens(v.Content) > budget {
			v.Content, v.Truncated = snippet(v.Content, snippetLength)
		}
		if budget -= frame + tokens(v.Title) + tokens(v.Content); budget < 0 {
			left++
			continue
		}
		out.History = append(out.History, v)
	}
	if len(all) < 2 {
		c.note("there are no older versions")
	}
	if left > 0 {
		c.note(fmt.Sprintf("%d older versions left out for length", left))
	}
	return nil
}

func factsOf(m *engram.Memory) *getResult {
	out := &getResult{
		ID: m.ID, Type: m.Type, Title: m.Title,
		Project: m.Project, Scope: string(m.Scope), Session: m.Session, TopicKey: m.TopicKey,
		Tool: m.ToolName, Speaker: m.Speaker, Files: m.Files, Status: m.Status, Pinned: m.Pinned,
		Importance: m.Importance, Origin: string(m.Origin), Trust: int(m.Trust), Created: when(m.CreatedAt),
	}
	if out.Speaker == "" {
		out.Speaker = m.Role
	}
	if m.UpdatedAt.After(m.CreatedAt) {
		out.Updated = when(m.UpdatedAt)
	}
	if m.RevisionCount > 1 {
		out.Revisions = m.RevisionCount
	}
	if m.DuplicateCount > 1 {
		out.Seen = m.DuplicateCount
	}
	return out
}

func (r *getResult) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "#%d [%s] %s\n%s\n", r.ID, r.Type, r.Title, r.Content)
	for _, fact := range []struct{ name, value string }{
		{"Project", r.Project},
		{"Scope", r.Scope},
		{"Session", r.Session},
		{"Topic key", r.TopicKey},
		{"Captured by", r.Tool},
		{"Speaker", r.Speaker},
		{"Files", strings.Join(r.Files, ", ")},
		{"Status", r.Status},
		{"Pinned", ifTrue(r.Pinned, "yes")},
		{"Importance", importance(r.Importance)},
		{"Origin", ifTrue(r.Origin != "", fmt.Sprintf("%s (trust %d of 3)", r.Origin, r.Trust))},
		{"Created", r.Created},
		{"Updated", r.Updated},
		{"Revisions", positive(r.Revisions)},
		{"Times seen", positive(r.Seen)},
	} {
		if fact.value != "" {
			fmt.Fprintf(&b, "\n%s: %s", fact.name, fact.value)
		}
	}
	for _, v := range r.History {
		fmt.Fprintf(&b, "\n\nVersion %d, %s to %s: %s\n%s", v.Version, v.From, v.Until, v.Title, v.Content)
		if v.Truncated {
			b.WriteString(" [truncated]")
		}
	}
	return b.String()
}

func ifTrue(yes bool, s string) string {
	if yes {
		return s
	}
	return ""
}

func importance(f float64) string {
	return ifTrue(f > 0, short(f))
}

func positive(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}
