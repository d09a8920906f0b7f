package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"time"

	"engram"
	"engram/internal/store"
	"engram/internal/vector"
)

// UseVectorModel implements [store.Vectors].
func (s *Store) UseVectorModel(ctx context.Context, m store.VectorModel, now time.Time) error {
	err := s.Write(ctx, func(tx *Tx) error {
		var dim int
		err := tx.Row(ctx, `INSERT INTO vector_models (name, dim, recipe, used_at) VALUES ($1, $2, $3, $4)
			ON CONFLICT (name) DO UPDATE SET used_at = excluded.used_at, recipe = excluded.recipe RETURNING dim`,
			[]any{m.Name, m.Dim, m.Recipe, micros(now)}, &dim)
		if err == nil && dim != m.Dim {
			err = otherDimension(m.Name, dim, m.Dim)
		}
		return err
	})
	return wrap("use vector model", err)
}

func otherDimension(model string, want, got int) error {
	return engram.Errorf(engram.ErrConflict, "a vector of %s has %d numbers, not %d", model, got, want).
		WithCode("vector_dimension").WithHint("see whether embedder_model is still the same model, then run engram doctor --repair")
}

// vectorModel gives the number and the dimension of a model; unknown is not found.
func vectorModel(ctx context.Context, tx *Tx, name string) (id int64, dim int, err error) {
	err = tx.Row(ctx, `SELECT id, dim FROM vector_models WHERE name = $1`, []any{name}, &id, &dim)
	if errors.Is(err, sql.ErrNoRows) {
		err = engram.Errorf(engram.ErrNotFound, "no vectors of %s are kept", name).WithCode("unknown_vector_model")
	}
	return id, dim, err
}

// lacking are current texts that have no row of the model $1, written after $2.
const lacking = ` FROM memories m WHERE m.deleted_at IS NULL AND m.seq > $2
	AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.memory_id = m.id AND v.version = m.version AND v.model = $1)`

