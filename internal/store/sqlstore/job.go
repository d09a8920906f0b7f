package sqlstore

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"slices"
	"time"

	"engram"
	"engram/internal/store"
)

const jobColumns = `id, workspace, kind, payload, unique_key, state, attempts, max_attempts, run_at, leased_until,
	last_error, created_at, finished_at`

func scanJob(row scanner) (store.Job, error) {
	var (
		j                store.Job
		runAt, created   int64
		leased, finished sql.NullInt64
	)
	err := row.Scan(&j.ID, &j.Workspace, &j.Kind, &j.Payload, &j.UniqueKey, &j.State, &j.Attempts, &j.MaxAttempts, &runAt, &leased,
		&j.LastError, &created, &finished)
	j.RunAt, j.LeasedUntil = fromMicros(runAt), fromOptional(leased)
	j.CreatedAt, j.FinishedAt = fromMicros(created), fromOptional(finished)
	return j, err
}

func jobNotFound(id int64) error {
	return engram.Errorf(engram.ErrNotFound, "job %d not found", id).WithCode("unknown_job")
}

// Enqueue implements [store.Jobs].
func (s *Store) Enqueue(ctx context.Context, j *store.Job) (created bool, err error) {
	in := *j
	in.State = store.JobWaiting
	in.MaxAttempts = cmp.Or(in.MaxAttempts, 1)
	in.RunAt = cmpTime(in.RunAt, in.CreatedAt)
	err = s.WriteApart(ctx, func(tx *Tx) error {
		err := tx.Row(ctx, `INSERT INTO jobs (workspace, kind, payload, unique_key, state, max_attempts, run_at, created_at)
			VALUES ($1, $2, $3, $4, $5, $6, $7, $8) ON CONFLICT DO NOTHING RETURNING id`,
			[]any{in.Workspace, in.Kind, in.Payload, in.UniqueKey, in.State, in.MaxAttempts, micros(in.RunAt), micros(in.CreatedAt)}, &in.ID)
		if created = err == nil; created || !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		return tx.Row(ctx, `SELECT id FROM jobs WHERE workspace = $1 AND kind = $2 AND unique_key = $3 AND unique_key <> ''
			AND state IN ('waiting', 'running')`, []any{in.Workspace, in.Kind, in.UniqueKey}, &in.ID)
	})
	if err != nil {
		return false, wrap("enqueue job", err)
	}
	if created {
		*j = in
	}
	j.ID = in.ID
	return created, nil
}

// Claim implements [store.Jobs].
func (s *Store) Claim(ctx context.Context, kinds []string, limit int, now time.Time, lease time.Duration) ([]store.Job, error) {
	if len(kinds) == 0 || limit <= 0 {
		return nil, nil
	}
	var jobs []store.Job
	err := s.WriteApart(ctx, func(tx *Tx) error {
		q := new(query)
		q.add("UPDATE jobs SET state = 'running', attempts = attempts + 1, leased_until = ? WHERE id IN (SELECT id FROM jobs WHERE run_at <= ?",
			micros(now.Add(lease)), micros(now))
		in(q, "kind", "IN", kinds)
		q.add(` AND state IN ('waiting', 'running') AND (state = 'waiting' OR leased_until <= ?)
			ORDER BY run_at, id LIMIT ? `+s.eng.ClaimLock+`) RETURNING `+jobColumns, micros(now), limit)
		return tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
			j, err := scanJob(rows)
			jobs = append(jobs, j)
			return err
		})
	})
	if err != nil {
		return nil, wrap("claim jobs", err)
	}
	slices.SortFunc(jobs, func(a, b store.Job) int {
		return cmp.Or(a.RunAt.Compare(b.RunAt), cmp.Compare(a.ID, b.ID))
	})
	return jobs, nil
}

// Complete implements [store.Jobs].
func (s *Store) Complete(ctx context.Context, id int64, now time.Time) error {
	err := s.WriteApart(ctx, func(tx *Tx) error {
		n, err := tx.Exec(ctx, `UPDATE jobs SET state = 'done', finished_at = $1, leased_until = NULL WHERE id = $2 AND state = 'running'`,
			micros(now), id)
		if err == nil && n == 0 {
			return jobNotFound(id)
		}
		return err
	})
	return wrap("complete job", err)
}

// Fail implements [store.Jobs].
func (s *Store) Fail(ctx context.Context, id int64, reason string, now, retryAt time.Time) (state store.JobState, err error) {
	err = s.WriteApart(ctx, func(tx *Tx) error {
		err := tx.Row(ctx, `UPDATE jobs SET last_error = $1, leased_until = NULL,
				state = CASE WHEN attempts >= max_attempts THEN 'dead' ELSE 'waiting' END,
				finished_at = CASE WHEN attempts >= max_attempts THEN CAST($2 AS BIGINT) ELSE NULL END,
				run_at = CASE WHEN attempts >= max_attempts THEN run_at ELSE $3 END
			WHERE id = $4 AND state = 'running' RETURNING state`,
			[]any{reason, micros(now), micros(retryAt), id}, &state)
		if errors.Is(err, sql.ErrNoRows) {
			return jobNotFound(id)
		}
		return err
	})
	return state, wrap("fail job", err)
}

// Job implements [store.Jobs].
func (s *Store) Job(ctx context.Context, id int64) (*store.Job, error) {
	var found *store.Job
	err := s.rows(ctx, `SELECT `+jobColumns+` FROM jobs WHERE id = $1`, []any{id}, func(rows *sql.Rows) error {
		j, err := scanJob(rows)
		found = &j
		return err
	})
	if err != nil {
		return nil, wrap("job", err)
	}
	if found == nil {
		return nil, jobNotFound(id)
	}
	return found, nil
}
