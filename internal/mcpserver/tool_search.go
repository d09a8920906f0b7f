package mcpserver

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"engram"
	"engram/internal/service/memory"
)

type searchArgs struct {
	Query       string `json:"query" required:"true" doc:"Words or a question"`
	Type        string `json:"type" doc:"Only this type, or several with commas"`
	Project     string `json:"project" doc:"Default: the current one"`
	Scope       string `json:"scope" enum:"project,personal,global" doc:"Default: all"`
	Limit       int    `json:"limit" default:"10" min:"1" max:"50"`
	MatchMode   string `json:"match_mode" enum:"any,all" default:"any" doc:"all: every word must occur"`
	AllProjects bool   `json:"all_projects" default:"false"`
	AsOf        string `json:"as_of" doc:"What was known then: RFC 3339 time, or a date (its end)"`
	Deep        bool   `json:"deep" default:"false" doc:"Search wider, slower"`
}

type searchResult struct {
	Hits     []hit    `json:"hits"`
	Project  string   `json:"project,omitempty"`
	NoAnswer bool     `json:"no_answer,omitempty"`
	Similar  []string `json:"similar_projects,omitempty"`
	More     []int64  `json:"more_ids,omitempty"`
	noted
}

// hit is a found memory, and a memory on a timeline.
type hit struct {
	ID        int64   `json:"id"`
	Type      string  `json:"type"`
	Title     string  `json:"title"`
	Text      string  `json:"text"`
	Truncated bool    `json:"truncated,omitempty"`
	At        string  `json:"at"`
	Score     float64 `json:"p,omitempty"`
	Speaker   string  `json:"speaker,omitempty"`
	Project   string  `json:"project,omitempty"`
	Scope     string  `json:"scope,omitempty"`
	TopicKey  string  `json:"topic_key,omitempty"`
}

func searchTool() tool {
	return newTool(tool{
		name: "mem_search", title: "Search memory", core: true, readOnly: true, idempotent: true,
		description: "Find what was saved in earlier sessions: decisions, fixes, conventions, preferences, what somebody said. " +
			"Best first, with ids and snippets; mem_get_observation gives the full text. Says no_answer when nothing fits.",
	}, (*call).search)
}

func (c *call) search(ctx context.Context, in searchArgs) (*searchResult, error) {
	asOf, err := c.AsOf(in.AsOf)
	if err != nil {
		return nil, err
	}
	found, err := c.Search(ctx, memory.SearchInput{
		Query:       in.Query,
		Types:       splitTypes(in.Type),
		Project:     c.projectOf(in.Project, in.AllProjects),
		AllProjects: in.AllProjects,
		Scope:       in.Scope,
		Limit:       in.Limit,
		MatchAll:    in.MatchMode == "all",
		AsOf:        asOf,
		Deep:        in.Deep,
	})
	if err != nil {
		return nil, err
	}
	out := &searchResult{
		Hits:     []hit{},
		Project:  unlessSent(found.Project, engram.NormalizeProject(in.Project)),
		NoAnswer: found.NoAnswer || len(found.Hits) == 0,
		Similar:  found.SimilarProjects,
	}
	budget := replyTokens
	for _, h := range found.Hits {
		shown := hitOf(h.Memory, snippetLength)
		shown.Project = unlessSent(shown.Project, found.Project)
		shown.Score = math.Round(h.Probability*100) / 100
		if budget -= shown.cost(); budget < 0 {
			out.More = append(out.More, h.Memory.ID)
			continue
		}
		out.Hits = append(out.Hits, shown)
	}
	for _, warning := range found.Warnings {
		c.note(warning)
	}
	c.explain(in, out, found.Project)
	return out, nil
}

// projectOf is the project that a read is about.
func (c *call) projectOf(project string, all bool) string {
	if all {
		return project
	}
	return c.client.scopeOf(project)
}

