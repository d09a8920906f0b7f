package mcpserver

import (
	"bytes"
	"encoding/json"
	"errors"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// incoming is one message of a client: a request, or a notification, which has
// no id. The id is kept as it was written: the SDK would round 1.5 to 1.
type incoming struct {
	id     json.RawMessage
	method string
	params json.RawMessage
}

// parseMessage reads a JSON-RPC message. A nil message without an error is an
// answer, which nobody waits for here. An error goes back to the client under
// the id, if there is one.
func parseMessage(raw []byte) (*incoming, json.RawMessage, *jsonrpc.Error) {
	var fields map[string]json.RawMessage // keys are case-sensitive, unlike a struct's
	if err := json.Unmarshal(raw, &fields); err != nil {
		if _, ok := errors.AsType[*json.SyntaxError](err); ok {
			return nil, nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "parse error: the line is not valid JSON"}
		}
		return nil, nil, invalidRequest("a message must be a JSON object")
	}
	id, hasID := fields["id"]
	if hasID && !validID(id) {
		return nil, nil, invalidRequest("id must be text or a number")
	}
	var version string
	if json.Unmarshal(fields["jsonrpc"], &version) != nil || version != "2.0" {
		return nil, id, invalidRequest(`jsonrpc must be "2.0"`)
	}
	method, ok := fields["method"]
	if !ok {
		if hasID && (fields["result"] != nil || fields["error"] != nil) {
			return nil, nil, nil
		}
		return nil, id, invalidRequest("method is missing")
	}
	m := &incoming{id: id, params: fields["params"]}
	if json.Unmarshal(method, &m.method) != nil || string(method) == "null" {
		return nil, id, invalidRequest("method must be text")
	}
	if string(m.params) == "null" {
		m.params = nil
	}
	if len(m.params) > 0 && m.params[0] != '{' {
		return nil, id, &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "invalid params: they must be a JSON object"}
	}
	if m.params == nil && m.method == "initialize" {
		m.params = json.RawMessage("{}")
	}
	return m, id, nil
}

func invalidRequest(why string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "invalid request: " + why}
}

// validID reports whether raw is text or a number.
func validID(raw json.RawMessage) bool {
	if len(raw) == 0 || !json.Valid(raw) {
		return false
	}
	return raw[0] == '"' || raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9'
}

// encodeReply is the line, without its end, that answers the request with id.
func encodeReply(id, result json.RawMessage, failure *jsonrpc.Error) []byte {
	var b bytes.Buffer
	b.WriteString(`{"jsonrpc":"2.0","id":`)
	if id == nil {
		id = json.RawMessage("null")
	}
	b.Write(id)
	switch {
	case failure != nil:
		b.WriteString(`,"error":`)
		b.WriteString(encodeError(failure))
	case len(result) == 0:
		b.WriteString(`,"result":{}`)
	default:
		b.WriteString(`,"result":`)
		b.Write(result)
	}
	b.WriteByte('}')
	return b.Bytes()
}

func encodeError(e *jsonrpc.Error) string {
	return asJSON(struct {
		Code    int64           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data,omitempty"`
	}{e.Code, e.Message, e.Data})
}

// wireError is the error that a client sees for one of the SDK. The SDK leaves
// some without a code, gives some data that is not JSON, and quotes whole params
// in those about their form: what a client sent is not sent back, it may be long
// or private.
func wireError(err error) *jsonrpc.Error {
	out := &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: err.Error()}
	if e, ok := errors.AsType[*jsonrpc.Error](err); ok {
		if json.Valid(e.Data) {
			out.Data = e.Data
		}
		if e.Code != 0 {
			out.Code = e.Code
		}
	}
	if before, _, found := strings.Cut(out.Message, ": unmarshaling "); found {
		out.Message = before + ": they do not have the form that the method needs"
	}
	return out
}

// subscription is the key under which the SDK tells a client the id of a
// request of its own.
const subscription = "io.modelcontextprotocol/subscriptionId"

// withSubscription puts the client's id in the place of the SDK's.
func withSubscription(raw json.RawMessage, idOf func(json.RawMessage) json.RawMessage) json.RawMessage {
	if !bytes.Contains(raw, []byte(subscription)) {
		return raw
	}
	var fields, meta map[string]json.RawMessage
	if json.Unmarshal(raw, &fields) != nil || json.Unmarshal(fields["_meta"], &meta) != nil || meta[subscription] == nil {
		return raw
	}
	meta[subscription] = idOf(meta[subscription])
	fields["_meta"] = json.RawMessage(asJSON(meta))
	return json.RawMessage(asJSON(fields))
}
