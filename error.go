package engram

import (
	"errors"
	"fmt"
)

// The kinds of error that a caller can tell apart with [errors.Is]. Every
// front end has one table from kind to HTTP status, tool error and exit code.
var (
	ErrInvalid         = errors.New("invalid")         // the request is wrong; the message says what to change
	ErrTooLarge        = errors.New("too large")       // over a limit; nothing was stored
	ErrNotFound        = errors.New("not found")       // no such thing, or it may not be seen
	ErrUnauthenticated = errors.New("unauthenticated") // nobody is asking
	ErrForbidden       = errors.New("forbidden")       // known, but may not
	ErrConflict        = errors.New("conflict")        // the state does not allow it
	ErrUnavailable     = errors.New("unavailable")     // busy, full, read-only: try again or repair
	ErrNewerSchema     = errors.New("newer schema")    // written by a newer engram
)

// Error is an error whose message may be shown to people. Anything else that
// comes out of a service is a fault: logged once at the edge and shown as
// "internal error".
type Error struct {
	Kind    error  // one of the kinds above
	Code    string // stable, for programs: "content_required", "unknown_id"
	Message string // for people: what is wrong
	Hint    string // for people: what to do about it, may be empty
}

// Errorf makes an [Error] of a kind with a message for people.
func Errorf(kind error, format string, args ...any) *Error {
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...)}
}

// WithCode sets the stable code of e and returns e.
func (e *Error) WithCode(code string) *Error { e.Code = code; return e }

// WithHint sets what people can do about e and returns e.
func (e *Error) WithHint(format string, args ...any) *Error {
	e.Hint = fmt.Sprintf(format, args...)
	return e
}

// Error is the message, with the hint where there is one.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + "; " + e.Hint
}

// Unwrap is the kind, so that errors.Is(err, ErrNotFound) holds.
func (e *Error) Unwrap() error { return e.Kind }

// ErrorCode is the stable code of err: its own, else that of its kind, else
// "internal".
func ErrorCode(err error) string {
	if e, ok := errors.AsType[*Error](err); ok && e.Code != "" {
		return e.Code
	}
	for _, k := range []struct {
		kind error
		code string
	}{
		{ErrTooLarge, "too_large"},
		{ErrInvalid, "invalid"},
		{ErrNotFound, "not_found"},
		{ErrUnauthenticated, "unauthenticated"},
		{ErrForbidden, "forbidden"},
		{ErrConflict, "conflict"},
		{ErrUnavailable, "unavailable"},
		{ErrNewerSchema, "newer_schema"},
	} {
		if errors.Is(err, k.kind) {
			return k.code
		}
	}
	return "internal"
}

// ErrorMessage is what people may see of err: the message of an [Error],
// "internal error" for a fault.
func ErrorMessage(err error) string {
	if e, ok := errors.AsType[*Error](err); ok {
		return e.Error()
	}
	return "internal error"
}
