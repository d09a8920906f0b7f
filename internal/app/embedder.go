package app

import (
	"encoding/json"
	"fmt"
	"log/slog"

	"engram/internal/config"
	"engram/internal/embed"
	"engram/internal/encoder"
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

// encoderRecipe is that of the encoder in the binary: there is one way to ask it.
const encoderRecipe = `{"encoder":"` + encoder.Name + `"}`

// slowShare is the part of one processor that the encoder gets where it is slow: it
// goes on for hours then, and is not to be heard.
const slowShare = 0.25

// embedderOptions are those of the service that asks the model of the settings,
// on a processor with the kernels of tier.
func embedderOptions(e config.Embedder, tier encoder.Tier, opts Options, log *slog.Logger) (embedding.Options, error) {
	out := embedding.Options{Log: log, Now: opts.Now}
	switch e.Choice {
	case config.Static:
		return out, nil
	case config.Endpoint:
		return endpointOptions(e, out)
	case config.ByDefault:
		if !encoder.Included() {
			return out, nil // who built it so wants the table alone
		}
		out.TextsOnly = !tier.Fast()
	}
	if !tier.Fast() {
		out.Share = slowShare
	}
	out.Model, out.Recipe = encoder.New(), encoderRecipe
	// A server that was left is not asked: its key is not kept, and what is stored never
	// decides where texts are sent.
	out.Older = func(string) (embedding.Model, error) { return nil, nil }
	return out, nil
}

// endpointOptions are those where the model is a server's.
func endpointOptions(e config.Embedder, out embedding.Options) (embedding.Options, error) {
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
		if kept == encoderRecipe {
			return encoder.New(), nil
		}
		var r recipe
		if err := json.Unmarshal([]byte(kept), &r); err != nil {
			return nil, fmt.Errorf("recipe of the embedder before: %w", err)
		}
		if r.Model == "" {
			return nil, nil // an encoder that this build does not have
		}
		older, err := ask(r)
		if err != nil {
			return nil, err
		}
		return older, nil
	}
	return out, nil
}
