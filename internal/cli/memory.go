package cli

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strings"

	"engram"
	"engram/client"
	"engram/internal/app"
	"engram/internal/service/memory"
	"engram/internal/store"

	"github.com/spf13/cobra"
)

func newShowCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show a memory whole",
		Example: "  engram show 12",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			m, err := a.Memory.Get(ctx, id)
			if err != nil {
				return err
			}
			return g.print(cmd, viewMemory(m), func(w *out) { printWhole(w, m) })
		}),
	}
}

func printWhole(w *out, m *engram.Memory) {
	w.line(m)
	for _, f := range []struct{ name, value string }{
		{"scope", string(m.Scope)},
		{"session", m.Session},
		{"topic", m.TopicKey},
		{"speaker", m.Speaker},
		{"role", m.Role},
		{"tool", m.ToolName},
		{"status", m.Status},
		{"files", strings.Join(m.Files, ", ")},
		{"origin", fmt.Sprintf("%s (trust %d)", m.Origin, m.Trust)},
		{"saved", fmt.Sprintf("%s, revision %d, seen %s", w.time(m.CreatedAt), m.RevisionCount, plural(m.DuplicateCount, "time", "times"))},
	} {
		if f.value != "" {
			fmt.Fprintf(w, "%8s: %s\n", f.name, f.value)
		}
	}
	fmt.Fprintf(w, "\n%s\n", strings.TrimRight(m.Content, "\n"))
}

func newEditCmd(g *globals) *cobra.Command {
	var title, content, typ, project, scope, topic, status, file string
	var importance float64
	cmd := &cobra.Command{
		Use:     "edit ID",
		Short:   "Change a memory; the old text stays in its history",
		Example: "  engram edit 12 --content 'Webhooks are retried six times'",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			var in memory.UpdateInput
			given := func(name string, value *string) *string {
				if cmd.Flags().Changed(name) {
					return value
				}
				return nil
			}
			in.Title, in.Content, in.Type, in.Project = given("title", &title), given("content", &content), given("type", &typ), given("project", &project)
			in.Scope, in.TopicKey, in.Status = given("scope", &scope), given("topic", &topic), given("status", &status)
			if cmd.Flags().Changed("importance") {
				in.Importance = &importance
			}
			if file != "" {
				if in.Content != nil {
					return usageError{fmt.Errorf("give --content or --file, not both")}
				}
				text, err := g.content(ctx, nil, file)
				if err != nil {
					return err
				}
				in.Content = &text
			}
			if in == (memory.UpdateInput{}) {
				return usageError{errors.New("nothing to change: give at least one of --title, --content, --file, --type, --project, --scope, --topic, --status, --importance")}
			}
			m, err := a.Memory.Update(ctx, id, in)
			if err != nil {
				return err
			}
			view := struct {
				client.Memory
				redactedJSON
			}{viewMemory(m.Memory), redactedJSON{list(m.Redacted)}}
			return g.print(cmd, view, func(w *out) {
				fmt.Fprintf(w, "updated %d, revision %d\n", m.ID, m.RevisionCount)
				printRedacted(w, m.Redacted)
			})
		}),
	}
	f := cmd.Flags()
	f.StringVar(&title, "title", "", "new title")
	f.StringVar(&content, "content", "", "new content")
	f.StringVar(&file, "file", "", "read the new content from a file, - for standard input")
	f.StringVar(&typ, "type", "", "new type")
	f.StringVar(&project, "project", "", "move it to this project")
	f.StringVar(&scope, "scope", "", "project, personal or global")
	f.StringVar(&topic, "topic", "", "new topic key, '' for none")
	f.StringVar(&status, "status", "", "how far a task is: done ends it, any other word (open, blocked, …) leaves it open")
	f.Float64Var(&importance, "importance", 0, "0 to 1")
	return cmd
}

