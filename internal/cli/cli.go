// Package cli is the command line: a function for each command builds it, a
// function does it. It decodes arguments, calls a service, and prints for
// people or, with --json, for programs. What a command means is the service's
// affair; how the parts are put together is app's.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

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
	// ExitInterrupted is that of a program that Ctrl-C ended, as shells count.
	ExitInterrupted = 130
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
	// ErrTerminal reports whether Err is one: then long work tells how far it is.
	ErrTerminal bool
}

// System is the Env of this process.
func System(version string) Env {
	home, _ := os.UserHomeDir() // "" is handled where a home is needed
	dir, _ := os.Getwd()
	return Env{
		In: os.Stdin, Out: os.Stdout, Err: os.Stderr, Getenv: os.Getenv, Home: home, Dir: dir,
		Version: version, Terminal: isTerminal(os.Stdin), ErrTerminal: isTerminal(os.Stderr),
	}
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err != nil || info.Mode()&os.ModeCharDevice != 0
}

// Main runs the program with args (without its name) and returns the exit code.
func Main(ctx context.Context, args []string, env Env) int {
	g := &globals{env: env, zone: time.Local}
	root := newRootCmd(g)
	root.SetArgs(args)
	root.SetIn(env.In)
	root.SetOut(env.Out)
	root.SetErr(env.Err)
	cmd, err := root.ExecuteContextC(ctx)
	g.endNote()
	if err == nil || errors.Is(err, syscall.EPIPE) {
		return ExitOK // who read the output has seen enough
	}
	if ctx.Err() != nil {
		err = errInterrupted
	}
	code := exitCode(err)
	if g.json || wantsJSON(args) {
		printErrorJSON(env.Err, err)
		return code
	}
	fmt.Fprintln(env.Err, "engram: "+errorText(err))
	if code == ExitUsage {
		fmt.Fprintf(env.Err, "try: %s --help\n", cmd.CommandPath())
	}
	return code
}

// wantsJSON looks for --json where flags could not be read to their end.
func wantsJSON(args []string) bool {
	if end := slices.Index(args, "--"); end >= 0 {
		args = args[:end]
	}
	return slices.Contains(args, "--json")
}

// errInterrupted is every error of a command that was told to end.
var errInterrupted = errors.New("interrupted")

// usageError marks errors about the command line itself.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }
func (e usageError) Unwrap() error { return e.err }

func exitCode(err error) int {
	if _, ok := errors.AsType[usageError](err); ok {
		return ExitUsage
	}
	switch {
	case errors.Is(err, errInterrupted):
		return ExitInterrupted
	case errors.Is(err, engram.ErrNotFound):
		return ExitNotFound
	case errors.Is(err, engram.ErrForbidden), errors.Is(err, engram.ErrUnauthenticated):
		return ExitDenied
	case errors.Is(err, engram.ErrInvalid), errors.Is(err, engram.ErrTooLarge):
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
	if errors.Is(err, errInterrupted) {
		code = "interrupted"
	}
	view := struct {
		Error string `json:"error"`
		Code  string `json:"code"`
	}{errorText(err), code}
	if writeJSON(w, view) != nil {
		fmt.Fprintln(w, errorText(err))
	}
}

// globals are what every command shares.
type globals struct {
	env     Env
	dataDir string
	json    bool
	zone    *time.Location // in which times are shown
	noted   bool           // a line of [globals.note] stands open
}

func newRootCmd(g *globals) *cobra.Command {
	var version bool
	root := &cobra.Command{
		Use:   "engram",
		Short: "One memory for every AI tool",
		Long: `Engram is one memory that you hold and that every AI tool reads and writes.

Data lives in ENGRAM_DATA_DIR (default ~/.engram). Exit codes: 0 ok, 1 failure,
2 usage, 3 not found, 4 denied, 130 interrupted.`,
		Example:       "  engram save 'Queue choice' 'We use NATS because it is one binary'\n  engram search 'which queue did we choose'\n  claude mcp add engram -- engram mcp",
		SilenceUsage:  true,
		SilenceErrors: true,
		Args:          cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			switch {
			case version:
				return g.printVersion(cmd)
			case len(args) == 0:
				return g.help(cmd)
			}
			return usageError{fmt.Errorf("there is no command %q%s", args[0], suggestion(cmd, args[0]))}
		},
	}
	root.PersistentFlags().StringVar(&g.dataDir, "data-dir", "", "where the memory lives (default $ENGRAM_DATA_DIR, else ~/.engram)")
	root.PersistentFlags().BoolVar(&g.json, "json", false, "print JSON")
	root.Flags().BoolVarP(&version, "version", "v", false, "print the version") // cobra's own knows no --json
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return usageError{err} })
	root.AddCommand(
		newSaveCmd(g), newSearchCmd(g), newRecallCmd(g), newContextCmd(g), newTimelineCmd(g),
		newShowCmd(g), newEditCmd(g), newDeleteCmd(g), newRestoreCmd(g), newPinCmd(g), newUnpinCmd(g), newHistoryCmd(g), newListCmd(g),
		newCaptureCmd(g), newPromptsCmd(g), newSessionsCmd(g), newProjectsCmd(g), newStatsCmd(g),
		newMCPCmd(g), newServeCmd(g),
		newExportCmd(g), newImportCmd(g), newBackupCmd(g), newMigrateCmd(g), newDoctorCmd(g), newEmbedCmd(g),
		newBenchCmd(g), newCompletionCmd(g), newVersionCmd(g),
	)
	help := newHelpCmd(g)
	root.SetHelpCommand(help)
	root.AddCommand(help)
	checkUsage(root)
	return root
}

func suggestion(cmd *cobra.Command, name string) string {
	cmd.SuggestionsMinimumDistance = 2
	if near := cmd.SuggestionsFor(name); len(near) > 0 {
		return "; did you mean " + strings.Join(near, " or ") + "?"
	}
	return ""
}

// config reads the settings for a command.
func (g *globals) config() (config.Config, error) {
	cfg, err := config.Load(g.env.Getenv, g.env.Home, g.dataDir)
	if err == nil {
		g.zone = cfg.Zone
	}
	return cfg, err
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
	return app.Options{Dir: g.env.Dir, Home: g.env.Home, Getenv: g.env.Getenv, Version: g.env.Version, LogTo: g.env.Err, Progress: g.note}
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

// interruptible is a reader that Ctrl-C ends while it waits.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

// maxRead bounds one read: its buffer is given up when the wait is.
const maxRead = 64 << 10

func (i interruptible) Read(p []byte) (int, error) {
	type result struct {
		n   int
		err error
	}
	buf, done := make([]byte, min(len(p), maxRead)), make(chan result, 1)
	go func() {
		n, err := i.r.Read(buf)
		done <- result{n, err}
	}()
	select {
	case r := <-done:
		copy(p, buf[:r.n])
		return r.n, r.err
	case <-i.ctx.Done():
		return 0, i.ctx.Err()
	}
}

// stdin is standard input for a command that reads it to its end: a file as it
// is, which an import reads twice, all else so that Ctrl-C ends the wait.
func (g *globals) stdin(ctx context.Context) io.Reader {
	if f, ok := g.env.In.(io.Seeker); ok {
		if _, err := f.Seek(0, io.SeekCurrent); err == nil {
			return g.env.In
		}
	}
	return interruptible{ctx, g.env.In}
}
