package cli_test

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"engram/internal/cli"
)

// TestMain makes the test binary the program where engram bench speed starts it
// anew.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "bench" {
		os.Exit(cli.Main(context.Background(), os.Args[1:], cli.System("")))
	}
	os.Exit(m.Run())
}

// TestBenchForms: a report is written once, and shown again in each of its forms.
func TestBenchForms(t *testing.T) {
	t.Parallel()
	w := furnished(t)
	table := w.must(t, "bench", "retrieval", w.path("sets"), "--ablation", "--report", w.path("r.json"), "--svg", w.path("r.svg"))
	if !strings.Contains(table, "little") || !strings.Contains(w.stderr.String(), "little: ask 1 questions") {
		t.Errorf("the table is %s, and it told %s", table, w.stderr.String())
	}
	if again := w.must(t, "bench", "retrieval", "--from", w.path("r.json")); again != table {
		t.Errorf("shown again it is %s, and was %s", again, table)
	}
	if md := w.must(t, "bench", "retrieval", "--from", w.path("r.json"), "--markdown", "--svg", w.path("again.svg")); !strings.Contains(md, "### By arm and step\n") {
		t.Errorf("the Markdown is %s", md)
	}
	first, again := w.read(t, "r.svg"), w.read(t, "again.svg")
	if first != again || !strings.HasPrefix(first, "<svg ") {
		t.Errorf("the pictures are %s and %s", first, again)
	}
	shown := w.must(t, "bench", "retrieval", "--from", w.path("r.json"), "--json")
	if !json.Valid([]byte(shown)) || shown != w.read(t, "r.json") {
		t.Errorf("the report is %s, and was %s", shown, w.read(t, "r.json"))
	}
}

func (w *world) read(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(w.path(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
