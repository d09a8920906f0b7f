package sqlstore

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"strings"
	"time"

	"engram"
)

// A copy of a store into another engine's keeps everything as it is: ids, numbers of
// writes, versions, vectors. Both engines have the same tables, so it goes table by
// table, in the order of keys, a page in a transaction. What was begun is gone on
// with behind the last key that is there.

// copied is a table, in the order in which rows may be written.
type copied struct {
	name, key, columns string
}

// Not copied: counts, which triggers keep, leases, and what an engine has of its own.
var copiedTables = []copied{
	{"workspaces", "id", "id, created_at"},
	{"sessions", "workspace, id", "workspace, id, project, project_origin, status, started_at, ended_at, last_seen, directory, summary"},
	{"memories", "id", "id, seq, topic_origin, " + textColumns + ", access_count, superseded_by, last_accessed, deleted_at"},
	{"memory_versions", "memory_id, version", "memory_id, seq, " + textColumns},
	{"tombstones", "memory_id", "memory_id, workspace, uid, erased_at, seq"},
	{"supports", "derived, source", "derived, source"},
	{"prompts", "id", "id, uid, workspace, session, project, project_origin, created_at, content"},
	{"prompt_terms", "workspace, term, prompt_id", "workspace, term, prompt_id"},
	{"project_aliases", "workspace, alias", "workspace, alias, project, created_at"},
	{"project_remotes", "workspace, remote", "workspace, remote, project"},
	{"settings", "workspace, name", "workspace, name, value"},
	{
		"jobs", "id",
		"id, workspace, kind, payload, unique_key, state, attempts, max_attempts, run_at, leased_until, last_error, created_at, finished_at",
	},
	{"vector_models", "id", "id, name, dim, recipe, used_at, done"},
	{"vectors", "id", "id, memory_id, version, model, seq, checksum, failed, codes"},
}

// copiedCounters go on where the other store's are.
var copiedCounters = []string{"seq", "vector_seq", "vector_generation"}

const copyPage = 500

// Copied is what a copy did.
type Copied struct {
	Table string
	Rows  int // that are there now
	Of    int // that the other store has
}

// CopyOptions say how a copy is made.
type CopyOptions struct {
	// Progress is told after each page. nil is told nothing.
	Progress func(Copied)
}

// copyMark is kept in the target as long as a copy into it is not complete.
type copyMark struct {
	Seq   int64     `json:"seq"` // of the source
	Store string    `json:"store"`
	Begun time.Time `json:"begun"`
}

// markName is the setting of no workspace that has the mark.
const markName = "copy_not_complete"

// CopyFrom makes s, which must be empty or have the beginning of such a copy, what
// other is: it reads one state of other throughout. source names other: a copy is gone
// on with from the same store only, in the state that it was. In the end all rows are
// compared. The error is [engram.ErrConflict] where s has something else, or other was
// written to since the copy was begun.
func (s *Store) CopyFrom(ctx context.Context, other *Store, source string, opts CopyOptions) (all []Copied, err error) {
	err = other.Read(ctx, func(from *Tx) error {
		c := copier{to: s, from: from, opts: opts}
		if err := c.begin(ctx, source); err != nil {
			return err
		}
		for _, t := range copiedTables {
			if err := c.table(ctx, t); err != nil {
				return fmt.Errorf("table %s: %w", t.name, err)
			}
			all = append(all, c.done)
		}
		return c.finish(ctx)
	})
	return all, wrap("copy", err)
}

// copier copies a store.
type copier struct {
	to   *Store
	from *Tx
	opts CopyOptions
	mark copyMark
	done Copied
	dims map[int64]int // of models
}

func (c *copier) begin(ctx context.Context, source string) error {
	c.mark = copyMark{Store: source, Begun: time.Now().UTC()}
	if err := c.from.Row(ctx, `SELECT value FROM counters WHERE name = 'seq'`, nil, &c.mark.Seq); err != nil {
		return err
	}
	c.dims = map[int64]int{}
	err := c.from.Rows(ctx, `SELECT id, dim FROM vector_models`, nil, func(rows *sql.Rows) error {
		var id int64
		var dim int
		err := rows.Scan(&id, &dim)
		c.dims[id] = dim
		return err
	})
	if err != nil {
		return err
	}
	kept, marked, err := c.to.Setting(ctx, "", markName)
	if err != nil {
		return err
	}
	if marked {
		return c.resume(kept)
	}
	for _, t := range copiedTables {
		var n int
		if err := c.to.row(ctx, `SELECT COUNT(*) FROM `+t.name, nil, &n); err != nil {
			return err
		}
		if n > 0 {
			return engram.Errorf(engram.ErrConflict, "the target is not empty: it has %d rows of %s", n, t.name).
				WithCode("target_not_empty").WithHint("name an empty store; to add to one, use engram export and engram import")
		}
	}
	value, err := json.Marshal(c.mark)
	if err != nil {
		return err
	}
	return c.to.SetSetting(ctx, "", markName, string(value))
}

