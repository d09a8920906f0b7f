package rest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"engram/internal/rest"
)

const token = "correct-horse"

// call is one request to a handler.
type call struct {
	method, path, body string
	header             map[string]string // "Host" sets the host; an empty value takes a header away
}

func (c call) request(ctx context.Context) *http.Request {
	var body io.Reader
	if c.body != "" {
		body = strings.NewReader(c.body)
	}
	r := httptest.NewRequestWithContext(ctx, c.method, c.path, body)
	r.Host = "127.0.0.1:7437"
	r.Header.Set("Authorization", "Bearer "+token)
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	for name, value := range c.header {
		switch {
		case name == "Host":
			r.Host = value
		case value == "":
			r.Header.Del(name)
		default:
			r.Header.Set(name, value)
		}
	}
	return r
}

func do(t *testing.T, h http.Handler, c call) *httptest.ResponseRecorder {
	t.Helper()
	w := httptest.NewRecorder()
	h.ServeHTTP(w, c.request(t.Context()))
	return w
}

// unserved is the API without services: whatever reaches one panics.
func unserved(t *testing.T, opts rest.Options) http.Handler {
	t.Helper()
	opts.Token = token
	return rest.New(rest.Services{}, opts)
}

// TestForeignPagesAreRefused: neither another site's page nor a name that was
// bound to this machine from outside reaches the API (row X2).
func TestForeignPagesAreRefused(t *testing.T) {
	t.Parallel()
	h := unserved(t, rest.Options{
		Hosts: []string{"memory.example"}, Origins: []string{"https://app.example"}, Version: "1.2.3",
	})
	tests := []struct {
		name   string
		header map[string]string
		code   string // "" = let in
	}{
		{"loopback address", map[string]string{"Host": "127.0.0.1:7437"}, ""},
		{"another loopback address", map[string]string{"Host": "127.8.9.1:1234"}, ""},
		{"IPv6 loopback", map[string]string{"Host": "[::1]:7437"}, ""},
		{"localhost", map[string]string{"Host": "localhost:7437"}, ""},
		{"localhost in capitals with a final dot", map[string]string{"Host": "LOCALHOST."}, ""},
		{"a configured host", map[string]string{"Host": "Memory.example:8080"}, ""},
		{"a foreign host", map[string]string{"Host": "evil.example:7437"}, "forbidden_host"},
		{"a host that begins like ours", map[string]string{"Host": "localhost.evil.example"}, "forbidden_host"},
		{"a host that begins like an address", map[string]string{"Host": "127.0.0.1.evil.example"}, "forbidden_host"},
		{"a foreign address", map[string]string{"Host": "192.0.2.7:7437"}, "forbidden_host"},
		{"no host", map[string]string{"Host": ""}, "forbidden_host"},

		{"the server's own origin", map[string]string{"Origin": "http://127.0.0.1:7437"}, ""},
		{"an allowed origin", map[string]string{"Origin": "https://app.example"}, ""},
		{"a foreign origin", map[string]string{"Origin": "https://evil.example"}, "forbidden_origin"},
		{"another port of this machine", map[string]string{"Origin": "http://127.0.0.1:8080"}, "forbidden_origin"},
		{"a sandboxed page or a file", map[string]string{"Origin": "null"}, "forbidden_origin"},
		{"an extension with our host", map[string]string{"Origin": "moz-extension://127.0.0.1:7437"}, "forbidden_origin"},
		{"a foreign page without Origin", map[string]string{"Sec-Fetch-Site": "cross-site"}, "forbidden_origin"},
		{"a page of another port without Origin", map[string]string{"Sec-Fetch-Site": "same-site"}, "forbidden_origin"},
		{"an own page", map[string]string{"Sec-Fetch-Site": "same-origin"}, ""},
		{"the address bar", map[string]string{"Sec-Fetch-Site": "none"}, ""},
		{"a link on a foreign page", map[string]string{
			"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
		}, ""},
		{"a frame in a foreign page", map[string]string{
			"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "iframe",
		}, "forbidden_origin"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := do(t, h, call{method: "GET", path: "/health", header: tt.header})
			if tt.code == "" {
				if w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"version":"1.2.3"`) {
					t.Errorf("answered %d %s, want 200 and the version", w.Code, w.Body)
				}
				return
			}
			if w.Code != http.StatusForbidden || !strings.Contains(w.Body.String(), `"code":"`+tt.code+`"`) {
				t.Errorf("answered %d %s, want 403 %s", w.Code, w.Body, tt.code)
			}
			for name := range w.Header() {
				if strings.HasPrefix(name, "Access-Control-") {
					t.Errorf("header %s is set: no other site may read us", name)
				}
			}
		})
	}
}

// TestForeignNavigationCannotWrite: following a link is for reading only.
func TestForeignNavigationCannotWrite(t *testing.T) {
	t.Parallel()
	w := do(t, unserved(t, rest.Options{}), call{
		method: "POST", path: "/sessions/s/end", header: map[string]string{
			"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Dest": "document",
		},
	})
	if w.Code != http.StatusForbidden {
		t.Errorf("answered %d %s, want 403", w.Code, w.Body)
	}
}

// TestConnectedAddressIsAHost: where the server listens on more than loopback,
// the address that was connected to is a name for it.
func TestConnectedAddressIsAHost(t *testing.T) {
	t.Parallel()
	local := &net.TCPAddr{IP: net.IPv4(192, 0, 2, 7), Port: 7437}
	ctx := context.WithValue(t.Context(), http.LocalAddrContextKey, net.Addr(local))
	for host, want := range map[string]int{"192.0.2.7:7437": http.StatusOK, "192.0.2.8:7437": http.StatusForbidden} {
		w := httptest.NewRecorder()
		unserved(t, rest.Options{}).ServeHTTP(w, call{method: "GET", path: "/health", header: map[string]string{"Host": host}}.request(ctx))
		if w.Code != want {
			t.Errorf("Host %s: answered %d, want %d", host, w.Code, want)
		}
	}
}

func TestTokenIsAskedFor(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, auth string
		status     int
	}{
		{"none", "", 401},
		{"another", "Bearer wrong-horse", 401},
		{"a prefix", "Bearer correct", 401},
		{"longer", "Bearer " + token + "s", 401},
		{"an empty one", "Bearer ", 401},
		{"another scheme", "Basic " + token, 401},
		{"without scheme", token, 401},
		{"the right one", "Bearer " + token, 500}, // there is no service behind
		{"scheme in lower case", "bearer " + token, 500},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			for _, path := range []string{"/stats", "/v1/stats"} {
				w := do(t, unserved(t, rest.Options{}), call{method: "GET", path: path, header: map[string]string{"Authorization": tt.auth}})
				if w.Code != tt.status {
					t.Fatalf("%s answered %d %s, want %d", path, w.Code, w.Body, tt.status)
				}
				if tt.status != 401 {
					continue
				}
				if !strings.Contains(w.Body.String(), `"code":"unauthenticated"`) || !strings.Contains(w.Body.String(), "ENGRAM_LOCAL_AUTH=off") {
					t.Errorf("%s answered %s, want the code and what to do", path, w.Body)
				}
				if !strings.HasPrefix(w.Header().Get("WWW-Authenticate"), "Bearer") {
					t.Errorf("WWW-Authenticate is %q", w.Header().Get("WWW-Authenticate"))
				}
				if strings.Contains(w.Body.String(), token) {
					t.Errorf("the answer gives the token away: %s", w.Body)
				}
			}
		})
	}
}

// TestNoTokenConfiguredLetsNobodyIn: a server whose token could not be read must
// not be open.
func TestNoTokenConfiguredLetsNobodyIn(t *testing.T) {
	t.Parallel()
	h := rest.New(rest.Services{}, rest.Options{})
	for _, auth := range []string{"", "Bearer ", "Bearer x"} {
		if w := do(t, h, call{method: "GET", path: "/stats", header: map[string]string{"Authorization": auth}}); w.Code != 401 {
			t.Errorf("Authorization %q: answered %d, want 401", auth, w.Code)
		}
	}
}

func TestOpenRoutesNeedNoToken(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/health", "/v1/health", "/v1/openapi.json", "/v1/docs"} {
		w := do(t, unserved(t, rest.Options{}), call{method: "GET", path: path, header: map[string]string{"Authorization": ""}})
		if w.Code != http.StatusOK {
			t.Errorf("GET %s answered %d, want 200", path, w.Code)
		}
	}
}

// TestMissesAreJSON: what is not there is said in the form of the API.
func TestMissesAreJSON(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name   string
		call   call
		status int
		code   string
		allow  string
	}{
		{"no such route", call{method: "GET", path: "/nothing"}, 404, "no_such_route", ""},
		{"the root", call{method: "GET", path: "/"}, 404, "no_such_route", ""},
		{"a slash too many", call{method: "GET", path: "/observations/"}, 404, "no_such_route", ""},
		{"no such route of v1", call{method: "GET", path: "/v1/nothing"}, 404, "no_such_route", ""},
		{"wrong method", call{method: "PUT", path: "/observations"}, 405, "method_not_allowed", "GET, HEAD, POST"},
		{"wrong method of v1", call{method: "POST", path: "/v1/stats", body: "{}"}, 405, "method_not_allowed", "GET, HEAD"},
		{"a preflight", call{method: "OPTIONS", path: "/search"}, 405, "method_not_allowed", "GET, HEAD"},
		{"a form", call{
			method: "POST", path: "/observations", body: "a=b", header: map[string]string{"Content-Type": "application/x-www-form-urlencoded"},
		}, 415, "unsupported_media_type", ""},
		{"plain text", call{
			method: "POST", path: "/observations", body: "{}", header: map[string]string{"Content-Type": "text/plain"},
		}, 415, "unsupported_media_type", ""},
		{"no type", call{
			method: "POST", path: "/import", body: "{}", header: map[string]string{"Content-Type": ""},
		}, 415, "unsupported_media_type", ""},
		{"another charset", call{
			method: "POST", path: "/v1/memories", body: "{}", header: map[string]string{"Content-Type": "application/json; charset=latin1"},
		}, 415, "unsupported_media_type", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			w := do(t, unserved(t, rest.Options{}), tt.call)
			if w.Code != tt.status || w.Header().Get("Allow") != tt.allow {
				t.Errorf("answered %d, Allow %q; want %d, %q", w.Code, w.Header().Get("Allow"), tt.status, tt.allow)
			}
			checkError(t, w, strings.HasPrefix(tt.call.path, "/v1"), tt.code)
		})
	}
}

// checkError holds an error against the form of its half of the API.
func checkError(t *testing.T, w *httptest.ResponseRecorder, v1 bool, code string) {
	t.Helper()
	var body map[string]any
	if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil {
		t.Fatalf("the error is not JSON: %v: %s", err, w.Body)
	}
	kind, message := "application/json", "error"
	if v1 {
		kind, message = "application/problem+json", "detail"
		if status, _ := body["status"].(float64); int(status) != w.Code || body["type"] != "about:blank" || body["title"] == "" {
			t.Errorf("problem is %v, want its status, type and title", body)
		}
	}
	if got := w.Header().Get("Content-Type"); got != kind {
		t.Errorf("Content-Type is %q, want %q", got, kind)
	}
	if text, _ := body[message].(string); text == "" {
		t.Errorf("%s is missing in %v", message, body)
	}
	if body["code"] != code {
		t.Errorf("code is %v, want %s (%v)", body["code"], code, body)
	}
}

// TestPanicIsAnAnswer: a fault in a handler ends neither the server nor the
// connection, is logged once, and gives nothing away.
func TestPanicIsAnAnswer(t *testing.T) {
	t.Parallel()
	for _, path := range []string{"/stats", "/v1/stats"} {
		var log bytes.Buffer
		h := unserved(t, rest.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
		w := do(t, h, call{method: "GET", path: path, header: map[string]string{"X-Request-Id": "abc-1"}})
		if w.Code != http.StatusInternalServerError || strings.Contains(w.Body.String(), "nil pointer") {
			t.Errorf("GET %s answered %d %s, want 500 without the cause", path, w.Code, w.Body)
		}
		checkError(t, w, strings.HasPrefix(path, "/v1"), "internal")
		if n := strings.Count(log.String(), "level=ERROR"); n != 1 || !strings.Contains(log.String(), "request_id=abc-1") {
			t.Errorf("the log has %d errors, want one with the request id:\n%s", n, &log)
		}
	}
}

func TestRequestID(t *testing.T) {
	t.Parallel()
	h := unserved(t, rest.Options{})
	for id, kept := range map[string]bool{
		"abc-1_2.3": true, "": false, "a b": false, "a\"b": false, strings.Repeat("x", 65): false, "é": false,
	} {
		got := do(t, h, call{method: "GET", path: "/health", header: map[string]string{"X-Request-Id": id}}).Header().Get("X-Request-Id")
		if (got == id) != kept || got == "" {
			t.Errorf("X-Request-Id %q became %q, want it kept: %v", id, got, kept)
		}
	}
}

func TestSecurityHeaders(t *testing.T) {
	t.Parallel()
	for _, c := range []call{
		{method: "GET", path: "/health"},
		{method: "GET", path: "/nothing"},
		{method: "GET", path: "/stats", header: map[string]string{"Authorization": ""}},
		{method: "GET", path: "/health", header: map[string]string{"Host": "evil.example"}},
	} {
		h := do(t, unserved(t, rest.Options{}), c).Header()
		for name, want := range map[string]string{
			"X-Content-Type-Options":  "nosniff",
			"Cache-Control":           "no-store",
			"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s %s: %s is %q, want %q", c.method, c.path, name, got, want)
			}
		}
	}
}
