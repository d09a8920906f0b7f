package rest

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"engram"
)

const (
	headerRequestID = "X-Request-Id"
	writeTimeout    = 60 * time.Second // for an answer, or a part of a stream
)

// guard is what every request passes, whatever it asks for.
func (a *api) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		tw := &tracked{ResponseWriter: w}
		secure(w.Header(), requestID(r))
		defer a.recoverPanic(tw, r)
		answerDue(w)
		if hasBody(r) {
			bodyDue(w)
		}
		if err := a.checkHost(r); err != nil {
			a.fail(tw, r, err)
			return
		}
		if err := a.checkOrigin(r); err != nil {
			a.fail(tw, r, err)
			return
		}
		next.ServeHTTP(tw, r)
	})
}

// answerDue gives an answer, or the next part of it, its time.
func answerDue(w http.ResponseWriter) {
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(writeTimeout))
}

// tracked knows whether an answer has begun.
type tracked struct {
	http.ResponseWriter
	begun bool
}

func (t *tracked) WriteHeader(status int) {
	t.begun = true
	t.ResponseWriter.WriteHeader(status)
}

func (t *tracked) Write(p []byte) (int, error) {
	t.begun = true
	return t.ResponseWriter.Write(p)
}

// Unwrap lets [http.ResponseController] reach the connection.
func (t *tracked) Unwrap() http.ResponseWriter { return t.ResponseWriter }

// recoverPanic makes a panic of a handler an answer, and a line in the log. Where
// an answer has begun the connection is cut, so that it is not taken for whole.
func (a *api) recoverPanic(w *tracked, r *http.Request) {
	p := recover()
	if p == nil {
		return
	}
	err, _ := p.(error)
	aborted := errors.Is(err, http.ErrAbortHandler)
	if !aborted {
		a.log.ErrorContext(r.Context(), "request panicked", "method", r.Method, "route", r.Pattern,
			"request_id", w.Header().Get(headerRequestID), "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
	}
	if w.begun || aborted {
		panic(http.ErrAbortHandler)
	}
	w.Header().Del("Content-Disposition")
	writeFailure(w, r, failureOf(fmt.Errorf("panic: %v", p)))
}

func secure(h http.Header, id string) {
	h.Set(headerRequestID, id)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Referrer-Policy", "no-referrer")
}

// requestID is the caller's, where it is fit for a log, else a new one.
func requestID(r *http.Request) string {
	id := r.Header.Get(headerRequestID)
	fit := id != "" && len(id) <= 64 && strings.IndexFunc(id, func(c rune) bool {
		return (c < '0' || c > '9') && (c < 'A' || c > 'Z') && (c < 'a' || c > 'z') && c != '-' && c != '_' && c != '.'
	}) < 0
	if fit {
		return id
	}
	return engram.NewUID(time.Now())
}

// checkHost refuses requests for names that are not ours: a foreign name that
// leads here is how a web page reads a loopback server (DNS rebinding). A literal
// address cannot be rebound, so the one that was connected to is taken too.
func (a *api) checkHost(r *http.Request) error {
	host := hostName(r.Host)
	if host == "localhost" || slices.ContainsFunc(a.opts.Hosts, func(h string) bool { return hostName(h) == host }) {
		return nil
	}
	if ip, err := netip.ParseAddr(host); err == nil {
		local, _ := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
		if ip.IsLoopback() || local != nil && hostName(local.String()) == host {
			return nil
		}
	}
	return &httpError{
		status: http.StatusForbidden, code: "forbidden_host",
		message: "this server does not answer to the host " + shown(r.Host),
		hint:    "use 127.0.0.1 or localhost, or add the name to hosts in config.toml",
	}
}

// hostName is a Host or address without port, brackets, zone, final dot and capitals.
func hostName(host string) string {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	host = strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
	host, _, _ = strings.Cut(host, "%")
	return strings.ToLower(strings.TrimSuffix(host, "."))
}

// checkOrigin refuses what a page of another site makes a browser send. Programs
// that are no browser send neither header. Following a link is no danger: the
// other site cannot read where it leads.
func (a *api) checkOrigin(r *http.Request) error {
	if origins := r.Header.Values("Origin"); len(origins) > 0 {
		if len(origins) == 1 && a.originAllowed(r, origins[0]) {
			return nil
		}
		return foreignOrigin(strings.Join(origins, ", "))
	}
	switch site := r.Header.Get("Sec-Fetch-Site"); site {
	case "", "same-origin", "none":
		return nil
	default:
		read := r.Method == http.MethodGet || r.Method == http.MethodHead
		if read && r.Header.Get("Sec-Fetch-Mode") == "navigate" && r.Header.Get("Sec-Fetch-Dest") == "document" {
			return nil
		}
		return foreignOrigin(site)
	}
}

func (a *api) originAllowed(r *http.Request, origin string) bool {
	if slices.ContainsFunc(a.opts.Origins, func(o string) bool {
		return strings.EqualFold(strings.TrimSuffix(o, "/"), origin)
	}) {
		return true
	}
	u, err := url.Parse(origin)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && strings.EqualFold(u.Host, r.Host)
}

func foreignOrigin(origin string) error {
	return &httpError{
		status: http.StatusForbidden, code: "forbidden_origin",
		message: fmt.Sprintf("requests from the origin %s are not allowed", shown(origin)),
		hint:    "call from a program, or add the origin to origins in config.toml",
	}
}

// endpoint is what one route's requests pass: who is asking, in which form.
func (a *api) endpoint(rt route) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !rt.open && !a.opts.NoAuth {
			if err := a.checkToken(r); err != nil {
				a.fail(w, r, err)
				return
			}
		}
		if hasBody(r) && r.Method != http.MethodGet && r.Method != http.MethodHead {
			if err := errors.Join(checkContentType(r), checkEncoding(r)); err != nil {
				a.fail(w, r, err)
				return
			}
		}
		if err := rt.serve(w, r.WithContext(engram.WithActor(r.Context(), a.actor))); err != nil {
			a.fail(w, r, err)
		}
	})
}

