package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"fmt"
	"math"
	"slices"
	"time"

	"engram/internal/keyword"
	"engram/internal/store"
	"engram/internal/store/sqlstore"
	"engram/internal/text"
)

// The parameters of BM25.
const (
	k1 = 1.2
	b  = 0.75
)

const (
	// scoredAtOnce is how many documents are read and scored for a question: all that
	// have any of its rarest terms, as long as these are no more than so many.
	scoredAtOnce = 3000
	// looked is so many for a question that has common terms only: of the documents
	// that have two of its rarest terms the newest.
	looked = 5000
	// widenNearest is how many of the nearest bring their neighbours.
	widenNearest = 50
)

// Keyword implements [store.Searcher]. All is read in one state of the store.
func (s *Store) Keyword(ctx context.Context, q store.KeywordQuery) (*store.KeywordResult, error) {
	var result *store.KeywordResult
	err := s.Read(ctx, func(tx *sqlstore.Tx) (err error) {
		k := search{tx: tx, q: &q, hits: map[int64]*hit{}}
		result, err = k.run(ctx)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("keyword search: %w", err)
	}
	return result, nil
}

// search is one search at work.
type search struct {
	tx     *sqlstore.Tx
	q      *store.KeywordQuery
	hashes []uint64  // of the query's terms
	weight []float64 // of each in the score, 0 = not scored
	result store.KeywordResult
	size   int // how many memories pass the filter, as far as the counts know

	models []model
	hits   map[int64]*hit // by memory: what was found, and the turns beside it
	found  []*hit
}

// hit is a document with what is known of it.
type hit struct {
	store.KeywordHit
	session  string
	isFound  bool
	postings []byte
}

func (k *search) run(ctx context.Context) (*store.KeywordResult, error) {
	if err := k.weigh(ctx); err != nil {
		return nil, err
	}
	if k.q.Limit <= 0 {
		return &k.result, nil
	}
	if err := k.count(ctx); err != nil {
		return nil, err
	}
	if err := k.byWords(ctx); err != nil {
		return nil, err
	}
	widen := len(k.found)
	if err := k.byMeaning(ctx); err != nil {
		return nil, err
	}
	if err := k.finish(ctx, widen); err != nil {
		return nil, err
	}
	return &k.result, nil
}

// weigh reads the statistics.
func (k *search) weigh(ctx context.Context) error {
	terms := make([]string, len(k.q.Terms))
	for i, t := range k.q.Terms {
		terms[i] = t.Text
		k.hashes = append(k.hashes, hashTerm(t.Text))
	}
	var all int64
	err := k.tx.Row(ctx, `SELECT (SELECT value FROM counters WHERE name = 'documents'),
		(SELECT value FROM counters WHERE name = 'document_terms')`, nil, &k.result.Docs, &all)
	if err != nil {
		return err
	}
	if k.result.Docs > 0 {
		k.result.AvgLen = float64(all) / float64(k.result.Docs)
	}
	df := map[string]int{}
	if len(terms) > 0 {
		err = k.tx.Rows(ctx, `SELECT term, df FROM terms WHERE term = ANY($1)`, []any{terms}, func(rows *sql.Rows) error {
			var term string
			var n int
			err := rows.Scan(&term, &n)
			df[term] = n
			return err
		})
	}
	k.result.DF, k.weight = make([]int, len(terms)), make([]float64, len(terms))
	for i, t := range k.q.Terms {
		n := df[t.Text]
		k.result.DF[i] = n
		k.weight[i] = t.Weight * math.Log(1+(float64(k.result.Docs-n)+.5)/(float64(n)+.5))
	}
	return err
}

// score is the BM25 sum of a document.
func (k *search) score(postings []byte, length int) float64 {
	norm := k1 * (1 - b + b*float64(length)/max(k.result.AvgLen, 1))
	sum := 0.0
	for i, w := range k.weight {
		if w <= 0 {
			continue
		}
		if tf := frequency(postings, k.hashes[i]); tf > 0 {
			sum += float64(w * float64(tf) * (k1 + 1) / (float64(tf) + norm))
		}
	}
	return sum
}

// count says how many memories pass the filter at most.
func (k *search) count(ctx context.Context) error {
	f := k.q.Filter
	counted := store.Filter{Workspace: f.Workspace, Projects: f.Projects, Global: f.Global, Scopes: f.Scopes, Types: f.Types, Deleted: store.WithDeleted}
	q := new(sqlstore.Query)
	q.Add(`SELECT COALESCE(SUM(living + deleted), 0) FROM memory_counts`)
	q.Where(counted)
	return q.Rows(ctx, k.tx, func(rows *sql.Rows) error { return rows.Scan(&k.size) })
}

// from appends FROM and WHERE: documents of what passes the filter, with a condition.
func (k *search) from(q *sqlstore.Query, condition string, args ...any) {
	table := q.FromKnown(k.q.Filter)
	q.Add(` JOIN documents d ON d.memory_id = ` + table + `.id AND d.version = ` + table + `.version`)
	q.Where(k.q.Filter)
	q.Add(condition, args...)
}

// byWords finds the best by their own words.
func (k *search) byWords(ctx context.Context) error {
	match := k.match()
	if match == "" {
		return nil
	}
	q := new(sqlstore.Query)
	q.Add(`SELECT d.memory_id, d.length, d.postings`)
	k.from(q, ` AND d.terms @@ ?::tsquery ORDER BY d.memory_id DESC LIMIT ?`, match, looked)
	var all []*hit
	var raw sql.RawBytes
	err := q.Rows(ctx, k.tx, func(rows *sql.Rows) error {
		h := new(hit)
		if err := rows.Scan(&h.ID, &h.Len, &raw); err != nil {
			return err
		}
		if h.Score = k.score(raw, h.Len); h.Score > 0 {
			all = append(all, h)
		}
		return nil
	})
	slices.SortFunc(all, best)
	for _, h := range all[:min(k.q.Limit, len(all))] {
		k.find(h.ID).Score = h.Score
	}
	return err
}

// best orders hits by score, ties newest first.
func best(a, b *hit) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID)) }

