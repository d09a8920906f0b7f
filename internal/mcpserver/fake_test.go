package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/store"
)

// fakeMemories keeps memories in a map, with the service's rules as far as the
// tools can tell. Its hook runs before each call.
type fakeMemories struct {
	hook func(ctx context.Context, method string) error

	mu        sync.Mutex
	memories  map[int64]*engram.Memory
	versions  map[int64][]*engram.Memory
	sessions  map[string]*engram.Session
	prompts   []*engram.Prompt
	last      int64
	calls     []string
	actors    []engram.Actor
	searched  memory.SearchInput
	explained memory.ExplainInput
	saved     memory.SaveInput

	warnings    []string       // of searches
	alike       []memory.Alike // to what is saved next, when that is asked
	notCompared error
	// explanation is what Explain answers.
	explanation memory.Explanation
}

const fakeProject = "here"

func newFake() *fakeMemories {
	return &fakeMemories{
		memories:    map[int64]*engram.Memory{},
		versions:    map[int64][]*engram.Memory{},
		sessions:    map[string]*engram.Session{},
		explanation: memory.Explanation{Text: "No answer: no arm found anything.", Trace: &memory.Trace{Floor: 0.5}},
	}
}

// fakeRedacted finds one secret, by the beginning of its name.
func fakeRedacted(content string) []string {
	if strings.Contains(content, "AKIA") {
		return []string{"aws-key"}
	}
	return nil
}

var fakeTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func (f *fakeMemories) open(context.Context) (Memories, error) { return f, nil }

