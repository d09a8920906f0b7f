package rest

import (
	"context"
	"net/http"

	"engram/internal/service/memory"
	"engram/internal/service/transfer"
)

// v1Routes are the routes of the complete API.
func (a *api) v1Routes() []route {
	const get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
	return []route{
		op(a, get, "/v1/health", "whether the server runs", a.health).public(),
		op(a, get, "/v1/stats", "how much is there", a.stats),
		op(a, get, "/v1/doctor", "what is wrong with the store", a.wireDoctor),

		op(a, get, "/v1/memories", "memories by time, newest first", a.listMemories),
		op(a, post, "/v1/memories", "save a memory; 200 when it was there already", a.saveMemory).creates(),
		op(a, get, "/v1/memories/{id}", "one memory, whole", a.getMemory),
		op(a, patch, "/v1/memories/{id}", "change a memory; the version before stays in its history", a.patchMemory),
		op(a, del, "/v1/memories/{id}", "delete a memory, with a receipt", a.deleteMemory),
		op(a, get, "/v1/memories/{id}/history", "all versions, oldest first", a.memoryHistory),
		op(a, post, "/v1/memories/{id}/restore", "bring a deleted memory back", a.restoreMemory),
		op(a, put, "/v1/memories/{id}/pin", "pin a memory", a.pinMemory(true)),
		op(a, del, "/v1/memories/{id}/pin", "unpin a memory", a.pinMemory(false)),
		op(a, get, "/v1/memories/{id}/timeline", "a memory among its neighbours", a.memoryTimeline),
		op(a, post, "/v1/capture", "save the learnings in a text", a.capture),
		op(a, post, "/v1/topic-key", "a topic key for a text", a.suggestTopicKey),

		op(a, post, "/v1/search", "memories that answer a query, best first", a.search),
		op(a, post, "/v1/recall", "what answers a query, packed as text within a token budget", a.recall),
		op(a, post, "/v1/explain", "why a memory was recalled for a query, or not", a.explain),
		op(a, get, "/v1/context", "the block for the start of a session", a.context),

		op(a, get, "/v1/sessions", "the sessions last active", a.listSessions),
		op(a, post, "/v1/sessions", "start a session; 200 when it was there already", a.startSession).creates(),
		op(a, get, "/v1/sessions/{id}", "one session", a.getSession),
		op(a, del, "/v1/sessions/{id}", "remove a session that has nothing in it; 409 when it has, if only deleted memories or prompts", a.deleteSession),
		op(a, post, "/v1/sessions/{id}/end", "end a session", a.endSession),
		op(a, post, "/v1/sessions/{id}/summary", "save a summary of a session", a.sessionSummary).creates(),

		op(a, get, "/v1/prompts", "the newest prompts, or those that have words of a query", a.listPrompts),
		op(a, post, "/v1/prompts", "save what the user asked", a.savePrompt).creates(),
		op(a, get, "/v1/prompts/{id}", "one prompt, whole", a.getPrompt),
		op(a, del, "/v1/prompts/{id}", "erase a prompt", a.deletePrompt),

		op(a, get, "/v1/projects", "projects, last used first", a.projects),
		op(a, get, "/v1/projects/current", "the project of a directory", a.currentProject),
		op(a, post, "/v1/projects/merge", "file a project under another", a.mergeProjects),
		op(a, post, "/v1/projects/unmerge", "undo a merge", a.unmergeProject),

		raw(get, "/v1/export", "everything, as JSON that POST /v1/import takes", "application/json", a.exportV1).streams(0),
		gives[imported](raw(post, "/v1/import", "take an export of either form; a second time changes nothing", "application/json", a.importV1)).streams(a.opts.MaxImport),

		raw(get, "/v1/openapi.json", "this document", "application/json", a.openAPI).public(),
		raw(get, "/v1/docs", "this document as a page", "text/html", a.docs).public(),
	}
}

type statsJSON struct {
	Memories      int            `json:"memories"`
	Deleted       int            `json:"deleted"`
	Versions      int            `json:"versions"`
	Sessions      int            `json:"sessions"`
	Prompts       int            `json:"prompts"`
	ByType        map[string]int `json:"by_type"`
	Projects      []string       `json:"projects"`
	Bytes         int64          `json:"bytes"          doc:"of the store on disk"`
	SchemaVersion int            `json:"schema_version"`
	Models        []modelJSON    `json:"embedder_models,omitempty" doc:"beside the built-in one, the one in use first"`
}

type modelJSON struct {
	Name       string `json:"name"       doc:"with its dimensions"`
	Dimensions int    `json:"dimensions"`
	Have       int    `json:"have"       doc:"memories that it has a vector of"`
	Lack       int    `json:"lack"       doc:"memories that wait for one"`
	Failed     int    `json:"failed"     doc:"memories that could not get one"`
}

