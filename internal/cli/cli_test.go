package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"engram/internal/cli"
)

// world is a home with a store in it, and what one run of the program leaves.
type world struct {
	home           string // also the working directory
	getenv         map[string]string
	stdout, stderr bytes.Buffer
	in             io.Reader // default: empty
	out            io.Writer // default: stdout
	terminal       bool      // there is one behind standard error
}

// run runs the program and gives its exit code.
func (w *world) run(ctx context.Context, args ...string) int {
	w.stdout.Reset()
	w.stderr.Reset()
	env := cli.Env{
		In: w.in, Out: w.out, Err: &w.stderr, Home: w.home, Dir: w.home, Version: "1.2.3", ErrTerminal: w.terminal,
		Getenv: func(name string) string { return w.getenv[name] },
	}
	if env.In == nil {
		env.In = strings.NewReader("")
	}
	if env.Out == nil {
		env.Out = &w.stdout
	}
	return cli.Main(ctx, args, env)
}

func newWorld(t *testing.T) *world {
	t.Helper()
	return &world{home: t.TempDir()}
}

// must runs the program and fails the test where that fails.
func (w *world) must(t *testing.T, args ...string) string {
	t.Helper()
	if code := w.run(t.Context(), args...); code != cli.ExitOK {
		t.Fatalf("engram %q: exit code %d, %s", args, code, w.stderr.String())
	}
	return w.stdout.String()
}

func (w *world) write(t *testing.T, name, content string) {
	t.Helper()
	path := filepath.Join(w.home, filepath.FromSlash(name))
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o700), os.WriteFile(path, []byte(content), 0o600)); err != nil {
		t.Fatal(err)
	}
}

// path is a file in the home.
func (w *world) path(name string) string { return filepath.Join(w.home, filepath.FromSlash(name)) }

// failing is an output that cannot be written.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

func TestOutputThatCannotBeWrittenIsAFailure(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, args := range [][]string{
		{"save", "Title", "content", "--project", "p"},
		{"list", "--all"},
		{"list", "--all", "--json"},
		{"search", "content", "--all"},
		{"stats"},
		{"export"},
		{"export", "-", "--format", "wire"},
		{"completion", "bash"},
		{"version"},
		{"doctor"},
	} {
		w.out = failing{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.ENOSPC}}
		if code := w.run(t.Context(), args...); code != cli.ExitFailure || !strings.Contains(w.stderr.String(), "no space left") {
			t.Errorf("engram %s: exit code %d, %q", strings.Join(args, " "), code, w.stderr.String())
		}
		w.out = failing{&fs.PathError{Op: "write", Path: "/dev/stdout", Err: syscall.EPIPE}}
		if code := w.run(t.Context(), args...); code != cli.ExitOK || w.stderr.Len() > 0 {
			t.Errorf("engram %s into a pipe that nobody reads: exit code %d, %q", strings.Join(args, " "), code, w.stderr.String())
		}
	}
}

// noticing tells when it is read for the first time.
type noticing struct {
	io.Reader
	reads chan<- struct{}
}

func (n noticing) Read(p []byte) (int, error) {
	select {
	case n.reads <- struct{}{}:
	default:
	}
	return n.Reader.Read(p)
}

// TestInterruptEndsAWaitForInput: Ctrl-C ends a command that waits for what
// nobody writes, and nothing is stored.
func TestInterruptEndsAWaitForInput(t *testing.T) {
	t.Parallel()
	for name, args := range map[string][]string{
		"save":    {"save", "Title", "--project", "p"},
		"dash":    {"save", "Title", "-", "--project", "p"},
		"file":    {"save", "Title", "--file", "-", "--project", "p"},
		"capture": {"capture"},
		"prompt":  {"prompts", "save"},
		"summary": {"sessions", "summary", "--session", "s"},
		"import":  {"import", "-"},
		"json":    {"--json", "import", "-"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			never, hold := io.Pipe()
			defer hold.Close()
			reads := make(chan struct{}, 1)
			w := newWorld(t)
			w.in = noticing{never, reads}
			go func() { <-reads; cancel() }()
			code := w.run(ctx, args...)
			if code != cli.ExitInterrupted || !strings.Contains(w.stderr.String(), "interrupted") {
				t.Errorf("exit code %d, %q", code, w.stderr.String())
			}
			w.in = nil
			if out := w.must(t, "stats"); !strings.HasPrefix(out, "0 memories, 0 sessions, 0 prompts") {
				t.Errorf("stored: %s", out)
			}
		})
	}
}

