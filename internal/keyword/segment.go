package keyword

import (
	"encoding/binary"
	"fmt"
	"slices"
)

// segment is an immutable set of postings, with columns that may change.
// Documents are ordered by id and version.
//
// postings, little endian: magic, number of documents, number of terms, bytes
// of the dictionary's text; its heads; its text; the lists; padding.
type segment struct {
	columns
	dictionary
	postings []byte // all of it

	dead []uint16 // documents of each term that are not live; nil = none

	stored   int64   // number in the engine's store, 0 = not there
	replaces []int64 // numbers there of segments that it was made of
	dirty    bool    // its columns are not as stored
}

const (
	postingsMagic  = 0x32504b45 // "EKP2"
	postingsHeader = 16
)

func (s *segment) cols() *columns { return &s.columns }

func (s *segment) minID() int64 { return s.id[0] }

func (s *segment) maxID() int64 { return s.id[len(s.id)-1] }

func (s *segment) find(term string, e *entry) bool {
	if !s.dictionary.find(&e.cursor, term) {
		return false
	}
	e.live = s.liveOf(&e.cursor)
	e.list = e.cursor.list()
	return true
}

func (s *segment) open(e *entry, l *list) {
	*l = list{}
	openList(l, e.list[:cap(e.list)], s.length)
}

// liveOf counts the live documents of the term where c stands.
func (s *segment) liveOf(c *cursor) int {
	df, _ := short(s.lists, c.from)
	if s.dead != nil {
		df -= int(s.dead[c.number])
	}
	return df
}

func (s *segment) shift(terms []string, by int) {
	if s.dead == nil {
		s.dead = make([]uint16, s.terms)
	}
	var c cursor
	for _, term := range terms {
		if s.dictionary.find(&c, term) {
			s.dead[c.number] = uint16(int(s.dead[c.number]) + by)
		}
	}
}

// place finds a version of a memory.
func (s *segment) place(id int64, version uint32) (uint16, bool) {
	from, to := s.versions(id)
	for d := from; d < to; d++ {
		if s.version[d] == version {
			return uint16(d), true
		}
	}
	return 0, false
}

// versions gives the range of documents that are versions of a memory.
func (s *segment) versions(id int64) (from, to int) {
	if id < s.minID() || id > s.maxID() {
		return 0, 0
	}
	from, ok := slices.BinarySearch(s.id, id)
	if !ok {
		return 0, 0
	}
	to = from + 1
	for to < len(s.id) && s.id[to] == id {
		to++
	}
	return from, to
}

// openPostings checks data wholly and takes it as the segment's postings; the
// columns must be there.
func (s *segment) openPostings(data []byte) error {
	if len(data) < postingsHeader+padding || binary.LittleEndian.Uint32(data) != postingsMagic {
		return fmt.Errorf("%w: no postings of a known form", ErrDamaged)
	}
	n := int(binary.LittleEndian.Uint32(data[4:]))
	terms := int(binary.LittleEndian.Uint32(data[8:]))
	text := int(binary.LittleEndian.Uint32(data[12:]))
	if n != s.len() {
		return fmt.Errorf("%w: postings of %d documents beside columns of %d", ErrDamaged, n, s.len())
	}
	rest := len(data) - postingsHeader - padding
	if terms > rest || 8*(terms/groupLen+2)+text > rest {
		return fmt.Errorf("%w: %d terms do not fit", ErrDamaged, terms)
	}
	s.lay(data, terms, text)
	if err := s.dictionary.verify(); err != nil {
		return err
	}
	var (
		b block
		c cursor
	)
	for s.begin(&c, 0); c.next(); {
		if err := verifyList(c.list(), n, &b); err != nil {
			return fmt.Errorf("%w: term %d: %w", ErrDamaged, c.number, err)
		}
	}
	return nil
}

// lay finds the parts of the postings in data.
func (s *segment) lay(data []byte, terms, text int) {
	s.postings, s.terms = data, terms
	data = data[postingsHeader:]
	heads := 8 * (s.groups() + 1)
	s.heads, data = data[:heads], data[heads:]
	s.text, data = data[:text], data[text:]
	s.lists = data[:len(data)-padding]
}
