package cli

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"engram"
	"engram/client"
	"engram/internal/app"

	"github.com/spf13/cobra"
)

type projectJSON struct {
	Name     string   `json:"name"`
	Remote   string   `json:"remote,omitempty"`
	Aliases  []string `json:"aliases"`
	Memories int      `json:"memories"`
	Sessions int      `json:"sessions"`
	Prompts  int      `json:"prompts"`
	LastUsed string   `json:"last_used,omitempty"`
}

func newProjectsCmd(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "projects",
		Aliases: []string{"project"},
		Short:   "List projects; merge two, or say which one this is",
		Example: "  engram projects\n  engram project merge old-name new-name",
		Args:    cobra.NoArgs,
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, _ []string) error {
			projects, err := a.Memory.Projects(ctx)
			if err != nil {
				return err
			}
			view := struct {
				Items []projectJSON `json:"items"`
			}{make([]projectJSON, 0, len(projects))}
			for _, p := range projects {
				view.Items = append(view.Items, projectJSON{p.Name, p.Remote, list(p.Aliases), p.Memories, p.Sessions, p.Prompts, rfc3339(p.LastUsed)})
			}
			return g.print(cmd, view, func(w *out) {
				if len(projects) == 0 {
					fmt.Fprintln(w, "no projects yet")
				}
				for _, p := range projects {
					name := p.Name
					if name == "" {
						name = "(none)"
					}
					fmt.Fprintf(w, "%s  %s, %s  %s\n", name, plural(p.Memories, "memory", "memories"), plural(p.Sessions, "session", "sessions"), w.time(p.LastUsed))
					if len(p.Aliases) > 0 {
						fmt.Fprintf(w, "    also: %s\n", strings.Join(p.Aliases, ", "))
					}
				}
			})
		}),
	}
	cmd.AddCommand(newProjectCurrentCmd(g), newProjectMergeCmd(g), newProjectUnmergeCmd(g))
	return cmd
}

func newProjectCurrentCmd(g *globals) *cobra.Command {
	var project string
	cmd := &cobra.Command{
		Use:     "current",
		Short:   "Say which project this directory is, and why",
		Example: "  engram project current\n  engram project current --project old-name",
		Args:    cobra.NoArgs,
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, _ []string) error {
			find := a.Memory.CurrentProject
			if project != "" {
				find = func(ctx context.Context) (engram.ProjectIdentity, error) {
					return a.Memory.IdentifyProject(ctx, engram.ProjectIdentity{Name: project, Source: engram.ProjectExplicit})
				}
			}
			id, err := find(ctx)
			if err != nil {
				return err
			}
			view := struct {
				Name     string   `json:"name"`
				Source   string   `json:"source"`
				Path     string   `json:"path,omitempty"`
				Remote   string   `json:"remote,omitempty"`
				Warnings []string `json:"warnings"`
			}{id.Name, string(id.Source), id.Path, id.Remote, list(id.Warnings)}
			return g.print(cmd, view, func(w *out) {
				if id.Name == "" {
					fmt.Fprintf(w, "no project: nothing here gives a name; name one with --project or ENGRAM_PROJECT\n")
				} else {
					fmt.Fprintf(w, "%s (%s)\n", id.Name, strings.TrimSuffix(string(id.Source)+": "+id.Path, ": "))
				}
				for _, warning := range id.Warnings {
					fmt.Fprintf(w, "warning: %s\n", warning)
				}
			})
		}),
	}
	cmd.Flags().StringVar(&project, "project", "", "say what this name stands for, through merges")
	return cmd
}

func newProjectMergeCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "merge FROM TO",
		Short:   "File everything of one project under another; unmerge undoes it",
		Example: "  engram project merge engram-old engram",
		Args:    cobra.ExactArgs(2),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			moved, err := a.Memory.MergeProjects(ctx, args[0], args[1])
			if err != nil {
				return err
			}
			return g.print(cmd, map[string]any{"from": args[0], "to": args[1], "moved": moved}, func(w *out) {
				fmt.Fprintf(w, "moved %s from %s to %s; engram project unmerge %s undoes it\n", plural(moved, "item", "items"), args[0], args[1], args[0])
			})
		}),
	}
}

func newProjectUnmergeCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "unmerge NAME",
		Short:   "Undo a merge",
		Example: "  engram project unmerge engram-old",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			moved, err := a.Memory.UnmergeProject(ctx, args[0])
			if err != nil {
				return err
			}
			return g.print(cmd, map[string]any{"name": args[0], "moved": moved}, func(w *out) {
				fmt.Fprintf(w, "%s is a project of its own again, with %s\n", args[0], plural(moved, "item", "items"))
			})
		}),
	}
}

func newStatsCmd(g *globals) *cobra.Command {
	var project string
	cmd := &cobra.Command{
		Use:     "stats",
		Short:   "Count what is remembered",
		Example: "  engram stats --project engram",
		Args:    cobra.NoArgs,
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, _ []string) error {
			s, err := a.Memory.Stats(ctx, project)
			if err != nil {
				return err
			}
			view := struct {
				Memories int            `json:"total_observations"`
				Deleted  int            `json:"deleted"`
				Versions int            `json:"older_versions"`
				Sessions int            `json:"total_sessions"`
				Prompts  int            `json:"total_prompts"`
				ByType   map[string]int `json:"by_type"`
				Projects []string       `json:"projects"`
				Bytes    int64          `json:"bytes"`
				Path     string         `json:"path"`
				Schema   int            `json:"schema_version"`
				Models   []client.Model `json:"embedder_models,omitempty"`
			}{s.Memories, s.Deleted, s.Versions, s.Sessions, s.Prompts, s.ByType, list(s.Projects), s.Bytes, s.Path, s.SchemaVersion, viewModels(s.Models)}
			if view.ByType == nil {
				view.ByType = map[string]int{}
			}
			return g.print(cmd, view, func(w *out) {
				fmt.Fprintf(w, "%s, %s, %s\n", plural(s.Memories, "memory", "memories"), plural(s.Sessions, "session", "sessions"), plural(s.Prompts, "prompt", "prompts"))
				fmt.Fprintf(w, "%d deleted (can be restored), %s\n", s.Deleted, plural(s.Versions, "older version", "older versions"))
				for _, typ := range slices.Sorted(maps.Keys(s.ByType)) {
					fmt.Fprintf(w, "  %-20s %d\n", typ, s.ByType[typ])
				}
				if len(s.Projects) > 0 {
					fmt.Fprintf(w, "projects: %s\n", strings.Join(s.Projects, ", "))
				}
				for _, m := range view.Models {
					fmt.Fprintf(w, "%s: %d have a vector, %d wait for one, %d could not get one\n", m.Name, m.Have, m.Lack, m.Failed)
				}
				fmt.Fprintf(w, "%s, %.1f MB\n", s.Path, float64(s.Bytes)/1e6)
			})
		}),
	}
	cmd.Flags().StringVar(&project, "project", "", "only this project")
	return cmd
}
