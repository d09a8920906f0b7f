package keyword

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"

	"engram/internal/vector"
)

// Errors of stored segments that cannot be used. Their documents must be read
// from the rows again.
var (
	ErrDamaged  = errors.New("keyword segment is damaged")
	ErrAnalysis = errors.New("keyword segment was analysed by other rules")
)

// Stored is a segment as bytes.
type Stored struct {
	ID           int64 // the engine's number of it
	MinID, MaxID int64 // of its memories
	Docs         int
	Columns      []byte
	Postings     []byte
	Checksum     int64  // of Columns and Postings
	Vectors      []byte // and tokens, with checksums of their own
}

const columnsMagic = 0x32434b45 // "EKC2"

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(columns, postings []byte) int64 {
	return int64(uint64(crc32.Checksum(columns, castagnoli))<<32 | uint64(crc32.Checksum(postings, castagnoli)))
}

// encode gives the segment as bytes. analysis is the version of the rules that
// its terms were made by.
func (s *segment) encode(n *names, analysis int) *Stored {
	st := s.encodeChanged(n, analysis)
	st.Vectors = s.tokens.Encode(s.vectors.Encode(nil))
	return st
}

// encodeChanged is without vectors and tokens, which never change.
func (s *segment) encodeChanged(n *names, analysis int) *Stored {
	c := s.encodeColumns(n, analysis)
	return &Stored{
		ID: s.stored, MinID: s.minID(), MaxID: s.maxID(), Docs: s.len(),
		Columns: c, Postings: s.postings, Checksum: checksum(c, s.postings),
	}
}

func (s *segment) encodeColumns(n *names, analysis int) []byte {
	w := make(columnWriter, 0, 32*s.len())
	w = binary.LittleEndian.AppendUint32(w, columnsMagic)
	w.uint(uint64(analysis))
	w.uint(uint64(s.len()))
	classes := w.table(s.class, func(i uint32) []string {
		c := n.classes[i]
		return []string{c.workspace, c.project, c.typ, c.scope, c.kind}
	})
	sessions := w.table(s.session, func(i uint32) []string {
		return []string{n.sessions[i].workspace, n.sessions[i].id}
	})
	speakers := w.table(s.speaker, func(i uint32) []string { return []string{n.speakers[i]} })
	var last, occurred, recorded int64
	for d := range s.id {
		w.int(s.id[d] - last)
		w.uint(uint64(s.version[d]))
		w.uint(uint64(classes[s.class[d]]))
		w.uint(uint64(sessions[s.session[d]]))
		w.uint(uint64(speakers[s.speaker[d]]))
		w.uint(uint64(s.length[d]))
		w.uint(uint64(s.traits[d]))
		w = append(w, s.flags[d])
		w.int(s.occurred[d] - occurred)
		w.int(s.recorded[d] - recorded)
		w.int(s.created[d] - s.recorded[d])
		last, occurred, recorded = s.id[d], s.occurred[d], s.recorded[d]
		if s.flags[d]&flagInvalidated != 0 {
			w.int(s.invalidated[uint16(d)] - s.recorded[d])
		}
		if s.flags[d]&flagDeleted != 0 {
			w.int(s.deleted[uint16(d)] - s.recorded[d])
		}
	}
	w.dead(s.dead)
	return w
}

type columnWriter []byte

func (w *columnWriter) uint(v uint64) { *w = binary.AppendUvarint(*w, v) }

func (w *columnWriter) int(v int64) { *w = binary.AppendVarint(*w, v) }

// table writes the texts of the numbers that values hold, and gives each its
// place in the table.
func (w *columnWriter) table(values []uint32, texts func(uint32) []string) map[uint32]int {
	place := map[uint32]int{}
	var order []uint32
	for _, v := range values {
		if _, ok := place[v]; !ok {
			place[v] = len(order)
			order = append(order, v)
		}
	}
	w.uint(uint64(len(order)))
	for _, v := range order {
		for _, s := range texts(v) {
			w.uint(uint64(len(s)))
			*w = append(*w, s...)
		}
	}
	return place
}

// dead writes the counts that are not 0, by term.
func (w *columnWriter) dead(counts []uint16) {
	n := 0
	for _, c := range counts {
		if c > 0 {
			n++
		}
	}
	w.uint(uint64(n))
	last := 0
	for i, c := range counts {
		if c > 0 {
			w.uint(uint64(i - last))
			w.uint(uint64(c))
			last = i
		}
	}
}

// decode reads a segment and checks all of it, so that what comes after may
// trust its bytes. It keeps st.Postings and st.Vectors.
func decode(st *Stored, n *names, rules Rules) (*segment, error) {
	if checksum(st.Columns, st.Postings) != st.Checksum {
		return nil, fmt.Errorf("%w: the checksum differs", ErrDamaged)
	}
	r := &columnReader{data: st.Columns}
	if len(r.data) < 4 || binary.LittleEndian.Uint32(r.data) != columnsMagic {
		return nil, fmt.Errorf("%w: no columns of a known form", ErrDamaged)
	}
	r.data = r.data[4:]
	if have := r.uint(); have != uint64(rules.Analysis) {
		return nil, fmt.Errorf("%w: version %d, not %d", ErrAnalysis, have, rules.Analysis)
	}
	s := &segment{stored: st.ID}
	s.readColumns(r, n)
	if r.bad || s.len() != st.Docs {
		return nil, fmt.Errorf("%w: columns of %d documents, not %d", ErrDamaged, s.len(), st.Docs)
	}
	if err := s.openPostings(slices.Clip(st.Postings)); err != nil {
		return nil, err
	}
	s.readDead(r)
	if r.bad || len(r.data) != 0 {
		return nil, fmt.Errorf("%w: columns end wrongly", ErrDamaged)
	}
	if err := s.openVectors(st.Vectors, rules.Space); err != nil {
		return nil, err
	}
	s.sortTurns()
	return s, nil
}

