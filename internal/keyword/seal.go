package keyword

import (
	"slices"

	"engram/internal/vector"
)

// Load takes a stored segment into an index that has none of its documents.
// Its error is [ErrDamaged] or [ErrAnalysis]; then nothing of it is in the index.
func (x *Index) Load(st *Stored) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, err := decode(st, x.names, x.rules)
	if err != nil {
		return err
	}
	for d := range s.id {
		x.count(&s.columns, uint16(d), 1)
	}
	x.segments = append(slices.Clip(x.segments), s)
	return nil
}

// Change is something that a store of segments must do, in one transaction, to
// come nearer to what the index holds.
type Change struct {
	Drop   []int64 // numbers of segments whose documents Segment holds now, or that are no more
	Insert *Stored // the store sets its ID
	Update *Stored // only Columns and Checksum are new; Vectors is nil

	segment *segment
}

// Changes gives what is not stored yet, but for the tail; they hold until the
// index changes again. After each of them the store is sound: documents that are
// stored already change nothing when they are applied a second time.
func (x *Index) Changes() []*Change {
	var out []*Change
	for _, s := range x.segments {
		switch {
		case s.stored == 0:
			out = append(out, &Change{Drop: slices.Clone(s.replaces), Insert: s.encode(x.names, x.rules.Analysis), segment: s})
		case s.dirty:
			out = append(out, &Change{Update: s.encodeChanged(x.names, x.rules.Analysis), segment: s})
		}
	}
	if len(x.removed) > 0 {
		out = append(out, &Change{Drop: slices.Clone(x.removed)})
	}
	return out
}

// Confirm notes that a change is stored.
func (x *Index) Confirm(c *Change) {
	switch {
	case c.Insert != nil:
		c.segment.stored, c.segment.replaces, c.segment.dirty = c.Insert.ID, nil, false
	case c.Update != nil:
		c.segment.dirty = false
	default:
		x.removed = slices.DeleteFunc(x.removed, func(id int64) bool { return slices.Contains(c.Drop, id) })
	}
}

// Without gives a stored segment without some memories: nil when nothing is
// left, and the same segment when it holds none of them.
func Without(st *Stored, rules Rules, erased func(id int64) bool) (*Stored, error) {
	n := newNames()
	s, err := decode(st, n, rules)
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(s.id, erased) {
		return st, nil
	}
	next := merge([]*segment{s}, func(s *segment, d uint16) bool { return erased(s.id[d]) })
	if next == nil {
		return nil, nil
	}
	next.stored = st.ID
	return next.encode(n, rules.Analysis), nil
}

// Entry is a document as the index knows it, for comparing it with its row.
type Entry struct {
	Meta
	Len    int
	Vector bool // it has one
	Traits uint16
}

// Entries calls yield with every document, until it is false, tail last.
func (x *Index) Entries(yield func(Entry) bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	for _, s := range x.segments {
		if !x.entries(&s.columns, yield) {
			return
		}
	}
	x.entries(&x.tail.columns, yield)
}

func (x *Index) entries(c *columns, yield func(Entry) bool) bool {
	for d := range c.id {
		if c.flags[d]&flagGone == 0 && !yield(x.entry(c, uint16(d))) {
			return false
		}
	}
	return true
}

func (x *Index) entry(c *columns, d uint16) Entry {
	k := x.names.classes[c.class[d]]
	return Entry{
		Meta: Meta{
			ID: c.id[d], Version: int(c.version[d]),
			Workspace: k.workspace, Project: k.project, Type: k.typ, Scope: k.scope, Kind: k.kind,
			Session: x.names.sessions[c.session[d]].id,
			Pinned:  c.flags[d]&flagPinned != 0, Turn: c.flags[d]&flagTurn != 0, OpenTask: c.flags[d]&flagOpenTask != 0,
			Speaker: x.names.speakers[c.speaker[d]], Assistant: c.flags[d]&flagAssistant != 0,
			Closed:     c.flags[d]&flagClosed != 0,
			OccurredAt: c.occurred[d], RecordedAt: c.recorded[d], InvalidatedAt: c.invalidated[d],
			CreatedAt: c.created[d], DeletedAt: c.deleted[d],
		},
		Len: int(c.length[d]), Vector: c.vectors.Has(int(d)), Traits: c.traits[d],
	}
}

// Frequencies gives how often a version of a memory has each of terms.
func (x *Index) Frequencies(id int64, version int, terms []string) ([]int, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	p, d, ok := x.place(id, version)
	if !ok {
		return nil, false
	}
	return frequenciesIn(p, d, terms), true
}

// Tokens gives the tokens of a version of a memory, not to be written to.
func (x *Index) Tokens(id int64, version int) ([]uint16, bool) {
	x.mu.RLock()
	defer x.mu.RUnlock()
	p, d, ok := x.place(id, version)
	if !ok {
		return nil, false
	}
	return p.cols().tokens.Of(int(d)), true
}

// Cosine compares the vector of a version of a memory with another one of the
// index's space. It is NoCosine if one of them is not there.
func (x *Index) Cosine(id int64, version int, unit []float32) float32 {
	x.mu.RLock()
	defer x.mu.RUnlock()
	p, d, ok := x.place(id, version)
	q := vector.NewQuery(unit)
	if !ok || q == nil || len(unit) != x.rules.Space.Dim {
		return NoCosine
	}
	if cosine, ok := p.cols().vectors.Cosine(int(d), q); ok {
		return cosine
	}
	return NoCosine
}

func frequenciesIn(p part, d uint16, terms []string) []int {
	out := make([]int, len(terms))
	var (
		l  list
		b  block
		e  entry
		tf [1]uint16
	)
	for i, t := range terms {
		if p.find(t, &e) {
			p.open(&e, &l)
			l.frequencies([]uint16{d}, tf[:], &b)
			out[i] = int(tf[0])
		}
	}
	return out
}

// Stores reports whether the store's segment of that number is in use: it was
// loaded, or what it held is in a segment that takes its place.
func (x *Index) Stores(id int64) bool {
	return slices.Contains(x.removed, id) || slices.ContainsFunc(x.segments, func(s *segment) bool {
		return s.stored == id || slices.Contains(s.replaces, id)
	})
}
