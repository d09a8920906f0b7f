// Package httpd listens: it opens the address, serves a handler there with
// limits on slow and greedy clients, and ends without breaking requests off.
// What is served is the handler's affair, which signal ends it is cli's.
package httpd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"engram"
)

// DefaultAddr is where a server listens that is told nothing.
const DefaultAddr = "127.0.0.1:7437"

// Options are the settings of a Server; zero values mean the defaults.
type Options struct {
	Addr string // host:port, port 0 = any free one (default DefaultAddr)
	// NoAuth says that the handler asks for no token: then only loopback
	// addresses are listened on.
	NoAuth bool
	// Grace is how long requests may go on once the server is stopped (default 5 s).
	Grace time.Duration
	Log   *slog.Logger
}

// Server serves a handler at one address.
type Server struct {
	opts     Options
	http     *http.Server
	abort    context.CancelFunc // of the requests that are still running
	listener net.Listener
	ended    chan struct{}
	err      error // why serving ended, once ended is closed
	stop     sync.Once
}

const (
	headerTimeout  = 5 * time.Second
	idleTimeout    = 2 * time.Minute
	maxHeaderBytes = 64 << 10
)

// New returns a Server that does not listen yet.
func New(h http.Handler, opts Options) *Server {
	opts.Addr = cmp.Or(opts.Addr, DefaultAddr)
	opts.Grace = cmp.Or(opts.Grace, 5*time.Second)
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	s := &Server{opts: opts, ended: make(chan struct{})}
	s.http = &http.Server{
		Handler: h, ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes,
		ErrorLog: slog.NewLogLogger(opts.Log.Handler(), slog.LevelDebug), // broken connections are the clients' affair
	}
	return s
}

// Start listens and returns once connections are taken. When ctx ends the
// server stops. An address that cannot be had is an error that says who has it.
func (s *Server) Start(ctx context.Context) error {
	if err := s.checkAddr(ctx); err != nil {
		return err
	}
	l, err := (&net.ListenConfig{}).Listen(ctx, network(s.opts.Addr), s.opts.Addr)
	if err != nil {
		return s.listenError(ctx, err)
	}
	s.listener = l
	// A request lives until its answer or the end of the grace, not until ctx ends.
	base, abort := context.WithCancel(context.WithoutCancel(ctx))
	s.abort = abort
	s.http.BaseContext = func(net.Listener) context.Context { return base }
	go s.serve(l)
	go func() {
		select {
		case <-ctx.Done():
			s.Stop()
		case <-s.ended:
		}
	}()
	return nil
}

// network is that of an address: 0.0.0.0 means what it says, and not every
// address of IPv6 too, which is what net makes of it otherwise.
func network(addr string) string {
	if at, err := netip.ParseAddrPort(addr); err == nil && at.Addr().Is4() {
		return "tcp4"
	}
	return "tcp"
}

func (s *Server) serve(l net.Listener) {
	if err := s.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		s.err = fmt.Errorf("serve %s: %w", l.Addr(), err)
		close(s.ended)
		return
	}
	<-s.ended // Stop closes it when the last request is done
}

// Addr is where the server listens; nil before Start.
func (s *Server) Addr() net.Addr {
	if s.listener == nil {
		return nil
	}
	return s.listener.Addr()
}

// Everywhere reports whether the server listens on every interface.
func (s *Server) Everywhere() bool { return s.ip().IsUnspecified() }

// Exposed reports whether other machines may reach the server.
func (s *Server) Exposed() bool { return !s.ip().IsLoopback() }

// ip is the address that the server listens at, without the port.
func (s *Server) ip() netip.Addr {
	at, _ := netip.ParseAddrPort(s.Addr().String()) // it has one since Start
	return at.Addr()
}

// URL is the server's address for clients on this machine.
func (s *Server) URL() string { return "http://" + fromHere(s.Addr().String()) }

// fromHere is an address as clients on this machine reach it: one that stands
// for every interface is loopback to them.
func fromHere(addr string) string {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return addr
	}
	switch ip := net.ParseIP(host); {
	case host == "" || ip.Equal(net.IPv4zero):
		host = "127.0.0.1"
	case ip.Equal(net.IPv6unspecified):
		host = "::1"
	}
	return net.JoinHostPort(host, port)
}

