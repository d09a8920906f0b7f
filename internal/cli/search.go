package cli

import (
	"context"
	"fmt"
	"strings"

	"engram/client"
	"engram/internal/app"
	"engram/internal/service/memory"

	"github.com/spf13/cobra"
)

// searchFlags are what search and recall have in common.
type searchFlags struct {
	typ, match, asOf, id string
	in                   memory.SearchInput
}

func (f *searchFlags) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.typ, "type", "", "only this type; several with commas")
	flags.StringVar(&f.in.Project, "project", "", "project to search (default: found from the directory)")
	flags.BoolVar(&f.in.AllProjects, "all", false, "search all projects")
	flags.StringVar(&f.in.Scope, "scope", "", "only project, personal or global memories")
	flags.StringVar(&f.match, "match", "any", "any word, or all words")
	flags.StringVar(&f.asOf, "as-of", "", "what was known then (RFC 3339, or YYYY-MM-DD for the end of that day)")
	flags.BoolVar(&f.in.Deep, "deep", false, "look further down")
	flags.BoolVar(&f.in.Explain, "explain", false, "say how the answer came about")
	flags.StringVar(&f.id, "id", "", "with --explain: why this memory, by number or uid, is or is not in the answer")
}

func (f *searchFlags) input(a *app.App, args []string) (memory.SearchInput, error) {
	in := f.in
	in.Query = strings.Join(args, " ")
	in.Types = splitTypes(f.typ)
	switch f.match {
	case "any":
	case "all":
		in.MatchAll = true
	default:
		return in, usageError{fmt.Errorf("--match %q: use any or all", f.match)}
	}
	var err error
	in.AsOf, err = a.Memory.AsOf(f.asOf)
	return in, err
}

// splitTypes are the types of a list with commas. A list that has none is one
// type, for the service to refuse: it must not be taken for all of them.
func splitTypes(list string) []string {
	var out []string
	for t := range strings.SplitSeq(list, ",") {
		if t = strings.TrimSpace(t); t != "" {
			out = append(out, t)
		}
	}
	if list != "" && len(out) == 0 {
		return []string{list}
	}
	return out
}

type searchJSON struct {
	Items           []client.Hit  `json:"items"`
	NoAnswer        bool          `json:"no_answer"`
	Project         string        `json:"project,omitempty"`
	SimilarProjects []string      `json:"similar_projects"`
	Warnings        []string      `json:"warnings,omitempty"`
	Trace           *memory.Trace `json:"trace,omitempty"`
}

func viewSearch(res memory.SearchResult) searchJSON {
	out := searchJSON{
		Items: make([]client.Hit, 0, len(res.Hits)), NoAnswer: res.NoAnswer,
		Project: res.Project, SimilarProjects: list(res.SimilarProjects), Warnings: res.Warnings, Trace: res.Trace,
	}
	for _, h := range res.Hits {
		out.Items = append(out.Items, client.Hit{Memory: viewMemory(h.Memory), Probability: h.Probability})
	}
	return out
}

func newSearchCmd(g *globals) *cobra.Command {
	var f searchFlags
	cmd := &cobra.Command{
		Use:     "search QUERY…",
		Short:   "Find memories, best first",
		Long:    "Find memories that answer a question, best first. Nothing is returned when no memory does.",
		Example: "  engram search 'why did we drop Redis' --limit 5",
		Args:    cobra.MinimumNArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			in, err := f.input(a, args)
			if err != nil {
				return err
			}
			if e, ok, err := f.explainInput(memory.RecallInput{SearchInput: in}); ok || err != nil {
				e.Search = true
				return g.explain(ctx, a, cmd, e, err)
			}
			res, err := a.Memory.Search(ctx, in)
			if err != nil {
				return err
			}
			g.warn(res.Warnings)
			return g.print(cmd, viewSearch(res), func(w *out) { printSearch(w, res) })
		}),
	}
	f.register(cmd)
	rangeVar(cmd.Flags(), &f.in.Limit, "limit", 10, 1, 50, "at most this many")
	return cmd
}

func printSearch(w *out, res memory.SearchResult) {
	if res.NoAnswer {
		printNoAnswer(w, res)
	}
	for i, h := range res.Hits {
		fmt.Fprintf(w, "%d. %.2f  ", i+1, h.Probability)
		w.line(h.Memory)
		w.snippet(h.Memory.Content, 300, show(h.Memory))
	}
	printTrace(w, res.Trace)
}

