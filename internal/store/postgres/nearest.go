package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"
	"time"

	"engram/internal/embed"
	"engram/internal/store"
	"engram/internal/store/sqlstore"
)

const (
	// exactUpTo is how many memories a filter may let through so that all of them are
	// compared: beyond that an index finds most of the nearest, and faster.
	exactUpTo = 5000
	// indexedDim is the most numbers of a vector that pgvector can index.
	indexedDim = 4000
	// passagesPerMemory is how many passages are drawn for a memory that is wanted:
	// several of one memory may be near.
	passagesPerMemory = 4
)

// model is one of the query's vectors, where the store has vectors of its model.
type model struct {
	id   int64 // in vector_models; 0 = the built-in table, whose vectors the documents have
	none bool  // the store has none of it
	dim  int
	unit any // as pgvector reads it
}

// cast is how its numbers are written in a statement.
func (m *model) cast() string { return "halfvec(" + strconv.Itoa(m.dim) + ")" }

// addCosine appends the cosine of document d as a column.
func (m *model) addCosine(q *sqlstore.Query) {
	switch {
	case m.none:
		q.Add(`, NULL::float8`)
	case m.id == 0:
		q.Add(`, 1 - (d.embedding <=> ?::text::`+m.cast()+`)`, m.unit)
	default:
		q.Add(`, (SELECT MAX(1 - (p.embedding::`+m.cast()+` <=> ?::text::`+m.cast()+`)) FROM passages p
			WHERE p.memory_id = d.memory_id AND p.version = d.version AND p.model = ?)`, m.unit, m.id)
	}
}

// byMeaning finds the nearest to each of the query's vectors.
func (k *search) byMeaning(ctx context.Context) error {
	for i, v := range k.q.Vectors {
		m, err := k.model(ctx, v)
		if err != nil {
			return err
		}
		k.models = append(k.models, m)
		if m.none {
			continue
		}
		near, err := k.nearest(ctx, &m)
		if err != nil {
			return err
		}
		for rank, id := range near {
			k.find(id).Nearest[i] = rank + 1
		}
	}
	return nil
}

func (k *search) model(ctx context.Context, v store.QueryVector) (m model, err error) {
	m = model{dim: len(v.Unit), unit: queryText(v.Unit)}
	if v.Model == embed.Static().Model() && m.dim == embed.Dim {
		return m, nil
	}
	var dim int
	err = k.tx.Row(ctx, `SELECT id, dim FROM vector_models WHERE name = $1`, []any{v.Model}, &m.id, &dim)
	if errors.Is(err, sql.ErrNoRows) || err == nil && dim != m.dim || m.dim == 0 {
		m.none = true
		return m, nil
	}
	return m, err
}

// nearest gives the memories that are nearest to a vector, ties newest first.
func (k *search) nearest(ctx context.Context, m *model) ([]int64, error) {
	q := new(sqlstore.Query)
	exact := k.size <= exactUpTo || !k.q.Filter.AsOf.IsZero() || m.dim > indexedDim
	switch {
	case exact && m.id == 0:
		q.Add(`WITH near AS MATERIALIZED (SELECT d.memory_id, d.embedding <=> ?::text::`+m.cast()+` AS distance`, m.unit)
		k.from(q, ` AND d.embedding IS NOT NULL) SELECT memory_id, distance FROM near ORDER BY distance, memory_id DESC LIMIT ?`, k.q.Limit)
	case exact:
		q.Add(`WITH near AS MATERIALIZED (SELECT d.memory_id, MIN(p.embedding::`+m.cast()+` <=> ?::text::`+m.cast()+`) AS distance`, m.unit)
		table := q.FromKnown(k.q.Filter)
		q.Add(` JOIN documents d ON d.memory_id = ` + table + `.id AND d.version = ` + table + `.version
			JOIN passages p ON p.memory_id = d.memory_id AND p.version = d.version`)
		q.Where(k.q.Filter)
		q.Add(` AND p.model = ? GROUP BY d.memory_id) SELECT memory_id, distance FROM near ORDER BY distance, memory_id DESC LIMIT ?`, m.id, k.q.Limit)
	case m.id == 0:
		if err := k.scanOn(ctx); err != nil {
			return nil, err
		}
		q.Add(`SELECT d.memory_id, d.embedding <=> ?::text::`+m.cast()+` AS distance`, m.unit)
		k.from(q, ` AND d.embedding IS NOT NULL ORDER BY d.embedding <=> ?::text::`+m.cast()+` LIMIT ?`, m.unit, k.q.Limit)
	default:
		if err := k.scanOn(ctx); err != nil {
			return nil, err
		}
		q.Add(`SELECT p.memory_id, p.embedding::`+m.cast()+` <=> ?::text::`+m.cast()+` AS distance FROM passages p
			JOIN memories ON memories.id = p.memory_id AND memories.version = p.version`, m.unit)
		q.Where(k.q.Filter)
		q.Add(` AND p.model = `+strconv.FormatInt(m.id, 10)+` ORDER BY p.embedding::`+m.cast()+` <=> ?::text::`+m.cast()+` LIMIT ?`,
			m.unit, k.q.Limit*passagesPerMemory)
	}
	return k.readNear(ctx, q)
}