// TestTimeZone: times are shown and read in the zone of the settings.
func TestTimeZone(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, ".engram/config.toml", "time_zone = \"Asia/Tokyo\"\n") // nine hours ahead of UTC, all year
	w.must(t, "save", "Late", "a late fact", "--project", "p", "--at", "2026-03-01T20:30:00Z")
	w.must(t, "save", "Day", "a fact of a day", "--project", "p", "--at", "2026-03-05")
	for _, tt := range []struct {
		args []string
		has  string
		not  string
	}{
		{[]string{"list", "--project", "p"}, "2026-03-02 05:30", "2026-03-01 20:30"},
		{[]string{"show", "1"}, "2026-03-02 05:30", "2026-03-01 20:30"},
		{[]string{"show", "2", "--json"}, `"occurred_at": "2026-03-04T15:00:00Z"`, ""},
		{[]string{"timeline", "1"}, "2026-03-02 05:30", ""},
		{[]string{"list", "--project", "p", "--since", "2026-03-02", "--until", "2026-03-03"}, "Late", "Day"},
		{[]string{"list", "--project", "p", "--since", "2026-03-02 05:30", "--until", "2026-03-02 05:31"}, "Late", "Day"},
		{[]string{"list", "--project", "p", "--since", "2026-03-02T05:31"}, "Day", "Late"},
		{[]string{"list", "--project", "p", "--since", "2026-03-01", "--until", "2026-03-02"}, "Nothing is here; add --all", "Late"},
	} {
		out := w.must(t, tt.args...)
		if !strings.Contains(out, tt.has) || tt.not != "" && strings.Contains(out, tt.not) {
			t.Errorf("engram %q printed %s", tt.args, out)
		}
	}
	w.getenv = map[string]string{"ENGRAM_TIME_ZONE": "America/New_York"}
	if out := w.must(t, "list", "--project", "p"); !strings.Contains(out, "2026-03-01 15:30") {
		t.Errorf("in New York: %s", out)
	}
}

// TestEmptyListsAreInJSON: a program need not ask whether a list is there.
func TestEmptyListsAreInJSON(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "none.json", `{"version":"0.1.0","observations":[]}`)
	for _, tt := range []struct {
		args  []string
		lists []string
	}{
		{[]string{"save", "T", "tea", "--project", "p"}, []string{"redacted"}},
		{[]string{"show", "1"}, []string{"files"}},
		{[]string{"edit", "1", "--title", "U"}, []string{"files", "redacted"}},
		{[]string{"search", "zeppelin", "--all"}, []string{"items", "similar_projects"}},
		{[]string{"recall", "zeppelin", "--all"}, []string{"items", "similar_projects"}},
		{[]string{"list", "--project", "q"}, []string{"items"}},
		{[]string{"prompts"}, []string{"items"}},
		{[]string{"prompts", "save", "why?", "--project", "p"}, []string{"redacted"}},
		{[]string{"sessions", "--project", "q"}, []string{"items"}},
		{[]string{"sessions", "start", "s", "--project", "p"}, []string{"redacted"}},
		{[]string{"sessions", "end", "s"}, []string{"redacted"}},
		{[]string{"capture", "nothing"}, []string{"ids", "redacted"}},
		{[]string{"projects", "current"}, []string{"warnings"}},
		{[]string{"import", w.path("none.json")}, []string{"refused", "warnings"}},
		{[]string{"delete", "1"}, []string{"copies"}},
	} {
		var got map[string]json.RawMessage
		if err := json.Unmarshal([]byte(w.must(t, append([]string{"--json"}, tt.args...)...)), &got); err != nil {
			t.Fatal(err)
		}
		for _, name := range tt.lists {
			if string(got[name]) != "[]" {
				t.Errorf("engram %q: %s is %s", tt.args, name, got[name])
			}
		}
	}
	var projects struct {
		Items []map[string]json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal([]byte(w.must(t, "projects", "--json")), &projects); err != nil {
		t.Fatal(err)
	}
	if len(projects.Items) == 0 || string(projects.Items[0]["aliases"]) != "[]" {
		t.Errorf("projects: %s", w.stdout.String())
	}
}

