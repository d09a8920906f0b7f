package embed

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"

	"engram"
	"engram/internal/remote"
)

// embeddingsAnswer is the body of an answer.
type embeddingsAnswer struct {
	Data  []embeddingItem `json:"data"`
	Error json.RawMessage `json:"error"`
}

type embeddingItem struct {
	Index     *int            `json:"index"`
	Embedding json.RawMessage `json:"embedding"`
}

// read takes the vectors out of an answer and checks them: one for each text, in
// order, all of the dimension that there has been from the first.
func (e *Endpoint) read(body []byte, texts []string) ([][]float32, error) {
	var answer embeddingsAnswer
	if err := json.Unmarshal(body, &answer); err != nil {
		return nil, e.unreadable(body)
	}
	if len(answer.Error) > 0 && !bytes.Equal(answer.Error, []byte("null")) {
		return nil, &fault{blame: blameMaybe, err: e.badAnswer("the answer is an error: " + e.detail(body, texts))}
	}
	items, ok := order(answer.Data, len(texts))
	if !ok {
		return nil, &fault{blame: blameBatch, err: e.badAnswer(fmt.Sprintf(
			"%d vectors came for %d texts, or their order is not told", len(answer.Data), len(texts)))}
	}
	out := make([][]float32, len(texts))
	for i, raw := range items {
		v, f := e.vector(raw)
		if f != nil {
			return nil, f
		}
		if i > 0 && len(v) != len(out[0]) {
			return nil, nobody(unavailable("embedder_dimension", "%s gives vectors of %d and of %d numbers at once", e.name(), len(out[0]), len(v)))
		}
		if out[i], ok = normalise(v); !ok {
			return nil, &fault{blame: blameText, err: e.badAnswer("a vector is all zeros")}
		}
	}
	if err := e.checkDim(len(out[0])); err != nil {
		return nil, nobody(err)
	}
	return out, nil
}

func (e *Endpoint) unreadable(body []byte) *fault {
	switch {
	case bytes.Contains(body, []byte("NaN")), bytes.Contains(body, []byte("Infinity")):
		return &fault{blame: blameText, err: e.badAnswer("a vector has a number that is none (NaN)")}
	case remote.IsPage(body):
		return nobody(e.badAnswer("the answer is a web page").
			WithHint("embedder must be the address of the API, such as http://localhost:11434/v1"))
	}
	return nobody(e.badAnswer("the answer is not the JSON that OpenAI's API has"))
}

// order sorts vectors by their index. Of a single one it does not matter; if no
// item has one, they are taken to be in order.
func order(data []embeddingItem, n int) ([]json.RawMessage, bool) {
	if len(data) != n {
		return nil, false
	}
	out := make([]json.RawMessage, n)
	with := 0
	for i, item := range data {
		at := i
		if item.Index != nil && n > 1 {
			at = *item.Index
			with++
		}
		if at < 0 || at >= n || out[at] != nil || item.Embedding == nil {
			return nil, false
		}
		out[at] = item.Embedding
	}
	return out, with == 0 || with == n
}

// vector decodes numbers, or the base64 of numbers: some gateways send that
// whatever they are asked for.
func (e *Endpoint) vector(raw json.RawMessage) ([]float32, *fault) {
	var v []float32
	if text := ""; raw[0] == '"' {
		data, err := []byte(nil), json.Unmarshal(raw, &text)
		if err == nil {
			data, err = base64.StdEncoding.DecodeString(text)
		}
		if err != nil || len(data)%4 != 0 {
			return nil, nobody(e.badAnswer("a vector is a text that is not base64"))
		}
		for b := data; len(b) > 0; b = b[4:] {
			v = append(v, math.Float32frombits(binary.LittleEndian.Uint32(b)))
		}
	} else if bytes.Contains(raw, []byte("null")) && raw[0] == '[' { // how JavaScript writes NaN
		return nil, &fault{blame: blameText, err: e.badAnswer("a vector has a number that is none (null)")}
	} else if err := json.Unmarshal(raw, &v); err != nil {
		if number, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && strings.HasPrefix(number.Value, "number") {
			return nil, &fault{blame: blameText, err: e.badAnswer("a vector has a number that is too great for a vector")}
		}
		return nil, nobody(e.badAnswer("a vector is not a list of numbers").
			WithHint("a server that gives one vector per token has to be told to pool them"))
	}
	if len(v) == 0 {
		return nil, &fault{blame: blameBatch, err: e.badAnswer("a vector is empty")}
	}
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return nil, &fault{blame: blameText, err: e.badAnswer("a vector has a number that is none (NaN)")}
		}
	}
	return v, nil
}

// checkDim keeps the dimension of the first vector, and wants it of all others.
func (e *Endpoint) checkDim(n int) *engram.Error {
	e.mu.Lock()
	defer e.mu.Unlock()
	want := e.dim
	if want == 0 {
		want = e.opts.Dimensions
	}
	switch {
	case n > maxDim:
		return e.badAnswer(fmt.Sprintf("a vector has %d numbers, at most %d can be used", n, maxDim))
	case want == 0, n == want:
		e.dim = n
		return nil
	case e.dim == 0:
		return unavailable("embedder_dimension", "%s gives vectors of %d numbers, not the %d of embedder_dimensions", e.name(), n, want).
			WithHint("set embedder_dimensions to %d, or take it out", n)
	}
	return unavailable("embedder_dimension", "%s gives vectors of %d numbers now, and gave %d before", e.name(), n, want).
		WithHint("see which model the server has under the name %s; restart to use the new one", e.opts.Model)
}

// detail is what the server says, fit to be shown and logged.
func (e *Endpoint) detail(body []byte, texts []string) string {
	return remote.Detail(body, e.opts.Key, texts)
}