// match is the query for the documents that are scored, "" where no term is.
func (k *search) match() string {
	type scored struct {
		term string
		df   int
	}
	var terms []scored
	for i, t := range k.q.Terms {
		if k.weight[i] > 0 {
			terms = append(terms, scored{t.Text, k.result.DF[i]})
		}
	}
	slices.SortStableFunc(terms, func(x, y scored) int { return cmp.Compare(x.df, y.df) })
	names := make([]string, len(terms))
	rare, sum := 0, 0
	for i, t := range terms {
		names[i] = t.term
		if sum += t.df; sum <= scoredAtOnce {
			rare = i + 1
		}
	}
	switch {
	case len(names) == 0:
		return ""
	case k.size <= scoredAtOnce || len(names) == 1:
		return joined(names, " | ")
	case rare > 0:
		return joined(names[:rare], " | ")
	}
	return inPairs(names[:min(4, len(names))])
}

// inPairs matches what has two of terms.
func inPairs(terms []string) string {
	out := ""
	for i, a := range terms {
		for _, b := range terms[i+1:] {
			if out != "" {
				out += " | "
			}
			out += "(" + joined([]string{a, b}, " & ") + ")"
		}
	}
	return out
}

// find gives the hit of a memory that is found.
func (k *search) find(id int64) *hit {
	h := k.at(id)
	if !h.isFound {
		h.isFound = true
		h.Nearest = make([]int, len(k.q.Vectors))
		k.found = append(k.found, h)
	}
	return h
}

// at gives the hit of a memory, found or beside one that is.
func (k *search) at(id int64) *hit {
	h := k.hits[id]
	if h == nil {
		h = new(hit)
		h.ID = id
		k.hits[id] = h
	}
	return h
}

// finish looks around what was found, reads what is told of it and sorts. The first
// widen of them were found by their words.
func (k *search) finish(ctx context.Context, widen int) error {
	var meta, docs []*hit
	meta = append(meta, k.found...)
	if err := k.readMeta(ctx, meta); err != nil {
		return err
	}
	turns, err := k.turns(ctx)
	if err != nil {
		return err
	}
	k.widen(turns, widen)
	around := map[int64][]beside{}
	for _, h := range k.found {
		around[h.ID] = turns.around(h, k.q.Neighbours)
		for _, n := range around[h.ID] {
			k.at(n.id)
		}
	}
	for _, h := range k.hits {
		docs = append(docs, h)
	}
	if err := k.readDocuments(ctx, docs); err != nil {
		return err
	}
	for _, h := range k.found {
		h.Score = k.score(h.postings, h.Len)
	}
	slices.SortFunc(k.found, best)
	k.tell(around)
	return nil
}

