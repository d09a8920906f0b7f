package sqlite

import (
	"cmp"
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"engram"
	"engram/internal/document"
	"engram/internal/keyword"
	"engram/internal/store/sqlstore"
)

// A step of catching up reads about so many rows, or so many bytes of them, so
// that no read transaction is long, a search that is cancelled ends soon and
// sealing goes in small steps.
const (
	catchUpRows  = 2000
	catchUpBytes = 4 << 20
)

// Rows that a search could see, by the number of their last write. A closed
// version is as deleted as its memory is.
const (
	rowColumns = `%[1]s.workspace, %[1]s.project, %[1]s.type, %[1]s.scope, %[1]s.kind, COALESCE(%[1]s.session, ''), %[1]s.pinned,
		%[1]s.speaker <> '' OR %[1]s.role <> '', %[1]s.type = '` + engram.TypeTask + `' AND %[1]s.status <> '` + engram.StatusDone + `',
		%[1]s.occurred_at, %[1]s.recorded_at, COALESCE(%[1]s.invalidated_at, 0), %[1]s.created_at, COALESCE(m.deleted_at, 0),
		%[1]s.speaker, %[1]s.role = 'assistant', %[1]s.title, %[1]s.topic_key, %[1]s.files, %[1]s.content`
	afterSeq = ` WHERE %[1]s.seq > $1 AND %[1]s.seq <= $2`
)

var (
	currentRows = `SELECT m.id, m.version, 0, ` + fmt.Sprintf(rowColumns+` FROM memories m`, "m")
	closedRows  = `SELECT v.memory_id, v.version, 1, ` + fmt.Sprintf(rowColumns+` FROM memory_versions v JOIN memories m ON m.id = v.memory_id`, "v")

	currentAfter = currentRows + fmt.Sprintf(afterSeq, "m") + ` ORDER BY m.seq`
	closedAfter  = closedRows + fmt.Sprintf(afterSeq, "v") + ` ORDER BY v.seq`
)

// keywordRow is a version of a memory as search sees it.
type keywordRow struct {
	keyword.Meta
	document.Text
}

func scanKeywordRow(rows *sql.Rows) (r keywordRow, err error) {
	var files string
	err = rows.Scan(&r.ID, &r.Version, &r.Closed, &r.Workspace, &r.Project, &r.Meta.Type, &r.Scope, &r.Kind, &r.Session, &r.Pinned,
		&r.Turn, &r.OpenTask, &r.OccurredAt, &r.RecordedAt, &r.InvalidatedAt, &r.CreatedAt, &r.DeletedAt,
		&r.Text.Speaker, &r.Assistant, &r.Title, &r.TopicKey, &files, &r.Content)
	r.Meta.Speaker, r.Text.Type = r.Text.Speaker, r.Meta.Type
	if err == nil && files != "" {
		err = json.Unmarshal([]byte(files), &r.Files)
	}
	return r, err
}

// loaded gives the index, reading the sealed segments the first time. The turn
// is taken.
func (k *keywordIndex) loaded(ctx context.Context) (*keywordState, error) {
	if st := k.state.Load(); st != nil {
		return st, nil
	}
	return k.load(ctx)
}

// load reads the sealed segments. What is damaged, or was analysed by other
// rules, is left out, and all rows are gone through again.
func (k *keywordIndex) load(ctx context.Context) (*keywordState, error) {
	st := &keywordState{index: keyword.New(keywordRules())}
	err := k.s.Read(ctx, func(tx *sqlstore.Tx) error {
		var err error
		if st.seq, st.generation, err = sealedState(ctx, tx); err != nil {
			return err
		}
		if err := tx.Row(ctx, `SELECT IFNULL((SELECT value FROM counters WHERE name = 'epoch'), 0)`, nil, &st.epoch); err != nil {
			return err
		}
		return k.loadSegments(ctx, tx, st)
	})
	if err != nil {
		return nil, fmt.Errorf("load keyword index: %w", err)
	}
	if st.damaged {
		st.seq = 0
	}
	return st, nil
}

// loadSegments takes in one segment while the next one is read.
func (k *keywordIndex) loadSegments(ctx context.Context, tx *sqlstore.Tx, st *keywordState) error {
	read, taken := make(chan *keyword.Stored, 1), make(chan error, 1)
	go func() {
		var failed error
		for seg := range read {
			err := st.index.Load(seg)
			if errors.Is(err, keyword.ErrDamaged) || errors.Is(err, keyword.ErrAnalysis) {
				k.tellDropped(ctx, st.generation, seg.ID, err)
				st.damaged, err = true, nil
			}
			failed = errors.Join(failed, err)
		}
		taken <- failed
	}()
	err := tx.Rows(ctx, segmentQuery+` ORDER BY id`, nil, func(rows *sql.Rows) error {
		seg, err := scanSegment(rows)
		if err == nil {
			read <- seg
		}
		return err
	})
	close(read)
	return errors.Join(err, <-taken)
}

// tellDropped logs, once for a generation of them, that a segment cannot be used.
func (k *keywordIndex) tellDropped(ctx context.Context, generation, id int64, err error) {
	key := [2]int64{generation, id}
	if k.dropped[key] {
		return
	}
	k.dropped[key] = true
	k.log().ErrorContext(ctx, "keyword segment dropped, its memories are indexed again", "segment", id, "error", err)
}