func printNoAnswer(w *out, res memory.SearchResult) {
	where := ""
	if res.Project != "" {
		where = " in " + res.Project
	}
	fmt.Fprintf(w, "no_answer: no memory%s answers that\n", where)
	if len(res.SimilarProjects) > 0 {
		printSimilar(w, res.SimilarProjects)
	} else if res.Project != "" {
		fmt.Fprintln(w, "Only this project was searched; add --all to search every project.")
	}
}

func printSimilar(w *out, projects []string) {
	if len(projects) > 0 {
		fmt.Fprintf(w, "Projects with a similar name, to be named with --project: %s\n", strings.Join(projects, ", "))
	}
}

func newRecallCmd(g *globals) *cobra.Command {
	var f searchFlags
	var budget int
	cmd := &cobra.Command{
		Use:     "recall QUERY…",
		Short:   "Pack what answers a question into a token budget",
		Example: "  engram recall 'how do we deploy' --budget 800\n  engram recall 'how do we deploy' --explain --id 12",
		Args:    cobra.MinimumNArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			in, err := f.input(a, args)
			if err != nil {
				return err
			}
			recall := memory.RecallInput{SearchInput: in, Budget: budget}
			if e, ok, err := f.explainInput(recall); ok || err != nil {
				return g.explain(ctx, a, cmd, e, err)
			}
			res, err := a.Memory.Recall(ctx, recall)
			if err != nil {
				return err
			}
			g.warn(res.Warnings)
			view := struct {
				Text       string `json:"text"`
				Tokens     int    `json:"tokens"`
				OverBudget int    `json:"over_budget"`
				searchJSON
			}{res.Text, res.Tokens, res.OverBudget, viewSearch(res.SearchResult)}
			return g.print(cmd, view, func(w *out) {
				if res.NoAnswer {
					printNoAnswer(w, res.SearchResult)
				} else {
					fmt.Fprintln(w, strings.TrimRight(res.Text, "\n"))
				}
				printTrace(w, res.Trace)
			})
		}),
	}
	f.register(cmd)
	rangeVar(cmd.Flags(), &budget, "budget", 2000, 50, 32_000, "tokens")
	rangeVar(cmd.Flags(), &f.in.Limit, "limit", 20, 1, 50, "at most this many memories, whatever the budget")
	return cmd
}

func newContextCmd(g *globals) *cobra.Command {
	var in memory.ContextInput
	cmd := &cobra.Command{
		Use:     "context [PROJECT]",
		Short:   "Print what an agent should know at the start of a session",
		Example: "  engram context --max-bytes 2048",
		Args:    cobra.MaximumNArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				in.Project = args[0]
			}
			res, err := a.Memory.Context(ctx, in)
			if err != nil {
				return err
			}
			g.warn(res.Warnings)
			view := struct {
				Context  string `json:"context"`
				Project  string `json:"project,omitempty"`
				Pinned   int    `json:"pinned"`
				Tasks    int    `json:"tasks"`
				Sessions int    `json:"sessions"`
				Memories int    `json:"memories"`
				Prompts  int    `json:"prompts"`
				Left     int    `json:"left"`

				SimilarProjects []string `json:"similar_projects"`
			}{res.Text, res.Project, res.Pinned, res.Tasks, res.Sessions, res.Memories, res.Prompts, res.Left, list(res.SimilarProjects)}
			return g.print(cmd, view, func(w *out) {
				if res.Text == "" {
					if in.Scope != "" {
						fmt.Fprintf(w, "nothing of scope %s is remembered here; without --scope there may be more\n", in.Scope)
						return
					}
					fmt.Fprintln(w, "nothing is remembered here yet")
					printSimilar(w, res.SimilarProjects)
					return
				}
				fmt.Fprintln(w, strings.TrimRight(res.Text, "\n"))
			})
		}),
	}
	f := cmd.Flags()
	f.StringVar(&in.Project, "project", "", "project (default: found from the directory)")
	f.BoolVar(&in.AllProjects, "all", false, "all projects")
	f.StringVar(&in.Scope, "scope", "", "only project, personal or global memories")
	rangeVar(f, &in.MaxBytes, "max-bytes", 4096, 256, 64<<10, "at most this many bytes")
	f.BoolVar(&in.Compact, "compact", false, "titles only")
	f.StringVar(&in.Query, "query", "", "bring what is most relevant to this")
	return cmd
}
