package memory

import (
	"cmp"
	"context"
	"slices"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
)

// Limits on what one call gives.
const (
	defaultList = 20
	maxList     = 1000
	maxTimeline = 100
)

// Get is one living memory; it counts the access.
func (s *Service) Get(ctx context.Context, id int64) (*engram.Memory, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return nil, err
	}
	m, err := s.store.Memory(ctx, actor.Workspace, id, false)
	if err != nil {
		return nil, err
	}
	if err := s.store.TouchMemories(ctx, actor.Workspace, []int64{id}, s.now()); err != nil {
		return nil, err
	}
	return m, nil
}

// History is all versions of a living memory, oldest first, the current one last.
func (s *Service) History(ctx context.Context, id int64) ([]*engram.Memory, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return nil, err
	}
	return s.store.Versions(ctx, actor.Workspace, id)
}

// Timeline is a memory with up to before and after (0 … 100) neighbours of its
// session, oldest first.
func (s *Service) Timeline(ctx context.Context, id int64, before, after int) (*store.Timeline, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return nil, err
	}
	for _, n := range []struct {
		what  string
		value int
	}{{"before", before}, {"after", after}} {
		if n.value < 0 || n.value > maxTimeline {
			return nil, engram.Errorf(engram.ErrInvalid, "%s is %d, it must be 0 to %d", n.what, n.value, maxTimeline).
				WithCode("invalid_" + n.what)
		}
	}
	if err := s.lapse(ctx, actor.Workspace); err != nil {
		return nil, err
	}
	return s.store.Timeline(ctx, actor.Workspace, id, before, after)
}

// Stats counts what is in a project, "" = in the whole workspace.
func (s *Service) Stats(ctx context.Context, project string) (StatsResult, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return StatsResult{}, err
	}
	name, err := s.cleaner().project(project)
	if err != nil {
		return StatsResult{}, err
	}
	var projects []string
	if name != "" {
		where, err := s.fileUnder(ctx, actor.Workspace, name)
		if err != nil {
			return StatsResult{}, err
		}
		projects = []string{where.name}
	}
	var r StatsResult
	if r.Stats, err = s.store.Stats(ctx, actor.Workspace, projects); err != nil {
		return StatsResult{}, err
	}
	if r.Models, err = s.store.VectorModels(ctx); err != nil {
		return StatsResult{}, err
	}
	r.SchemaVersion, err = s.store.SchemaVersion(ctx)
	return r, err
}

// List gives memories by time, newest first.
func (s *Service) List(ctx context.Context, in ListInput) (ListResult, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return ListResult{}, err
	}
	limit, err := listLimit(in.Limit)
	if err != nil {
		return ListResult{}, err
	}
	filter, err := s.listFilter(ctx, actor.Workspace, in)
	if err != nil {
		return ListResult{}, err
	}
	page := store.Page{Limit: limit + 1} // one more tells whether there is a next page
	if err := parseCursor(in.Cursor, byte(in.Order), &page); err != nil {
		return ListResult{}, err
	}
	ms, err := s.store.ListMemories(ctx, filter, in.Order, page)
	if err != nil {
		return ListResult{}, err
	}
	var r ListResult
	r.Memories, r.Next = cut(ms, limit, func(last *engram.Memory) string {
		return cursor(byte(in.Order), orderTime(last, in.Order), numberKey(last.ID))
	})
	return r, nil
}

func (s *Service) listFilter(ctx context.Context, workspace string, in ListInput) (store.Filter, error) {
	c := s.cleaner()
	types, err := lines(c, in.Types)
	if err != nil {
		return store.Filter{}, err
	}
	f := store.Filter{
		Workspace: workspace,
		Types:     types,
		Session:   c.id(in.Session),
		Since:     stamp(in.Since),
		Until:     stamp(in.Until),
		Deleted:   in.Deleted,
		Pinned:    in.Pinned,
		OpenTasks: in.OpenTasks,
	}
	if !slices.Contains([]store.Order{store.ByCreated, store.ByActivity, store.ByOccurred}, in.Order) {
		return f, engram.Errorf(engram.ErrInvalid, "order %d is not known", in.Order).WithCode("invalid_order")
	}
	if in.Session != "" && f.Session == "" {
		return f, blank("session_id")
	}
	if f.Scopes, err = scopes(in.Scope); err != nil {
		return f, err
	}
	// A session is in one project: naming it is enough.
	all := in.AllProjects || (f.Session != "" && in.Project == "")
	return f, s.projectFilter(ctx, &f, in.Project, all)
}

// lines cleans a list of types for a filter. Empty and blank ones do not filter
// beside others; nothing but blanks is refused, as it is for a project.
func lines(c *cleaner, in []string) ([]string, error) {
	var out []string
	given := false
	for _, v := range in {
		given = given || v != ""
		if v = c.line(v); v != "" {
			out = append(out, v)
		}
	}
	if given && len(out) == 0 {
		return nil, blank("type")
	}
	return out, nil
}

// scopes is a scope as a filter takes it, "" = all.
func scopes(scope string) ([]engram.Scope, error) {
	if scope == "" {
		return nil, nil
	}
	sc, err := engram.ParseScope(scope)
	if err != nil {
		return nil, err
	}
	return []engram.Scope{sc}, nil
}

// listLimit is how many items a list gives, the default for 0.
func listLimit(n int) (int, error) {
	if n < 0 || n > maxList {
		return 0, engram.Errorf(engram.ErrInvalid, "limit is %d, it must be 1 to %d", n, maxList).
			WithCode("invalid_limit").WithHint("page through with the cursor")
	}
	return cmp.Or(n, defaultList), nil
}
