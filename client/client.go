// Package client calls the REST API of a running engram: save, get, search,
// recall, context, sessions, export, import. It knows the API and no more:
// starting a server, and finding its token, is its user's affair.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strings"
	"time"

	"engram"
)

// DefaultURL is where `engram serve` listens that is told nothing.
const DefaultURL = "http://127.0.0.1:7437"

// Options are the settings of a Client; zero values mean the defaults.
type Options struct {
	Token string       // what the file token in the server's data directory holds
	HTTP  *http.Client // default: one of its own with a time-out of a minute for headers
}

// Client calls one server. Its methods are safe for concurrent use.
type Client struct {
	base  *url.URL
	token string
	http  *http.Client
}

// New returns a Client of the server at baseURL, "" = [DefaultURL].
func New(baseURL string, opts Options) (*Client, error) {
	if baseURL == "" {
		baseURL = DefaultURL
	}
	u, err := url.Parse(strings.TrimSuffix(baseURL, "/"))
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Host == "" {
		return nil, engram.Errorf(engram.ErrInvalid, "%q is no URL of a server", baseURL).
			WithCode("bad_url").WithHint("use one like %s", DefaultURL)
	}
	if opts.HTTP == nil {
		transport := http.DefaultTransport.(*http.Transport).Clone()
		transport.ResponseHeaderTimeout = time.Minute
		transport.MaxIdleConnsPerHost = 16
		opts.HTTP = &http.Client{Transport: transport}
	}
	return &Client{base: u, token: opts.Token, http: opts.HTTP}, nil
}

// Error is what the server said was wrong. With [errors.Is] it matches the kinds
// of package engram.
type Error struct {
	Status    int    // of HTTP
	Code      string // stable: "not_found", "content_required", …
	Message   string
	Hint      string // what to do about it, may be empty
	RequestID string // under which the server logged a fault
}

// Error is the message, with the hint where there is one.
func (e *Error) Error() string {
	s := e.Message
	if s == "" {
		s = fmt.Sprintf("the server answered %d %s", e.Status, http.StatusText(e.Status))
	}
	if e.Hint != "" {
		s += "; " + e.Hint
	}
	return s
}

// Unwrap is the kind of package engram, nil for a fault of the server.
func (e *Error) Unwrap() error {
	switch e.Status {
	case http.StatusBadRequest, http.StatusUnsupportedMediaType, http.StatusMethodNotAllowed:
		return engram.ErrInvalid
	case http.StatusRequestEntityTooLarge:
		return engram.ErrTooLarge
	case http.StatusNotFound:
		return engram.ErrNotFound
	case http.StatusUnauthorized:
		return engram.ErrUnauthenticated
	case http.StatusForbidden:
		return engram.ErrForbidden
	case http.StatusConflict:
		return engram.ErrConflict
	case http.StatusServiceUnavailable:
		return engram.ErrUnavailable
	}
	return nil
}

// call sends in as JSON, where it is not nil, and reads the answer into out.
func (c *Client) call(ctx context.Context, method, path string, query url.Values, in, out any) error {
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
		body = bytes.NewReader(data)
	}
	res, err := c.send(ctx, method, path, query, body)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if err := decode(res.Body, out); err != nil {
		return fmt.Errorf("read the answer to %s %s: %w", method, path, err)
	}
	return nil
}

// decode reads all of body, so that its connection can be used again.
func decode(body io.Reader, out any) error {
	data, err := io.ReadAll(body)
	if err != nil {
		return err
	}
	return json.Unmarshal(data, out)
}

// send gives the answer of a request that succeeded.
func (c *Client) send(ctx context.Context, method, path string, query url.Values, body io.Reader) (*http.Response, error) {
	u := c.base.JoinPath(path)
	u.RawQuery = query.Encode()
	req, err := http.NewRequestWithContext(ctx, method, u.String(), body)
	if err != nil {
		return nil, fmt.Errorf("make the request: %w", err)
	}
	if body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		req.Header.Set("Authorization", "Bearer "+c.token)
	}
	res, err := c.http.Do(req)
	if err != nil {
		if ctx.Err() != nil {
			return nil, err
		}
		return nil, engram.Errorf(engram.ErrUnavailable, "no answer from %s: %v", c.base, cause(err)).
			WithCode("no_server").WithHint("start one with engram serve")
	}
	if res.StatusCode >= 300 {
		defer res.Body.Close()
		return nil, errorOf(res)
	}
	return res, nil
}

// cause is err without the method and URL that net/http puts before it.
func cause(err error) error {
	if e, ok := errors.AsType[*url.Error](err); ok {
		return e.Err
	}
	return err
}

func errorOf(res *http.Response) error {
	e := &Error{Status: res.StatusCode, RequestID: res.Header.Get("X-Request-Id")}
	kind, _, _ := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if kind != "application/problem+json" {
		return e
	}
	var p struct{ Detail, Code, Hint string }
	if err := decode(io.LimitReader(res.Body, 64<<10), &p); err == nil {
		e.Message, e.Code, e.Hint = p.Detail, p.Code, p.Hint
	}
	return e
}

// Health is what a server says of itself.
type Health struct {
	Status  string `json:"status"`
	Service string `json:"service"`
	Version string `json:"version"`
}

// Health asks whether the server runs; it needs no token.
func (c *Client) Health(ctx context.Context) (Health, error) {
	var h Health
	err := c.call(ctx, http.MethodGet, "/v1/health", nil, nil, &h)
	return h, err
}

// Stats counts what is there.
type Stats struct {
	Memories      int            `json:"memories"`
	Deleted       int            `json:"deleted"`
	Versions      int            `json:"versions"`
	Sessions      int            `json:"sessions"`
	Prompts       int            `json:"prompts"`
	ByType        map[string]int `json:"by_type"`
	Projects      []string       `json:"projects"`
	Bytes         int64          `json:"bytes"`
	SchemaVersion int            `json:"schema_version"`
	Models        []Model        `json:"embedder_models"` // beside the built-in one, the one in use first
}

// Model is an embedder's model, and how far it has got.
type Model struct {
	Name       string `json:"name"` // with its dimensions
	Dimensions int    `json:"dimensions"`
	Have       int    `json:"have"`   // memories that it has a vector of
	Lack       int    `json:"lack"`   // memories that wait for one
	Failed     int    `json:"failed"` // memories that could not get one
}

// Stats counts what is in a project, "" = in all.
func (c *Client) Stats(ctx context.Context, project string) (Stats, error) {
	var s Stats
	err := c.call(ctx, http.MethodGet, "/v1/stats", values("project", project), nil, &s)
	return s, err
}

// values makes a query of names and values in turn; empty values are left out.
func values(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			v.Set(pairs[i], pairs[i+1])
		}
	}
	return v
}
