package mcpserver

import (
	"slices"
	"strings"

	"engram"
)

// catalogue is every tool there is, by name.
func catalogue() []tool {
	tools := []tool{
		saveTool(), searchTool(), contextTool(), summaryTool(), startTool(), endTool(), getTool(),
		suggestTool(), captureTool(), promptTool(), updateTool(), deleteTool(), statsTool(), timelineTool(), explainTool(),
	}
	slices.SortFunc(tools, func(a, b tool) int { return strings.Compare(a.name, b.name) })
	return tools
}

// profiles are names for several tools.
var profiles = []struct {
	name string
	has  func(t *tool) bool
}{
	{"all", func(*tool) bool { return true }},
	{"agent", func(t *tool) bool { return !t.admin && !t.brain }},
	{"admin", func(t *tool) bool { return t.admin }},
	{"brain", func(t *tool) bool { return t.brain }},
}

// selectTools picks what a comma list of profiles and tool names stands for;
// "" is all. Case and dots for underscores do not matter. A name that stands
// for nothing is an error that says which do.
func selectTools(tools []tool, selection string) ([]tool, error) {
	wanted := splitList(selection)
	if len(wanted) == 0 {
		if strings.TrimSpace(selection) != "" {
			return nil, noSuchTools(tools, selection)
		}
		wanted = []string{"all"}
	}
	chosen := make([]bool, len(tools))
	for _, name := range wanted {
		if !choose(tools, chosen, canonical(name)) {
			return nil, noSuchTools(tools, name)
		}
	}
	var out []tool
	for i := range tools {
		if chosen[i] {
			out = append(out, tools[i])
		}
	}
	return out, nil
}

func choose(tools []tool, chosen []bool, name string) (found bool) {
	has := func(t *tool) bool { return t.name == name }
	for _, p := range profiles {
		if p.name == name {
			has = p.has
		}
	}
	for i := range tools {
		if has(&tools[i]) {
			chosen[i], found = true, true
		}
	}
	return found
}

func noSuchTools(tools []tool, name string) error {
	names := make([]string, 0, len(profiles)+len(tools))
	for _, p := range profiles {
		names = append(names, p.name)
	}
	for i := range tools {
		names = append(names, tools[i].name)
	}
	return engram.Errorf(engram.ErrInvalid, "there is no tool or profile %q", name).
		WithCode("unknown_tools").WithHint("choose from %s", strings.Join(names, ", "))
}

// canonical is a tool's name as it is registered: some clients write mem.save.
func canonical(name string) string {
	return strings.ReplaceAll(strings.ToLower(strings.TrimSpace(name)), ".", "_")
}