const segmentQuery = `SELECT id, min_id, max_id, docs, columns, postings, checksum, vectors FROM keyword_segments`

func scanSegment(rows *sql.Rows) (*keyword.Stored, error) {
	seg := new(keyword.Stored)
	err := rows.Scan(&seg.ID, &seg.MinID, &seg.MaxID, &seg.Docs, &seg.Columns, &seg.Postings, &seg.Checksum, &seg.Vectors)
	return seg, err
}

// sealedState is the number of the last write that is sealed, and the state of
// the segments.
func sealedState(ctx context.Context, tx *sqlstore.Tx) (seq, generation int64, err error) {
	err = tx.Row(ctx, `SELECT (SELECT value FROM counters WHERE name = 'keyword_seq'),
		(SELECT value FROM counters WHERE name = 'keyword_generation')`, nil, &seq, &generation)
	return seq, generation, err
}

// catchUp brings the index to the write number until, step by step, and makes
// it what searches see, after each step: what is done when ctx ends need not be
// done again. The turn is taken.
func (k *keywordIndex) catchUp(ctx context.Context, st *keywordState, until int64) (*keywordState, error) {
	for st.seq < until {
		next, err := k.step(ctx, st)
		if err != nil {
			return nil, fmt.Errorf("keyword index: %w", err)
		}
		st = next
		k.state.Store(st)
	}
	k.state.Store(st)
	return st, nil
}

// step applies the writes that follow, about catchUpRows or catchUpBytes of them.
func (k *keywordIndex) step(ctx context.Context, st *keywordState) (*keywordState, error) {
	next := *st
	var (
		docs   []keyword.Document
		erased []int64
		pass   = passer{index: st.index}
	)
	err := k.s.Read(ctx, func(tx *sqlstore.Tx) error {
		var err error
		if next.seq, err = stepEnd(ctx, tx, st.seq); err != nil {
			return err
		}
		window := []any{st.seq, next.seq}
		err = tx.Rows(ctx, `SELECT memory_id FROM tombstones WHERE seq > $1 AND seq <= $2`, window, func(rows *sql.Rows) error {
			var id int64
			err := rows.Scan(&id)
			erased = append(erased, id)
			return err
		})
		if err != nil {
			return err
		}
		for _, query := range []string{closedAfter, currentAfter} {
			if err := tx.Rows(ctx, query, window, pass.row); err != nil {
				return err
			}
		}
		docs = pass.docs
		return nil
	})
	if err != nil {
		return nil, err
	}
	sortDocuments(docs)
	if err := st.index.Apply(docs, erased); err != nil {
		return nil, err
	}
	if st.index.Tail() >= 2*catchUpRows {
		st.index.Compact(1)
	}
	return &next, nil
}

// writtenAfter are the writes that follow, with the sizes of what they wrote.
const writtenAfter = `SELECT * FROM (SELECT seq, octet_length(content) FROM memories WHERE seq > $1 ORDER BY seq LIMIT $2)
	UNION ALL SELECT * FROM (SELECT seq, octet_length(content) FROM memory_versions WHERE seq > $1 ORDER BY seq LIMIT $2)
	ORDER BY 1 LIMIT $2`

// stepEnd is where a step that begins after seq ends: behind the transaction
// that has its last row.
func stepEnd(ctx context.Context, tx *sqlstore.Tx, seq int64) (end int64, err error) {
	rowsLeft, bytesLeft := catchUpRows, catchUpBytes
	err = tx.Rows(ctx, writtenAfter, []any{seq, catchUpRows}, func(rows *sql.Rows) error {
		var at int64
		var size int
		if err := rows.Scan(&at, &size); err != nil || rowsLeft <= 0 || bytesLeft <= 0 {
			return err
		}
		end = at
		rowsLeft--
		bytesLeft -= size
		return nil
	})
	if err == nil && rowsLeft > 0 && bytesLeft > 0 { // that was all
		err = tx.Row(ctx, `SELECT value FROM counters WHERE name = 'seq'`, nil, &end)
	}
	return end, err
}

// sortDocuments puts the versions of a memory side by side, closed ones first.
func sortDocuments(docs []keyword.Document) {
	slices.SortFunc(docs, func(a, b keyword.Document) int {
		return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Version, b.Version))
	})
}

// passer makes documents of rows, analysing only what the index lacks. What a
// very large transaction wrote goes into the index on the way.
type passer struct {
	index *keyword.Index
	docs  []keyword.Document
	buf   []uint16
}

func (p *passer) row(rows *sql.Rows) error {
	r, err := scanKeywordRow(rows)
	if err != nil {
		return err
	}
	doc := keyword.Document{Meta: r.Meta}
	if p.index.NeedsTerms(&doc.Meta) {
		a := r.Terms()
		doc.Terms, doc.TF, doc.Len = a.Terms, a.TF, a.Len
		doc.Tokens, doc.Vector = r.Embed(&p.buf)
		doc.Traits = r.Traits()
	}
	p.docs = append(p.docs, doc)
	if len(p.docs) < 2*catchUpRows {
		return nil
	}
	sortDocuments(p.docs)
	if err := p.index.Apply(p.docs, nil); err != nil {
		return err
	}
	p.docs = p.docs[:0]
	if p.index.Tail() >= 2*catchUpRows {
		p.index.Compact(1)
	}
	return nil
}
