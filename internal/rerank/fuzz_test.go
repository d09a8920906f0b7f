package rerank_test

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"engram"
	"engram/internal/rerank"
)

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// Whatever a server answers, there are two probabilities or an error for people,
// in which neither the key nor a text is.
func FuzzAnswer(f *testing.F) {
	f.Add(200, []byte(`{"results":[{"index":0,"relevance_score":0.2},{"index":1,"relevance_score":-3}]}`))
	f.Add(200, []byte(`[{"index":1,"score":0.2},{"index":0,"score":1e308}]`))
	f.Add(200, []byte(`{"data":[{"index":0,"relevance_score":0},{"index":1,"relevance_score":-0.0}],"error":null}`))
	f.Add(200, []byte(`{"results":[null,{}],"error":"sk-secret"}`))
	f.Add(200, []byte(`[null]`))
	f.Add(400, []byte(`{"error":{"message":"context length"}}`))
	f.Add(413, []byte(`too many texts`))
	f.Add(422, []byte("missing field `texts`: my dearest secret"))
	f.Add(500, []byte(`{"detail":["sk-secret","where is my dearest"]}`))
	f.Fuzz(func(t *testing.T, code int, body []byte) {
		if code < 200 || code > 599 {
			return // no transport gives that
		}
		c, err := rerank.New(rerank.Options{
			URL: "http://api.test", Model: "m", Key: "sk-secret",
			Transport: transport(func(r *http.Request) (*http.Response, error) {
				return &http.Response{StatusCode: code, Header: http.Header{}, Body: io.NopCloser(bytes.NewReader(body)), Request: r}, nil
			}),
		})
		if err != nil {
			t.Fatal(err)
		}
		scores, err := c.Rerank(t.Context(), "where is my dearest", []string{"my dearest secret", "another"})
		if err != nil {
			if !errors.Is(err, engram.ErrUnavailable) {
				t.Errorf("error is %#v", err)
			}
			if s := err.Error(); strings.Contains(s, "sk-secret") || strings.Contains(s, "my dearest secret") {
				t.Errorf("error tells too much: %q", s)
			}
			return
		}
		for _, s := range scores {
			if !(s >= 0 && s <= 1) {
				t.Errorf("scores %v", scores)
			}
		}
	})
}
