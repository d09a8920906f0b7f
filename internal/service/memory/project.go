package memory

import (
	"context"
	"sync"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
)

// Projects lists the projects that have anything in them, last used first.
func (s *Service) Projects(ctx context.Context) ([]engram.Project, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return nil, err
	}
	return s.store.ListProjects(ctx, actor.Workspace)
}

// MergeProjects files everything of from under to and makes from another name
// of it, until [Service.UnmergeProject]. It counts what it moved.
func (s *Service) MergeProjects(ctx context.Context, from, to string) (moved int, err error) {
	actor, err := policy.Check(ctx, policy.ManageStore)
	if err != nil {
		return 0, err
	}
	c := s.cleaner()
	from, to = c.detected(from), c.detected(to)
	if err := checkMerge(from, to); err != nil {
		return 0, err
	}
	had, err := s.store.ResolveProject(ctx, actor.Workspace, from)
	if err != nil {
		return 0, err
	}
	if had != from {
		return 0, engram.Errorf(engram.ErrConflict, "project %q is merged into %q already", from, had).
			WithCode("already_merged").WithHint("unmerge %q first, or merge %q", from, had)
	}
	target, err := s.store.ResolveProject(ctx, actor.Workspace, to)
	if err != nil {
		return 0, err
	}
	if target == from {
		return 0, engram.Errorf(engram.ErrConflict, "project %q is merged into %q: the two would point at each other", to, from).
			WithCode("merge_cycle").WithHint("unmerge %q first", to)
	}
	return s.store.MergeProjects(ctx, actor.Workspace, from, target, s.now())
}

func checkMerge(from, to string) error {
	if from == "" || to == "" {
		return engram.Errorf(engram.ErrInvalid, "two projects are needed: the one that goes and the one that stays").
			WithCode("project_required")
	}
	if from == to {
		return engram.Errorf(engram.ErrInvalid, "project %q cannot be merged into itself", from).
			WithCode("merge_into_itself")
	}
	if err := engram.CheckName("project", from); err != nil {
		return err
	}
	return engram.CheckName("project", to)
}

// UnmergeProject undoes [Service.MergeProjects] and counts what moved back.
func (s *Service) UnmergeProject(ctx context.Context, from string) (moved int, err error) {
	actor, err := policy.Check(ctx, policy.ManageStore)
	if err != nil {
		return 0, err
	}
	from = s.cleaner().detected(from)
	if from == "" {
		return 0, engram.Errorf(engram.ErrInvalid, "a project is needed").WithCode("project_required")
	}
	return s.store.UnmergeProject(ctx, actor.Workspace, from, s.now())
}

// CurrentProject is the project that calls without one go to, with how it was
// found; a name of "" says that nothing gives one.
func (s *Service) CurrentProject(ctx context.Context) (engram.ProjectIdentity, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return engram.ProjectIdentity{}, err
	}
	id, err := s.defaultProject(ctx, actor.Workspace)
	if err != nil {
		return id, err
	}
	return s.resolveIdentity(ctx, actor.Workspace, id)
}

// IdentifyProject is the project that things of a directory go to, of which
// detection gave id: the name that the store has for its git remote, through
// aliases.
func (s *Service) IdentifyProject(ctx context.Context, id engram.ProjectIdentity) (engram.ProjectIdentity, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return engram.ProjectIdentity{}, err
	}
	if id.Source == engram.ProjectExplicit {
		if _, err := s.cleaner().project(id.Name); err != nil {
			return id, err
		}
	}
	if id, err = s.claimed(ctx, actor.Workspace, id); err != nil {
		return id, err
	}
	return s.resolveIdentity(ctx, actor.Workspace, id)
}

// resolveIdentity follows the aliases of an identity's name.
func (s *Service) resolveIdentity(ctx context.Context, workspace string, id engram.ProjectIdentity) (engram.ProjectIdentity, error) {
	if id.Name == "" {
		return id, nil
	}
	err := engram.CheckName("project", id.Name)
	if err != nil {
		return id, err
	}
	id.Name, err = s.store.ResolveProject(ctx, workspace, id.Name)
	return id, err
}

// filing is where a project's things go.
type filing struct {
	name   string // "" = no project
	origin string // the alias that was asked for, "" = none
}

// fileUnder finds where things of a cleaned project name go, the default
// project's for "".
func (s *Service) fileUnder(ctx context.Context, workspace, project string) (filing, error) {
	if project == "" {
		id, err := s.defaultProject(ctx, workspace)
		if err != nil || id.Name == "" {
			return filing{}, err
		}
		project = id.Name
	}
	if err := engram.CheckName("project", project); err != nil {
		return filing{}, err
	}
	name, err := s.store.ResolveProject(ctx, workspace, project)
	if err != nil {
		return filing{}, err
	}
	if name == project {
		return filing{name: name}, nil
	}
	return filing{name: name, origin: project}, nil
}

// projectFilter narrows f to a project as it was asked for, "" = the default
// one. Without any it stays open. What is global is found from every project.
func (s *Service) projectFilter(ctx context.Context, f *store.Filter, project string, all bool) error {
	if all {
		_, err := s.cleaner().project(project)
		return err
	}
	name, err := s.cleaner().project(project)
	if err != nil {
		return err
	}
	where, err := s.fileUnder(ctx, f.Workspace, name)
	if err != nil || where.name == "" {
		return err
	}
	f.Projects, f.Global = []string{where.name}, true
	return nil
}

// projectList is the project as lists of sessions and prompts take it: nil = all.
func (s *Service) projectList(ctx context.Context, workspace string, in RecentInput) ([]string, error) {
	f := store.Filter{Workspace: workspace}
	err := s.projectFilter(ctx, &f, in.Project, in.AllProjects)
	return f.Projects, err
}

// remotes remembers which project a git remote was given, so that it is asked
// once in a process and not at every call.
type remotes struct {
	mu    sync.Mutex
	names map[[3]string]string // workspace, remote, detected name → project
}

// defaultProject is the front end's project, under the name that the store has
// for its git remote, before aliases.
func (s *Service) defaultProject(ctx context.Context, workspace string) (engram.ProjectIdentity, error) {
	if s.opts.DefaultProject == nil {
		return engram.ProjectIdentity{}, nil
	}
	return s.claimed(ctx, workspace, s.opts.DefaultProject(ctx))
}

// claimed is a detected identity under the name that the store has for its git
// remote.
func (s *Service) claimed(ctx context.Context, workspace string, id engram.ProjectIdentity) (engram.ProjectIdentity, error) {
	id.Name = s.cleaner().detected(id.Name)
	if id.Name == "" || id.Remote == "" {
		return id, nil
	}
	name, err := s.claimRemote(ctx, workspace, id)
	if err != nil {
		return id, err
	}
	id.Name = name
	return id, nil
}

func (s *Service) claimRemote(ctx context.Context, workspace string, id engram.ProjectIdentity) (string, error) {
	key := [3]string{workspace, id.Remote, id.Name}
	s.remotes.mu.Lock()
	defer s.remotes.mu.Unlock()
	if name, ok := s.remotes.names[key]; ok {
		return name, nil
	}
	qualified := id.Name
	if id.Owner != "" {
		qualified = id.Owner + "/" + id.Name
	}
	name, err := s.store.ClaimRemote(ctx, workspace, id.Remote, id.Name, qualified)
	if err != nil {
		return "", err
	}
	if s.remotes.names == nil {
		s.remotes.names = map[[3]string]string{}
	}
	s.remotes.names[key] = name
	return name, nil
}
