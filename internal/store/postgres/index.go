package postgres

import (
	"context"
	"database/sql"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strconv"

	"engram/internal/document"
	"engram/internal/store/sqlstore"
	"engram/internal/vector"
)

// The index is written in the transaction that writes the rows, at its end: what is
// saved is found as soon as it is committed, by every process. Each version of a
// memory has a document; the terms of current, living ones are counted in terms.

// indexPage is how many rows are indexed at once: a merge of projects may touch all.
const indexPage = 500

// Rows that have the number of a write, in the order of their memories.
const (
	currentRows = `SELECT id, version, deleted_at IS NULL, type, speaker, title, topic_key, files, content
		FROM memories WHERE seq = $1 AND id > $2 ORDER BY id LIMIT $3`
	closedRows = `SELECT memory_id, version, FALSE, type, speaker, title, topic_key, files, content
		FROM memory_versions WHERE seq = $1 AND (memory_id, version) > ($2, $3) ORDER BY memory_id, version LIMIT $4`
)

// The same of memories by their ids.
const (
	currentByID = `SELECT id, version, deleted_at IS NULL, type, speaker, title, topic_key, files, content
		FROM memories WHERE id = ANY($1) ORDER BY id`
	closedByID = `SELECT memory_id, version, FALSE, type, speaker, title, topic_key, files, content
		FROM memory_versions WHERE memory_id = ANY($1) ORDER BY memory_id, version`
)

type versionKey struct{ id, version int64 }

// row is a version of a memory that is to be indexed.
type row struct {
	versionKey
	counts bool // it is current and living
	text   document.Text
	source int64
}

func scanRow(rows *sql.Rows) (r row, err error) {
	var files string
	err = rows.Scan(&r.id, &r.version, &r.counts, &r.text.Type, &r.text.Speaker, &r.text.Title, &r.text.TopicKey, &files, &r.text.Content)
	if err == nil && files != "" {
		err = json.Unmarshal([]byte(files), &r.text.Files)
	}
	r.source = sourceOf(&r.text, files)
	return r, err
}

// sourceOf is a number of the texts that a document is made of, and of the rules.
func sourceOf(t *document.Text, files string) int64 {
	h := fnv.New64a()
	var size [8]byte
	for _, part := range []string{strconv.Itoa(document.Rules()), t.Type, t.Speaker, t.Title, t.Content, t.TopicKey, files} {
		binary.LittleEndian.PutUint64(size[:], uint64(len(part)))
		_, _ = h.Write(size[:])
		_, _ = h.Write([]byte(part))
	}
	return int64(h.Sum64())
}

// index brings the documents of the rows that have these numbers up to date.
func (s *Store) index(ctx context.Context, tx *sqlstore.Tx, seqs []int64) error {
	x := indexer{tx: tx, df: map[string]int{}}
	for _, seq := range seqs {
		if err := x.write(ctx, seq); err != nil {
			return fmt.Errorf("index: %w", err)
		}
	}
	if err := x.count(ctx); err != nil {
		return fmt.Errorf("index: %w", err)
	}
	return nil
}

// indexMemories brings the documents of memories up to date.
func (s *Store) indexMemories(ctx context.Context, tx *sqlstore.Tx, ids []int64) error {
	x := indexer{tx: tx, df: map[string]int{}}
	for _, query := range []string{closedByID, currentByID} {
		page, err := x.page(ctx, query, ids)
		if err == nil {
			err = x.documents(ctx, page)
		}
		if err != nil {
			return fmt.Errorf("index: %w", err)
		}
	}
	return x.count(ctx)
}

// indexer writes documents in one transaction, and sums up what that does to the
// statistics.
type indexer struct {
	tx    *sqlstore.Tx
	df    map[string]int // change of each term's
	docs  int
	terms int
	buf   []uint16
}

