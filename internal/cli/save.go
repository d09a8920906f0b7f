package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"
	"time"

	"engram"
	"engram/internal/app"
	"engram/internal/service/memory"
	"engram/internal/store"

	"github.com/spf13/cobra"
)

func newSaveCmd(g *globals) *cobra.Command {
	var in memory.SaveInput
	var file, at string
	var importance float64
	cmd := &cobra.Command{
		Use:   "save TITLE [CONTENT]",
		Short: "Save a memory",
		Long: `Save a memory. The content is the second argument, --file, or standard input (also as -).
Text between <private> and </private> and credentials are taken out before it is stored.`,
		Example: "  engram save 'Retry policy' 'Webhooks are retried five times' --type decision\n  git log -1 --format=%B | engram save 'Last commit'",
		Args:    cobra.RangeArgs(1, 2),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			in.Title = args[0]
			content, err := g.content(ctx, args[1:], file)
			if err != nil {
				return err
			}
			in.Content = content
			if cmd.Flags().Changed("importance") {
				in.Importance = &importance
			}
			if in.OccurredAt, err = g.parseTime(at, "--at"); err != nil {
				return err
			}
			res, err := a.Memory.Save(ctx, in)
			if err != nil {
				return err
			}
			return g.printSaved(cmd, res)
		}),
	}
	f := cmd.Flags()
	f.StringVar(&in.Type, "type", engram.TypeManual, "what it is: decision, bugfix, pattern, preference, …")
	f.StringVar(&in.Project, "project", "", "project it belongs to (default: found from the directory)")
	f.StringVar(&in.Scope, "scope", "project", "project, personal or global")
	f.StringVar(&in.TopicKey, "topic", "", "topic key: saving the same one again updates the memory")
	f.StringVar(&in.Session, "session", "", "session id")
	f.StringVar(&in.Status, "status", "", "how far a task is: done ends it, any other word (open, blocked, …) leaves it open")
	f.StringSliceVar(&in.Files, "files", nil, "files it is about")
	f.BoolVar(&in.Pinned, "pin", false, "show it first in every context")
	f.Float64Var(&importance, "importance", 0, "0 to 1")
	f.StringVar(&in.Speaker, "speaker", "", "who said it")
	f.StringVar(&in.Role, "role", "", "user or assistant")
	f.StringVar(&at, "at", "", "when it was said or happened (RFC 3339 or YYYY-MM-DD; default now)")
	f.StringVar(&file, "file", "", "read the content from a file, - for standard input")
	return cmd
}

// content is the text of a command: an argument, a file, or standard input.
func (g *globals) content(ctx context.Context, args []string, file string) (string, error) {
	switch {
	case len(args) > 0 && file != "":
		return "", usageError{fmt.Errorf("give the content as an argument or with --file, not both")}
	case len(args) > 0 && args[0] == "-":
		return g.content(ctx, nil, "-")
	case len(args) > 0:
		return args[0], nil
	case file == "-", file == "" && !g.env.Terminal:
		return readText(g.stdin(ctx), "standard input")
	case file != "":
		f, err := os.Open(file)
		if err != nil {
			return "", unreadable(file, err)
		}
		defer f.Close()
		return readText(f, file)
	}
	return "", usageError{fmt.Errorf("content is required: give it as an argument, with --file, or on standard input")}
}

// maxText bounds what is read of a text; what is private in it is taken out
// before the limit for contents counts.
const maxText = 64 << 20

func readText(r io.Reader, name string) (string, error) {
	b, err := io.ReadAll(io.LimitReader(r, maxText+1))
	if err != nil {
		return "", unreadable(name, err)
	}
	if len(b) > maxText {
		return "", engram.Errorf(engram.ErrInvalid, "%s has more than %d bytes", name, maxText).
			WithCode("too_long").WithHint("save parts of it")
	}
	return string(b), checkUTF8(name, string(b))
}

// unreadable says that a file of the user's cannot be read.
func unreadable(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return engram.Errorf(engram.ErrNotFound, "there is no file %s", name)
	}
	if pe, ok := errors.AsType[*fs.PathError](err); ok {
		err = pe.Err
	}
	return engram.Errorf(engram.ErrUnavailable, "cannot read %s: %v", name, err).WithCode("cannot_read")
}

// localLayouts are the forms of time without a zone: the user's is meant.
var localLayouts = []string{time.DateOnly, "2006-01-02 15:04", "2006-01-02T15:04", time.DateTime, "2006-01-02T15:04:05"}

