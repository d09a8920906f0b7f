package mcpserver

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strings"

	"engram/internal/text"
)

// tool is one tool: how it is advertised and what runs.
type tool struct {
	name, title, description string

	admin bool // in the admin profile instead of the agent's
	brain bool // in the brain profile instead of the agent's
	core  bool // clients that defer tools should load it always

	readOnly, destructive, idempotent bool

	params        []param
	input, output json.RawMessage // schemas
	run           func(ctx context.Context, c *call, arguments json.RawMessage) (*reply, error)
}

// call is one tool call.
type call struct {
	Memories
	client  *client
	decoded // notes are what the caller should know besides the answer
}

func (c *call) note(s string) { c.notes = append(c.notes, s) }

// redacted are the kinds of what was taken out of a text: private text here,
// before anything else saw it, the rest by the service.
func (c *call) redacted(kinds []string) []string {
	if c.private && !slices.Contains(kinds, text.PrivateKind) {
		return append([]string{text.PrivateKind}, kinds...)
	}
	return kinds
}

// noteRedacted says what was taken out, where the result does not.
func (c *call) noteRedacted(kinds []string) {
	if kinds = c.redacted(kinds); len(kinds) > 0 {
		c.note("left out before storing: " + strings.Join(kinds, ", "))
	}
}

// reply is what a tool answers, twice: clients show a model either the text or
// the structure, never both, so each is complete without the other.
type reply struct {
	text       string
	structured any
}

// result is what a tool's function returns: it encodes as the structured half
// and says the same in words.
type result interface {
	words() string
	addNotes(notes []string)
}

// noted is the part that all results share.
type noted struct {
	Notes []string `json:"notes,omitempty"`
}

func (n *noted) addNotes(notes []string) { n.Notes = append(n.Notes, notes...) }

// newTool completes t with what follows from the types of its function: the
// parameters from the struct In, the output schema from Out.
func newTool[In any, Out any, R interface {
	*Out
	result
}](t tool, run func(c *call, ctx context.Context, in In) (R, error),
) tool {
	t.params = paramsOf(reflect.TypeFor[In]())
	t.input = inputSchema(t.params)
	t.output = outputSchema(reflect.TypeFor[Out]())
	t.run = func(ctx context.Context, c *call, arguments json.RawMessage) (*reply, error) {
		var in In
		var err error
		if c.decoded, err = decode(arguments, t.params, reflect.ValueOf(&in).Elem()); err != nil {
			return nil, err
		}
		out, err := run(c, ctx, in)
		if err != nil {
			return nil, err
		}
		out.addNotes(c.notes)
		lines := make([]string, 0, 1+len(c.notes))
		if words := out.words(); words != "" {
			lines = append(lines, words)
		}
		for _, n := range c.notes {
			lines = append(lines, "Note: "+n+".")
		}
		return &reply{text: strings.Join(lines, "\n"), structured: out}, nil
	}
	return t
}
