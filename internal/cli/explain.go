package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"engram/internal/app"
	"engram/internal/recall"
	"engram/internal/service/memory"

	"github.com/spf13/cobra"
)

// shownCandidates is how many candidates a trace shows people.
const shownCandidates = 15

// explainInput is what --id asks for; false without it.
func (f *searchFlags) explainInput(in memory.RecallInput) (memory.ExplainInput, bool, error) {
	out := memory.ExplainInput{RecallInput: in}
	if f.id == "" {
		return out, false, nil
	}
	if !f.in.Explain {
		return out, false, usageError{errors.New("--id says which memory --explain is about: give both")}
	}
	if strings.Trim(f.id, "-#0123456789") != "" {
		out.UID = f.id
		return out, true, nil
	}
	var err error
	out.ID, err = parseID(f.id)
	return out, true, err
}

// explain says why one memory is or is not in an answer.
func (g *globals) explain(ctx context.Context, a *app.App, cmd *cobra.Command, in memory.ExplainInput, err error) error {
	if err != nil {
		return err
	}
	e, err := a.Memory.Explain(ctx, in)
	if err != nil {
		return err
	}
	if e.Trace != nil {
		g.warn(e.Trace.Warnings)
	}
	return g.print(cmd, e, func(w *out) { printExplanation(w, &e) })
}

func printExplanation(w *out, e *memory.Explanation) {
	if e.ID != 0 {
		fmt.Fprintln(w, strings.TrimSpace(fmt.Sprintf("#%d %s", e.ID, oneLine(e.Title))))
	}
	fmt.Fprintln(w, e.Text)
	t := newFacts(w)
	defer t.flush()
	for _, n := range e.Needs {
		t.fact("needs", fmt.Sprintf("%s %s %s, has %s", n.What, n.Op, number(n.Bound), number(n.Value)))
	}
	if c := e.Candidate; c != nil {
		judged := []string{fmt.Sprintf("probability %.2f", c.Probability)}
		if c.Rank > 0 {
			judged = append(judged, fmt.Sprintf("rank %d of %d", c.Rank, e.Trace.Pool))
		}
		if c.Place > 0 {
			judged = append(judged, fmt.Sprintf("place %d above the floor", c.Place))
		}
		if c.Reranker != nil {
			judged = append(judged, fmt.Sprintf("reranker %.2f", *c.Reranker))
		}
		t.fact("judged", strings.Join(judged, ", "))
		for _, name := range slices.Sorted(maps.Keys(c.Arms)) {
			t.fact(name, fmt.Sprintf("rank %d, score %s", c.Arms[name].Rank, number(c.Arms[name].Score)))
		}
		for _, m := range c.Models {
			t.fact("by "+m.Model, modelSaid(&m))
		}
		t.fact("evidence", values(c.Evidence))
		t.fact("features", values(c.Features))
	}
	if p := e.Packed; p != nil {
		t.fact("packing", fmt.Sprintf("%d tokens, %d left; score %.2f: relevance %.2f, recency %.2f, importance %.2f, diversity %.2f",
			p.Tokens, p.Left, p.Score, p.Relevance, p.Recency, p.Importance, p.Diversity))
	}
	t.query(e.Trace)
}

// printTrace shows how an answer came about.
func printTrace(w *out, trace *memory.Trace) {
	if trace == nil {
		return
	}
	fmt.Fprintln(w, "\ntrace:")
	t := newFacts(w)
	t.query(trace)
	t.flush()
	printCandidates(w, trace)
	if len(trace.Packing) == 0 {
		return
	}
	fmt.Fprintln(w, "\npacking, in the order of choice:")
	tw := newFacts(w)
	fmt.Fprintln(tw, "  memory\ttokens\tleft\tscore\trelevance\trecency\timportance\tdiversity\t")
	for _, p := range trace.Packing {
		outcome := "packed"
		if !p.Kept {
			outcome = "over budget"
		}
		fmt.Fprintf(tw, "  #%d\t%d\t%d\t%.2f\t%.2f\t%.2f\t%.2f\t%.2f\t%s\n",
			p.ID, p.Tokens, p.Left, p.Score, p.Relevance, p.Recency, p.Importance, p.Diversity, outcome)
	}
	tw.flush()
}

