package rest

import (
	"context"
	"net/http"
	"reflect"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/store"
)

type listMemories struct {
	Types     []string `query:"type"       doc:"may be repeated"`
	Project   string   `query:"project"    doc:"all projects when left out"`
	Scope     string   `query:"scope"      enum:"project,personal,global"`
	Session   string   `query:"session_id"`
	Since     string   `query:"since"      doc:"said or happened at or after this time"`
	Until     string   `query:"until"      doc:"said or happened before this time"`
	Pinned    bool     `query:"pinned"     doc:"only pinned ones"`
	OpenTasks bool     `query:"open_tasks" doc:"only tasks that are not done"`
	Deleted   string   `query:"deleted"    enum:"without,with,only" doc:"deleted ones; without when left out"`
	Order     string   `query:"order"      enum:"created,activity,occurred" doc:"newest first by this time; created when left out"`
	Limit     *int     `query:"limit"      min:"1" max:"1000" doc:"20 when left out"`
	Cursor    string   `query:"cursor"     doc:"next_cursor of the page before"`
}

var deletedModes = map[string]store.Deleted{
	"": store.WithoutDeleted, "without": store.WithoutDeleted, "with": store.WithDeleted, "only": store.OnlyDeleted,
}

var orders = map[string]store.Order{
	"": store.ByCreated, "created": store.ByCreated, "activity": store.ByActivity, "occurred": store.ByOccurred,
}

func (a *api) listMemories(ctx context.Context, in *listMemories, _ *reply) (page[memoryJSON], error) {
	since, err := parseTime("since", in.Since)
	if err != nil {
		return page[memoryJSON]{}, err
	}
	until, err := parseTime("until", in.Until)
	if err != nil {
		return page[memoryJSON]{}, err
	}
	res, err := a.Memory.List(ctx, memory.ListInput{
		Types: in.Types, Project: in.Project, AllProjects: in.Project == "", Scope: in.Scope, Session: in.Session,
		Since: since, Until: until, Pinned: in.Pinned, OpenTasks: in.OpenTasks, Deleted: deletedModes[in.Deleted],
		Order: orders[in.Order], Limit: orZero(in.Limit), Cursor: in.Cursor,
	})
	return page[memoryJSON]{Items: memorySnippets(res.Memories), NextCursor: res.Next}, err
}

type saveMemory struct {
	Content    string   `json:"content"     required:"true"`
	Title      string   `json:"title"       doc:"the beginning of the content when left out"`
	Type       string   `json:"type"        doc:"decision, bugfix, task, …; manual when left out"`
	Project    string   `json:"project"`
	Scope      string   `json:"scope"       enum:"project,personal,global"`
	SessionID  string   `json:"session_id"  doc:"an unknown one is created"`
	TopicKey   string   `json:"topic_key"   doc:"a later save with the same key writes over this one"`
	ToolName   string   `json:"tool_name"`
	Speaker    string   `json:"speaker"     doc:"who said it"`
	Role       string   `json:"role"        doc:"user or assistant"`
	OccurredAt string   `json:"occurred_at" doc:"when it was said or happened; sent again with the same one, it is a duplicate"`
	Importance *float64 `json:"importance"  doc:"0 to 1"`
	Pinned     bool     `json:"pinned"`
	Status     string   `json:"status"      doc:"of a task: done ends it, any other word leaves it open"`
	Files      []string `json:"files"`
	Origin     string   `json:"origin"      enum:"user,agent,tool,web,document,import,derived" doc:"where it came from; agent when left out"`
}

type savedMemory struct {
	ID                int64    `json:"id"`
	UID               string   `json:"uid"`
	Outcome           string   `json:"outcome"                       doc:"created, updated (a topic, or a duplicate that added something) or duplicate"`
	Type              string   `json:"type"`
	Project           string   `json:"project,omitempty"`
	SessionID         string   `json:"session_id"`
	TopicKey          string   `json:"topic_key,omitempty"`
	SuggestedTopicKey string   `json:"suggested_topic_key,omitempty" doc:"to use next time, where none was given"`
	RevisionCount     int      `json:"revision_count"`
	Redacted          []string `json:"redacted"                      doc:"kinds of secrets that were taken out"`
}

func savedOf(res memory.SaveResult, re *reply) savedMemory {
	if res.Outcome == store.Created {
		re.status = http.StatusCreated
	} else {
		re.status = http.StatusOK
	}
	return savedMemory{
		ID: res.ID, UID: res.UID, Outcome: string(res.Outcome), Type: res.Type, Project: res.Project,
		SessionID: res.Session, TopicKey: res.TopicKey, SuggestedTopicKey: res.Suggested,
		RevisionCount: res.RevisionCount, Redacted: list(res.Redacted),
	}
}

