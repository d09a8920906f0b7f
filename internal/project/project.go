// Package project finds which project a directory belongs to: from what the
// caller or the environment says, a config file, git's own files or the name of
// the directory. It reads files and runs nothing, so it needs no git and is done
// within a millisecond. What a name is used for, which aliases it has and what
// happens when two remotes bear the same name is service's and store's affair.
package project

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"engram"
)

// EnvProject is the environment variable that names the project.
const EnvProject = "ENGRAM_PROJECT"

// maxDepth is how many directories are looked at on the way up.
const maxDepth = 256

// Options say where a user's home is and how to read the environment.
type Options struct {
	Home   string              // "" means unknown
	Getenv func(string) string // nil means an empty environment
}

// Detect finds the project of dir, asking in this order: the explicit name,
// ENGRAM_PROJECT, project_name of the nearest .engram/config.json below the
// home directory, the git remote (origin, else the first), the repository that
// git worktrees share, the directory's name. What was wrong on the way is in
// the Warnings.
//
// The home directory and the root of a file system are no project: without one
// of the other signs their name is "". A repository at home, as people keep for
// their settings, counts at home itself and not in the directories below. So is
// "" what an empty dir gives, since the directory of this process means nothing
// to a remote caller.
func Detect(ctx context.Context, dir, explicit string, o Options) engram.ProjectIdentity {
	if o.Getenv == nil {
		o.Getenv = func(string) string { return "" }
	}
	if name := Normalize(explicit); name != "" {
		return engram.ProjectIdentity{Name: name, Source: engram.ProjectExplicit, Path: dir}
	}
	if name := Normalize(o.Getenv(EnvProject)); name != "" {
		return engram.ProjectIdentity{Name: name, Source: engram.ProjectEnv, Path: dir}
	}
	if strings.TrimSpace(dir) == "" {
		return engram.ProjectIdentity{Source: engram.ProjectDirectory}
	}
	if foreign(dir) {
		return engram.ProjectIdentity{Name: Normalize(baseName(dir)), Source: engram.ProjectDirectory, Path: dir}
	}
	return newSearch(dir, o).run(ctx)
}

// Normalize is the form in which project names are compared: as
// [engram.NormalizeProject], with composed Unicode, so that a name typed and
// the same name read from a file system are one, and without control characters.
func Normalize(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(name, "\uFFFD"))
	return norm.NFC.String(engram.NormalizeProject(name))
}

var windowsPath = regexp.MustCompile(`^(?:[A-Za-z]:[\\/]|\\\\)`)

// IsAbs reports whether dir is an absolute path, of this operating system or of
// another. A relative one is another directory to every process.
func IsAbs(dir string) bool { return filepath.IsAbs(dir) || foreign(dir) }

// foreign reports whether dir is a path of another operating system, of which
// only the name can be told.
func foreign(dir string) bool { return runtime.GOOS != "windows" && windowsPath.MatchString(dir) }

// baseName is the last element of a path of any operating system, "" for a root.
func baseName(path string) string {
	seps := "/"
	if runtime.GOOS == "windows" || windowsPath.MatchString(path) {
		seps = `/\`
		if len(path) >= 2 && path[1] == ':' {
			path = path[2:]
		}
	}
	path = strings.TrimRight(path, seps)
	return path[strings.LastIndexAny(path, seps)+1:]
}

// search is one walk up from a directory.
type search struct {
	dir      string // absolute, without symbolic links
	home     os.FileInfo
	ceilings []string
	warnings []string
}

func newSearch(dir string, o Options) *search {
	s := &search{dir: physical(dir)}
	if o.Home != "" {
		if info, err := os.Stat(o.Home); err == nil {
			s.home = info
		}
	}
	for _, c := range filepath.SplitList(o.Getenv("GIT_CEILING_DIRECTORIES")) {
		if filepath.IsAbs(c) {
			s.ceilings = append(s.ceilings, filepath.Clean(c), physical(c))
		}
	}
	return s
}

// physical is path as git sees it: absolute and without symbolic links, as far
// as it exists.
func physical(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		path = abs
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return filepath.Clean(path)
}

func (s *search) run(ctx context.Context) engram.ProjectIdentity {
	id, ok := s.fromConfig(ctx)
	if !ok {
		id, ok = s.fromGit(ctx)
	}
	if !ok {
		id = engram.ProjectIdentity{Source: engram.ProjectDirectory, Path: s.dir}
		if !s.isHome(s.dir) {
			id.Name = Normalize(baseName(s.dir))
		}
	}
	id.Path = cmp.Or(id.Path, s.dir)
	id.Warnings = s.warnings
	return id
}

func (s *search) warn(text string) { s.warnings = append(s.warnings, text) }

func (s *search) isHome(dir string) bool {
	if s.home == nil {
		return false
	}
	info, err := os.Stat(dir)
	return err == nil && os.SameFile(info, s.home)
}

// up calls look for the directory and those above it until it has an answer,
// stop says that the next one is out of bounds, or nobody waits any more.
func (s *search) up(ctx context.Context, look func(dir string) bool, stop func(parent string) bool) {
	dir := s.dir
	for range maxDepth {
		if ctx.Err() != nil || look(dir) {
			return
		}
		parent := filepath.Dir(dir)
		if parent == dir || stop(parent) {
			return
		}
		dir = parent
	}
}
