package memory

// Signatures agreed on before the bodies were written; each moves to the file
// named for it as it is written, and this file goes.

import (
	"context"
)

// search.go

func (s *Service) Search(ctx context.Context, in SearchInput) (SearchResult, error) {
	panic("unwritten")
}

func (s *Service) Recall(ctx context.Context, in RecallInput) (RecallResult, error) {
	panic("unwritten")
}