// explain says what to do where the answer alone does not.
func (c *call) explain(in searchArgs, out *searchResult, project string) {
	if len(out.More) > 0 {
		c.note(fmt.Sprintf("%d more were found and left out for length: get them by id, or ask more narrowly", len(out.More)))
	}
	if !out.NoAnswer {
		return
	}
	try := []string{"other words"}
	if in.MatchMode == "all" {
		try = append(try, "match_mode any")
	}
	if in.Type != "" || in.Scope != "" || in.AsOf != "" {
		try = append(try, "fewer filters")
	}
	if project != "" && !in.AllProjects {
		try = append(try, "all_projects true")
	}
	c.note("nothing saved answers this; try " + strings.Join(try, ", "))
}

// hitOf shows m in a list, its text cut to length characters.
func hitOf(m *engram.Memory, length int) hit {
	at := m.UpdatedAt
	if m.IsTurn() || at.IsZero() {
		at = m.OccurredAt
	}
	h := hit{
		ID:       m.ID,
		Type:     m.Type,
		Project:  m.Project,
		Scope:    unlessSent(string(m.Scope), string(engram.ScopeProject)),
		TopicKey: m.TopicKey,
		Speaker:  m.Speaker,
		At:       when(at),
	}
	if h.Speaker == "" {
		h.Speaker = m.Role
	}
	var titleCut bool
	h.Title, titleCut = snippet(m.Title, titleLength)
	h.Text, h.Truncated = snippet(m.Content, length)
	h.Truncated = h.Truncated || titleCut
	return h
}

// cost is what the hit takes of a reply, in tokens, names of fields included.
func (h *hit) cost() int {
	const frame = 40
	return frame + tokens(h.Title) + tokens(h.Text) + tokens(h.Type) + tokens(h.Project) + tokens(h.TopicKey) + tokens(h.Speaker)
}

func (r *searchResult) words() string {
	var b strings.Builder
	if r.NoAnswer {
		b.WriteString("No answer: nothing found")
	} else {
		fmt.Fprintf(&b, "%d found", len(r.Hits)+len(r.More))
	}
	if r.Project != "" {
		fmt.Fprintf(&b, " in project %s", r.Project)
	}
	b.WriteString("." + similarNames(r.Similar))
	for i := range r.Hits {
		b.WriteByte('\n')
		r.Hits[i].write(&b)
	}
	if len(r.More) > 0 {
		fmt.Fprintf(&b, "\nNot shown: %s.", idList(r.More))
	}
	return b.String()
}

// similarNames is a sentence about other projects, "" without any.
func similarNames(projects []string) string {
	if len(projects) == 0 {
		return ""
	}
	return fmt.Sprintf(" Projects with a similar name: %s.", strings.Join(projects, ", "))
}

func (h *hit) write(b *strings.Builder) {
	fmt.Fprintf(b, "#%d [%s] %s", h.ID, h.Type, h.Title)
	var facts []string
	if h.Speaker != "" {
		facts = append(facts, h.Speaker)
	}
	if h.Project != "" {
		facts = append(facts, "project "+h.Project)
	}
	if h.Scope != "" {
		facts = append(facts, h.Scope)
	}
	if h.TopicKey != "" {
		facts = append(facts, "topic "+h.TopicKey)
	}
	facts = append(facts, h.At)
	fmt.Fprintf(b, " (%s)\n    %s", strings.Join(facts, ", "), h.Text)
	if h.Truncated {
		b.WriteString(" [truncated]")
	}
}

// splitTypes is splitList, but a list that has none is one type, for the service
// to refuse: it must not be taken for all of them.
func splitTypes(s string) []string {
	types := splitList(s)
	if s != "" && len(types) == 0 {
		return []string{s}
	}
	return types
}

func splitList(s string) []string {
	var out []string
	for part := range strings.SplitSeq(s, ",") {
		if part = strings.TrimSpace(part); part != "" {
			out = append(out, part)
		}
	}
	return out
}

func when(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}
