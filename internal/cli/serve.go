package cli

import (
	"errors"
	"fmt"
	"runtime"
	"strconv"

	"engram"
	"engram/internal/app"

	"github.com/spf13/cobra"
)

func newMCPCmd(g *globals) *cobra.Command {
	var tools, project string
	cmd := &cobra.Command{
		Use:   "mcp",
		Short: "Serve the memory to an AI tool over stdio (MCP)",
		Long: `Serve the memory over the Model Context Protocol on standard input and output. AI tools start
this themselves; it ends when its input closes.`,
		Example: "  claude mcp add engram -- engram mcp\n  engram mcp --tools=agent",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := g.config()
			if err != nil {
				return err
			}
			if project != "" {
				if engram.NormalizeProject(project) == "" {
					return usageError{errors.New("--project is blank: name one, or leave it out")}
				}
				cfg.Project = project
			}
			return app.ServeMCP(cmd.Context(), cfg, g.appOptions(), tools, g.env.In, g.env.Out)
		},
	}
	cmd.Flags().StringVar(&tools, "tools", "all", "all, agent, admin, brain, or tool names with commas")
	cmd.Flags().StringVar(&project, "project", "", "project of calls that name none (default: found from the directory)")
	return cmd
}

func newServeCmd(g *globals) *cobra.Command {
	var addr string
	var port int
	cmd := &cobra.Command{
		Use:   "serve [PORT]",
		Short: "Serve the REST API on this machine",
		Long: `Serve the REST API on 127.0.0.1:7437 (ENGRAM_ADDR, ENGRAM_PORT). Calls carry the token of the
file token in the data directory, as "Authorization: Bearer …", unless ENGRAM_LOCAL_AUTH=off.
The API is described at /v1/docs.`,
		Example: "  engram serve\n  curl -H \"Authorization: Bearer $(cat ~/.engram/token)\" 'http://127.0.0.1:7437/search?q=queue'",
		Args:    cobra.MaximumNArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := g.config()
			if err != nil {
				return err
			}
			if len(args) > 0 {
				n, err := strconv.Atoi(args[0])
				if err != nil || n < 0 || n > 65535 {
					return usageError{fmt.Errorf("%q is not a port: use a number from 0 to 65535", args[0])}
				}
				cfg.Port = n
			}
			if cmd.Flags().Changed("port") {
				cfg.Port = port
			}
			if addr != "" {
				cfg.Addr = addr
			}
			return app.Serve(cmd.Context(), cfg, g.appOptions(), func(s app.Serving) {
				// Whether anybody reads the address does not matter to the service.
				_ = g.printServing(cmd, s)
			})
		},
	}
	rangeVar(cmd.Flags(), &port, "port", 0, 0, 65535, "port (default $ENGRAM_PORT, else 7437; 0 = any free one)")
	cmd.Flags().StringVar(&addr, "addr", "", "address to listen on (default $ENGRAM_ADDR, else 127.0.0.1)")
	return cmd
}

// printServing says where the API is served, and to whom.
func (g *globals) printServing(cmd *cobra.Command, s app.Serving) error {
	if s.Exposed {
		g.warn([]string{"other machines can reach " + s.Listen + ": what they send and get is not encrypted, the token among it; " +
			"put a proxy with TLS before it, and name the hosts that it answers to in hosts in config.toml"})
	}
	view := struct {
		URL       string `json:"url"`
		Listen    string `json:"listen"`
		AllHosts  bool   `json:"all_interfaces"`
		TokenFile string `json:"token_file"`
	}{s.URL, s.Listen, s.Everywhere, s.TokenFile}
	return g.print(cmd, view, func(w *out) {
		fmt.Fprintf(w, "engram serves %s\n", s.URL)
		if s.Everywhere {
			fmt.Fprintf(w, "listening on %s (all interfaces)\n", s.Listen)
		}
		if s.TokenFile != "" {
			fmt.Fprintf(w, "token: %s\n", s.TokenFile)
		}
	})
}

func newVersionCmd(g *globals) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print the version",
		Example: "  engram version",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return g.printVersion(cmd)
		},
	}
}

func (g *globals) printVersion(cmd *cobra.Command) error {
	view := map[string]string{"version": g.env.Version, "go": runtime.Version(), "os": runtime.GOOS, "arch": runtime.GOARCH}
	return g.print(cmd, view, func(w *out) {
		fmt.Fprintf(w, "engram %s (%s, %s/%s)\n", g.env.Version, runtime.Version(), runtime.GOOS, runtime.GOARCH)
	})
}
