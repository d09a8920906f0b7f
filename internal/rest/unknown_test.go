package rest_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"engram/internal/rest"
)

// TestRootRoutesNameWhatTheyIgnore: clients of other versions send what these
// routes do not know; it is taken, and said.
func TestRootRoutesNameWhatTheyIgnore(t *testing.T) {
	t.Parallel()
	h := serve(t, seeded(t), rest.Options{})
	for _, tt := range []struct {
		call call
		want string
	}{
		{post("/observations", `{"session_id":"s","title":"T","content":"C","zeta":1,"an_extra":{"of":"x"}}`), "an_extra, zeta"},
		{post("/observations?colour=green", `{"session_id":"s","title":"T","content":"C","extra":1}`), "extra, colour"},
		{post("/observations", `{"session_id":"s","title":"T","content":"C"}`), ""},
		{post("/observations", `{"Session_ID":"s","TITLE":"T","content":"C"}`), ""},
		{patch("/observations/1", `{"title":"T","importance":1}`), "importance"},
		{fetch("/observations/recent?bogus=1&limit=1"), "bogus"},
		{fetch("/observations/recent?limit=1"), ""},
		{fetch("/export?bogus"), "bogus"},
		{fetch("/search?q=tea&na%20me,=1&%C3%A9=2"), "na%20me%2C, %C3%A9"},
		{fetch("/stats?a&b&c&d&e&f&g&h&i&j"), "a, b, c, d, e, f, g, h, 2%20more"},
		{fetch("/stats?%3Cprivate%3Ehush%3C/private%3E=1"), "%5BREDACTED%5D"},
	} {
		w := do(t, h, tt.call)
		if got := w.Header().Get("X-Engram-Ignored"); got != tt.want || w.Code >= 300 {
			t.Errorf("%s %s answered %d, ignored %q, want %q", tt.call.method, tt.call.path, w.Code, got, tt.want)
		}
	}
	w := do(t, h, fetch("/stats?"+strings.Repeat("x", 5000)+"=1"))
	if got := w.Header().Get("X-Engram-Ignored"); len(got) > 200 {
		t.Errorf("the header has %d bytes", len(got))
	}
}

// TestErrorsRepeatNothingPrivate: neither what stands between private tags nor a
// credential comes back in an error, wherever it was sent, and no value does at
// length.
func TestErrorsRepeatNothingPrivate(t *testing.T) {
	t.Parallel()
	h := serve(t, seeded(t), rest.Options{})
	for _, value := range []string{"<private>hush</private>", "<private>hush", awsKey, strings.Repeat("hush ", 200)} {
		v, p := url.QueryEscape(value), url.PathEscape(value)
		for _, c := range []call{
			fetch("/search?q=x&scope=" + v),
			fetch("/search?q=x&match_mode=" + v),
			fetch("/search?q=x&as_of=" + v),
			fetch("/search?q=x&limit=" + v),
			fetch("/search?q=x&deep=" + v),
			fetch("/context?scope=" + v),
			fetch("/observations/" + p),
			fetch("/nowhere/" + p),
			put("/sessions/" + p),
			fetch("/sessions/" + p),
			post("/observations", `{"session_id":"s","title":"T","content":"C","scope":"`+value+`"}`),
			post("/observations", `{"session_id":"s","title":"T","content":"C","occurred_at":"`+value+`"}`),
			post("/observations", `{"session_id":"s","title":"T","content":"C","importance":"`+value+`"}`),
			post("/v1/memories", `{"content":"C","scope":"`+value+`"}`),
			post("/v1/memories", `{"content":"C","origin":"`+value+`"}`),
			post("/v1/memories", `{"content":"C","`+value+`":1}`),
			post("/v1/memories", `{"content":"C","occurred_at":"`+value+`"}`),
			post("/v1/projects/merge", `{"from":"`+value+`","to":"`+value+`"}`),
			fetch("/v1/memories?" + v + "=1"),
			fetch("/v1/memories?cursor=" + v),
			fetch("/v1/memories/" + p),
		} {
			w := do(t, h, c)
			body := w.Body.String()
			if w.Code < 400 || w.Code >= http.StatusInternalServerError {
				t.Errorf("%s %.80s answered %d %.200s", c.method, c.path, w.Code, body)
			}
			whole := strings.Count(body, "hush") > 100
			if hidden := !strings.HasPrefix(value, "hush"); whole || hidden && (strings.Contains(body, "hush") || strings.Contains(body, awsKey)) {
				t.Errorf("%s %.80s answered %.300s", c.method, c.path, body)
			}
		}
	}
}
