package app

import (
	"context"
	"errors"
	"io"
	"sync"

	"engram"
	"engram/internal/config"
	"engram/internal/mcpserver"
)

// ServeMCP serves the tools that tools names over in and out until in ends. The
// store is opened beside it: a client gets its list of tools at once, and when
// the store cannot be opened each call says why.
func ServeMCP(ctx context.Context, cfg config.Config, opts Options, tools string, in io.Reader, out io.Writer) (err error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	open := sync.OnceValues(func() (*App, error) { return Open(ctx, cfg, opts) })
	log := logger(cfg, opts)
	server, err := mcpserver.New(func(context.Context) (mcpserver.Memories, error) {
		a, err := open()
		if err != nil {
			return nil, err
		}
		return a.Memory, nil
	}, mcpserver.Options{
		Tools: tools, Version: opts.Version, Logger: log,
		Actor: engram.Actor{Name: "mcp", Workspace: engram.DefaultWorkspace, Access: engram.AccessAdmin, Origin: engram.OriginAgent},
	})
	if err != nil {
		return err
	}
	var stop func()
	opened := make(chan struct{})
	go func() {
		defer close(opened)
		a, err := open()
		switch {
		case err == nil:
			stop = a.lookAfter(ctx, log, idleEvery)
		case ctx.Err() == nil: // else the client left before the store was open
			log.ErrorContext(ctx, "the store cannot be opened", "error", err)
		}
	}()
	err = server.ServeStdio(ctx, in, out)
	cancel()
	<-opened
	if stop != nil {
		stop()
	}
	if a, openErr := open(); openErr == nil {
		err = errors.Join(err, a.Close())
	}
	return err
}
