package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Setting implements [store.Settings].
func (s *Store) Setting(ctx context.Context, workspace, name string) (value string, ok bool, err error) {
	err = s.row(ctx, `SELECT value FROM settings WHERE workspace = $1 AND name = $2`, []any{workspace, name}, &value)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return value, err == nil, wrap("setting", err)
}

// SetSetting implements [store.Settings].
func (s *Store) SetSetting(ctx context.Context, workspace, name, value string) error {
	err := s.WriteApart(ctx, func(tx *Tx) error {
		_, err := tx.Exec(ctx, `INSERT INTO settings (workspace, name, value) VALUES ($1, $2, $3)
			ON CONFLICT (workspace, name) DO UPDATE SET value = excluded.value`, workspace, name, value)
		return err
	})
	return wrap("set setting", err)
}

// LeaseTolerance is how far beyond its time a lease may seem to last, by clocks that
// differ. What runs out later still was not written by a process that meant it.
const LeaseTolerance = time.Hour

// AcquireLease implements [store.Leases].
func (s *Store) AcquireLease(ctx context.Context, name, holder string, now time.Time, ttl time.Duration) (bool, error) {
	var n int64
	err := s.WriteApart(ctx, func(tx *Tx) (err error) {
		n, err = tx.Exec(ctx, `INSERT INTO leases (name, holder, expires_at) VALUES ($1, $2, $3)
			ON CONFLICT (name) DO UPDATE SET holder = excluded.holder, expires_at = excluded.expires_at
			WHERE leases.holder = excluded.holder OR leases.expires_at <= $4 OR leases.expires_at > $5`,
			name, holder, micros(now.Add(ttl)), micros(now), micros(now.Add(ttl+LeaseTolerance)))
		return err
	})
	return n > 0, wrap("acquire lease", err)
}

// ReleaseLease implements [store.Leases].
func (s *Store) ReleaseLease(ctx context.Context, name, holder string) error {
	err := s.WriteApart(ctx, func(tx *Tx) error {
		_, err := tx.Exec(ctx, `DELETE FROM leases WHERE name = $1 AND holder = $2`, name, holder)
		return err
	})
	return wrap("release lease", err)
}
