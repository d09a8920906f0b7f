package sqlite

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"engram/internal/document"
	"engram/internal/embed"
	"engram/internal/keyword"
	"engram/internal/store"
	"engram/internal/text"
	"engram/internal/vector"
)

// keywordIndex is this process's copy of the keyword index. The rows are the
// truth: every search first reads what was written since, by whatever process,
// and nothing is loaded before the first one or before there is much to seal.
// Parts of the index are sealed in keyword_segments, in the background soon after
// a write, so that neither the next search nor the next process need analyse
// many texts.
type keywordIndex struct {
	s      *Store
	holder string // of the lease for sealing

	turn    chan struct{} // holds one: whoever takes it may change the index
	state   atomic.Pointer[keywordState]
	stmt    sync.Mutex // of seqStmt
	seqStmt *sql.Stmt

	commits   atomic.Int64
	start     sync.Once
	lookAfter time.Duration
	written   chan struct{} // look in a while
	wake      chan struct{} // look now
	stop      context.CancelFunc
	done      sync.WaitGroup

	badPacks atomic.Bool       // packs of vectors were found to be damaged
	warmSoon chan struct{}     // a search had to read codes of vectors from their rows
	dropped  map[[2]int64]bool // generations and segments that were told of as damaged; whoever has the turn looks
}

// keywordState says what an index holds. Only whoever has the turn makes a new
// one.
type keywordState struct {
	index      *keyword.Index
	epoch      int64 // of the store; another one means that a backup was put in its place
	seq        int64 // of the last write in it
	generation int64 // of the sealed segments that it began with
	damaged    bool  // some sealed segments could not be used and must be dropped
}

func newKeywordIndex(s *Store) *keywordIndex {
	return &keywordIndex{
		s: s, holder: rand.Text(), turn: make(chan struct{}, 1), lookAfter: lookAfter,
		written: make(chan struct{}, 1), wake: make(chan struct{}, 1), warmSoon: make(chan struct{}, 1),
		dropped: map[[2]int64]bool{},
	}
}

// keywordRules are what the index's documents are made by.
func keywordRules() keyword.Rules {
	return keyword.Rules{Analysis: document.Rules(), Space: vector.Space{Model: embed.Static().Model(), Dim: embed.Dim}}
}

// Keyword implements [store.Searcher].
func (s *Store) Keyword(ctx context.Context, q store.KeywordQuery) (*store.KeywordResult, error) {
	ahead, wait := s.keyword.readAhead(ctx, q.Vectors)
	defer wait()
	x, err := s.keyword.fresh(ctx)
	if err != nil {
		return nil, mapError(fmt.Errorf("keyword search: %w", err))
	}
	if err := s.keyword.readSpaces(ctx, x, q.Vectors, ahead); err != nil {
		return nil, mapError(fmt.Errorf("keyword search: %w", err))
	}
	query := keywordQuery(&q)
	query.Fetch = func(model vector.Space, rows []keyword.Row, take func(i int, codes []byte)) {
		err = errors.Join(err, s.keyword.fetchCodes(ctx, model, rows, take))
	}
	r := x.Search(query)
	if err != nil {
		return nil, mapError(fmt.Errorf("keyword search: %w", err))
	}
	return keywordResult(r), nil
}

// SimilarTerms implements [store.Searcher].
func (s *Store) SimilarTerms(ctx context.Context, word string, limit int) ([]string, error) {
	x, err := s.keyword.fresh(ctx)
	if err != nil {
		return nil, mapError(fmt.Errorf("similar terms: %w", err))
	}
	return x.Similar(word, limit), nil
}

// PrefixTerms implements [store.Searcher].
func (s *Store) PrefixTerms(ctx context.Context, prefix string, limit int) ([]string, error) {
	x, err := s.keyword.fresh(ctx)
	if err != nil {
		return nil, mapError(fmt.Errorf("prefix terms: %w", err))
	}
	return x.Prefix(prefix, limit), nil
}

