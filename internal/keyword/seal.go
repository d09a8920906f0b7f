package keyword

import "slices"

// Load takes a stored segment into an index that has none of its documents.
// Its error is [ErrDamaged] or [ErrAnalysis]; then nothing of it is in the index.
func (x *Index) Load(st *Stored) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	s, err := decode(st, x.names, x.analysis)
	if err != nil {
		return err
	}
	for d := range s.id {
		x.count(&s.columns, uint16(d), 1)
	}
	x.segments = append(slices.Clip(x.segments), s)
	return nil
}

// Changes are what a store of segments must do to hold what the index holds,
// but for its tail.
type Changes struct {
	Drop   []int64 // numbers of segments that are no more
	Insert []*Stored
	Update []*Stored // only Columns and Checksum are new

	segments []*segment // of Insert, then of Update
}

// Changes gives what is not stored yet. They hold until the index changes
// again.
func (x *Index) Changes() *Changes {
	c := &Changes{Drop: slices.Clone(x.removed)}
	var updated []*segment
	for _, s := range x.segments {
		switch {
		case s.stored == 0:
			c.Insert = append(c.Insert, s.encode(x.names, x.analysis))
			c.segments = append(c.segments, s)
		case s.dirty:
			c.Update = append(c.Update, s.encode(x.names, x.analysis))
			updated = append(updated, s)
		}
	}
	c.segments = append(c.segments, updated...)
	return c
}

// Confirm notes that changes are stored, those of Insert under the IDs that the
// store has set.
func (x *Index) Confirm(c *Changes) {
	for i, s := range c.segments {
		if i < len(c.Insert) {
			s.stored = c.Insert[i].ID
		}
		s.dirty = false
	}
	x.removed = slices.DeleteFunc(x.removed, func(id int64) bool { return slices.Contains(c.Drop, id) })
}

// Without gives a stored segment without some memories, and counts the postings
// that went with them. It is nil when nothing is left, and the same segment when
// it holds none of them.
func Without(st *Stored, analysis int, erased func(id int64) bool) (rest *Stored, postings int, err error) {
	n := newNames()
	s, err := decode(st, n, analysis)
	if err != nil {
		return nil, 0, err
	}
	var gone []uint16
	for d, id := range s.id {
		if erased(id) {
			gone = append(gone, uint16(d))
		}
	}
	if len(gone) == 0 {
		return st, 0, nil
	}
	postings = s.postingsOf(gone)
	next := merge([]*segment{s}, func(s *segment, d uint16) bool { return erased(s.id[d]) })
	if next == nil {
		return nil, postings, nil
	}
	next.stored = st.ID
	return next.encode(n, analysis), postings, nil
}

// Entry is a document as the index knows it, for comparing it with its row.
type Entry struct {
	Meta
	Len int
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
			Closed:     c.flags[d]&flagClosed != 0,
			OccurredAt: c.occurred[d], RecordedAt: c.recorded[d], InvalidatedAt: c.invalidated[d],
			CreatedAt: c.created[d], DeletedAt: c.deleted[d],
		},
		Len: int(c.length[d]),
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
	out := make([]int, len(terms))
	var (
		l  list
		b  block
		tf [1]uint16
	)
	for i, t := range terms {
		if p.open(t, &l) {
			l.frequencies([]uint16{d}, tf[:], &b)
			out[i] = int(tf[0])
		}
	}
	return out, true
}
