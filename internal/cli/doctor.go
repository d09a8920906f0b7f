package cli

import (
	"errors"
	"fmt"

	"engram"
	"engram/internal/app"
	"engram/internal/store"

	"github.com/spf13/cobra"
)

func newDoctorCmd(g *globals) *cobra.Command {
	var repair bool
	cmd := &cobra.Command{
		Use:   "doctor",
		Short: "Check the store; --repair mends what can be mended without loss",
		Long: `Check the store and what lies beside it, and say what to do about each thing that is wrong; also
where the store cannot be opened: then the backups are looked into. The exit code is 1 when
something needs attention.`,
		Example: "  engram doctor\n  engram doctor --json | jq '.findings[] | select(.ok | not)'",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			found, err := g.examine(cmd, repair)
			if len(found) == 0 {
				return err
			}
			return errors.Join(g.printFindings(cmd, found), err)
		},
	}
	cmd.Flags().BoolVar(&repair, "repair", false, "mend what can be mended without loss")
	return cmd
}

// examine checks the store, or says why there is none to check.
func (g *globals) examine(cmd *cobra.Command, repair bool) (found []store.Finding, err error) {
	cfg, err := g.config()
	if err != nil {
		return nil, err
	}
	ctx, a, err := g.open(cmd)
	if err != nil {
		if cmd.Context().Err() != nil {
			return nil, err
		}
		return app.Diagnose(app.AsOwner(cmd.Context(), "cli", engram.OriginUser), cfg, err)
	}
	defer func() { err = errors.Join(err, a.Close()) }()
	return a.Upkeep.Doctor(ctx, repair)
}

// printFindings is an error where one of them is not well.
func (g *globals) printFindings(cmd *cobra.Command, found []store.Finding) error {
	type finding struct {
		Check   string `json:"check"`
		OK      bool   `json:"ok"`
		Message string `json:"message"`
		Fix     string `json:"fix,omitempty"`
	}
	view := struct {
		OK       bool      `json:"ok"`
		Findings []finding `json:"findings"`
	}{true, []finding{}}
	for _, f := range found {
		view.OK = view.OK && f.OK
		view.Findings = append(view.Findings, finding(f))
	}
	err := g.print(cmd, view, func(w *out) {
		for _, f := range view.Findings {
			mark := "ok  "
			if !f.OK {
				mark = "BAD "
			}
			fmt.Fprintf(w, "%s %s: %s\n", mark, f.Check, f.Message)
			if f.Fix != "" {
				fmt.Fprintf(w, "     %s\n", f.Fix)
			}
		}
	})
	if err == nil && !view.OK {
		err = engram.Errorf(engram.ErrConflict, "the store needs attention").WithCode("unhealthy").WithHint("see the findings above")
	}
	return err
}