func (a *api) saveMemory(ctx context.Context, in *saveMemory, re *reply) (savedMemory, error) {
	at, err := parseTime("occurred_at", in.OccurredAt)
	if err != nil {
		return savedMemory{}, err
	}
	res, err := a.Memory.Save(ctx, memory.SaveInput{
		Title: in.Title, Content: in.Content, Type: in.Type, Project: in.Project, Scope: in.Scope,
		Session: in.SessionID, TopicKey: in.TopicKey, ToolName: in.ToolName, Speaker: in.Speaker, Role: in.Role,
		OccurredAt: at, Importance: in.Importance, Pinned: in.Pinned, Status: in.Status, Files: in.Files,
		Origin: engram.Origin(in.Origin),
	})
	if err != nil {
		return savedMemory{}, err
	}
	return savedOf(res, re), nil
}

func (a *api) getMemory(ctx context.Context, in *byID, _ *reply) (memoryJSON, error) {
	return memoryOr(a.Memory.Get(ctx, in.ID))
}

type patchMemory struct {
	ID         int64     `path:"id"          json:"-"`
	Title      *string   `json:"title"`
	Content    *string   `json:"content"`
	Type       *string   `json:"type"`
	Project    *string   `json:"project"`
	Scope      *string   `json:"scope"       enum:"project,personal,global"`
	TopicKey   *string   `json:"topic_key"`
	Status     *string   `json:"status"`
	Importance *float64  `json:"importance"  doc:"0 to 1"`
	Files      *[]string `json:"files"`
}

// nothingToUpdate names what a body In may change.
func nothingToUpdate[In any]() error {
	return badRequest("nothing_to_update", "nothing to change was given").
		WithHint("give at least one of %s", namesIn(fieldsOf(reflect.TypeFor[In]()), inBody))
}

func (a *api) patchMemory(ctx context.Context, in *patchMemory, _ *reply) (changedMemory, error) {
	change := memory.UpdateInput{
		Title: in.Title, Content: in.Content, Type: in.Type, Project: in.Project, Scope: in.Scope,
		TopicKey: in.TopicKey, Status: in.Status, Importance: in.Importance, Files: in.Files,
	}
	if change == (memory.UpdateInput{}) {
		return changedMemory{}, nothingToUpdate[patchMemory]()
	}
	m, err := a.Memory.Update(ctx, in.ID, change)
	if err != nil {
		return changedMemory{}, err
	}
	return changedMemory{memoryOf(m.Memory), allRedacted(m.Redacted)}, nil
}

func (a *api) deleteMemory(ctx context.Context, in *deleteMemory, _ *reply) (receiptJSON, error) {
	receipt, err := a.Memory.Delete(ctx, in.ID, in.Hard)
	return receiptOf(receipt), err
}

func (a *api) memoryHistory(ctx context.Context, in *byID, _ *reply) (page[memoryJSON], error) {
	versions, err := a.Memory.History(ctx, in.ID)
	return page[memoryJSON]{Items: memorySnippets(versions)}, err
}

type restoredMemory struct {
	memoryJSON
	WasLiving   bool   `json:"was_living"                 doc:"it was not deleted, and nothing was done"`
	LostTopic   string `json:"lost_topic_key,omitempty"   doc:"that it had to leave: another memory has it by now"`
	TopicHolder int64  `json:"topic_key_holder,omitempty" doc:"the memory that has lost_topic_key"`
}

func (a *api) restoreMemory(ctx context.Context, in *byID, _ *reply) (restoredMemory, error) {
	r, err := a.Memory.Restore(ctx, in.ID)
	if err != nil {
		return restoredMemory{}, err
	}
	return restoredMemory{memoryOf(r.Memory), r.WasLiving, r.LostTopic, r.TopicHolder}, nil
}

func (a *api) pinMemory(pinned bool) func(context.Context, *byID, *reply) (memoryJSON, error) {
	return func(ctx context.Context, in *byID, _ *reply) (memoryJSON, error) {
		return memoryOr(a.Memory.Pin(ctx, in.ID, pinned))
	}
}

type memoryTimeline struct {
	ID     int64 `path:"id"`
	Before *int  `query:"before" max:"100" doc:"5 when left out"`
	After  *int  `query:"after"  max:"100" doc:"5 when left out"`
}

