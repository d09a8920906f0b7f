package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"engram"
	"engram/internal/text"
)

// Server offers a set of tools over the memories.
type Server struct {
	open   func(context.Context) (Memories, error)
	opts   Options
	tools  []tool
	graces graces
}

// Options are the settings of a Server; zero values mean the defaults.
type Options struct {
	// Tools is a comma list of profiles (all, agent, admin) and tool names; ""
	// means all.
	Tools   string
	Version string       // of engram, told to clients
	Logger  *slog.Logger // never writes to stdout; default: nothing is logged
	Actor   engram.Actor // who the calls are made for
	// WatchParent is how often ServeStdio looks whether the process that
	// started this one is still there. Default 2 seconds; negative: never.
	WatchParent time.Duration
}

// New returns a Server for the chosen tools. Each tool call asks open for the
// memories, and nothing before: the list of tools need not wait for a store.
// Open is called from several goroutines; its errors are those of the calls.
func New(open func(context.Context) (Memories, error), opts Options) (*Server, error) {
	tools, err := selectTools(catalogue(), opts.Tools)
	if err != nil {
		return nil, err
	}
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.WatchParent == 0 {
		opts.WatchParent = 2 * time.Second
	}
	return &Server{open: open, opts: opts, tools: tools, graces: defaultGraces}, nil
}

// handshake is the newest protocol version that begins with initialize; later
// ones name their version in each request.
const handshake = "2025-11-25"

// sdk is the SDK's server for one connected client.
func (s *Server) sdk(c *client) *mcp.Server {
	log := slog.New(slog.DiscardHandler) // the SDK reports clients' mistakes as errors of ours
	if s.opts.Logger.Enabled(context.Background(), slog.LevelDebug) {
		log = s.opts.Logger
	}
	server := mcp.NewServer(s.implementation(), &mcp.ServerOptions{
		Instructions: s.instructions(),
		Capabilities: s.capabilities(),
		Logger:       log,
		SetCacheable: func(_ context.Context, _ mcp.Request, c *mcp.Cacheable) {
			c.TTLMs, c.CacheScope = int(time.Hour/time.Millisecond), "private"
		},
	})
	for i := range s.tools {
		t := &s.tools[i]
		server.AddTool(t.definition(), func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return s.call(ctx, t, c, req.Params.Arguments), nil
		})
	}
	server.AddReceivingMiddleware(s.guard)
	return server
}

func (s *Server) implementation() *mcp.Implementation {
	return &mcp.Implementation{Name: "engram", Title: "Engram", Version: s.opts.Version}
}

// capabilities says that there are tools, and that the list of them stays.
func (s *Server) capabilities() *mcp.ServerCapabilities {
	return &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}
}

func (t *tool) definition() *mcp.Tool {
	closed := false
	def := &mcp.Tool{
		Name:         t.name,
		Description:  t.description,
		InputSchema:  t.input,
		OutputSchema: t.output,
		Annotations: &mcp.ToolAnnotations{
			Title:           t.title,
			ReadOnlyHint:    t.readOnly,
			DestructiveHint: &t.destructive,
			IdempotentHint:  t.idempotent,
			OpenWorldHint:   &closed,
		},
	}
	if t.core {
		def.Meta = mcp.Meta{"anthropic/alwaysLoad": true}
	}
	return def
}

// call runs a tool. Whatever goes wrong in it is an answer, never an end.
func (s *Server) call(ctx context.Context, t *tool, c *client, arguments json.RawMessage) (res *mcp.CallToolResult) {
	defer func() {
		if p := recover(); p != nil {
			s.opts.Logger.ErrorContext(ctx, "tool panicked", "tool", t.name, "panic", p, "stack", string(debug.Stack()))
			res = failure("internal error", "internal")
		}
	}()
	ctx = engram.WithActor(ctx, s.opts.Actor)
	memories, err := s.open(ctx)
	if err != nil {
		return s.failed(ctx, t, fmt.Errorf("open the memories: %w", err))
	}
	answer, err := t.run(ctx, &call{Memories: memories, client: c}, arguments)
	if err != nil {
		return s.failed(ctx, t, err)
	}
	return &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: answer.text}},
		StructuredContent: answer.structured,
	}
}

// failed is the answer to a call that failed: for people's mistakes what to
// change, for faults no more than that there was one.
func (s *Server) failed(ctx context.Context, t *tool, err error) *mcp.CallToolResult {
	if ctx.Err() != nil {
		return failure("the call was cancelled", "cancelled")
	}
	if _, ok := errors.AsType[*engram.Error](err); !ok {
		s.opts.Logger.ErrorContext(ctx, "tool failed", "tool", t.name, "error", err)
	}
	var clean text.Cleaner
	return failure(clean.Text(engram.ErrorMessage(err)), engram.ErrorCode(err))
}

// failure has no structured half: a client would hold it against the tool's
// output schema.
func failure(message, code string) *mcp.CallToolResult {
	return &mcp.CallToolResult{
		IsError: true,
		Content: []mcp.Content{&mcp.TextContent{Text: "Error: " + message + " [" + code + "]"}},
	}
}

// guard stands before the SDK's own handling. It keeps panics from ending the
// process, answers initialize at any time and any number of times (clients try
// server/discover first, or start over), and takes dotted tool names.
func (s *Server) guard(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (res mcp.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.opts.Logger.ErrorContext(ctx, "request panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error"}
			}
		}()
		switch params := req.GetParams().(type) {
		case *mcp.InitializeParams:
			return s.initialize(params), nil
		case *mcp.InitializedParams:
			return nil, nil
		case *mcp.CallToolParamsRaw:
			name := canonical(params.Name)
			if !slices.ContainsFunc(s.tools, func(t tool) bool { return t.name == name }) {
				return nil, s.unknownTool(params.Name)
			}
			params.Name = name
		}
		return next(ctx, method, req)
	}
}

func (s *Server) initialize(params *mcp.InitializeParams) *mcp.InitializeResult {
	version := handshake
	if v := params.ProtocolVersion; v < handshake && slices.Contains(mcp.SupportedProtocolVersions(), v) {
		version = v
	}
	return &mcp.InitializeResult{
		ProtocolVersion: version,
		Capabilities:    s.capabilities(),
		Instructions:    s.instructions(),
		ServerInfo:      s.implementation(),
	}
}

func (s *Server) unknownTool(name string) error {
	name, _ = snippet(name, 64)
	names := make([]string, len(s.tools))
	for i := range s.tools {
		names[i] = s.tools[i].name
	}
	return &jsonrpc.Error{
		Code:    jsonrpc.CodeInvalidParams,
		Message: "unknown tool " + quoted(name) + "; this server has " + strings.Join(names, ", "),
	}
}
