package cli

import (
	"context"
	"fmt"

	"engram/client"
	"engram/internal/app"
	"engram/internal/store"

	"github.com/spf13/cobra"
)

func newEmbedCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "embed",
		Short: "Give the embedder what it has not seen yet, and wait for it",
		Long: `Give the encoder, or the embedder of the settings, every memory that it has not seen yet, newest
first, and wait for it; the encoder gets all processors. engram serve and engram mcp do the same in
the background. With the setting embedder = "static" there is nothing to do: the table understands
every memory at once.`,
		Example: "  engram embed",
		Args:    cobra.NoArgs,
		RunE: g.run(func(ctx context.Context, a *app.App, cmd *cobra.Command, _ []string) error {
			done, err := a.Embedder.Run(ctx, g.note)
			if err != nil {
				return err
			}
			s, err := a.Memory.Stats(ctx, "")
			if err != nil {
				return err
			}
			view := struct {
				Embedded int            `json:"embedded"`
				Models   []client.Model `json:"embedder_models"`
			}{done, viewModels(s.Models)}
			return g.print(cmd, view, func(w *out) {
				if !a.Embedder.Set() {
					fmt.Fprintln(w, "nothing to do: the table has seen everything, and no other embedder is set")
					return
				}
				fmt.Fprintf(w, "%s embedded\n", plural(done, "memory", "memories"))
			})
		}),
	}
}

func viewModels(models []store.VectorModel) []client.Model {
	out := make([]client.Model, len(models))
	for i, m := range models {
		out[i] = client.Model{Name: m.Name, Dimensions: m.Dim, Have: m.Have, Lack: m.Lack, Failed: m.Failed}
	}
	return out
}
