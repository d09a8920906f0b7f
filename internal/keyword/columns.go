package keyword

import (
	"cmp"
	"slices"
	"sort"

	"engram/internal/vector"
)

// Flags of a document.
const (
	flagClosed      = 1 << iota
	flagDeleted     // DeletedAt is set
	flagInvalidated // InvalidatedAt is set
	flagPinned
	flagTurn
	flagOpenTask
	flagGone // erased; its place goes when the part is rewritten
	flagAssistant
)

// notLive are the flags of documents that do not count in DF and Docs.
const notLive = flagClosed | flagDeleted | flagGone

// columns are the documents of one part, by their number in it. Invalidated
// and deleted are rare and therefore kept apart.
type columns struct {
	id          []int64
	version     []uint32
	class       []uint32
	session     []uint32 // 0 = none
	speaker     []uint32 // 0 = nobody
	length      []uint32
	flags       []uint8
	occurred    []int64
	recorded    []int64
	created     []int64
	invalidated map[uint16]int64
	deleted     map[uint16]int64
	turns       []uint16 // documents that are turns of a session, by session, occurred, id

	// What is made of a text, like its terms, and never changes.
	traits  []uint16
	vectors *vector.Block
	tokens  *vector.Tokens
}

// class is what many documents have in common, so that a filter looks at it
// once.
type class struct {
	workspace, project, typ, scope, kind string
}

type sessionKey struct {
	workspace, id string
}

// names gives small numbers to classes and sessions.
type names struct {
	classes    []class
	classOf    map[class]uint32
	sessions   []sessionKey // [0] stands for none
	sessionOf  map[sessionKey]uint32
	speakers   []string // [0] stands for nobody
	speakerOf  map[string]uint32
	classNames map[string]string // so that equal names share their bytes
}

func newNames() *names {
	return &names{
		classOf:    map[class]uint32{},
		sessions:   make([]sessionKey, 1),
		sessionOf:  map[sessionKey]uint32{},
		speakers:   make([]string, 1),
		speakerOf:  map[string]uint32{"": 0},
		classNames: map[string]string{},
	}
}

func (n *names) name(s string) string {
	if have, ok := n.classNames[s]; ok {
		return have
	}
	n.classNames[s] = s
	return s
}

func (n *names) classNumber(c class) uint32 {
	if i, ok := n.classOf[c]; ok {
		return i
	}
	c = class{n.name(c.workspace), n.name(c.project), n.name(c.typ), n.name(c.scope), n.name(c.kind)}
	i := uint32(len(n.classes))
	n.classes = append(n.classes, c)
	n.classOf[c] = i
	return i
}

func (n *names) sessionNumber(workspace, id string) uint32 {
	if id == "" {
		return 0
	}
	k := sessionKey{n.name(workspace), id}
	if i, ok := n.sessionOf[k]; ok {
		return i
	}
	i := uint32(len(n.sessions))
	n.sessions = append(n.sessions, k)
	n.sessionOf[k] = i
	return i
}

func (n *names) speakerNumber(name string) uint32 {
	if i, ok := n.speakerOf[name]; ok {
		return i
	}
	i := uint32(len(n.speakers))
	n.speakers = append(n.speakers, name)
	n.speakerOf[name] = i
	return i
}

func newColumns(s vector.Space) columns {
	return columns{vectors: vector.NewBlock(s), tokens: &vector.Tokens{}}
}

func (c *columns) len() int { return len(c.id) }

func (c *columns) live(d uint16) bool { return c.flags[d]&notLive == 0 }

// grow makes room for one more document and gives its number. Its vector and
// tokens are still to be appended.
func (c *columns) grow() uint16 {
	d := uint16(len(c.id))
	c.id = append(c.id, 0)
	c.version = append(c.version, 0)
	c.class = append(c.class, 0)
	c.session = append(c.session, 0)
	c.speaker = append(c.speaker, 0)
	c.length = append(c.length, 0)
	c.traits = append(c.traits, 0)
	c.flags = append(c.flags, 0)
	c.occurred = append(c.occurred, 0)
	c.recorded = append(c.recorded, 0)
	c.created = append(c.created, 0)
	return d
}

