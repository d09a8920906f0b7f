// Package rest serves memories over HTTP in two forms with the same services
// behind both: the routes that coding agents' plugins already speak, at the
// root, and the complete API under /v1 with its OpenAPI document. It decodes,
// calls and encodes, and it guards the door: Host, Origin, token, sizes. What
// the rules of memories are is service's affair; which address is listened on,
// and when listening ends, is httpd's.
package rest

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"strings"
	"sync"

	"engram"
	"engram/internal/service/memory"
	"engram/internal/service/transfer"
	"engram/internal/service/upkeep"
)

// Services are what the handlers call.
type Services struct {
	Memory   *memory.Service
	Transfer *transfer.Service
	Upkeep   *upkeep.Service
}

// Options are the settings of the API; zero values mean the defaults.
type Options struct {
	Token   string   // asked for as a bearer token; "" with NoAuth unset lets nobody in
	NoAuth  bool     // asks for no token
	Hosts   []string // Host names that are answered to besides loopback, without port
	Origins []string // Origins that may call besides the server's own, like https://a.example
	Version string   // of the program, for /health
	// MaxContent is the bytes of a content that the memory service takes; bodies
	// may be as long as JSON can make of that (default 1 MB).
	MaxContent int
	MaxImport  int64 // bytes of an import (default 200 MB)
	Workspace  string
	Log        *slog.Logger
	// ProjectOf finds the project of a directory, for GET /project/current; nil =
	// only the default project is known.
	ProjectOf func(ctx context.Context, dir string) (engram.ProjectIdentity, error)
}

// DefaultMaxImport is how long an import may be, in bytes.
const DefaultMaxImport = 200 << 20

// api is the handlers with what they need.
type api struct {
	Services
	opts  Options
	actor engram.Actor
	log   *slog.Logger

	document func() *document // of all routes, made when it is first asked for
}

// New returns the API as one handler.
func New(svcs Services, opts Options) http.Handler {
	opts.MaxContent = cmp.Or(opts.MaxContent, engram.DefaultMaxContent)
	opts.MaxImport = cmp.Or(opts.MaxImport, DefaultMaxImport)
	opts.Workspace = cmp.Or(opts.Workspace, engram.DefaultWorkspace)
	opts.Version = cmp.Or(opts.Version, "dev")
	if opts.Log == nil {
		opts.Log = slog.New(slog.DiscardHandler)
	}
	a := &api{
		Services: svcs, opts: opts, log: opts.Log,
		actor: engram.Actor{
			Name: "rest", Workspace: opts.Workspace,
			Access: engram.AccessAdmin, Origin: engram.OriginAgent,
		},
	}
	routes := a.routes()
	a.document = sync.OnceValue(func() *document { return documentOf(routes, opts.Version) })
	mux := http.NewServeMux()
	for _, r := range routes {
		mux.Handle(r.method+" "+r.path, a.endpoint(r))
	}
	return a.guard(jsonMisses(mux))
}

// route is one line of the API.
type route struct {
	method, path string
	serve        func(w http.ResponseWriter, r *http.Request) error
	open         bool  // answers without a token
	stream       bool  // reads or writes at length: each part has its time, not the whole
	maxBody      int64 // bytes of a stream that it reads
	op           *operation
}

// routes is every route there is.
func (a *api) routes() []route {
	return append(a.v1Routes(), a.wireRoutes()...)
}

// isV1Path reports whether a path belongs to the complete API, which refuses
// what it does not know and answers errors as problem+json.
func isV1Path(path string) bool { return path == "/v1" || strings.HasPrefix(path, "/v1/") }

// bodyLimit is how long a request may be that brings one content: JSON can need
// six bytes for one of it.
func (a *api) bodyLimit() int64 { return 6*int64(a.opts.MaxContent) + bodyOverhead }
