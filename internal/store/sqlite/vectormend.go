package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strconv"
	"strings"

	"engram/internal/store"
	"engram/internal/store/sqlstore"
	"engram/internal/vector"
)

// modelMark is what is kept of a model itself.
type modelMark struct {
	id, done int64
	name     string
	dim      int
}

func (s *Store) modelMarks(ctx context.Context) (marks []modelMark, err error) {
	err = s.Read(ctx, func(tx *sqlstore.Tx) error {
		return tx.Rows(ctx, `SELECT id, name, dim, done FROM vector_models ORDER BY used_at DESC, name`, nil, func(rows *sql.Rows) error {
			var m modelMark
			err := rows.Scan(&m.id, &m.name, &m.dim, &m.done)
			marks = append(marks, m)
			return err
		})
	})
	return marks, err
}

// checkDimensions looks at what is kept of the models: a wrong dimension makes good
// vectors look broken.
func (s *Store) checkDimensions(ctx context.Context, repair bool) (found []store.Finding, err error) {
	models, err := s.modelMarks(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range models {
		dim, err := s.trueDimension(ctx, m)
		if err != nil {
			return found, err
		}
		part, err := s.mendModel(ctx, repair && dim != m.dim, dim != m.dim,
			fmt.Sprintf("%s: its vectors have %d numbers, and %d are noted", m.name, dim, m.dim),
			`UPDATE vector_models SET dim = $1 WHERE id = $2`, dim, m.id)
		if found = append(found, part...); err != nil {
			return found, err
		}
	}
	return found, nil
}

// checkDone looks at the marks up to which nothing lacks a vector: one that is too
// high keeps texts from the model for ever.
func (s *Store) checkDone(ctx context.Context, repair bool) (found []store.Finding, err error) {
	models, err := s.modelMarks(ctx)
	if err != nil {
		return nil, err
	}
	for _, m := range models {
		lost, err := s.takenForDone(ctx, m)
		if err != nil {
			return found, err
		}
		part, err := s.mendModel(ctx, repair && lost != "", lost != "", m.name+": "+lost,
			`UPDATE vector_models SET done = 0 WHERE id = $1`, m.id)
		if found = append(found, part...); err != nil {
			return found, err
		}
	}
	return found, nil
}

// mendModel is the finding about something that is wrong with a model, if it is;
// with repair a statement makes it good.
func (s *Store) mendModel(ctx context.Context, repair, wrong bool, what, query string, args ...any) ([]store.Finding, error) {
	if !wrong {
		return nil, nil
	}
	if !repair {
		return one("vectors", false, fixRepair, "%s", what), nil
	}
	err := s.Write(ctx, func(tx *sqlstore.Tx) error {
		if _, err := tx.Exec(ctx, query, args...); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `UPDATE counters SET value = value + 1 WHERE name = 'vector_generation'`)
		return err
	})
	return one("vectors", true, "", "%s: mended", what), err
}

// takenForDone says how many texts lack a vector of a model though no text written
// up to its mark should, "" = none.
func (s *Store) takenForDone(ctx context.Context, m modelMark) (string, error) {
	last, err := s.LastWrite(ctx)
	if err != nil {
		return "", err
	}
	n := 0
	err = s.reader.QueryRowContext(ctx, `SELECT COUNT(*) FROM memories m WHERE m.deleted_at IS NULL AND m.seq <= ?2
		AND NOT EXISTS (SELECT 1 FROM vectors v WHERE v.memory_id = m.id AND v.version = m.version AND v.model = ?1)`, m.id, m.done).Scan(&n)
	switch {
	case err != nil || n == 0 && m.done <= last:
		return "", err
	case n == 0:
		return "more is noted as done than was ever written, so that later texts would wait for ever", nil
	}
	return fmt.Sprintf("%d texts lack a vector and are noted as done, so that they would wait for ever", n), nil
}

// trueDimension is that of a model's name, name@768 or name@768+hash, or else of
// most of its vectors that are as they were written.
func (s *Store) trueDimension(ctx context.Context, m modelMark) (int, error) {
	_, tag, _ := strings.Cut(m.name[max(0, strings.LastIndexByte(m.name, '@')):], "@")
	tag, _, _ = strings.Cut(tag, "+")
	if dim, err := strconv.Atoi(tag); err == nil && dim > 0 {
		return dim, nil
	}
	lengths := map[int]int{}
	err := s.Read(ctx, func(tx *sqlstore.Tx) error {
		return tx.Rows(ctx, `SELECT checksum, codes FROM vectors WHERE model = $1 AND failed = ''`, []any{m.id}, func(rows *sql.Rows) error {
			var (
				checksum int64
				codes    sql.RawBytes
			)
			err := rows.Scan(&checksum, &codes)
			if err == nil && len(codes) > 0 && int64(vector.Checksum(codes)) == checksum {
				lengths[len(codes)]++
			}
			return err
		})
	})
	most := 0
	for n, times := range lengths {
		if times > lengths[most] || times == lengths[most] && n < most {
			most = n
		}
	}
	if most == 0 || m.dim > 0 && most%m.dim == 0 { // several passages lie one after the other
		return m.dim, err
	}
	return most, err
}
