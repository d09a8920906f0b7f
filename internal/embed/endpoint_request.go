package embed

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"time"

	"engram/internal/remote"
)

const (
	firstDelay = 500 * time.Millisecond // before the second attempt
	maxDelay   = 8 * time.Second        // between attempts, if the server does not ask for more

	maxDim        = 16384    // numbers in a vector
	bytesPerDim   = 32       // of JSON
	maxErrorBytes = 64 << 10 // of an answer that is no vectors
)

// ask sends a request until it is answered, the server refuses it or patience
// ends. Its error is a *fault, an *engram.Error or the context's.
func (e *Endpoint) ask(ctx context.Context, p patience, texts []string) ([][]float32, error) {
	if err := remote.OwnEnd(ctx); err != nil {
		return nil, err
	}
	if wait, ok := e.brk.Enter(time.Now()); !ok {
		err := unavailable("embedder_paused", "%s did not answer", e.name())
		if wait == 0 {
			return nil, err.WithHint("it is being tried again")
		}
		return nil, err.WithHint("it is asked again in %s", wait.Round(time.Second))
	}
	defer e.brk.Leave()
	for attempt := 1; ; attempt++ {
		vectors, err := e.once(ctx, p.timeout, texts)
		if err == nil {
			e.settle(ctx, nil)
			return vectors, nil
		}
		f, ok := errors.AsType[*fault](err)
		if !ok {
			return nil, err
		}
		delay := max(backoff(attempt), f.wait)
		if !f.again || attempt >= p.attempts || time.Now().Add(delay).After(p.until) {
			e.settle(ctx, f)
			return nil, f
		}
		if err := sleep(ctx, delay); err != nil {
			return nil, err
		}
	}
}

// settle tells the breaker how a request ended.
func (e *Endpoint) settle(ctx context.Context, err error) {
	if remote.OwnEnd(ctx) != nil {
		return // says nothing about the server
	}
	f, ok := errors.AsType[*fault](err)
	now := time.Now()
	switch {
	case !ok || !f.down:
		e.brk.Answered()
	default:
		e.brk.Failed(now)
	}
	if ok && f.wait > 0 {
		e.brk.Hold(now.Add(f.wait))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last = nil
	if ok {
		e.last = f.err
	}
}

// backoff is how long to wait after an attempt: twice as long each time, less up
// to a half, so that clients that failed together do not come back together.
func backoff(attempt int) time.Duration {
	d := min(maxDelay, firstDelay<<min(attempt-1, 10))
	return d - rand.N(d/2)
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// once sends one request.
func (e *Endpoint) once(ctx context.Context, timeout time.Duration, texts []string) ([][]float32, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, remote.ErrSlow)
	defer cancel()
	withFormat := e.sendsFormat()
	resp, err := e.post(ctx, texts, withFormat)
	if err != nil {
		return nil, e.broken(ctx, err, "cannot be reached")
	}
	defer resp.Body.Close()
	limit := int64(maxErrorBytes)
	if resp.StatusCode == http.StatusOK {
		limit += int64(len(texts)) * maxDim * bytesPerDim
	}
	body, err := io.ReadAll(io.LimitReader(resp.Body, limit+1))
	if err != nil {
		return nil, e.broken(ctx, err, "broke its answer off")
	}
	if int64(len(body)) > limit {
		return nil, nobody(e.badAnswer("the answer is longer than vectors can be"))
	}
	if resp.StatusCode == http.StatusOK {
		return e.read(body, texts)
	}
	f := e.fault(resp, body, texts)
	if withFormat && f.noFormat { // it is left out from now on
		e.mu.Lock()
		e.noFormat = true
		e.mu.Unlock()
		return e.once(ctx, timeout, texts)
	}
	return nil, f
}

func (e *Endpoint) sendsFormat() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return !e.noFormat
}

// embeddingsRequest is the body of a request. One text goes as a string, which
// every server takes.
type embeddingsRequest struct {
	Model          string `json:"model"`
	Input          any    `json:"input"`
	EncodingFormat string `json:"encoding_format,omitempty"`
	Dimensions     int    `json:"dimensions,omitempty"`
}

func (e *Endpoint) post(ctx context.Context, texts []string, withFormat bool) (*http.Response, error) {
	body := embeddingsRequest{Model: e.opts.Model, Input: texts, Dimensions: e.opts.Dimensions}
	if len(texts) == 1 {
		body.Input = texts[0]
	}
	if withFormat {
		body.EncodingFormat = "float"
	}
	data, err := json.Marshal(body)
	if err != nil {
		return nil, fmt.Errorf("encode request: %w", err)
	}
	req, err := remote.NewRequest(ctx, e.url, e.opts.Key, data)
	if err != nil {
		return nil, err
	}
	return e.client.Do(req)
}
