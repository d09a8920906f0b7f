package memory

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"time"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
)

// The size of a context.
const (
	defaultContext = 4096
	minContext     = 256
	maxContext     = 65536
)

// How much is read for a context at most, whatever the size of the store: what
// has no chance of fitting is not fetched.
const (
	maxPinned    = 50
	maxTasks     = 30
	maxSummaries = 10
	maxRelevant  = 20
	maxRecent    = 200
	maxPrompts   = 20
)

// Context is a block of Markdown for the start of a session: what is pinned,
// what is open, what was done and asked lately, and with a query what is most
// relevant to it. Titles go before bodies, and it is never over its budget.
func (s *Service) Context(ctx context.Context, in ContextInput) (ContextResult, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return ContextResult{}, err
	}
	var r ContextResult
	if in.MaxBytes, r.Capped, err = contextSize(in.MaxBytes); err != nil {
		return ContextResult{}, err
	}
	f := store.Filter{Workspace: actor.Workspace}
	if f.Scopes, err = scopes(in.Scope); err != nil {
		return ContextResult{}, err
	}
	if err := s.projectFilter(ctx, &f, in.Project, in.AllProjects); err != nil {
		return ContextResult{}, err
	}
	if len(f.Projects) > 0 {
		r.Project = f.Projects[0]
	}
	g := &gathering{s: s, filter: f, in: in, seen: map[int64]bool{}, now: s.now()}
	sections, err := g.sections(ctx)
	if err != nil {
		return ContextResult{}, err
	}
	r.Warnings = g.warnings
	total, err := s.store.CountMemories(ctx, f)
	if err != nil {
		return ContextResult{}, err
	}
	layOut(&r, sections, total, in)
	if r.Text == "" && r.Project != "" {
		r.SimilarProjects, err = s.similarProjects(ctx, actor.Workspace, r.Project)
	}
	return r, err
}

func contextSize(n int) (size int, capped bool, err error) {
	switch {
	case n == 0:
		return defaultContext, false, nil
	case n < minContext:
		return 0, false, engram.Errorf(engram.ErrInvalid, "max_bytes is %d, it must be %d to %d", n, minContext, maxContext).
			WithCode("invalid_max_bytes")
	case n > maxContext:
		return maxContext, true, nil
	}
	return n, false, nil
}

// gathering collects what may go into a context, each memory once.
type gathering struct {
	s      *Service
	filter store.Filter
	in     ContextInput
	seen   map[int64]bool
	now    time.Time

	warnings []string
}

// sections gathers in the order of reading; a memory stands in the first
// section that has it.
func (g *gathering) sections(ctx context.Context) ([]*section, error) {
	pinned, tasks := g.filter, g.filter
	pinned.Pinned, tasks.OpenTasks = true, true
	recent := g.filter
	recent.NotTypes = []string{engram.TypeSessionSummary}
	var out []*section
	for _, step := range []struct {
		kind   sectionKind
		gather func(ctx context.Context, limit int) ([]*entry, error)
		limit  int
	}{
		{pinnedSection, g.lister(pinned), maxPinned},
		{taskSection, g.lister(tasks), maxTasks},
		{summarySection, g.summaries, maxSummaries},
		{relevantSection, g.relevant, maxRelevant},
		{recentSection, g.lister(recent), maxRecent},
		{promptSection, g.prompts, maxPrompts},
	} {
		limit := min(step.limit, max(5, g.in.MaxBytes/150))
		entries, err := step.gather(ctx, limit)
		if err != nil {
			return nil, err
		}
		out = append(out, &section{kind: step.kind, entries: entries})
	}
	return out, nil
}

// lister gathers memories by activity: a topic that was written over is new.
func (g *gathering) lister(f store.Filter) func(context.Context, int) ([]*entry, error) {
	return func(ctx context.Context, limit int) ([]*entry, error) {
		ms, err := g.s.store.ListMemories(ctx, f, store.ByActivity, store.Page{Limit: limit})
		if err != nil {
			return nil, err
		}
		return g.entries(ms), nil
	}
}

