package remote

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"
)

// ErrorText is what the body of an error says: {"error": {"message": …}},
// {"error": …}, {"message": …} or {"detail": …}.
func ErrorText(body []byte) (text string, isJSON bool) {
	var outer map[string]json.RawMessage
	if err := json.Unmarshal(body, &outer); err != nil {
		return "", false
	}
	for _, name := range []string{"error", "message", "detail"} {
		raw := outer[name]
		var inner struct {
			Message string `json:"message"`
		}
		switch {
		case json.Unmarshal(raw, &text) == nil && text != "":
			return text, true
		case json.Unmarshal(raw, &inner) == nil && inner.Message != "":
			return inner.Message, true
		case len(raw) > 0 && !bytes.Equal(raw, []byte("null")):
			return string(raw), true
		}
	}
	return "", true
}

const maxDetail = 200 // bytes of a server's message that are shown

// Detail is what the body of an error says, fit to be shown and logged: without
// the key and without the texts that were sent, which validators like to repeat.
func Detail(body []byte, key Key, texts []string) string {
	text, _ := ErrorText(body)
	for _, t := range texts {
		if n := min(len(t), 16); n >= 8 && strings.Contains(text, t[:n]) {
			return "(not shown, as it repeats a text)"
		}
	}
	if key != "" {
		text = strings.ReplaceAll(text, string(key), redacted)
	}
	text = strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r <= ' ' || r == 0x7f }), " ")
	if len(text) > maxDetail {
		text = strings.ToValidUTF8(text[:maxDetail], "") + "…"
	}
	return text
}

// Innermost is the cause at the bottom of an error. What the transport says has
// the address with its query in it, which may have a key: the cause has not.
func Innermost(err error) error {
	for {
		next := errors.Unwrap(err)
		if next == nil {
			return err
		}
		err = next
	}
}

// IsPage reports whether the body of an answer is a web page.
func IsPage(body []byte) bool { return bytes.HasPrefix(bytes.TrimSpace(body), []byte("<")) }

// IsTooMany reports whether a server says that a request has more texts than it
// takes. The phrases, like those of [HasAny]'s users, are those of Ollama, llama.cpp,
// vLLM, Text Embeddings Inference, DashScope, SiliconFlow, Mistral and OpenAI, in
// small letters. There is no code that they agree on.
func IsTooMany(said string) bool {
	return HasAny(said, "batch size", "batch_size", "too many inputs", "array too long", "more batches", "in one batch",
		"too many texts", "too many documents", "number of inputs", "number of documents", "per request", "maximum batch")
}

// IsTooLong reports whether a server says that a text, or all together, has more
// tokens than its model reads. It goes before [IsTooMany]: some call that a batch.
func IsTooLong(said string) bool {
	return HasAny(said, "context length", "context window", "context size", "input length", "too large to process",
		"physical batch size", "must have less than", "maximum input", "max_model_len", "longer than the maximum",
		"input is too long", "input too long", "text is too long", "text too long", "prompt is too long", "prompt too long",
		"sequence too long", "sequence is too long", "content is too long", "content too long", "too many tokens", "tokens per input", "kv size", "range of input")
}

// IsModelUnknown reports whether a server says that it does not have the model.
func IsModelUnknown(said string) bool {
	return strings.Contains(said, "model") &&
		HasAny(said, "not found", "does not exist", "not exist", "unknown model", "no such model", "invalid model", "model_not_found", "not a valid model")
}

// HasAny reports whether s has one of the parts.
func HasAny(s string, parts ...string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}
