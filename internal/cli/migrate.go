package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"engram/internal/app"

	"github.com/spf13/cobra"
)

func newMigrateCmd(g *globals) *cobra.Command {
	var from, to string
	cmd := &cobra.Command{
		Use:   "migrate --from STORE --to STORE",
		Short: "Copy the whole store into another engine's, which must be empty",
		Long: `Copy the whole store into another engine's: every memory with its id and all versions, sessions,
prompts, vectors. A store is sqlite:PATH or postgres://user:password@host:5432/name. The other store must be empty;
yours is only read, and should not be written to meanwhile. What was broken off is gone on with when the command is run
again. In the end all rows of both are compared.`,
		Example: "  engram migrate --from sqlite:~/.engram/memory.db --to postgres://engram@db.example.com/engram\n" +
			"  engram migrate --from postgres://engram@db.example.com/engram --to sqlite:copy.db",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if from == "" || to == "" {
				return usageError{errors.New("say what is copied and where to: --from and --to")}
			}
			say := g.progress(cmd)
			last := ""
			all, err := app.Migrate(cmd.Context(), g.homely(from), g.homely(to), func(c app.Copied) {
				if step := fmt.Sprintf("%s: %d of %d", c.Table, c.Rows, c.Of); step != last && c.Of > 0 {
					say(step)
					last = step
				}
			})
			if err != nil {
				return err
			}
			rows := map[string]int{}
			for _, c := range all {
				rows[c.Table] = c.Rows
			}
			return g.print(cmd, map[string]any{"rows": rows}, func(w *out) {
				fmt.Fprintf(w, "copied %s, %s, %s, %s and compared them\n", plural(rows["memories"], "memory", "memories"),
					plural(rows["memory_versions"], "older version", "older versions"), plural(rows["sessions"], "session", "sessions"),
					plural(rows["prompts"], "prompt", "prompts"))
				if strings.HasPrefix(to, "postgres") {
					fmt.Fprintln(w, "set database_url, or ENGRAM_DATABASE_URL, to work with it from now on")
				}
			})
		},
	}
	cmd.Flags().StringVar(&from, "from", "", "store that is copied")
	cmd.Flags().StringVar(&to, "to", "", "empty store")
	return cmd
}

// homely is a store's name with ~ for the home directory followed, as a shell does
// not inside a word.
func (g *globals) homely(store string) string {
	path, ok := strings.CutPrefix(store, "sqlite:~")
	if !ok || path != "" && !os.IsPathSeparator(path[0]) {
		return store
	}
	return "sqlite:" + filepath.Join(g.env.Home, path)
}
