package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"engram/client"
	"engram/internal/app"
	"engram/internal/config"
	"engram/internal/eval"
	"engram/internal/remote"
	"engram/internal/service/memory"

	"github.com/spf13/cobra"
)

func newBenchCmd(g *globals) *cobra.Command {
	cmd := &cobra.Command{
		Use:     "bench",
		Short:   "Measure how well things are found, and how fast",
		Long:    "Measure how well things are found, and how fast. Stores of their own are made and taken away; yours is not touched.",
		Example: "  engram bench retrieval sets/locomo\n  engram bench speed --sizes 1k,10k",
		Args:    cobra.NoArgs,
		RunE:    func(cmd *cobra.Command, _ []string) error { return g.help(cmd) },
	}
	cmd.AddCommand(newBenchRetrievalCmd(g), newBenchSpeedCmd(g), newBenchAnswerCmd(g))
	return cmd
}

// benchForms say in which forms a report is wanted, and whence it comes.
type benchForms struct {
	from, report, svg string
	markdown          bool
}

func (f *benchForms) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&f.from, "from", "", "show the report in this file, measure nothing")
	flags.StringVar(&f.report, "report", "", "also write the report to this file, as JSON that --from reads")
	flags.StringVar(&f.svg, "svg", "", "also draw it into this file")
	flags.BoolVar(&f.markdown, "markdown", false, "print Markdown")
}

// check refuses flags that --from, or each other, would leave without effect, and
// files that could not be written in the end.
func (f *benchForms) check(cmd *cobra.Command, g *globals, measuring ...string) error {
	if f.markdown && g.json {
		return usageError{errors.New("give --markdown or --json, not both")}
	}
	for _, path := range []string{f.report, f.svg} {
		if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
			return usageError{fmt.Errorf("there is no folder %s to write %s to", filepath.Dir(path), filepath.Base(path))}
		}
	}
	if f.from == "" {
		return nil
	}
	for _, name := range append(measuring, "report") {
		if cmd.Flags().Changed(name) {
			return usageError{fmt.Errorf("--from measures nothing: leave --%s out", name)}
		}
	}
	return nil
}

// read fills r from the file of --from.
func (f *benchForms) read(r eval.Report) error {
	file, err := os.Open(f.from)
	if err != nil {
		return unreadable(f.from, err)
	}
	defer file.Close()
	return eval.ReadReport(file, r)
}

// write gives r in each form that is wanted. r is what is encoded as JSON too.
func (f *benchForms) write(cmd *cobra.Command, g *globals, r eval.Report) error {
	err := errors.Join(
		writeForm(f.report, func(w io.Writer) error { return writeJSON(w, r) }),
		writeForm(f.svg, r.WriteSVG),
	)
	if err != nil {
		return err
	}
	switch w := cmd.OutOrStdout(); {
	case g.json:
		return writeJSON(w, r)
	case f.markdown:
		return r.WriteMarkdown(w)
	default:
		return r.WriteTable(w)
	}
}

// benchFlags are the flags of a retrieval beside opts.
type benchFlags struct {
	benchForms
	only       []string
	url, token string
	stores     benchStores
}