// fresh gives the index with every write that is committed by now.
func (k *keywordIndex) fresh(ctx context.Context) (*keyword.Index, error) {
	if k.s.Closed() {
		return nil, errClosed
	}
	epoch, seq, err := k.lastSeq(ctx)
	if err != nil {
		return nil, err
	}
	if st := k.state.Load(); st != nil && st.epoch == epoch && st.seq >= seq {
		return st.index, nil
	}
	if err := k.take(ctx); err != nil {
		return nil, err
	}
	defer k.give()
	if st := k.state.Load(); st != nil && st.epoch != epoch {
		k.state.Store(nil)
	}
	st, err := k.loaded(ctx)
	if err != nil {
		return nil, err
	}
	st, err = k.catchUp(ctx, st, seq)
	if err != nil {
		return nil, err
	}
	if st.index.Tail() >= sealAt || st.damaged && !k.s.opts.ReadOnly {
		k.nudge()
	}
	return st.index, nil
}

// lastSeq is the number of the last write, and the epoch in which it counts.
func (k *keywordIndex) lastSeq(ctx context.Context) (epoch, seq int64, err error) {
	k.stmt.Lock()
	if k.seqStmt == nil {
		k.seqStmt, err = k.s.reader.PrepareContext(ctx, `SELECT
			IFNULL((SELECT value FROM counters WHERE name = 'epoch'), 0),
			(SELECT value FROM counters WHERE name = 'seq')`)
	}
	stmt := k.seqStmt
	k.stmt.Unlock()
	if err != nil {
		return 0, 0, err
	}
	err = stmt.QueryRowContext(ctx).Scan(&epoch, &seq)
	return epoch, seq, err
}

func (k *keywordIndex) take(ctx context.Context) error {
	select {
	case k.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

func (k *keywordIndex) give() { <-k.turn }

// close seals and ends the background work. What cannot be sealed is in the
// rows all the same, and no reason to fail.
func (k *keywordIndex) close() error {
	ctx := context.Background()
	if err := k.s.sealKeyword(ctx); err != nil {
		k.log().WarnContext(ctx, "keyword index not sealed at the end", "error", err)
	}
	k.start.Do(func() {}) // nothing starts from now on
	if k.stop != nil {
		k.stop()
	}
	k.done.Wait()
	k.stmt.Lock()
	defer k.stmt.Unlock()
	if k.seqStmt == nil {
		return nil
	}
	return k.seqStmt.Close()
}

func (k *keywordIndex) log() *slog.Logger {
	if k.s.opts.Log != nil {
		return k.s.opts.Log
	}
	return slog.Default()
}

func keywordQuery(q *store.KeywordQuery) keyword.Query {
	f := &q.Filter
	out := keyword.Query{
		Filter: keyword.Filter{
			Workspace: f.Workspace, Projects: f.Projects, Global: f.Global, Scopes: texts(f.Scopes), Types: f.Types,
			NotTypes: f.NotTypes, Kinds: texts(f.Kinds), Session: f.Session,
			Since: instant(f.Since), Until: instant(f.Until), AsOf: instant(f.AsOf),
			Deleted: keyword.Deleted(f.Deleted), Pinned: f.Pinned, OpenTasks: f.OpenTasks,
		},
		Limit: q.Limit, Neighbours: q.Neighbours, Widen: q.Widen,
		Terms: make([]keyword.Term, len(q.Terms)),
	}
	for i, t := range q.Terms {
		out.Terms[i] = keyword.Term{Text: t.Text, Weight: t.Weight}
	}
	for _, v := range q.Vectors {
		out.Vectors = append(out.Vectors, keyword.Vector{Model: v.Model, Unit: v.Unit})
	}
	return out
}

func texts[T ~string](values []T) []string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return out
}

func instant(t time.Time) keyword.Instant {
	if t.IsZero() {
		return keyword.Instant{}
	}
	return keyword.At(t.Round(time.Microsecond).UnixMicro())
}

func keywordResult(r *keyword.Result) *store.KeywordResult {
	out := &store.KeywordResult{DF: r.DF, Docs: r.Docs, AvgLen: r.AvgLen, Hits: make([]store.KeywordHit, len(r.Hits))}
	for i, h := range r.Hits {
		out.Hits[i] = store.KeywordHit{
			ID: h.ID, Score: h.Score, Len: h.Len, TF: h.TF, Turn: h.Turn, OccurredAt: time.UnixMicro(h.OccurredAt).UTC(),
			Cosine: h.Cosine, Nearest: h.Nearest, Tokens: h.Tokens, Session: h.Session,
			Speaker: h.Speaker, Assistant: h.Assistant, Traits: text.Traits(h.Traits), Neighbours: h.Neighbours,
		}
	}
	return out
}
