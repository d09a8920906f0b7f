package sqlstore

import (
	"context"
	"database/sql"
	"fmt"
	"time"

	"engram"
)

// closeVersion keeps the text of a memory as a version that was known until
// now, and makes the row the next version from now on. A clock that went back
// does not give a version that ended before it began.
func closeVersion(ctx context.Context, tx *Tx, id int64, now time.Time, seq int64) error {
	_, err := tx.Exec(ctx, `INSERT INTO memory_versions (memory_id, seq, `+textColumns+`)
		SELECT id, $1, `+textColumnsUntil("CASE WHEN recorded_at > $2 THEN recorded_at ELSE $2 END")+`
		FROM memories WHERE id = $3`, seq, micros(now), id)
	if err != nil {
		return fmt.Errorf("close version of memory %d: %w", id, err)
	}
	_, err = tx.Exec(ctx, `UPDATE memories SET version = version + 1, seq = $1,
		recorded_at = CASE WHEN recorded_at > $2 THEN recorded_at ELSE $2 END WHERE id = $3`, seq, micros(now), id)
	if err != nil {
		return fmt.Errorf("open version of memory %d: %w", id, err)
	}
	return nil
}

// textColumnsUntil is textColumns with another end of the version.
func textColumnsUntil(invalidated string) string {
	return textColumns[:len(textColumns)-len("invalidated_at")] + invalidated
}

// Versions implements [store.Memories].
func (s *Store) Versions(ctx context.Context, workspace string, id int64) ([]*engram.Memory, error) {
	var out []*engram.Memory
	err := s.Read(ctx, func(tx *Tx) error {
		current, err := memoryByID(ctx, tx, workspace, id, false)
		if err != nil {
			return err
		}
		if out, err = closedVersions(ctx, tx, id); err != nil {
			return err
		}
		out = append(out, current)
		return nil
	})
	return out, err
}

// closedVersions are the versions of a memory before the current one, oldest first.
func closedVersions(ctx context.Context, tx *Tx, id int64) (out []*engram.Memory, err error) {
	err = tx.Rows(ctx, `SELECT `+versionColumns+` FROM memory_versions WHERE memory_id = $1 ORDER BY version`, []any{id},
		func(rows *sql.Rows) error {
			m, err := scanMemory(rows)
			out = append(out, m)
			return err
		})
	return out, err
}
