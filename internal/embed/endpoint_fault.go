package embed

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"engram"
	"engram/internal/remote"
)

// blame is what a request failed by, if it was by what was sent.
type blame int

const (
	blameNobody blame = iota
	blameCount        // too many texts
	blameBatch        // the server does not do batches right
	blameLength       // a text is too long, or all together
	blameText         // one text, whichever it is
	blameMaybe        // one text perhaps, or the server: see takesOthers
)

// fault is an error of a request, and what can be done about it.
type fault struct {
	err      *engram.Error
	blame    blame
	again    bool          // the same request may go well later
	down     bool          // the server does not work
	wait     time.Duration // that the server asks for
	noFormat bool          // encoding_format is not known to it
}

// Error is the message for people.
func (f *fault) Error() string { return f.err.Error() }

// Unwrap gives the error for people.
func (f *fault) Unwrap() error { return f.err }

func nobody(err *engram.Error) *fault { return &fault{err: err} }

func unavailable(code, format string, args ...any) *engram.Error {
	return engram.Errorf(engram.ErrUnavailable, format, args...).WithCode(code)
}

func (e *Endpoint) badAnswer(what string) *engram.Error {
	return unavailable("embedder_bad_answer", "%s: %s", e.name(), what).
		WithHint("see the log of the server, and whether %s is a model for embeddings", e.opts.Model)
}

// broken is the error of a request without an answer.
func (e *Endpoint) broken(ctx context.Context, err error, what string) error {
	if own := remote.OwnEnd(ctx); own != nil {
		return own
	}
	if ctx.Err() != nil {
		return &fault{again: true, down: true, err: unavailable("embedder_timeout", "%s did not answer in time", e.name()).
			WithHint("see whether the server is overloaded, or still loading the model")}
	}
	f := &fault{again: true, down: true, err: unavailable("embedder_unreachable", "%s %s (%v)", e.name(), what, remote.Innermost(err)).
		WithHint("see whether the server runs and embedder is its address")}
	if op, ok := errors.AsType[*net.OpError](err); !ok || op.Op != "dial" { // it was there, and hung up
		f.blame = blameMaybe
	}
	return f
}

// fault makes an error of an answer that is no success.
func (e *Endpoint) fault(resp *http.Response, body []byte, texts []string) *fault {
	text, isJSON := remote.ErrorText(body)
	said := strings.ToLower(text)
	if !isJSON {
		said = strings.ToLower(string(body[:min(len(body), 1000)]))
	}
	detail := e.detail(body, texts)
	if detail != "" {
		detail = ": " + detail
	}
	wait := remote.RetryAfter(resp.Header, time.Now())
	status := resp.StatusCode
	switch {
	case status == http.StatusTooManyRequests && remote.HasAny(said, "quota", "billing", "balance"):
		return nobody(unavailable("embedder_quota", "%s: the quota is used up%s", e.name(), detail).
			WithHint("see the account of embedder_key"))
	case status == http.StatusTooManyRequests:
		return &fault{again: true, down: true, wait: wait, err: unavailable("embedder_busy", "%s takes no more requests for now%s", e.name(), detail).
			WithHint("wait: it is asked again by itself; if that lasts, see the limits of the account")}
	case status >= 500:
		return e.failure(status, said, detail, wait, len(texts))
	case status == http.StatusUnauthorized, status == http.StatusForbidden:
		f := nobody(unavailable("embedder_refused_key", "%s refused the key (status %d)", e.name(), status).
			WithHint("set embedder_key to a key that may use the model %s", e.opts.Model))
		if status == http.StatusForbidden { // a firewall before it may find that a text looks like an attack
			f.blame = blameMaybe
		}
		return f
	case status >= 300 && status < 400:
		return nobody(e.redirected(resp))
	case status == http.StatusNotFound && (!isJSON || !strings.Contains(said, "model")):
		return nobody(unavailable("embedder_not_found", "%s: there is no such API%s", e.name(), detail).
			WithHint("embedder must be the address of an API of OpenAI's kind, such as http://localhost:11434/v1"))
	case status == http.StatusNotFound, remote.IsModelUnknown(said):
		return nobody(unavailable("embedder_model_unknown", "%s does not have the model %s%s", e.name(), e.opts.Model, detail).
			WithHint("set embedder_model to one that it has; for Ollama: ollama pull %s", e.opts.Model))
	}
	return e.rejected(status, said, detail)
}

// failure is an error of the server's own. Some are of the texts in truth.
func (e *Endpoint) failure(status int, said, detail string, wait time.Duration, texts int) *fault {
	f := &fault{
		blame: blameMaybe, again: true, down: true, wait: wait,
		err: unavailable("embedder_failed", "%s failed (status %d)%s", e.name(), status, detail).
			WithHint("see the log of the server, and whether %s is a model for embeddings", e.opts.Model),
	}
	switch {
	case remote.HasAny(said, "unsupported value: nan", "unsupported value: +inf", "unsupported value: -inf"):
		f.blame, f.again, f.down = blameText, false, false
	case remote.IsTooLong(said):
		f.blame, f.again, f.down = blameLength, false, false
		f.err.Code = "embedder_text_too_long"
	case status == http.StatusInternalServerError && texts > 1:
		f.down = false // after a few attempts, fewer texts may do
	}
	return f
}

// rejected is the error of a request that the server finds wrong.
func (e *Endpoint) rejected(status int, said, detail string) *fault {
	f := &fault{blame: blameMaybe, err: unavailable("embedder_refused", "%s refused the request (status %d)%s", e.name(), status, detail).
		WithHint("see whether %s is a model for embeddings", e.opts.Model)}
	switch {
	case strings.Contains(said, "encoding_format"):
		f.noFormat = true
		f.blame = blameNobody
	case e.opts.Dimensions != 0 && remote.HasAny(said, "dimension", "matryoshka"):
		f = nobody(unavailable("embedder_dimensions_refused", "%s does not give vectors of %d numbers%s", e.name(), e.opts.Dimensions, detail).
			WithHint("take embedder_dimensions out, or use a length that the model has"))
	case remote.IsTooLong(said):
		f.blame = blameLength
		f.err.Code = "embedder_text_too_long"
		f.err.Hint = ""
	case remote.IsTooMany(said):
		f.blame = blameCount
	case status == http.StatusRequestEntityTooLarge:
		f.blame = blameLength
	}
	return f
}

func (e *Endpoint) redirected(resp *http.Response) *engram.Error {
	err := unavailable("embedder_redirected", "%s sends elsewhere (status %d)", e.name(), resp.StatusCode)
	to, locErr := resp.Location()
	if locErr != nil {
		return err.WithHint("set embedder to the address of the API itself")
	}
	to.User = nil
	return err.WithHint("if that is the right one, set embedder to %s; texts and key are not sent there before", strings.TrimSuffix(remote.Shown(to), "/embeddings"))
}
