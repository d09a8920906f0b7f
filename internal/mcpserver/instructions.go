package mcpserver

import (
	"slices"
	"strings"
)

// instructions tell an agent what the memory is for and when to use it: under
// 2 KB, the most important first, for clients cut there. Lines about tools
// that are not offered are left out.
func (s *Server) instructions() string {
	var b strings.Builder
	b.WriteString("Engram is the memory that stays between sessions and is shared by every agent on this machine: " +
		"what was decided, fixed, found out and preferred, by project.\n")
	for _, line := range guidance {
		if slices.ContainsFunc(s.tools, func(t tool) bool { return t.name == line.tool }) {
			b.WriteString("\n" + line.text)
		}
	}
	return b.String()
}

var guidance = []struct{ tool, text string }{
	{"mem_context", "At the start, and after a compaction: mem_context shows what is known about the project."},
	{"mem_search", "Before you ask the user or start work that may have been done before: mem_search with plain words or a question. " +
		"It answers with ids and snippets, or says that there is no answer; do not invent one then."},
	{"mem_timeline", "mem_timeline shows what was saved around a hit."},
	{"mem_get_observation", "mem_get_observation gives a memory's full text by id. Read in full only what you need: search, look around, then get."},
	{"mem_save", "Save with mem_save as soon as something is worth knowing next time, without being asked: a decision and why, a bug's cause and fix, " +
		"a convention, a configuration, a gotcha, a preference of the user. One subject a memory; a title that can be found; " +
		"content as what, why, where, learned. Scope personal is for the user alone, global is for all projects. " +
		"Wrap what must not be stored in <private> tags."},
	{"mem_suggest_topic_key", "For a subject that goes on changing use a topic_key (mem_suggest_topic_key proposes one): saving again updates the memory and keeps its history."},
	{"mem_update", "Correct a wrong memory with mem_update rather than adding a second one."},
	{"mem_session_summary", "Before you finish, and before a compaction: mem_session_summary with Goal, Instructions, Discoveries, Accomplished, Next steps, Relevant files."},
}
