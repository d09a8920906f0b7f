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
	"testing"

	"engram/internal/cli"

	"github.com/spf13/cobra"
)

// usage is what a command is given in the tests that every command must pass.
type usage struct {
	ok    []string // arguments of a run that succeeds
	in    string   // standard input of it
	fails []failure
}

type failure struct {
	code int
	args string // with spaces between
}

// commands has a row for every command; TestCommands fails where one is missing.
// Words that begin with @ are files in the home.
var commands = map[string]usage{
	"": {fails: []failure{{2, "serch x"}, {2, "--nonsense"}}},
	"save": {ok: []string{"T", "coffee, at last", "--project", "shop"}, fails: []failure{
		{2, ""},
		{2, "T"},
		{2, "T C more"},
		{2, "T C --nonsense"},
		{2, "T C --scope world"},
		{2, "T C --importance 2"},
		{2, "T C --at yesterday-ish"},
		{2, "T C --file @none"},
		{3, "T --file @none"},
	}},
	"search": {ok: []string{"tea", "--project", "shop"}, fails: []failure{
		{2, ""},
		{2, "tea --limit 0"},
		{2, "tea --limit 51"},
		{2, "tea --limit -1"},
		{2, "tea --limit ten"},
		{2, "tea --match some"},
		{2, "tea --as-of never"},
		{2, "tea --all --project shop"},
		{2, "tea --scope world"},
		{2, "tea --id 1"},
		{2, "tea --explain --id -1"},
	}},
	"recall": {ok: []string{"tea", "--all", "--explain"}, fails: []failure{
		{2, ""}, {2, "tea --budget 0"}, {2, "tea --budget 49"}, {2, "tea --budget 32001"}, {2, "tea --id 1"}, {2, "tea --explain --id #0"}, {2, "tea --all --project shop"},
	}},
	"context": {ok: []string{"shop"}, fails: []failure{
		{2, "shop more"}, {2, "--max-bytes 0"}, {2, "--max-bytes 255"}, {2, "--max-bytes 65537"}, {2, "--all --project shop"}, {2, "shop --all"}, {2, "shop --project other"},
	}},
	"timeline": {ok: []string{"1", "--before", "0", "--after", "100"}, fails: []failure{
		{2, ""}, {2, "one"}, {3, "99"}, {2, "1 --before -1"}, {2, "1 --after 101"},
	}},
	"show":    {ok: []string{"#1"}, fails: []failure{{2, ""}, {2, "0"}, {2, "one"}, {3, "99"}}},
	"edit":    {ok: []string{"1", "--content", "tea, not coffee"}, fails: []failure{{2, ""}, {2, "1"}, {3, "99 --title T"}, {2, "1 --content C --file @none"}, {3, "1 --file @none"}, {2, "1 --status later --scope world"}}},
	"delete":  {ok: []string{"1"}, fails: []failure{{2, ""}, {3, "99"}, {3, "99 --hard --yes"}, {2, "1 --hard"}}},
	"restore": {ok: []string{"#2"}, fails: []failure{{2, ""}, {3, "99"}, {3, "#99"}, {3, "@none"}, {3, "@none --yes"}, {2, "@backup.db"}, {1, "@export.json --yes"}}},
	"pin":     {ok: []string{"1"}, fails: []failure{{2, ""}, {3, "99"}}},
	"unpin":   {ok: []string{"1"}, fails: []failure{{2, ""}, {3, "99"}}},
	"history": {ok: []string{"1"}, fails: []failure{{2, ""}, {3, "99"}}},
	"list": {ok: []string{"--project", "shop"}, fails: []failure{
		{2, "more"}, {2, "--limit 0"}, {2, "--limit 1001"}, {2, "--since monday"}, {2, "--until 2026-13-01"}, {2, "--all --project shop"}, {2, "--scope world"}, {2, "--cursor x"},
	}},
	"capture":          {in: "## Key Learnings:\n- The ferry leaves at nine in winter\n", fails: []failure{{2, ""}, {3, "--file @none"}, {2, "text --file @none"}}},
	"prompts":          {ok: []string{"--all"}, fails: []failure{{2, "more"}, {2, "--limit 0"}, {2, "--all --project shop"}}},
	"prompts show":     {ok: []string{"#1"}, fails: []failure{{2, ""}, {2, "one"}, {3, "99"}}},
	"prompts save":     {ok: []string{"why?"}, fails: []failure{{2, ""}, {2, "why? more"}}},
	"prompts delete":   {ok: []string{"1"}, fails: []failure{{2, ""}, {3, "99"}, {2, "one"}}},
	"sessions":         {ok: []string{"--all"}, fails: []failure{{2, "more"}, {2, "--limit 0"}, {2, "--limit 1001"}, {2, "--all --project shop"}}},
	"sessions start":   {ok: []string{"s2"}, fails: []failure{{2, ""}, {2, "s2 more"}}},
	"sessions end":     {ok: []string{"s1"}, fails: []failure{{2, ""}, {3, "none"}}},
	"sessions summary": {ok: []string{"what was done", "--session", "s1"}, fails: []failure{{2, ""}, {3, "--file @none"}}},
	"sessions delete":  {ok: []string{"empty"}, fails: []failure{{2, ""}, {3, "none"}, {1, "s1"}}},
	"projects":         {fails: []failure{{2, "more"}}},
	"projects current": {fails: []failure{{2, "more"}}},
	"projects merge":   {ok: []string{"shop", "store"}, fails: []failure{{2, ""}, {2, "shop"}, {2, "shop shop"}, {3, "none shop"}}},
	"projects unmerge": {ok: []string{"old"}, fails: []failure{{2, ""}, {3, "none"}}},
	"stats":            {fails: []failure{{2, "more"}}},
	"mcp":              {in: `{"jsonrpc":"2.0","id":1,"method":"ping"}` + "\n", fails: []failure{{2, "more"}, {2, "--tools nonsense"}}},
	"serve":            {ok: []string{"--port", "0"}, fails: []failure{{2, "http"}, {2, "65536"}, {2, "--port -1"}, {2, "--port http"}}},
	"export":           {ok: []string{"@again.json"}, fails: []failure{{2, "@a @b"}, {2, "--format xml"}, {1, "@none/export.json"}}},
	"import":           {ok: []string{"@export.json"}, fails: []failure{{2, ""}, {3, "@none"}, {2, "@broken.json"}, {2, "@."}}},
	"backup":           {ok: []string{"@copy.db"}, fails: []failure{{2, "@a @b"}, {1, "@backup.db"}}},
	"migrate": {
		ok:    []string{"--from", "sqlite:@backup.db", "--to", "sqlite:@migrated.db"},
		fails: []failure{{2, ""}, {2, "more"}, {2, "--from nothing --to sqlite:@b.db"}, {3, "--from sqlite:@none --to sqlite:@b.db"}},
	},
	"doctor": {fails: []failure{{2, "more"}}},
	"embed":  {fails: []failure{{2, "more"}}},
	"bench":  {fails: []failure{{2, "more"}}},
	"bench retrieval": {ok: []string{"@sets", "--set", "little", "--ablation"}, fails: []failure{
		{2, ""},
		{2, "@none"},
		{2, "@export.json"},
		{3, "@sets --set none"},
		{2, "@sets --arms psychic"},
		{2, "@sets --arms keyword --ablation"},
		{2, "@sets --from @export.json"},
		{3, "--from @none"},
		{2, "--from @export.json"},
		{2, "--from @export.json --set little"},
		{2, "@sets --markdown"},
		{2, "@sets --svg @none/plot.svg"},
		{2, "@sets --report @none/report.json"},
		{2, "@sets --url ftp://127.0.0.1"},
		{2, "@sets --token t"},
	}},
	"bench speed": {ok: []string{"--sizes", "1k"}, fails: []failure{
		{2, "more"},
		{2, "--sizes 0"},
		{2, "--sizes 10x"},
		{2, "--sizes 1k,k"},
		{3, "--from @none"},
		{2, "--from @export.json"},
		{2, "--from @export.json --seed 2"},
		{2, "--svg @none/plot.svg"},
	}},
	"completion": {ok: []string{"fish"}, fails: []failure{{2, "nosh"}, {2, "bash zsh"}}},
	"help":       {ok: []string{"save"}, fails: []failure{{2, "serch"}, {2, "save more"}, {2, "prompts more"}}},
	"version":    {fails: []failure{{2, "more"}}},
}

