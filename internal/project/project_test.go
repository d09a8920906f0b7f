package project

import (
	"bufio"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"golang.org/x/text/unicode/norm"

	"engram"
)

type projectCase struct {
	ID, Name, Cwd, Flag, Source, Level string

	Setup  []string
	Env    map[string]string
	Expect []string
	SameAs string `json:"same_as"`
}

func TestDetectCases(t *testing.T) {
	t.Parallel()
	for _, tool := range []string{"sh", "git"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("the cases are set up with %s, which is missing: %v", tool, err)
		}
	}
	cases := readCases(t)
	byName := map[string]projectCase{}
	for _, c := range cases {
		byName[c.Name] = c
	}
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			id := detectCase(t, c)
			report := t.Errorf
			if c.Level == "should" {
				report = t.Logf
			}
			if !slices.Contains(c.Expect, id.Name) {
				report("name is %q, want one of %q", id.Name, c.Expect)
			}
			if string(id.Source) != c.Source {
				report("source is %q, want %q", id.Source, c.Source)
			}
			if strings.Contains(id.Remote, "FAKE") || strings.Contains(id.Remote, "user") {
				t.Errorf("credentials in the remote %q", id.Remote)
			}
			if strings.Contains(c.Name, "broken") != (len(id.Warnings) > 0) {
				t.Errorf("warnings are %q", id.Warnings)
			}
			if other, ok := byName[c.SameAs]; ok {
				if twin := detectCase(t, other); twin.Name != id.Name || twin.Remote != id.Remote {
					t.Errorf("is %q at %q, but %s is %q at %q", id.Name, id.Remote, other.Name, twin.Name, twin.Remote)
				}
			}
		})
	}
}

