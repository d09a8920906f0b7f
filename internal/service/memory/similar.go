package memory

import (
	"context"

	"engram/internal/recall"
)

// similarProjects are the names of other projects like that of one that has no
// answer, or nothing.
func (s *Service) similarProjects(ctx context.Context, workspace, name string) ([]string, error) {
	projects, err := s.store.ListProjects(ctx, workspace)
	if err != nil {
		return nil, err
	}
	return recall.SimilarProjects(name, projects), nil
}