// walk calls visit with every command that people may use, by its path.
func walk(cmd *cobra.Command, visit func(path string, cmd *cobra.Command)) {
	_, path, _ := strings.Cut(cmd.CommandPath(), " ")
	visit(path, cmd)
	for _, sub := range cmd.Commands() {
		if !sub.Hidden {
			walk(sub, visit)
		}
	}
}

// TestCommands: every command is explained, has --json, and ends with the exit
// codes that are documented.
func TestCommands(t *testing.T) {
	t.Parallel()
	base := furnished(t)
	seen := map[string]bool{}
	walk(cli.NewRootCmd(cli.Env{}), func(path string, cmd *cobra.Command) {
		seen[path] = true
		row, ok := commands[path]
		if !ok {
			t.Errorf("engram %s has no row in commands", path)
			return
		}
		if cmd.Short == "" || cmd.Example == "" {
			t.Errorf("engram %s has no short text, or no example", path)
		}
		t.Run("engram "+path, func(t *testing.T) {
			t.Parallel()
			checkHelp(t, path)
			checkJSON(t, base, path, row)
			checkFailures(t, base, path, row)
		})
	})
	for path := range commands {
		if !seen[path] {
			t.Errorf("commands has a row for %q, which is no command", path)
		}
	}
}

func checkHelp(t *testing.T, path string) {
	t.Helper()
	w := newWorld(t)
	out := w.must(t, append(strings.Fields(path), "--help")...)
	if !strings.Contains(out, "Examples:") || !strings.Contains(out, "--json") {
		t.Errorf("its help is %s", out)
	}
}

