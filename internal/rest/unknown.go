package rest

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"engram/internal/text"
)

// headerIgnored names what a root route was sent and did not use:
// percent-encoded names of body fields and query parameters.
const headerIgnored = "X-Engram-Ignored"

// Bounds of what is repeated of a request.
const (
	maxIgnored = 8   // names
	maxEcho    = 60  // characters of a value
	maxMessage = 400 // characters of an error
)

// unknown is what a request has that its route does not take.
type unknown struct {
	fields, parameters []string
}

// answer refuses it under /v1. The routes at the root take it, since clients
// written for other versions send some, and say so.
func (u unknown) answer(strict bool, h http.Header, known []field) error {
	if !strict {
		// A field in other case is taken, as encoding/json takes it.
		names := slices.DeleteFunc(u.fields, func(name string) bool {
			return slices.ContainsFunc(known, func(f field) bool { return f.in == inBody && strings.EqualFold(f.name, name) })
		})
		if names = append(names, u.parameters...); len(names) > 0 {
			h.Set(headerIgnored, ignored(names))
		}
		return nil
	}
	switch {
	case len(u.fields)+len(u.parameters) == 0:
		return nil
	case len(u.fields) > 0:
		return badRequest("unknown_field", "field %s is not known", shown(u.fields[0])).
			WithHint("the fields are %s", namesIn(known, inBody))
	}
	return badRequest("unknown_parameter", "parameter %s is not known", shown(u.parameters[0])).
		WithHint("the parameters are: %s", namesIn(known, inQuery))
}

func ignored(names []string) string {
	more := len(names) - maxIgnored
	names = names[:min(maxIgnored, len(names))]
	out := make([]string, len(names))
	for i, name := range names {
		out[i] = url.PathEscape(presentable(name))
	}
	s := strings.Join(out, ", ")
	if more > 0 {
		s += ", " + strconv.Itoa(more) + "%20more"
	}
	return s
}

// presentable is the beginning of a text that a request brought, as it may be
// repeated: without what is private.
func presentable(s string) string {
	var c text.Cleaner
	s, _ = text.Snippet(c.Text(s), maxEcho)
	return s
}

// shown is presentable in quotation marks.
func shown(s string) string { return strconv.Quote(presentable(s)) }
