package cli

import (
	"bytes"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"
)

// help explains a command that needs something more to do anything.
func (g *globals) help(cmd *cobra.Command) error {
	if !g.json {
		return cmd.Help()
	}
	var text bytes.Buffer
	out := cmd.OutOrStdout()
	cmd.SetOut(&text)
	err := cmd.Help()
	cmd.SetOut(out)
	if err != nil {
		return err
	}
	return writeJSON(out, map[string]string{"command": cmd.CommandPath(), "help": text.String()})
}

func newHelpCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "help [COMMAND]",
		Short:   "Explain a command",
		Example: "  engram help save",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return usageError{fmt.Errorf("there is no command %q", strings.Join(args, " "))}
			}
			about.InitDefaultHelpFlag() // so that it is shown too
			return g.help(about)
		},
	}
}

// shells are those that there is completion for.
var shells = []string{"bash", "zsh", "fish", "powershell"}

func newCompletionCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:   "completion bash|zsh|fish|powershell",
		Short: "Print what completes commands and flags in a shell",
		Example: "  source <(engram completion bash)\n" +
			"  engram completion zsh > \"${fpath[1]}/_engram\"\n" +
			"  engram completion fish > ~/.config/fish/completions/engram.fish",
		ValidArgs: shells,
		Args:      cobra.MatchAll(cobra.MaximumNArgs(1), cobra.OnlyValidArgs),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 {
				return g.help(cmd)
			}
			var script bytes.Buffer
			if err := writeCompletion(&script, cmd.Root(), args[0]); err != nil {
				return err
			}
			return g.print(cmd, map[string]string{"shell": args[0], "script": script.String()}, func(w *out) {
				_, _ = w.Write(script.Bytes()) // print gives the error
			})
		},
	}
}

func writeCompletion(w io.Writer, root *cobra.Command, shell string) error {
	switch shell {
	case "bash":
		return root.GenBashCompletionV2(w, true)
	case "zsh":
		return root.GenZshCompletion(w)
	case "fish":
		return root.GenFishCompletion(w, true)
	}
	return root.GenPowerShellCompletionWithDesc(w)
}
