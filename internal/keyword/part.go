package keyword

import (
	"math"
	"slices"

	"engram/internal/vector"
)

// maxDocs is how many documents a segment has at most, so that rewriting one
// is a bounded piece of work and document numbers are short.
const maxDocs = 1 << 14

// part is a piece of the index: a segment or the tail.
type part interface {
	cols() *columns
	// find looks a term up.
	find(term string, e *entry) bool
	// open gives access to the postings of a term that was found.
	open(e *entry, l *list)
	// shift counts documents of terms out of DF (by > 0) or in again.
	shift(terms []string, by int)
}

// entry is a term in a part.
type entry struct {
	live   int // live documents that have it
	list   []byte
	tail   *tailList
	cursor cursor
}

// tail takes new documents until it is frozen into a segment.
type tail struct {
	columns
	lists map[string]*tailList
	place map[docKey]uint16
}

type docKey struct {
	id      int64
	version uint32
}

type tailList struct {
	docs, tfs []uint16
	maxTF     uint16
	minLen    uint32
	dead      int
}

func newTail(s vector.Space) *tail {
	return &tail{columns: newColumns(s), lists: map[string]*tailList{}, place: map[docKey]uint16{}}
}

func (t *tail) cols() *columns { return &t.columns }

func (t *tail) find(term string, e *entry) bool {
	l, ok := t.lists[term]
	if !ok {
		return false
	}
	e.tail, e.live = l, len(l.docs)-l.dead
	return true
}

func (t *tail) open(e *entry, l *list) {
	have := e.tail
	*l = list{
		kind: kindPlain, df: len(have.docs), count: (len(have.docs) + rangeLen - 1) / rangeLen,
		docs: have.docs, tfs: have.tfs, maxTF: have.maxTF, minLen: have.minLen,
	}
}

func (t *tail) shift(terms []string, by int) {
	for _, term := range terms {
		if l, ok := t.lists[term]; ok {
			l.dead += by
		}
	}
}

// add takes a document that is not in the index.
func (t *tail) add(doc *Document, n *names) uint16 {
	d := t.grow()
	t.set(d, &doc.Meta, n)
	t.length[d] = uint32(min(doc.Len, math.MaxUint32))
	t.traits[d] = doc.Traits
	t.vectors.Append(doc.Vector)
	t.tokens.Append(doc.Tokens)
	t.place[docKey{doc.ID, uint32(doc.Version)}] = d
	if t.isTurn(d) {
		t.insertTurn(d)
	}
	dead := 0
	if !t.live(d) {
		dead = 1
	}
	for i, term := range doc.Terms {
		l, ok := t.lists[term]
		if !ok {
			l = &tailList{minLen: math.MaxUint32}
			t.lists[term] = l
		}
		tf := uint16(min(doc.TF[i], math.MaxUint16))
		l.docs = append(l.docs, d)
		l.tfs = append(l.tfs, tf)
		l.maxTF = max(l.maxTF, tf)
		l.minLen = min(l.minLen, t.length[d])
		l.dead += dead
	}
	return d
}

// remove takes documents out of every list. Their numbers stay, marked gone.
func (t *tail) remove(gone []uint16) {
	for _, d := range gone {
		delete(t.place, docKey{t.id[d], t.version[d]})
		delete(t.invalidated, d)
		delete(t.deleted, d)
	}
	for term, l := range t.lists {
		for _, d := range gone {
			i := searchDocs(l.docs, d)
			if i == len(l.docs) || l.docs[i] != d {
				continue
			}
			l.docs = slices.Delete(l.docs, i, i+1)
			l.tfs = slices.Delete(l.tfs, i, i+1)
			if !t.live(d) {
				l.dead--
			}
		}
		if len(l.docs) == 0 {
			delete(t.lists, term)
		}
	}
	for _, d := range gone {
		t.flags[d] |= flagGone
		t.vectors.Remove(int(d))
	}
	t.sortTurns()
}

// freeze makes a segment of the tail, or nil when nothing is in it.
func (t *tail) freeze() *segment {
	order := make([]uint16, 0, t.len())
	for d := range t.id {
		if t.flags[d]&flagGone == 0 {
			order = append(order, uint16(d))
		}
	}
	if len(order) == 0 {
		return nil
	}
	slices.SortFunc(order, t.compareDocs)
	number := make([]uint16, t.len())
	w := newSegmentWriter(len(order), t.vectors.Space())
	w.s.vectors.Grow(len(order))
	for i, d := range order {
		number[d] = uint16(i)
		w.take(&t.columns, d)
	}
	terms := make([]string, 0, len(t.lists))
	for term := range t.lists {
		terms = append(terms, term)
	}
	slices.Sort(terms)
	for _, term := range terms {
		l := t.lists[term]
		w.begin(len(l.docs))
		for i, d := range l.docs {
			w.posting(number[d], l.tfs[i])
		}
		w.end(term)
	}
	return w.finish()
}

// compareDocs orders documents as they are in a segment.
func (c *columns) compareDocs(x, y uint16) int {
	if c.id[x] != c.id[y] {
		if c.id[x] < c.id[y] {
			return -1
		}
		return 1
	}
	return int(c.version[x]) - int(c.version[y])
}
