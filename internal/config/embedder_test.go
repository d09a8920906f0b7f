package config_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"engram"
	"engram/internal/config"

	"github.com/google/go-cmp/cmp"
)

func TestEmbedder(t *testing.T) {
	t.Parallel()
	const file = `embedder = "http://localhost:11434"
embedder_model = "nomic-embed-text"
embedder_key = "sk-secret"
embedder_dimensions = 256
embedder_text_prefix = "search_document: "
embedder_question_prefix = "search_query: "
`
	whole := config.Embedder{
		Choice: config.Endpoint, URL: "http://localhost:11434", Model: "nomic-embed-text", Key: "sk-secret", Dimensions: 256,
		TextPrefix: "search_document: ", QuestionPrefix: "search_query: ",
	}
	other := whole
	other.URL, other.Model, other.Key, other.Dimensions, other.TextPrefix, other.QuestionPrefix = "https://other/v1", "m", "k", 64, "t: ", "q: "
	for _, c := range []struct {
		name, file string
		env        map[string]string
		want       config.Embedder
		err        string
	}{
		{name: "none"},
		{name: "of the file", file: file, want: whole},
		{name: "of the environment", file: file, env: map[string]string{
			"ENGRAM_EMBEDDER": "https://other/v1", "ENGRAM_EMBEDDER_MODEL": "m", "ENGRAM_EMBEDDER_KEY": "k", "ENGRAM_EMBEDDER_DIMENSIONS": "64",
			"ENGRAM_EMBEDDER_TEXT_PREFIX": "t: ", "ENGRAM_EMBEDDER_QUESTION_PREFIX": "q: ",
		}, want: other},
		{name: "turned off", file: file, env: map[string]string{"ENGRAM_EMBEDDER": "static"}, want: config.Embedder{Choice: config.Static}},
		{name: "static", file: `embedder = "Static"`, want: config.Embedder{Choice: config.Static}},
		{name: "the encoder", file: `embedder = " encoder "`, want: config.Embedder{Choice: config.Encoder}},
		{name: "the encoder for a server", file: file, env: map[string]string{"ENGRAM_EMBEDDER": "encoder"}, want: config.Embedder{Choice: config.Encoder}},
		{name: "model alone", file: `embedder_model = "m"`, err: "embedder_model is set, and embedder is not"},
		{name: "key alone", env: map[string]string{"ENGRAM_EMBEDDER_KEY": "sk-secret"}, err: "embedder_key is set, and embedder is not"},
		{name: "prefix alone", file: `embedder_question_prefix = "q"`, err: "embedder_question_prefix is set"},
		{name: "dimensions", env: map[string]string{"ENGRAM_EMBEDDER_DIMENSIONS": "few"}, err: "ENGRAM_EMBEDDER_DIMENSIONS"},
		{name: "a text for a number", file: `embedder_dimensions = "few"`, err: `setting "embedder_dimensions" must be a whole number`},
		{name: "a name that is not known", file: `embedder_modell = "m"`, err: "embedder_modell"},
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
			if diff := cmp.Diff(c.want, got.Embedder); diff != "" {
				t.Errorf("embedder (-want +got):\n%s", diff)
			}
			if shown := fmt.Sprintf("%+v %#v", got, got.Embedder); strings.Contains(shown, "sk-secret") {
				t.Errorf("the key is shown: %s", shown)
			}
		})
	}
}
