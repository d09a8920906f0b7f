package mcpserver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"sync"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// conn stands between two pipes and the SDK, as the SDK's [mcp.Connection].
// It takes what the SDK's own stdio transport ends over or gets wrong: lines
// that are no message, ids that are no 64-bit integer, batches, the end of
// input while calls still run.
type conn struct {
	*schedule
	lines  *lineReader
	turnOf func(*incoming) turn
	log    *slog.Logger

	outMu  sync.Mutex
	out    io.Writer
	outErr error
}

func newConn(in io.Reader, out io.Writer, turnOf func(*incoming) turn, log *slog.Logger) *conn {
	return &conn{schedule: newSchedule(), lines: newLineReader(in), turnOf: turnOf, log: log, out: out}
}

var (
	_ mcp.Transport  = (*conn)(nil)
	_ mcp.Connection = (*conn)(nil)
)

// Connect makes c the transport of itself.
func (c *conn) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// SessionID is empty: a process has one session.
func (c *conn) SessionID() string { return "" }

// Close ends Read.
func (c *conn) Close() error {
	c.close()
	return nil
}

// Read gives the SDK the next message that may run.
func (c *conn) Read(context.Context) (jsonrpc.Message, error) { return c.next() }

// Write sends what the SDK has to say.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	switch msg := msg.(type) {
	case *jsonrpc.Response:
		return c.reply(msg)
	case *jsonrpc.Request:
		msg.Params = withSubscription(msg.Params, c.clientID)
		line, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return fmt.Errorf("encode %s: %w", msg.Method, err)
		}
		return c.writeLine(line)
	}
	return fmt.Errorf("cannot send a %T", msg)
}

func (c *conn) reply(res *jsonrpc.Response) error {
	id, ok := res.ID.Raw().(int64)
	x := c.get(id)
	if !ok || x == nil {
		return fmt.Errorf("answer to a request that nobody made: %v", res.ID.Raw())
	}
	defer c.done(id)
	if res.Error != nil {
		if c.isCancelled(x) {
			return x.batch.add(c, nil) // whoever cancels expects no answer
		}
		return c.answer(x.batch, encodeReply(x.id, nil, wireError(res.Error)))
	}
	return c.answer(x.batch, encodeReply(x.id, withSubscription(res.Result, c.clientID), nil))
}

// clientID is the client's id of the request that the SDK knows by another.
func (c *conn) clientID(sdk json.RawMessage) json.RawMessage {
	var n int64
	if json.Unmarshal(sdk, &n) != nil {
		return sdk
	}
	if x := c.get(n); x != nil {
		return x.id
	}
	return sdk
}

// answer sends a reply, or keeps it until its batch is complete.
func (c *conn) answer(b *batch, line []byte) error {
	if b != nil {
		return b.add(c, line)
	}
	return c.writeLine(line)
}

func (c *conn) writeLine(line []byte) error {
	c.outMu.Lock()
	defer c.outMu.Unlock()
	if c.outErr != nil {
		return c.outErr
	}
	if _, err := c.out.Write(append(line, '\n')); err != nil {
		c.outErr = fmt.Errorf("write reply: %w", err)
		c.close()
	}
	return c.outErr
}

// writeError is the error that ended the output, if one did.
func (c *conn) writeError() error {
	c.outMu.Lock()
	defer c.outMu.Unlock()
	return c.outErr
}

// pump reads lines until the input ends.
func (c *conn) pump() error {
	for {
		line, err := c.lines.next()
		switch {
		case err == nil:
			c.accept(line)
		case errors.Is(err, errLineTooLong):
			c.refuse(nil, line, invalidRequest(fmt.Sprintf("the line is longer than %d MB", maxLine>>20)))
		case errors.Is(err, io.EOF):
			return nil
		default:
			return fmt.Errorf("read requests: %w", err)
		}
	}
}

