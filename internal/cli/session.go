package cli

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"engram"
	"engram/internal/app"
	"engram/internal/service/memory"

	"github.com/spf13/cobra"
)

type sessionJSON struct {
	ID        string `json:"id"`
	Project   string `json:"project,omitempty"`
	Directory string `json:"directory,omitempty"`
	Status    string `json:"status"`
	StartedAt string `json:"started_at"`
	EndedAt   string `json:"ended_at,omitempty"`
	Summary   string `json:"summary,omitempty"`
	Count     int    `json:"observation_count"`
}

func viewSession(s *engram.Session) sessionJSON {
	return sessionJSON{
		ID: s.ID, Project: s.Project, Directory: s.Directory, Status: string(s.Status),
		StartedAt: rfc3339(s.StartedAt), EndedAt: rfc3339(s.EndedAt), Summary: s.Summary, Count: s.Count,
	}
}

func newSessionsCmd(g *globals) *cobra.Command {
	var in memory.RecentInput
	cmd := &cobra.Command{
		Use:     "sessions",
		Aliases: []string{"session"},
		Short:   "List sessions; start, end or summarise one",
		Example: "  engram sessions --limit 5\n  engram sessions end 5f2c --summary 'Finished the importer'",
		Args:    cobra.NoArgs,
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, _ []string) error {
			list, err := a.Memory.Sessions(ctx, in)
			if err != nil {
				return err
			}
			view := struct {
				Items []sessionJSON `json:"items"`
				Next  string        `json:"next_cursor"`
			}{make([]sessionJSON, 0, len(list.Sessions)), list.Next}
			for _, s := range list.Sessions {
				view.Items = append(view.Items, viewSession(s))
			}
			return g.print(cmd, view, func(w *out) {
				if len(list.Sessions) == 0 {
					fmt.Fprintln(w, "There are no sessions here yet; add --all to list those of every project.")
				}
				for _, s := range list.Sessions {
					fmt.Fprintf(w, "%s  %s  %s  [%s]  %s\n", s.ID, w.time(s.StartedAt), s.Status, s.Project, plural(s.Count, "memory", "memories"))
					if s.Summary != "" {
						w.snippet(s.Summary, 200, "--json")
					}
				}
				if list.Next != "" {
					fmt.Fprintf(w, "There is more; add --cursor %s for the next page.\n", list.Next)
				}
			})
		}),
	}
	recentFlags(cmd, &in)
	cmd.AddCommand(newSessionStartCmd(g), newSessionEndCmd(g), newSessionSummaryCmd(g), newSessionDeleteCmd(g))
	return cmd
}

// recentFlags are those of the lists of sessions and prompts.
func recentFlags(cmd *cobra.Command, in *memory.RecentInput) {
	cmd.Flags().StringVar(&in.Project, "project", "", "project (default: found from the directory)")
	cmd.Flags().BoolVar(&in.AllProjects, "all", false, "all projects")
	rangeVar(cmd.Flags(), &in.Limit, "limit", 20, 1, 1000, "at most this many")
	cmd.Flags().StringVar(&in.Cursor, "cursor", "", "go on after the page before")
}

func newSessionStartCmd(g *globals) *cobra.Command {
	in := memory.SessionInput{}
	cmd := &cobra.Command{
		Use:     "start ID",
		Short:   "Start a session",
		Example: "  engram sessions start 5f2c --project engram",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			in.ID = args[0]
			if in.Directory == "" {
				in.Directory = g.env.Dir
			}
			s, created, err := a.Memory.StartSession(ctx, in)
			if err != nil {
				return err
			}
			view := struct {
				sessionJSON
				redactedJSON
			}{viewSession(s.Session), redactedJSON{list(s.Redacted)}}
			return g.print(cmd, view, func(w *out) {
				if created {
					fmt.Fprintf(w, "started %s\n", s.ID)
				} else {
					fmt.Fprintf(w, "%s is there already (%s)\n", s.ID, s.Status)
				}
				printRedacted(w, s.Redacted)
			})
		}),
	}
	cmd.Flags().StringVar(&in.Project, "project", "", "project (default: found from the directory)")
	cmd.Flags().StringVar(&in.Directory, "directory", "", "where it runs (default: here)")
	return cmd
}

func newSessionEndCmd(g *globals) *cobra.Command {
	var summary string
	cmd := &cobra.Command{
		Use:     "end ID",
		Short:   "End a session",
		Example: "  engram sessions end 5f2c --summary 'Finished the importer'",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			s, err := a.Memory.EndSession(ctx, args[0], summary)
			if err != nil {
				return err
			}
			view := struct {
				sessionJSON
				redactedJSON
			}{viewSession(s.Session), redactedJSON{list(s.Redacted)}}
			return g.print(cmd, view, func(w *out) {
				fmt.Fprintf(w, "ended %s\n", s.ID)
				printRedacted(w, s.Redacted)
			})
		}),
	}
	cmd.Flags().StringVar(&summary, "summary", "", "what was done")
	return cmd
}

func newSessionSummaryCmd(g *globals) *cobra.Command {
	var project, session, file string
	cmd := &cobra.Command{
		Use:     "summary [TEXT]",
		Short:   "Save the summary of a session",
		Example: "  engram sessions summary --session 5f2c --file summary.md",
		Args:    cobra.MaximumNArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			content, err := g.content(ctx, args, file)
			if err != nil {
				return err
			}
			res, err := a.Memory.SessionSummary(ctx, project, session, content)
			if err != nil {
				return err
			}
			return g.printSaved(cmd, res)
		}),
	}
	cmd.Flags().StringVar(&project, "project", "", "project (default: found from the directory)")
	cmd.Flags().StringVar(&session, "session", "", "session id")
	cmd.Flags().StringVar(&file, "file", "", "read the text from a file, - for standard input")
	return cmd
}

func newSessionDeleteCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "delete ID",
		Short:   "Delete a session that has nothing in it",
		Example: "  engram sessions delete 5f2c",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			if err := a.Memory.DeleteSession(ctx, args[0]); err != nil {
				return err
			}
			return g.print(cmd, map[string]any{"id": args[0], "deleted": true}, func(w *out) { fmt.Fprintf(w, "deleted %s\n", args[0]) })
		}),
	}
}

type promptJSON struct {
	ID        int64  `json:"id"`
	Session   string `json:"session_id"`
	Project   string `json:"project,omitempty"`
	Content   string `json:"content"`
	CreatedAt string `json:"created_at"`
}

func newPromptsCmd(g *globals) *cobra.Command {
	var search string
	var in memory.RecentInput
	cmd := &cobra.Command{
		Use:     "prompts",
		Aliases: []string{"prompt"},
		Short:   "List or search what was asked; show, save or delete a prompt",
		Example: "  engram prompts --search 'retry policy'",
		Args:    cobra.NoArgs,
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, _ []string) error {
			var list memory.PromptsResult
			var err error
			if search != "" {
				list, err = a.Memory.SearchPrompts(ctx, search, in)
			} else {
				list, err = a.Memory.Prompts(ctx, in)
			}
			if err != nil {
				return err
			}
			g.warn(list.Warnings)
			view := struct {
				Items []promptJSON `json:"items"`
				Next  string       `json:"next_cursor"`
			}{make([]promptJSON, 0, len(list.Prompts)), list.Next}
			for _, p := range list.Prompts {
				view.Items = append(view.Items, promptJSON{p.ID, p.Session, p.Project, p.Content, rfc3339(p.CreatedAt)})
			}
			return g.print(cmd, view, func(w *out) {
				if len(list.Prompts) == 0 {
					fmt.Fprintln(w, "There are no prompts here; add --all to list those of every project.")
				}
				for _, p := range list.Prompts {
					fmt.Fprintf(w, "#%d  %s  [%s]\n", p.ID, w.time(p.CreatedAt), p.Project)
					w.snippet(p.Content, 200, "--json")
				}
				if list.Next != "" {
					fmt.Fprintf(w, "There is more; add --cursor %s for the next page.\n", list.Next)
				}
			})
		}),
	}
	recentFlags(cmd, &in)
	cmd.Flags().StringVar(&search, "search", "", "only those with any of these words")
	cmd.AddCommand(newPromptShowCmd(g), newPromptSaveCmd(g), newPromptDeleteCmd(g))
	return cmd
}

func newPromptShowCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "show ID",
		Short:   "Show a prompt, whole",
		Example: "  engram prompts show 3",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			id, err := parsePromptID(args[0])
			if err != nil {
				return err
			}
			p, err := a.Memory.Prompt(ctx, id)
			if err != nil {
				return err
			}
			return g.print(cmd, promptJSON{p.ID, p.Session, p.Project, p.Content, rfc3339(p.CreatedAt)}, func(w *out) {
				fmt.Fprintf(w, "#%d  %s  [%s]\n%s\n", p.ID, w.time(p.CreatedAt), p.Project, p.Content)
			})
		}),
	}
}

// parsePromptID reads the id of a prompt, with or without #.
func parsePromptID(s string) (int64, error) {
	id, err := strconv.ParseInt(strings.TrimPrefix(s, "#"), 10, 64)
	if err != nil || id <= 0 {
		return 0, usageError{fmt.Errorf("%q is not the id of a prompt: use a number like 12", s)}
	}
	return id, nil
}

func newPromptSaveCmd(g *globals) *cobra.Command {
	var project, session, file string
	cmd := &cobra.Command{
		Use:     "save [TEXT]",
		Short:   "Save a prompt",
		Example: "  engram prompts save 'Make the importer idempotent' --session 5f2c",
		Args:    cobra.MaximumNArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			content, err := g.content(ctx, args, file)
			if err != nil {
				return err
			}
			p, err := a.Memory.SavePrompt(ctx, session, project, content)
			if err != nil {
				return err
			}
			view := struct {
				promptJSON
				redactedJSON
			}{promptJSON{p.ID, p.Session, p.Project, p.Content, rfc3339(p.CreatedAt)}, redactedJSON{list(p.Redacted)}}
			return g.print(cmd, view, func(w *out) {
				fmt.Fprintf(w, "saved prompt %d\n", p.ID)
				printRedacted(w, p.Redacted)
			})
		}),
	}
	cmd.Flags().StringVar(&project, "project", "", "project (default: found from the directory)")
	cmd.Flags().StringVar(&session, "session", "", "session id")
	cmd.Flags().StringVar(&file, "file", "", "read the text from a file, - for standard input")
	return cmd
}

func newPromptDeleteCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "delete ID",
		Short:   "Erase a prompt",
		Example: "  engram prompts delete 3",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			id, err := parsePromptID(args[0])
			if err != nil {
				return err
			}
			if err := a.Memory.DeletePrompt(ctx, id); err != nil {
				return err
			}
			return g.print(cmd, map[string]any{"id": id, "deleted": true}, func(w *out) { fmt.Fprintf(w, "erased prompt %d\n", id) })
		}),
	}
}