func newBenchRetrievalCmd(g *globals) *cobra.Command {
	var opts eval.RetrievalOptions
	var f benchFlags
	cmd := &cobra.Command{
		Use:   "retrieval DIR…",
		Short: "Ask the questions of benchmark sets",
		Long: `Ask the questions of benchmark sets. A set is a folder with corpus.jsonl (or
corpus.jsonl.gz), queries.jsonl and qrels.tsv; a folder of such folders stands for all in it. Each is loaded into a fresh store
through the normal write path, and asked through the normal search path.

With --url a running engram serve is measured from outside: the sets are imported into it and stay there, so give it a data
directory of its own. It knows no other time than now, and gives only what clears the floor.`,
		Example: `  engram bench retrieval sets/locomo sets/lihua --json
  engram bench retrieval sets --set locomo,lihua --arms keyword
  engram bench retrieval sets --ablation --report all.json
  engram bench retrieval --from all.json --svg retrieval.svg --markdown
  engram bench retrieval sets --url http://127.0.0.1:7437 --token "$TOKEN"`,
		Args: func(_ *cobra.Command, args []string) error {
			if (f.from == "") == (len(args) == 0) {
				return errors.New("name folders of sets, or give --from with a report")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			r, err := g.benchRetrieval(cmd, args, opts, &f)
			if err != nil {
				return err
			}
			return f.write(cmd, g, r)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&opts.Arms, "arms", nil, "only these arms and steps: "+strings.Join(memory.Steps(), ", ")+" (default all)")
	flags.BoolVar(&opts.Ablation, "ablation", false, "also with each combination of arms and steps")
	flags.StringSliceVar(&f.only, "set", nil, "only the sets of these names")
	flags.StringVar(&opts.Temp, "temp", "", "folder for the stores (default: the system's for such things)")
	flags.StringVar(&f.url, "url", "", "measure the server here")
	flags.StringVar(&f.token, "token", "", "of that server")
	f.stores.add(cmd)
	f.add(cmd)
	return cmd
}

func (g *globals) benchRetrieval(cmd *cobra.Command, args []string, opts eval.RetrievalOptions, f *benchFlags) (r *eval.RetrievalReport, err error) {
	if err := f.check(cmd, g, "arms", "ablation", "set", "temp", "url", "token"); err != nil {
		return nil, err
	}
	r = new(eval.RetrievalReport)
	if f.from != "" {
		return r, f.read(r)
	}
	if f.token != "" && f.url == "" {
		return nil, usageError{errors.New("--token is that of a server: give its --url too")}
	}
	if opts.Dirs, err = eval.FindSets(args, f.only); err != nil {
		return nil, err
	}
	if f.url != "" {
		if opts.Server, err = client.New(f.url, client.Options{Token: f.token}); err != nil {
			return nil, err
		}
	}
	f.stores.g = g
	defer func() { err = errors.Join(err, f.stores.drop(cmd.Context())) }()
	opts.Open, opts.Progress = f.stores.open, g.progress(cmd)
	*r, err = eval.Retrieval(cmd.Context(), opts)
	return r, err
}

func newBenchSpeedCmd(g *globals) *cobra.Command {
	var opts eval.SpeedOptions
	var sizes []string
	var f benchForms
	stores := benchStores{g: g}
	cmd := &cobra.Command{
		Use:     "speed",
		Short:   "Time saving and recall in stores of some sizes",
		Example: "  engram bench speed --sizes 1k,10k,100k,1M --svg speed.svg",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			r := new(eval.SpeedReport)
			if err := f.check(cmd, g, "sizes", "seed", "temp"); err != nil {
				return err
			}
			if f.from != "" {
				err = f.read(r)
			} else {
				*r, err = g.benchSpeed(cmd, opts, &stores, sizes)
			}
			if err != nil {
				return err
			}
			return f.write(cmd, g, r)
		},
	}
	cmd.Flags().StringSliceVar(&sizes, "sizes", []string{"1k", "10k", "100k"}, "how many memories, ascending; k is thousand, M million")
	cmd.Flags().Uint64Var(&opts.Seed, "seed", 1, "of the generated texts")
	cmd.Flags().StringVar(&opts.Temp, "temp", "", "folder for the store (default: the system's for such things)")
	stores.add(cmd)
	f.add(cmd)
	return cmd
}

func (g *globals) benchSpeed(cmd *cobra.Command, opts eval.SpeedOptions, stores *benchStores, sizes []string) (r eval.SpeedReport, err error) {
	if opts.Sizes, err = parseSizes(sizes); err != nil {
		return r, err
	}
	self, err := os.Executable()
	if err != nil {
		return r, fmt.Errorf("find this program, to start it anew: %w", err)
	}
	opts.Start = func(ctx context.Context, dir, question string) *exec.Cmd {
		return exec.CommandContext(ctx, self, "bench", benchAnswer, "--database", stores.database, "--", dir, question)
	}
	defer func() { err = errors.Join(err, stores.drop(cmd.Context())) }()
	opts.Open, opts.Progress = stores.open, g.progress(cmd)
	return eval.Speed(cmd.Context(), opts)
}

// benchAnswer is the command that the speed benchmark starts in a new process.
const benchAnswer = "first-answer"

func newBenchAnswerCmd(g *globals) *cobra.Command {
	stores := benchStores{g: g}
	cmd := &cobra.Command{
		Use:    benchAnswer + " DIR QUESTION",
		Short:  "Answer one question, for engram bench speed to time",
		Hidden: true,
		Args:   cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return eval.AnswerFirst(cmd.Context(), stores.open, args[0], args[1], cmd.OutOrStdout())
		},
	}
	stores.add(cmd)
	return cmd
}

