// Package cli is the command line: a function for each command builds it, a
// function does it. It decodes arguments, calls a service, and prints for
// people or, with --json, for programs. What a command means is the service's
// affair; how the parts are put together is app's.
package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"engram"
	"engram/internal/app"
	"engram/internal/config"
	"engram/internal/text"

	"github.com/spf13/cobra"
)

// Exit codes.
const (
	ExitOK       = 0
	ExitFailure  = 1
	ExitUsage    = 2
	ExitNotFound = 3
	ExitDenied   = 4
)

// Env is what a command has of the world around it.
type Env struct {
	In       io.Reader
	Out, Err io.Writer
	Getenv   func(string) string
	Home     string // "" = none
	Dir      string // working directory
	Version  string
	// Terminal reports whether In is a person's terminal: then nothing is read from
	// it unasked.
	Terminal bool
}

// System is the Env of this process.
func System(version string) Env {
	home, _ := os.UserHomeDir() // "" is handled where a home is needed
	dir, _ := os.Getwd()
	info, err := os.Stdin.Stat()
	return Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Home: home, Dir: dir,
		Version: version, Terminal: err != nil || info.Mode()&os.ModeCharDevice != 0,
	}
}

// Main runs the program with args (without its name) and returns the exit code.
func Main(ctx context.Context, args []string, env Env) int {
	root := newRootCmd(&globals{env: env})
	root.SetArgs(args)
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	cmd, err := root.ExecuteContextC(ctx)
	if err == nil {
		return ExitOK
	}
	code := exitCode(err)
	if asJSON, _ := cmd.Flags().GetBool("json"); asJSON {
		printErrorJSON(env.Err, err)
	} else {
		fmt.Fprintln(env.Err, "engram: "+errorText(err))
		if code == ExitUsage {
			fmt.Fprintf(env.Err, "try: %s --help\n", cmd.CommandPath())
		}
	}
	return code
}

// usageError marks errors about the command line itself.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func exitCode(err error) int {
	if _, ok := errors.AsType[usageError](err); ok {
		return ExitUsage
	}
	switch {
	case errors.Is(err, engram.ErrNotFound):
		return ExitNotFound
	case errors.Is(err, engram.ErrForbidden), errors.Is(err, engram.ErrUnauthenticated):
		return ExitDenied
	case errors.Is(err, engram.ErrInvalid):
		return ExitUsage
	}
	return ExitFailure
}

// errorText is the message for people. On the command line the person is the
// owner of the store, so a fault is shown whole; but the terminal may be logged,
// and an argument that was refused may hold what is private.
func errorText(err error) string {
	message := err.Error()
	if e, ok := errors.AsType[*engram.Error](err); ok {
		message = e.Error()
	}
	var c text.Cleaner
	return c.Text(message)
}

func printErrorJSON(w io.Writer, err error) {
	code := engram.ErrorCode(err)
	if _, ok := errors.AsType[usageError](err); ok {
		code = "usage"
	}
	view := struct {
		Error string `json:"error"`
		Code  string `json:"code"`
	}{errorText(err), code}
	if writeJSON(w, view) != nil {
		fmt.Fprintln(w, errorText(err))
	}
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// globals are what every command shares.
type globals struct {
	env     Env
	dataDir string
	json    bool
}

func newRootCmd(g *globals) *cobra.Command {
	root := &cobra.Command{
		Use:     "engram",
		Short:   "One memory for every AI tool",
		Version: g.env.Version,
		Long: `Engram is one memory that you hold and that every AI tool reads and writes.

Data lives in ENGRAM_DATA_DIR (default ~/.engram). Exit codes: 0 ok, 1 failure,
2 usage, 3 not found, 4 denied.`,
		Example:       "  engram save 'Queue choice' 'We use NATS because it is one binary'\n  engram search 'which queue did we choose'\n  claude mcp add engram -- engram mcp",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return cmd.Help()
			}
			return usageError{fmt.Errorf("there is no command %q%s", args[0], suggestion(cmd, args[0]))}
		},
	}
	root.PersistentFlags().StringVar(&g.dataDir, "data-dir", "", "where the memory lives (default $ENGRAM_DATA_DIR, else ~/.engram)")
	root.PersistentFlags().BoolVar(&g.json, "json", false, "print JSON")
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(
		newSaveCmd(g), newSearchCmd(g), newRecallCmd(g), newContextCmd(g), newTimelineCmd(g),
		newShowCmd(g), newEditCmd(g), newDeleteCmd(g), newRestoreCmd(g), newPinCmd(g), newUnpinCmd(g), newHistoryCmd(g), newListCmd(g),
		newCaptureCmd(g), newPromptsCmd(g), newSessionsCmd(g), newProjectsCmd(g), newStatsCmd(g),
		newMCPCmd(g), newServeCmd(g),
		newExportCmd(g), newImportCmd(g), newBackupCmd(g), newDoctorCmd(g),
		newBenchCmd(g), newVersionCmd(g),
	)
	root.InitDefaultCompletionCmd()
	if completion, _, err := root.Find([]string{"completion"}); err == nil {
		completion.Example = "  engram completion bash > ~/.local/share/bash-completion/completions/engram"
	}
	usageArgs(root)
	return root
}

func suggestion(cmd *cobra.Command, name string) string {
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// usageArgs makes the argument checks of all commands usage errors.
func usageArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return usageError{err}
			}
			return nil
		}
	}
	for _, sub := range cmd.Commands() {
		usageArgs(sub)
	}
}

// config reads the settings for a command.
func (g *globals) config() (config.Config, error) {
	return config.Load(g.env.Getenv, g.env.Home, g.dataDir)
}

// open opens the store for a command that runs as the owner.
func (g *globals) open(cmd *cobra.Command) (context.Context, *app.App, error) {
	cfg, err := g.config()
	if err != nil {
		return nil, nil, err
	}
	a, err := app.Open(cmd.Context(), cfg, g.appOptions())
	if err != nil {
		return nil, nil, err
	}
	return app.AsOwner(cmd.Context(), "cli", engram.OriginUser), a, nil
}

func (g *globals) appOptions() app.Options {
	return app.Options{Dir: g.env.Dir, Home: g.env.Home, Getenv: g.env.Getenv, Version: g.env.Version, LogTo: g.env.Err}
}

// run opens the store, does f, closes the store.
func (g *globals) run(f func(ctx context.Context, a *app.App, cmd *cobra.Command, args []string) error) func(*cobra.Command, []string) error {
	return func(cmd *cobra.Command, args []string) (err error) {
		ctx, a, err := g.open(cmd)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, a.Close()) }()
		return f(ctx, a, cmd, args)
	}
}

// print writes v as JSON with --json, else calls text.
func (g *globals) print(cmd *cobra.Command, v any, text func(w io.Writer)) error {
	if g.json {
		return writeJSON(cmd.OutOrStdout(), v)
	}
	out := &firstError{w: cmd.OutOrStdout()}
	text(out)
	return out.err
}

// firstError writes until a write fails, and keeps why: what is printed line by
// line is checked once, at its end.
type firstError struct {
	w   io.Writer
	err error
}

func (f *firstError) Write(p []byte) (int, error) {
	if f.err == nil {
		_, f.err = f.w.Write(p)
	}
	return len(p), nil
}