func (x *indexer) write(ctx context.Context, seq int64) error {
	for last := (versionKey{}); ; {
		page, err := x.page(ctx, closedRows, seq, last.id, last.version, indexPage)
		if err != nil || len(page) == 0 {
			if err != nil {
				return err
			}
			break
		}
		if err := x.documents(ctx, page); err != nil {
			return err
		}
		last = page[len(page)-1].versionKey
	}
	for last := int64(0); ; {
		page, err := x.page(ctx, currentRows, seq, last, indexPage)
		if err != nil || len(page) == 0 {
			return err
		}
		if err := x.documents(ctx, page); err != nil {
			return err
		}
		last = page[len(page)-1].id
	}
}

func (x *indexer) page(ctx context.Context, query string, args ...any) (page []row, err error) {
	err = x.tx.Rows(ctx, query, args, func(rows *sql.Rows) error {
		r, err := scanRow(rows)
		page = append(page, r)
		return err
	})
	return page, err
}

// kept is what is known of a document that is there.
type kept struct {
	source  int64
	counted bool
}

// documents makes the documents of a page of rows, as far as they are not there.
func (x *indexer) documents(ctx context.Context, page []row) error {
	known, err := x.known(ctx, page)
	if err != nil {
		return err
	}
	var off, on []versionKey
	for i := range page {
		r := &page[i]
		old, there := known[r.versionKey]
		switch {
		case there && old.source == r.source && old.counted == r.counts:
			continue
		case there && old.counted:
			off = append(off, r.versionKey)
		case there && old.source == r.source:
			on = append(on, r.versionKey)
		}
	}
	if err := x.toggle(ctx, off, false); err != nil {
		return err
	}
	if err := x.toggle(ctx, on, true); err != nil {
		return err
	}
	for i := range page {
		r := &page[i]
		if old, there := known[r.versionKey]; there && old.source == r.source {
			continue
		}
		if err := x.insert(ctx, r); err != nil {
			return fmt.Errorf("memory %d: %w", r.id, err)
		}
	}
	return nil
}

func (x *indexer) known(ctx context.Context, page []row) (map[versionKey]kept, error) {
	ids := make([]int64, len(page))
	for i := range page {
		ids[i] = page[i].id
	}
	known := map[versionKey]kept{}
	err := x.tx.Rows(ctx, `SELECT memory_id, version, source, counted FROM documents WHERE memory_id = ANY($1)`, []any{ids},
		func(rows *sql.Rows) error {
			var key versionKey
			var k kept
			err := rows.Scan(&key.id, &key.version, &k.source, &k.counted)
			known[key] = k
			return err
		})
	return known, err
}

// toggle takes documents into the statistics, or out of them.
func (x *indexer) toggle(ctx context.Context, keys []versionKey, counted bool) error {
	if len(keys) == 0 {
		return nil
	}
	ids, versions := make([]int64, len(keys)), make([]int64, len(keys))
	for i, k := range keys {
		ids[i], versions[i] = k.id, k.version
	}
	by := -1
	if counted {
		by = 1
	}
	return x.tx.Rows(ctx, `UPDATE documents d SET counted = $3
		FROM (SELECT unnest($1::bigint[]) AS id, unnest($2::bigint[]) AS version) AS k
		WHERE d.memory_id = k.id AND d.version = k.version AND d.counted <> $3
		RETURNING d.length, array_to_string(tsvector_to_array(d.terms), E'\n')`, []any{ids, versions, counted},
		func(rows *sql.Rows) error {
			var length int
			var terms string
			if err := rows.Scan(&length, &terms); err != nil {
				return err
			}
			x.change(by, length, splitTerms(terms))
			return nil
		})
}

// change notes that a document came into the statistics, or went.
func (x *indexer) change(by, length int, terms []string) {
	for _, t := range terms {
		x.df[t] += by
	}
	x.docs += by
	x.terms += by * length
}

