// Package rerank asks a server that reads a question and a text together how well
// the text answers: one request for all texts of a question, in the form that
// Cohere, Jina, vLLM, llama.cpp, DashScope and others have in common, or in that of
// Text Embeddings Inference. Which texts are asked about, and what the scores are
// worth beside our own ranking, is recall's affair.
package rerank

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"engram/internal/remote"
)

// Options say which model is asked where, and how patiently.
type Options struct {
	// URL is the base of the API, to which /rerank is added where it does not end in
	// that or in DashScope's /reranks: http://localhost:8080,
	// https://api.cohere.com/v2. A query is kept.
	URL string
	// Model is the name that the server knows the model by, "" = it has one alone.
	Model string
	// Key is sent as a bearer token, "" = none. It goes nowhere but to URL.
	Key remote.Key
	// Timeout is for all that a question needs, 0 = DefaultTimeout.
	Timeout time.Duration
	// PauseAfter so many questions in a row that got no answer, 0 = 3, questions
	// fail at once for Pause, 0 = 30 s.
	PauseAfter int
	Pause      time.Duration
	// Transport is for tests and for proxies, nil = like [http.DefaultTransport].
	Transport http.RoundTripper
}

// DefaultTimeout is how long a question waits.
const DefaultTimeout = 2 * time.Second

// Client asks a server. An error of it is the context's, if that has ended, or an
// [engram.Error] of kind [engram.ErrUnavailable] whose code says what is wrong:
// recall goes on in its own order. It is safe for use by several goroutines, and
// leaves none behind.
type Client struct {
	opts   Options
	url    *url.URL
	client *http.Client
	brk    remote.Breaker

	mu  sync.Mutex
	way way
}

// New makes a Client. It does not ask the server. The error is
// [engram.ErrInvalid] and names the setting.
func New(o Options) (*Client, error) {
	u, err := remote.Address("reranker", "reranker_key", o.URL, "http://localhost:8080")
	if err != nil {
		return nil, err
	}
	if !strings.HasSuffix(u.Path, "/rerank") && !strings.HasSuffix(u.Path, "/reranks") {
		u.Path += "/rerank"
	}
	if strings.ContainsFunc(o.Model, func(r rune) bool { return r < ' ' || r == 0x7f }) {
		return nil, remote.BadSetting("reranker_model has a control character", "give the name alone")
	}
	if err := o.Key.Check("reranker_key"); err != nil {
		return nil, err
	}
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	if o.Transport == nil {
		o.Transport = http.DefaultTransport.(*http.Transport).Clone()
	}
	return &Client{
		opts: o, url: u,
		client: &http.Client{Transport: o.Transport, CheckRedirect: remote.CheckRedirect},
		brk:    remote.Breaker{After: cmp.Or(o.PauseAfter, 3), Pause: cmp.Or(o.Pause, 30*time.Second)},
	}, nil
}

// Rerank gives a score for each of texts: how likely it answers the question, 0 …
// 1. It waits for Options.Timeout at most.
func (c *Client) Rerank(ctx context.Context, question string, texts []string) ([]float64, error) {
	return c.ask(ctx, c.opts.Timeout, question, texts)
}

// Probe asks about two texts that are always the same, without hurry and even
// while the server is left in peace, and says how long that took.
func (c *Client) Probe(ctx context.Context) (time.Duration, error) {
	start := time.Now()
	_, err := c.patient(ctx, probeTime, "What is the capital of France?", []string{"Paris is the capital of France.", "The cat sleeps."})
	return time.Since(start), err
}

// probeTime is how long Probe waits.
const probeTime = 10 * time.Second

// Close lets go of connections.
func (c *Client) Close() { c.client.CloseIdleConnections() }

// ask is patient unless the server has not answered lately.
func (c *Client) ask(ctx context.Context, timeout time.Duration, question string, texts []string) ([]float64, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	if err := remote.OwnEnd(ctx); err != nil {
		return nil, err
	}
	if wait, ok := c.brk.Enter(time.Now()); !ok {
		err := unavailable("reranker_paused", "%s did not answer", c.name())
		if wait == 0 {
			return nil, err.WithHint("it is being tried again")
		}
		return nil, err.WithHint("it is asked again in %s", wait.Round(time.Second))
	}
	defer c.brk.Leave()
	return c.patient(ctx, timeout, question, texts)
}

func (c *Client) patient(ctx context.Context, timeout time.Duration, question string, texts []string) ([]float64, error) {
	hurry, cancel := context.WithTimeoutCause(ctx, timeout, remote.ErrSlow)
	defer cancel()
	scores, err := c.all(hurry, question, texts)
	if own := remote.OwnEnd(hurry); own != nil { // says nothing about the server
		return nil, own
	}
	c.settle(err)
	if err != nil {
		return nil, err.err
	}
	return c.chances(scores), nil
}

// settle tells the breaker how a question ended.
func (c *Client) settle(err *fault) {
	now := time.Now()
	if err == nil || !err.down {
		c.brk.Answered()
	} else {
		c.brk.Failed(now)
	}
	if err != nil && err.wait > 0 {
		c.brk.Hold(now.Add(err.wait))
	}
}

// name is how messages call the server.
func (c *Client) name() string { return "the reranker at " + remote.Shown(c.url) }

// String names the model and the server. Nothing that prints a Client, by
// whatever verb, gets to the key.
func (c *Client) String() string {
	if c.opts.Model == "" {
		return remote.Shown(c.url)
	}
	return c.opts.Model + " at " + remote.Shown(c.url)
}

// Format implements [fmt.Formatter] for every verb.
func (c *Client) Format(f fmt.State, _ rune) { fmt.Fprint(f, c.String()) }

// LogValue implements [slog.LogValuer].
func (c *Client) LogValue() slog.Value { return slog.StringValue(c.String()) }