// scanOn has the index scan on until the filter has let enough through.
func (k *search) scanOn(ctx context.Context) error {
	for _, set := range []string{
		`SET LOCAL hnsw.iterative_scan = strict_order`,
		`SET LOCAL hnsw.ef_search = ` + strconv.Itoa(min(1000, max(100, k.q.Limit))),
	} {
		if _, err := k.tx.ExecContext(ctx, set); err != nil {
			return err
		}
	}
	return nil
}

// readNear reads memories with their distances, nearest first.
func (k *search) readNear(ctx context.Context, q *sqlstore.Query) ([]int64, error) {
	type near struct {
		id       int64
		distance float64
	}
	var all []near
	seen := map[int64]bool{}
	err := q.Rows(ctx, k.tx, func(rows *sql.Rows) error {
		var n near
		err := rows.Scan(&n.id, &n.distance)
		if !seen[n.id] {
			seen[n.id] = true
			all = append(all, n)
		}
		return err
	})
	slices.SortStableFunc(all, func(x, y near) int {
		return cmp.Or(cmp.Compare(x.distance, y.distance), cmp.Compare(y.id, x.id))
	})
	ids := make([]int64, 0, len(all))
	for _, n := range all[:min(len(all), k.q.Limit)] {
		ids = append(ids, n.id)
	}
	return ids, err
}

// modelIndexes are the models whose passages are known to have an index.
type modelIndexes struct {
	mu   sync.Mutex
	done map[string]bool
}

// UseVectorModel implements [store.Vectors]. The model's passages get an index.
func (s *Store) UseVectorModel(ctx context.Context, m store.VectorModel, now time.Time) error {
	if err := s.Store.UseVectorModel(ctx, m, now); err != nil {
		return err
	}
	s.models.mu.Lock()
	defer s.models.mu.Unlock()
	if s.models.done[m.Name] || m.Dim > indexedDim {
		return nil
	}
	err := s.Write(ctx, func(tx *sqlstore.Tx) error {
		var id int64
		if err := tx.Row(ctx, `SELECT id FROM vector_models WHERE name = $1`, []any{m.Name}, &id); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, fmt.Sprintf(`CREATE INDEX IF NOT EXISTS passages_near_%[1]d ON passages
			USING hnsw ((embedding::halfvec(%[2]d)) halfvec_cosine_ops) WHERE model = %[1]d`, id, m.Dim))
		return err
	})
	if err != nil {
		return fmt.Errorf("index of vectors: %w", err)
	}
	if s.models.done == nil {
		s.models.done = map[string]bool{}
	}
	s.models.done[m.Name] = true
	return nil
}

// DropVectors implements [store.Vectors].
func (s *Store) DropVectors(ctx context.Context, model string) (int, error) {
	s.models.mu.Lock()
	delete(s.models.done, model)
	s.models.mu.Unlock()
	return s.Store.DropVectors(ctx, model)
}

// savePassages keeps what is searched of a memory's vectors.
func (s *Store) savePassages(ctx context.Context, tx *sqlstore.Tx, v sqlstore.SavedVector) error {
	if _, err := tx.Exec(ctx, `DELETE FROM passages WHERE vector = $1`, v.Row); err != nil {
		return err
	}
	for i := 0; len(v.Codes) >= v.Dim*(i+1); i++ {
		_, err := tx.Exec(ctx, `INSERT INTO passages (vector, number, model, memory_id, version, embedding)
			VALUES ($1, $2, $3, $4, $5, $6::text::halfvec)`, v.Row, i, v.Model, v.Memory, v.Version, codesText(v.Codes[i*v.Dim:][:v.Dim]))
		if err != nil {
			return err
		}
	}
	return nil
}