func printCandidates(w *out, trace *memory.Trace) {
	if len(trace.Candidates) == 0 {
		return
	}
	tw := newFacts(w)
	fmt.Fprint(tw, "\n  rank\tmemory\tprobability\tcoverage")
	used := trace.Reranker != nil && trace.Reranker.Used
	if used {
		fmt.Fprint(tw, "\treranker")
	}
	for _, arm := range trace.Arms {
		fmt.Fprint(tw, "\t"+arm.Name)
	}
	models := trace.Models
	if len(models) < 2 { // the arm says it all
		models = nil
	}
	for _, model := range models {
		fmt.Fprint(tw, "\t"+model)
	}
	fmt.Fprintln(tw, "\t")
	shown := trace.Candidates[:min(shownCandidates, len(trace.Candidates))]
	for i := range shown {
		c := &shown[i]
		fmt.Fprintf(tw, "  %d\t#%d\t%.2f\t%.2f", c.Rank, c.ID, c.Probability, c.Evidence.Coverage)
		if used && c.Reranker != nil {
			fmt.Fprintf(tw, "\t%.2f", *c.Reranker)
		} else if used {
			fmt.Fprint(tw, "\t-")
		}
		for _, arm := range trace.Arms {
			cell := "-"
			if a, ok := c.Arms[arm.Name]; ok {
				cell = fmt.Sprintf("%d: %s", a.Rank, number(a.Score))
			}
			fmt.Fprint(tw, "\t"+cell)
		}
		for _, model := range models {
			cell := "-"
			if i := slices.IndexFunc(c.Models, func(m recall.TraceModel) bool { return m.Model == model }); i >= 0 {
				cell = modelCell(&c.Models[i])
			}
			fmt.Fprint(tw, "\t"+cell)
		}
		fmt.Fprintf(tw, "\t%s\n", strings.ReplaceAll(string(c.Outcome), "_", " "))
	}
	tw.flush()
	if more := trace.Pool - len(shown); more > 0 {
		fmt.Fprintf(w, "  and %d more; --id says why one of them is not in the answer\n", more)
	}
}

// modelSaid is how near a model finds a memory.
func modelSaid(m *recall.TraceModel) string {
	if m.Rank == 0 {
		return "cosine " + number(m.Cosine)
	}
	return fmt.Sprintf("rank %d, cosine %s", m.Rank, number(m.Cosine))
}

func modelCell(m *recall.TraceModel) string {
	if m.Rank == 0 {
		return number(m.Cosine)
	}
	return fmt.Sprintf("%d: %s", m.Rank, number(m.Cosine))
}

// facts is a table, mostly of names and what is to be said of them.
type facts struct {
	*tabwriter.Writer
	w *out
}

func newFacts(w *out) facts { return facts{tabwriter.NewWriter(w, 0, 0, 2, ' ', 0), w} }

// flush ends the table; out keeps what went wrong.
func (t facts) flush() { _ = t.Flush() }

func (t facts) fact(name, value string) {
	if value != "" {
		fmt.Fprintf(t, "  %s\t%s\n", name, value)
	}
}

// query says what a question was taken for and what the arms found.
func (t facts) query(trace *memory.Trace) {
	t.fact("words (memories)", queryWords(&trace.Query))
	t.fact("time", t.timeAsked(&trace.Query))
	var arms []string
	for _, a := range trace.Arms {
		arms = append(arms, fmt.Sprintf("%s %d", a.Name, a.Found))
	}
	t.fact("found", strings.Join(append([]string{plural(trace.Pool, "memory", "memories")}, arms...), ", "))
	t.fact("models", strings.Join(trace.Models, ", "))
	t.fact("floor", fmt.Sprintf("%.2f", trace.Floor))
	if r := trace.Reranker; r != nil && r.Used {
		t.fact("reranker", fmt.Sprintf("asked about the best %d", r.Asked))
	} else if r != nil {
		t.fact("reranker", "not used: "+r.Why)
	}
}

// queryWords are the words that say something, with how many memories have each.
func queryWords(q *recall.TraceQuery) string {
	var words []string
	for _, w := range q.Words {
		if w.Stop {
			continue
		}
		word := fmt.Sprintf("%s (%d)", w.Word, w.Memories)
		if len(w.Instead) > 0 {
			word += " read as " + strings.Join(w.Instead, ", ")
		}
		words = append(words, word)
	}
	return strings.Join(words, "  ")
}

func (t facts) timeAsked(q *recall.TraceQuery) string {
	var parts []string
	if q.From != nil {
		parts = append(parts, "from "+t.w.time(*q.From))
	}
	if q.To != nil {
		parts = append(parts, "before "+t.w.time(*q.To))
	}
	if q.Order != "" {
		parts = append(parts, "the "+q.Order)
	}
	return strings.Join(parts, ", ")
}

// values lists the fields of a struct by their JSON names, without those that
// are nothing.
func values(v any) string {
	data, err := json.Marshal(v)
	if err != nil {
		return err.Error()
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	var parts []string
	for name := ""; ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return strings.Join(parts, "  ")
		}
		switch v := token.(type) {
		case json.Delim:
		case string:
			if name == "" {
				name = v
				continue
			}
			parts, name = append(parts, name+" "+v), ""
		case float64:
			if v != 0 {
				parts = append(parts, name+" "+number(v))
			}
			name = ""
		case bool:
			if v {
				parts = append(parts, name)
			}
			name = ""
		}
	}
}

// number is x with as many digits as people read.
func number(x float64) string {
	if x == math.Trunc(x) {
		return strconv.FormatFloat(x, 'f', 0, 64)
	}
	return strconv.FormatFloat(x, 'g', 3, 64)
}