func newDeleteCmd(g *globals) *cobra.Command {
	var hard, yes bool
	cmd := &cobra.Command{
		Use:   "delete ID",
		Short: "Delete a memory; engram restore brings it back",
		Long: `Delete a memory. It is hidden from every search and list, and engram restore ID brings
it back. With --hard it is erased, its history and index entries too, and overwritten on
the disk; that cannot be undone, so it asks first.`,
		Example: "  engram delete 12\n  engram delete 12 --hard --yes",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			if hard && !yes {
				if err := g.confirm(cmd, fmt.Sprintf("Erase memory %d for good?", id)); err != nil {
					return err
				}
			}
			r, err := a.Memory.Delete(ctx, id, hard)
			if err != nil {
				return err
			}
			view := client.Receipt(r)
			view.Copies = list(r.Copies)
			return g.print(cmd, view, func(w *out) { printReceipt(w, r) })
		}),
	}
	cmd.Flags().BoolVar(&hard, "hard", false, "erase it for good")
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func printReceipt(w *out, r engram.Receipt) {
	if !r.Hard {
		fmt.Fprintf(w, "deleted %d; engram restore %d brings it back\n", r.ID, r.ID)
		return
	}
	fmt.Fprintf(w, "erased %d: %s, %s, %s, %s, %s\n", r.ID,
		plural(r.Memories, "row", "rows"), plural(r.Versions, "older version", "older versions"), plural(r.Derived, "derived memory", "derived memories"),
		plural(r.Supports, "link", "links"), plural(r.Postings, "index entry", "index entries"))
	for _, c := range r.Copies {
		fmt.Fprintf(w, "a copy may be in: %s\n", c)
	}
}

// confirm asks a yes-or-no question on a terminal; elsewhere it wants --yes.
func (g *globals) confirm(cmd *cobra.Command, question string) error {
	if !g.env.Terminal {
		return usageError{fmt.Errorf("%s Say so with --yes", question)}
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "%s [y/N] ", question)
	line, err := bufio.NewReader(g.stdin(cmd.Context())).ReadString('\n')
	if err != nil && line == "" {
		return fmt.Errorf("no answer: %w", err)
	}
	if answer := strings.ToLower(strings.TrimSpace(line)); answer != "y" && answer != "yes" {
		return engram.Errorf(engram.ErrConflict, "nothing was changed").WithCode("cancelled")
	}
	return nil
}

func newPinCmd(g *globals) *cobra.Command {
	return pinCmd(g, "pin", "Show a memory first in every context", true)
}

func newUnpinCmd(g *globals) *cobra.Command {
	return pinCmd(g, "unpin", "Take a pin away", false)
}

func pinCmd(g *globals, name, short string, pinned bool) *cobra.Command {
	return &cobra.Command{
		Use:     name + " ID",
		Short:   short,
		Example: "  engram " + name + " 12",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			m, err := a.Memory.Pin(ctx, id, pinned)
			if err != nil {
				return err
			}
			return g.print(cmd, viewMemory(m), func(w *out) { fmt.Fprintf(w, "%sned %d\n", name, id) })
		}),
	}
}

func newHistoryCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "history ID",
		Short:   "Show every version of a memory",
		Example: "  engram history 12",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			versions, err := a.Memory.History(ctx, id)
			if err != nil {
				return err
			}
			view := struct {
				Items []client.Memory `json:"items"`
			}{viewMemories(versions)}
			return g.print(cmd, view, func(w *out) {
				for _, m := range versions {
					until := "now"
					if !m.InvalidatedAt.IsZero() {
						until = w.time(m.InvalidatedAt)
					}
					fmt.Fprintf(w, "version %d, %s to %s: (%s) %s\n", m.Version, w.time(m.RecordedAt), until, m.Type, oneLine(m.Title))
					w.snippet(m.Content, 600, "--json")
				}
			})
		}),
	}
}

