package rest_test

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"engram/internal/rest"
)

// pipeListener hands out one connection without a network, so that time can be
// a bubble's.
type pipeListener struct {
	conns chan net.Conn
}

func (l pipeListener) Accept() (net.Conn, error) {
	c, ok := <-l.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (l pipeListener) Close() error   { return nil }
func (l pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 7437} }

// TestStalledBody: a client that begins a body and then says nothing holds its
// connection for half a minute, not for ever, also where the body is refused
// before it is read.
func TestStalledBody(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, path, token string
		status            int
	}{
		{"read", "/observations", token, http.StatusRequestTimeout},
		{"read by v1", "/v1/memories", token, http.StatusRequestTimeout},
		{"refused", "/observations", "wrong", http.StatusUnauthorized},
		{"an import, refused", "/import", "wrong", http.StatusUnauthorized},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				client, server := net.Pipe()
				l := pipeListener{conns: make(chan net.Conn, 1)}
				l.conns <- server
				srv := &http.Server{Handler: rest.New(rest.Services{}, rest.Options{Token: token})}
				go srv.Serve(l)
				from := time.Now()
				go fmt.Fprintf(client, "POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer %s\r\n"+
					"Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{\"title\":", tt.path, tt.token)
				r := bufio.NewReader(client)
				res, err := http.ReadResponse(r, nil)
				if err != nil {
					t.Fatal(err)
				}
				if res.StatusCode != tt.status {
					t.Errorf("answered %d, want %d", res.StatusCode, tt.status)
				}
				if _, err := io.Copy(io.Discard, r); err != nil { // until the server closes
					t.Error(err)
				}
				if took := time.Since(from); took > time.Minute {
					t.Errorf("the connection was held for %v", took)
				}
				close(l.conns)
				srv.Close()
			})
		})
	}
}