func (f *fakeMemories) enter(ctx context.Context, method string) (leave func(), err error) {
	if f.hook != nil {
		if err := f.hook(ctx, method); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	f.calls = append(f.calls, method)
	f.actors = append(f.actors, engram.ActorFrom(ctx))
	return f.mu.Unlock, nil
}

func (f *fakeMemories) tick() time.Time {
	return fakeTime.Add(time.Duration(f.last) * time.Minute)
}

func notFound(id int64) error {
	return engram.Errorf(engram.ErrNotFound, "memory %d not found", id).WithCode("unknown_id")
}

func (f *fakeMemories) Save(ctx context.Context, in memory.SaveInput) (memory.SaveResult, error) {
	leave, err := f.enter(ctx, "Save")
	if err != nil {
		return memory.SaveResult{}, err
	}
	defer leave()
	f.saved = in
	if len(in.Content) > engram.DefaultMaxContent {
		return memory.SaveResult{}, engram.Errorf(engram.ErrTooLarge, "content has %d bytes, at most %d are kept", len(in.Content), engram.DefaultMaxContent).WithCode("content_too_long")
	}
	project := engram.NormalizeProject(in.Project)
	if project == "" {
		project = fakeProject
	}
	session := in.Session
	if session == "" {
		session = engram.ManualSession(project)
	}
	content := in.Content
	res := memory.SaveResult{NotCompared: f.notCompared, Outcome: store.Created, Type: in.Type, Project: project, Session: session, RevisionCount: 1}
	if in.Compare {
		res.Alike = f.alike
	}
	if in.TopicKey != "" {
		if res.TopicKey, err = engram.NormalizeTopicKey(in.TopicKey); err != nil {
			return memory.SaveResult{}, err
		}
	} else {
		res.Suggested = in.Type + "/" + strings.ToLower(strings.ReplaceAll(in.Title, " ", "-"))
	}
	for _, m := range f.memories {
		switch {
		case res.TopicKey != "" && m.TopicKey == res.TopicKey && m.Project == project:
			old := *m
			f.versions[m.ID] = append(f.versions[m.ID], &old)
			m.Title, m.Content, m.UpdatedAt = in.Title, content, f.tick()
			m.RevisionCount++
			m.Version++
			res.ID, res.Outcome, res.RevisionCount = m.ID, store.Updated, m.RevisionCount
			return res, nil
		case m.Title == in.Title && m.Content == content && m.Project == project:
			m.DuplicateCount++
			res.ID, res.Outcome = m.ID, store.Duplicate
			return res, nil
		}
	}
	f.last++
	m := &engram.Memory{
		ID: f.last, Type: in.Type, Title: in.Title, Content: content, Project: project, Scope: engram.Scope(in.Scope), Session: session,
		TopicKey: res.TopicKey, Files: in.Files, Pinned: in.Pinned, Origin: engram.OriginAgent, Trust: engram.TrustOf(engram.OriginAgent), Version: 1, RevisionCount: 1, DuplicateCount: 1,
		CreatedAt: f.tick(), UpdatedAt: f.tick(), RecordedAt: f.tick(),
	}
	f.memories[m.ID] = m
	res.ID = m.ID
	return res, nil
}

func (f *fakeMemories) Update(ctx context.Context, id int64, in memory.UpdateInput) (memory.Updated, error) {
	leave, err := f.enter(ctx, "Update")
	if err != nil {
		return memory.Updated{}, err
	}
	defer leave()
	m := f.memories[id]
	if m == nil {
		return memory.Updated{}, notFound(id)
	}
	if in.Title != nil {
		m.Title = *in.Title
	}
	if in.Content != nil {
		m.Content = *in.Content
	}
	m.RevisionCount++
	out := *m
	return memory.Updated{Memory: &out, Redacted: fakeRedacted(*cmp.Or(in.Content, new(string)))}, nil
}

func (f *fakeMemories) SuggestTopicKey(ctx context.Context, typ, title, content string) (string, error) {
	leave, err := f.enter(ctx, "SuggestTopicKey")
	if err != nil {
		return "", err
	}
	defer leave()
	if title == "" && content == "" {
		return "", engram.Errorf(engram.ErrInvalid, "title or content is required").WithCode("title_required")
	}
	return "topic/" + strings.ToLower(title+content), nil
}

func (f *fakeMemories) CapturePassive(ctx context.Context, in memory.CaptureInput) (memory.CaptureResult, error) {
	leave, err := f.enter(ctx, "CapturePassive "+in.Source)
	if err != nil {
		return memory.CaptureResult{}, err
	}
	defer leave()
	n := strings.Count(in.Content, "\n- ")
	if n == 0 {
		return memory.CaptureResult{}, nil
	}
	return memory.CaptureResult{Extracted: n, Saved: n, IDs: []int64{7, 8}[:min(n, 2)], Redacted: fakeRedacted(in.Content)}, nil
}

func (f *fakeMemories) Get(ctx context.Context, id int64) (*engram.Memory, error) {
	leave, err := f.enter(ctx, "Get")
	if err != nil {
		return nil, err
	}
	defer leave()
	m := f.memories[id]
	if m == nil {
		return nil, notFound(id)
	}
	out := *m
	return &out, nil
}

func (f *fakeMemories) History(ctx context.Context, id int64) ([]*engram.Memory, error) {
	leave, err := f.enter(ctx, "History")
	if err != nil {
		return nil, err
	}
	defer leave()
	return append(slices.Clone(f.versions[id]), f.memories[id]), nil
}

func (f *fakeMemories) ids() []int64 {
	var ids []int64
	for id := range f.memories {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

func (f *fakeMemories) Timeline(ctx context.Context, id int64, before, after int) (*store.Timeline, error) {
	leave, err := f.enter(ctx, "Timeline")
	if err != nil {
		return nil, err
	}
	defer leave()
	focus := f.memories[id]
	if focus == nil {
		return nil, notFound(id)
	}
	session := f.sessions[focus.Session]
	if session == nil {
		session = &engram.Session{ID: focus.Session, Project: focus.Project, StartedAt: fakeTime}
	}
	t := &store.Timeline{Focus: focus, Session: session}
	for _, other := range f.ids() {
		m := f.memories[other]
		if m.Session != focus.Session {
			continue
		}
		t.Total++
		if other < id && id-other <= int64(before) {
			t.Before = append(t.Before, m)
		}
		if other > id && other-id <= int64(after) {
			t.After = append(t.After, m)
		}
	}
	return t, nil
}

func (f *fakeMemories) Stats(ctx context.Context, _ string) (memory.StatsResult, error) {
	leave, err := f.enter(ctx, "Stats")
	if err != nil {
		return memory.StatsResult{}, err
	}
	defer leave()
	var s memory.StatsResult
	s.Memories, s.Sessions, s.Prompts = len(f.memories), len(f.sessions), len(f.prompts)
	s.ByType = map[string]int{}
	for _, m := range f.memories {
		s.ByType[m.Type]++
		if !slices.Contains(s.Projects, m.Project) {
			s.Projects = append(s.Projects, m.Project)
		}
	}
	slices.Sort(s.Projects)
	return s, nil
}

func (f *fakeMemories) Delete(ctx context.Context, id int64, hard bool) (engram.Receipt, error) {
	leave, err := f.enter(ctx, "Delete")
	if err != nil {
		return engram.Receipt{}, err
	}
	defer leave()
	if f.memories[id] == nil {
		return engram.Receipt{}, notFound(id)
	}
	delete(f.memories, id)
	r := engram.Receipt{ID: id, Hard: hard, Memories: 1}
	if hard {
		r.Versions, r.Copies = 1, []string{"backup-1.db"}
	}
	return r, nil
}

// AsOf is the service's rule, in UTC.
func (f *fakeMemories) AsOf(value string) (time.Time, error) {
	s := memory.New(nil, memory.Options{})
	defer s.Close()
	return s.AsOf(value)
}

func (f *fakeMemories) Search(ctx context.Context, in memory.SearchInput) (memory.SearchResult, error) {
	leave, err := f.enter(ctx, "Search")
	if err != nil {
		return memory.SearchResult{}, err
	}
	defer leave()
	f.searched = in
	res := memory.SearchResult{Project: engram.NormalizeProject(in.Project), Warnings: f.warnings}
	if res.Project == "" && !in.AllProjects {
		res.Project = fakeProject
	}
	for _, id := range f.ids() {
		m := f.memories[id]
		if (res.Project == "" || m.Project == res.Project) && strings.Contains(strings.ToLower(m.Title+" "+m.Content), strings.ToLower(in.Query)) && len(res.Hits) < in.Limit {
			res.Hits = append(res.Hits, memory.Hit{Memory: m, Probability: 0.875})
		}
	}
	if res.NoAnswer = len(res.Hits) == 0; res.NoAnswer && res.Project == "heer" {
		res.SimilarProjects = []string{"here"}
	}
	return res, nil
}

func (f *fakeMemories) Explain(ctx context.Context, in memory.ExplainInput) (memory.Explanation, error) {
	leave, err := f.enter(ctx, "Explain")
	if err != nil {
		return memory.Explanation{}, err
	}
	defer leave()
	f.explained = in
	return f.explanation, nil
}

func (f *fakeMemories) Context(ctx context.Context, in memory.ContextInput) (memory.ContextResult, error) {
	leave, err := f.enter(ctx, fmt.Sprintf("Context %d", in.MaxBytes))
	if err != nil {
		return memory.ContextResult{}, err
	}
	defer leave()
	res := memory.ContextResult{Project: in.Project, Warnings: f.warnings}
	if in.Project == "her" {
		res.SimilarProjects = []string{"here"}
	}
	if res.Project == "" {
		res.Project = fakeProject
	}
	for _, id := range f.ids() {
		if m := f.memories[id]; m.Project == res.Project && (in.Scope == "" || in.Scope == string(m.Scope)) {
			res.Text += "- " + m.Title + "\n"
		}
	}
	if len(res.Text) > in.MaxBytes {
		res.Text, res.Left = res.Text[:in.MaxBytes], 1
	}
	return res, nil
}

func (f *fakeMemories) StartSession(ctx context.Context, in memory.SessionInput) (memory.StartedSession, bool, error) {
	leave, err := f.enter(ctx, "StartSession")
	if err != nil {
		return memory.StartedSession{}, false, err
	}
	defer leave()
	s, ok := f.sessions[in.ID]
	if !ok {
		s = &engram.Session{ID: in.ID, Project: engram.NormalizeProject(in.Project), StartedAt: fakeTime}
		f.sessions[in.ID] = s
	}
	return memory.StartedSession{Session: s, Redacted: fakeRedacted(in.Directory)}, !ok, nil
}

func (f *fakeMemories) EndSession(ctx context.Context, id, summary string) (memory.EndedSession, error) {
	leave, err := f.enter(ctx, "EndSession")
	if err != nil {
		return memory.EndedSession{}, err
	}
	defer leave()
	s := f.sessions[id]
	if s == nil {
		return memory.EndedSession{}, engram.Errorf(engram.ErrNotFound, "session not found").WithCode("unknown_session")
	}
	s.Summary = summary
	return memory.EndedSession{Session: s, Redacted: fakeRedacted(summary)}, nil
}

func (f *fakeMemories) SessionSummary(ctx context.Context, project, session, content string) (memory.SaveResult, error) {
	return f.Save(ctx, memory.SaveInput{Type: engram.TypeSessionSummary, Title: "Session summary", Content: content, Project: project, Session: session})
}

func (f *fakeMemories) SavePrompt(ctx context.Context, session, project, content string) (memory.SavedPrompt, error) {
	leave, err := f.enter(ctx, "SavePrompt")
	if err != nil {
		return memory.SavedPrompt{}, err
	}
	defer leave()
	if project == "" {
		project = fakeProject
	}
	p := &engram.Prompt{ID: int64(len(f.prompts) + 1), Session: session, Project: project, Content: content}
	f.prompts = append(f.prompts, p)
	return memory.SavedPrompt{Prompt: p, Redacted: fakeRedacted(content)}, nil
}
