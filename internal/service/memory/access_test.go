package memory_test

import (
	"context"
	"errors"
	"reflect"
	"testing"

	"engram"
	"engram/internal/service/memory"
)

// calls is every exported method that takes a context, with the access it takes.
var calls = map[string]struct {
	access engram.Access
	call   func(ctx context.Context, s *memory.Service) error
}{
	"Save": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Save(ctx, memory.SaveInput{Content: "x"})
		return err
	}},
	"SaveAll": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		_, err := s.SaveAll(ctx, []memory.SaveInput{{Content: "x"}})
		return err
	}},
	"Update": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Update(ctx, 1, memory.UpdateInput{Title: ptr("x")})
		return err
	}},
	"Pin": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Pin(ctx, 1, true)
		return err
	}},
	"SuggestTopicKey": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.SuggestTopicKey(ctx, "", "x", "")
		return err
	}},
	"CapturePassive": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		_, err := s.CapturePassive(ctx, memory.CaptureInput{Content: "x"})
		return err
	}},
	"Get": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Get(ctx, 1)
		return err
	}},
	"History": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.History(ctx, 1)
		return err
	}},
	"List": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.List(ctx, memory.ListInput{})
		return err
	}},
	"Timeline": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Timeline(ctx, 1, 1, 1)
		return err
	}},
	"Stats": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Stats(ctx, "")
		return err
	}},
	"Delete": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Delete(ctx, 1, false)
		return err
	}},
	"Delete hard": {engram.AccessAdmin, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Delete(ctx, 1, true)
		return err
	}},
	"Restore": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Restore(ctx, 1)
		return err
	}},
	"Search": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Search(ctx, memory.SearchInput{Query: "x"})
		return err
	}},
	"Pool": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Pool(ctx, memory.SearchInput{Query: "x"})
		return err
	}},
	"Recall": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Recall(ctx, memory.RecallInput{SearchInput: memory.SearchInput{Query: "x"}})
		return err
	}},
	"Explain": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Explain(ctx, memory.ExplainInput{RecallInput: memory.RecallInput{SearchInput: memory.SearchInput{Query: "x"}}, ID: 1})
		return err
	}},
	"Context": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Context(ctx, memory.ContextInput{})
		return err
	}},
	"StartSession": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		_, _, err := s.StartSession(ctx, memory.SessionInput{ID: "s"})
		return err
	}},
	"EndSession": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		_, err := s.EndSession(ctx, "s", "")
		return err
	}},
	"SessionSummary": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		_, err := s.SessionSummary(ctx, "p", "s", "x")
		return err
	}},
	"Session": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Session(ctx, "s")
		return err
	}},
	"Sessions": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Sessions(ctx, memory.RecentInput{})
		return err
	}},
	"DeleteSession": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		return s.DeleteSession(ctx, "s")
	}},
	"SavePrompt": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		_, err := s.SavePrompt(ctx, "s", "p", "x")
		return err
	}},
	"Prompt": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Prompt(ctx, 1)
		return err
	}},
	"Prompts": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Prompts(ctx, memory.RecentInput{})
		return err
	}},
	"SearchPrompts": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.SearchPrompts(ctx, "x", memory.RecentInput{})
		return err
	}},
	"DeletePrompt": {engram.AccessWrite, func(ctx context.Context, s *memory.Service) error {
		return s.DeletePrompt(ctx, 1)
	}},
	"Projects": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.Projects(ctx)
		return err
	}},
	"MergeProjects": {engram.AccessAdmin, func(ctx context.Context, s *memory.Service) error {
		_, err := s.MergeProjects(ctx, "a", "b")
		return err
	}},
	"UnmergeProject": {engram.AccessAdmin, func(ctx context.Context, s *memory.Service) error {
		_, err := s.UnmergeProject(ctx, "a")
		return err
	}},
	"IdentifyProject": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.IdentifyProject(ctx, engram.ProjectIdentity{Name: "p"})
		return err
	}},
	"CurrentProject": {engram.AccessRead, func(ctx context.Context, s *memory.Service) error {
		_, err := s.CurrentProject(ctx)
		return err
	}},
}