func (a *api) stats(ctx context.Context, in *projectQuery, _ *reply) (statsJSON, error) {
	s, err := a.Memory.Stats(ctx, in.Project)
	byType := s.ByType
	if byType == nil {
		byType = map[string]int{}
	}
	out := statsJSON{
		Memories: s.Memories, Deleted: s.Deleted, Versions: s.Versions, Sessions: s.Sessions, Prompts: s.Prompts,
		ByType: byType, Projects: list(s.Projects), Bytes: s.Bytes, SchemaVersion: s.SchemaVersion,
	}
	for _, m := range s.Models {
		out.Models = append(out.Models, modelJSON{m.Name, m.Dim, m.Have, m.Lack, m.Failed})
	}
	return out, err
}

type contextJSON struct {
	Text     string `json:"text"     doc:"Markdown of at most max_bytes bytes"`
	Project  string `json:"project,omitempty"`
	Pinned   int    `json:"pinned"   doc:"how many are in the text"`
	Tasks    int    `json:"tasks"`
	Sessions int    `json:"sessions"`
	Memories int    `json:"memories"`
	Prompts  int    `json:"prompts"`
	Left     int    `json:"left"     doc:"memories that are not in the text"`

	Warnings []string `json:"warnings,omitempty" doc:"what the search for what is relevant had to do without"`

	SimilarProjects []string `json:"similar_projects" doc:"to try, when there is nothing in the project"`
}

func (a *api) context(ctx context.Context, in *contextQuery, _ *reply) (contextJSON, error) {
	c, err := a.Memory.Context(ctx, in.input())
	return contextJSON{
		Text: c.Text, Project: c.Project, Pinned: c.Pinned, Tasks: c.Tasks, Sessions: c.Sessions,
		Memories: c.Memories, Prompts: c.Prompts, Left: c.Left, Warnings: c.Warnings,
		SimilarProjects: list(c.SimilarProjects),
	}, err
}

type listSessions struct {
	Project string `query:"project" doc:"all projects when left out"`
	Limit   *int   `query:"limit" min:"1" max:"1000" doc:"20 when left out"`
	Cursor  string `query:"cursor" doc:"next_cursor of the page before"`
}

func (a *api) listSessions(ctx context.Context, in *listSessions, _ *reply) (page[sessionJSON], error) {
	list, err := a.Memory.Sessions(ctx, memory.RecentInput{Project: in.Project, Limit: orZero(in.Limit), Cursor: in.Cursor})
	out := page[sessionJSON]{Items: make([]sessionJSON, 0, len(list.Sessions)), NextCursor: list.Next}
	for _, s := range list.Sessions {
		j := sessionOf(s)
		j.Summary, j.Truncated = snippet(j.Summary)
		out.Items = append(out.Items, j)
	}
	return out, err
}

type startSession struct {
	ID        string `json:"id" required:"true" doc:"the agent's own"`
	Project   string `json:"project"`
	Directory string `json:"directory"`
}

func (a *api) startSession(ctx context.Context, in *startSession, re *reply) (startedSession, error) {
	s, created, err := a.Memory.StartSession(ctx, memory.SessionInput{ID: in.ID, Project: in.Project, Directory: in.Directory})
	if err != nil {
		return startedSession{}, err
	}
	if !created {
		re.status = http.StatusOK
	}
	return startedSession{sessionOf(s.Session), allRedacted(s.Redacted)}, nil
}

func (a *api) getSession(ctx context.Context, in *sessionPath, _ *reply) (sessionJSON, error) {
	return sessionOr(a.Memory.Session(ctx, in.ID))
}

func (a *api) deleteSession(ctx context.Context, in *sessionPath, _ *reply) (done, error) {
	return done{ID: in.ID, Status: "deleted"}, a.Memory.DeleteSession(ctx, in.ID)
}

func (a *api) endSession(ctx context.Context, in *endSession, _ *reply) (endedSession, error) {
	s, err := a.Memory.EndSession(ctx, in.ID, in.Summary)
	if err != nil {
		return endedSession{}, err
	}
	return endedSession{sessionOf(s.Session), allRedacted(s.Redacted)}, nil
}

type sessionSummary struct {
	ID      string `path:"id"      json:"-"`
	Content string `json:"content" required:"true"`
	Project string `json:"project"`
}

func (a *api) sessionSummary(ctx context.Context, in *sessionSummary, re *reply) (savedMemory, error) {
	res, err := a.Memory.SessionSummary(ctx, in.Project, in.ID, in.Content)
	if err != nil {
		return savedMemory{}, err
	}
	return savedOf(res, re), nil
}

type listPrompts struct {
	Query   string `query:"query"   doc:"only those that have words of it, best first"`
	Project string `query:"project" doc:"all projects when left out"`
	Limit   *int   `query:"limit"   min:"1" max:"1000" doc:"20 when left out"`
	Cursor  string `query:"cursor"  doc:"next_cursor of the page before; not with a query"`
}

type promptPage struct {
	page[promptJSON]
	Warnings []string `json:"warnings,omitempty" doc:"what the search had to do without, each beginning with a code"`
}