// set writes all of m. The order of turns is the caller's affair.
func (c *columns) set(d uint16, m *Meta, n *names) {
	c.id[d] = m.ID
	c.version[d] = uint32(m.Version)
	c.class[d] = n.classNumber(class{m.Workspace, m.Project, m.Type, m.Scope, m.Kind})
	c.session[d] = n.sessionNumber(m.Workspace, m.Session)
	c.speaker[d] = n.speakerNumber(m.Speaker)
	c.occurred[d] = m.OccurredAt
	c.recorded[d] = m.RecordedAt
	c.created[d] = m.CreatedAt
	c.flags[d] = flagsOf(m)
	c.invalidated = setRare(c.invalidated, d, m.InvalidatedAt)
	c.deleted = setRare(c.deleted, d, m.DeletedAt)
}

func setRare(m map[uint16]int64, d uint16, v int64) map[uint16]int64 {
	if v == 0 {
		delete(m, d)
		return m
	}
	if m == nil {
		m = map[uint16]int64{}
	}
	m[d] = v
	return m
}

func flagsOf(m *Meta) uint8 {
	var f uint8
	for _, x := range []struct {
		on   bool
		flag uint8
	}{
		{m.Closed, flagClosed},
		{m.InvalidatedAt != 0, flagInvalidated},
		{m.DeletedAt != 0, flagDeleted},
		{m.Pinned, flagPinned},
		{m.Turn, flagTurn},
		{m.OpenTask, flagOpenTask},
		{m.Assistant, flagAssistant},
	} {
		if x.on {
			f |= x.flag
		}
	}
	return f
}

// take copies document d of from to a new place.
func (c *columns) take(from *columns, d uint16) {
	to := c.grow()
	c.id[to] = from.id[d]
	c.version[to] = from.version[d]
	c.class[to] = from.class[d]
	c.session[to] = from.session[d]
	c.speaker[to] = from.speaker[d]
	c.length[to] = from.length[d]
	c.traits[to] = from.traits[d]
	c.vectors.Take(from.vectors, int(d))
	c.tokens.Append(from.tokens.Of(int(d)))
	c.flags[to] = from.flags[d]
	c.occurred[to] = from.occurred[d]
	c.recorded[to] = from.recorded[d]
	c.created[to] = from.created[d]
	c.invalidated = setRare(c.invalidated, to, from.invalidated[d])
	c.deleted = setRare(c.deleted, to, from.deleted[d])
}

// isTurn reports whether d has its place in the order of turns.
func (c *columns) isTurn(d uint16) bool {
	return c.flags[d]&flagTurn != 0 && c.flags[d]&flagGone == 0 && c.session[d] != 0
}

// compareTurns orders two documents of this part as turns.
func (c *columns) compareTurns(x, y uint16) int {
	return cmp.Or(
		cmp.Compare(c.session[x], c.session[y]),
		cmp.Compare(c.occurred[x], c.occurred[y]),
		cmp.Compare(c.id[x], c.id[y]),
		cmp.Compare(c.version[x], c.version[y]),
	)
}

// sortTurns builds the order of turns anew.
func (c *columns) sortTurns() {
	turns := c.turns[:0]
	for d := range c.id {
		if c.isTurn(uint16(d)) {
			turns = append(turns, uint16(d))
		}
	}
	if !slices.IsSortedFunc(turns, c.compareTurns) {
		slices.SortFunc(turns, c.compareTurns)
	}
	c.turns = slices.Clip(turns)
}

// insertTurn puts d into the order of turns.
func (c *columns) insertTurn(d uint16) {
	i, _ := slices.BinarySearchFunc(c.turns, d, c.compareTurns)
	c.turns = slices.Insert(c.turns, i, d)
}

// sessionSpan gives the part of turns that belongs to a session.
func (c *columns) sessionSpan(session uint32) []uint16 {
	lo := sort.Search(len(c.turns), func(i int) bool { return c.session[c.turns[i]] >= session })
	n := sort.Search(len(c.turns)-lo, func(i int) bool { return c.session[c.turns[lo+i]] > session })
	return c.turns[lo : lo+n]
}
