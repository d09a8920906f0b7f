package rerank

import (
	"context"
	"net/http"
	"strings"
	"time"

	"engram"
	"engram/internal/remote"
)

// fault is an error of a request, and what can be done about it.
type fault struct {
	err       *engram.Error
	down      bool          // the server does not work
	wait      time.Duration // that the server asks for
	tooMany   bool          // fewer texts may do
	tooLong   bool          // shorter ones may do
	otherForm bool          // it takes that of Text Embeddings Inference
}

const addressHint = "reranker must be the address of a rerank API, such as http://localhost:8080 or https://api.cohere.com/v2"

func unavailable(code, format string, args ...any) *engram.Error {
	return engram.Errorf(engram.ErrUnavailable, format, args...).WithCode(code)
}

func (c *Client) bad(what string) *fault {
	return &fault{err: unavailable("reranker_bad_answer", "%s: %s", c.name(), what).
		WithHint(addressHint)}
}

// broken is the error of a request without an answer.
func (c *Client) broken(ctx context.Context, err error, what string) *fault {
	if ctx.Err() != nil {
		return &fault{down: true, err: unavailable("reranker_timeout", "%s did not answer in time", c.name()).
			WithHint("see whether the server is overloaded, or set reranker_timeout")}
	}
	return &fault{down: true, err: unavailable("reranker_unreachable", "%s %s (%v)", c.name(), what, remote.Innermost(err)).
		WithHint("see whether the server runs and reranker is its address")}
}

// fault makes an error of an answer that is no success. sent are the texts, which
// are not to be repeated.
func (c *Client) fault(resp *http.Response, body []byte, sent []string) *fault {
	text, isJSON := remote.ErrorText(body)
	if !isJSON {
		text = string(body[:min(len(body), 1000)])
	}
	said := strings.ToLower(text)
	detail := remote.Detail(body, c.opts.Key, sent)
	if detail != "" {
		detail = ": " + detail
	}
	status, wait := resp.StatusCode, remote.RetryAfter(resp.Header, time.Now())
	switch {
	case status == http.StatusTooManyRequests && remote.HasAny(said, "quota", "billing", "balance"):
		return &fault{err: unavailable("reranker_quota", "%s: the quota is used up%s", c.name(), detail).
			WithHint("see the account of reranker_key")}
	case status == http.StatusTooManyRequests:
		return &fault{down: true, wait: wait, err: unavailable("reranker_busy", "%s takes no more requests for now%s", c.name(), detail)}
	case status >= 400 && remote.IsTooLong(said): // llama.cpp says so with status 500
		return &fault{tooLong: true, err: unavailable("reranker_text_too_long", "%s: a text is too long for the model%s", c.name(), detail).
			WithHint("use a model that reads 512 tokens or more, and let the server take as many (llama.cpp: --ubatch-size)")}
	case status >= 500:
		return &fault{down: true, wait: wait, err: unavailable("reranker_failed", "%s failed (status %d)%s", c.name(), status, detail)}
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		return &fault{err: unavailable("reranker_refused_key", "%s refused the key (status %d)", c.name(), status).
			WithHint("set reranker_key to one that may use the model")}
	case status >= 300 && status < 400:
		return &fault{err: c.redirected(resp)}
	case remote.IsModelUnknown(said):
		return &fault{err: unavailable("reranker_model_unknown", "%s does not have the model %q%s", c.name(), c.opts.Model, detail).
			WithHint("set reranker_model to one that it has")}
	case status == http.StatusNotFound, status == http.StatusMethodNotAllowed:
		return &fault{err: unavailable("reranker_not_found", "%s: there is no such API%s", c.name(), detail).WithHint(addressHint)}
	}
	return &fault{
		err: unavailable("reranker_refused", "%s refused the request (status %d)%s", c.name(), status, detail).
			WithHint("see whether its model is one for reranking, and whether reranker_model names it"),
		otherForm: strings.Contains(said, "texts") && remote.HasAny(said, "missing", "required"),
		tooMany:   status == http.StatusRequestEntityTooLarge || remote.IsTooMany(said),
	}
}

func (c *Client) redirected(resp *http.Response) *engram.Error {
	err := unavailable("reranker_redirected", "%s sends elsewhere (status %d)", c.name(), resp.StatusCode)
	to, locErr := resp.Location()
	if locErr != nil {
		return err.WithHint("set reranker to the address of the API itself")
	}
	return err.WithHint("if that is the right one, set reranker to %s; texts and key are not sent there before", remote.Shown(to))
}
