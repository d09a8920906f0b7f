package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"engram/internal/cli"
)

// What is wrong with an input is exit code 2, whatever rule it breaks.
func TestInvalidInput(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.must(t, "save", "Ferry", "The ferry leaves at nine.", "--project", "harbour")
	long := strings.Repeat("x", 5000)
	var words strings.Builder
	for i := range 300 {
		fmt.Fprintf(&words, "zq%c%c ", 'a'+i/26, 'a'+i%26)
	}
	for _, c := range []struct {
		name string
		code int
		says string
		args []string
	}{
		{"long project", cli.ExitUsage, "project has 5000 bytes", []string{"save", "T", "C", "--project", long}},
		{"long type", cli.ExitUsage, "type has 5000 bytes", []string{"save", "T", "C", "--type", long}},
		{"long topic", cli.ExitUsage, "topic_key has 5000 characters", []string{"save", "T", "C", "--topic", long}},
		{"long title", cli.ExitUsage, "title has 5000 bytes", []string{"save", long, "C"}},
		{"long content", cli.ExitUsage, "content has", []string{"save", "T", strings.Repeat("x", 1<<20+1)}},
		{"long type of a search", cli.ExitUsage, "project has 5000 bytes", []string{"search", "ferry", "--project", long}},
		{"long session", cli.ExitUsage, "session_id has 5000 bytes", []string{"sessions", "start", long}},
		{"long title of an edit", cli.ExitUsage, "title has 5000 bytes", []string{"edit", "1", "--title", long}},

		{"blank project of a search", cli.ExitUsage, "the project is blank", []string{"search", "ferry", "--project", " "}},
		{"blank project of a recall", cli.ExitUsage, "the project is blank", []string{"recall", "ferry", "--project", "\t"}},
		{"blank project of a list", cli.ExitUsage, "the project is blank", []string{"list", "--project", " "}},
		{"blank project of a context", cli.ExitUsage, "the project is blank", []string{"context", " "}},
		{"blank project of a count", cli.ExitUsage, "the project is blank", []string{"stats", "--project", " "}},
		{"blank project of a save", cli.ExitUsage, "the project is blank", []string{"save", "T", "C", "--project", " "}},
		{"blank project of an export", cli.ExitUsage, "the project is blank", []string{"export", "--project", " "}},
		{"blank project that is current", cli.ExitUsage, "the project is blank", []string{"project", "current", "--project", " "}},
		{"blank project of a server", cli.ExitUsage, "--project is blank", []string{"mcp", "--project", " "}},

		{"blank type of a search", cli.ExitUsage, "the type is blank", []string{"search", "ferry", "--type", " "}},
		{"blank type of a list", cli.ExitUsage, "the type is blank", []string{"list", "--type", " "}},
		{"blank session", cli.ExitUsage, "the session_id is blank", []string{"list", "--session", " "}},

		{"export of an unknown project", cli.ExitNotFound, "similar projects: harbour", []string{"export", "--project", "harbor"}},
		{"export of an unknown project to a file", cli.ExitNotFound, "similar projects: harbour", []string{"export", w.path("new.json"), "--project", "harbor"}},

		{"memory 0", cli.ExitUsage, "use a number like 12", []string{"show", "0"}},
		{"prompt 0", cli.ExitUsage, "use a number like 12", []string{"prompts", "show", "0"}},
		{"prompt below 0", cli.ExitUsage, "use a number like 12", []string{"prompts", "delete", "--", "-1"}},

		{"a query of too many words", cli.ExitUsage, "256 words", []string{"search", words.String(), "--match", "all"}},
	} {
		if code := w.run(t.Context(), c.args...); code != c.code || !strings.Contains(w.stderr.String(), c.says) || w.stdout.Len() > 0 {
			t.Errorf("%s: exit code %d, want %d; %s%.200s", c.name, code, c.code, w.stdout.String(), w.stderr.String())
		}
	}
	if w.must(t, "list", "--all"); strings.Count(w.stdout.String(), "#") != 1 {
		t.Errorf("something was saved:\n%s", w.stdout.String())
	}
	w.must(t, "search", "ferry "+words.String())
	if got := w.stderr.String(); !strings.Contains(got, "warning: query_cut: only the first 256 words") {
		t.Errorf("a query that was cut warns %q", got)
	}
}

func TestSettingsOfAnotherType(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write(t, ".engram/config.toml", "project = \"a\"\nport = \"http\"\n")
	code, said := w.run(t.Context(), "stats"), w.stderr.String()
	if want := `config.toml: line 2, column 8: setting "port" must be a whole number`; code != cli.ExitUsage || !strings.Contains(said, want) {
		t.Errorf("exit code %d, %s", code, said)
	}
}

func TestVersionFlag(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	for _, args := range [][]string{{"--version", "--json"}, {"--json", "-v"}} {
		var got struct{ Version string }
		if err := json.Unmarshal([]byte(w.must(t, args...)), &got); err != nil || got.Version != "1.2.3" {
			t.Errorf("%q: %s, %v", args, w.stdout.String(), err)
		}
	}
	if got := w.must(t, "--version"); !strings.HasPrefix(got, "engram 1.2.3 (") {
		t.Errorf("--version prints %s", got)
	}
}

// Who starts a server is told where it listens, and that others may reach it.
func TestServeSaysWhereItListens(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		addr            string
		says, not, warn string
	}{
		{"127.0.0.1", "engram serves http://127.0.0.1:", "listening", ""},
		{"0.0.0.0", "listening on 0.0.0.0:", "[::", "other machines can reach 0.0.0.0:"},
	} {
		w := newWorld(t)
		ctx, cancel := context.WithCancel(t.Context())
		var told strings.Builder
		w.out = ending{&told, cancel}
		w.run(ctx, "serve", "--addr", c.addr, "--port", "0")
		cancel()
		if got := told.String(); !strings.Contains(got, c.says) || strings.Contains(got, c.not) {
			t.Errorf("%s: it says %s", c.addr, got)
		}
		got := w.stderr.String()
		if warned := strings.Contains(got, "other machines"); warned != (c.warn != "") || !strings.Contains(got, c.warn) {
			t.Errorf("%s: it warns %q", c.addr, got)
		}
	}
}
