package keyword

import (
	"fmt"
	"slices"
	"sync"

	"engram/internal/vector"
)

// Index finds documents by their terms. Searches run side by side; one
// goroutine at a time may change it ([Index.Apply], [Index.Compact],
// [Index.Load], [Index.Confirm]).
type Index struct {
	rules Rules

	mu       sync.RWMutex
	names    *names
	segments []*segment
	tail     *tail
	docs     int   // live ones
	terms    int64 // in live ones
	removed  []int64
	spaces   map[vector.Space]*space
	scratch  sync.Pool

	sideBySide int // as the constant; tests set it
}

// New returns an empty index for documents that are made by the given rules.
func New(rules Rules) *Index {
	return &Index{
		rules:   rules,
		names:   newNames(),
		tail:    newTail(rules.Space),
		scratch: sync.Pool{New: func() any { return newScratch() }},

		sideBySide: sideBySide,
	}
}

// Docs is the number of current documents that are not deleted.
func (x *Index) Docs() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.docs
}

// Tail is the number of documents that are in no segment yet.
func (x *Index) Tail() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	return x.tail.len()
}

// Size estimates the memory that the index holds, in bytes.
func (x *Index) Size() int {
	x.mu.RLock()
	defer x.mu.RUnlock()
	const perDocument = 8 + 5*4 + 1 + 3*8 + 2 + 2
	const perTailList = 160
	size := x.tail.len()*(perDocument+32) + len(x.tail.lists)*perTailList
	size += x.tail.vectors.Size() + x.tail.tokens.Size()
	for _, l := range x.tail.lists {
		size += 4 * cap(l.docs)
	}
	for _, s := range x.segments {
		size += s.vectors.Size() + s.tokens.Size()
		size += len(s.postings) + 8*len(s.looks.all) + s.len()*perDocument + 2*len(s.dead) + 24*(len(s.deleted)+len(s.invalidated))
	}
	for _, sp := range x.spaces {
		size += sp.size()
	}
	for _, s := range x.names.sessions {
		size += len(s.id) + 96
	}
	for _, s := range x.names.speakers {
		size += len(s) + 64
	}
	return size + len(x.names.classes)*200
}

// place finds where a version of a memory is.
func (x *Index) place(id int64, version int) (part, uint16, bool) {
	if d, ok := x.tail.place[docKey{id, uint32(version)}]; ok {
		return x.tail, d, true
	}
	for _, s := range slices.Backward(x.segments) {
		if d, ok := s.place(id, uint32(version)); ok {
			return s, d, true
		}
	}
	return nil, 0, false
}

// NeedsTerms reports whether [Index.Apply] must be given the terms of a
// document: it is new, or it begins or ceases to count. It is for the
// goroutine that changes the index.
func (x *Index) NeedsTerms(m *Meta) bool {
	p, d, ok := x.place(m.ID, m.Version)
	return !ok || p.cols().live(d) != (flagsOf(m)&notLive == 0)
}

// Apply puts documents in, or changes the facts of those that are there, and
// forgets all versions of the memories in erased. Documents of one memory stand
// side by side, its closed versions first: no search sees it half changed.
func (x *Index) Apply(docs []Document, erased []int64) error {
	const atOnce = 256 // documents, so that searches need not wait long
	for len(docs) > 0 {
		n := min(atOnce, len(docs))
		for n < len(docs) && docs[n].ID == docs[n-1].ID {
			n++
		}
		if err := x.put(docs[:n]); err != nil {
			return err
		}
		docs = docs[n:]
	}
	if len(erased) > 0 {
		x.erase(erased)
	}
	return nil
}

