package config

import (
	"strconv"
	"strings"

	"engram"
	"engram/internal/remote"
)

// EmbedderChoice says which model texts are understood by, beside the table that
// always does.
type EmbedderChoice string

// The values of the setting embedder, and none.
const (
	ByDefault EmbedderChoice = ""         // the encoder, as far as this processor is fast enough
	Static    EmbedderChoice = "static"   // the table alone
	Encoder   EmbedderChoice = "encoder"  // the encoder in the binary, for questions too, however slow
	Endpoint  EmbedderChoice = "endpoint" // a server: URL
)

// Embedder is another model than the table that texts are understood by.
type Embedder struct {
	Choice                     EmbedderChoice
	URL                        string // of an API of OpenAI's kind, with Endpoint
	Model                      string
	Key                        remote.Key
	Dimensions                 int // 0 = the model's own
	TextPrefix, QuestionPrefix string
}

// embedderFile is its part of config.toml.
type embedderFile struct {
	Embedder               *string `toml:"embedder"`
	EmbedderModel          *string `toml:"embedder_model"`
	EmbedderKey            *string `toml:"embedder_key"`
	EmbedderDimensions     *int    `toml:"embedder_dimensions"`
	EmbedderTextPrefix     *string `toml:"embedder_text_prefix"`
	EmbedderQuestionPrefix *string `toml:"embedder_question_prefix"`
}

func (e *Embedder) read(f *embedderFile) {
	set(&e.URL, f.Embedder)
	set(&e.Model, f.EmbedderModel)
	set(&e.Dimensions, f.EmbedderDimensions)
	set(&e.TextPrefix, f.EmbedderTextPrefix)
	set(&e.QuestionPrefix, f.EmbedderQuestionPrefix)
	if f.EmbedderKey != nil {
		e.Key = remote.Key(*f.EmbedderKey)
	}
}

func (e *Embedder) readEnvironment(getenv func(string) string) error {
	for name, dst := range map[string]*string{
		"ENGRAM_EMBEDDER": &e.URL, "ENGRAM_EMBEDDER_MODEL": &e.Model,
		"ENGRAM_EMBEDDER_TEXT_PREFIX": &e.TextPrefix, "ENGRAM_EMBEDDER_QUESTION_PREFIX": &e.QuestionPrefix,
	} {
		if v := getenv(name); v != "" {
			*dst = v
		}
	}
	if v := getenv("ENGRAM_EMBEDDER_KEY"); v != "" {
		e.Key = remote.Key(v)
	}
	v := getenv("ENGRAM_EMBEDDER_DIMENSIONS")
	if v == "" {
		return nil
	}
	n, err := strconv.Atoi(v)
	if err != nil {
		return invalid("ENGRAM_EMBEDDER_DIMENSIONS", v, "use the number of dimensions that the model is to give, or leave it out")
	}
	e.Dimensions = n
	return nil
}

// check refuses settings of an embedder that none is named for. Whether address
// and model are of use, who asks them finds out. "static" and "encoder" turn a
// server off, whatever else is set.
func (e *Embedder) check() error {
	e.URL = strings.TrimSpace(e.URL)
	switch choice := EmbedderChoice(strings.ToLower(e.URL)); choice {
	case Static, Encoder:
		*e = Embedder{Choice: choice}
		return nil
	case ByDefault:
	default:
		e.Choice = Endpoint
		return nil
	}
	for _, s := range []struct {
		name string
		set  bool
	}{
		{"embedder_model", e.Model != ""},
		{"embedder_key", e.Key != ""},
		{"embedder_dimensions", e.Dimensions != 0},
		{"embedder_text_prefix", e.TextPrefix != ""},
		{"embedder_question_prefix", e.QuestionPrefix != ""},
	} {
		if s.set {
			return engram.Errorf(engram.ErrInvalid, "%s is set, and embedder is not", s.name).WithCode("bad_config").
				WithHint("set embedder to the address of the model's API, such as http://localhost:11434/v1, or to encoder or static for what is in the binary")
		}
	}
	return nil
}
