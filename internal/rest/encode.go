package rest

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"
	"unicode"
	"unicode/utf8"
)

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

const keptBuffer = 1 << 20 // a buffer that grew longer is not kept

func writeJSON(w http.ResponseWriter, status int, v any) error {
	writeBody(w, status, "application/json", v)
	return nil
}

// writeBody encodes v before the header goes out, so that a value that cannot be
// encoded is an error and not half an answer.
func writeBody(w http.ResponseWriter, status int, contentType string, v any) {
	buf := buffers.Get().(*bytes.Buffer)
	buf.Reset()
	defer func() {
		if buf.Cap() <= keptBuffer {
			buffers.Put(buf)
		}
	}()
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(err) // a type of ours that JSON cannot hold
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Length", strconv.Itoa(buf.Len()))
	w.WriteHeader(status)
	_, _ = w.Write(buf.Bytes()) // the client may be gone; there is nobody left to tell
}

// list is s, or an empty list: JSON must never say null where a list belongs.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// stamp is a time as the API writes it; the zero time is left out.
func stamp(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

// maxSnippet is how many characters of a text a list shows.
const maxSnippet = 2000

// snippet cuts a text at maxSnippet characters, at the end of a word where one
// is near, and reports whether it did.
func snippet(s string) (string, bool) {
	if len(s) <= maxSnippet {
		return s, false
	}
	end, n := 0, 0
	for end < len(s) && n < maxSnippet {
		_, size := utf8.DecodeRuneInString(s[end:])
		end += size
		n++
	}
	if end == len(s) {
		return s, false
	}
	if next, _ := utf8.DecodeRuneInString(s[end:]); unicode.IsSpace(next) {
		return s[:end], true
	}
	return s[:wordEnd(s[:end])], true
}

// wordEnd is where the last whole word of a cut text ends, or its full length when
// the text has no space in its last part (scripts without spaces, long tokens).
func wordEnd(s string) int {
	const near = 100
	for i, n := len(s), 0; i > 0 && n < near; n++ {
		r, size := utf8.DecodeLastRuneInString(s[:i])
		i -= size
		if unicode.IsSpace(r) {
			return i
		}
	}
	return len(s)
}
