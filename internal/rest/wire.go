package rest

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"engram"
	"engram/internal/project"
	"engram/internal/service/memory"
)

// Headers of the searches at the root, whose body is a bare list.
const (
	headerNoAnswer        = "X-Engram-No-Answer"        // "true": nothing cleared the floor
	headerSimilarProjects = "X-Engram-Similar-Projects" // percent-encoded names of others to try, where a project has no answer
	headerWarnings        = "X-Engram-Warnings"         // percent-encoded: what the search had to do without
)

type health struct {
	Status  string `json:"status"`
	Service string `json:"service"`
	Version string `json:"version"`
}

func (a *api) health(context.Context, *none, *reply) (health, error) {
	return health{Status: "ok", Service: "engram", Version: a.opts.Version}, nil
}

type projectQuery struct {
	Project string `query:"project" doc:"all projects when left out"`
}

type wireStats struct {
	TotalSessions     int      `json:"total_sessions"`
	TotalObservations int      `json:"total_observations"`
	TotalPrompts      int      `json:"total_prompts"`
	Projects          []string `json:"projects"`
}

func (a *api) wireStats(ctx context.Context, in *projectQuery, _ *reply) (wireStats, error) {
	s, err := a.Memory.Stats(ctx, in.Project)
	return wireStats{
		TotalSessions: s.Sessions, TotalObservations: s.Memories, TotalPrompts: s.Prompts, Projects: list(s.Projects),
	}, err
}

type startWireSession struct {
	ID        string `json:"id"      required:"true"`
	Project   string `json:"project" required:"true"`
	Directory string `json:"directory"`
}

func (a *api) startWireSession(ctx context.Context, in *startWireSession, _ *reply) (startedWireSession, error) {
	s, _, err := a.Memory.StartSession(ctx, memory.SessionInput{ID: in.ID, Project: in.Project, Directory: in.Directory})
	if err != nil {
		return startedWireSession{}, err
	}
	return startedWireSession{done{ID: s.ID, Status: "created"}, redacted{s.Redacted}}, nil
}

// sessionPath is a session in a path.
type sessionPath struct {
	ID string `path:"id"`
}

type endSession struct {
	ID      string `path:"id"      json:"-"`
	Summary string `json:"summary"`
}

func (a *api) endWireSession(ctx context.Context, in *endSession, _ *reply) (endedWireSession, error) {
	s, err := a.Memory.EndSession(ctx, in.ID, in.Summary)
	if err != nil {
		return endedWireSession{}, err
	}
	return endedWireSession{done{ID: s.ID, Status: "completed"}, redacted{s.Redacted}}, nil
}

func (a *api) getWireSession(ctx context.Context, in *sessionPath, _ *reply) (wireSession, error) {
	s, err := a.Memory.Session(ctx, in.ID)
	if err != nil {
		return wireSession{}, err
	}
	return wireSessionOf(s), nil
}

func (a *api) deleteWireSession(ctx context.Context, in *sessionPath, _ *reply) (done, error) {
	return done{ID: in.ID, Status: "deleted"}, a.Memory.DeleteSession(ctx, in.ID)
}

type recentSessions struct {
	Project string `query:"project" doc:"all projects when left out"`
	Limit   int    `query:"limit" max:"1000" doc:"5 when left out"`
}

func (a *api) recentSessions(ctx context.Context, in *recentSessions, _ *reply) ([]wireSession, error) {
	list, err := a.Memory.Sessions(ctx, memory.RecentInput{Project: in.Project, Limit: orDefault(in.Limit, 5)})
	out := make([]wireSession, 0, len(list.Sessions))
	for _, s := range list.Sessions {
		w := wireSessionOf(s)
		w.Summary, w.Truncated = snippet(w.Summary)
		out = append(out, w)
	}
	return out, err
}

func orDefault(n, def int) int {
	if n == 0 {
		return def
	}
	return n
}

// orZero is a number that may be left out; to the services 0 is their default.
func orZero(n *int) int {
	if n == nil {
		return 0
	}
	return *n
}

