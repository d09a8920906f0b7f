// Ranker trains the weights of the recall ranker on benchmark sets:
//
//	go run ./tools/ranker dump -out FILE DIR…    pools of candidates for all questions
//	go run ./tools/ranker report FILE            cross-validated figures, ablation, the floor
//	go run ./tools/ranker train FILE             writes internal/recall/weights.go
//
// A second file, dumped with -encoder, makes report and train do the same for the weights with
// it, which are in weights_encoder.go.
//
// The sets are those of docs/benchmarks.md. Candidates and their features come
// from the product itself: a set is loaded through the memory service, and its
// questions go through the same steps as a search.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"

	"engram/internal/config"
)

func main() {
	if err := run(context.Background(), os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "ranker:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, args []string) error {
	if len(args) == 0 {
		return errors.New("say what to do: dump, report or train")
	}
	flags := flag.NewFlagSet(args[0], flag.ContinueOnError)
	out := flags.String("out", "", "file that is written")
	ridge := flags.Float64("l2", 0, "how strongly weights are kept small, 0 = as usual")
	floor := flags.Bool("floor", false, "report: what the floor lets through")
	show := flags.String("show", "", "report -floor: the evidence of a set's questions instead")
	encoded := flags.Bool("encoder", false, "dump: by the encoder too")
	quick := flags.Bool("quick", false, "report: cross-validated figures only")
	ablate := flags.Bool("ablate", false, "report: what each group of inputs gives")
	if err := flags.Parse(args[1:]); err != nil {
		return err
	}
	switch args[0] {
	case "dump":
		if *out == "" || flags.NArg() == 0 {
			return errors.New("dump wants -out FILE and the folders of sets")
		}
		embedder := config.Static
		if *encoded {
			embedder = config.Encoder
		}
		return dump(ctx, flags.Args(), embedder, *out)
	case "report", "train":
		t, err := newTrainer(flags.Args(), *ridge)
		if err != nil {
			return err
		}
		t.show = *show
		data := t.data
		if args[0] == "train" {
			return t.write(*out)
		}
		switch fold := data.foldOf(); {
		case *ablate:
			return t.ablation(os.Stdout, fold)
		case *quick:
			return t.quick(os.Stdout, fold)
		case *floor:
			return t.floorReport(os.Stdout, fold)
		default:
			return t.report(os.Stdout, fold)
		}
	}
	return fmt.Errorf("%q is not known: dump, report or train", args[0])
}
