package sqlite

import (
	"context"
	"database/sql"
	"time"

	"engram/internal/vector"
)

// Seal seals the keyword index, however little is not sealed.
func (s *Store) Seal(ctx context.Context) error { return s.keyword.seal(ctx, 1) }

// RebuildKeyword builds the keyword index anew.
func (s *Store) RebuildKeyword(ctx context.Context) error {
	if err := s.keyword.take(ctx); err != nil {
		return err
	}
	defer s.keyword.give()
	return s.keyword.rebuild(ctx)
}

// Writer is the pool that writes.
func (s *Store) Writer() *sql.DB { return s.writer }

// KeywordSteps catches up step by step on an index that is thrown away, and
// gives how many steps that took.
func (s *Store) KeywordSteps(ctx context.Context) (n int, err error) {
	_, until, err := s.keyword.lastSeq(ctx)
	if err != nil {
		return 0, err
	}
	st, err := s.keyword.load(ctx)
	for err == nil && st.seq < until {
		st, err = s.keyword.step(ctx, st)
		n++
	}
	return n, err
}

// KeywordSeq is the number of the last write that the index has, 0 when it is
// not loaded, and of the last there is.
func (s *Store) KeywordSeq(ctx context.Context) (has, all int64, err error) {
	if st := s.keyword.state.Load(); st != nil {
		has = st.seq
	}
	_, all, err = s.keyword.lastSeq(ctx)
	return has, all, err
}

// LookAfter sets how long after a write the background looks at the index. It
// is for before the first write.
func (s *Store) LookAfter(d time.Duration) { s.keyword.lookAfter = d }

// SealAround seals as the background does, with between run after the index was
// brought up to date and before anything of it is written.
func (s *Store) SealAround(ctx context.Context, between func()) error {
	k := s.keyword
	if err := k.take(ctx); err != nil {
		return err
	}
	defer k.give()
	_, until, err := k.lastSeq(ctx)
	if err != nil {
		return err
	}
	st, err := k.load(ctx)
	for err == nil && st.seq < until {
		st, err = k.step(ctx, st)
	}
	if err != nil {
		return err
	}
	st.index.Compact(1)
	between()
	_, err = k.write(ctx, st)
	return err
}

// PackVectors packs all vectors.
func (s *Store) PackVectors(ctx context.Context) error { return s.keyword.sealVectors(ctx, 1) }

// PackAround makes a pack as the background does, with between run before it is
// written.
func (s *Store) PackAround(ctx context.Context, m vector.Space, between func()) error {
	p, err := s.preparePack(ctx, m)
	if err != nil {
		return err
	}
	between()
	return s.commitPack(ctx, m, p)
}

// WarmVectors reads the codes of packed vectors.
func (s *Store) WarmVectors(ctx context.Context) error { return s.keyword.warmSpaces(ctx) }

// IndexSize is how many bytes of memory the index holds, by its own estimate.
func (s *Store) IndexSize() int { return s.keyword.state.Load().index.Size() }

// ErrOtherPacks is what a pack that is out of date is given up with.
var ErrOtherPacks = errOtherPacks

// ErrOtherState is what a seal gives up with that is out of date.
var ErrOtherState = errOtherState
