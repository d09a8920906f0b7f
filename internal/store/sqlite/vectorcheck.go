package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"

	"engram/internal/store"
	"engram/internal/store/sqlstore"
	"engram/internal/vector"
)

// lostVectors are rows whose memory or model is not there.
const lostVectors = `SELECT id FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM memories m WHERE m.id = v.memory_id)
	OR NOT EXISTS (SELECT 1 FROM vector_models o WHERE o.id = v.model)`

// checkVectors looks for rows of vectors that are broken or belong to nothing.
// With repair they go, so that their texts are given to the model again, as are
// those that it had no vector for; and so do models that another one has taken
// the place of.
func (s *Store) checkVectors(ctx context.Context, repair bool) ([]store.Finding, error) {
	wrong, err := s.checkDimensions(ctx, repair)
	if err != nil || len(wrong) > 0 && !repair {
		return wrong, err
	}
	found, err := s.checkVectorRows(ctx, repair)
	return append(wrong, found...), err
}

// checkVectorRows looks at the rows, where what is kept of their models is right.
func (s *Store) checkVectorRows(ctx context.Context, repair bool) ([]store.Finding, error) {
	bad, why, err := s.badVectors(ctx)
	if err != nil {
		return nil, err
	}
	if len(bad) > 0 && !repair {
		return one("vectors", false, fixRepair, "%d vectors %s", len(bad), why), nil
	}
	if len(bad) > 0 {
		if err := s.dropBadVectors(ctx, bad); err != nil {
			return nil, err
		}
		return one("vectors", true, "", "%d vectors that %s are gone; their texts are given to the model again", len(bad), why), nil
	}
	found, err := s.checkDone(ctx, repair)
	if err != nil || len(found) > 0 && !repair {
		return found, err
	}
	models, err := s.VectorModels(ctx)
	if err != nil || len(models) == 0 {
		return found, err
	}
	packs, err := s.checkPacks(ctx, models, repair)
	if err != nil || !packs.OK {
		return append(found, packs), err
	}
	found = append(found, one("vectors", true, "", "every vector belongs to a memory and a model, and is as it was written")...)
	if packs.Message != "" {
		found = append(found, packs)
	}
	for i, m := range models {
		part, err := s.checkModel(ctx, m, i > 0 && models[0].Lack == 0, repair)
		if err != nil {
			return found, err
		}
		found = append(found, part)
	}
	return found, nil
}

// checkModel says how far a model is, and with repair tries again what failed and
// drops what is replaced.
func (s *Store) checkModel(ctx context.Context, m store.VectorModel, replaced, repair bool) (store.Finding, error) {
	f := store.Finding{
		Check: "vectors", OK: true,
		Message: fmt.Sprintf("%s: %d texts have a vector, %d wait for one, %d could not get one", m.Name, m.Have, m.Lack, m.Failed),
	}
	switch {
	case replaced && repair:
		n, err := s.DropVectors(ctx, m.Name)
		f.Message = fmt.Sprintf("%s: another model has taken its place; %d vectors of it are gone", m.Name, n)
		return f, err
	case replaced:
		f.Message = fmt.Sprintf("%s: another model has taken its place; %d vectors of it are kept for a week", m.Name, m.Rows)
		f.Fix = "to drop them now, run engram doctor --repair"
	case m.Failed > 0 && repair:
		n, err := s.RetryVectors(ctx, m.Name)
		f.Message += fmt.Sprintf("; %d are tried again", n)
		return f, err
	case m.Failed > 0:
		var reasons []string
		reasons, err := s.list(ctx, `SELECT DISTINCT failed FROM vectors WHERE failed <> '' ORDER BY 1 LIMIT 3`)
		f.Message += " (" + strings.Join(reasons, "; ") + ")"
		f.Fix = "to try them again, run engram doctor --repair"
		return f, err
	}
	return f, nil
}

// badVectors gives the rows that are of no use, and why.
func (s *Store) badVectors(ctx context.Context) (bad []int64, why string, err error) {
	lost, broken := 0, 0
	err = s.Read(ctx, func(tx *sqlstore.Tx) error {
		err := tx.Rows(ctx, lostVectors, nil, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			bad = append(bad, id)
			lost++
			return err
		})
		if err != nil {
			return err
		}
		return tx.Rows(ctx, `SELECT v.id, v.checksum, v.failed, v.codes, o.dim, o.name FROM vectors v
			JOIN vector_models o ON o.id = v.model JOIN memories m ON m.id = v.memory_id`, nil, func(rows *sql.Rows) error {
			var (
				id, checksum int64
				dim          int
				failed, name string
				codes        sql.RawBytes
			)
			if err := rows.Scan(&id, &checksum, &failed, &codes, &dim, &name); err != nil {
				return err
			}
			empty := len(codes) == 0 && checksum == int64(vector.Checksum(nil)) // it says nothing, or failed
			if !empty && (failed != "" || !soundCodes(codes, checksum, dim)) {
				bad = append(bad, id)
				broken++
			}
			return nil
		})
	})
	var parts []string
	if lost > 0 {
		parts = append(parts, fmt.Sprintf("belong to no memory or no model (%d)", lost))
	}
	if broken > 0 {
		parts = append(parts, fmt.Sprintf("are broken or of another model than they say (%d)", broken))
	}
	return bad, strings.Join(parts, " or "), err
}

func (s *Store) dropBadVectors(ctx context.Context, bad []int64) error {
	return s.Write(ctx, func(tx *sqlstore.Tx) error {
		for _, id := range bad {
			if _, err := tx.Exec(ctx, `DELETE FROM vectors WHERE id = $1`, id); err != nil {
				return err
			}
		}
		for _, query := range []string{
			`UPDATE counters SET value = value + 1 WHERE name = 'vector_generation'`, `UPDATE vector_models SET done = 0`,
		} {
			if _, err := tx.Exec(ctx, query); err != nil {
				return err
			}
		}
		return nil
	})
}
