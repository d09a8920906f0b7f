package sqlstore

import (
	"context"
	"database/sql"
	"slices"
	"strconv"
	"strings"

	"engram"
	"engram/internal/store"
)

// query builds a statement: text, and arguments that it numbers.
type query struct {
	strings.Builder
	args []any
}

// add appends text with each ? as the next placeholder.
func (q *query) add(text string, args ...any) {
	for _, arg := range args {
		before, after, _ := strings.Cut(text, "?")
		q.args = append(q.args, arg)
		q.WriteString(before)
		q.WriteByte('$')
		q.WriteString(strconv.Itoa(len(q.args)))
		text = after
	}
	q.WriteString(text)
}

// in appends " AND column IN (…)", or NOT IN; nothing for no values. The list
// is filled up to a power of two with its last value, so that few different
// statements come about.
func in[T any](q *query, column, op string, values []T) {
	if len(values) == 0 {
		return
	}
	q.add(" AND " + column + " " + op + " (")
	size := 1
	for size < len(values) {
		size *= 2
	}
	for i := range size {
		if i > 0 {
			q.add(", ")
		}
		q.add("?", values[min(i, len(values)-1)])
	}
	q.add(")")
}

// narrow appends the conditions of a filter that hold in every arm of a list:
// all but workspace, projects, types and as-of.
func narrow(q *query, f store.Filter) {
	switch f.Deleted {
	case store.WithoutDeleted:
		q.add(" AND deleted_at IS NULL")
	case store.OnlyDeleted:
		q.add(" AND deleted_at IS NOT NULL")
	}
	if len(f.Scopes) > 0 {
		in(q, "scope", "IN", f.Scopes)
		if !slices.Contains(f.Scopes, engram.ScopeProject) {
			q.add(" AND scope <> 'project'") // names the partial index
		}
	}
	in(q, "kind", "IN", f.Kinds)
	if f.Session != "" {
		q.add(" AND session = ?", f.Session)
	}
	if !f.Since.IsZero() {
		q.add(" AND occurred_at >= ?", micros(f.Since))
	}
	if !f.Until.IsZero() {
		q.add(" AND occurred_at < ?", micros(f.Until))
	}
	if f.Pinned {
		q.add(" AND pinned = 1")
	}
	if f.OpenTasks {
		q.add(" AND type = '" + engram.TypeTask + "' AND status <> '" + engram.StatusDone + "'")
	}
	in(q, "type", "NOT IN", f.NotTypes)
}

// where appends " WHERE …" with the whole filter.
func where(q *query, f store.Filter) {
	q.add(" WHERE workspace = ?", f.Workspace)
	if len(f.Projects) > 0 {
		if f.Global {
			q.add(" AND (scope = 'global' OR (1 = 1")
		}
		in(q, "project", "IN", f.Projects)
		if f.Global {
			q.add("))")
		}
	}
	in(q, "type", "IN", f.Types)
	narrow(q, f)
}

// fromKnown appends what is read: memories, or the versions that were known then,
// as a table that has the columns of memoryColumns.
func fromKnown(q *query, f store.Filter) {
	if f.AsOf.IsZero() {
		q.add(" FROM memories")
		return
	}
	at := micros(f.AsOf)
	q.add(` FROM (SELECT `+memoryColumns+` FROM memories
		WHERE workspace = ? AND recorded_at <= ? AND created_at <= ? AND (invalidated_at IS NULL OR invalidated_at > ?)
		UNION ALL SELECT `+qualified("v", versionColumnsOf)+`, m.access_count, m.superseded_by, m.last_accessed, m.deleted_at
		FROM memory_versions v JOIN memories m ON m.id = v.memory_id
		WHERE v.workspace = ? AND v.recorded_at <= ? AND v.created_at <= ? AND v.invalidated_at > ?) AS known`,
		f.Workspace, at, at, at, f.Workspace, at, at, at)
}

const versionColumnsOf = `memory_id AS id, ` + textColumns

// qualified puts a table's name before each column.
func qualified(table, columns string) string {
	parts := strings.Split(columns, ",")
	for i, p := range parts {
		parts[i] = table + "." + strings.TrimSpace(p)
	}
	return strings.Join(parts, ", ")
}

// Query builds a statement of an engine's own: text, and arguments that it numbers.
type Query struct{ q query }

// Add appends text with each ? as the next placeholder.
func (q *Query) Add(text string, args ...any) { q.q.add(text, args...) }

// FromKnown appends FROM with what f reads, memories or the versions known then, and
// gives the name by which its columns can be told from those of other tables.
func (q *Query) FromKnown(f store.Filter) (table string) {
	fromKnown(&q.q, f)
	if f.AsOf.IsZero() {
		return "memories"
	}
	return "known"
}

// Where appends WHERE with the whole filter.
func (q *Query) Where(f store.Filter) { where(&q.q, f) }

// Rows runs the query and calls scan for each row.
func (q *Query) Rows(ctx context.Context, tx *Tx, scan func(*sql.Rows) error) error {
	return tx.Rows(ctx, q.q.String(), q.q.args, scan)
}