// VectorModels implements [store.Vectors].
func (s *Store) VectorModels(ctx context.Context) ([]store.VectorModel, error) {
	var models []store.VectorModel
	err := s.Read(ctx, func(tx *Tx) error {
		var ids []int64
		err := tx.Rows(ctx, `SELECT id, name, dim, recipe, used_at, done FROM vector_models ORDER BY used_at DESC, name`, nil,
			func(rows *sql.Rows) error {
				var (
					m        store.VectorModel
					id, used int64
				)
				err := rows.Scan(&id, &m.Name, &m.Dim, &m.Recipe, &used, &m.Done)
				m.UsedAt = time.UnixMicro(used).UTC()
				ids, models = append(ids, id), append(models, m)
				return err
			})
		if err != nil {
			return err
		}
		living := 0
		if err := tx.Row(ctx, `SELECT COALESCE(SUM(living), 0) FROM memory_counts`, nil, &living); err != nil {
			return err
		}
		for i := range models {
			if err := countVectors(ctx, tx, ids[i], living, &models[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return models, wrap("vector models", err)
}

// countVectors looks at what was written since nothing lacked the model only.
func countVectors(ctx context.Context, tx *Tx, id int64, living int, m *store.VectorModel) error {
	err := errors.Join(
		tx.Row(ctx, `SELECT COUNT(*) FROM vectors WHERE model = $1`, []any{id}, &m.Rows),
		tx.Row(ctx, `SELECT COUNT(*)`+lacking, []any{id, m.Done}, &m.Lack),
		tx.Row(ctx, `SELECT COUNT(*) FROM vectors v JOIN memories m ON m.id = v.memory_id AND m.version = v.version
			WHERE v.model = $1 AND v.failed <> '' AND m.deleted_at IS NULL`, []any{id}, &m.Failed),
	)
	m.Have = living - m.Lack - m.Failed
	return err
}

// LastWrite implements [store.Vectors].
func (s *Store) LastWrite(ctx context.Context) (seq int64, err error) {
	err = s.row(ctx, `SELECT value FROM counters WHERE name = 'seq'`, nil, &seq)
	return seq, wrap("last write", err)
}

// TextsToEmbed implements [store.Vectors].
func (s *Store) TextsToEmbed(ctx context.Context, model string, span store.WriteSpan, limit, maxBytes int) ([]store.TextToEmbed, error) {
	var texts []store.TextToEmbed
	err := s.Read(ctx, func(tx *Tx) error {
		id, _, err := vectorModel(ctx, tx, model)
		if err != nil && !errors.Is(err, engram.ErrNotFound) {
			return err
		}
		size := 0
		return tx.Rows(ctx, `SELECT m.id, m.version, m.seq, m.title, m.content`+lacking+`
			AND (m.seq < $3 OR m.seq = $3 AND (CAST($4 AS BIGINT) = 0 OR m.id < $4)) ORDER BY m.seq DESC, m.id DESC LIMIT $5`,
			[]any{id, span.After, span.Until, span.BelowID, limit}, func(rows *sql.Rows) error {
				var t store.TextToEmbed
				if size >= maxBytes && len(texts) > 0 {
					return nil
				}
				err := rows.Scan(&t.ID, &t.Version, &t.Write, &t.Title, &t.Content)
				size += len(t.Title) + len(t.Content)
				texts = append(texts, t)
				return err
			})
	})
	return texts, wrap("texts to embed", err)
}

// SaveVectors implements [store.Vectors].
func (s *Store) SaveVectors(ctx context.Context, model string, vectors []store.TextVector) (saved int, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		id, dim, err := vectorModel(ctx, tx, model)
		if err != nil {
			return err
		}
		var seq int64
		if err := tx.Row(ctx, `UPDATE counters SET value = value + 1 WHERE name = 'vector_seq' RETURNING value`, nil, &seq); err != nil {
			return err
		}
		for i := range vectors {
			v := &vectors[i]
			codes, err := codesOf(model, dim, v)
			if err != nil {
				return err
			}
			var row int64
			err = tx.Row(ctx, `INSERT INTO vectors (memory_id, version, model, seq, checksum, failed, codes)
				SELECT id, version, $3, $4, $5, $6, $7 FROM memories WHERE id = $1 AND version = $2 AND deleted_at IS NULL
				ON CONFLICT (memory_id, version, model) DO UPDATE SET
					seq = excluded.seq, checksum = excluded.checksum, failed = excluded.failed, codes = excluded.codes
				RETURNING id`,
				[]any{v.ID, v.Version, id, seq, int64(vector.Checksum(codes)), v.Failed, codes}, &row)
			if errors.Is(err, sql.ErrNoRows) {
				continue
			}
			if err == nil && s.eng.Passages != nil {
				err = s.eng.Passages(ctx, tx, SavedVector{Row: row, Model: id, Memory: v.ID, Version: v.Version, Dim: dim, Codes: codes})
			}
			if err != nil {
				return fmt.Errorf("memory %d: %w", v.ID, err)
			}
			saved++
		}
		return nil
	})
	if err != nil {
		return 0, wrap("save vectors", err)
	}
	return saved, nil
}

// codesOf gives the codes of a text's vectors, one after the other, as a row has
// them. They are empty where the text says nothing, or failed.
func codesOf(model string, dim int, v *store.TextVector) ([]byte, error) {
	codes := []byte{}
	for _, unit := range v.Units {
		if len(unit) > 0 && len(unit) != dim {
			return nil, otherDimension(model, dim, len(unit))
		}
		if v.Failed == "" {
			codes = append(codes, vector.Code(unit)...)
		}
	}
	return codes, nil
}

// VectorsDone implements [store.Vectors].
func (s *Store) VectorsDone(ctx context.Context, model string, write int64) error {
	err := s.Write(ctx, func(tx *Tx) error {
		_, err := tx.Exec(ctx, `UPDATE vector_models SET done = $1 WHERE name = $2 AND done < $1`, write, model)
		return err
	})
	return wrap("vectors done", err)
}

// RetryVectors implements [store.Vectors].
func (s *Store) RetryVectors(ctx context.Context, model string) (n int, err error) {
	err = s.Write(ctx, func(tx *Tx) error {
		done, err := tx.Exec(ctx, `DELETE FROM vectors WHERE failed <> '' AND model = (SELECT id FROM vector_models WHERE name = $1)`, model)
		if n = int(done); err != nil || n == 0 {
			return err
		}
		return vectorsWent(ctx, tx)
	})
	return n, wrap("retry vectors", err)
}

// vectorsWent tells every index of vectors that rows are gone, and that what was
// done for a model has to be looked at again.
func vectorsWent(ctx context.Context, tx *Tx) error {
	for _, query := range []string{
		`UPDATE counters SET value = value + 1 WHERE name = 'vector_generation'`,
		`UPDATE vector_models SET done = 0`,
	} {
		if _, err := tx.Exec(ctx, query); err != nil {
			return err
		}
	}
	return nil
}

// forgetVectors drops the vectors of a memory whose versions got other numbers.
func forgetVectors(ctx context.Context, tx *Tx, memory int64) error {
	n, err := tx.Exec(ctx, `DELETE FROM vectors WHERE memory_id = $1`, memory)
	if err != nil || n == 0 {
		return err
	}
	return vectorsWent(ctx, tx)
}

// dropAtOnce is how many vectors a transaction drops, so that nobody waits long.
const dropAtOnce = 2000

// DropVectors implements [store.Vectors].
func (s *Store) DropVectors(ctx context.Context, model string) (dropped int, err error) {
	for more := true; more && err == nil; {
		err = s.Write(ctx, func(tx *Tx) error {
			id, _, err := vectorModel(ctx, tx, model)
			if errors.Is(err, engram.ErrNotFound) {
				more = false
				return nil
			}
			if err != nil {
				return err
			}
			n, err := tx.Exec(ctx, `DELETE FROM vectors WHERE id IN (SELECT id FROM vectors WHERE model = $1 LIMIT $2)`, id, dropAtOnce)
			if err != nil {
				return err
			}
			dropped += int(n)
			if more = n == dropAtOnce; more {
				_, err = tx.Exec(ctx, `UPDATE vector_models SET done = 0 WHERE id = $1`, id)
				return err
			}
			if _, err := tx.Exec(ctx, `DELETE FROM vector_models WHERE id = $1`, id); err != nil {
				return err
			}
			_, err = tx.Exec(ctx, `UPDATE counters SET value = value + 1 WHERE name = 'vector_generation'`)
			return err
		})
	}
	return dropped, wrap("drop vectors", err)
}
