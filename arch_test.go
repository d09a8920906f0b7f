package engram_test

import (
	"go/parser"
	"go/token"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// layers is the table of ARCHITECTURE.md, lowest first: a package imports only
// from lines above its own. "internal/service/*" stands for each package in
// that folder. Tests may import what they like.
var layers = [][]string{
	{"."},
	{
		"internal/policy", "internal/atomicfile", "internal/store", "internal/text", "internal/keyword",
		"internal/vector", "internal/graph", "internal/encoder", "internal/embed", "internal/llm",
		"internal/extract", "internal/blob", "internal/event", "internal/project", "internal/remote", "internal/rerank",
	},
	{"internal/recall", "internal/sleep", "internal/document", "internal/store/sqlstore", "internal/store/storetest", "internal/job", "internal/auth"},
	{"internal/service/*", "internal/recall/recalltest", "internal/store/sqlite", "internal/store/postgres", "internal/store/postgres/postgrestest", "internal/gitsync", "internal/oauth"},
	{"internal/rest", "internal/web", "internal/mcpserver", "internal/tui", "internal/setup", "internal/eval", "client"},
	{"internal/httpd"},
	{"internal/app", "internal/config"},
	{"internal/cli"},
	{"cmd/engram"},
}

// sideways lists imports within a line that are meant.
var sideways = map[[2]string]bool{
	{"internal/keyword", "internal/text"}:   true, // the index keeps what text analyses
	{"internal/keyword", "internal/vector"}: true, // … and its vectors beside it
	{"internal/keyword", "internal/store"}:  true, // the turns beside a hit are handed on as they are
	{"internal/store", "internal/text"}:     true, // a hit comes with what text read of it
	{"internal/embed", "internal/text"}:     true, // identifiers are split before tokens are made
	{"internal/embed", "internal/remote"}:   true, // models that are asked over a network
	{"internal/rerank", "internal/remote"}:  true, // … and those that look twice
	{"internal/encoder", "internal/embed"}:  true, // one tokenizer for table and encoder
	{"internal/eval", "client"}:             true, // a running server is measured as a user calls it
	{"internal/app", "internal/config"}:     true, // wiring reads the settings
}

// engines are imported by internal/app and by each other only. Front ends may
// know the types of package store that service structs expose.
var engines = []string{"internal/store/sqlite", "internal/store/postgres", "internal/store/sqlstore"}

func TestLayers(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for pkg, imports := range packageImports(t) {
		from, ok := layerOf(pkg)
		if !ok {
			t.Errorf("package %s is in no layer: give it a line in layers and in ARCHITECTURE.md", pkg)
			continue
		}
		seen[pkg] = true
		for _, imp := range imports {
			to, ok := layerOf(imp)
			switch {
			case !ok:
				t.Errorf("%s imports %s, which is in no layer", pkg, imp)
			case to > from, to == from && !sideways[[2]string{pkg, imp}]:
				t.Errorf("%s imports %s: imports point down; declare a small interface where it is used", pkg, imp)
			case slices.Contains(engines, imp) && pkg != "internal/app" && !slices.Contains(engines, pkg):
				t.Errorf("%s imports the engine %s: only internal/app names one", pkg, imp)
			}
		}
	}
	if len(seen) < 10 {
		t.Fatalf("only %d packages found: the walk is broken", len(seen))
	}
}

func layerOf(pkg string) (int, bool) {
	for i, line := range layers {
		for _, name := range line {
			if ok, _ := path.Match(name, pkg); ok {
				return i, true
			}
		}
	}
	return 0, false
}

// packageImports maps each package of the module to what it imports of the
// module, tests left out, as paths below the root ("." is the root).
func packageImports(t *testing.T) map[string][]string {
	t.Helper()
	out := map[string][]string{}
	fset := token.NewFileSet()
	err := filepath.WalkDir(".", func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := d.Name()
		if d.IsDir() {
			if p != "." && (strings.HasPrefix(name, ".") || name == "testdata" || name == "tools") {
				return fs.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			return nil
		}
		file, err := parser.ParseFile(fset, p, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg := filepath.ToSlash(filepath.Dir(p))
		out[pkg] = append(out[pkg], []string{}...)
		for _, spec := range file.Imports {
			imp, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			if imp == "engram" {
				out[pkg] = append(out[pkg], ".")
			} else if rest, ok := strings.CutPrefix(imp, "engram/"); ok {
				out[pkg] = append(out[pkg], rest)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
