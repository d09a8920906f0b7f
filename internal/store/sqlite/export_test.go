package sqlite

import (
	"context"
	"fmt"
	"time"

	"engram/internal/store"
)

// SetWipeTime changes how long an erasure waits for other processes' readers.
func SetWipeTime(s *Store, d time.Duration) { s.wipeTime = d }

// Newest is the version of the schema that all embedded migrations make.
func Newest() int {
	steps, err := migrations(migrationFiles)
	if err != nil {
		panic(err)
	}
	return len(steps)
}

// Migrate takes steps beyond the embedded ones.
func (s *Store) Migrate(ctx context.Context, more ...string) error {
	steps, err := migrations(migrationFiles)
	if err != nil {
		return err
	}
	for _, sql := range more {
		steps = append(steps, migration{version: len(steps) + 1, name: "test", sql: sql})
	}
	return s.migrate(ctx, steps)
}

// MapError is what every method does with an error of the driver.
func MapError(err error) error { return mapError(err) }

// LimitSize makes the disk full for s.
func (s *Store) LimitSize(ctx context.Context, t interface{ Fatal(...any) }) {
	var pages int
	if err := s.writer.QueryRowContext(ctx, `PRAGMA page_count`).Scan(&pages); err != nil {
		t.Fatal(err)
	}
	if _, err := s.writer.ExecContext(ctx, fmt.Sprintf(`PRAGMA max_page_count = %d`, pages+5)); err != nil {
		t.Fatal(err)
	}
}

// Export1 counts the memories of an export.
func (s *Store) Export1(ctx context.Context) (n int, err error) {
	err = s.Export(ctx, "default", nil, 100, func(b store.Batch) error {
		n += len(b.Memories)
		return nil
	})
	return n, err
}
