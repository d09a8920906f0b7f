package embed_test

import (
	"errors"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"engram"
	"engram/internal/embed"
)

// A server that refuses one text, in whatever way, takes the others.
func TestEndpointFindsTheTextThatIsRefused(t *testing.T) {
	t.Parallel()
	hangUp := func(http.ResponseWriter) { panic(http.ErrAbortHandler) }
	for _, tc := range []struct {
		name   string
		refuse func(w http.ResponseWriter)
		code   string
		most   time.Duration
	}{
		{"content filter", func(w http.ResponseWriter) { status(w, 400, "Input data may contain inappropriate content.") }, "embedder_text_refused", 0},
		{"firewall", func(w http.ResponseWriter) { w.WriteHeader(http.StatusForbidden) }, "embedder_text_refused", 0},
		{"error with success", func(w http.ResponseWriter) { w.Write([]byte(`{"error":"no"}`)) }, "embedder_text_refused", 0},
		{"500", func(w http.ResponseWriter) { status(w, 500, "internal") }, "embedder_text_refused", 8 * time.Second},
		{"502 of a gateway", func(w http.ResponseWriter) { w.WriteHeader(http.StatusBadGateway) }, "embedder_text_refused", 8 * time.Second},
		{"hangs up", hangUp, "embedder_text_refused", 8 * time.Second},
		{"NaN", func(w http.ResponseWriter) { w.Write([]byte(`{"data":[{"index":0,"embedding":[NaN]}]}`)) }, "embedder_bad_answer", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, _ := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
					if slices.ContainsFunc(c.inputs, func(s string) bool { return strings.Contains(s, "text 21") }) {
						tc.refuse(w)
						return
					}
					well(w, r, c, n)
				})
				texts := numbered(32)
				texts[21] = "text 21 is refused"
				elapsed(t, 0, tc.most, func() {
					_, err := e.Embed(t.Context(), texts)
					bad, ok := errors.AsType[*embed.TextError](err)
					if !ok || bad.Index != 21 || engram.ErrorCode(err) != tc.code {
						t.Errorf("error %v, want %s of the text at 21", err, tc.code)
					}
				})
				texts = slices.Delete(texts, 21, 22)
				got, err := e.Embed(t.Context(), texts)
				if err != nil {
					t.Fatal(err)
				}
				wantVectors(t, got, texts)
			})
		})
	}
}

// A server that fails at every text has not found one that it does not like.
func TestEndpointThatFailsIsNotTheTextsFault(t *testing.T) {
	t.Parallel()
	for _, code := range []int{400, 403, 422, 500, 503} {
		synctest.Test(t, func(t *testing.T) {
			e, api := newAPI(t, func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) { status(w, code, "no") })
			_, err := e.Embed(t.Context(), numbered(32))
			if bad, ok := errors.AsType[*embed.TextError](err); ok || err == nil {
				t.Errorf("status %d: %v, a text's fault: %v", code, err, bad)
			}
			if n := len(api.seen()); n > 5 {
				t.Errorf("status %d: asked %d times", code, n)
			}
		})
	}
}

// A question is not worth finding out: it has no time.
func TestEndpointQuestionThatIsRefused(t *testing.T) {
	t.Parallel()
	e, api := newAPI(t, func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) { status(w, 400, "no") })
	_, err := e.Question(t.Context(), "x")
	wantCode(t, err, "embedder_refused")
	if n := len(api.seen()); n != 1 {
		t.Errorf("asked %d times, want once", n)
	}
}

func TestEndpointCutsWhatIsTooLongInFewWords(t *testing.T) {
	t.Parallel()
	e, _ := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
		if len(c.inputs[0]) > 200 {
			status(w, 400, "input too long")
			return
		}
		well(w, r, c, n)
	})
	got, err := e.Embed(t.Context(), []string{strings.Repeat("many words ", 50)})
	if err != nil || len(got) != 1 || len(got[0]) != apiDim {
		t.Errorf("%v, %v", got, err)
	}
}
