package memory_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/store"
)

func (f *fixture) projectOf(t *testing.T, id int64) string {
	t.Helper()
	return f.get(t, id).Project
}

func TestMergeAndUnmerge(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	old := f.save(t, memory.SaveInput{Content: "one", Project: "ferry-app"})
	kept := f.save(t, memory.SaveInput{Content: "two", Project: "ferry"})
	moved, err := f.MergeProjects(ctx, " Ferry-App ", "FERRY")
	if err != nil || moved < 1 {
		t.Fatalf("MergeProjects = %d, %v", moved, err)
	}
	since := f.save(t, memory.SaveInput{Content: "three", Project: "Ferry-App"})
	if since.Project != "ferry" {
		t.Errorf("a save under the alias went to %q", since.Project)
	}
	if list, err := f.List(ctx, memory.ListInput{Project: "ferry-app"}); err != nil || len(list.Memories) != 3 {
		t.Errorf("List(alias) = %d, %v; want all three", len(list.Memories), err)
	}
	if m, err := f.Update(ctx, kept.ID, memory.UpdateInput{Project: ptr("ferry-app")}); err != nil || m.Project != "ferry" {
		t.Errorf("Update to the alias = %+v, %v", m, err)
	}
	if _, err := f.UnmergeProject(ctx, "ferry-app"); err != nil {
		t.Fatal(err)
	}
	for id, want := range map[int64]string{old.ID: "ferry-app", since.ID: "ferry-app", kept.ID: "ferry"} {
		if got := f.projectOf(t, id); got != want {
			t.Errorf("after unmerge memory %d is in %q, want %q", id, got, want)
		}
	}
}

func TestMergeRefuses(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	for _, p := range []string{"a", "b", "c"} {
		f.save(t, memory.SaveInput{Content: p, Project: p})
	}
	if _, err := f.MergeProjects(ctx, "a", "b"); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		from, to string
		kind     error
		code     string
	}{
		"into itself":    {"c", " C ", engram.ErrInvalid, "merge_into_itself"},
		"nothing":        {"", "b", engram.ErrInvalid, "project_required"},
		"into nothing":   {"b", " ", engram.ErrInvalid, "project_required"},
		"unknown":        {"nobody", "b", engram.ErrNotFound, ""},
		"merged already": {"a", "c", engram.ErrConflict, "already_merged"},
		"in a circle":    {"b", "a", engram.ErrConflict, "merge_cycle"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := f.MergeProjects(ctx, tt.from, tt.to)
			wantError(t, err, tt.kind, tt.code)
		})
	}
	if _, err := f.UnmergeProject(ctx, "c"); err == nil {
		t.Error("a project that was never merged was unmerged")
	}
	_, err := f.UnmergeProject(ctx, "")
	wantError(t, err, engram.ErrInvalid, "project_required")
	// Merged into an alias goes to what the alias stands for.
	if _, err := f.MergeProjects(ctx, "c", "a"); err != nil {
		t.Fatal(err)
	}
	if r := f.save(t, memory.SaveInput{Content: "x", Project: "c"}); r.Project != "b" {
		t.Errorf("a save under c went to %q, want b", r.Project)
	}
}

// claims counts how often a remote is asked for.
type claims struct {
	store.Store
	n atomic.Int64
}

func (c *claims) ClaimRemote(ctx context.Context, workspace, remote, name, qualified string) (string, error) {
	c.n.Add(1)
	return c.Store.ClaimRemote(ctx, workspace, remote, name, qualified)
}

func TestGitRemotesOfOneName(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	counted := &claims{Store: f.store}
	inRepository := func(owner string) *memory.Service {
		return memory.New(counted, memory.Options{DefaultProject: func(context.Context) engram.ProjectIdentity {
			return engram.ProjectIdentity{
				Name: "API", Owner: owner, Source: engram.ProjectGitRemote, Remote: "example.org/" + owner + "/api",
			}
		}})
	}
	first, second := inRepository("ana"), inRepository("bo")
	for range 3 {
		for s, want := range map[*memory.Service]string{first: "api", second: "bo/api"} {
			if s == second && counted.n.Load() == 0 {
				continue // the first to come has the short name
			}
			id, err := s.CurrentProject(ctx)
			if err != nil || id.Name != want || id.Source != engram.ProjectGitRemote {
				t.Errorf("CurrentProject = %+v, %v; want %q", id, err, want)
			}
			r, err := s.Save(ctx, memory.SaveInput{Content: "C" + want})
			if err != nil || r.Project != want {
				t.Errorf("Save went to %q, %v; want %q", r.Project, err, want)
			}
		}
	}
	if n := counted.n.Load(); n != 2 {
		t.Errorf("the remotes were asked for %d times, want once each", n)
	}
	// The claim holds for the next process too.
	if id, err := inRepository("bo").CurrentProject(ctx); err != nil || id.Name != "bo/api" {
		t.Errorf("in another process = %+v, %v", id, err)
	}
}

