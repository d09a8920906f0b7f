package app

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"runtime/debug"
	"strconv"
	"time"

	"engram"
	"engram/internal/config"
	"engram/internal/httpd"
	"engram/internal/project"
	"engram/internal/rest"
)

// idleEvery is how often a long-running process looks after the store.
const idleEvery = time.Minute

// Serving says where the REST API is served.
type Serving struct {
	URL        string // for clients on this machine
	Listen     string // address and port
	Everywhere bool   // on every interface
	Exposed    bool   // other machines may reach it
	TokenFile  string // "" when no token is asked for
}

// Serve serves the REST API until ctx ends. ready is told where, once it is.
func Serve(ctx context.Context, cfg config.Config, opts Options, ready func(Serving)) (err error) {
	// Each call of the API names its project: that of the directory that the
	// server was started in has nothing to do with it.
	home := opts
	opts.Dir = ""
	a, err := Open(ctx, cfg, opts)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, a.Close()) }()

	token, tokenFile := "", ""
	if cfg.LocalAuth {
		if token, tokenFile, err = Token(cfg.DataDir); err != nil {
			return err
		}
	}
	log := logger(cfg, opts)
	handler := rest.New(rest.Services{Memory: a.Memory, Transfer: a.Transfer, Upkeep: a.Upkeep}, rest.Options{
		Token: token, NoAuth: !cfg.LocalAuth, Hosts: cfg.Hosts, Origins: cfg.Origins, Version: opts.Version,
		MaxContent: cfg.MaxContent, Log: log,
		ProjectOf: func(ctx context.Context, dir string) (engram.ProjectIdentity, error) {
			return project.Detect(ctx, dir, "", project.Options{Home: home.Home, Getenv: home.Getenv}), nil
		},
	})
	server := httpd.New(handler, httpd.Options{
		Addr: net.JoinHostPort(cfg.Addr, strconv.Itoa(cfg.Port)), NoAuth: !cfg.LocalAuth, Log: log,
	})
	if err := server.Start(ctx); err != nil {
		return err
	}
	stop := a.lookAfter(ctx, log, idleEvery)
	defer stop()
	ready(Serving{
		URL: server.URL(), Listen: server.Addr().String(),
		Everywhere: server.Everywhere(), Exposed: server.Exposed(), TokenFile: tokenFile,
	})
	return server.Wait()
}

// lookAfter does what waits for a quiet moment, every so often until ctx ends or
// stop is called, which waits for the work under way.
func (a *App) lookAfter(ctx context.Context, log *slog.Logger, every time.Duration) (stop func()) {
	ctx, cancel := context.WithCancel(AsOwner(ctx, "upkeep", engram.OriginTool))
	a.Embedder.Start(ctx)
	done := make(chan struct{})
	go func() {
		defer close(done)
		tick := time.NewTicker(every)
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if err := errors.Join(a.Upkeep.Idle(ctx), a.Embedder.Idle(ctx)); err != nil && ctx.Err() == nil {
					log.WarnContext(ctx, "upkeep failed", "error", err)
				}
				debug.FreeOSMemory()
			}
		}
	}()
	return func() { cancel(); <-done }
}
