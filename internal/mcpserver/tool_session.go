package mcpserver

import (
	"context"
	"fmt"
	"strings"

	"engram"
	"engram/internal/service/memory"
)

type startArgs struct {
	ID        string `json:"id" required:"true" alias:"session_id" doc:"The agent's own session id"`
	Project   string `json:"project" required:"true"`
	Directory string `json:"directory"`
}

type sessionResult struct {
	Status   string `json:"status"`
	Project  string `json:"project,omitempty"`
	Memories int    `json:"memories,omitempty"`
	noted
}

func startTool() tool {
	return newTool(tool{
		name: "mem_session_start", title: "Start a session", idempotent: true,
		description: "Open a session. Until it ends, calls without session_id and project belong to it.",
	}, (*call).start)
}

func (c *call) start(ctx context.Context, in startArgs) (*sessionResult, error) {
	s, created, err := c.StartSession(ctx, memory.SessionInput{ID: in.ID, Project: in.Project, Directory: in.Directory})
	if err != nil {
		return nil, err
	}
	c.noteRedacted(s.Redacted)
	c.client.started(s.ID, s.Project)
	out := &sessionResult{
		Status:   "resumed",
		Project:  unlessSent(s.Project, engram.NormalizeProject(in.Project)),
		Memories: s.Count,
	}
	if created {
		out.Status = "started"
	}
	return out, nil
}

func (r *sessionResult) words() string {
	s := "Session " + r.Status
	if r.Project != "" {
		s += ", project " + r.Project
	}
	if r.Memories > 0 {
		s += fmt.Sprintf(", %s in it", plural(r.Memories, "memory", "memories"))
	}
	return s + "."
}

type endArgs struct {
	ID      string `json:"id" required:"true" alias:"session_id"`
	Summary string `json:"summary"`
}

func endTool() tool {
	return newTool(tool{
		name: "mem_session_end", title: "End a session", idempotent: true,
		description: "Close a session. A summary replaces the one it has.",
	}, (*call).end)
}

func (c *call) end(ctx context.Context, in endArgs) (*sessionResult, error) {
	s, err := c.EndSession(ctx, in.ID, in.Summary)
	if err != nil {
		return nil, err
	}
	c.noteRedacted(s.Redacted)
	c.client.ended(s.ID)
	return &sessionResult{Status: "ended", Project: s.Project, Memories: s.Count}, nil
}

type summaryArgs struct {
	Content string `json:"content" required:"true" doc:"Goal, Instructions, Discoveries, Accomplished, Next steps, Relevant files"`
	Project string `json:"project"`
	Session string `json:"session_id"`
}

func summaryTool() tool {
	return newTool(tool{
		name: "mem_session_summary", title: "Save a session summary", core: true,
		description: "Save what this session was about, so that the next one can go on from there. Call it before finishing and before a compaction.",
	}, (*call).summary)
}

func (c *call) summary(ctx context.Context, in summaryArgs) (*saveResult, error) {
	session, project := c.client.place(in.Session, in.Project)
	saved, err := c.SessionSummary(ctx, project, session, in.Content)
	if err != nil {
		return nil, err
	}
	saved.Suggested = "" // a summary is not written over
	return c.saved(saved, in.Session, in.Project, saved.TopicKey), nil
}

type promptArgs struct {
	Content string `json:"content" required:"true"`
	Session string `json:"session_id"`
	Project string `json:"project"`
}

type promptResult struct {
	ID      int64  `json:"id"`
	Project string `json:"project,omitempty"`
	noted
}

func promptTool() tool {
	return newTool(tool{
		name: "mem_save_prompt", title: "Save a user prompt",
		description: "Keep what the user asked, so that later sessions know the goals.",
	}, (*call).savePrompt)
}

func (c *call) savePrompt(ctx context.Context, in promptArgs) (*promptResult, error) {
	session, project := c.client.place(in.Session, in.Project)
	p, err := c.SavePrompt(ctx, session, project, in.Content)
	if err != nil {
		return nil, err
	}
	c.noteRedacted(p.Redacted)
	return &promptResult{ID: p.ID, Project: unlessSent(p.Project, engram.NormalizeProject(in.Project))}, nil
}

func (r *promptResult) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Prompt saved as #%d", r.ID)
	if r.Project != "" {
		fmt.Fprintf(&b, ", project %s", r.Project)
	}
	return b.String() + "."
}
