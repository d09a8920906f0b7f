package mcpserver

import (
	"context"
	"time"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/store"
)

// Memories is what the tools need of the memory service. Its methods are safe
// for concurrent use.
type Memories interface {
	Save(ctx context.Context, in memory.SaveInput) (memory.SaveResult, error)
	Update(ctx context.Context, id int64, in memory.UpdateInput) (memory.Updated, error)
	SuggestTopicKey(ctx context.Context, typ, title, content string) (string, error)
	CapturePassive(ctx context.Context, in memory.CaptureInput) (memory.CaptureResult, error)
	Get(ctx context.Context, id int64) (*engram.Memory, error)
	History(ctx context.Context, id int64) ([]*engram.Memory, error)
	Timeline(ctx context.Context, id int64, before, after int) (*store.Timeline, error)
	Stats(ctx context.Context, project string) (memory.StatsResult, error)
	Delete(ctx context.Context, id int64, hard bool) (engram.Receipt, error)
	AsOf(value string) (time.Time, error)
	Search(ctx context.Context, in memory.SearchInput) (memory.SearchResult, error)
	Explain(ctx context.Context, in memory.ExplainInput) (memory.Explanation, error)
	Context(ctx context.Context, in memory.ContextInput) (memory.ContextResult, error)
	StartSession(ctx context.Context, in memory.SessionInput) (memory.StartedSession, bool, error)
	EndSession(ctx context.Context, id, summary string) (memory.EndedSession, error)
	SessionSummary(ctx context.Context, project, session, content string) (memory.SaveResult, error)
	SavePrompt(ctx context.Context, session, project, content string) (memory.SavedPrompt, error)
}

var _ Memories = (*memory.Service)(nil)
