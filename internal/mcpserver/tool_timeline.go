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
	Cut     bool   `json:"summary_truncated,omitempty"`
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
	out := &timelineResult{Focus: hitOf(t.Focus, snippetLength), Total: t.Total}
	var leftBefore, leftAfter int
	budget := replyTokens - out.Focus.cost()
	out.Before, leftBefore = neighbors(t.Before, budget/2, true)
	out.After, leftAfter = neighbors(t.After, budget/2, false)
	if leftBefore+leftAfter > 0 {
		c.note(fmt.Sprintf("left out for length: %d earlier and %d later", leftBefore, leftAfter))
	}
	out.Session = c.sessionFact(t.Session, in.Before+in.After == 0, budget)
	return out, nil
}

// sessionFact shows a session: of its summary the beginning or, where whole is
// asked for, as much as there is room for.
func (c *call) sessionFact(s *engram.Session, whole bool, room int) *sessionFact {
	if s == nil {
		return nil
	}
	out := &sessionFact{ID: s.ID, Project: s.Project, Started: when(s.StartedAt), Ended: when(s.EndedAt)}
	if whole {
		var next int
		out.Summary, next, _ = window(s.Summary, 0, engram.DefaultMaxContent, room)
		if out.Cut = next > 0; out.Cut {
			c.note("the session's summary is too long for a reply; the command engram sessions --json has it whole")
		}
		return out
	}
	if out.Summary, out.Cut = snippet(s.Summary, snippetLength); out.Cut {
		c.note("the session's summary is cut; before 0 and after 0 give it whole")
	}
	return out
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

func (r *timelineResult) words() string {
	var b strings.Builder
	if s := r.Session; s != nil {
		b.WriteString("Session " + s.ID)
		if s.Project != "" {
			b.WriteString(", project " + s.Project)
		}
		b.WriteString(", started " + s.Started)
		if s.Ended != "" {
			fmt.Fprintf(&b, ", ended %s", s.Ended)
		}
		fmt.Fprintf(&b, ", %s.\n", plural(r.Total, "memory", "memories"))
		if s.Summary != "" {
			fmt.Fprintf(&b, "Summary: %s", s.Summary)
			if s.Cut {
				b.WriteString(" [truncated]")
			}
			b.WriteByte('\n')
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
