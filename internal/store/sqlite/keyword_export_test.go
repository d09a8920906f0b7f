package sqlite

import (
	"context"
	"database/sql"
)

// Seal seals the keyword index, however little is not sealed.
func (s *Store) Seal(ctx context.Context) error { return s.keyword.seal(ctx, 1) }

// RebuildKeyword builds the keyword index anew.
func (s *Store) RebuildKeyword(ctx context.Context) error {
	if err := s.keyword.take(ctx); err != nil {
		return err
	}
	defer s.keyword.give()
	return s.keyword.rebuild(ctx)
}

// Writer is the pool that writes.
func (s *Store) Writer() *sql.DB { return s.writer }
