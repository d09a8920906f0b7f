package sqlite

import (
	"context"
	"database/sql"
	"fmt"

	"engram/internal/keyword"
	"engram/internal/store"
	"engram/internal/store/sqlstore"
	"engram/internal/vector"
)

// Vectors of models other than the built-in one are rows (package store, Vectors).
// This process reads those of a model when a search asks by it, and from then on,
// before each search that does, those that were written since, by whatever process.

// spaceStep is about how many rows a step of reading vectors has.
const spaceStep = 2000

// readSpaces brings into the index what it lacks of the models that a query has
// vectors of.
func (k *keywordIndex) readSpaces(ctx context.Context, x *keyword.Index, vectors []store.QueryVector) error {
	own := keywordRules().Space
	for _, v := range vectors {
		if v.Model == own.Model {
			continue
		}
		if err := k.readSpace(ctx, x, vector.Space{Model: v.Model, Dim: len(v.Unit)}); err != nil {
			return fmt.Errorf("vectors of %s: %w", v.Model, err)
		}
	}
	return nil
}

func (k *keywordIndex) readSpace(ctx context.Context, x *keyword.Index, model vector.Space) error {
	now, err := vectorMark(ctx, k.s.Store)
	if err != nil {
		return err
	}
	if have, ok := x.SpaceMark(model); ok && have.Generation == now.Generation && have.Seq >= now.Seq {
		return nil
	}
	if err := k.take(ctx); err != nil {
		return err
	}
	defer k.give()
	for _, other := range x.Spaces() {
		if have, ok := x.SpaceMark(other); ok && have.Generation != now.Generation && other != model {
			x.DropSpace(other) // its model may be gone; it is read again when it is asked by
		}
	}
	for {
		have, _ := x.SpaceMark(model)
		if have.Generation == now.Generation && have.Seq >= now.Seq {
			return nil
		}
		vectors, mark, err := k.readVectors(ctx, model, have)
		if err != nil {
			return err
		}
		x.PutVectors(model, vectors, mark)
		if mark == have {
			return nil // nothing was ever written
		}
	}
}

// vectorMark says how far the rows of vectors go.
func vectorMark(ctx context.Context, s *sqlstore.Store) (m keyword.Mark, err error) {
	err = s.Read(ctx, func(tx *sqlstore.Tx) error { return markIn(ctx, tx, &m) })
	return m, err
}

func markIn(ctx context.Context, tx *sqlstore.Tx, m *keyword.Mark) error {
	return tx.Row(ctx, `SELECT (SELECT value FROM counters WHERE name = 'vector_generation'),
		(SELECT value FROM counters WHERE name = 'vector_seq')`, nil, &m.Generation, &m.Seq)
}

// readVectors reads the rows that follow, about spaceStep of them, and how far
// that is; from the beginning where some were taken away since.
func (k *keywordIndex) readVectors(ctx context.Context, model vector.Space, have keyword.Mark) (vectors []keyword.Coded, mark keyword.Mark, err error) {
	broken := 0
	err = k.s.Read(ctx, func(tx *sqlstore.Tx) error {
		if err := markIn(ctx, tx, &mark); err != nil {
			return err
		}
		after := have.Seq
		if have.Generation != mark.Generation {
			after = 0
		}
		const ofModel = ` FROM vectors WHERE model = (SELECT id FROM vector_models WHERE name = $1 AND dim = $2)`
		args := []any{model.Model, model.Dim, after}
		var end sql.NullInt64
		err := tx.Row(ctx, `SELECT (SELECT seq`+ofModel+` AND seq > $3 ORDER BY seq LIMIT 1 OFFSET $4)`, append(args, spaceStep), &end)
		if err != nil {
			return err
		}
		if end.Valid {
			mark.Seq = end.Int64
		}
		return tx.Rows(ctx, `SELECT memory_id, version, checksum, codes`+ofModel+` AND seq > $3 AND seq <= $4`, append(args, mark.Seq),
			func(rows *sql.Rows) error {
				var (
					c        keyword.Coded
					checksum int64
				)
				err := rows.Scan(&c.ID, &c.Version, &checksum, &c.Codes)
				if len(c.Codes) > 0 && !soundCodes(c.Codes, checksum, model.Dim) {
					broken++
					c.Codes = nil
				}
				vectors = append(vectors, c)
				return err
			})
	})
	if broken > 0 {
		k.log().ErrorContext(ctx, "broken vectors left out, run engram doctor --repair", "model", model.Model, "vectors", broken)
	}
	return vectors, mark, err
}

// soundCodes reports whether a row's codes are as they were written.
func soundCodes(codes []byte, checksum int64, dim int) bool {
	return vector.Usable(codes, dim) && int64(vector.Checksum(codes)) == checksum
}
