package cli

import (
	"time"

	"github.com/spf13/cobra"
)

// ParseSizes reads the sizes of engram bench speed.
var ParseSizes = parseSizes

// NewRootCmd is the tree of all commands.
func NewRootCmd(env Env) *cobra.Command { return newRootCmd(&globals{env: env, zone: time.UTC}) }
