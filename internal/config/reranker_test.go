package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/config"

	"github.com/google/go-cmp/cmp"
)

func TestReranker(t *testing.T) {
	t.Parallel()
	const file = `reranker = "http://localhost:8080"
reranker_model = "bge-reranker-v2-m3"
reranker_key = "sk-secret"
reranker_timeout = "800ms"
`
	whole := config.Reranker{URL: "http://localhost:8080", Model: "bge-reranker-v2-m3", Key: "sk-secret", Timeout: 800 * time.Millisecond}
	for _, c := range []struct {
		name, file string
		env        map[string]string
		want       config.Reranker
		err        string
	}{
		{name: "none"},
		{name: "of the file", file: file, want: whole},
		{name: "of the environment", file: file, env: map[string]string{
			"ENGRAM_RERANKER": " https://other/v2 ", "ENGRAM_RERANKER_MODEL": "m", "ENGRAM_RERANKER_KEY": "k", "ENGRAM_RERANKER_TIMEOUT": "1m",
		}, want: config.Reranker{URL: "https://other/v2", Model: "m", Key: "k", Timeout: time.Minute}},
		{name: "address alone", file: `reranker = "http://localhost:8080"`, want: config.Reranker{URL: "http://localhost:8080", Timeout: 2 * time.Second}},
		{name: "turned off", file: file, env: map[string]string{"ENGRAM_RERANKER": "off"}},
		{name: "off", file: `reranker = "Off"`},
		{name: "model alone", file: `reranker_model = "m"`, err: "reranker_model is set, and reranker is not"},
		{name: "key alone", env: map[string]string{"ENGRAM_RERANKER_KEY": "sk-secret"}, err: "reranker_key is set, and reranker is not"},
		{name: "time alone", env: map[string]string{"ENGRAM_RERANKER_TIMEOUT": "2s"}, err: "reranker_timeout is set, and reranker is not"},
		{name: "no time", file: `reranker_timeout = "soon"`, err: "config.toml: reranker_timeout is \"soon\""},
		{name: "time without a unit", file: file, env: map[string]string{"ENGRAM_RERANKER_TIMEOUT": "2"}, err: "ENGRAM_RERANKER_TIMEOUT is \"2\""},
		{name: "no time at all", file: file, env: map[string]string{"ENGRAM_RERANKER_TIMEOUT": "0s"}, err: "ENGRAM_RERANKER_TIMEOUT is \"0s\""},
		{name: "time below 0", file: file, env: map[string]string{"ENGRAM_RERANKER_TIMEOUT": "-2s"}, err: "ENGRAM_RERANKER_TIMEOUT"},
		{name: "too long a time", file: `reranker_timeout = "61s"`, err: "reranker_timeout"},
		{name: "a number for a time", file: `reranker_timeout = 2`, err: `"reranker_timeout" must be a text`},
		{name: "a name that is not known", file: `reranker_modell = "m"`, err: "reranker_modell"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(c.file), 0o600); err != nil {
				t.Fatal(err)
			}
			got, err := config.Load(func(name string) string { return c.env[name] }, "", dir)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) || strings.Contains(err.Error(), "sk-secret") {
					t.Errorf("error %v, want one with %q", err, c.err)
				}
				if !errors.Is(err, engram.ErrInvalid) {
					t.Errorf("error %v is of another kind", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, got.Reranker); diff != "" {
				t.Errorf("reranker (-want +got):\n%s", diff)
			}
			if shown := fmt.Sprintf("%+v %#v", got, got.Reranker); strings.Contains(shown, "sk-secret") {
				t.Errorf("the key is shown: %s", shown)
			}
		})
	}
}