// tell makes the result of what was found.
func (k *search) tell(around map[int64][]beside) {
	sessions := map[string]int{"": 0}
	for _, h := range k.found {
		if _, ok := sessions[h.session]; !ok {
			sessions[h.session] = len(sessions)
		}
		h.Session = sessions[h.session]
		for _, n := range around[h.ID] {
			if d := k.hits[n.id]; d.TF != nil {
				h.Neighbours = append(h.Neighbours, store.KeywordNeighbour{
					ID: n.id, Distance: n.distance, Len: d.Len, TF: d.TF, Cosine: d.Cosine, Tokens: d.Tokens, Traits: d.Traits,
				})
			}
		}
		for i, tf := range h.TF { // only what is no longer current has it
			if tf > 0 && k.result.DF[i] == 0 && !k.q.Filter.AsOf.IsZero() {
				k.result.DF[i] = 1
			}
		}
		k.result.Hits = append(k.result.Hits, h.KeywordHit)
	}
}

// readMeta reads where those are that were found.
func (k *search) readMeta(ctx context.Context, hits []*hit) error {
	if len(hits) == 0 {
		return nil
	}
	q := new(sqlstore.Query)
	q.Add(`SELECT id, COALESCE(session, ''), speaker <> '' OR role <> '', occurred_at, speaker, role`)
	q.FromKnown(k.q.Filter)
	q.Where(k.q.Filter)
	q.Add(` AND id = ANY(?)`, idsOf(hits))
	return q.Rows(ctx, k.tx, func(rows *sql.Rows) error {
		var id, at int64
		var session, speaker, role string
		var turn bool
		if err := rows.Scan(&id, &session, &turn, &at, &speaker, &role); err != nil {
			return err
		}
		h := k.hits[id]
		h.session, h.Turn, h.OccurredAt, h.Speaker, h.Assistant = session, turn, time.UnixMicro(at).UTC(), speaker, role == "assistant"
		return nil
	})
}

func idsOf(hits []*hit) []int64 {
	ids := make([]int64, len(hits))
	for i, h := range hits {
		ids[i] = h.ID
	}
	slices.Sort(ids)
	return ids
}

// readDocuments reads what search sees of texts, and how near they are.
func (k *search) readDocuments(ctx context.Context, hits []*hit) error {
	if len(hits) == 0 {
		return nil
	}
	q := new(sqlstore.Query)
	q.Add(`SELECT d.memory_id, d.length, d.postings, d.traits, d.tokens`)
	for i := range k.models {
		k.models[i].addCosine(q)
	}
	k.from(q, ` AND d.memory_id = ANY(?)`, idsOf(hits))
	cosines := make([]sql.NullFloat64, len(k.models))
	return q.Rows(ctx, k.tx, func(rows *sql.Rows) error {
		var id int64
		var length, traits int
		var postings, tokens []byte
		dest := []any{&id, &length, &postings, &traits, &tokens}
		for i := range cosines {
			dest = append(dest, &cosines[i])
		}
		if err := rows.Scan(dest...); err != nil {
			return err
		}
		h := k.hits[id]
		h.Len, h.postings, h.Traits, h.Tokens = length, postings, text.Traits(traits), decodeTokens(tokens)
		h.TF = make([]float32, len(k.hashes))
		for i, hash := range k.hashes {
			h.TF[i] = float32(frequency(postings, hash))
		}
		for _, c := range cosines {
			cosine := store.NoCosine
			if c.Valid {
				cosine = float32(c.Float64)
			}
			h.Cosine = append(h.Cosine, cosine)
		}
		return nil
	})
}

// sessionTurns are the turns of sessions, in their order.
type sessionTurns map[string][]turn

type turn struct {
	at, id int64
}

func (t turn) compare(o turn) int { return cmp.Or(cmp.Compare(t.at, o.at), cmp.Compare(t.id, o.id)) }

// beside is a turn near another one.
type beside struct {
	id       int64
	distance int
}

