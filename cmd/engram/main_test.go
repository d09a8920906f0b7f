package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// asEngram makes the test binary the program, for tests of several processes.
const asEngram = "ENGRAM_TEST_AS_ENGRAM"

func TestMain(m *testing.M) {
	if os.Getenv(asEngram) != "" {
		main()
	}
	testscript.Main(m, map[string]func(){"engram": main})
}

// TestScript runs the product as its user sees it: testdata/script/*.txtar.
func TestScript(t *testing.T) {
	t.Parallel()
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
			return nil
		},
		RequireExplicitExec: true,
	})
}