// insert writes the document of a row, over one that was made of other texts.
func (x *indexer) insert(ctx context.Context, r *row) error {
	doc := r.text.Terms()
	tokens, unit := r.text.Embed(&x.buf)
	_, err := x.tx.Exec(ctx, `INSERT INTO documents
			(memory_id, version, source, counted, length, terms, postings, traits, tokens, embedding)
		VALUES ($1, $2, $3, $4, $5, array_to_tsvector($6::text[]), $7, $8, $9, $10::text::halfvec)
		ON CONFLICT (memory_id, version) DO UPDATE SET source = excluded.source, counted = excluded.counted, length = excluded.length,
			terms = excluded.terms, postings = excluded.postings, traits = excluded.traits, tokens = excluded.tokens, embedding = excluded.embedding`,
		r.id, r.version, r.source, r.counts, doc.Len, doc.Terms, encodePostings(doc.Terms, doc.TF), int(r.text.Traits()),
		encodeTokens(tokens), codesText(vector.Code(unit)))
	if err == nil && r.counts {
		x.change(1, doc.Len, doc.Terms)
	}
	return err
}

// count writes the statistics.
func (x *indexer) count(ctx context.Context) error {
	var terms []string
	var by []int64
	for _, t := range slices.Sorted(maps.Keys(x.df)) {
		if x.df[t] != 0 {
			terms, by = append(terms, t), append(by, int64(x.df[t]))
		}
	}
	for from := 0; from < len(terms); from += 5000 {
		to := min(from+5000, len(terms))
		_, err := x.tx.Exec(ctx, `INSERT INTO terms (term, df) SELECT unnest($1::text[]), unnest($2::bigint[])
			ON CONFLICT (term) DO UPDATE SET df = terms.df + excluded.df`, terms[from:to], by[from:to])
		if err != nil {
			return err
		}
	}
	var less []string
	for i, t := range terms {
		if by[i] < 0 {
			less = append(less, t)
		}
	}
	if len(less) > 0 {
		if _, err := x.tx.Exec(ctx, `DELETE FROM terms WHERE term = ANY($1) AND df <= 0`, less); err != nil {
			return err
		}
	}
	if x.docs == 0 && x.terms == 0 {
		return nil
	}
	_, err := x.tx.Exec(ctx, `UPDATE counters SET value = value + CASE name WHEN 'documents' THEN $1::bigint ELSE $2::bigint END
		WHERE name IN ('documents', 'document_terms')`, x.docs, x.terms)
	return err
}

// erase takes memories out of the index before their rows go. What PostgreSQL keeps
// of deleted rows is its own affair: the receipt says where.
func (s *Store) erase(ctx context.Context, tx *sqlstore.Tx, what sqlstore.Erased) (postings int, _ sqlstore.Wipe, err error) {
	if len(what.Memories) == 0 {
		return 0, s.wipe, nil
	}
	x := indexer{tx: tx, df: map[string]int{}}
	err = tx.Rows(ctx, `DELETE FROM documents WHERE memory_id = ANY($1)
		RETURNING counted, length, array_to_string(tsvector_to_array(terms), E'\n')`, []any{what.Memories},
		func(rows *sql.Rows) error {
			var counted bool
			var length int
			var terms string
			if err := rows.Scan(&counted, &length, &terms); err != nil {
				return err
			}
			all := splitTerms(terms)
			postings += len(all)
			if counted {
				x.change(-1, length, all)
			}
			return nil
		})
	if err == nil {
		err = x.count(ctx)
	}
	if err != nil {
		return 0, nil, fmt.Errorf("index: %w", err)
	}
	return postings, s.wipe, nil
}

// erasedTables are those that an erased text was in.
const erasedTables = `memories, memory_versions, documents, terms, vectors, passages, sessions, prompts, prompt_terms`

// wipe has the server give the space of the deleted rows free. Where that ends is not
// in our hands: readers that still see them, the server's log, replicas, backups.
func (s *Store) wipe(ctx context.Context) (copies []string, _ error) {
	const elsewhere = "the server's write-ahead log, replicas and backups"
	_, err := s.writer.ExecContext(context.WithoutCancel(ctx), `VACUUM `+erasedTables)
	if err != nil { // the erasure stands: the receipt says what is left of it
		s.log().WarnContext(ctx, "no vacuum after an erasure", "error", hidden{err})
		copies = append(copies, "dead rows of the database until its next VACUUM")
	}
	return append(copies, elsewhere), nil
}