func (c *copier) resume(kept string) error {
	var begun copyMark
	if err := json.Unmarshal([]byte(kept), &begun); err != nil {
		return fmt.Errorf("mark of a copy: %w", err)
	}
	if begun.Store != c.mark.Store || begun.Seq != c.mark.Seq {
		return engram.Errorf(engram.ErrConflict, "the target has a part of another store, or of this one before it was written to again").
			WithCode("copy_of_another").WithHint("empty the target, stop what writes to the source, and begin anew")
	}
	return nil
}

// table copies the rows that are not there yet, and compares all.
func (c *copier) table(ctx context.Context, t copied) error {
	c.done = Copied{Table: t.name}
	if err := c.from.Row(ctx, `SELECT COUNT(*) FROM `+t.name, nil, &c.done.Of); err != nil {
		return err
	}
	if err := c.to.row(ctx, `SELECT COUNT(*) FROM `+t.name+c.butTheMark(t), nil, &c.done.Rows); err != nil {
		return err
	}
	after, err := c.last(ctx, t)
	if err != nil {
		return err
	}
	for {
		page, err := readPage(ctx, c.from, t, after, "")
		if err != nil || len(page) == 0 {
			if err != nil {
				return err
			}
			break
		}
		if err := c.write(ctx, t, page); err != nil {
			return err
		}
		after = keyOf(t, page[len(page)-1])
		c.done.Rows += len(page)
		c.tell()
	}
	c.tell()
	return c.compare(ctx, t)
}

func (c *copier) tell() {
	if c.opts.Progress != nil {
		c.opts.Progress(c.done)
	}
}

// butTheMark leaves the mark out of what the target has.
func (c *copier) butTheMark(t copied) string {
	if t.name != "settings" {
		return ""
	}
	return ` WHERE NOT (workspace = '' AND name = '` + markName + `')`
}

// last is the last key of a table that the target has, nil = none.
func (c *copier) last(ctx context.Context, t copied) (key []any, err error) {
	err = c.to.rows(ctx, `SELECT `+t.key+` FROM `+t.name+c.butTheMark(t)+` ORDER BY `+descending(t.key)+` LIMIT 1`, nil, func(rows *sql.Rows) error {
		key, err = scanValues(rows, len(strings.Split(t.key, ",")))
		return err
	})
	return key, err
}

func descending(key string) string { return strings.ReplaceAll(key, ",", " DESC,") + " DESC" }

// keyOf is the key of a row.
func keyOf(t copied, row []any) (key []any) {
	columns := splitColumns(t.columns)
	for _, k := range splitColumns(t.key) {
		for i, name := range columns {
			if name == k {
				key = append(key, row[i])
			}
		}
	}
	return key
}

func splitColumns(list string) (out []string) {
	for _, c := range strings.Split(list, ",") {
		out = append(out, strings.TrimSpace(c))
	}
	return out
}

// readPage reads the rows that follow a key.
func readPage(ctx context.Context, tx *Tx, t copied, after []any, but string) (page [][]any, err error) {
	q := new(query)
	q.add(`SELECT ` + t.columns + ` FROM ` + t.name)
	sep := " WHERE "
	if but != "" {
		q.add(but)
		sep = " AND "
	}
	if len(after) > 0 {
		q.add(sep+`(`+t.key+`) > (`+strings.TrimSuffix(strings.Repeat("?, ", len(after)), ", ")+`)`, after...)
	}
	q.add(` ORDER BY `+t.key+` LIMIT ?`, copyPage)
	n := len(splitColumns(t.columns))
	err = tx.Rows(ctx, q.String(), q.args, func(rows *sql.Rows) error {
		row, err := scanValues(rows, n)
		page = append(page, row)
		return err
	})
	return page, err
}

func scanValues(rows *sql.Rows, n int) ([]any, error) {
	row := make([]any, n)
	dest := make([]any, n)
	for i := range row {
		dest[i] = &row[i]
	}
	return row, rows.Scan(dest...)
}