// TestEveryMethodAsksFirst: without an actor nothing is done, with too little
// access neither, and no method is forgotten here.
func TestEveryMethodAsksFirst(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	typ := reflect.TypeFor[*memory.Service]()
	takesContext := reflect.TypeFor[context.Context]()
	for i := range typ.NumMethod() {
		m := typ.Method(i)
		if m.Type.NumIn() < 2 || m.Type.In(1) != takesContext {
			continue // Close and the like do nothing for anybody
		}
		if _, ok := calls[m.Name]; !ok {
			t.Errorf("method %s is not in the table of this test", m.Name)
		}
	}
	for name, c := range calls {
		t.Run(name, func(t *testing.T) {
			if err := c.call(t.Context(), f.Service); !errors.Is(err, engram.ErrUnauthenticated) {
				t.Errorf("without an actor: %v, want unauthenticated", err)
			}
			nowhere := engram.WithActor(t.Context(), engram.Actor{Name: "x", Access: engram.AccessAdmin})
			if err := c.call(nowhere, f.Service); !errors.Is(err, engram.ErrUnauthenticated) {
				t.Errorf("without a workspace: %v, want unauthenticated", err)
			}
			if c.access > engram.AccessRead {
				less := as(t.Context(), c.access-1, engram.OriginAgent)
				if err := c.call(less, f.Service); !errors.Is(err, engram.ErrForbidden) {
					t.Errorf("with too little access: %v, want forbidden", err)
				}
			}
			enough := as(t.Context(), c.access, engram.OriginAgent)
			if err := c.call(enough, f.Service); errors.Is(err, engram.ErrForbidden) || errors.Is(err, engram.ErrUnauthenticated) {
				t.Errorf("with enough access: %v", err)
			}
		})
	}
}

// TestOtherWorkspace: what is in one workspace is not found from another, by
// any way to it.
func TestOtherWorkspace(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	mine := f.save(t, memory.SaveInput{Title: "Drinks", Content: "tea, not coffee", Session: "s1", Project: "p"})
	asked, err := f.SavePrompt(agent(t), "s1", "p", "what shall I drink?")
	if err != nil {
		t.Fatal(err)
	}
	stranger := engram.WithActor(t.Context(), engram.Actor{Name: "x", Workspace: "other", Access: engram.AccessAdmin})
	for name, call := range map[string]func() error{
		"Get":      func() error { _, err := f.Get(stranger, mine.ID); return err },
		"History":  func() error { _, err := f.History(stranger, mine.ID); return err },
		"Timeline": func() error { _, err := f.Timeline(stranger, mine.ID, 1, 1); return err },
		"Update": func() error {
			_, err := f.Update(stranger, mine.ID, memory.UpdateInput{Title: ptr("x")})
			return err
		},
		"Pin":     func() error { _, err := f.Pin(stranger, mine.ID, true); return err },
		"Delete":  func() error { _, err := f.Delete(stranger, mine.ID, false); return err },
		"erase":   func() error { _, err := f.Delete(stranger, mine.ID, true); return err },
		"Restore": func() error { _, err := f.Restore(stranger, mine.ID); return err },
		"Session": func() error { _, err := f.Session(stranger, "s1"); return err },
		"Prompt":  func() error { _, err := f.Prompt(stranger, asked.ID); return err },
		"end":     func() error { _, err := f.EndSession(stranger, "s1", "x"); return err },
	} {
		if err := call(); !errors.Is(err, engram.ErrNotFound) {
			t.Errorf("%s from another workspace: %v, want not found", name, err)
		}
	}
	list, err := f.List(stranger, memory.ListInput{AllProjects: true, Deleted: 1})
	if err != nil || len(list.Memories) != 0 {
		t.Errorf("List from another workspace = %d memories, %v", len(list.Memories), err)
	}
	block, err := f.Context(stranger, memory.ContextInput{AllProjects: true})
	if err != nil || block.Text != "" {
		t.Errorf("Context from another workspace = %q, %v", block.Text, err)
	}
	if m := f.get(t, mine.ID); m.Title != "Drinks" || m.Pinned {
		t.Errorf("the memory was changed: %+v", m)
	}
}
