package sqlstore

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"time"

	"engram"
	"engram/internal/store"
)

func notFound(id int64) error {
	return engram.Errorf(engram.ErrNotFound, "memory %d not found", id).WithCode("unknown_id")
}

// Memory implements [store.Memories].
func (s *Store) Memory(ctx context.Context, workspace string, id int64, deleted bool) (m *engram.Memory, err error) {
	err = s.Read(ctx, func(tx *Tx) error {
		m, err = memoryByID(ctx, tx, workspace, id, deleted)
		return err
	})
	return m, err
}

// memoryByID is a memory, living or with deleted any.
func memoryByID(ctx context.Context, tx *Tx, workspace string, id int64, deleted bool) (m *engram.Memory, err error) {
	err = tx.Rows(ctx, `SELECT `+memoryColumns+` FROM memories WHERE id = $1 AND workspace = $2`, []any{id, workspace},
		func(rows *sql.Rows) error {
			m, err = scanMemory(rows)
			return err
		})
	if err != nil {
		return nil, fmt.Errorf("memory %d: %w", id, err)
	}
	if m == nil || (m.Deleted() && !deleted) {
		return nil, notFound(id)
	}
	return m, nil
}

// MemoriesByID implements [store.Memories].
func (s *Store) MemoriesByID(ctx context.Context, filter store.Filter, ids []int64) ([]*engram.Memory, error) {
	found := make(map[int64]*engram.Memory, len(ids))
	err := s.Read(ctx, func(tx *Tx) error {
		for part := range slices.Chunk(ids, 512) {
			var q query
			q.add("SELECT " + memoryColumns)
			fromKnown(&q, filter)
			where(&q, filter)
			in(&q, "id", "IN", part)
			err := tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
				m, err := scanMemory(rows)
				if err == nil {
					found[m.ID] = m
				}
				return err
			})
			if err != nil {
				return fmt.Errorf("memories by id: %w", err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	out := make([]*engram.Memory, 0, len(found))
	for _, id := range ids {
		if m := found[id]; m != nil {
			out = append(out, m)
			delete(found, id)
		}
	}
	return out, nil
}

// maxArms is how many lists are merged; more projects than that are one list.
const maxArms = 16

// ListMemories implements [store.Memories]. Each project and type has its own
// arm that comes out of an index in order; the merge takes the newest of all.
func (s *Store) ListMemories(ctx context.Context, filter store.Filter, order store.Order, page store.Page) ([]*engram.Memory, error) {
	var out []*engram.Memory
	q := listQuery(filter, order, page)
	err := s.rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
		m, err := scanMemory(rows)
		out = append(out, m)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("list memories: %w", err)
	}
	return out, nil
}

func orderColumn(order store.Order) string {
	switch order {
	case store.ByActivity:
		return "updated_at"
	case store.ByOccurred:
		return "occurred_at"
	default:
		return "created_at"
	}
}

// listQuery picks the ids of a page first and reads only their rows.
func listQuery(f store.Filter, order store.Order, page store.Page) *query {
	q := new(query)
	l := listing{column: orderColumn(order), direction: "DESC", page: page}
	if !f.AsOf.IsZero() {
		q.add("SELECT " + memoryColumns)
		fromKnown(q, f)
		where(q, f)
		l.finish(q)
		return q
	}
	q.add("SELECT " + memoryColumns + " FROM memories WHERE id IN (")
	l.ids(q, f)
	q.add(") ORDER BY " + l.column + " DESC, id DESC")
	return q
}

// listing is an order and a part of it.
type listing struct {
	column, direction string
	page              store.Page
	textID            bool // ids are texts
}

// ids appends a query of the ids of the part, of current memories.
func (l listing) ids(q *query, f store.Filter) {
	arms := armsOf(f)
	if len(arms) == 1 {
		q.add("SELECT id FROM memories")
		arms[0](q)
		l.finish(q)
		return
	}
	q.add("SELECT id FROM (")
	for i, arm := range arms {
		if i > 0 {
			q.add(" UNION ALL ")
		}
		q.add("SELECT * FROM (SELECT id, " + l.column + " FROM memories")
		arm(q)
		l.finish(q)
		q.add(") AS arm")
	}
	q.add(") AS arms")
	l.orderAndLimit(q)
}

// finish appends the start of the page, order and limit.
func (l listing) finish(q *query) {
	if !l.page.After.IsZero() {
		at, id := micros(l.page.After), any(l.page.AfterID)
		if l.textID {
			id = l.page.AfterKey
		}
		q.add(" AND "+l.column+" <= ? AND ("+l.column+" < ? OR id < ?)", at, at, id)
	}
	l.orderAndLimit(q)
}

func (l listing) orderAndLimit(q *query) {
	q.add(" ORDER BY " + l.column + " " + l.direction + ", id " + l.direction)
	if l.page.Limit > 0 {
		q.add(" LIMIT ?", l.page.Limit)
	}
}

// armsOf are the WHERE clauses whose union the filter is; no memory is in two.
func armsOf(f store.Filter) []func(*query) {
	whole := func(q *query) { where(q, f) }
	projects, types := distinct(f.Projects), distinct(f.Types)
	if len(projects)*max(len(types), 1) > maxArms || (len(projects) < 2 && !f.Global && len(types) < 2) {
		return []func(*query){whole}
	}
	var arms []func(*query)
	add := func(projects []string, typ []string, more func(*query)) {
		arms = append(arms, func(q *query) {
			one := f
			one.Projects, one.Types, one.Global = projects, typ, false
			where(q, one)
			more(q)
		})
	}
	each := func(projects []string, more func(*query)) {
		if len(types) == 0 {
			add(projects, nil, more)
		}
		for _, t := range types {
			add(projects, []string{t}, more)
		}
	}
	switch {
	case len(projects) == 0:
		each(nil, func(*query) {})
	case f.Global:
		each(nil, func(q *query) {
			q.add(" AND scope = 'global' AND scope <> 'project'")
			in(q, "project", "NOT IN", projects)
		})
		fallthrough
	default:
		for _, p := range projects {
			each([]string{p}, func(*query) {})
		}
	}
	return arms
}

func distinct(values []string) []string {
	values = slices.Clone(values)
	slices.Sort(values)
	return slices.Compact(values)
}

// CountMemories implements [store.Memories]. Filters that the kept counts know
// about cost the same at any size.
func (s *Store) CountMemories(ctx context.Context, filter store.Filter) (int, error) {
	var n sql.NullInt64
	q := new(query)
	if countsKnow(filter) {
		switch filter.Deleted {
		case store.WithDeleted:
			q.add("SELECT SUM(living + deleted)")
		case store.OnlyDeleted:
			q.add("SELECT SUM(deleted)")
		default:
			q.add("SELECT SUM(living)")
		}
		q.add(" FROM memory_counts")
		kept := filter
		kept.Deleted = store.WithDeleted
		where(q, kept)
	} else {
		q.add("SELECT COUNT(*)")
		fromKnown(q, filter)
		where(q, filter)
	}
	if err := s.row(ctx, q.String(), q.args, &n); err != nil {
		return 0, fmt.Errorf("count memories: %w", err)
	}
	return int(n.Int64), nil
}

// countsKnow reports whether memory_counts has all that the filter asks about.
func countsKnow(f store.Filter) bool {
	return f.AsOf.IsZero() && f.Since.IsZero() && f.Until.IsZero() &&
		f.Session == "" && len(f.Kinds) == 0 && !f.Pinned && !f.OpenTasks
}

// InWindow implements [store.Searcher].
func (s *Store) InWindow(ctx context.Context, filter store.Filter, from, to time.Time, oldest bool, limit int) ([]int64, error) {
	filter.Since, filter.Until = later(filter.Since, from), earlier(filter.Until, to)
	l := listing{column: orderColumn(store.ByOccurred), direction: "DESC", page: store.Page{Limit: limit}}
	if oldest {
		l.direction = "ASC"
	}
	q := new(query)
	if filter.AsOf.IsZero() {
		l.ids(q, filter)
	} else {
		q.add("SELECT id")
		fromKnown(q, filter)
		where(q, filter)
		l.finish(q)
	}
	var ids []int64
	err := s.rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
		var id int64
		err := rows.Scan(&id)
		ids = append(ids, id)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("memories in window: %w", err)
	}
	return ids, nil
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func earlier(a, b time.Time) time.Time {
	if a.IsZero() || (!b.IsZero() && b.Before(a)) {
		return b
	}
	return a
}

// Timeline implements [store.Memories].
func (s *Store) Timeline(ctx context.Context, workspace string, id int64, before, after int) (*store.Timeline, error) {
	t := new(store.Timeline)
	err := s.Read(ctx, func(tx *Tx) (err error) {
		if t.Focus, err = memoryByID(ctx, tx, workspace, id, false); err != nil {
			return err
		}
		if t.Focus.Session == "" {
			return nil
		}
		if t.Session, err = sessionByID(ctx, tx, workspace, t.Focus.Session); err != nil {
			return err
		}
		t.Total = t.Session.Count
		if t.Before, err = neighbours(ctx, tx, t.Focus, "<", "DESC", before); err != nil {
			return err
		}
		slices.Reverse(t.Before)
		t.After, err = neighbours(ctx, tx, t.Focus, ">", "ASC", after)
		return err
	})
	if err != nil {
		return nil, err
	}
	return t, nil
}

// neighbours are the nearest living memories of m's session on one side of it.
func neighbours(ctx context.Context, tx *Tx, m *engram.Memory, side, direction string, limit int) (out []*engram.Memory, err error) {
	if limit <= 0 {
		return nil, nil
	}
	at := micros(m.OccurredAt)
	err = tx.Rows(ctx, `SELECT `+memoryColumns+` FROM memories
		WHERE workspace = $1 AND session = $2 AND occurred_at `+side+`= $3
			AND (occurred_at `+side+` $3 OR id `+side+` $4) AND deleted_at IS NULL
		ORDER BY occurred_at `+direction+`, id `+direction+` LIMIT $5`,
		[]any{m.Workspace, m.Session, at, m.ID, limit}, func(rows *sql.Rows) error {
			n, err := scanMemory(rows)
			out = append(out, n)
			return err
		})
	if err != nil && !errors.Is(err, sql.ErrNoRows) {
		return nil, fmt.Errorf("timeline of memory %d: %w", m.ID, err)
	}
	return out, nil
}