// checkJSON runs a command with --json, which must give one JSON value.
func checkJSON(t *testing.T, base *world, path string, row usage) {
	t.Helper()
	w := base.copy(t)
	w.in = strings.NewReader(row.in)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	if path == "serve" {
		w.out = ending{&w.stdout, cancel}
	}
	args := w.files(slices.Concat([]string{"--json"}, strings.Fields(path), row.ok))
	if code := w.run(ctx, args...); code != cli.ExitOK {
		t.Fatalf("engram %q: exit code %d, %s", args, code, w.stderr.String())
	}
	oneJSON(t, args, &w.stdout)
}

func oneJSON(t *testing.T, args []string, r io.Reader) map[string]any {
	t.Helper()
	var v map[string]any
	dec := json.NewDecoder(r)
	if err := dec.Decode(&v); err != nil {
		t.Errorf("engram %q gave no JSON object: %v", args, err)
	}
	if err := dec.Decode(&v); !errors.Is(err, io.EOF) {
		t.Errorf("engram %q gave more than one JSON value: %v", args, err)
	}
	return v
}

// ending ends the program once it has said something.
type ending struct {
	io.Writer
	end func()
}

func (e ending) Write(p []byte) (int, error) {
	n, err := e.Writer.Write(p)
	e.end()
	return n, err
}

func checkFailures(t *testing.T, base *world, path string, row usage) {
	t.Helper()
	for _, f := range row.fails {
		w := base.copy(t)
		args := w.files(slices.Concat([]string{"--json"}, strings.Fields(path), strings.Fields(f.args)))
		code := w.run(t.Context(), args...)
		if code != f.code {
			t.Errorf("engram %q: exit code %d, want %d; %s", args, code, f.code, w.stderr.String())
		}
		if v := oneJSON(t, args, bytes.NewReader(w.stderr.Bytes())); v["error"] == "" || v["code"] == "" || v["code"] == nil {
			t.Errorf("engram %q told %v", args, v)
		}
		if w.stdout.Len() > 0 {
			t.Errorf("engram %q failed and printed %s", args, w.stdout.String())
		}
	}
}

