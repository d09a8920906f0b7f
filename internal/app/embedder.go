package app

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"engram/internal/config"
	"engram/internal/embed"
	"engram/internal/service/embedding"
)

// recipe is how a model is asked, as it is kept with the model's vectors. Where
// it is asked, and with which key, is not in it: what is stored never decides
// where texts go.
type recipe struct {
	Model          string `json:"model"`
	Dimensions     int    `json:"dimensions,omitempty"`
	TextPrefix     string `json:"text_prefix,omitempty"`
	QuestionPrefix string `json:"question_prefix,omitempty"`
}

// embedderOptions are those of the service that asks the embedder of the settings.
func embedderOptions(e config.Embedder, opts Options, log *slog.Logger) (embedding.Options, error) {
	out := embedding.Options{Log: log, Now: opts.Now}
	if e.URL == "" {
		return out, nil
	}
	ask := func(r recipe) (*embed.Endpoint, error) {
		return embed.NewEndpoint(embed.EndpointOptions{
			URL: e.URL, Key: e.Key, Model: r.Model, Dimensions: r.Dimensions,
			TextPrefix: r.TextPrefix, QuestionPrefix: r.QuestionPrefix,
		})
	}
	r := recipe{e.Model, e.Dimensions, e.TextPrefix, e.QuestionPrefix}
	model, err := ask(r)
	if err != nil {
		return out, err
	}
	written, err := json.Marshal(r)
	if err != nil {
		return out, fmt.Errorf("recipe of the embedder: %w", err)
	}
	out.Model, out.Recipe = model, string(written)
	out.Older = func(kept string) (embedding.Model, error) {
		var r recipe
		if err := json.Unmarshal([]byte(kept), &r); err != nil {
			return nil, fmt.Errorf("recipe of the embedder before: %w", err)
		}
		older, err := ask(r)
		if err != nil {
			return nil, err
		}
		return older, nil
	}
	return out, nil
}
