package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"engram/internal/policy"
	"engram/internal/store"
)

// foreignDatabase is another product's file in the same folder.
const foreignDatabase = "engram.db"

// Doctor looks for damage, and with repair mends what can be mended without
// loss: the store's own checks, then what lies beside it in the data directory.
func (s *Service) Doctor(ctx context.Context, repair bool) ([]store.Finding, error) {
	actor, err := policy.Check(ctx, policy.ManageStore)
	if err != nil {
		return nil, err
	}
	found, err := s.store.Check(ctx, repair)
	if err != nil || s.opts.Dir == "" {
		return found, err
	}
	if damaged(found) {
		backups, err := s.checkBackups(ctx)
		if found = append(found, backups...); err != nil {
			return found, err
		}
	}
	files, err := s.checkFiles(repair)
	if err != nil {
		return found, err
	}
	found = append(found, files...)
	if damaged(found) {
		return found, nil // it cannot be said what is stored
	}
	stats, err := s.store.Stats(ctx, actor.Workspace, nil)
	if err != nil {
		return found, err
	}
	empty := stats.Memories+stats.Deleted == 0
	lost, err := s.checkEmpty(empty)
	if err != nil {
		return found, err
	}
	foreign, err := s.checkForeign(empty)
	found = append(append(found, lost...), foreign...)
	for _, check := range s.opts.Beside {
		if err != nil {
			break
		}
		var beside []store.Finding
		beside, err = check(ctx)
		found = append(found, beside...)
	}
	return found, err
}

// damaged reports whether only a backup helps.
func damaged(found []store.Finding) bool {
	return slices.ContainsFunc(found, func(f store.Finding) bool { return f.Check == "integrity" && !f.OK })
}

// checkFiles looks at the files beside the store that hold secrets or texts:
// token, settings, backups. Nobody else may read them.
func (s *Service) checkFiles(repair bool) ([]store.Finding, error) {
	if runtime.GOOS == "windows" {
		return nil, nil // others cannot look into a profile directory there
	}
	paths, err := s.backupPaths()
	if err != nil {
		return nil, err
	}
	var open []string
	for _, path := range append(paths, s.path("token"), s.path("config.toml"), s.backupDir()) {
		info, err := os.Stat(path)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, fmt.Errorf("check files: %w", err)
		}
		if info.Mode().Perm()&0o077 == 0 {
			continue
		}
		if repair {
			if err := os.Chmod(path, info.Mode().Perm()&0o700); err != nil {
				return nil, fmt.Errorf("check files: %w", err)
			}
			continue
		}
		open = append(open, filepath.Base(path))
	}
	if len(open) == 0 {
		return []store.Finding{{Check: "files", OK: true, Message: "only you may read token, settings and backups"}}, nil
	}
	return []store.Finding{{
		Check:   "files",
		Message: "others on this machine may read " + strings.Join(open, ", "),
		Fix:     "run engram doctor --repair",
	}}, nil
}

// checkEmpty says when nothing is stored and there are backups: a file that was
// lost looks like a new one.
func (s *Service) checkEmpty(empty bool) ([]store.Finding, error) {
	paths, err := s.backupPaths()
	if err != nil || !empty || len(paths) == 0 {
		return nil, err
	}
	return []store.Finding{{
		Check: "empty", OK: true, Message: "nothing is stored, and there are backups in " + s.backupDir(),
		Fix: "to bring one back, run engram restore FILE",
	}}, nil
}

// checkForeign says when another product's database is there, which is never
// opened for writing; where nothing is stored here yet it says how to get at it.
func (s *Service) checkForeign(empty bool) ([]store.Finding, error) {
	path := s.path(foreignDatabase)
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, fmt.Errorf("check files: %w", err)
	}
	f := store.Finding{Check: "foreign", OK: true, Message: path + " belongs to another product and is left alone"}
	if empty {
		f.Fix = "to take its memories over, export them with that product and run engram import FILE"
	}
	return []store.Finding{f}, nil
}

func (s *Service) path(name string) string { return filepath.Join(s.opts.Dir, name) }