func readCases(t *testing.T) []projectCase {
	t.Helper()
	f, err := os.Open("testdata/project/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []projectCase
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c projectCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	return cases
}

// detectCase sets c up in a directory of its own and asks there.
func detectCase(t *testing.T, c projectCase) engram.ProjectIdentity {
	t.Helper()
	dir := t.TempDir()
	root := filepath.Join(dir, "root")
	empty := filepath.Join(dir, "empty")
	if err := os.Mkdir(root, 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, empty, "")
	env := []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + root, "GIT_CONFIG_GLOBAL=" + empty, "GIT_CONFIG_SYSTEM=" + empty,
		"GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.com",
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=init.defaultBranch", "GIT_CONFIG_VALUE_0=main",
		"GIT_CEILING_DIRECTORIES=" + dir,
	}
	for _, line := range c.Setup {
		cmd := exec.CommandContext(t.Context(), "sh", "-c", line)
		cmd.Dir, cmd.Env = root, env
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("setup %q: %v\n%s", line, err, out)
		}
	}
	return Detect(t.Context(), filepath.Join(root, c.Cwd), c.Flag, Options{Home: root, Getenv: func(name string) string {
		if name == "GIT_CEILING_DIRECTORIES" {
			return dir
		}
		return c.Env[name]
	}})
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// newRepository lays out a repository as git does, without git.
func newRepository(t testing.TB, gitDir, config string) {
	t.Helper()
	write(t, filepath.Join(gitDir, "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(gitDir, "config"), config)
	for _, d := range []string{"objects", "refs"} {
		if err := os.MkdirAll(filepath.Join(gitDir, d), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

const widgetConfig = "[core]\n\tbare = false\n[remote \"origin\"]\n\turl = https://git.example.com/acme/widget.git\n"

func TestDetectBounds(t *testing.T) {
	t.Parallel()
	home := filepath.Join(t.TempDir(), "ada")
	write(t, filepath.Join(home, ".engram", "config.json"), `{"project_name":"settings of the user"}`)
	newRepository(t, filepath.Join(home, ".git"), widgetConfig)
	plain := filepath.Join(home, "plain")
	write(t, filepath.Join(plain, "x"), "")

	bare := filepath.Join(home, "tool", ".bare")
	newRepository(t, bare, "")
	tree := filepath.Join(home, "tool", "main")
	write(t, filepath.Join(tree, ".git"), "gitdir: ../.bare/worktrees/main\n")
	write(t, filepath.Join(bare, "worktrees", "main", "HEAD"), "ref: refs/heads/main\n")
	write(t, filepath.Join(bare, "worktrees", "main", "commondir"), "../..\n")
	write(t, filepath.Join(home, "tool", ".git"), "gitdir: ./.bare\n")

	lost := filepath.Join(home, "lost")
	write(t, filepath.Join(lost, ".git"), "gitdir: /gone/away\n")

	for _, c := range []struct {
		name, dir, want string
		source          engram.ProjectSource
		warnings        int
	}{
		{"home is what its own repository says", home, "widget", engram.ProjectGitRemote, 0},
		{"the repository and settings at home end there", plain, "plain", engram.ProjectDirectory, 0},
		{"bare folder in a project's folder", tree, "tool", engram.ProjectGitRoot, 0},
		{"the folder of a bare folder", filepath.Join(home, "tool"), "tool", engram.ProjectGitRoot, 0},
		{"inside of the bare folder", bare, "tool", engram.ProjectGitRoot, 0},
		{"a pointer to nowhere", lost, "lost", engram.ProjectDirectory, 1},
		{"a directory that is not there", filepath.Join(home, "not", "yet"), "yet", engram.ProjectDirectory, 0},
		{"a file instead of a directory", filepath.Join(plain, "x"), "x", engram.ProjectDirectory, 0},
		{"root", string(filepath.Separator), "", engram.ProjectDirectory, 0},
		{"no directory", " ", "", engram.ProjectDirectory, 0},
	} {
		id := Detect(t.Context(), c.dir, "", Options{Home: home})
		if id.Name != c.want || id.Source != c.source || len(id.Warnings) != c.warnings {
			t.Errorf("%s: got %q by %s, warnings %q; want %q by %s", c.name, id.Name, id.Source, id.Warnings, c.want, c.source)
		}
	}
	if id := Detect(t.Context(), plain, "", Options{}); id.Name != "settings of the user" {
		t.Errorf("without a home the walk goes to the root: got %q", id.Name)
	}
	bareHome := filepath.Join(t.TempDir(), "bob")
	write(t, filepath.Join(bareHome, "x"), "")
	if id := Detect(t.Context(), bareHome, "", Options{Home: bareHome}); id.Name != "" {
		t.Errorf("a home is a project: %q", id.Name)
	}
}

func TestDetectConfig(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, config, want string
		warnings           int
	}{
		{"plain", `{"project_name":" Night  Shift "}`, "night shift", 0},
		{"byte order mark and other settings", "\uFEFF{\"x\":1,\"project_name\":\"a\"}", "a", 0},
		{"no name", `{"x":1}`, "dir", 0},
		{"null", `{"project_name":null}`, "dir", 0},
		{"empty name", `{"project_name":" "}`, "dir", 1},
		{"not a string", `{"project_name":7}`, "dir", 1},
		{"not JSON", `project_name = "x"`, "dir", 1},
		{"too long", `{"project_name":"` + strings.Repeat("x", engram.MaxName+1) + `"}`, "dir", 1},
		{"control characters", `{"project_name":"a\u0000b\nc"}`, "a b c", 0},
	} {
		home := t.TempDir()
		dir := filepath.Join(home, "dir")
		write(t, filepath.Join(dir, ".engram", "config.json"), c.config)
		id := Detect(t.Context(), dir, "", Options{Home: home})
		if id.Name != c.want || len(id.Warnings) != c.warnings {
			t.Errorf("%s: got %q, warnings %q, want %q", c.name, id.Name, id.Warnings, c.want)
		}
	}
}

func TestDetectThroughLink(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	repo := filepath.Join(home, "repo")
	newRepository(t, filepath.Join(repo, ".git"), widgetConfig)
	write(t, filepath.Join(repo, "sub", "x"), "")
	link := filepath.Join(home, "link")
	if err := os.Symlink(filepath.Join(repo, "sub"), link); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	if id := Detect(t.Context(), link, "", Options{Home: home}); id.Name != "widget" || id.Owner != "acme" {
		t.Errorf("got %q of %q, want widget of acme", id.Name, id.Owner)
	}
}

func TestNormalize(t *testing.T) {
	t.Parallel()
	const name = "Größe Ä"
	if composed, decomposed := Normalize(norm.NFC.String(name)), Normalize(norm.NFD.String(name)); composed != decomposed {
		t.Errorf("%q and %q are two projects", composed, decomposed)
	}
}

func TestBaseName(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		`C:\Users\me\Widget`: "Widget", `c:/work/widget/`: "widget", `\\host\share\x`: "x", `C:\`: "",
		"/srv/a": "a", "/": "", "/srv/a/": "a",
	} {
		if got := baseName(in); got != want {
			t.Errorf("baseName(%q) = %q, want %q", in, got, want)
		}
	}
	if runtime.GOOS == "windows" {
		t.Skip("a path with a drive is looked up here")
	}
	if id := Detect(t.Context(), `C:\Users\me\Widget`, "", Options{}); id.Name != "widget" || id.Source != engram.ProjectDirectory {
		t.Errorf("got %q by %s, want widget by its name", id.Name, id.Source)
	}
}

func BenchmarkDetect(b *testing.B) {
	home := b.TempDir()
	dir := filepath.Join(home, "w", "a", "b", "c")
	newRepository(b, filepath.Join(home, "w", ".git"), widgetConfig)
	write(b, filepath.Join(dir, "x"), "")
	for b.Loop() {
		if id := Detect(b.Context(), dir, "", Options{Home: home}); id.Name != "widget" {
			b.Fatal(id)
		}
	}
}
