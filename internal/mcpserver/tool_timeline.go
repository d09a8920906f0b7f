package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"engram"
)

type timelineArgs struct {
	ID     int64 `json:"observation_id" required:"true" min:"1" alias:"id"`
	Before int   `json:"before" default:"5" min:"0" max:"100"`
	After  int   `json:"after" default:"5" min:"0" max:"100"`
}

type timelineResult struct {
	Before  []hit        `json:"before"`
	Focus   hit          `json:"focus"`
	After   []hit        `json:"after"`
	Session *sessionFact `json:"session,omitempty"`
	Total   int          `json:"in_session"`
	noted
}

// sessionFact is what a timeline says of its session.
type sessionFact struct {
	ID      string `json:"id"`
	Project string `json:"project,omitempty"`
	Started string `json:"started"`
	Ended   string `json:"ended,omitempty"`
	Summary string `json:"summary,omitempty"`
}

func timelineTool() tool {
	return newTool(tool{
		name: "mem_timeline", title: "Timeline around a memory", admin: true, readOnly: true, idempotent: true,
		description: "What was saved just before and after a memory in the same session: how it came about and what followed.",
	}, (*call).timeline)
}

func (c *call) timeline(ctx context.Context, in timelineArgs) (*timelineResult, error) {
	t, err := c.Timeline(ctx, in.ID, in.Before, in.After)
	if err != nil {
		return nil, err
	}
	out := &timelineResult{Focus: hitOf(t.Focus, snippetLength), Session: sessionFactOf(t.Session), Total: t.Total}
	var leftBefore, leftAfter int
	budget := replyTokens - out.Focus.cost()
	out.Before, leftBefore = neighbors(t.Before, budget/2, true)
	out.After, leftAfter = neighbors(t.After, budget/2, false)
	if leftBefore+leftAfter > 0 {
		c.note(fmt.Sprintf("left out for length: %d earlier and %d later", leftBefore, leftAfter))
	}
	return out, nil
}

// neighbors shows those of ms that fit, the ones nearest to the focus first to
// be kept: the last ones of earlier memories, the first of later ones.
func neighbors(ms []*engram.Memory, budget int, earlier bool) (shown []hit, left int) {
	shown = []hit{}
	for i := range ms {
		m := ms[i]
		if earlier {
			m = ms[len(ms)-1-i]
		}
		h := hitOf(m, neighborLength)
		h.Project = ""
		if budget -= h.cost(); budget < 0 {
			left = len(ms) - i
			break
		}
		shown = append(shown, h)
	}
	if earlier {
		slices.Reverse(shown)
	}
	return shown, left
}

func sessionFactOf(s *engram.Session) *sessionFact {
	if s == nil {
		return nil
	}
	out := &sessionFact{ID: s.ID, Project: s.Project, Started: when(s.StartedAt), Ended: when(s.EndedAt)}
	out.Summary, _ = snippet(s.Summary, snippetLength)
	return out
}

func (r *timelineResult) words() string {
	var b strings.Builder
	if s := r.Session; s != nil {
		fmt.Fprintf(&b, "Session %s, project %s, started %s", s.ID, s.Project, s.Started)
		if s.Ended != "" {
			fmt.Fprintf(&b, ", ended %s", s.Ended)
		}
		fmt.Fprintf(&b, ", %d memories.\n", r.Total)
		if s.Summary != "" {
			fmt.Fprintf(&b, "Summary: %s\n", s.Summary)
		}
	}
	write := func(heading string, hits []hit) {
		b.WriteString(heading + "\n")
		for i := range hits {
			hits[i].write(&b)
			b.WriteByte('\n')
		}
	}
	if len(r.Before) > 0 {
		write("Before:", r.Before)
	}
	write("This:", []hit{r.Focus})
	if len(r.After) > 0 {
		write("After:", r.After)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
