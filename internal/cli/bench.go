package cli

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"engram/internal/app"
	"engram/internal/config"
	"engram/internal/eval"

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
	cmd.AddCommand(newBenchRetrievalCmd(g), newBenchSpeedCmd(g))
	return cmd
}

func newBenchRetrievalCmd(g *globals) *cobra.Command {
	var opts eval.RetrievalOptions
	var only []string
	cmd := &cobra.Command{
		Use:   "retrieval DIR…",
		Short: "Ask the questions of benchmark sets",
		Long: `Ask the questions of benchmark sets. A set is a folder with corpus.jsonl (or
corpus.jsonl.gz), queries.jsonl and qrels.tsv; a folder of such folders stands for all in it. Each is loaded into a fresh store
through the normal write path, and asked through the normal search path.`,
		Example: "  engram bench retrieval sets/locomo sets/lihua --json\n  engram bench retrieval sets --set locomo,lihua --arms keyword",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			var err error
			if opts.Dirs, err = eval.FindSets(args, only); err != nil {
				return err
			}
			opts.Open, opts.Progress = g.openBench, g.progress(cmd)
			r, err := eval.Retrieval(cmd.Context(), opts)
			if err != nil {
				return err
			}
			return g.printTable(cmd, r)
		},
	}
	cmd.Flags().StringSliceVar(&opts.Arms, "arms", nil, "only these arms and steps: keyword, vector, time, rerank (default all)")
	cmd.Flags().StringSliceVar(&only, "set", nil, "only the sets of these names")
	cmd.Flags().StringVar(&opts.Temp, "temp", "", "folder for the stores (default: the system's for such things)")
	return cmd
}

func newBenchSpeedCmd(g *globals) *cobra.Command {
	var opts eval.SpeedOptions
	var sizes []string
	cmd := &cobra.Command{
		Use:     "speed",
		Short:   "Time saving and recall in stores of some sizes",
		Example: "  engram bench speed --sizes 1k,10k,100k,1M",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			var err error
			if opts.Sizes, err = parseSizes(sizes); err != nil {
				return err
			}
			opts.Open, opts.Progress = g.openBench, g.progress(cmd)
			r, err := eval.Speed(cmd.Context(), opts)
			if err != nil {
				return err
			}
			return g.printTable(cmd, r)
		},
	}
	cmd.Flags().StringSliceVar(&sizes, "sizes", []string{"1k", "10k", "100k"}, "how many memories, ascending; k is thousand, M million")
	cmd.Flags().Uint64Var(&opts.Seed, "seed", 1, "of the generated texts")
	cmd.Flags().StringVar(&opts.Temp, "temp", "", "folder for the store (default: the system's for such things)")
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

// printTable writes a report as JSON with --json, else as a table.
func (g *globals) printTable(cmd *cobra.Command, r interface{ WriteTable(w io.Writer) error }) error {
	if g.json {
		return writeJSON(cmd.OutOrStdout(), r)
	}
	return r.WriteTable(cmd.OutOrStdout())
}

// progress writes what is being done to standard error, for people.
func (g *globals) progress(cmd *cobra.Command) func(string) {
	return func(step string) {
		if !g.json {
			fmt.Fprintln(cmd.ErrOrStderr(), step)
		}
	}
}

// openBench opens a store in dir as the product does with nothing configured.
func (g *globals) openBench(ctx context.Context, dir string, now func() time.Time) (*eval.Product, error) {
	unset := func(string) string { return "" }
	cfg, err := config.Load(unset, dir, dir)
	if err != nil {
		return nil, err
	}
	cfg.Zone = time.UTC // the sets are read alike everywhere
	a, err := app.Open(ctx, cfg, app.Options{Dir: dir, Home: dir, Getenv: unset, Now: now})
	if err != nil {
		return nil, err
	}
	return &eval.Product{Memory: a.Memory, Close: a.Close}, nil
}
