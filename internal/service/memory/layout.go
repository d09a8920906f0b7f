package memory

import (
	"fmt"
	"strings"

	"engram"
	"engram/internal/text"
)

// sectionKind is a part of a context, in the order of reading.
type sectionKind int

const (
	pinnedSection sectionKind = iota
	taskSection
	summarySection
	relevantSection
	recentSection
	promptSection
)

// sectionForm is how a section looks, and which share of the budget its titles
// may take before every other section had its turn.
var sectionForm = map[sectionKind]struct {
	heading string
	percent int
}{
	pinnedSection:   {"Pinned", 35},
	taskSection:     {"Open tasks", 15},
	summarySection:  {"Recent sessions", 15},
	relevantSection: {"Relevant", 20},
	recentSection:   {"Recent memories", 60},
	promptSection:   {"Recent prompts", 10},
}

// section is a heading with its entries.
type section struct {
	kind    sectionKind
	entries []*entry
	bytes   int // taken so far, the heading included
	shown   int
}

func (s *section) heading() string { return "\n## " + sectionForm[s.kind].heading + "\n" }

// entry is one line: what it is, and as much of its text as there is room for.
type entry struct {
	memory bool
	head   string // "- #12 decision, 2d ago: **Title**"
	body   string // the text on one line, "" = the head says it all
	taken  bool
	shown  string // of body
}

func (e *entry) line() string {
	if e.shown == "" {
		return e.head + "\n"
	}
	return e.head + " — " + e.shown + "\n"
}

const (
	maxHead = 160  // bytes of a title in a context
	maxKind = 40   // bytes of a type or a speaker
	maxBody = 8192 // bytes of a text that are looked at
	minBody = 24   // bytes of a text that is cut: less tells nothing
)

func memoryEntry(m *engram.Memory, age string, project bool) *entry {
	title := oneLine(m.Title, maxHead)
	body := oneLine(m.Content, maxBody)
	body = afterTitle(title, body)
	where, from := "", ""
	if project && m.Project != "" {
		where = " in " + oneLine(m.Project, 60)
	}
	if m.Trust < engram.TrustOf(engram.OriginAgent) {
		from = ", from " + string(m.Origin)
	}
	return &entry{
		memory: true,
		head:   fmt.Sprintf("- #%d %s%s, %s%s: **%s**", m.ID, oneLine(kindOf(m), maxKind), where, age, from, title),
		body:   body,
	}
}

// afterTitle is body without the title that it begins with, whole words and
// with what ends them: a title made from the text's beginning says it already.
func afterTitle(title, body string) string {
	begin := strings.TrimRight(title, "….: ")
	rest, ok := strings.CutPrefix(body, begin)
	if !ok || begin == "" {
		return body
	}
	if after := strings.TrimLeft(rest, ".:…"); after == "" || after[0] == ' ' {
		return strings.TrimSpace(after)
	}
	return body
}

func sessionEntry(s *engram.Session, age string) *entry {
	body := oneLine(s.Summary, maxBody)
	title := oneLine(s.Summary, 80)
	return &entry{
		head: fmt.Sprintf("- session %s, %s: **%s**", oneLine(s.ID, 60), age, title),
		body: strings.TrimSpace(strings.TrimPrefix(body, strings.TrimRight(title, "…"))),
	}
}

func promptEntry(p *engram.Prompt, age string) *entry {
	body := oneLine(p.Content, maxBody)
	title := oneLine(p.Content, 100)
	return &entry{
		head: fmt.Sprintf("- %s: %s", age, title),
		body: strings.TrimSpace(strings.TrimPrefix(body, strings.TrimRight(title, "…"))),
	}
}

// fences would open or close a block of code over what follows.
var fences = strings.NewReplacer("```", " ", "~~~", " ")

// oneLine is the beginning of a text on one line of at most limit bytes,
// without what would break the list that it stands in.
func oneLine(s string, limit int) string {
	if len(s) > 8*limit {
		s = strings.ToValidUTF8(s[:8*limit], "")
	}
	s = strings.Join(strings.Fields(fences.Replace(s)), " ")
	s, _ = text.SnippetBytes(s, limit)
	return s
}

// layOut writes sections into r within the budget: titles first, every section
// up to its share, then whatever fits; then bodies, a little of each before
// more of any.
func layOut(r *ContextResult, sections []*section, total int, in ContextInput) {
	head := "# Memory"
	if r.Project != "" {
		head += ": " + oneLine(r.Project, 80)
	}
	head += "\n"
	b := &budget{left: in.MaxBytes - len(head) - len(footer(total))}
	for _, shared := range []bool{true, false} {
		for _, s := range sections {
			b.titles(s, shared, in.MaxBytes)
		}
	}
	if !in.Compact {
		for _, size := range []int{120, 320, 900, maxBody} {
			for _, s := range sections {
				b.bodies(s, size)
			}
		}
	}
	count(r, sections)
	if r.Pinned+r.Tasks+r.Sessions+r.Memories+r.Prompts == 0 {
		return
	}
	var out strings.Builder
	out.WriteString(head)
	for _, s := range sections {
		if s.shown == 0 {
			continue
		}
		out.WriteString(s.heading())
		for _, e := range s.entries {
			if e.taken {
				out.WriteString(e.line())
			}
		}
	}
	r.Left = max(0, total-memoriesIn(sections))
	out.WriteString(footer(r.Left))
	r.Text = out.String()
}

// footer says how to get at the rest.
func footer(left int) string {
	if left == 0 {
		return "\nMore: mem_search finds, mem_get_observation gives the whole text.\n"
	}
	return fmt.Sprintf("\n%d more: mem_search finds, mem_get_observation gives the whole text.\n", left)
}

// budget is how many bytes may still be written.
type budget struct{ left int }

// titles takes entries of s in their order while they fit, with shared only up
// to the section's share of size.
func (b *budget) titles(s *section, shared bool, size int) {
	for _, e := range s.entries {
		if e.taken {
			continue
		}
		cost := len(e.line())
		if s.shown == 0 {
			cost += len(s.heading())
		}
		if cost > b.left {
			return
		}
		if shared && s.bytes+cost > size*sectionForm[s.kind].percent/100 {
			return
		}
		e.taken = true
		s.shown++
		s.bytes += cost
		b.left -= cost
	}
}

// bodies shows up to limit bytes of each taken entry's text.
func (b *budget) bodies(s *section, limit int) {
	for _, e := range s.entries {
		if !e.taken || len(e.shown) >= min(limit, len(e.body)) {
			continue
		}
		before := len(e.line())
		room := b.left + len(e.shown)
		if e.shown == "" {
			room -= len(" — ")
		}
		shown, cut := text.SnippetBytes(e.body, min(limit, room))
		if len(shown) <= len(e.shown) || (cut && len(shown) < minBody) {
			continue
		}
		e.shown = shown
		b.left -= len(e.line()) - before
	}
}

// count says how many of each section are shown.
func count(r *ContextResult, sections []*section) {
	for _, s := range sections {
		switch s.kind {
		case pinnedSection:
			r.Pinned = s.shown
		case taskSection:
			r.Tasks = s.shown
		case summarySection:
			r.Sessions = s.shown
		case relevantSection, recentSection:
			r.Memories += s.shown
		case promptSection:
			r.Prompts = s.shown
		}
	}
}

// memoriesIn counts the shown entries that are memories.
func memoriesIn(sections []*section) int {
	n := 0
	for _, s := range sections {
		for _, e := range s.entries {
			if e.taken && e.memory {
				n++
			}
		}
	}
	return n
}