// accept takes a line: a message, a batch of them, or nothing.
func (c *conn) accept(line []byte) {
	line = bytes.TrimSpace(bytes.TrimPrefix(bytes.TrimSpace(line), []byte("\ufeff")))
	switch {
	case len(line) == 0:
	case !utf8.Valid(line):
		_, id, _ := parseMessage(line)
		c.refuse(nil, id, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: fmt.Sprintf("parse error: the line is not valid UTF-8 at byte %d", invalidByte(line))})
	case line[0] == '[':
		c.acceptBatch(line)
	default:
		if x := c.read(line, nil); x != nil {
			c.put(x)
		}
	}
}

// invalidByte is where a line that is not UTF-8 stops being it.
func invalidByte(line []byte) int {
	n := 0
	for {
		r, size := utf8.DecodeRune(line[n:])
		if r == utf8.RuneError && size <= 1 {
			return n
		}
		n += size
	}
}

// acceptBatch takes an array of messages. Only one version of the protocol has
// batches, but a client that sends one wants its answers in any.
func (c *conn) acceptBatch(line []byte) {
	var items []json.RawMessage
	if err := json.Unmarshal(line, &items); err != nil {
		c.refuse(nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "parse error: the line is not valid JSON"})
		return
	}
	if len(items) == 0 {
		c.refuse(nil, nil, invalidRequest("the batch is empty"))
		return
	}
	b := &batch{open: 1} // held open until all are read
	var xs []*exchange
	for _, item := range items {
		if x := c.read(item, b); x != nil {
			xs = append(xs, x)
		}
	}
	c.put(xs...)
	c.sent(b.add(c, nil))
}

// read makes a message of raw that is to run; what is none is answered here.
func (c *conn) read(raw []byte, b *batch) *exchange {
	msg, id, failure := parseMessage(raw)
	switch {
	case failure != nil:
		b.expect()
		c.refuse(b, id, failure)
		return nil
	case msg == nil:
		return nil
	case msg.method == "notifications/cancelled":
		return c.cancelled(msg)
	}
	x := &exchange{incoming: msg, turn: c.turnOf(msg), parked: msg.method == "subscriptions/listen"}
	if msg.id != nil {
		b.expect()
		x.batch = b
	}
	return x
}

// cancelled takes back a request: one that waits is dropped, for one that runs
// the notification goes on to the SDK under the id that it knows.
func (c *conn) cancelled(msg *incoming) *exchange {
	var params struct {
		ID json.RawMessage `json:"requestId"`
	}
	if msg.id != nil || json.Unmarshal(msg.params, &params) != nil || params.ID == nil {
		return nil
	}
	dropped, running := c.cancel(params.ID)
	if dropped != nil && dropped.batch != nil {
		c.sent(dropped.batch.add(c, nil))
	}
	if running == 0 {
		return nil
	}
	return &exchange{incoming: &incoming{
		method: msg.method,
		params: json.RawMessage(fmt.Sprintf(`{"requestId":%d}`, running)),
	}}
}

func (c *conn) refuse(b *batch, id json.RawMessage, failure *jsonrpc.Error) {
	c.sent(c.answer(b, encodeReply(id, nil, failure)))
}

// sent notes a failure to answer from the reading side. It has ended the
// connection already.
func (c *conn) sent(err error) {
	if err != nil {
		c.log.Debug("reply not sent", "error", err)
	}
}

// batch gathers the replies to messages that came in one array.
type batch struct {
	mu      sync.Mutex
	open    int // answers that are still to come
	replies [][]byte
}

// expect announces one answer more. A nil batch expects nothing.
func (b *batch) expect() {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open++
}

// add takes an answer, or nil for one that will not come, and sends all when it
// was the last.
func (b *batch) add(c *conn, line []byte) error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if line != nil {
		b.replies = append(b.replies, line)
	}
	if b.open--; b.open > 0 || len(b.replies) == 0 {
		return nil
	}
	all := append([]byte{'['}, bytes.Join(b.replies, []byte{','})...)
	return c.writeLine(append(all, ']'))
}
