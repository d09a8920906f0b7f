package mcpserver

import (
	"context"

	"engram"
	"engram/internal/service/memory"
)

// leastContext is the smallest context there is, in bytes.
const leastContext = 256

type contextArgs struct {
	Project  string `json:"project" doc:"Default: the current one"`
	Scope    string `json:"scope" enum:"project,personal,global"`
	MaxBytes int    `json:"max_bytes" default:"4096" min:"256" max:"65536"`
	Compact  bool   `json:"compact" default:"false" doc:"Titles only"`
	Query    string `json:"query" doc:"What the session is about: brings what fits it"`
}

type contextResult struct {
	Context string `json:"context"`
	Project string `json:"project,omitempty"`
	Left    int    `json:"not_shown,omitempty"`

	Similar []string `json:"similar_projects,omitempty"`
	noted
}

func contextTool() tool {
	return newTool(tool{
		name: "mem_context", title: "Recall context", core: true, readOnly: true, idempotent: true,
		description: "What is known about this project: pinned memories, open tasks, last session summaries, recent work. " +
			"Call it when a session starts and after a compaction.",
	}, (*call).context)
}

func (c *call) context(ctx context.Context, in contextArgs) (*contextResult, error) {
	got, err := c.Context(ctx, c.contextInput(in))
	if err != nil {
		return nil, err
	}
	if len(got.Warnings) > 0 { // there must be room for them
		c.notes = append(c.notes, got.Warnings...)
		if got, err = c.Context(ctx, c.contextInput(in)); err != nil {
			return nil, err
		}
	}
	out := &contextResult{
		Context: got.Text,
		Project: unlessSent(got.Project, engram.NormalizeProject(in.Project)),
		Left:    got.Left,
		Similar: got.SimilarProjects,
	}
	if out.Context == "" {
		out.Context = nothing(got.Project, in.Scope)
	}
	return out, nil
}

// contextInput asks for a context that fits with the notes on it, which are part
// of the text.
func (c *call) contextInput(in contextArgs) memory.ContextInput {
	budget := in.MaxBytes
	for _, n := range c.notes {
		budget -= len("\nNote: .") + len(n)
	}
	return memory.ContextInput{
		Project:  c.client.scopeOf(in.Project),
		Scope:    in.Scope,
		MaxBytes: max(budget, leastContext),
		Compact:  in.Compact,
		Query:    in.Query,
	}
}

// nothing says that there is nothing, and of what.
func nothing(project, scope string) string {
	where := ""
	if project != "" {
		where = " in project " + project
	}
	if scope != "" {
		return "Nothing of scope " + scope + " is saved" + where + "; without scope, mem_context shows what else there is."
	}
	return "Nothing is saved yet" + where + "; mem_save stores the first memory."
}

func (r *contextResult) words() string { return r.Context + similarNames(r.Similar) }