func newListCmd(g *globals) *cobra.Command {
	var in memory.ListInput
	var typ, since, until string
	var deleted bool
	cmd := &cobra.Command{
		Use:     "list",
		Short:   "List memories, newest first",
		Example: "  engram list --type decision --since 2026-01-01",
		Args:    cobra.NoArgs,
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, _ []string) error {
			var err error
			if in.Since, err = g.parseTime(since, "--since"); err != nil {
				return err
			}
			if in.Until, err = g.parseTime(until, "--until"); err != nil {
				return err
			}
			in.Types = splitTypes(typ)
			if deleted {
				in.Deleted = store.OnlyDeleted
			}
			res, err := a.Memory.List(ctx, in)
			if err != nil {
				return err
			}
			view := client.Page{Items: viewMemories(res.Memories), Next: res.Next}
			return g.print(cmd, view, func(w *out) {
				if len(res.Memories) == 0 {
					printNothingListed(w, in.AllProjects)
				}
				for _, m := range res.Memories {
					w.line(m)
				}
				if res.Next != "" {
					fmt.Fprintf(w, "There is more; add --cursor %s for the next page.\n", res.Next)
				}
			})
		}),
	}
	f := cmd.Flags()
	f.StringVar(&typ, "type", "", "only this type; several with commas")
	f.StringVar(&in.Project, "project", "", "project (default: found from the directory)")
	f.BoolVar(&in.AllProjects, "all", false, "all projects")
	f.StringVar(&in.Scope, "scope", "", "only project, personal or global memories")
	f.StringVar(&in.Session, "session", "", "only this session")
	f.StringVar(&since, "since", "", "not before (RFC 3339 or YYYY-MM-DD)")
	f.StringVar(&until, "until", "", "before (RFC 3339 or YYYY-MM-DD)")
	f.BoolVar(&in.Pinned, "pinned", false, "only pinned ones")
	f.BoolVar(&in.OpenTasks, "tasks", false, "only open tasks")
	f.BoolVar(&deleted, "deleted", false, "only deleted ones, to restore")
	rangeVar(f, &in.Limit, "limit", 20, 1, 1000, "at most this many")
	f.StringVar(&in.Cursor, "cursor", "", "go on after the page before")
	return cmd
}

func printNothingListed(w *out, all bool) {
	if all {
		fmt.Fprintln(w, "Nothing is here.")
		return
	}
	fmt.Fprintln(w, "Nothing is here; add --all to list every project.")
}

func newTimelineCmd(g *globals) *cobra.Command {
	var before, after int
	cmd := &cobra.Command{
		Use:     "timeline ID",
		Short:   "Show a memory among its neighbours in its session",
		Example: "  engram timeline 12 --before 3 --after 3",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			id, err := parseID(args[0])
			if err != nil {
				return err
			}
			tl, err := a.Memory.Timeline(ctx, id, before, after)
			if err != nil {
				return err
			}
			view := struct {
				Focus   client.Memory   `json:"focus"`
				Before  []client.Memory `json:"before"`
				After   []client.Memory `json:"after"`
				Session *sessionJSON    `json:"session"`
				Total   int             `json:"total"`
			}{viewMemory(tl.Focus), viewMemories(tl.Before), viewMemories(tl.After), nil, tl.Total}
			if tl.Session != nil {
				s := viewSession(tl.Session)
				view.Session = &s
			}
			return g.print(cmd, view, func(w *out) { printTimeline(w, tl) })
		}),
	}
	rangeVar(cmd.Flags(), &before, "before", 5, 0, 100, "how many before it")
	rangeVar(cmd.Flags(), &after, "after", 5, 0, 100, "how many after it")
	return cmd
}

func printTimeline(w *out, tl *store.Timeline) {
	if tl.Session != nil {
		fmt.Fprintf(w, "session %s, %s\n", tl.Session.ID, plural(tl.Total, "memory", "memories"))
	}
	for _, m := range tl.Before {
		w.line(m)
		w.snippet(m.Content, 150, show(m))
	}
	fmt.Fprint(w, "> ")
	w.line(tl.Focus)
	w.snippet(tl.Focus.Content, 500, show(tl.Focus))
	for _, m := range tl.After {
		w.line(m)
		w.snippet(m.Content, 150, show(m))
	}
}