func (x *Index) put(docs []Document) error {
	for i := range docs {
		if err := x.check(&docs[i]); err != nil {
			return err
		}
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for i := range docs {
		doc := &docs[i]
		if p, d, ok := x.place(doc.ID, doc.Version); ok {
			x.update(p, d, doc)
		} else {
			if x.tail.len() >= maxDocs {
				x.freeze()
			}
			d = x.tail.add(doc, x.names)
			x.count(&x.tail.columns, d, 1)
		}
		x.carryDeletion(doc)
	}
	return nil
}

// check looks at a document before it is put in. A version whose text is not
// the one that is known under its number (an import may do that) is forgotten
// first.
func (x *Index) check(doc *Document) error {
	if len(doc.Terms) != len(doc.TF) {
		return fmt.Errorf("document %d has %d terms and %d frequencies", doc.ID, len(doc.Terms), len(doc.TF))
	}
	if n := len(doc.Vector); n != 0 && n != x.rules.Space.Dim {
		return fmt.Errorf("document %d has a vector of %d dimensions, not %d", doc.ID, n, x.rules.Space.Dim)
	}
	p, d, ok := x.place(doc.ID, doc.Version)
	if !ok || len(doc.Terms)+len(doc.Tokens) == 0 {
		return nil
	}
	c := p.cols()
	same := c.length[d] == uint32(doc.Len) && c.traits[d] == doc.Traits && slices.Equal(c.tokens.Of(int(d)), doc.Tokens)
	for i, tf := range frequenciesIn(p, d, doc.Terms) {
		same = same && tf == doc.TF[i]
	}
	if !same {
		x.forget(func(c *columns, d uint16) bool { return c.id[d] == doc.ID && c.version[d] == uint32(doc.Version) },
			func(s *segment) bool { _, ok := s.place(doc.ID, uint32(doc.Version)); return ok })
	}
	return nil
}

// count adds a document to the statistics, or takes it out, if it is live.
func (x *Index) count(c *columns, d uint16, by int) {
	if c.live(d) {
		x.docs += by
		x.terms += int64(by) * int64(c.length[d])
	}
}

// update writes the facts of a document that is there.
func (x *Index) update(p part, d uint16, doc *Document) {
	c := p.cols()
	was := c.live(d)
	x.count(c, d, -1)
	turn := c.isTurn(d)
	session, occurred := c.session[d], c.occurred[d]
	c.set(d, &doc.Meta, x.names)
	x.count(c, d, 1)
	if is := c.live(d); was && !is {
		p.shift(doc.Terms, 1)
	} else if is && !was {
		p.shift(doc.Terms, -1)
	}
	if turn != c.isTurn(d) || session != c.session[d] || occurred != c.occurred[d] {
		c.sortTurns()
	}
	if s, ok := p.(*segment); ok {
		s.dirty = true
	}
}

// carryDeletion gives the closed versions of a memory the deletion of the
// current one.
func (x *Index) carryDeletion(doc *Document) {
	if doc.Closed || doc.Version == 1 {
		return
	}
	mark := func(c *columns, d uint16) bool {
		if c.flags[d]&flagClosed == 0 || c.deleted[d] == doc.DeletedAt {
			return false
		}
		c.deleted = setRare(c.deleted, d, doc.DeletedAt)
		c.flags[d] &^= flagDeleted
		if doc.DeletedAt != 0 {
			c.flags[d] |= flagDeleted
		}
		return true
	}
	for _, s := range x.segments {
		for d, to := s.versions(doc.ID); d < to; d++ {
			if mark(&s.columns, uint16(d)) {
				s.dirty = true
			}
		}
	}
	for v := 1; v < doc.Version; v++ {
		if d, ok := x.tail.place[docKey{doc.ID, uint32(v)}]; ok {
			mark(&x.tail.columns, d)
		}
	}
}

// erase forgets memories.
func (x *Index) erase(ids []int64) {
	gone := make(map[int64]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	x.forgetVectors(gone)
	x.forget(func(c *columns, d uint16) bool { return gone[c.id[d]] }, func(s *segment) bool {
		return slices.ContainsFunc(ids, func(id int64) bool { _, to := s.versions(id); return to > 0 })
	})
}

// forget takes documents out. Segments that hold some are written anew without
// them, so that their terms are gone as well.
func (x *Index) forget(gone func(c *columns, d uint16) bool, holds func(s *segment) bool) {
	for _, s := range slices.Clone(x.segments) {
		if holds(s) {
			next := merge([]*segment{s}, func(s *segment, d uint16) bool { return gone(&s.columns, d) })
			x.replace([]*segment{s}, next)
		}
	}
	var places []uint16
	for d := range x.tail.id {
		if x.tail.flags[d]&flagGone == 0 && gone(&x.tail.columns, uint16(d)) {
			places = append(places, uint16(d))
		}
	}
	if len(places) == 0 {
		return
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, d := range places {
		x.count(&x.tail.columns, d, -1)
	}
	x.tail.remove(places)
}

// replace puts one segment, if any is left, in the place of others.
func (x *Index) replace(old []*segment, next *segment) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, s := range old {
		for d := range s.id {
			x.count(&s.columns, uint16(d), -1)
		}
		if next == nil {
			x.removed = append(x.removed, s.replaces...)
			if s.stored != 0 {
				x.removed = append(x.removed, s.stored)
			}
		}
	}
	x.segments = slices.DeleteFunc(slices.Clone(x.segments), func(s *segment) bool { return slices.Contains(old, s) })
	if next == nil {
		return
	}
	for d := range next.id {
		x.count(&next.columns, uint16(d), 1)
	}
	x.segments = append(x.segments, next)
}

// freeze makes a segment of the tail; the lock is held.
func (x *Index) freeze() {
	if s := x.tail.freeze(); s != nil {
		x.segments = append(slices.Clip(x.segments), s)
	}
	x.tail = newTail(x.rules.Space)
}

// Compact makes a segment of the tail when it has at least least documents, and
// merges segments of like size, until there is nothing to merge.
func (x *Index) Compact(least int) {
	if x.tail.len() > 0 && x.tail.len() >= least {
		next := x.tail.freeze()
		x.mu.Lock()
		if next != nil {
			x.segments = append(slices.Clip(x.segments), next)
		}
		x.tail = newTail(x.rules.Space)
		x.mu.Unlock()
	}
	for {
		group := x.mergeable()
		if group == nil {
			return
		}
		x.replace(group, merge(group, nil))
	}
}

// tier groups sizes: a segment is merged with at least three others of its
// tier, so that a document is rewritten a few times only.
func tier(docs int) int {
	t := 0
	for n := docs / 512; n > 0; n /= 4 {
		t++
	}
	return t
}

// mergeable gives segments that one is to be made of, smallest first.
func (x *Index) mergeable() []*segment {
	const enough = 4
	bySize := slices.Clone(x.segments)
	slices.SortStableFunc(bySize, func(a, b *segment) int { return a.len() - b.len() })
	for i := 0; i < len(bySize); {
		j := i
		for j < len(bySize) && tier(bySize[j].len()) == tier(bySize[i].len()) {
			j++
		}
		if j-i >= enough {
			group, docs := bySize[i:i], 0
			for _, s := range bySize[i:j] {
				if docs+s.len() > maxDocs {
					break
				}
				group, docs = append(group, s), docs+s.len()
			}
			if len(group) > 1 {
				return group
			}
		}
		i = j
	}
	return nil
}