// Wait returns when the server has ended: nil after Stop, else why.
func (s *Server) Wait() error {
	<-s.ended
	return s.err
}

// Stop takes no more connections and waits for the requests that are running,
// for the grace at most. A second call waits for the first.
func (s *Server) Stop() {
	if s.listener == nil {
		return
	}
	s.stop.Do(func() {
		select {
		case <-s.ended: // it broke by itself
			s.abort()
			return
		default:
		}
		ctx, cancel := context.WithTimeout(context.Background(), s.opts.Grace)
		defer cancel()
		if err := s.http.Shutdown(ctx); err != nil {
			s.opts.Log.Warn("requests broken off", "grace", s.opts.Grace)
			s.abort()
			_ = s.http.Close() // what it closes is given up
		}
		s.abort()
		close(s.ended)
	})
}

// checkAddr refuses to serve without a token where others could reach it.
func (s *Server) checkAddr(ctx context.Context) error {
	host, port, err := net.SplitHostPort(s.opts.Addr)
	if err != nil {
		return engram.Errorf(engram.ErrInvalid, "address %q: %v", s.opts.Addr, err).
			WithCode("bad_address").WithHint("write host:port, like %s or [::1]:7437", DefaultAddr)
	}
	if _, err := net.DefaultResolver.LookupPort(ctx, "tcp", port); err != nil {
		return engram.Errorf(engram.ErrInvalid, "port %q is not one", port).
			WithCode("bad_address").WithHint("use a number from 0 to 65535")
	}
	if s.opts.NoAuth && !isLoopback(ctx, host) {
		return engram.Errorf(engram.ErrForbidden, "%s can be reached by other machines, and the token is turned off", s.opts.Addr).
			WithCode("auth_required").WithHint("unset ENGRAM_LOCAL_AUTH, or listen on 127.0.0.1")
	}
	return nil
}

// isLoopback reports whether every address of host is this machine's own.
func isLoopback(ctx context.Context, host string) bool {
	if host == "" {
		return false // every interface
	}
	ips, err := net.DefaultResolver.LookupIPAddr(ctx, host)
	if err != nil || len(ips) == 0 {
		return false
	}
	for _, ip := range ips {
		if !ip.IP.IsLoopback() {
			return false
		}
	}
	return true
}

// wsaAddrInUse is what Windows says for EADDRINUSE; no other system has that number.
const wsaAddrInUse = syscall.Errno(10048)

func (s *Server) listenError(ctx context.Context, err error) error {
	switch {
	case errors.Is(err, syscall.EADDRINUSE), errors.Is(err, wsaAddrInUse):
		e := engram.Errorf(engram.ErrConflict, "%s is taken by another program", s.opts.Addr).WithCode("address_taken")
		if version, ok := engramAt(ctx, s.opts.Addr); ok {
			e.Message = fmt.Sprintf("another engram (%s) serves on %s already", version, s.opts.Addr)
			return e.WithHint("use that one, or choose another port with ENGRAM_PORT")
		}
		return e.WithHint("choose another port with ENGRAM_PORT, or end that program")
	case errors.Is(err, syscall.EACCES):
		return engram.Errorf(engram.ErrForbidden, "this user may not listen on %s", s.opts.Addr).
			WithCode("address_forbidden").WithHint("choose a port above 1023 with ENGRAM_PORT")
	}
	return engram.Errorf(engram.ErrInvalid, "cannot listen on %s: %v", s.opts.Addr, err).
		WithCode("bad_address").WithHint("check ENGRAM_ADDR: it must be an address of this machine")
}

// engramAt asks whoever listens on addr whether it is an engram, and which.
func engramAt(ctx context.Context, addr string) (version string, ok bool) {
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+fromHere(addr)+"/health", nil)
	if err != nil {
		return "", false
	}
	transport := &http.Transport{} // its own: no proxy, and no connection is kept
	defer transport.CloseIdleConnections()
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return "", false
	}
	defer func() { _ = res.Body.Close() }() // read as far as wanted
	var health struct{ Service, Version string }
	if err := json.NewDecoder(io.LimitReader(res.Body, 4096)).Decode(&health); err != nil {
		return "", false
	}
	return health.Version, health.Service == "engram"
}
