package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"engram"
	"engram/client"
	"engram/internal/app"
	"engram/internal/atomicfile"
	"engram/internal/service/transfer"

	"github.com/spf13/cobra"
)

func newExportCmd(g *globals) *cobra.Command {
	var format, project string
	cmd := &cobra.Command{
		Use:     "export [FILE]",
		Short:   "Write everything that is remembered to a file",
		Long:    "Write everything to a new file (standard output without one): as Engram's own JSON, which restores to an equal store, or with --format wire in the form that tools of this family read. What exists is not written over.",
		Example: "  engram export backup.json\n  engram export --format wire --project engram | jq .observations",
		Args:    cobra.MaximumNArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			f := transfer.Format(format)
			if f != transfer.JSON && f != transfer.Wire {
				return usageError{fmt.Errorf("--format %q: use json or wire", format)}
			}
			var projects []string
			if project != "" {
				projects = []string{project}
			}
			if len(args) == 0 || args[0] == "-" {
				g.env.ErrTerminal = false // what is written may be on the same screen
				return a.Transfer.Export(ctx, cmd.OutOrStdout(), f, projects)
			}
			if err := g.newFile(args[0]); err != nil {
				return err
			}
			size, err := writeFile(args[0], func(w io.Writer) error { return a.Transfer.Export(ctx, w, f, projects) })
			if err != nil {
				return err
			}
			return g.print(cmd, map[string]any{"file": args[0], "bytes": size, "format": format}, func(w *out) {
				fmt.Fprintf(w, "wrote %s, %.1f kB\n", args[0], float64(size)/1e3)
			})
		}),
	}
	cmd.Flags().StringVar(&format, "format", "json", "json or wire")
	cmd.Flags().StringVar(&project, "project", "", "only this project")
	return cmd
}

// newFile is nil when path is free: nothing is there, of whatever kind, and its
// name is none that the data directory has a use for.
func (g *globals) newFile(path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fileExists(path)
	}
	cfg, err := g.config()
	if err != nil {
		return err
	}
	if cfg.Reserves(path) {
		return engram.Errorf(engram.ErrInvalid, "%s is a name of the data directory's own files", path).
			WithCode("reserved_name").WithHint("name another file")
	}
	return nil
}

func fileExists(path string) error {
	return engram.Errorf(engram.ErrConflict, "%s exists", path).WithCode("file_exists").WithHint("name another file")
}

// writeFile writes a new file for its owner only, whole or not at all.
func writeFile(path string, write func(io.Writer) error) (size int64, err error) {
	f, err := atomicfile.New(path)
	if err != nil {
		return 0, cannotWrite(path, err)
	}
	defer func() { err = errors.Join(err, f.Discard()) }()
	out, err := os.OpenFile(f.Path(), os.O_WRONLY, 0)
	if err != nil {
		return 0, cannotWrite(path, err)
	}
	err = write(out)
	info, statErr := out.Stat()
	err = errors.Join(err, statErr, out.Close())
	if atomicfile.IsFull(err) {
		return 0, cannotWrite(path, err)
	}
	if err != nil {
		return 0, err
	}
	err = f.Commit(false)
	if errors.Is(err, fs.ErrExist) {
		return 0, fileExists(path)
	}
	if err != nil {
		return 0, cannotWrite(path, err)
	}
	return info.Size(), nil
}

func cannotWrite(path string, err error) error {
	if atomicfile.IsFull(err) {
		return engram.Errorf(engram.ErrUnavailable, "cannot write %s: the disk is full", path).
			WithCode("disk_full").WithHint("free some space, or name a file on another disk")
	}
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		err = e.Err // the path of the unfinished file says nothing to people
	}
	return engram.Errorf(engram.ErrUnavailable, "cannot write %s: %v", path, err).WithCode("cannot_write")
}