type wireSearch struct {
	Query       string `query:"q" required:"true"`
	Type        string `query:"type"`
	Project     string `query:"project"      doc:"all projects when left out"`
	AllProjects bool   `query:"all_projects"`
	Scope       string `query:"scope"`
	Limit       int    `query:"limit"        max:"50" doc:"10 when left out"`
	MatchMode   string `query:"match_mode"   enum:"any,all" doc:"all: only what has every word"`
	AsOf        string `query:"as_of"        doc:"what was known then; a date means its end"`
	Deep        bool   `query:"deep"`
}

func (a *api) wireSearch(ctx context.Context, in *wireSearch, re *reply) ([]foundObservation, error) {
	asOf, err := a.Memory.AsOf(in.AsOf)
	if err != nil {
		return nil, err
	}
	res, err := a.Memory.Search(ctx, memory.SearchInput{
		Query: in.Query, Types: oneOrNone(in.Type), Project: in.Project, AllProjects: in.AllProjects || in.Project == "",
		Scope: in.Scope, Limit: in.Limit, MatchAll: in.MatchMode == "all", AsOf: asOf, Deep: in.Deep,
	})
	if err != nil {
		return nil, err
	}
	if res.NoAnswer {
		re.header.Set(headerNoAnswer, "true")
	}
	re.similar(res.SimilarProjects)
	re.warn(res.Warnings)
	out := make([]foundObservation, 0, len(res.Hits))
	for _, h := range res.Hits {
		out = append(out, foundObservation{observation: wireSnippet(h.Memory), Rank: -h.Probability})
	}
	return out, nil
}

// similar names other projects to try, where the body has no room for them.
func (re *reply) similar(projects []string) {
	if len(projects) > 0 {
		re.header.Set(headerSimilarProjects, escapeAll(projects))
	}
}

// warn puts warnings where the body has no room for them.
func (re *reply) warn(warnings []string) {
	if len(warnings) > 0 {
		re.header.Set(headerWarnings, escapeAll(warnings))
	}
}

func escapeAll(names []string) string {
	out := make([]string, len(names))
	for i, n := range names {
		out[i] = url.PathEscape(n)
	}
	return strings.Join(out, ", ")
}

type contextQuery struct {
	Project  string `query:"project"   doc:"all projects when left out"`
	Scope    string `query:"scope"`
	MaxBytes *int   `query:"max_bytes" min:"256" max:"65536" doc:"4096 when left out"`
	Compact  bool   `query:"compact"   doc:"titles only"`
	Query    string `query:"query"     doc:"brings the memories most relevant to it"`
}

func (in *contextQuery) input() memory.ContextInput {
	return memory.ContextInput{
		Project: in.Project, AllProjects: in.Project == "", Scope: in.Scope,
		MaxBytes: orZero(in.MaxBytes), Compact: in.Compact, Query: in.Query,
	}
}

type wireContext struct {
	Context string `json:"context" doc:"Markdown, empty when there is nothing"`
}

func (a *api) wireContext(ctx context.Context, in *contextQuery, re *reply) (wireContext, error) {
	res, err := a.Memory.Context(ctx, in.input())
	re.similar(res.SimilarProjects)
	re.warn(res.Warnings)
	return wireContext{Context: res.Text}, err
}

type saveWirePrompt struct {
	SessionID string `json:"session_id" required:"true"`
	Content   string `json:"content"    required:"true"`
	Project   string `json:"project"`
}

func (a *api) saveWirePrompt(ctx context.Context, in *saveWirePrompt, _ *reply) (savedWirePrompt, error) {
	p, err := a.Memory.SavePrompt(ctx, in.SessionID, in.Project, in.Content)
	if err != nil {
		return savedWirePrompt{}, err
	}
	return savedWirePrompt{doneNumber{ID: p.ID, Status: "saved"}, redacted{p.Redacted}}, nil
}

type recentPrompts struct {
	Project string `query:"project" doc:"all projects when left out"`
	Limit   int    `query:"limit" max:"1000" doc:"20 when left out"`
}

