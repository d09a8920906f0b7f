package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"engram/internal/store/postgres/postgrestest"
)

// asEngram makes the test binary the program, for tests of several processes.
const asEngram = "ENGRAM_TEST_AS_ENGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asEngram) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"engram": main})
}

// TestScript runs the product as its user sees it: testdata/script/*.txtar. A script
// that needs another store says store NAME; "store" alone is the first again.
func TestScript(t *testing.T) {
	t.Parallel()
	runScripts(t, false)
}

// TestScriptPostgres runs the same with the store in a database server. What is about
// files of the store, a script leaves out there by [!postgres].
func TestScriptPostgres(t *testing.T) {
	t.Parallel()
	postgrestest.Server(t)
	runScripts(t, true)
}

// stores are the addresses of a script's stores by name.
type stores map[string]string

func runScripts(t *testing.T, postgres bool) {
	t.Helper()
	address := func(env *testscript.Env) string {
		if !postgres {
			return ""
		}
		return postgrestest.Schema(env.T().(testing.TB))
	}
	testscript.Run(t, testscript.Params{
		Dir: filepath.Join("testdata", "script"),
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if err := os.Mkdir(home, 0o700); err != nil {
				return err
			}
			env.Setenv("HOME", home)
			env.Setenv("USERPROFILE", home)
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(env.WorkDir))
			first := address(env)
			env.Setenv("ENGRAM_DATABASE_URL", first)
			env.Values[stores{}.key()] = stores{"": first}
			env.Values["address"] = func() string { return address(env) }
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "postgres" {
				return false, fmt.Errorf("unknown condition %q", name)
			}
			return postgres, nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"store": useStore, "reranker": reranker},

		RequireExplicitExec: true,
	})
}

func (stores) key() string { return "stores" }

// useStore goes over to a store of a script, making it where there is none.
func useStore(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) > 1 {
		ts.Fatalf("usage: store [NAME]")
	}
	all := ts.Value(stores{}.key()).(stores)
	name, dir := "", ""
	if len(args) == 1 {
		name, dir = args[0], ts.MkAbs(args[0])
	}
	if _, ok := all[name]; !ok {
		all[name] = ts.Value("address").(func() string)()
	}
	ts.Setenv("ENGRAM_DATA_DIR", dir)
	ts.Setenv("ENGRAM_DATABASE_URL", all[name])
}
