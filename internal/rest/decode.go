package rest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"net/http"
	"os"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"engram"
)

const (
	bodyOverhead = 256 << 10 // of a request beside its content
	// drainLimit is how much of a body that is too long is read before the answer:
	// many clients show the answer only when their whole request was taken.
	drainLimit  = 64 << 20
	bodyTimeout = 30 * time.Second // for a whole body, or between two parts of a stream
)

var utf8BOM = []byte("\xef\xbb\xbf")

func bodyTooLarge(limit int64) error {
	return &httpError{
		status: http.StatusRequestEntityTooLarge, code: "too_large",
		message: fmt.Sprintf("the body is longer than %d bytes; nothing was stored", limit),
		hint:    "send a shorter text, or several",
	}
}

func badRequest(code, format string, args ...any) *engram.Error {
	return engram.Errorf(engram.ErrInvalid, format, args...).WithCode(code)
}

// hasBody reports whether r brings a body.
func hasBody(r *http.Request) bool { return r.ContentLength != 0 && r.Body != http.NoBody }

// checkContentType refuses bodies that a form of a foreign web page could send.
func checkContentType(r *http.Request) error {
	kind, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	charset := strings.ToLower(params["charset"])
	if err == nil && kind == "application/json" && (charset == "" || charset == "utf-8" || charset == "utf8") {
		return nil
	}
	return &httpError{
		status: http.StatusUnsupportedMediaType, code: "unsupported_media_type",
		message: "Content-Type is " + shown(r.Header.Get("Content-Type")),
		hint:    "send JSON in UTF-8 with Content-Type: application/json",
	}
}

// checkEncoding refuses bodies that are compressed: what is in them would have no
// bound.
func checkEncoding(r *http.Request) error {
	coding := strings.Join(r.Header.Values("Content-Encoding"), ", ")
	if coding == "" || strings.EqualFold(coding, "identity") {
		return nil
	}
	return &httpError{
		status: http.StatusUnsupportedMediaType, code: "unsupported_content_encoding",
		message: "Content-Encoding is " + shown(coding),
		hint:    "send the body as it is, without Content-Encoding",
	}
}

// readBody is the whole body of r, without a byte order mark. Its time began in
// the guard.
func readBody(w http.ResponseWriter, r *http.Request, limit int64) ([]byte, error) {
	data, err := io.ReadAll(io.LimitReader(r.Body, limit+1))
	if err != nil {
		return nil, bodyError(err)
	}
	if int64(len(data)) > limit {
		drain(r.Body)
		return nil, bodyTooLarge(limit)
	}
	bodyRead(w)
	data = bytes.TrimPrefix(data, utf8BOM)
	if !utf8.Valid(data) {
		return nil, badRequest("invalid_utf8", "the body is not valid UTF-8 at byte %d", invalidByte(data)).
			WithHint("send text in UTF-8")
	}
	return data, nil
}

// bodyDue gives the body of a request, or the next part of it, its time. It also
// bounds how long net/http waits for the rest of a body that was refused.
// Writers without a connection, in tests, support no deadlines.
func bodyDue(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(bodyTimeout))
}

// bodyRead takes the time limit away when the body is read: it would end the
// request's context while its handler still works.
func bodyRead(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{})
}

// drain reads on in a body that is refused; whatever comes of it, the answer is
// the same.
func drain(body io.Reader) { _, _ = io.CopyN(io.Discard, body, drainLimit) }

// bodyError says why a body could not be read.
func bodyError(err error) error {
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &httpError{
			status: http.StatusRequestTimeout, code: "body_timeout",
			message: "the body did not come in time", hint: "send it without pauses",
		}
	}
	return badRequest("body_unreadable", "the body could not be read: %v", err)
}

func invalidByte(data []byte) int {
	n := 0
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size == 1 {
			return n
		}
		n += size
		data = data[size:]
	}
	return n
}

// decodeJSON reads one JSON object into v, a pointer to a struct, and gives the
// names of the fields that are none of known.
func decodeJSON(data []byte, v any, known []field) (unknown []string, err error) {
	trimmed := bytes.TrimSpace(data)
	if len(trimmed) == 0 {
		return nil, badRequest("body_required", "the body is empty").WithHint("send a JSON object")
	}
	if err := json.Unmarshal(data, v); err != nil {
		return nil, jsonError(data, err)
	}
	if trimmed[0] != '{' { // null decodes into anything
		return nil, badRequest("invalid_json", "the body must be a JSON object")
	}
	return unknownFields(data, known)
}

func jsonError(data []byte, err error) error {
	if e, ok := errors.AsType[*json.SyntaxError](err); ok {
		line, column := position(data, e.Offset)
		return badRequest("invalid_json", "the body is not valid JSON: %v (line %d, column %d)", e, line, column)
	}
	if e, ok := errors.AsType[*json.UnmarshalTypeError](err); ok {
		if e.Field == "" {
			return badRequest("invalid_json", "the body must be a JSON object, not %s", article(e.Value))
		}
		return badRequest("invalid_type", "%s must be %s, not %s", e.Field, typeName(e.Type), article(e.Value))
	}
	return badRequest("invalid_json", "the body is not valid JSON: %v", err)
}

// position is the line and column, from 1, of the byte before offset.
func position(data []byte, offset int64) (line, column int) {
	before := data[:min(int(offset), len(data))]
	line = 1 + bytes.Count(before, []byte("\n"))
	return line, len(before) - (bytes.LastIndexByte(before, '\n') + 1)
}

func article(value string) string {
	kind, _, _ := strings.Cut(value, " ") // "number 1.5" names the value too
	switch kind {
	case "array", "object":
		return "an " + kind
	case "bool":
		return "a boolean"
	}
	return "a " + kind
}

func typeName(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "a boolean"
	case reflect.Int, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "a list"
	case reflect.Pointer:
		return typeName(t.Elem())
	}
	return "an object"
}

// unknownFields names what a JSON object has that is none of known.
func unknownFields(data []byte, known []field) ([]string, error) {
	var got map[string]json.RawMessage
	if err := json.Unmarshal(data, &got); err != nil {
		return nil, jsonError(data, err)
	}
	for _, f := range known {
		if f.in == inBody {
			delete(got, f.name)
		}
	}
	return slices.Sorted(maps.Keys(got)), nil
}

// timeLayouts are the forms of time that are read; those without a zone are UTC.
var timeLayouts = []string{time.RFC3339Nano, "2006-01-02 15:04:05", "2006-01-02T15:04:05", "2006-01-02"}

// parseTime reads the time of a field; "" is the zero time.
func parseTime(field, s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	if s == "" {
		return time.Time{}, nil
	}
	for _, layout := range timeLayouts {
		t, err := time.Parse(layout, s)
		if err != nil {
			continue
		}
		if !engram.Keepable(t) {
			return time.Time{}, badRequest("invalid_time", "%s is %s", field, shown(s)).
				WithHint("years %d to %d can be kept", engram.MinYear, engram.MaxYear)
		}
		return t.UTC(), nil
	}
	return time.Time{}, badRequest("invalid_time", "%s is %s", field, shown(s)).
		WithHint("write a time like 2026-05-08T14:30:00Z, or a date like 2026-05-08")
}
