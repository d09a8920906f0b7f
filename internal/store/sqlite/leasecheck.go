package sqlite

import (
	"context"
	"strings"
	"time"

	"engram/internal/store"
	"engram/internal/store/sqlstore"
)

// checkLeases looks for leases that run out later than any is taken for: damage, or
// a clock that was ahead. What they stand for would wait until then.
func (s *Store) checkLeases(ctx context.Context, repair bool) ([]store.Finding, error) {
	limit := time.Now().Add(sqlstore.LeaseTolerance).UnixMicro()
	names, err := s.list(ctx, `SELECT name FROM leases WHERE expires_at > ?1 ORDER BY name`, limit)
	if err != nil || len(names) == 0 {
		return nil, err
	}
	what := strings.Join(names, ", ")
	if !repair {
		return one("leases", false, fixRepair, "a process would have to itself for more than an hour, though none asks for that: %s", what), nil
	}
	err = s.Write(ctx, func(tx *sqlstore.Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM leases WHERE expires_at > $1`, limit)
		return err
	})
	return one("leases", true, "", "free again: %s", what), err
}
