package keyword

import "slices"

// matcher is a filter made ready for looking at many documents. It belongs to
// one search.
type matcher struct {
	f       *Filter
	names   *names
	mask    uint8 // these flags …
	want    uint8 // … must be so
	session uint32
	never   bool    // nothing can match
	verdict []uint8 // of each class: not asked yet, yes, no
	simple  bool    // class and flags say it all
}

const (
	unasked = iota
	yes
	no
)

func (m *matcher) prepare(f *Filter, n *names) {
	*m = matcher{f: f, names: n, mask: flagGone, verdict: m.verdict[:0]}
	m.verdict = slices.Grow(m.verdict, len(n.classes))[:len(n.classes)]
	clear(m.verdict)
	if !f.AsOf.Set {
		m.mask |= flagClosed
	}
	if f.Deleted != WithDeleted {
		m.mask |= flagDeleted
	}
	if f.Deleted == OnlyDeleted {
		m.want |= flagDeleted
	}
	if f.Pinned {
		m.mask |= flagPinned
		m.want |= flagPinned
	}
	if f.OpenTasks {
		m.mask |= flagOpenTask
		m.want |= flagOpenTask
	}
	if f.Session != "" {
		m.session = n.sessionOf[sessionKey{f.Workspace, f.Session}]
		m.never = m.session == 0
	}
	m.simple = !f.AsOf.Set && !f.Since.Set && !f.Until.Set && m.session == 0
}

// end lets go of what the filter and the index hold.
func (m *matcher) end() { m.f, m.names = nil, nil }

func (m *matcher) passes(c *columns, d uint16) bool {
	if c.flags[d]&m.mask != m.want {
		return false
	}
	k := c.class[d]
	if m.verdict[k] == unasked {
		m.verdict[k] = no
		if m.classPasses(&m.names.classes[k]) {
			m.verdict[k] = yes
		}
	}
	return m.verdict[k] == yes && (m.simple || m.timesPass(c, d))
}

func (m *matcher) classPasses(c *class) bool {
	f := m.f
	if c.workspace != f.Workspace {
		return false
	}
	if len(f.Projects) > 0 && !slices.Contains(f.Projects, c.project) && (!f.Global || c.scope != scopeGlobal) {
		return false
	}
	return passes(f.Scopes, c.scope) && passes(f.Types, c.typ) && passes(f.Kinds, c.kind) &&
		!slices.Contains(f.NotTypes, c.typ)
}

// scopeGlobal is the scope that is found from every project.
const scopeGlobal = "global"

func passes(allowed []string, v string) bool {
	return len(allowed) == 0 || slices.Contains(allowed, v)
}

func (m *matcher) timesPass(c *columns, d uint16) bool {
	f := m.f
	if m.session != 0 && c.session[d] != m.session ||
		f.Since.Set && c.occurred[d] < f.Since.At ||
		f.Until.Set && c.occurred[d] >= f.Until.At {
		return false
	}
	return !f.AsOf.Set || m.knownThen(c, d)
}

// knownThen reports whether a version was what was known at AsOf.
func (m *matcher) knownThen(c *columns, d uint16) bool {
	at := m.f.AsOf.At
	if c.recorded[d] > at || c.created[d] > at {
		return false
	}
	return c.flags[d]&flagInvalidated == 0 || c.invalidated[d] > at
}