// TestNotText: what is not UTF-8 is refused, with the place, and not repaired.
func TestNotText(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, "utf16.txt", "\xff\xfea\x00b\x00")
	for _, tt := range []struct {
		args []string
		in   string
		want string
	}{
		{[]string{"save", "T", "caf\xe9 au lait"}, "", "argument 2 is not text in UTF-8: byte 3, on line 1, is 0xe9"},
		{[]string{"save", "caf\xe9", "C"}, "", "argument 1 is not text in UTF-8: byte 3"},
		{[]string{"save", "T"}, "one\ntwo\xc3", "standard input is not text in UTF-8: byte 7, on line 2, is 0xc3"},
		{[]string{"save", "T", "--file", w.path("utf16.txt")}, "", "utf16.txt is not text in UTF-8: byte 0, on line 1, is 0xff"},
		{[]string{"save", "T", "C", "--topic", "a\xff"}, "", "--topic is not text in UTF-8: byte 1"},
		{[]string{"save", "T", "C", "--files", "a.go,b\xff.go"}, "", "--files is not text in UTF-8: byte 1"},
		{[]string{"sessions", "start", "s", "--directory", "/a\xff"}, "", "--directory is not text in UTF-8: byte 2"},
		{[]string{"prompts", "save", "\xff"}, "", "argument 1 is not text in UTF-8: byte 0"},
		{[]string{"search", "\xff"}, "", "argument 1 is not text in UTF-8: byte 0"},
	} {
		w.in = strings.NewReader(tt.in)
		code := w.run(t.Context(), append(tt.args, "--json")...)
		if code != cli.ExitUsage || !strings.Contains(w.stderr.String(), tt.want) || !strings.Contains(w.stderr.String(), `"code": "invalid_utf8"`) {
			t.Errorf("engram %q: exit code %d, %s", tt.args, code, w.stderr.String())
		}
	}
	if out := w.must(t, "stats"); !strings.HasPrefix(out, "0 memories, 0 sessions, 0 prompts") {
		t.Errorf("stored: %s", out)
	}
	w.must(t, "save", "A \uFFFD that was there", "is text like \u00e9, 茶 and \x00", "--project", "p")
}

// TestProgress: long work tells a person how far it is, and nobody else.
func TestProgress(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, "save", "T", "tea", "--project", "p")
	for _, tt := range []struct {
		terminal bool
		args     []string
		want     string
	}{
		{true, []string{"export", w.path("a.json")}, "items done"},
		{true, []string{"export", w.path("b.json"), "--json"}, ""},
		{true, []string{"export"}, ""},
		{false, []string{"export", w.path("c.json")}, ""},
		{true, []string{"import", w.path("a.json"), "--dry-run"}, "items done"},
		{false, []string{"import", w.path("a.json")}, ""},
	} {
		w.terminal = tt.terminal
		w.must(t, tt.args...)
		if got := w.stderr.String(); !strings.Contains(got, tt.want) || tt.want == "" && got != "" {
			t.Errorf("terminal %v, engram %q told %q", tt.terminal, tt.args, got)
		}
	}
}

func TestParseSizes(t *testing.T) {
	t.Parallel()
	got, err := cli.ParseSizes([]string{"500", "1k", "10K", "1m", " 2M"})
	if err != nil || !slices.Equal(got, []int{500, 1000, 10_000, 1_000_000, 2_000_000}) {
		t.Errorf("ParseSizes() = %v, %v", got, err)
	}
	for _, s := range []string{"", "k", "0", "-1k", "1.5k", "1g", "1kk", "200m", "99999999999999999999"} {
		if got, err := cli.ParseSizes([]string{s}); err == nil {
			t.Errorf("ParseSizes(%q) = %v", s, got)
		}
	}
}

// TestImportOfNothing fails with the reasons; one of which something is taken
// does not.
func TestImportOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	const bad = `{"id":1,"title":"T","content":""}`
	w.write(t, "bad.json", `{"version":"0.1.0","observations":[`+bad+`]}`)
	w.write(t, "half.json", `{"version":"0.1.0","observations":[`+bad+`,{"id":2,"title":"T","content":"C","mood":"good"}]}`)
	if code := w.run(t.Context(), "import", w.path("bad.json")); code != cli.ExitUsage || !strings.Contains(w.stderr.String(), "observation 1: content is required") {
		t.Errorf("exit code %d, %s", code, w.stderr.String())
	}
	out := w.must(t, "import", w.path("half.json"))
	for _, want := range []string{"imported 1 memory", "refused observation 1: content is required", `warning: field "mood" of observations is not known`} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in %s", want, out)
		}
	}
}
