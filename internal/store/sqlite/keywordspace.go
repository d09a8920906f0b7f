package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"

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
func (k *keywordIndex) readSpaces(ctx context.Context, x *keyword.Index, vectors []store.QueryVector, ahead aheadPacks) error {
	for _, model := range lateModels(vectors) {
		if err := k.readSpace(ctx, x, model, ahead); err != nil {
			return fmt.Errorf("vectors of %s: %w", model.Model, err)
		}
	}
	return nil
}

// lateModels are those of a query's models whose vectors are rows.
func lateModels(vectors []store.QueryVector) (models []vector.Space) {
	own := keywordRules().Space
	for _, v := range vectors {
		if v.Model != own.Model {
			models = append(models, vector.Space{Model: v.Model, Dim: len(v.Unit)})
		}
	}
	return models
}

func (k *keywordIndex) readSpace(ctx context.Context, x *keyword.Index, model vector.Space, ahead aheadPacks) error {
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
		have, ok := x.SpaceMark(model)
		switch {
		case !ok || have.Generation != now.Generation:
			if now.Generation, err = k.loadPacks(ctx, x, model, ahead); err != nil {
				return err
			}
			continue
		case have.Seq >= now.Seq:
			return nil
		}
		vectors, mark, err := k.readVectors(ctx, model, have)
		if err != nil {
			return err
		}
		if mark.Generation != have.Generation {
			now = mark // some were taken away just now
			continue
		}
		x.PutVectors(model, vectors, mark)
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

// readVectors reads the rows that follow, about spaceStep of them, and how far that
// is. There are none where the generation is another one.
func (k *keywordIndex) readVectors(ctx context.Context, model vector.Space, have keyword.Mark) (vectors []keyword.Coded, mark keyword.Mark, err error) {
	broken := 0
	err = k.s.Read(ctx, func(tx *sqlstore.Tx) error {
		if err := markIn(ctx, tx, &mark); err != nil || mark.Generation != have.Generation {
			return err
		}
		vectors, mark.Seq, broken, err = vectorsAfter(ctx, tx, model, have.Seq, mark.Seq)
		return err
	})
	if broken > 0 {
		k.log().ErrorContext(ctx, "broken vectors left out, run engram doctor --repair", "model", model.Model, "vectors", broken)
	}
	return vectors, mark, err
}

// vectorsAfter reads the rows of a model written after a number, about spaceStep of
// them and none after last, and up to which number they are. Broken ones have no codes.
func vectorsAfter(ctx context.Context, tx *sqlstore.Tx, model vector.Space, after, last int64) (vectors []keyword.Coded, end int64, broken int, err error) {
	const ofModel = ` FROM vectors WHERE model = (SELECT id FROM vector_models WHERE name = $1 AND dim = $2)`
	args := []any{model.Model, model.Dim, after}
	var step sql.NullInt64
	err = tx.Row(ctx, `SELECT (SELECT seq`+ofModel+` AND seq > $3 ORDER BY seq LIMIT 1 OFFSET $4)`, append(args, spaceStep), &step)
	if err != nil {
		return nil, 0, 0, err
	}
	end = last
	if step.Valid {
		end = step.Int64
	}
	err = tx.Rows(ctx, `SELECT id, memory_id, version, checksum, codes`+ofModel+` AND seq > $3 AND seq <= $4`, append(args, end),
		func(rows *sql.Rows) error {
			var (
				c        keyword.Coded
				checksum int64
			)
			err := rows.Scan(&c.Row.Row, &c.ID, &c.Version, &checksum, &c.Codes)
			if len(c.Codes) > 0 && !soundCodes(c.Codes, checksum, model.Dim) {
				broken++
				c.Codes = nil
			}
			vectors = append(vectors, c)
			return err
		})
	return vectors, end, broken, err
}

// fetchCodes reads the codes of some rows, in the order of their numbers, for a
// search whose index has only their signs. Broken ones are left out.
func (k *keywordIndex) fetchCodes(ctx context.Context, model vector.Space, rows []keyword.Row, take func(i int, codes []byte)) error {
	select {
	case k.warmSoon <- struct{}{}:
	default:
	}
	k.begin()
	return k.readCodes(ctx, model, rows, take)
}

func (k *keywordIndex) readCodes(ctx context.Context, model vector.Space, wanted []keyword.Row, take func(i int, codes []byte)) error {
	numbers := make([]byte, 0, 8*len(wanted))
	for i, r := range wanted {
		numbers = strconv.AppendInt(append(numbers, separator(i)), r.Row, 10)
	}
	broken, at := 0, 0
	err := k.s.Read(ctx, func(tx *sqlstore.Tx) error {
		// CROSS JOIN keeps the order: row by row, as they are beside one another on the disk.
		return tx.Rows(ctx, `SELECT v.id, v.memory_id, v.version, v.checksum, v.codes FROM json_each($1) j CROSS JOIN vectors v ON v.id = j.value`,
			[]any{string(append(numbers, ']'))}, func(rows *sql.Rows) error {
				var (
					r        keyword.Row
					checksum int64
					codes    sql.RawBytes
				)
				if err := rows.Scan(&r.Row, &r.ID, &r.Version, &checksum, &codes); err != nil {
					return err
				}
				for at < len(wanted) && wanted[at].Row != r.Row {
					at++ // it is not there any more
				}
				switch {
				case at == len(wanted) || wanted[at] != r: // its number was given to another one
				case soundCodes(codes, checksum, model.Dim):
					take(at, codes)
				case len(codes) > 0:
					broken++
				}
				return nil
			})
	})
	if broken > 0 {
		k.log().ErrorContext(ctx, "broken vectors left out, run engram doctor --repair", "model", model.Model, "vectors", broken)
	}
	return err
}

// warmSpaces brings the codes of vectors into memory, as many as there is room
// for, so that searches need not read rows.
func (k *keywordIndex) warmSpaces(ctx context.Context) error {
	st := k.state.Load()
	if st == nil {
		return nil
	}
	for _, model := range st.index.Spaces() {
		for more := true; more; {
			if err := k.take(ctx); err != nil {
				return err
			}
			var err error
			more, err = st.index.Warm(model, func(rows []keyword.Row, take func(int, []byte)) error {
				return k.readCodes(ctx, model, rows, take)
			})
			k.give()
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// soundCodes reports whether a row's codes are as they were written.
func soundCodes(codes []byte, checksum int64, dim int) bool {
	return vector.Usable(codes, dim) && int64(vector.Checksum(codes)) == checksum
}

// separator is what comes before the element i of a list in JSON.
func separator(i int) byte {
	if i == 0 {
		return '['
	}
	return ','
}