// write stores a page, with what the engine makes of it.
func (c *copier) write(ctx context.Context, t copied, page [][]any) error {
	columns := splitColumns(t.columns)
	insert := `INSERT INTO ` + t.name + ` (` + t.columns + `) VALUES (`
	for i := range columns {
		if i > 0 {
			insert += ", "
		}
		insert += fmt.Sprintf("$%d", i+1)
	}
	insert += `)`
	return c.to.Write(ctx, func(tx *Tx) error {
		var memories []int64
		for _, row := range page {
			if c.to.eng.TextOnly {
				row = withoutNUL(row)
			}
			if _, err := tx.Exec(ctx, insert, row...); err != nil {
				return fmt.Errorf("row %v: %w", keyOf(t, row), err)
			}
			switch t.name {
			case "memories", "memory_versions":
				memories = append(memories, row[0].(int64))
			case "vectors":
				if err := c.passages(ctx, tx, row); err != nil {
					return err
				}
			}
		}
		if c.to.eng.Copied == nil || len(memories) == 0 {
			return nil
		}
		return c.to.eng.Copied(ctx, tx, memories)
	})
}

func (c *copier) passages(ctx context.Context, tx *Tx, row []any) error {
	codes, _ := row[7].([]byte)
	if c.to.eng.Passages == nil || len(codes) == 0 {
		return nil
	}
	v := SavedVector{Row: row[0].(int64), Memory: row[1].(int64), Version: int(row[2].(int64)), Model: row[3].(int64), Codes: codes}
	v.Dim = c.dims[v.Model]
	return c.to.eng.Passages(ctx, tx, v)
}

// withoutNUL is a row as an engine can store it that knows no NUL in texts: the
// character is replaced by the one that stands for what cannot be shown.
func withoutNUL(row []any) []any {
	for i, v := range row {
		if text, ok := v.(string); ok && strings.ContainsRune(text, 0) {
			row[i] = strings.ReplaceAll(text, "\x00", "\uFFFD")
		}
	}
	return row
}

// compare reads both tables and compares all values.
func (c *copier) compare(ctx context.Context, t copied) error {
	want, err := c.digest(ctx, c.from, t, "")
	if err != nil {
		return err
	}
	var got digest
	err = c.to.Read(ctx, func(tx *Tx) error {
		got, err = c.digest(ctx, tx, t, c.butTheMark(t))
		return err
	})
	if err == nil && got != want {
		err = fmt.Errorf("the copy has %d rows that are not the %d of the source: begin anew with an empty target", got.rows, want.rows)
	}
	return err
}

// digest is what a table says, in the order of keys.
type digest struct {
	rows int
	sum  uint64
}

func (c *copier) digest(ctx context.Context, tx *Tx, t copied, but string) (d digest, err error) {
	h := fnv.New64a()
	var after []any
	for {
		page, err := readPage(ctx, tx, t, after, but)
		if err != nil || len(page) == 0 {
			d.sum = h.Sum64()
			return d, err
		}
		after = keyOf(t, page[len(page)-1])
		for _, row := range page {
			d.rows++
			if c.to.eng.TextOnly {
				row = withoutNUL(row)
			}
			for _, v := range row {
				if b, ok := v.([]byte); ok {
					v = string(b)
				}
				if f, ok := v.(float64); ok && f == float64(int64(f)) {
					v = int64(f)
				}
				fmt.Fprintf(h, "%T %v\x00", v, v)
			}
		}
	}
}

// finish sets the counters and takes the mark away.
func (c *copier) finish(ctx context.Context) error {
	values := map[string]int64{}
	for _, name := range copiedCounters {
		var v int64
		err := c.from.Row(ctx, `SELECT value FROM counters WHERE name = $1`, []any{name}, &v)
		if err != nil && !errors.Is(err, sql.ErrNoRows) {
			return err
		}
		values[name] = v
	}
	return c.to.Write(ctx, func(tx *Tx) error {
		for name, v := range values {
			if _, err := tx.Exec(ctx, `UPDATE counters SET value = $1 WHERE name = $2 AND value < $1`, v, name); err != nil {
				return err
			}
		}
		if c.to.eng.Sequences != nil {
			if err := c.to.eng.Sequences(ctx, tx); err != nil {
				return err
			}
		}
		_, err := tx.Exec(ctx, `DELETE FROM settings WHERE workspace = '' AND name = $1`, markName)
		return err
	})
}
