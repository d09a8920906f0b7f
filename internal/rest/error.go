package rest

import (
	"context"
	"errors"
	"net/http"

	"engram"
	"engram/internal/text"
)

// statuses maps the kinds of error to HTTP, the first that matches.
var statuses = []struct {
	kind   error
	status int
}{
	{engram.ErrTooLarge, http.StatusRequestEntityTooLarge},
	{engram.ErrInvalid, http.StatusBadRequest},
	{engram.ErrNotFound, http.StatusNotFound},
	{engram.ErrUnauthenticated, http.StatusUnauthorized},
	{engram.ErrForbidden, http.StatusForbidden},
	{engram.ErrConflict, http.StatusConflict},
	{engram.ErrUnavailable, http.StatusServiceUnavailable},
	{engram.ErrNewerSchema, http.StatusServiceUnavailable},
}

// httpError is an error of HTTP itself, for which the domain has no kind.
type httpError struct {
	status  int
	code    string
	message string
	hint    string
}

func (e *httpError) Error() string { return e.message }

// failure is an error as both forms of the API write it.
type failure struct {
	status              int
	code, message, hint string
	fault               bool // not a person's doing: to be logged
}

func failureOf(err error) failure {
	if e, ok := errors.AsType[*httpError](err); ok {
		return failure{status: e.status, code: e.code, message: e.message, hint: e.hint}
	}
	if e, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return failureOf(bodyTooLarge(e.Limit))
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return failure{
			status: http.StatusServiceUnavailable, code: "canceled",
			message: "the request was given up before it was done", hint: "try again",
		}
	}
	for _, s := range statuses {
		if !errors.Is(err, s.kind) {
			continue
		}
		f := failure{status: s.status, code: engram.ErrorCode(err), message: s.kind.Error()}
		if e, ok := errors.AsType[*engram.Error](err); ok {
			f.message, f.hint = repeatable(e.Message), repeatable(e.Hint)
		}
		return f
	}
	return failure{
		status: http.StatusInternalServerError, code: "internal",
		message: "internal error", hint: "the log of engram serve says more under this request id", fault: true,
	}
}

// repeatable is a message without what is private in the values that it names,
// and not at length.
func repeatable(message string) string {
	message, _ = text.StripPrivate(message)
	message, _ = text.Snippet(message, maxMessage)
	return message
}

// wireError is the error body of the root routes.
type wireError struct {
	Error string `json:"error"`
	Code  string `json:"code"`
}

// problem is the error body of /v1 (RFC 9457).
type problem struct {
	Type      string `json:"type"`
	Title     string `json:"title"`
	Status    int    `json:"status"`
	Detail    string `json:"detail"`
	Code      string `json:"code"           doc:"stable, for programs"`
	Hint      string `json:"hint,omitempty" doc:"what to do about it"`
	RequestID string `json:"request_id,omitempty"`
}

// fail writes err in the form of the API that was asked, and logs faults.
func (a *api) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := failureOf(err)
	if f.fault {
		a.log.ErrorContext(r.Context(), "request failed", "method", r.Method, "route", r.Pattern,
			"request_id", w.Header().Get(headerRequestID), "error", err)
	}
	writeFailure(w, r, f)
}

func writeFailure(w http.ResponseWriter, r *http.Request, f failure) {
	h := w.Header()
	switch f.status {
	case http.StatusUnauthorized:
		h.Set("WWW-Authenticate", `Bearer realm="engram"`)
	case http.StatusServiceUnavailable:
		h.Set("Retry-After", "1")
	}
	if isV1Path(r.URL.Path) {
		writeBody(w, f.status, "application/problem+json", problem{
			Type: "about:blank", Title: http.StatusText(f.status), Status: f.status,
			Detail: f.message, Code: f.code, Hint: f.hint, RequestID: h.Get(headerRequestID),
		})
		return
	}
	message := f.message
	if f.hint != "" {
		message += "; " + f.hint
	}
	writeBody(w, f.status, "application/json", wireError{Error: message, Code: f.code})
}
