package keyword

import (
	"encoding/binary"
	"fmt"
	"sort"
)

// groupLen is how many terms share a head in a dictionary.
const groupLen = 16

// dictionary is the terms of a segment, sorted, in groups: the first of a group
// is whole, the others begin with what they share with the one before. After
// each follows how many bytes its postings have.
//
// heads has for each group, and for the end, where its terms and where its
// postings begin.
type dictionary struct {
	terms int
	heads []byte
	text  []byte
	lists []byte   // the postings; at least padding bytes follow in memory
	keys  []uint64 // of the first term of each group, as keyOf makes them
	looks looks
}

func (d *dictionary) groups() int { return (d.terms + groupLen - 1) / groupLen }

func (d *dictionary) head(group int) (text, list int) {
	h := d.heads[8*group:]
	return int(binary.LittleEndian.Uint32(h)), int(binary.LittleEndian.Uint32(h[4:]))
}

// first is the first term of a group.
func (d *dictionary) first(group int) []byte {
	from, _ := d.head(group)
	n, k := binary.Uvarint(d.text[from:])
	return d.text[from+k : from+k+int(n)]
}

// cursor goes through the terms of a dictionary.
type cursor struct {
	d        *dictionary
	number   int    // of the term
	term     []byte // valid until the next one
	from, to int    // its postings in d.lists
	text     int    // where the next term is
}

// begin stands before the first term of a group.
func (d *dictionary) begin(c *cursor, group int) {
	c.d, c.number = d, group*groupLen-1
	c.text, c.to = d.head(group)
}

func (c *cursor) next() bool {
	if c.number++; c.number >= c.d.terms {
		return false
	}
	rest := c.d.text[c.text:]
	k, shared := 0, 0
	if c.number%groupLen != 0 {
		shared, k = short(rest, 0)
	}
	n, k := short(rest, k)
	c.term = append(c.term[:shared], rest[k:k+n]...)
	size, k := short(rest, k+n)
	c.text += k
	c.from, c.to = c.to, c.to+size
	return true
}

// short reads a varint at a place, mostly of one byte, and gives the place behind.
func short(data []byte, at int) (v, next int) {
	if data[at] < 0x80 {
		return int(data[at]), at + 1
	}
	u, k := binary.Uvarint(data[at:])
	return int(u), at + k
}

// list is the bytes of the postings, and what follows them.
func (c *cursor) list() []byte { return c.d.lists[c.from:c.to:cap(c.d.lists)] }

// keyOf is the first eight bytes of a term as a number: where two of them differ,
// they are in the order of their terms.
func keyOf[T string | []byte](term T) (key uint64) {
	for i := range min(8, len(term)) {
		key |= uint64(term[i]) << (56 - 8*i)
	}
	return key
}

// seek stands at the first term that is not before the given one.
func (d *dictionary) seek(c *cursor, term string) bool {
	key := keyOf(term)
	group := sort.Search(len(d.keys), func(i int) bool {
		return d.keys[i] > key || d.keys[i] == key && string(d.first(i)) > term
	})
	d.begin(c, max(0, group-1))
	for c.next() {
		if string(c.term) >= term {
			return true
		}
	}
	return false
}

// at stands at the term of a number.
func (d *dictionary) at(c *cursor, number int) {
	if c.d != d || c.number > number || c.number/groupLen != number/groupLen {
		d.begin(c, number/groupLen)
	}
	for c.number < number && c.next() {
	}
}

func (d *dictionary) find(c *cursor, term string) bool {
	return d.seek(c, term) && string(c.term) == term
}

// verify checks every term, so that everything else may trust the bytes, and
// notes what it looks like.
func (d *dictionary) verify() error {
	damaged := func(what string, group int) error {
		return fmt.Errorf("%w: %s in group %d of the dictionary", ErrDamaged, what, group)
	}
	var term, last []byte
	text, list := 0, 0
	all := make([]look, 0, d.terms)
	d.keys = make([]uint64, 0, d.groups())
	for g := range d.groups() {
		if t, l := d.head(g); t != text || l != list {
			return damaged("wrong head", g)
		}
		for i := range min(groupLen, d.terms-g*groupLen) {
			r := columnReader{data: d.text[text:]}
			shared := 0
			if i > 0 {
				shared = r.below(len(term) + 1)
			}
			suffix := r.string()
			size := r.below(len(d.lists) - list + 1)
			if r.bad {
				return damaged("bad term", g)
			}
			last = append(last[:0], term...)
			term = append(term[:shared], suffix...)
			if g+i > 0 && string(last) >= string(term) {
				return damaged("wrong order", g)
			}
			all = append(all, lookOf(term))
			if i == 0 {
				d.keys = append(d.keys, keyOf(term))
			}
			text, list = len(d.text)-len(r.data), list+size
		}
	}
	if t, l := d.head(d.groups()); t != text || l != list || text != len(d.text) || list != len(d.lists) {
		return damaged("wrong end", d.groups())
	}
	d.looks = byLength(all)
	return nil
}

// dictionaryWriter takes terms in order with their postings.
type dictionaryWriter struct {
	dictionary
	last string
	all  []look // of the terms
}

func (w *dictionaryWriter) mark() {
	w.heads = binary.LittleEndian.AppendUint32(w.heads, uint32(len(w.text)))
	w.heads = binary.LittleEndian.AppendUint32(w.heads, uint32(len(w.lists)))
}

// add takes a term whose postings write appends.
func (w *dictionaryWriter) add(term string, write func(lists []byte) []byte) {
	shared := 0
	if w.terms%groupLen == 0 {
		w.mark()
		w.keys = append(w.keys, keyOf(term))
	} else {
		for shared < len(term) && shared < len(w.last) && term[shared] == w.last[shared] {
			shared++
		}
		w.text = binary.AppendUvarint(w.text, uint64(shared))
	}
	w.text = binary.AppendUvarint(w.text, uint64(len(term)-shared))
	w.text = append(w.text, term[shared:]...)
	size := len(w.lists)
	w.lists = write(w.lists)
	w.text = binary.AppendUvarint(w.text, uint64(len(w.lists)-size))
	w.terms++
	w.all = append(w.all, lookOf(term))
	w.last = term
}