func newImportCmd(g *globals) *cobra.Command {
	var dryRun bool
	cmd := &cobra.Command{
		Use:     "import FILE",
		Short:   "Read an export; what is there already is left alone",
		Example: "  engram import backup.json --dry-run",
		Args:    cobra.ExactArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			in := g.stdin(ctx)
			if args[0] != "-" {
				f, err := os.Open(args[0])
				if err != nil {
					return unreadable(args[0], err)
				}
				defer f.Close()
				if info, err := f.Stat(); err == nil && info.IsDir() {
					return usageError{fmt.Errorf("%s is a folder: name the file that an export wrote", args[0])}
				}
				in = f
			}
			r, err := a.Transfer.Import(ctx, in, transfer.ImportOptions{DryRun: dryRun})
			if err != nil {
				return err
			}
			type refusal struct {
				Item   string `json:"item"`
				Reason string `json:"reason"`
			}
			view := struct {
				Sessions int       `json:"sessions_imported"`
				Memories int       `json:"observations_imported"`
				Prompts  int       `json:"prompts_imported"`
				Versions int       `json:"versions_imported"`
				Skipped  int       `json:"skipped"`
				Refused  []refusal `json:"refused"`
				Warnings []string  `json:"warnings"`
				DryRun   bool      `json:"dry_run"`
			}{r.Sessions, r.Memories, r.Prompts, r.Versions, r.Skipped, []refusal{}, list(r.Warnings), r.DryRun}
			for _, f := range r.Refused {
				view.Refused = append(view.Refused, refusal(f))
			}
			return g.print(cmd, view, func(w *out) {
				verb := "imported"
				if r.DryRun {
					verb = "would import"
				}
				fmt.Fprintf(w, "%s %s, %s, %s, %s; %d there already\n", verb, plural(r.Memories, "memory", "memories"),
					plural(r.Sessions, "session", "sessions"), plural(r.Prompts, "prompt", "prompts"), plural(r.Versions, "older version", "older versions"), r.Skipped)
				for _, f := range r.Refused {
					fmt.Fprintf(w, "refused %s: %s\n", f.Item, f.Reason)
				}
				for _, warning := range r.Warnings {
					fmt.Fprintf(w, "warning: %s\n", warning)
				}
			})
		}),
	}
	cmd.Flags().BoolVar(&dryRun, "dry-run", false, "only say what would be done")
	return cmd
}

func newBackupCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "backup [FILE]",
		Short:   "Copy the database while others go on working",
		Example: "  engram backup",
		Args:    cobra.MaximumNArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			path := ""
			if len(args) > 0 {
				if err := g.newFile(args[0]); err != nil {
					return err
				}
				path = args[0]
			}
			path, size, err := a.Upkeep.Backup(ctx, path)
			if err != nil {
				return err
			}
			return g.print(cmd, map[string]any{"file": path, "bytes": size}, func(w *out) {
				fmt.Fprintf(w, "copied to %s, %.1f MB; engram restore %s brings it back\n", path, float64(size)/1e6, path)
			})
		}),
	}
}

func newRestoreCmd(g *globals) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "restore ID|FILE",
		Short: "Bring back a deleted memory, or a backup of the whole store",
		Long: `With the id of a deleted memory: bring it back. With a backup file: put it in the place of
the store, after asking; the store that was there is kept beside it.`,
		Example: "  engram restore 12\n  engram restore ~/.engram/backups/memory-2026-07-02T09-15-00Z.db",
		Args:    cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			if _, err := parseID(args[0]); err == nil {
				return g.run(g.restoreMemory)(cmd, args)
			}
			return g.restoreBackup(cmd, args[0], yes)
		},
	}
	cmd.Flags().BoolVar(&yes, "yes", false, "do not ask")
	return cmd
}

func (g *globals) restoreMemory(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
	id, err := parseID(args[0])
	if err != nil {
		return err
	}
	r, err := a.Memory.Restore(ctx, id)
	if err != nil {
		return err
	}
	view := client.Restored{Memory: viewMemory(r.Memory), WasLiving: r.WasLiving, LostTopic: r.LostTopic, TopicHolder: r.TopicHolder}
	return g.print(cmd, view, func(w *out) {
		if r.WasLiving {
			fmt.Fprintf(w, "memory %d is not deleted, so there is nothing to restore: %s\n", r.ID, oneLine(r.Title))
			return
		}
		fmt.Fprintf(w, "restored %d: %s\n", r.ID, oneLine(r.Title))
		if r.LostTopic != "" {
			fmt.Fprintf(w, "its topic key %s is now that of memory %d, so %d came back without one\n", r.LostTopic, r.TopicHolder, r.ID)
		}
	})
}

func (g *globals) restoreBackup(cmd *cobra.Command, file string, yes bool) error {
	cfg, err := g.config()
	if err != nil {
		return err
	}
	if _, err := os.Stat(file); err != nil {
		return unreadable(file, err)
	}
	if !yes {
		if err := g.confirm(cmd, fmt.Sprintf("Put %s in the place of the store in %s?", file, cfg.DataDir)); err != nil {
			return err
		}
	}
	kept, err := app.RestoreBackup(app.AsOwner(cmd.Context(), "cli", engram.OriginUser), cfg, file)
	if err != nil {
		return err
	}
	return g.print(cmd, map[string]any{"restored": file, "kept": kept}, func(w *out) {
		fmt.Fprintf(w, "restored %s\n", file)
		if kept != "" {
			fmt.Fprintf(w, "the store that was there is now %s\n", kept)
		}
	})
}