func (g *gathering) entries(ms []*engram.Memory) []*entry {
	var out []*entry
	for _, m := range ms {
		if !g.seen[m.ID] {
			g.seen[m.ID] = true
			out = append(out, g.entry(m))
		}
	}
	return out
}

// entry names the project where several are shown.
func (g *gathering) entry(m *engram.Memory) *entry {
	return memoryEntry(m, g.age(m.UpdatedAt), len(g.filter.Projects) == 0)
}

func (g *gathering) relevant(ctx context.Context, limit int) ([]*entry, error) {
	if g.in.Query == "" {
		return nil, nil
	}
	found, err := g.s.Search(ctx, SearchInput{
		Query:       g.in.Query,
		Project:     g.in.Project,
		AllProjects: g.in.AllProjects,
		Scope:       g.in.Scope,
		Limit:       limit,
	})
	if err != nil {
		return nil, err
	}
	g.warnings = found.Warnings
	ms := make([]*engram.Memory, len(found.Hits))
	for i, h := range found.Hits {
		ms[i] = h.Memory
	}
	return g.entries(ms), nil
}

// summaries gathers what sessions were about, as memories of that type and as
// summaries that only a session has.
func (g *gathering) summaries(ctx context.Context, limit int) ([]*entry, error) {
	f := g.filter
	f.Types = []string{engram.TypeSessionSummary}
	ms, err := g.s.store.ListMemories(ctx, f, store.ByActivity, store.Page{Limit: limit})
	if err != nil {
		return nil, err
	}
	sessions, err := g.s.store.ListSessions(ctx, f.Workspace, f.Projects, store.Page{Limit: limit})
	if err != nil {
		return nil, err
	}
	type dated struct {
		at time.Time
		e  *entry
	}
	var all []dated
	texts := map[string]bool{}
	for _, m := range ms {
		texts[m.Hash] = true
		if !g.seen[m.ID] {
			g.seen[m.ID] = true
			all = append(all, dated{m.UpdatedAt, g.entry(m)})
		}
	}
	for _, s := range sessions {
		if s.Summary != "" && !texts[engram.ContentHash(s.Summary)] {
			all = append(all, dated{s.LastSeen, sessionEntry(s, g.age(s.LastSeen))})
		}
	}
	slices.SortStableFunc(all, func(a, b dated) int { return b.at.Compare(a.at) })
	var out []*entry
	for _, d := range all[:min(limit, len(all))] {
		out = append(out, d.e)
	}
	return out, nil
}

func (g *gathering) prompts(ctx context.Context, limit int) ([]*entry, error) {
	ps, err := g.s.store.ListPrompts(ctx, g.filter.Workspace, g.filter.Projects, store.Page{Limit: limit})
	if err != nil {
		return nil, err
	}
	var out []*entry
	for _, p := range ps {
		out = append(out, promptEntry(p, g.age(p.CreatedAt)))
	}
	return out, nil
}

// age is how long ago something was, short, and for older things the day in
// the user's time zone.
func (g *gathering) age(t time.Time) string {
	d := g.now.Sub(t)
	switch {
	case d < time.Minute:
		return "now"
	case d < time.Hour:
		return strconv.Itoa(int(d.Minutes())) + "m ago"
	case d < 24*time.Hour:
		return strconv.Itoa(int(d.Hours())) + "h ago"
	case d < 30*24*time.Hour:
		return strconv.Itoa(int(d.Hours()/24)) + "d ago"
	}
	return t.In(g.s.opts.Zone).Format(time.DateOnly)
}

// kindOf is what a memory is called in a context.
func kindOf(m *engram.Memory) string {
	if m.Kind == engram.KindTurn {
		return cmp.Or(m.Speaker, m.Role)
	}
	return m.Type
}
