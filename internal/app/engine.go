package app

import (
	"context"
	"fmt"
	"hash/fnv"
	"log/slog"
	"path/filepath"

	"engram"
	"engram/internal/config"
	"engram/internal/store"
	"engram/internal/store/postgres"
	"engram/internal/store/sqlite"
)

// databaseName is our file; engram.db, of another product, is never opened.
const databaseName = "memory.db"

// openStore opens the engine that the settings name: a file in the data directory,
// or a database server.
func openStore(ctx context.Context, cfg config.Config, log *slog.Logger, written func()) (store.Store, error) {
	if cfg.DatabaseURL != "" {
		return postgres.Open(ctx, string(cfg.DatabaseURL), postgres.Options{Log: log, AfterWrite: written})
	}
	return sqlite.Open(ctx, filepath.Join(cfg.DataDir, databaseName), sqlite.Options{
		SyncFull: cfg.Synchronous == "full", Log: log, AfterWrite: written,
	})
}

// RestoreBackup puts a backup file in the place of the store and returns where
// the store that was there is kept, "" if there was none.
func RestoreBackup(ctx context.Context, cfg config.Config, file string) (kept string, err error) {
	if cfg.DatabaseURL != "" {
		return "", engram.Errorf(engram.ErrInvalid, "the store is a PostgreSQL database, which no file can take the place of").
			WithCode("restore_by_server").WithHint("use the server's own backups, or engram import of an export")
	}
	return sqlite.Restore(ctx, file, filepath.Join(cfg.DataDir, databaseName))
}

// BenchDatabase gives the address of a store of its own in a database, for the
// benchmark that has the folder dir; drop takes it away.
func BenchDatabase(ctx context.Context, address, dir string) (inside string, drop func(context.Context) error, err error) {
	h := fnv.New64a()
	_, _ = h.Write([]byte(dir))
	return postgres.Schema(ctx, address, fmt.Sprintf("engram_bench_%016x", h.Sum64()))
}
