package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Reserves reports whether path is a file that Engram, or the other product that
// uses the same directory, keeps in the data directory or may make there: the
// databases with what belongs to them, the settings, the token.
func (c Config) Reserves(path string) bool {
	if !sameDir(filepath.Dir(path), c.DataDir) {
		return false
	}
	name := strings.ToLower(filepath.Base(path))
	for _, own := range []string{"memory.db", "engram.db"} {
		if name == own || strings.HasPrefix(name, own+"-") {
			return true
		}
	}
	return slices.Contains([]string{"config.toml", "token", "backups", "models"}, name)
}

// sameDir goes by what the names lead to: links, and names that differ in case
// where the system takes them for the same.
func sameDir(a, b string) bool {
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}
