package httpd_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/httpd"
)

func start(t *testing.T, h http.Handler, opts httpd.Options) *httpd.Server {
	t.Helper()
	if opts.Addr == "" {
		opts.Addr = "127.0.0.1:0"
	}
	s := httpd.New(h, opts)
	if err := s.Start(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Stop)
	return s
}

func get(t *testing.T, url string) (int, string) {
	t.Helper()
	req, err := http.NewRequestWithContext(context.Background(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	return res.StatusCode, string(body)
}

func TestServesOnBothFamilies(t *testing.T) {
	t.Parallel()
	for _, addr := range []string{"127.0.0.1:0", "[::1]:0", "localhost:0"} {
		t.Run(addr, func(t *testing.T) {
			t.Parallel()
			if addr == "[::1]:0" {
				l, err := net.Listen("tcp", addr)
				if err != nil {
					t.Skip("this machine has no IPv6: ", err)
				}
				l.Close()
			}
			s := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, "here") }), httpd.Options{Addr: addr})
			if status, body := get(t, s.URL()); status != http.StatusOK || body != "here" {
				t.Errorf("GET %s = %d %q, want 200 here", s.URL(), status, body)
			}
		})
	}
}

func TestWhoCanReachIt(t *testing.T) {
	t.Parallel()
	for addr, want := range map[string]struct{ everywhere, exposed bool }{
		"127.0.0.1:0": {false, false},
		"localhost:0": {false, false},
		"0.0.0.0:0":   {true, true},
		":0":          {true, true},
	} {
		s := start(t, http.NotFoundHandler(), httpd.Options{Addr: addr})
		if s.Everywhere() != want.everywhere || s.Exposed() != want.exposed {
			t.Errorf("%s: Everywhere() = %v, Exposed() = %v, want %+v", addr, s.Everywhere(), s.Exposed(), want)
		}
	}
}

func TestStartRefuses(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		opts httpd.Options
		kind error
		code string
	}{
		{"no port", httpd.Options{Addr: "127.0.0.1"}, engram.ErrInvalid, "bad_address"},
		{"a port over 65535", httpd.Options{Addr: "127.0.0.1:70000"}, engram.ErrInvalid, "bad_address"},
		{"not this machine's address", httpd.Options{Addr: "192.0.2.1:0"}, engram.ErrInvalid, "bad_address"},
		{"all interfaces without a token", httpd.Options{Addr: "0.0.0.0:0", NoAuth: true}, engram.ErrForbidden, "auth_required"},
		{"all interfaces, unsaid, without a token", httpd.Options{Addr: ":0", NoAuth: true}, engram.ErrForbidden, "auth_required"},
		{"all IPv6 interfaces without a token", httpd.Options{Addr: "[::]:0", NoAuth: true}, engram.ErrForbidden, "auth_required"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := httpd.New(http.NotFoundHandler(), tt.opts)
			err := s.Start(t.Context())
			s.Stop() // of one that did not start does nothing
			if !errors.Is(err, tt.kind) || engram.ErrorCode(err) != tt.code {
				t.Errorf("Start() = %v (%s), want %v (%s)", err, engram.ErrorCode(err), tt.kind, tt.code)
			}
		})
	}
}

func TestAllInterfacesWithTokenAreServed(t *testing.T) {
	t.Parallel()
	s := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) {}), httpd.Options{Addr: "0.0.0.0:0"})
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") {
		t.Errorf("URL() = %s, want one that clients here can use", s.URL())
	}
	if at := s.Addr().String(); !strings.HasPrefix(at, "0.0.0.0:") {
		t.Errorf("it listens on %s, was told 0.0.0.0", at)
	}
	if status, _ := get(t, s.URL()); status != http.StatusOK {
		t.Errorf("status %d, want 200", status)
	}
}

func TestTakenAddressSaysByWhom(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, answer, want string
	}{
		{"by an engram", `{"status":"ok","service":"engram","version":"9.8.7"}`, "another engram (9.8.7)"},
		{"by something else", `<html>`, "another program"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			first := start(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, tt.answer) }), httpd.Options{})
			err := httpd.New(http.NotFoundHandler(), httpd.Options{Addr: first.Addr().String()}).Start(t.Context())
			if engram.ErrorCode(err) != "address_taken" || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "ENGRAM_PORT") {
				t.Errorf("Start() = %v, want address_taken, %q and what to do", err, tt.want)
			}
		})
	}
}

// TestStopLetsRequestsEnd: a request that runs when the end comes is answered,
// and new connections are not taken.
func TestStopLetsRequestsEnd(t *testing.T) {
	t.Parallel()
	running, finish := make(chan struct{}), make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	s := httpd.New(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		close(running)
		<-finish
		if err := r.Context().Err(); err != nil {
			t.Errorf("the request's context ended with the server's: %v", err)
		}
		fmt.Fprint(w, "whole")
	}), httpd.Options{Addr: "127.0.0.1:0"})
	if err := s.Start(ctx); err != nil {
		t.Fatal(err)
	}
	answer := make(chan string, 1)
	go func() {
		_, body := get(t, s.URL())
		answer <- body
	}()
	<-running
	cancel()
	for { // until the listener is closed
		c, err := net.Dial("tcp", s.Addr().String())
		if err != nil {
			break
		}
		c.Close()
	}
	close(finish)
	if body := <-answer; body != "whole" {
		t.Errorf("body %q, want whole", body)
	}
	if err := s.Wait(); err != nil {
		t.Errorf("Wait() = %v, want nil", err)
	}
	s.Stop()
}

// TestStopBreaksOffAfterGrace: a request that does not end does not hold the
// server for longer than the grace.
func TestStopBreaksOffAfterGrace(t *testing.T) {
	t.Parallel()
	running, ended := make(chan struct{}), make(chan struct{})
	s := start(t, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		close(running)
		<-r.Context().Done()
		close(ended)
	}), httpd.Options{Grace: 20 * time.Millisecond})
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	fmt.Fprint(c, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	<-running
	s.Stop()
	<-ended
	if err := s.Wait(); err != nil {
		t.Errorf("Wait() = %v, want nil", err)
	}
}

func TestHugeHeaderIsRefused(t *testing.T) {
	t.Parallel()
	s := start(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { t.Error("the handler was called") }), httpd.Options{})
	c, err := net.Dial("tcp", s.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	go fmt.Fprintf(c, "GET / HTTP/1.1\r\nHost: localhost\r\nX-Long: %s\r\n\r\n", strings.Repeat("x", 128<<10))
	res, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		t.Fatal(err)
	}
	res.Body.Close()
	if res.StatusCode != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("status %d, want 431", res.StatusCode)
	}
}