func (a *api) recentPrompts(ctx context.Context, in *recentPrompts, _ *reply) ([]wirePrompt, error) {
	list, err := a.Memory.Prompts(ctx, memory.RecentInput{Project: in.Project, Limit: in.Limit})
	return wirePrompts(list.Prompts), err
}

type searchWirePrompts struct {
	Query   string `query:"q" required:"true"`
	Project string `query:"project" doc:"all projects when left out"`
	Limit   int    `query:"limit" max:"1000" doc:"10 when left out"`
}

func (a *api) searchWirePrompts(ctx context.Context, in *searchWirePrompts, re *reply) ([]wirePrompt, error) {
	found, err := a.Memory.SearchPrompts(ctx, in.Query, memory.RecentInput{Project: in.Project, Limit: orDefault(in.Limit, 10)})
	re.warn(found.Warnings)
	return wirePrompts(found.Prompts), err
}

func (a *api) getWirePrompt(ctx context.Context, in *byID, _ *reply) (wirePrompt, error) {
	p, err := a.Memory.Prompt(ctx, in.ID)
	if err != nil {
		return wirePrompt{}, err
	}
	return wirePromptOf(p), nil
}

func (a *api) deleteWirePrompt(ctx context.Context, in *byID, _ *reply) (doneNumber, error) {
	return doneNumber{ID: in.ID, Status: "deleted"}, a.Memory.DeletePrompt(ctx, in.ID)
}

type projectOf struct {
	Cwd string `query:"cwd" doc:"a directory on the server's machine, by its absolute path; it need not be there; the default project when left out"`
}

type wireProject struct {
	Project       string   `json:"project"`
	ProjectSource string   `json:"project_source"`
	ProjectPath   string   `json:"project_path"`
	Remote        string   `json:"remote,omitempty"`
	Warnings      []string `json:"warnings"`
}

func (a *api) wireProject(ctx context.Context, in *projectOf, _ *reply) (wireProject, error) {
	p, err := a.projectIdentity(ctx, in.Cwd)
	return wireProject{
		Project: p.Name, ProjectSource: string(p.Source), ProjectPath: p.Path,
		Remote: p.Remote, Warnings: list(p.Warnings),
	}, err
}

func (a *api) projectIdentity(ctx context.Context, dir string) (engram.ProjectIdentity, error) {
	if dir == "" {
		return a.Memory.CurrentProject(ctx)
	}
	if !project.IsAbs(dir) {
		return engram.ProjectIdentity{}, badRequest("relative_path", "cwd is %s, which is not an absolute path", shown(dir)).
			WithHint("send the whole path of the directory: where this server runs is not where you are")
	}
	if a.opts.ProjectOf == nil {
		return engram.ProjectIdentity{}, engram.Errorf(engram.ErrUnavailable, "this server does not look into directories").
			WithCode("no_project_detection").WithHint("name the project yourself")
	}
	id, err := a.opts.ProjectOf(ctx, dir)
	if err != nil {
		return engram.ProjectIdentity{}, err
	}
	return a.Memory.IdentifyProject(ctx, id)
}

type finding struct {
	Check   string `json:"check"`
	OK      bool   `json:"ok"`
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty" doc:"what to do about it"`
}

type wireDoctor struct {
	Status string    `json:"status" doc:"ok or problems"`
	Checks []finding `json:"checks"`
}

func (a *api) wireDoctor(ctx context.Context, _ *none, _ *reply) (wireDoctor, error) {
	found, err := a.Upkeep.Doctor(ctx, false)
	out := wireDoctor{Status: "ok", Checks: make([]finding, 0, len(found))}
	for _, f := range found {
		if !f.OK {
			out.Status = "problems"
		}
		out.Checks = append(out.Checks, finding{Check: f.Check, OK: f.OK, Message: f.Message, Fix: f.Fix})
	}
	return out, err
}

func attachment(h http.Header, name string) {
	h.Set("Content-Disposition", `attachment; filename="`+name+`"`)
}
