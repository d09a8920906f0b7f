package mcpserver

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"engram"
	"engram/internal/recall"
	"engram/internal/service/memory"
	"engram/internal/store"
)

type saveArgs struct {
	Title      string   `json:"title" required:"true" doc:"Short and findable"`
	Content    string   `json:"content" required:"true" alias:"observation" doc:"What, why, where, learned. Kept whole up to 1 MB"`
	Type       string   `json:"type" default:"manual" doc:"decision, bugfix, architecture, pattern, config, discovery, learning, preference, task or your own"`
	Session    string   `json:"session_id"`
	Project    string   `json:"project" doc:"Default: the current one"`
	Scope      string   `json:"scope" enum:"project,personal,global" default:"project"`
	TopicKey   string   `json:"topic_key" doc:"family/name. Saving under it again updates the memory"`
	Importance *float64 `json:"importance" default:"0" min:"0" max:"1"`
	Pinned     bool     `json:"pinned" doc:"Always in mem_context"`
	Files      []string `json:"files"`
}

type saveResult struct {
	ID        int64    `json:"id"`
	Status    string   `json:"status"`
	Revision  int      `json:"revision,omitempty"`
	Project   string   `json:"project,omitempty"`
	Session   string   `json:"session_id,omitempty"`
	TopicKey  string   `json:"topic_key,omitempty"`
	Suggested string   `json:"suggested_topic_key,omitempty"`
	Redacted  []string `json:"redacted,omitempty"`
	Same      []int64  `json:"near_duplicates,omitempty"`
	Changed   []int64  `json:"possible_contradictions,omitempty"`
	noted

	titles map[int64]string // of Same and Changed
}

func saveTool() tool {
	return newTool(tool{
		name: "mem_save", title: "Save a memory", core: true,
		description: "Remember something for later sessions: a decision, bug fix, convention, discovery, preference, configuration, " +
			"gotcha. Save as soon as it is known. Answers with the id. Text in <private> tags is not stored.",
	}, (*call).save)
}

func (c *call) save(ctx context.Context, in saveArgs) (*saveResult, error) {
	session, project := c.client.place(in.Session, in.Project)
	saved, err := c.Save(ctx, memory.SaveInput{
		Title:      in.Title,
		Content:    in.Content,
		Type:       in.Type,
		Session:    session,
		Project:    project,
		Scope:      in.Scope,
		TopicKey:   in.TopicKey,
		Importance: in.Importance,
		Pinned:     in.Pinned,
		Files:      in.Files,
		Compare:    true,
	})
	if err != nil {
		return nil, err
	}
	return c.saved(saved, in.Session, in.Project, in.TopicKey), nil
}

// saved tells what the caller of a save does not know yet.
func (c *call) saved(saved memory.SaveResult, session, project, topic string) *saveResult {
	out := &saveResult{
		ID:        saved.ID,
		Status:    string(saved.Outcome),
		Project:   unlessSent(saved.Project, engram.NormalizeProject(project)),
		Session:   unlessSent(saved.Session, session),
		TopicKey:  unlessSent(saved.TopicKey, topic),
		Suggested: saved.Suggested,
		Redacted:  c.redacted(saved.Redacted),
	}
	out.titles = map[int64]string{}
	for _, a := range saved.Alike {
		out.titles[a.ID], _ = snippet(a.Title, titleLength)
		if a.Verdict == recall.Same {
			out.Same = append(out.Same, a.ID)
		} else {
			out.Changed = append(out.Changed, a.ID)
		}
	}
	if saved.NotCompared != nil {
		c.note("not_compared: it is saved; whether another memory says the same could not be looked for")
	}
	if saved.Outcome == store.Updated {
		out.Revision = saved.RevisionCount
	}
	if out.Session == engram.ManualSession(saved.Project) {
		out.Session = "" // the default says nothing
	}
	return out
}

func unlessSent(value, sent string) string {
	if value == sent {
		return ""
	}
	return value
}

func (r *saveResult) words() string {
	var b strings.Builder
	switch store.Outcome(r.Status) {
	case store.Updated:
		fmt.Fprintf(&b, "Updated #%d, now revision %d; older versions stay in its history", r.ID, r.Revision)
	case store.Duplicate:
		fmt.Fprintf(&b, "Known already as #%d; counted as seen again", r.ID)
	default:
		fmt.Fprintf(&b, "Saved as #%d", r.ID)
	}
	if r.Project != "" {
		fmt.Fprintf(&b, ", project %s", r.Project)
	}
	if r.Session != "" {
		fmt.Fprintf(&b, ", session %s", r.Session)
	}
	if r.TopicKey != "" {
		fmt.Fprintf(&b, ", topic_key %s", r.TopicKey)
	}
	b.WriteByte('.')
	if r.Suggested != "" {
		fmt.Fprintf(&b, "\nTo update this one later instead of adding another, use topic_key %s.", r.Suggested)
	}
	for _, id := range r.Same {
		fmt.Fprintf(&b, "\n#%d %q says nearly the same; if one is enough, mem_delete the other.", id, r.titles[id])
	}
	for _, id := range r.Changed {
		fmt.Fprintf(&b, "\n#%d %q says something else about the same; if it no longer holds, mem_update it.", id, r.titles[id])
	}
	if len(r.Redacted) > 0 {
		fmt.Fprintf(&b, "\nLeft out before storing: %s.", strings.Join(r.Redacted, ", "))
	}
	return b.String()
}