// turns reads those of the sessions that found turns are in.
func (k *search) turns(ctx context.Context) (sessionTurns, error) {
	if k.q.Neighbours <= 0 && k.q.Widen <= 0 {
		return nil, nil
	}
	var sessions []string
	for _, h := range k.found {
		if h.Turn && h.session != "" {
			sessions = append(sessions, h.session)
		}
	}
	if len(sessions) == 0 {
		return nil, nil
	}
	slices.Sort(sessions)
	sessions = slices.Compact(sessions)
	q := new(sqlstore.Query)
	q.Add(`SELECT session, occurred_at, id`)
	q.FromKnown(k.q.Filter)
	q.Where(k.q.Filter)
	q.Add(` AND session = ANY(?) AND (speaker <> '' OR role <> '') ORDER BY session, occurred_at, id`, sessions)
	turns := sessionTurns{}
	err := q.Rows(ctx, k.tx, func(rows *sql.Rows) error {
		var session string
		var t turn
		err := rows.Scan(&session, &t.at, &t.id)
		turns[session] = append(turns[session], t)
		return err
	})
	return turns, err
}

// around gives the turns beside a hit, nearest first, of two equally near the
// earlier one.
func (s sessionTurns) around(h *hit, reach int) (out []beside) {
	if !h.Turn || h.session == "" || reach <= 0 {
		return nil
	}
	all := s[h.session]
	at, ok := slices.BinarySearchFunc(all, turn{h.OccurredAt.UnixMicro(), h.ID}, turn.compare)
	if !ok {
		return nil
	}
	for i := 1; i <= reach; i++ {
		if at-i >= 0 {
			out = append(out, beside{all[at-i].id, -i})
		}
		if at+i < len(all) {
			out = append(out, beside{all[at+i].id, i})
		}
	}
	return out
}

// widen makes the turns beside the found ones hits too: beside all that were found by
// their words, and beside the nearest.
func (k *search) widen(turns sessionTurns, words int) {
	if k.q.Widen <= 0 {
		return
	}
	for i, h := range slices.Clone(k.found) {
		near := i < words
		for _, rank := range h.Nearest {
			near = near || rank > 0 && rank <= widenNearest
		}
		if !near {
			continue
		}
		for _, n := range turns.around(h, k.q.Widen) {
			w := k.find(n.id)
			w.session, w.Turn = h.session, true
			if w.OccurredAt.IsZero() {
				w.OccurredAt = timeOf(turns[h.session], n.id)
			}
		}
	}
}

func timeOf(turns []turn, id int64) time.Time {
	for _, t := range turns {
		if t.id == id {
			return time.UnixMicro(t.at).UTC()
		}
	}
	return time.Time{}
}

// similarLimit is how many terms that share enough letters are compared.
const similarLimit = 2000

// SimilarTerms implements [store.Searcher]. Terms that share trigrams with the word
// are drawn, and those within the edits kept.
func (s *Store) SimilarTerms(ctx context.Context, word string, limit int) ([]string, error) {
	near, edits := keyword.Near(word)
	var out []string
	err := s.Read(ctx, func(tx *sqlstore.Tx) error {
		if _, err := tx.ExecContext(ctx, `SET LOCAL pg_trgm.similarity_threshold = 0.1`); err != nil {
			return err
		}
		return tx.Rows(ctx, `SELECT term FROM terms WHERE term % $1 AND char_length(term) BETWEEN $2 AND $3
			ORDER BY df DESC, term LIMIT $4`,
			[]any{word, len([]rune(word)) - edits, len([]rune(word)) + edits, similarLimit}, func(rows *sql.Rows) error {
				var term string
				err := rows.Scan(&term)
				if err == nil && len(out) < limit && near(term) {
					out = append(out, term)
				}
				return err
			})
	})
	if err != nil {
		return nil, fmt.Errorf("similar terms: %w", err)
	}
	return out, nil
}

// PrefixTerms implements [store.Searcher].
func (s *Store) PrefixTerms(ctx context.Context, prefix string, limit int) (out []string, err error) {
	err = s.Read(ctx, func(tx *sqlstore.Tx) error {
		return tx.Rows(ctx, `SELECT term FROM terms WHERE term >= $1 AND term < $2 ORDER BY df DESC, term LIMIT $3`,
			[]any{prefix, prefix + "\U0010FFFF", limit}, func(rows *sql.Rows) error {
				var term string
				err := rows.Scan(&term)
				out = append(out, term)
				return err
			})
	})
	if err != nil {
		return nil, fmt.Errorf("prefix terms: %w", err)
	}
	return out, nil
}