func (a *api) listPrompts(ctx context.Context, in *listPrompts, _ *reply) (promptPage, error) {
	recent := memory.RecentInput{Project: in.Project, Limit: orZero(in.Limit), Cursor: in.Cursor}
	var list memory.PromptsResult
	var err error
	if in.Query != "" {
		list, err = a.Memory.SearchPrompts(ctx, in.Query, recent)
	} else {
		list, err = a.Memory.Prompts(ctx, recent)
	}
	out := promptPage{page[promptJSON]{Items: make([]promptJSON, 0, len(list.Prompts)), NextCursor: list.Next}, list.Warnings}
	for _, p := range list.Prompts {
		j := promptOf(p)
		j.Content, j.Truncated = snippet(j.Content)
		out.Items = append(out.Items, j)
	}
	return out, err
}

type savePrompt struct {
	Content   string `json:"content"    required:"true"`
	SessionID string `json:"session_id"`
	Project   string `json:"project"`
}

func (a *api) savePrompt(ctx context.Context, in *savePrompt, _ *reply) (savedPrompt, error) {
	p, err := a.Memory.SavePrompt(ctx, in.SessionID, in.Project, in.Content)
	if err != nil {
		return savedPrompt{}, err
	}
	return savedPrompt{promptOf(p.Prompt), allRedacted(p.Redacted)}, nil
}

func (a *api) getPrompt(ctx context.Context, in *byID, _ *reply) (promptJSON, error) {
	p, err := a.Memory.Prompt(ctx, in.ID)
	if err != nil {
		return promptJSON{}, err
	}
	return promptOf(p), nil
}

func (a *api) deletePrompt(ctx context.Context, in *byID, _ *reply) (doneNumber, error) {
	return doneNumber{ID: in.ID, Status: "deleted"}, a.Memory.DeletePrompt(ctx, in.ID)
}

func (a *api) projects(ctx context.Context, _ *none, _ *reply) (page[projectJSON], error) {
	ps, err := a.Memory.Projects(ctx)
	return page[projectJSON]{Items: projectsOf(ps)}, err
}

type projectIdentity struct {
	Name     string   `json:"name"     doc:"empty when nothing gives one"`
	Source   string   `json:"source"   doc:"explicit, env, config, git_remote, git_root or dir_basename"`
	Path     string   `json:"path"`
	Remote   string   `json:"remote,omitempty"`
	Warnings []string `json:"warnings"`
}

func (a *api) currentProject(ctx context.Context, in *projectOf, _ *reply) (projectIdentity, error) {
	p, err := a.projectIdentity(ctx, in.Cwd)
	return projectIdentity{
		Name: p.Name, Source: string(p.Source), Path: p.Path, Remote: p.Remote, Warnings: list(p.Warnings),
	}, err
}

type mergeProjects struct {
	From string `json:"from" required:"true" doc:"becomes another name of to"`
	To   string `json:"to"   required:"true"`
}

type moved struct {
	Moved int `json:"moved" doc:"memories, sessions and prompts"`
}

func (a *api) mergeProjects(ctx context.Context, in *mergeProjects, _ *reply) (moved, error) {
	n, err := a.Memory.MergeProjects(ctx, in.From, in.To)
	return moved{Moved: n}, err
}

type unmergeProject struct {
	From string `json:"from" required:"true" doc:"that was merged"`
}

func (a *api) unmergeProject(ctx context.Context, in *unmergeProject, _ *reply) (moved, error) {
	n, err := a.Memory.UnmergeProject(ctx, in.From)
	return moved{Moved: n}, err
}

type exportV1 struct {
	exportQuery
	Format string `query:"format" enum:"json,wire" doc:"json (everything) when left out"`
}

func (a *api) exportV1(w http.ResponseWriter, r *http.Request, in *exportV1) error {
	format := transfer.JSON
	if in.Format == "wire" {
		format = transfer.Wire
	}
	return a.export(w, r, format, in.Projects)
}

type importV1 struct {
	DryRun bool `query:"dry_run" doc:"only says what would be done"`
}

type imported struct {
	Sessions int       `json:"sessions" doc:"new ones"`
	Memories int       `json:"memories" doc:"new ones"`
	Prompts  int       `json:"prompts"  doc:"new ones"`
	Versions int       `json:"versions" doc:"new ones"`
	Skipped  int       `json:"skipped"  doc:"there already"`
	Refused  []refusal `json:"refused"  doc:"could not be taken, and why"`
	Warnings []string  `json:"warnings" doc:"what was not taken as the file has it: fields that are not known, claims of trust"`
	DryRun   bool      `json:"dry_run"`
	Version  string    `json:"version"  doc:"of the file"`
}

func (a *api) importV1(w http.ResponseWriter, r *http.Request, in *importV1) error {
	rep, err := a.readImport(w, r, transfer.ImportOptions{DryRun: in.DryRun})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, imported{
		Sessions: rep.Sessions, Memories: rep.Memories, Prompts: rep.Prompts, Versions: rep.Versions,
		Skipped: rep.Skipped, Refused: refusals(rep.Refused), Warnings: list(rep.Warnings), DryRun: rep.DryRun, Version: rep.Version,
	})
}