type updateArgs struct {
	ID       int64   `json:"id" required:"true" min:"1" alias:"observation_id"`
	Title    *string `json:"title"`
	Content  *string `json:"content" doc:"Replaces the whole text"`
	Type     *string `json:"type"`
	Project  *string `json:"project"`
	Scope    *string `json:"scope" enum:"project,personal,global"`
	TopicKey *string `json:"topic_key"`
}

type updateResult struct {
	ID       int64  `json:"id"`
	Revision int    `json:"revision"`
	Title    string `json:"title,omitempty"`
	noted
}

func updateTool() tool {
	return newTool(tool{
		name: "mem_update", title: "Edit a memory",
		description: "Correct or extend a memory by id: only the fields given change. The older version stays in its history.",
	}, (*call).update)
}

func (c *call) update(ctx context.Context, in updateArgs) (*updateResult, error) {
	change := memory.UpdateInput{
		Title:    in.Title,
		Content:  in.Content,
		Type:     in.Type,
		Project:  in.Project,
		Scope:    in.Scope,
		TopicKey: in.TopicKey,
	}
	if change == (memory.UpdateInput{}) {
		return nil, invalid("nothing_to_update", "there is nothing to change: give title, content, type, project, scope or topic_key")
	}
	m, err := c.Update(ctx, in.ID, change)
	if err != nil {
		return nil, err
	}
	c.noteRedacted(m.Redacted)
	out := &updateResult{ID: m.ID, Revision: m.RevisionCount}
	if in.Title == nil {
		out.Title, _ = snippet(m.Title, titleLength)
	}
	return out, nil
}

func (r *updateResult) words() string {
	name := fmt.Sprintf("#%d", r.ID)
	if r.Title != "" {
		name += fmt.Sprintf(" %q", r.Title)
	}
	return fmt.Sprintf("Updated %s, now revision %d.", name, r.Revision)
}

type suggestArgs struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

type suggestResult struct {
	TopicKey string `json:"topic_key"`
	noted
}

func suggestTool() tool {
	return newTool(tool{
		name: "mem_suggest_topic_key", title: "Suggest a topic key", readOnly: true, idempotent: true,
		description: "A stable topic_key (family/name) for a subject that evolves, so that mem_save updates one memory. Needs title or content.",
	}, (*call).suggest)
}

func (c *call) suggest(ctx context.Context, in suggestArgs) (*suggestResult, error) {
	key, err := c.SuggestTopicKey(ctx, in.Type, in.Title, in.Content)
	if err != nil {
		return nil, err
	}
	return &suggestResult{TopicKey: key}, nil
}

func (r *suggestResult) words() string { return "Suggested topic_key: " + r.TopicKey }

type captureArgs struct {
	Content string `json:"content" required:"true" doc:"Has a heading like ## Key Learnings: with a list"`
	Session string `json:"session_id"`
	Project string `json:"project"`
	Source  string `json:"source" default:"mcp-passive" doc:"What captured it"`
}

type captureResult struct {
	Extracted  int     `json:"extracted"`
	Saved      int     `json:"saved"`
	Duplicates int     `json:"duplicates"`
	IDs        []int64 `json:"ids,omitempty"`
	noted
}

func captureTool() tool {
	return newTool(tool{
		name: "mem_capture_passive", title: "Capture learnings from text", idempotent: true,
		description: "Save every item of the Key Learnings section of a report or answer as a memory; those known already are skipped.",
	}, (*call).capture)
}

func (c *call) capture(ctx context.Context, in captureArgs) (*captureResult, error) {
	session, project := c.client.place(in.Session, in.Project)
	got, err := c.CapturePassive(ctx, memory.CaptureInput{Content: in.Content, Session: session, Project: project, Source: in.Source})
	if err != nil {
		return nil, err
	}
	c.noteRedacted(got.Redacted)
	if got.Extracted == 0 {
		c.note("no learnings found: they are list items of 20 characters and more under a heading like ## Key Learnings:")
	}
	return &captureResult{Extracted: got.Extracted, Saved: got.Saved, Duplicates: got.Duplicates, IDs: got.IDs}, nil
}

func (r *captureResult) words() string {
	s := fmt.Sprintf("Found %s: saved %d, known already %d.", plural(r.Extracted, "learning", "learnings"), r.Saved, r.Duplicates)
	if len(r.IDs) > 0 {
		s += " Saved as " + idList(r.IDs) + "."
	}
	return s
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return strconv.Itoa(n) + " " + many
}

func idList(ids []int64) string {
	var b strings.Builder
	for i, id := range ids {
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "#%d", id)
	}
	return b.String()
}