// furnished is a home with something of everything in it.
func furnished(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	for _, args := range [][]string{
		{"save", "Drinks", "tea, not coffee", "--project", "shop", "--topic", "drinks", "--session", "s1"},
		{"save", "Gone", "a fact that was deleted", "--project", "shop", "--session", "s1"},
		{"save", "Old", "a fact of a project that was merged", "--project", "old"},
		{"projects", "merge", "old", "new"},
		{"sessions", "start", "empty", "--project", "shop"},
		{"prompts", "save", "what do we drink?", "--project", "shop", "--session", "s1"},
		{"delete", "2"},
		{"export", w.path("export.json")},
		{"backup", w.path("backup.db")},
	} {
		w.must(t, args...)
	}
	w.write(t, "broken.json", `{"version":"0.1.0","observations":[`)
	for _, set := range []string{"little", "other"} {
		w.write(t, "sets/"+set+"/corpus.jsonl", `{"id":"a","text":"The ferry leaves at nine.","time":"2026-01-05T10:00:00Z","group":"g"}`+"\n")
		w.write(t, "sets/"+set+"/queries.jsonl", `{"id":"1","text":"when does the ferry leave","group":"g","kind":"one"}`+"\n")
		w.write(t, "sets/"+set+"/qrels.tsv", "1\ta\t1\n")
	}
	return w
}

// copy is a home of its own with the same in it.
func (w *world) copy(t *testing.T) *world {
	t.Helper()
	c := newWorld(t)
	if err := os.CopyFS(c.home, os.DirFS(w.home)); err != nil {
		t.Fatal(err)
	}
	err := filepath.WalkDir(c.path(".engram"), func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			return os.Chmod(path, 0o700)
		}
		return os.Chmod(path, 0o600)
	})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// files puts the paths of files in the place of words that begin with @.
func (w *world) files(args []string) []string {
	out := slices.Clone(args)
	for i, arg := range out {
		if store, ok := strings.CutPrefix(arg, "sqlite:@"); ok {
			out[i] = "sqlite:" + filepath.Join(w.home, filepath.FromSlash(store))
		}
		if name, ok := strings.CutPrefix(arg, "@"); ok {
			out[i] = filepath.Join(w.home, filepath.FromSlash(name))
		}
	}
	return out
}

// TestExamples: what the help shows can be typed.
func TestExamples(t *testing.T) {
	t.Parallel()
	walk(cli.NewRootCmd(cli.Env{}), func(path string, cmd *cobra.Command) {
		shown := 0
		for line := range strings.Lines(cmd.Example) {
			for _, part := range strings.FieldsFunc(line, func(r rune) bool { return strings.ContainsRune("|()<>", r) }) {
				words := split(part)
				if len(words) < 2 || words[0] != "engram" {
					continue
				}
				shown++
				named, rest, err := cli.NewRootCmd(cli.Env{}).Find(words[1:])
				if err == nil {
					err = named.ParseFlags(rest)
				}
				if err == nil {
					err = named.ValidateArgs(named.Flags().Args())
				}
				if err != nil {
					t.Errorf("the help of engram %s shows %q: %v", path, strings.TrimSpace(part), err)
				}
			}
		}
		if shown == 0 && path != "mcp" {
			t.Errorf("the example of engram %s does not show it: %s", path, cmd.Example)
		}
	})
}

// split cuts a line into words as a shell does that knows single quotes.
func split(line string) []string {
	var words []string
	for i, part := range strings.Split(line, "'") {
		if i%2 == 1 {
			words = append(words, part)
			continue
		}
		words = append(words, strings.Fields(part)...)
	}
	return words
}
