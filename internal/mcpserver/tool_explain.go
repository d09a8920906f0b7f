package mcpserver

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"engram/internal/recall"
	"engram/internal/service/memory"
)

type explainArgs struct {
	Query       string `json:"query" required:"true"`
	ID          int64  `json:"id" min:"1"`
	UID         string `json:"uid" doc:"Instead of id"`
	Project     string `json:"project" doc:"As in mem_search, like the rest"`
	Type        string `json:"type"`
	Scope       string `json:"scope" enum:"project,personal,global"`
	Limit       int    `json:"limit" min:"1" max:"50" doc:"Default: 10, with budget 20"`
	MatchMode   string `json:"match_mode" enum:"any,all" default:"any"`
	AllProjects bool   `json:"all_projects" default:"false"`
	AsOf        string `json:"as_of"`
	Deep        bool   `json:"deep" default:"false"`
	Budget      int    `json:"budget" min:"50" max:"32000" doc:"Tokens; without it mem_search is explained"`
}

type explainResult struct {
	ID         int64    `json:"id,omitempty"`
	Title      string   `json:"title,omitempty"`
	Reason     string   `json:"reason,omitempty"`
	Text       string   `json:"text"`
	Filters    []string `json:"filters,omitempty"`
	Words      []string `json:"words"` // of the query, with how many memories have each
	Time       string   `json:"time,omitempty"`
	Floor      float64  `json:"floor"`
	Pool       int      `json:"pool"`
	Arms       []string `json:"arms"` // with how many each found
	Candidates []judged `json:"candidates,omitempty"`
	noted
}

// judged is how a memory was judged.
type judged struct {
	ID       int64    `json:"id"`
	Outcome  string   `json:"outcome"`
	Score    float64  `json:"p"`
	Coverage float64  `json:"coverage"`
	Rank     int      `json:"rank,omitempty"`
	Arms     []string `json:"arms,omitempty"` // with its rank and score in each, then what each model says
}

func explainTool() tool {
	return newTool(tool{
		name: "explain_recall", title: "Explain a recall", brain: true, readOnly: true, idempotent: true,
		description: "Why a memory (id) was or was not recalled for a query: not here, other scope, filtered, not found, " +
			"below the floor, outranked, over budget, returned; and what it lacked. Without id: the best candidates.",
	}, (*call).explainRecall)
}

// explainCandidates is how many candidates are listed, and explainWords how many
// words of a query.
const (
	explainCandidates = 15
	explainWords      = 30
)

func (c *call) explainRecall(ctx context.Context, in explainArgs) (*explainResult, error) {
	asOf, err := c.AsOf(in.AsOf)
	if err != nil {
		return nil, err
	}
	e, err := c.Explain(ctx, memory.ExplainInput{
		RecallInput: memory.RecallInput{
			SearchInput: memory.SearchInput{
				Query: in.Query, Types: splitTypes(in.Type), Project: c.projectOf(in.Project, in.AllProjects),
				AllProjects: in.AllProjects, Scope: in.Scope, Limit: in.Limit, MatchAll: in.MatchMode == "all", AsOf: asOf, Deep: in.Deep,
			},
			Budget: in.Budget,
		},
		Search: in.Budget == 0, ID: in.ID, UID: in.UID,
	})
	if err != nil {
		return nil, err
	}
	c.notes = append(c.notes, e.Trace.Warnings...)
	return explained(&e), nil
}

func explained(e *memory.Explanation) *explainResult {
	t := e.Trace
	out := &explainResult{
		ID: e.ID, Reason: string(e.Reason), Text: e.Text, Filters: e.Filters,
		Time: timeAsked(&t.Query), Floor: t.Floor, Pool: t.Pool, Words: []string{}, Arms: []string{},
	}
	out.Title, _ = snippet(e.Title, titleLength)
	for _, a := range t.Arms {
		out.Arms = append(out.Arms, fmt.Sprintf("%s %d", a.Name, a.Found))
	}
	if r := t.Reranker; r != nil && r.Used {
		out.Arms = append(out.Arms, fmt.Sprintf("reranker asked about %d", r.Asked))
	} else if r != nil {
		out.Arms = append(out.Arms, "reranker not used: "+r.Why)
	}
	for _, w := range t.Query.Words {
		if w.Stop || len(out.Words) == explainWords {
			continue
		}
		word := fmt.Sprintf("%s %d", w.Word, w.Memories)
		if len(w.Instead) > 0 {
			word += " as " + strings.Join(w.Instead, "/")
		}
		out.Words = append(out.Words, word)
	}
	switch {
	case e.Candidate != nil:
		out.Candidates = []judged{judgedOf(e.Candidate)}
	case e.Reason == "":
		for i := range t.Candidates[:min(explainCandidates, len(t.Candidates))] {
			out.Candidates = append(out.Candidates, judgedOf(&t.Candidates[i]))
		}
	}
	return out
}

func judgedOf(c *recall.TraceCandidate) judged {
	j := judged{
		ID: c.ID, Outcome: string(c.Outcome), Score: rounded(c.Probability), Rank: c.Rank, Coverage: rounded(c.Evidence.Coverage),
	}
	for _, name := range slices.Sorted(maps.Keys(c.Arms)) {
		a := c.Arms[name]
		j.Arms = append(j.Arms, fmt.Sprintf("%s rank %d score %s", name, a.Rank, short(rounded(a.Score))))
	}
	if len(c.Models) > 1 { // of one alone the arm says it
		for _, m := range c.Models {
			j.Arms = append(j.Arms, modelSaid(&m))
		}
	}
	if c.Reranker != nil {
		j.Arms = append(j.Arms, "reranker "+short(rounded(*c.Reranker)))
	}
	return j
}

func modelSaid(m *recall.TraceModel) string {
	s := m.Model + " cosine " + short(rounded(m.Cosine))
	if m.Rank > 0 {
		s += fmt.Sprintf(" rank %d", m.Rank)
	}
	return s
}

func rounded(x float64) float64 { return math.Round(x*1000) / 1000 }

// timeAsked is the window and the order that a query was taken to ask for.
func timeAsked(q *recall.TraceQuery) string {
	var parts []string
	if q.From != nil {
		parts = append(parts, "from "+when(*q.From))
	}
	if q.To != nil {
		parts = append(parts, "before "+when(*q.To))
	}
	if q.Order != "" {
		parts = append(parts, q.Order)
	}
	return strings.Join(parts, ", ")
}

func (r *explainResult) words() string {
	var b strings.Builder
	if r.ID != 0 {
		b.WriteString(strings.TrimSpace(fmt.Sprintf("#%d %s", r.ID, r.Title)) + "\n")
	}
	b.WriteString(r.Text)
	for _, fact := range []struct{ name, value string }{
		{"Words of the query, in how many memories", strings.Join(r.Words, ", ")},
		{"Time asked for", r.Time},
		{"Found by", strings.Join(r.Arms, ", ")},
	} {
		if fact.value != "" {
			fmt.Fprintf(&b, "\n%s: %s", fact.name, fact.value)
		}
	}
	fmt.Fprintf(&b, "\nPool: %d; floor: %s", r.Pool, short(r.Floor))
	for i := range r.Candidates {
		r.Candidates[i].write(&b)
	}
	return b.String()
}

func (j *judged) write(b *strings.Builder) {
	fmt.Fprintf(b, "\n#%d %s: p %s, coverage %s", j.ID, j.Outcome, short(j.Score), short(j.Coverage))
	if j.Rank > 0 {
		fmt.Fprintf(b, ", rank %d", j.Rank)
	}
	for _, a := range j.Arms {
		b.WriteString(", " + a)
	}
}
