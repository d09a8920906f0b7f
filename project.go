package engram

import (
	"strings"
	"time"
)

// Project is a name that memories, sessions and prompts are filed under.
type Project struct {
	Name     string
	Remote   string   // full git remote without credentials, "" = none known
	Aliases  []string // names merged into it
	Memories int      // living
	Sessions int
	Prompts  int
	LastUsed time.Time
}

// ProjectSource says how a project's name was found.
type ProjectSource string

// The sources, in the order in which they are asked.
const (
	ProjectExplicit  ProjectSource = "explicit"
	ProjectEnv       ProjectSource = "env"
	ProjectConfig    ProjectSource = "config"
	ProjectGitRemote ProjectSource = "git_remote"
	ProjectGitRoot   ProjectSource = "git_root"
	ProjectDirectory ProjectSource = "dir_basename"
)

// ProjectIdentity is what could be found out about the project of a directory.
type ProjectIdentity struct {
	Name     string // normalised; "" when nothing gives a name
	Source   ProjectSource
	Remote   string // full remote without credentials, for ProjectGitRemote
	Owner    string // the remote's last segment but one, normalised
	Path     string // the directory, config or repository that decided
	Warnings []string
}

// NormalizeProject is the form in which project names are compared and stored:
// trimmed, white space folded, lower case.
func NormalizeProject(name string) string {
	return strings.ToLower(strings.Join(strings.Fields(name), " "))
}
