package mcpserver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"engram/internal/store"
)

type statsArgs struct {
	Project string `json:"project" doc:"Default: all"`
}

type statsResult struct {
	Memories int      `json:"memories"`
	Sessions int      `json:"sessions"`
	Prompts  int      `json:"prompts"`
	Deleted  int      `json:"deleted"`
	Bytes    int64    `json:"bytes"`
	Types    []count  `json:"types"`
	Projects []string `json:"projects"`
	noted
}

type count struct {
	Name  string `json:"name"`
	Count int    `json:"n"`
}

func statsTool() tool {
	return newTool(tool{
		name: "mem_stats", title: "Memory statistics", admin: true, readOnly: true, idempotent: true,
		description: "How much is stored: memories by type, sessions, prompts, projects.",
	}, (*call).stats)
}

func (c *call) stats(ctx context.Context, in statsArgs) (*statsResult, error) {
	got, err := c.Stats(ctx, in.Project)
	if err != nil {
		return nil, err
	}
	out := &statsResult{
		Memories: got.Memories, Sessions: got.Sessions, Prompts: got.Prompts, Deleted: got.Deleted, Bytes: got.Bytes,
		Types: byCount(got.Stats), Projects: got.Projects,
	}
	const most = 100
	if n := len(out.Projects); n > most {
		out.Projects = out.Projects[:most]
		c.note(fmt.Sprintf("%d projects; the %d used last are named", n, most))
	}
	if out.Projects == nil {
		out.Projects = []string{}
	}
	return out, nil
}

func (r *statsResult) words() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Memories: %d\nSessions: %d\nPrompts: %d\nDeleted, restorable: %d\nSize: %d bytes", r.Memories, r.Sessions, r.Prompts, r.Deleted, r.Bytes)
	if len(r.Types) > 0 {
		b.WriteString("\nTypes:")
		for i, t := range r.Types {
			if i > 0 {
				b.WriteByte(',')
			}
			fmt.Fprintf(&b, " %s %d", t.Name, t.Count)
		}
	}
	if len(r.Projects) > 0 {
		fmt.Fprintf(&b, "\nProjects: %s", strings.Join(r.Projects, ", "))
	}
	return b.String()
}

// byCount lists the types of memories, the most frequent first.
func byCount(s store.Stats) []count {
	out := make([]count, 0, len(s.ByType))
	for name, n := range s.ByType {
		out = append(out, count{Name: name, Count: n})
	}
	slices.SortFunc(out, func(a, b count) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(a.Name, b.Name))
	})
	const most = 50
	return out[:min(len(out), most)]
}