// parseTime reads a time; a date is its beginning in the user's zone.
func (g *globals) parseTime(s, name string) (time.Time, error) {
	if s == "" {
		return time.Time{}, nil
	}
	t, err := time.Parse(time.RFC3339, s)
	for _, layout := range localLayouts {
		if err == nil {
			break
		}
		t, err = time.ParseInLocation(layout, s, g.zone)
	}
	switch {
	case err == nil && !engram.Keepable(t):
		return time.Time{}, usageError{fmt.Errorf("%s %q: years %d to %d can be kept", name, s, engram.MinYear, engram.MaxYear)}
	case err == nil:
		return t, nil
	}
	return time.Time{}, usageError{fmt.Errorf("%s %q is not a time: use 2026-07-02, '2026-07-02 09:15' or 2026-07-02T09:15:00Z", name, s)}
}

type savedJSON struct {
	ID            int64    `json:"id"`
	UID           string   `json:"uid"`
	Outcome       string   `json:"outcome"`
	Type          string   `json:"type"`
	Project       string   `json:"project,omitempty"`
	Session       string   `json:"session_id,omitempty"`
	TopicKey      string   `json:"topic_key,omitempty"`
	Suggested     string   `json:"suggested_topic_key,omitempty"`
	RevisionCount int      `json:"revision_count"`
	Redacted      []string `json:"redacted"`
}

func (g *globals) printSaved(cmd *cobra.Command, res memory.SaveResult) error {
	view := savedJSON{
		ID: res.ID, UID: res.UID, Outcome: string(res.Outcome), Type: res.Type, Project: res.Project, Session: res.Session,
		TopicKey: res.TopicKey, Suggested: res.Suggested, RevisionCount: res.RevisionCount, Redacted: list(res.Redacted),
	}
	return g.print(cmd, view, func(w *out) {
		verb := map[store.Outcome]string{store.Created: "saved", store.Updated: "updated", store.Duplicate: "already there:"}[res.Outcome]
		fmt.Fprintf(w, "%s %d (%s)", verb, res.ID, res.Type)
		if res.Project != "" {
			fmt.Fprintf(w, " in %s", res.Project)
		}
		if res.Outcome == store.Duplicate && res.TopicKey != "" {
			fmt.Fprintf(w, ", topic key %s", res.TopicKey)
		}
		fmt.Fprintln(w)
		printRedacted(w, res.Redacted)
		if res.Suggested != "" {
			fmt.Fprintf(w, "To update this memory later instead of adding another, save with --topic %s.\n", res.Suggested)
		}
	})
}

// redactedJSON is what writes say of texts that were not kept as they came.
type redactedJSON struct {
	Redacted []string `json:"redacted"`
}

func printRedacted(w *out, kinds []string) {
	if len(kinds) > 0 {
		fmt.Fprintf(w, "taken out before storing: %s\n", strings.Join(kinds, ", "))
	}
}

func newCaptureCmd(g *globals) *cobra.Command {
	var in memory.CaptureInput
	var file string
	cmd := &cobra.Command{
		Use:     "capture [TEXT]",
		Short:   "Take the learnings out of a text and save the new ones",
		Long:    "Take the items under a heading like `## Key Learnings:` out of a text (argument, --file or standard input) and save the ones that are new.",
		Example: "  engram capture --file report.md",
		Args:    cobra.MaximumNArgs(1),
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error {
			content, err := g.content(ctx, args, file)
			if err != nil {
				return err
			}
			in.Content = content
			res, err := a.Memory.CapturePassive(ctx, in)
			if err != nil {
				return err
			}
			view := struct {
				Extracted  int     `json:"extracted"`
				Saved      int     `json:"saved"`
				Duplicates int     `json:"duplicates"`
				IDs        []int64 `json:"ids"`
				redactedJSON
			}{res.Extracted, res.Saved, res.Duplicates, list(res.IDs), redactedJSON{list(res.Redacted)}}
			return g.print(cmd, view, func(w *out) {
				fmt.Fprintf(w, "%s found, %d saved, %d there already\n", plural(res.Extracted, "learning", "learnings"), res.Saved, res.Duplicates)
				printRedacted(w, res.Redacted)
			})
		}),
	}
	cmd.Flags().StringVar(&in.Project, "project", "", "project (default: found from the directory)")
	cmd.Flags().StringVar(&in.Session, "session", "", "session id")
	cmd.Flags().StringVar(&in.Source, "source", "cli", "what captured it")
	cmd.Flags().StringVar(&file, "file", "", "read the text from a file, - for standard input")
	return cmd
}