// openVectors checks data wholly and takes it as the segment's vectors and tokens;
// the columns must be there.
func (s *segment) openVectors(data []byte, space vector.Space) (err error) {
	var rest []byte
	if s.vectors, rest, err = vector.DecodeBlock(data, space); err == nil {
		s.tokens, rest, err = vector.DecodeTokens(rest)
	}
	switch {
	case errors.Is(err, vector.ErrSpace):
		return fmt.Errorf("%w: %w", ErrAnalysis, err)
	case err != nil:
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	case s.vectors.Len() != s.len() || s.tokens.Len() != s.len() || len(rest) > 0:
		return fmt.Errorf("%w: %d vectors, tokens of %d texts and %d bytes more beside columns of %d documents",
			ErrDamaged, s.vectors.Len(), s.tokens.Len(), len(rest), s.len())
	}
	return nil
}

type columnReader struct {
	data []byte
	bad  bool
}

func (r *columnReader) uint() uint64 {
	v, k := binary.Uvarint(r.data)
	if k <= 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[k:]
	return v
}

func (r *columnReader) int() int64 {
	v, k := binary.Varint(r.data)
	if k <= 0 {
		r.bad, r.data = true, nil
		return 0
	}
	r.data = r.data[k:]
	return v
}

func (r *columnReader) uint32() uint32 {
	v := r.uint()
	if v > 1<<32-1 {
		r.bad = true
	}
	return uint32(v)
}

// below reads a number less than n.
func (r *columnReader) below(n int) int {
	v := r.uint()
	if v >= uint64(n) {
		r.bad = true
		return 0
	}
	return int(v)
}

func (r *columnReader) byte() uint8 {
	if len(r.data) == 0 {
		r.bad = true
		return 0
	}
	v := r.data[0]
	r.data = r.data[1:]
	return v
}

func (r *columnReader) string() string {
	n := r.below(len(r.data) + 1)
	if n > len(r.data) {
		r.bad = true
		return ""
	}
	s := string(r.data[:n])
	r.data = r.data[n:]
	return s
}

// table reads a table of texts, so many a row, and gives what number makes of
// each row.
func (r *columnReader) table(width int, number func([]string) uint32) []uint32 {
	n := r.below(maxDocs + 1)
	out := make([]uint32, 0, n)
	row := make([]string, width)
	for i := 0; i < n && !r.bad; i++ {
		for j := range row {
			row[j] = r.string()
		}
		if !r.bad {
			out = append(out, number(row))
		}
	}
	return out
}

func (s *segment) readColumns(r *columnReader, n *names) {
	docs := r.below(maxDocs + 1)
	classes := r.table(5, func(t []string) uint32 {
		return n.classNumber(class{t[0], t[1], t[2], t[3], t[4]})
	})
	sessions := r.table(2, func(t []string) uint32 { return n.sessionNumber(t[0], t[1]) })
	speakers := r.table(1, func(t []string) uint32 { return n.speakerNumber(t[0]) })
	if r.bad || docs == 0 || len(classes) == 0 || len(sessions) == 0 || len(speakers) == 0 {
		r.bad = true
		return
	}
	s.reserve(docs)
	var last, occurred, recorded int64
	for range docs {
		if r.bad {
			return
		}
		d := s.grow()
		last += r.int()
		occurred += s.readDocument(r, d, last, classes, sessions, speakers)
		s.occurred[d] = occurred
		recorded += r.int()
		s.recorded[d] = recorded
		s.created[d] = recorded + r.int()
		if s.flags[d]&flagInvalidated != 0 {
			s.invalidated = setRare(s.invalidated, d, recorded+r.int())
		}
		if s.flags[d]&flagDeleted != 0 {
			s.deleted = setRare(s.deleted, d, recorded+r.int())
		}
		if d > 0 && s.compareDocs(d-1, d) >= 0 {
			r.bad = true
		}
	}
}

// readDocument reads the first fields of a document, and gives the step of its
// time.
func (s *segment) readDocument(r *columnReader, d uint16, id int64, classes, sessions, speakers []uint32) int64 {
	s.id[d] = id
	s.version[d] = r.uint32()
	s.class[d] = classes[r.below(len(classes))]
	s.session[d] = sessions[r.below(len(sessions))]
	s.speaker[d] = speakers[r.below(len(speakers))]
	s.length[d] = r.uint32()
	s.traits[d] = uint16(r.below(1 << 16))
	s.flags[d] = r.byte() &^ flagGone
	return r.int()
}

func (s *segment) readDead(r *columnReader) {
	n := r.below(s.terms + 1)
	if n == 0 {
		return
	}
	s.dead = make([]uint16, s.terms)
	at := 0
	for i := 0; i < n && !r.bad; i++ {
		at += r.below(s.terms)
		if at >= s.terms {
			r.bad = true
			return
		}
		s.dead[at] = uint16(r.below(s.len() + 1))
	}
}
