package rest

import (
	"context"
	"fmt"
	"net/http"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/store"
)

// saveObservation is the body of POST /observations: what every client of this
// wire sends, and below it what ours may add.
type saveObservation struct {
	SessionID string `json:"session_id" required:"true"`
	Type      string `json:"type"       doc:"decision, bugfix, …; manual when left out"`
	Title     string `json:"title"      required:"true"`
	Content   string `json:"content"    required:"true"`
	ToolName  string `json:"tool_name"`
	Project   string `json:"project"`
	Scope     string `json:"scope"      doc:"project (default), personal or global"`
	TopicKey  string `json:"topic_key"  doc:"a later save with the same key writes over this one"`

	Speaker    string   `json:"speaker"     doc:"who said it"`
	Role       string   `json:"role"        doc:"user or assistant"`
	OccurredAt string   `json:"occurred_at" doc:"when it was said or happened"`
	Importance *float64 `json:"importance"  doc:"0 to 1"`
	Pinned     bool     `json:"pinned"`
	Files      []string `json:"files"`
}

type savedObservation struct {
	ID      int64  `json:"id"`
	Status  string `json:"status"`
	SyncID  string `json:"sync_id"`
	Outcome string `json:"outcome" doc:"created, updated or duplicate"`
	redacted
}

func (a *api) saveObservation(ctx context.Context, in *saveObservation, _ *reply) (savedObservation, error) {
	at, err := parseTime("occurred_at", in.OccurredAt)
	if err != nil {
		return savedObservation{}, err
	}
	res, err := a.Memory.Save(ctx, memory.SaveInput{
		Session: in.SessionID, Type: in.Type, Title: in.Title, Content: in.Content, ToolName: in.ToolName,
		Project: in.Project, Scope: in.Scope, TopicKey: in.TopicKey, Speaker: in.Speaker, Role: in.Role,
		OccurredAt: at, Importance: in.Importance, Pinned: in.Pinned, Files: in.Files,
	})
	if err != nil {
		return savedObservation{}, err
	}
	return savedObservation{
		ID: res.ID, Status: "saved", SyncID: res.UID, Outcome: string(res.Outcome), redacted: redacted{res.Redacted},
	}, nil
}

type capturePassive struct {
	SessionID string `json:"session_id" required:"true"`
	Content   string `json:"content"    required:"true"`
	Project   string `json:"project"`
	Source    string `json:"source"     doc:"what captured it"`
}

type captured struct {
	Extracted  int `json:"extracted"`
	Saved      int `json:"saved"`
	Duplicates int `json:"duplicates"`
	redacted
}

func (a *api) capturePassive(ctx context.Context, in *capturePassive, _ *reply) (captured, error) {
	res, err := a.Memory.CapturePassive(ctx, memory.CaptureInput{
		Session: in.SessionID, Content: in.Content, Project: in.Project, Source: in.Source,
	})
	return captured{
		Extracted: res.Extracted, Saved: res.Saved, Duplicates: res.Duplicates, redacted: redacted{res.Redacted},
	}, err
}

// recentQuery is what lists of the newest things take.
type recentQuery struct {
	Project string `query:"project" doc:"all projects when left out"`
	Scope   string `query:"scope"`
	Type    string `query:"type"`
	Session string `query:"session_id"`
	Limit   int    `query:"limit" max:"1000" doc:"20 when left out"`
}

func (a *api) listObservations(ctx context.Context, in *recentQuery, _ *reply) ([]observation, error) {
	res, err := a.Memory.List(ctx, memory.ListInput{
		Project: in.Project, AllProjects: in.Project == "", Scope: in.Scope, Types: oneOrNone(in.Type),
		Session: in.Session, Limit: in.Limit, Order: store.ByCreated,
	})
	return wireSnippets(res.Memories), err
}

