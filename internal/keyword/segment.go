package keyword

import (
	"encoding/binary"
	"fmt"
	"slices"
	"sort"
)

// segment is an immutable set of postings, with columns that may change.
// Documents are ordered by id and version.
//
// postings, little endian: magic, number of documents, number of terms, bytes
// of all terms; where each term begins (one more for the end); where each
// term's list begins (one more for the end); the terms, sorted; the lists;
// padding.
type segment struct {
	columns
	postings []byte // all of it
	terms    int
	termOff  []byte
	listOff  []byte
	text     []byte
	lists    []byte

	dead []uint16 // documents of each term that are not live; nil = none

	stored int64 // number in the engine's store, 0 = not there
	dirty  bool  // its columns are not as stored
}

const (
	postingsMagic  = 0x31504b45 // "EKP1"
	postingsHeader = 16
)

func (s *segment) cols() *columns { return &s.columns }

func (s *segment) minID() int64 { return s.id[0] }

func (s *segment) maxID() int64 { return s.id[len(s.id)-1] }

func offset(table []byte, i int) int { return int(binary.LittleEndian.Uint32(table[4*i:])) }

func (s *segment) term(i int) []byte {
	return s.text[offset(s.termOff, i):offset(s.termOff, i+1)]
}

// list gives the bytes of a term's postings, and what follows them.
func (s *segment) list(i int) []byte {
	from, to := offset(s.listOff, i), offset(s.listOff, i+1)
	return s.lists[from:to:cap(s.lists)]
}

// search gives the place of the first term that is not before the given one.
func (s *segment) search(term string) int {
	return sort.Search(s.terms, func(i int) bool { return string(s.term(i)) >= term })
}

func (s *segment) find(term string) (int, bool) {
	i := s.search(term)
	return i, i < s.terms && string(s.term(i)) == term
}

func (s *segment) open(term string, l *list) bool {
	i, ok := s.find(term)
	if !ok {
		return false
	}
	*l = list{}
	data := s.list(i)
	openList(l, data[:cap(data)], s.length)
	return true
}

func (s *segment) shift(terms []string, by int) {
	if s.dead == nil {
		s.dead = make([]uint16, s.terms)
	}
	for _, term := range terms {
		if i, ok := s.find(term); ok {
			s.dead[i] = uint16(int(s.dead[i]) + by)
		}
	}
}

func (s *segment) liveDF(term string) int {
	if i, ok := s.find(term); ok {
		return s.liveOf(i)
	}
	return 0
}

// liveOf is the number of live documents of term number i.
func (s *segment) liveOf(i int) int {
	df, _ := binary.Uvarint(s.list(i))
	if s.dead != nil {
		return int(df) - int(s.dead[i])
	}
	return int(df)
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
	if terms > rest/8 || 8*(terms+1)+text > rest {
		return fmt.Errorf("%w: %d terms do not fit", ErrDamaged, terms)
	}
	s.postings, s.terms = data, terms
	data = data[postingsHeader:]
	s.termOff, data = data[:4*(terms+1)], data[4*(terms+1):]
	s.listOff, data = data[:4*(terms+1)], data[4*(terms+1):]
	s.text, data = data[:text], data[text:]
	s.lists = data[:len(data)-padding]
	return s.verify()
}

// verify walks through all terms and postings.
func (s *segment) verify() error {
	if offset(s.termOff, 0) != 0 || offset(s.termOff, s.terms) != len(s.text) ||
		offset(s.listOff, 0) != 0 || offset(s.listOff, s.terms) != len(s.lists) {
		return fmt.Errorf("%w: the dictionary has gaps", ErrDamaged)
	}
	for i := range s.terms {
		if offset(s.termOff, i) > offset(s.termOff, i+1) || offset(s.listOff, i) > offset(s.listOff, i+1) ||
			offset(s.termOff, i+1) > len(s.text) || offset(s.listOff, i+1) > len(s.lists) {
			return fmt.Errorf("%w: term %d is out of bounds", ErrDamaged, i)
		}
		if i > 0 && string(s.term(i-1)) >= string(s.term(i)) {
			return fmt.Errorf("%w: term %d is out of order", ErrDamaged, i)
		}
	}
	var b block
	for i := range s.terms {
		if _, err := verifyList(s.list(i), s.len(), &b); err != nil {
			return fmt.Errorf("%w: term %d: %w", ErrDamaged, i, err)
		}
	}
	return nil
}

// postingsOf counts the postings of some documents, which ascend.
func (s *segment) postingsOf(docs []uint16) int {
	var (
		l   list
		b   block
		out = make([]uint16, len(docs))
		all int
	)
	for i := range s.terms {
		l = list{}
		data := s.list(i)
		openList(&l, data[:cap(data)], s.length)
		l.frequencies(docs, out, &b)
		for _, tf := range out {
			if tf > 0 {
				all++
			}
		}
	}
	return all
}
