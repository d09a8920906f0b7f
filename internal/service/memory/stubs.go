package memory

// Signatures agreed on before the bodies were written; each moves to the file
// named for it as it is written, and this file goes.

import (
	"context"

	"engram"
	"engram/internal/store"
)

// save.go

func (s *Service) Save(ctx context.Context, in SaveInput) (SaveResult, error) { panic("unwritten") }

// SaveAll saves many at once, all or nothing, for bulk loads: chat imports, benchmarks.
func (s *Service) SaveAll(ctx context.Context, in []SaveInput) ([]SaveResult, error) {
	panic("unwritten")
}
func (s *Service) Update(ctx context.Context, id int64, in UpdateInput) (*engram.Memory, error) {
	panic("unwritten")
}
func (s *Service) Pin(ctx context.Context, id int64, pinned bool) (*engram.Memory, error) {
	panic("unwritten")
}
func (s *Service) SuggestTopicKey(ctx context.Context, typ, title, content string) (string, error) {
	panic("unwritten")
}
func (s *Service) CapturePassive(ctx context.Context, in CaptureInput) (CaptureResult, error) {
	panic("unwritten")
}

// get.go

// Get is one living memory and counts the access.
func (s *Service) Get(ctx context.Context, id int64) (*engram.Memory, error) { panic("unwritten") }

// History is all versions of a memory, oldest first, the current one last.
func (s *Service) History(ctx context.Context, id int64) ([]*engram.Memory, error) {
	panic("unwritten")
}
func (s *Service) List(ctx context.Context, in ListInput) (ListResult, error) { panic("unwritten") }

// Timeline: before and after 0 … 100.
func (s *Service) Timeline(ctx context.Context, id int64, before, after int) (*store.Timeline, error) {
	panic("unwritten")
}
func (s *Service) Stats(ctx context.Context, project string) (StatsResult, error) { panic("unwritten") }

// delete.go

// Delete hides a memory, or with hard erases it.
func (s *Service) Delete(ctx context.Context, id int64, hard bool) (engram.Receipt, error) {
	panic("unwritten")
}
func (s *Service) Restore(ctx context.Context, id int64) (*engram.Memory, error) { panic("unwritten") }

// search.go

func (s *Service) Search(ctx context.Context, in SearchInput) (SearchResult, error) {
	panic("unwritten")
}
func (s *Service) Recall(ctx context.Context, in RecallInput) (RecallResult, error) {
	panic("unwritten")
}

// context.go

func (s *Service) Context(ctx context.Context, in ContextInput) (ContextResult, error) {
	panic("unwritten")
}

// session.go

// StartSession creates a session, or gives the one that is there; created says which.
func (s *Service) StartSession(ctx context.Context, in SessionInput) (session *engram.Session, created bool, err error) {
	panic("unwritten")
}
func (s *Service) EndSession(ctx context.Context, id, summary string) (*engram.Session, error) {
	panic("unwritten")
}

// SessionSummary saves a summary as a memory of type session_summary and as the session's summary.
func (s *Service) SessionSummary(ctx context.Context, project, session, content string) (SaveResult, error) {
	panic("unwritten")
}
func (s *Service) Session(ctx context.Context, id string) (*engram.Session, error) {
	panic("unwritten")
}
func (s *Service) Sessions(ctx context.Context, project string, limit int) ([]*engram.Session, error) {
	panic("unwritten")
}
func (s *Service) DeleteSession(ctx context.Context, id string) error { panic("unwritten") }

// prompt.go

func (s *Service) SavePrompt(ctx context.Context, session, project, content string) (*engram.Prompt, error) {
	panic("unwritten")
}
func (s *Service) Prompts(ctx context.Context, project string, limit int) ([]*engram.Prompt, error) {
	panic("unwritten")
}
func (s *Service) SearchPrompts(ctx context.Context, query, project string, limit int) ([]*engram.Prompt, error) {
	panic("unwritten")
}
func (s *Service) DeletePrompt(ctx context.Context, id int64) error { panic("unwritten") }

// project.go

func (s *Service) Projects(ctx context.Context) ([]engram.Project, error) { panic("unwritten") }
func (s *Service) MergeProjects(ctx context.Context, from, to string) (moved int, err error) {
	panic("unwritten")
}
func (s *Service) UnmergeProject(ctx context.Context, from string) (moved int, err error) {
	panic("unwritten")
}

// CurrentProject is the project that calls without one go to, with how it was found.
func (s *Service) CurrentProject(ctx context.Context) (engram.ProjectIdentity, error) {
	panic("unwritten")
}