func oneOrNone(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

// byID is a memory or a prompt in a path.
type byID struct {
	ID int64 `path:"id"`
}

func (a *api) getObservation(ctx context.Context, in *byID, _ *reply) (observation, error) {
	m, err := a.Memory.Get(ctx, in.ID)
	return observationOr(m, err)
}

func observationOr(m *engram.Memory, err error) (observation, error) {
	if err != nil {
		return observation{}, err
	}
	return wireObservation(m), nil
}

type patchObservation struct {
	ID       int64   `path:"id"         json:"-"`
	Type     *string `json:"type"`
	Title    *string `json:"title"`
	Content  *string `json:"content"`
	Project  *string `json:"project"`
	Scope    *string `json:"scope"`
	TopicKey *string `json:"topic_key"`
}

func (a *api) patchObservation(ctx context.Context, in *patchObservation, _ *reply) (changedObservation, error) {
	change := memory.UpdateInput{
		Type: in.Type, Title: in.Title, Content: in.Content, Project: in.Project, Scope: in.Scope, TopicKey: in.TopicKey,
	}
	if change == (memory.UpdateInput{}) {
		return changedObservation{}, nothingToUpdate[patchObservation]()
	}
	m, err := a.Memory.Update(ctx, in.ID, change)
	if err != nil {
		return changedObservation{}, err
	}
	return changedObservation{wireObservation(m.Memory), redacted{m.Redacted}}, nil
}

type deleteMemory struct {
	ID   int64 `path:"id"`
	Hard bool  `query:"hard" doc:"erase it for good instead of hiding it"`
}

type deletedObservation struct {
	ID         int64        `json:"id"`
	Status     string       `json:"status"`
	HardDelete bool         `json:"hard_delete"`
	Receipt    *receiptJSON `json:"receipt,omitempty" doc:"what was erased, and where copies may remain"`
}

func (a *api) deleteObservation(ctx context.Context, in *deleteMemory, _ *reply) (deletedObservation, error) {
	receipt, err := a.Memory.Delete(ctx, in.ID, in.Hard)
	if err != nil {
		return deletedObservation{}, err
	}
	out := deletedObservation{ID: in.ID, Status: "deleted", HardDelete: in.Hard}
	if in.Hard {
		r := receiptOf(receipt)
		out.Receipt = &r
	}
	return out, nil
}

func (a *api) restoreObservation(ctx context.Context, in *byID, re *reply) (observation, error) {
	r, err := a.Memory.Restore(ctx, in.ID)
	if err == nil && r.LostTopic != "" {
		re.warn([]string{fmt.Sprintf("topic_key_taken: memory %d has the topic key %s by now, so %d came back without it", r.TopicHolder, r.LostTopic, r.ID)})
	}
	return observationOr(r.Memory, err)
}

func (a *api) pinObservation(pinned bool) func(context.Context, *byID, *reply) (observation, error) {
	return func(ctx context.Context, in *byID, _ *reply) (observation, error) {
		m, err := a.Memory.Pin(ctx, in.ID, pinned)
		return observationOr(m, err)
	}
}

type timelineQuery struct {
	ID     int64 `query:"observation_id" required:"true"`
	Before *int  `query:"before" max:"100" doc:"5 when left out"`
	After  *int  `query:"after"  max:"100" doc:"5 when left out"`
}

func (a *api) timeline(ctx context.Context, in *timelineQuery, _ *reply) (wireTimeline, error) {
	tl, err := a.Memory.Timeline(ctx, in.ID, around(in.Before), around(in.After))
	if err != nil {
		return wireTimeline{}, err
	}
	return wireTimelineOf(tl), nil
}

// around is how many neighbours a timeline shows on one side.
func around(n *int) int {
	if n == nil {
		return 5
	}
	return *n
}

type suggestTopicKey struct {
	Type    string `json:"type"`
	Title   string `json:"title"`
	Content string `json:"content"`
}

type suggestedTopicKey struct {
	TopicKey string `json:"topic_key"`
}

func (a *api) suggestTopicKey(ctx context.Context, in *suggestTopicKey, _ *reply) (suggestedTopicKey, error) {
	key, err := a.Memory.SuggestTopicKey(ctx, in.Type, in.Title, in.Content)
	return suggestedTopicKey{TopicKey: key}, err
}

// wireRoutes are the routes at the root.
func (a *api) wireRoutes() []route {
	const get, post, put, patch, del = http.MethodGet, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete
	return []route{
		op(a, get, "/health", "whether the server runs", a.health).public(),
		op(a, get, "/stats", "how much is there", a.wireStats),
		op(a, get, "/doctor", "what is wrong with the store", a.wireDoctor),

		op(a, post, "/sessions", "start a session", a.startWireSession).creates(),
		op(a, get, "/sessions/recent", "the sessions last active", a.recentSessions),
		op(a, get, "/sessions/{id}", "one session", a.getWireSession),
		op(a, post, "/sessions/{id}/end", "end a session", a.endWireSession),
		op(a, del, "/sessions/{id}", "remove a session that has nothing in it; 409 when it has, if only deleted memories or prompts", a.deleteWireSession),

		op(a, post, "/observations", "save an observation", a.saveObservation).creates(),
		op(a, post, "/observations/passive", "save the learnings in a text", a.capturePassive),
		op(a, get, "/observations", "the newest observations", a.listObservations),
		op(a, get, "/observations/recent", "the newest observations", a.listObservations),
		op(a, get, "/observations/{id}", "one observation, whole", a.getObservation),
		op(a, patch, "/observations/{id}", "change an observation", a.patchObservation),
		op(a, del, "/observations/{id}", "delete an observation", a.deleteObservation),
		op(a, post, "/observations/{id}/restore", "bring a deleted observation back", a.restoreObservation),
		op(a, put, "/observations/{id}/pin", "pin an observation", a.pinObservation(true)),
		op(a, del, "/observations/{id}/pin", "unpin an observation", a.pinObservation(false)),
		op(a, post, "/topic-keys/suggest", "a topic key for a text", a.suggestTopicKey),

		op(a, get, "/search", "the observations that answer a query, best first", a.wireSearch),
		op(a, get, "/timeline", "an observation among its neighbours", a.timeline),
		op(a, get, "/context", "the block for the start of a session", a.wireContext),

		op(a, post, "/prompts", "save what the user asked", a.saveWirePrompt).creates(),
		op(a, get, "/prompts/recent", "the newest prompts", a.recentPrompts),
		op(a, get, "/prompts/search", "prompts that have words of a query", a.searchWirePrompts),
		op(a, get, "/prompts/{id}", "one prompt, whole", a.getWirePrompt),
		op(a, del, "/prompts/{id}", "erase a prompt", a.deleteWirePrompt),

		op(a, get, "/project/current", "the project of a directory", a.wireProject),

		raw(get, "/export", "everything, as JSON that POST /import takes", "application/json", a.wireExport).streams(0),
		gives[wireImported](raw(post, "/import", "take an export; a second time changes nothing", "application/json", a.wireImport)).streams(a.opts.MaxImport),
	}
}