func (a *api) memoryTimeline(ctx context.Context, in *memoryTimeline, _ *reply) (timelineJSON, error) {
	tl, err := a.Memory.Timeline(ctx, in.ID, around(in.Before), around(in.After))
	if err != nil {
		return timelineJSON{}, err
	}
	return timelineOf(tl), nil
}

type captureV1 struct {
	Content   string `json:"content"    required:"true"`
	SessionID string `json:"session_id"`
	Project   string `json:"project"`
	Source    string `json:"source"     doc:"what captured it"`
}

type capturedV1 struct {
	Extracted  int     `json:"extracted"`
	Saved      int     `json:"saved"`
	Duplicates int     `json:"duplicates"`
	IDs        []int64 `json:"ids" doc:"of the saved ones"`
	redactedList
}

func (a *api) capture(ctx context.Context, in *captureV1, _ *reply) (capturedV1, error) {
	res, err := a.Memory.CapturePassive(ctx, memory.CaptureInput{
		Session: in.SessionID, Content: in.Content, Project: in.Project, Source: in.Source,
	})
	return capturedV1{
		Extracted: res.Extracted, Saved: res.Saved, Duplicates: res.Duplicates, IDs: list(res.IDs),
		redactedList: allRedacted(res.Redacted),
	}, err
}

// searchBody is what search and recall share.
type searchBody struct {
	Query     string   `json:"query"      required:"true"`
	Types     []string `json:"types"`
	Project   string   `json:"project"    doc:"all projects when left out"`
	Scope     string   `json:"scope"      enum:"project,personal,global"`
	Limit     *int     `json:"limit"      min:"1" max:"50" doc:"10 when left out, 20 where a budget is packed"`
	MatchMode string   `json:"match_mode" enum:"any,all" doc:"all: only what has every word"`
	AsOf      string   `json:"as_of"      doc:"what was known then; a date means its end"`
	Deep      bool     `json:"deep"       doc:"looks further"`
	Explain   bool     `json:"explain"    doc:"brings trace, as POST /v1/explain always does: how the answer came about"`
}

func (a *api) searchInput(in *searchBody) (memory.SearchInput, error) {
	asOf, err := a.Memory.AsOf(in.AsOf)
	return memory.SearchInput{
		Query: in.Query, Types: in.Types, Project: in.Project, AllProjects: in.Project == "", Scope: in.Scope,
		Limit: orZero(in.Limit), MatchAll: in.MatchMode == "all", AsOf: asOf, Deep: in.Deep, Explain: in.Explain,
	}, err
}

type found struct {
	Items           []hitJSON `json:"items"                      doc:"best first"`
	NoAnswer        bool      `json:"no_answer"                  doc:"nothing cleared the floor"`
	Project         string    `json:"project,omitempty"          doc:"that was searched"`
	SimilarProjects []string  `json:"similar_projects" doc:"to try, when the project has no answer"`
	Warnings        []string  `json:"warnings,omitempty"         doc:"what the search had to do without, each beginning with a code"`

	Trace *memory.Trace `json:"trace,omitempty" doc:"with explain"`
}

func foundOf(res memory.SearchResult) found {
	return found{
		Items: hitsOf(res.Hits), NoAnswer: res.NoAnswer, Project: res.Project, SimilarProjects: list(res.SimilarProjects),
		Warnings: res.Warnings, Trace: res.Trace,
	}
}

func (a *api) search(ctx context.Context, in *searchBody, _ *reply) (found, error) {
	q, err := a.searchInput(in)
	if err != nil {
		return found{}, err
	}
	res, err := a.Memory.Search(ctx, q)
	return foundOf(res), err
}

type recallBody struct {
	searchBody
	Budget *int `json:"budget" min:"50" max:"32000" doc:"tokens; 2000 when left out; no more memories than limit are packed"`
}

type recalled struct {
	Text       string `json:"text"        doc:"to put before a model; empty with no_answer"`
	Tokens     int    `json:"tokens"      doc:"estimated length of text"`
	OverBudget int    `json:"over_budget" doc:"memories that cleared the floor and were left out"`
	found
}

func (a *api) recall(ctx context.Context, in *recallBody, _ *reply) (recalled, error) {
	q, err := a.searchInput(&in.searchBody)
	if err != nil {
		return recalled{}, err
	}
	res, err := a.Memory.Recall(ctx, memory.RecallInput{SearchInput: q, Budget: orZero(in.Budget)})
	return recalled{
		Text: res.Text, Tokens: res.Tokens, OverBudget: res.OverBudget, found: foundOf(res.SearchResult),
	}, err
}
