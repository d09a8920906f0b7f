package project

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"engram"
)

// isNotDirectory reports whether err says that a file stands where a path has
// a directory.
func isNotDirectory(err error) bool { return errors.Is(err, syscall.ENOTDIR) }

// repository is where git keeps things.
type repository struct {
	top    string // working tree, or the repository itself when it is bare
	gitDir string // of this working tree
	common string // shared by all working trees
}

// fromGit looks for the repository of the directory as git does: below the
// ceilings. A repository at home does not own the directories below it.
func (s *search) fromGit(ctx context.Context) (id engram.ProjectIdentity, ok bool) {
	var repo repository
	s.up(ctx, func(dir string) bool {
		repo, ok = s.repositoryAt(dir)
		return ok
	}, func(parent string) bool { return slices.Contains(s.ceilings, parent) || s.isHome(parent) })
	if !ok {
		return id, false
	}
	remotes, err := readRemotes(filepath.Join(repo.common, "config"))
	if err != nil {
		s.warn(fmt.Sprintf("the git config of %s cannot be read: %v", repo.top, err))
	}
	if r, ok := chooseRemote(remotes, repo.base()); ok {
		return engram.ProjectIdentity{
			Name: r.name, Source: engram.ProjectGitRemote, Remote: r.full, Owner: r.owner, Path: repo.top,
		}, true
	}
	id = engram.ProjectIdentity{Name: repo.name(), Source: engram.ProjectGitRoot, Path: repo.top}
	return id, id.Name != ""
}

// repositoryAt is the repository whose working tree or bare directory dir is.
func (s *search) repositoryAt(dir string) (repository, bool) {
	dotGit := filepath.Join(dir, ".git")
	info, err := os.Stat(dotGit)
	switch {
	case err == nil && info.IsDir():
		if isGitDir(dotGit) {
			return repository{top: dir, gitDir: dotGit, common: commonDir(dotGit)}, true
		}
	case err == nil:
		gitDir, err := gitFile(dotGit)
		if err == nil && isGitDir(gitDir) {
			return repository{top: dir, gitDir: gitDir, common: commonDir(gitDir)}, true
		}
		s.warn(fmt.Sprintf("%s does not lead to a git repository", dotGit))
	case !errors.Is(err, fs.ErrNotExist) && !isNotDirectory(err):
		s.warn(fmt.Sprintf("%s cannot be read: %v", dotGit, err))
	}
	if isGitDir(dir) { // bare, or a place inside of .git
		return repository{top: dir, gitDir: dir, common: commonDir(dir)}, true
	}
	return repository{}, false
}

// isGitDir reports whether dir holds a repository, or what belongs to one of
// its working trees.
func isGitDir(dir string) bool {
	if !exists(filepath.Join(dir, "HEAD")) {
		return false
	}
	return exists(filepath.Join(dir, "commondir")) ||
		exists(filepath.Join(dir, "objects")) && exists(filepath.Join(dir, "refs"))
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// gitFile is the directory that a .git file points to.
func gitFile(path string) (string, error) {
	data, err := readFile(path)
	if err != nil {
		return "", err
	}
	target, ok := strings.CutPrefix(string(data), "gitdir:")
	if !ok {
		return "", errors.New("no gitdir")
	}
	return resolve(filepath.Dir(path), target), nil
}

// commonDir is the directory that a repository's working trees share.
func commonDir(gitDir string) string {
	data, err := readFile(filepath.Join(gitDir, "commondir"))
	if err != nil || strings.TrimSpace(string(data)) == "" {
		return gitDir
	}
	return resolve(gitDir, string(data))
}

func resolve(dir, path string) string {
	path = filepath.FromSlash(strings.TrimSpace(path))
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	return filepath.Clean(path)
}

// name is what the repository is called: by the directory that all its working
// trees share. A submodule's lies inside its parent's .git, so it goes by its
// own directory.
func (r repository) name() string {
	path := r.common
	if r.common == r.gitDir && r.top != r.gitDir {
		path = r.top
	}
	if base := baseName(path); base == ".git" || base == ".bare" {
		path = filepath.Dir(path)
	}
	return Normalize(strings.TrimSuffix(baseName(path), ".git"))
}

// base is the directory from which relative remotes are meant.
func (r repository) base() string {
	if filepath.Base(r.common) == ".git" {
		return filepath.Dir(r.common)
	}
	return r.common
}
