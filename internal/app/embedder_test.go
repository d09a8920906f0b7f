package app

import (
	"testing"

	"engram/internal/config"
	"engram/internal/embed"
	"engram/internal/encoder"
)

func TestWhichModelUnderstandsTexts(t *testing.T) {
	t.Parallel()
	server := config.Embedder{Choice: config.Endpoint, URL: "http://localhost:11434/v1", Model: "m"}
	inBinary := encoder.Name
	byDefault, slowShareByDefault := "", 0.0
	if encoder.Included() {
		byDefault, slowShareByDefault = inBinary, slowShare
	}
	for _, c := range []struct {
		name      string
		setting   config.Embedder
		tier      encoder.Tier
		model     string // "" = the table alone
		textsOnly bool
		share     float64
	}{
		{name: "by default", tier: encoder.AVX2, model: byDefault},
		{name: "by default, on arm64", tier: encoder.NEON, model: byDefault},
		{name: "by default, on a slow processor", tier: encoder.Plain, model: byDefault, textsOnly: byDefault != "", share: slowShareByDefault},
		{name: "the encoder", setting: config.Embedder{Choice: config.Encoder}, tier: encoder.VNNI, model: inBinary},
		{name: "the encoder, on a slow processor", setting: config.Embedder{Choice: config.Encoder}, tier: encoder.Plain, model: inBinary, share: slowShare},
		{name: "static", setting: config.Embedder{Choice: config.Static}, tier: encoder.VNNI},
		{name: "a server", setting: server, tier: encoder.VNNI, model: "a server's"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o, err := embedderOptions(c.setting, c.tier, Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			model := ""
			switch m := o.Model.(type) {
			case *encoder.Encoder:
				model = m.Model()
			case *embed.Endpoint:
				model = "a server's"
			}
			if model != c.model || o.TextsOnly != c.textsOnly || o.Share != c.share {
				t.Errorf("model %q, texts only %v, share %v; want %q, %v, %v", model, o.TextsOnly, o.Share, c.model, c.textsOnly, c.share)
			}
			if (o.Recipe == encoderRecipe) != (c.model == inBinary) {
				t.Errorf("recipe %q", o.Recipe)
			}
		})
	}
}

// What is kept with vectors decides which model is asked besides, and never where.
func TestTheModelBefore(t *testing.T) {
	t.Parallel()
	server := config.Embedder{Choice: config.Endpoint, URL: "http://localhost:11434/v1", Model: "m"}
	for _, c := range []struct {
		name    string
		setting config.Embedder
		recipe  string
		asked   bool
	}{
		{"a server after the encoder", server, encoderRecipe, true},
		{"a server after an encoder that this build does not have", server, `{"encoder":"of old"}`, false},
		{"a server's other model", server, `{"model":"other"}`, true},
		{"the encoder after a server", config.Embedder{Choice: config.Encoder}, `{"model":"other"}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			o, err := embedderOptions(c.setting, encoder.VNNI, Options{}, nil)
			if err != nil {
				t.Fatal(err)
			}
			m, err := o.Older(c.recipe)
			if err != nil || (m != nil) != c.asked {
				t.Errorf("%v, %v; want asked %v", m, err, c.asked)
			}
			if _, local := m.(*encoder.Encoder); local != (c.recipe == encoderRecipe) {
				t.Errorf("it is a %T", m)
			}
		})
	}
}
