// Package app puts the parts together: it opens the engine that the settings
// name, makes the services over it, and starts and stops the front ends. Only
// here is an engine named.
package app

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"sync/atomic"
	"time"

	"engram"
	"engram/internal/config"
	"engram/internal/encoder"
	"engram/internal/project"
	"engram/internal/rerank"
	"engram/internal/service/embedding"
	"engram/internal/service/memory"
	"engram/internal/service/transfer"
	"engram/internal/service/upkeep"
	"engram/internal/store"
	"engram/internal/store/sqlite"
)

// Options are what an App has of the world around it, beside the settings.
type Options struct {
	Dir     string // working directory: the project is found from it
	Home    string
	Getenv  func(string) string
	Version string
	LogTo   io.Writer        // default: nowhere
	Now     func() time.Time // default: time.Now; benchmarks ask as of another time
	// Progress is told how many items an export or import has done so far.
	Progress func(done int)
}

// App is the opened store with the services over it.
type App struct {
	Memory   *memory.Service
	Transfer *transfer.Service
	Upkeep   *upkeep.Service
	Embedder *embedding.Service

	store    store.Store
	reranker *rerank.Client // nil = none is set
}

// Open opens the store of the settings, making it where there is none.
func Open(ctx context.Context, cfg config.Config, opts Options) (*App, error) {
	log := logger(cfg, opts)
	asking, err := embedderOptions(cfg.Embedder, encoder.BestTier(), opts, log)
	if err != nil {
		return nil, err
	}
	asked, err := reranker(cfg.Reranker)
	if err != nil {
		return nil, err
	}
	var embedder atomic.Pointer[embedding.Service]
	st, err := openStore(ctx, cfg, log, func() {
		if e := embedder.Load(); e != nil {
			e.Written()
		}
	})
	if err != nil {
		return nil, err
	}
	embedder.Store(embedding.New(st, asking))
	window := cfg.DuplicateWindow
	if window == 0 {
		window = -1 // none are looked for; a zero option would mean the default
	}
	options := upkeepOptions(cfg)
	options.Beside = append(options.Beside, embedder.Load().Findings)
	recalling := memory.Options{
		MaxContent: cfg.MaxContent, DuplicateWindow: window, SessionIdle: cfg.SessionIdle,
		KeepSecrets: !cfg.RedactSecrets, Zone: cfg.Zone, DefaultProject: detector(cfg, opts),
		Now: opts.Now, Meanings: embedder.Load(),
	}
	if asked != nil {
		recalling.Reranker = asked
		options.Beside = append(options.Beside, func(ctx context.Context) ([]store.Finding, error) {
			return rerankerFindings(ctx, asked, cfg.Reranker.Timeout)
		})
	}
	maintain := upkeep.New(st, options)
	recalling.Backups = maintain.Backups
	return &App{
		store: st, reranker: asked, Embedder: embedder.Load(), Memory: memory.New(st, recalling),
		Transfer: transfer.New(st, transfer.Options{
			MaxContent: cfg.MaxContent, KeepSecrets: !cfg.RedactSecrets, Dir: cfg.DataDir, Progress: opts.Progress,
		}),
		Upkeep: maintain,
	}, nil
}

// Close ends what the services do in the background and closes the store.
func (a *App) Close() error {
	a.Embedder.Stop()
	a.Memory.Close()
	if a.reranker != nil {
		a.reranker.Close()
	}
	return a.store.Close()
}

// AsOwner is ctx for calls by the owner of the store, from the front end name;
// what they save counts as from origin where it does not say.
func AsOwner(ctx context.Context, name string, origin engram.Origin) context.Context {
	return engram.WithActor(ctx, engram.Actor{
		Name: name, Workspace: engram.DefaultWorkspace, Access: engram.AccessAdmin, Origin: origin,
	})
}

// detector finds the project of the working directory, once a minute: a
// remote may be added while a session runs.
func detector(cfg config.Config, opts Options) func(context.Context) engram.ProjectIdentity {
	getenv := func(name string) string {
		if name == "ENGRAM_PROJECT" {
			return cfg.Project // the environment's, or the file's or a flag's
		}
		if opts.Getenv == nil {
			return ""
		}
		return opts.Getenv(name)
	}
	cache := cached[engram.ProjectIdentity]{ttl: time.Minute}
	return func(ctx context.Context) engram.ProjectIdentity {
		return cache.get(func() engram.ProjectIdentity {
			return project.Detect(ctx, opts.Dir, "", project.Options{Home: opts.Home, Getenv: getenv})
		})
	}
}

func logger(cfg config.Config, opts Options) *slog.Logger {
	levels := map[string]slog.Level{"debug": slog.LevelDebug, "info": slog.LevelInfo, "warn": slog.LevelWarn, "error": slog.LevelError}
	return slog.New(slog.NewTextHandler(cmp.Or[io.Writer](opts.LogTo, io.Discard), &slog.HandlerOptions{Level: levels[cfg.LogLevel]}))
}

// Diagnose says why [Open] failed, which is cause, and what to do.
func Diagnose(ctx context.Context, cfg config.Config, cause error) ([]store.Finding, error) {
	return upkeep.Diagnose(ctx, upkeepOptions(cfg), cause)
}

func upkeepOptions(cfg config.Config) upkeep.Options {
	return upkeep.Options{Dir: cfg.DataDir, SessionIdle: cfg.SessionIdle, Restorable: sqlite.Restorable}
}