func TestDefaultProjectFollowsMerges(t *testing.T) {
	t.Parallel()
	f := newFixture(t, func(o *memory.Options) {
		o.DefaultProject = func(context.Context) engram.ProjectIdentity {
			return engram.ProjectIdentity{Name: "App", Source: engram.ProjectEnv}
		}
	})
	ctx := agent(t)
	f.save(t, memory.SaveInput{Content: "one"})
	f.save(t, memory.SaveInput{Content: "two", Project: "main"})
	if _, err := f.MergeProjects(ctx, "app", "main"); err != nil {
		t.Fatal(err)
	}
	if id, err := f.CurrentProject(ctx); err != nil || id.Name != "main" {
		t.Errorf("CurrentProject = %+v, %v", id, err)
	}
	list, err := f.List(ctx, memory.ListInput{})
	if err != nil || len(list.Memories) != 2 {
		t.Errorf("List of the default project = %d, %v", len(list.Memories), err)
	}
	since := f.save(t, memory.SaveInput{Content: "three"})
	if ps, err := f.Projects(ctx); err != nil || len(ps) != 1 || len(ps[0].Aliases) != 1 {
		t.Errorf("Projects = %+v, %v", ps, err)
	}
	if _, err := f.UnmergeProject(ctx, "app"); err != nil || f.projectOf(t, since.ID) != "app" {
		t.Errorf("what was saved since the merge is in %q, %v; want app", f.projectOf(t, since.ID), err)
	}
}

// TestIdentifyProject: a directory that somebody else detected is the project
// that its things go to: by its remote's claim, then through merges.
func TestIdentifyProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	identify := func(id engram.ProjectIdentity) string {
		t.Helper()
		got, err := f.IdentifyProject(ctx, id)
		if err != nil || got.Source != id.Source || got.Path != id.Path {
			t.Fatalf("IdentifyProject(%+v) = %+v, %v", id, got, err)
		}
		return got.Name
	}
	first := engram.ProjectIdentity{Name: "shop", Owner: "acme", Remote: "git.example.com/acme/shop", Source: engram.ProjectGitRemote, Path: "/a"}
	second := engram.ProjectIdentity{Name: "shop", Owner: "globex", Remote: "git.example.com/globex/shop", Source: engram.ProjectGitRemote, Path: "/b"}
	for range 2 {
		if a, b := identify(first), identify(second); a != "shop" || b != "globex/shop" {
			t.Errorf("the two repositories are %q and %q", a, b)
		}
	}
	f.save(t, memory.SaveInput{Title: "T", Content: "C", Project: "globex/shop"})
	if _, err := f.MergeProjects(ctx, "globex/shop", "store"); err != nil {
		t.Fatal(err)
	}
	if got := identify(second); got != "store" {
		t.Errorf("after a merge it is %q", got)
	}
	if got := identify(engram.ProjectIdentity{}); got != "" {
		t.Errorf("nothing is %q", got)
	}
}

// A project that is blank is refused wherever one may be named: taken for none
// it would mean every project.
func TestBlankProjectIsRefused(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	ctx := agent(t)
	id := f.save(t, memory.SaveInput{Title: "T", Content: "The ferry leaves at nine.", Project: "harbour"}).ID
	for _, blank := range []string{" ", "\x00", "\t\n", " \x00 ", "\u00a0"} {
		for name, call := range map[string]func() error{
			"Search": func() error { _, err := f.Search(ctx, memory.SearchInput{Query: "ferry", Project: blank}); return err },
			"all": func() error {
				_, err := f.Search(ctx, memory.SearchInput{Query: "ferry", Project: blank, AllProjects: true})
				return err
			},
			"Context":  func() error { _, err := f.Context(ctx, memory.ContextInput{Project: blank}); return err },
			"List":     func() error { _, err := f.List(ctx, memory.ListInput{Project: blank}); return err },
			"Stats":    func() error { _, err := f.Stats(ctx, blank); return err },
			"Sessions": func() error { _, err := f.Sessions(ctx, memory.RecentInput{Project: blank}); return err },
			"Prompts":  func() error { _, err := f.Prompts(ctx, memory.RecentInput{Project: blank}); return err },
			"SearchPrompts": func() error {
				_, err := f.SearchPrompts(ctx, "ferry", memory.RecentInput{Project: blank})
				return err
			},
			"Save": func() error {
				_, err := f.Save(ctx, memory.SaveInput{Title: "T", Content: "C", Project: blank})
				return err
			},
			"SavePrompt": func() error { _, err := f.SavePrompt(ctx, "", blank, "what now"); return err },
			"StartSession": func() error {
				_, _, err := f.StartSession(ctx, memory.SessionInput{ID: "s1", Project: blank})
				return err
			},
			"Update": func() error { _, err := f.Update(ctx, id, memory.UpdateInput{Project: &blank}); return err },
			"IdentifyProject": func() error {
				_, err := f.IdentifyProject(ctx, engram.ProjectIdentity{Name: blank, Source: engram.ProjectExplicit})
				return err
			},
		} {
			err := call()
			if !errors.Is(err, engram.ErrInvalid) || engram.ErrorCode(err) != "invalid_project" {
				t.Errorf("%s in project %q: %v", name, blank, err)
			}
		}
	}
	for code, err := range map[string]error{
		"invalid_type":       second(f.Search(ctx, memory.SearchInput{Query: "ferry", Types: []string{"", " "}})),
		"invalid_session_id": second(f.List(ctx, memory.ListInput{Session: " "})),
	} {
		wantError(t, err, engram.ErrInvalid, code)
	}
	wantError(t, second(f.List(ctx, memory.ListInput{Types: []string{"\t"}})), engram.ErrInvalid, "invalid_type")
	if got := f.projectOf(t, id); got != "harbour" {
		t.Errorf("the memory is now in %q", got)
	}
}

func second[T any](_ T, err error) error { return err }