func (a *api) checkToken(r *http.Request) error {
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	// Hashes have one length, so that the time tells nothing about the token's.
	got, want := sha256.Sum256([]byte(strings.TrimSpace(token))), sha256.Sum256([]byte(a.opts.Token))
	if strings.EqualFold(scheme, "Bearer") && a.opts.Token != "" && subtle.ConstantTimeCompare(got[:], want[:]) == 1 {
		return nil
	}
	message := "the token is not this server's"
	if r.Header.Get("Authorization") == "" {
		message = "a token is needed"
	}
	return engram.Errorf(engram.ErrUnauthenticated, "%s", message).WithHint(
		"send Authorization: Bearer with what the file token in the data directory (~/.engram) holds, " +
			"or start the server with ENGRAM_LOCAL_AUTH=off")
}

// jsonMisses answers what mux has no route for as the API answers errors.
func jsonMisses(mux *http.ServeMux) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h, pattern := mux.Handler(r)
		if pattern != "" {
			mux.ServeHTTP(w, r)
			return
		}
		miss := missWriter{header: http.Header{}}
		h.ServeHTTP(&miss, r)
		if allow := miss.header.Get("Allow"); miss.status == http.StatusMethodNotAllowed {
			w.Header().Set("Allow", allow)
			writeFailure(w, r, failure{
				status: miss.status, code: "method_not_allowed",
				message: fmt.Sprintf("%s is not allowed on %s", r.Method, presentable(r.URL.Path)), hint: "use " + allow,
			})
			return
		}
		writeFailure(w, r, failure{
			status: http.StatusNotFound, code: "no_such_route",
			message: "there is nothing at " + presentable(r.URL.Path), hint: "GET /v1/openapi.json lists what there is",
		})
	})
}

// missWriter learns what mux would say about a request without a route.
type missWriter struct {
	header http.Header
	status int
}

func (m *missWriter) Header() http.Header         { return m.header }
func (m *missWriter) WriteHeader(status int)      { m.status = status }
func (m *missWriter) Write(p []byte) (int, error) { return len(p), nil }