// parseSizes reads numbers like 500, 10k and 1M.
func parseSizes(sizes []string) ([]int, error) {
	out := make([]int, 0, len(sizes))
	for _, s := range sizes {
		digits, times := strings.ToLower(strings.TrimSpace(s)), 1
		if d, ok := strings.CutSuffix(digits, "k"); ok {
			digits, times = d, 1000
		} else if d, ok := strings.CutSuffix(digits, "m"); ok {
			digits, times = d, 1_000_000
		}
		n, err := strconv.Atoi(digits)
		if err != nil || n < 1 || n > 100_000_000/times {
			return nil, usageError{fmt.Errorf("--sizes %q: use a number like 500, 10k or 1M", s)}
		}
		out = append(out, n*times)
	}
	return out, nil
}

// writeForm writes a form of a report to a file; "" is none.
func writeForm(path string, write func(w io.Writer) error) error {
	if path == "" {
		return nil
	}
	var b bytes.Buffer
	if err := write(&b); err != nil {
		return err
	}
	return os.WriteFile(path, b.Bytes(), 0o644)
}

// progress writes what is being done to standard error, for people.
func (g *globals) progress(cmd *cobra.Command) func(string) {
	return func(step string) {
		if !g.json {
			fmt.Fprintln(cmd.ErrOrStderr(), step)
		}
	}
}

// benchStores opens the stores of a benchmark: files, or schemas of a database.
type benchStores struct {
	g        *globals
	database string
	inside   map[string]string // address of the store of a folder
	drops    []func(context.Context) error
}

func (b *benchStores) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&b.database, "database", "", "keep the stores in schemas of this PostgreSQL database, not in files")
}

// open is an [eval.Opener].
func (b *benchStores) open(ctx context.Context, dir string, now func() time.Time) (*eval.Product, error) {
	if b.database == "" {
		return b.g.openBench(ctx, dir, "", now)
	}
	if b.inside[dir] == "" {
		inside, drop, err := app.BenchDatabase(ctx, b.database, dir)
		if err != nil {
			return nil, err
		}
		if b.inside == nil {
			b.inside = map[string]string{}
		}
		b.inside[dir] = inside
		b.drops = append(b.drops, drop)
	}
	return b.g.openBench(ctx, dir, b.inside[dir], now)
}

// drop takes the schemas away, also when the measuring was stopped.
func (b *benchStores) drop(ctx context.Context) error {
	var errs []error
	for _, drop := range b.drops {
		errs = append(errs, drop(context.WithoutCancel(ctx)))
	}
	return errors.Join(errs...)
}

// openBench opens a store in dir as the product does with nothing configured but an
// openBench opens a store in dir as the product does with nothing configured but an
// embedder and a reranker, if the environment names them: what they are worth is measured.
func (g *globals) openBench(ctx context.Context, dir, database string, now func() time.Time) (*eval.Product, error) {
	unset := func(string) string { return "" }
	cfg, err := config.Load(func(name string) string {
		if !strings.HasPrefix(name, "ENGRAM_EMBEDDER") && !strings.HasPrefix(name, "ENGRAM_RERANKER") {
			return ""
		}
		return g.env.Getenv(name)
	}, dir, dir)
	if err != nil {
		return nil, err
	}
	cfg.DatabaseURL = remote.Key(database)
	cfg.Zone = time.UTC     // the sets are read alike everywhere
	cfg.DuplicateWindow = 0 // what a set repeats is meant
	a, err := app.Open(ctx, cfg, app.Options{Dir: dir, Home: dir, Getenv: unset, Now: now})
	if err != nil {
		return nil, err
	}
	p := &eval.Product{Memory: a.Memory, Close: a.Close}
	if a.Embedder.Heard() {
		p.Settle = func(ctx context.Context) error {
			_, err := a.Embedder.Run(ctx, nil)
			return err
		}
	}
	return p, nil
}
