package upkeep

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"engram"
	"engram/internal/policy"
)

// Backup writes a sound copy of the store; path "" = a dated name in
// Dir/backups. A file that is there already is never written over. It returns
// the path and the size in bytes.
func (s *Service) Backup(ctx context.Context, path string) (string, int64, error) {
	if _, err := policy.Check(ctx, policy.ManageStore); err != nil {
		return "", 0, err
	}
	if strings.TrimSpace(path) == "" {
		if s.opts.Dir == "" {
			return "", 0, engram.Errorf(engram.ErrInvalid, "a path for the backup is needed").WithCode("path_required")
		}
		if err := os.MkdirAll(s.backupDir(), 0o700); err != nil {
			return "", 0, engram.Errorf(engram.ErrUnavailable, "cannot make %s: %v", s.backupDir(), err).
				WithCode("cannot_write").WithHint("name a file that can be written")
		}
		path = s.freeName()
	}
	if err := s.store.Backup(ctx, path); err != nil {
		return "", 0, err
	}
	info, err := os.Stat(path)
	if err != nil {
		return "", 0, fmt.Errorf("backup: %w", err)
	}
	return path, info.Size(), nil
}

// freeName is a dated name that is not taken. Two processes that find the same
// one do not write over each other: the store refuses a file that exists.
func (s *Service) freeName() string {
	base := "memory-" + s.now().Format("20060102-150405")
	path := filepath.Join(s.backupDir(), base+".db")
	for n := 2; ; n++ {
		if _, err := os.Lstat(path); err != nil {
			return path
		}
		path = filepath.Join(s.backupDir(), fmt.Sprintf("%s-%d.db", base, n))
	}
}

func (s *Service) backupDir() string { return s.path("backups") }

// Backups names the backup files in the data directory, oldest name first. They
// may hold what was erased since.
func (s *Service) Backups() []string {
	paths, err := s.backupPaths()
	if err != nil {
		return []string{"files in " + s.backupDir() + ", which cannot be read"}
	}
	var names []string
	for _, path := range paths {
		names = append(names, filepath.Base(path))
	}
	return names
}

func (s *Service) backupPaths() ([]string, error) {
	if s.opts.Dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(s.backupDir())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("backups: %w", err)
	}
	var paths []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			paths = append(paths, filepath.Join(s.backupDir(), e.Name()))
		}
	}
	slices.Sort(paths)
	return paths, nil
}
