package embed_test

import (
	"bytes"
	"errors"
	"io"
	"math"
	"net/http"
	"strings"
	"testing"

	"engram"
	"engram/internal/embed"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Whatever a server answers, there are vectors of length 1 or an error for
// people, in which neither the key nor the text is.
func FuzzEndpointAnswer(f *testing.F) {
	f.Add(200, []byte(`{"data":[{"index":0,"embedding":[1,2]}]}`))
	f.Add(200, []byte(`{"data":[{"index":1,"embedding":"AACAPwAAAAA="}]}`))
	f.Add(200, []byte(`{"data":[{"embedding":[1e-44,1e38]}],"error":null}`))
	f.Add(200, []byte(`{"data":[null,{"embedding":null}],"error":"sk-secret"}`))
	f.Add(400, []byte(`{"error":{"message":"the input length exceeds the context length"}}`))
	f.Add(401, []byte(`{"message":["sk-secret"]}`))
	f.Add(404, []byte(`<html>`))
	f.Add(422, []byte(`{"detail":[{"input":"my dearest secret"}]}`))
	f.Add(200, []byte(`{"error":"echo of my dearest secret"}`))
	f.Fuzz(func(t *testing.T, code int, body []byte) {
		if code < 200 || code > 499 || code == http.StatusTooManyRequests {
			return // is tried again after a while
		}
		e, err := embed.NewEndpoint(embed.EndpointOptions{
			URL: "http://api.test", Model: "m", Key: "sk-secret",
			Transport: transport(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: code, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		vectors, err := e.Embed(t.Context(), []string{"my dearest secret"})
		if err != nil {
			if !errors.Is(err, engram.ErrUnavailable) {
				t.Errorf("error is %#v", err)
			}
			if s := err.Error(); strings.Contains(s, "sk-secret") || strings.Contains(s, "my dearest secret") {
				t.Errorf("error tells too much: %q", s)
			}
			return
		}
		var sum float64
		for _, x := range vectors[0] {
			sum += float64(x) * float64(x)
		}
		if math.Abs(sum-1) > 1e-4 || len(vectors[0]) != e.Dim() {
			t.Errorf("vector %v of dimension %d", vectors[0], e.Dim())
		}
	})
}
