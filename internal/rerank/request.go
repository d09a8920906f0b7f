package rerank

import (
	"context"
	"encoding/json"
	"io"
	"net/http"

	"engram/internal/remote"
)

// What an answer may be long: results with what was asked about in them, escaped.
const (
	maxErrorBytes = 64 << 10
	echo          = 4 // times the request
)

// request is the body that most servers take. top_n asks for all: the default of
// some is less.
type request struct {
	Model     string   `json:"model,omitempty"`
	Query     string   `json:"query"`
	Documents []string `json:"documents"`
	TopN      int      `json:"top_n"`
}

// teiRequest is that of Text Embeddings Inference, which refuses a text that is
// too long unless it may cut it.
type teiRequest struct {
	Query    string   `json:"query"`
	Texts    []string `json:"texts"`
	Truncate bool     `json:"truncate"`
}

// once sends one request.
func (c *Client) once(ctx context.Context, question string, texts []string, tei bool) ([]float64, *fault) {
	var body any = request{c.opts.Model, question, texts, len(texts)}
	if tei {
		body = teiRequest{question, texts, true}
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, &fault{err: unavailable("reranker_failed", "the request cannot be written: %v", err)}
	}
	req, err := remote.NewRequest(ctx, c.url, c.opts.Key, data)
	if err != nil {
		return nil, &fault{err: unavailable("reranker_failed", "the request to %s cannot be made", c.name())}
	}
	resp, err := c.client.Do(req)
	if err != nil {
		return nil, c.broken(ctx, err, "cannot be reached")
	}
	defer resp.Body.Close()
	limit := int64(maxErrorBytes)
	if resp.StatusCode == http.StatusOK {
		limit += int64(len(data)) * echo
	}
	answer, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, c.broken(ctx, err, "broke its answer off")
	}
	if int64(len(answer)) > limit {
		return nil, c.bad("the answer is longer than scores can be")
	}
	sent := append(texts[:len(texts):len(texts)], question)
	if resp.StatusCode != http.StatusOK {
		return nil, c.fault(resp, answer, sent)
	}
	return c.read(answer, sent, len(texts))
}
