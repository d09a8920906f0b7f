package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"engram"
	"engram/internal/text"
)

// decode fills the argument struct dst from what a client sent. It takes what
// clients get wrong and the meaning of which is plain: no arguments at all,
// null for an optional one, numbers, booleans, lists and the whole object sent
// as text, a count out of its bounds. It does not take what would be a guess.
//
// Arguments that the tool does not have are left out with a note rather than
// refused: clients written for other versions send some, and a call must not
// fail over one. Private text is taken out here, before anything else sees it;
// errors and notes repeat no values at all.
func decode(raw json.RawMessage, params []param, dst reflect.Value) (got decoded, err error) {
	sent, err := object(raw)
	if err != nil {
		return got, err
	}
	var missing []string
	for i := range params {
		p := &params[i]
		value := p.take(sent)
		v, note, err := p.coerce(value)
		if err != nil {
			return got, err
		}
		if note != "" {
			got.notes = append(got.notes, note)
		}
		if v == nil || p.required && v == "" {
			if p.required {
				missing = append(missing, p.name)
			}
			continue
		}
		set(dst.Field(p.field), got.strip(v))
	}
	if missing != nil {
		return got, missingError(missing, params)
	}
	got.notes = append(got.notes, unknownNote(sent, params)...)
	return got, nil
}

// decoded is what else there is to say of arguments.
type decoded struct {
	notes   []string
	private bool // there was private text in them
}

// strip takes private text out of a value.
func (d *decoded) strip(v any) any {
	clean := func(s string) string {
		s, found := text.StripPrivate(s)
		d.private = d.private || found
		return s
	}
	switch v := v.(type) {
	case string:
		return clean(v)
	case []string:
		for i := range v {
			v[i] = clean(v[i])
		}
	}
	return v
}

// object is the arguments as they were sent, by name.
func object(raw json.RawMessage) (map[string]json.RawMessage, error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) > 0 && raw[0] == '"' { // the object as text
		var s string
		if json.Unmarshal(raw, &s) == nil {
			raw = bytes.TrimSpace([]byte(s))
		}
	}
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	var sent map[string]json.RawMessage
	if err := json.Unmarshal(raw, &sent); err != nil {
		return nil, invalid("invalid_arguments", "arguments must be a JSON object")
	}
	return sent, nil
}

// take removes the parameter's value from sent, whatever name it came by.
func (p *param) take(sent map[string]json.RawMessage) json.RawMessage {
	value := sent[p.name]
	delete(sent, p.name)
	for _, alias := range p.aliases {
		if other, ok := sent[alias]; ok {
			delete(sent, alias)
			if len(value) == 0 || string(value) == "null" {
				value = other
			}
		}
	}
	return value
}

// coerce makes a value of the parameter's kind: string, int64, float64, bool or
// []string; nil means absent, and the default is taken.
func (p *param) coerce(raw json.RawMessage) (v any, note string, err error) {
	raw = bytes.TrimSpace(raw)
	if len(raw) == 0 || string(raw) == "null" {
		v, err = p.fallback()
		return v, "", err
	}
	plain, isText := unquote(raw)
	if p.kind != textKind && isText {
		if plain = strings.TrimSpace(plain); plain == "" || plain == "null" {
			v, err = p.fallback()
			return v, "", err
		}
		raw = json.RawMessage(plain)
	}
	switch p.kind {
	case textKind:
		v, err = p.text(raw, plain, isText)
	case integerKind:
		v, note, err = p.integer(string(raw))
	case numberKind:
		v, err = p.number(string(raw))
	case booleanKind:
		v, err = p.boolean(string(raw))
	case textsKind:
		v, err = p.texts(raw, plain, isText)
	}
	return v, note, err
}

func (p *param) fallback() (any, error) {
	if p.def == "" {
		return nil, nil
	}
	v, _, err := p.coerce(json.RawMessage(p.defaultJSON()))
	return v, err
}

func unquote(raw json.RawMessage) (s string, ok bool) {
	if raw[0] != '"' {
		return "", false
	}
	return s, json.Unmarshal(raw, &s) == nil
}

func (p *param) text(raw json.RawMessage, plain string, isText bool) (any, error) {
	if !isText {
		if raw[0] == '{' || raw[0] == '[' {
			return nil, p.wrong()
		}
		plain = string(raw) // a number or a boolean: what it looks like
	}
	if p.required && strings.TrimSpace(plain) == "" {
		return "", nil
	}
	if p.enum == nil {
		return plain, nil
	}
	plain = strings.ToLower(strings.TrimSpace(plain))
	if plain == "" {
		return p.fallback()
	}
	if !slices.Contains(p.enum, plain) {
		return nil, p.wrong()
	}
	return plain, nil
}

func (p *param) integer(s string) (any, string, error) {
	s = strings.TrimPrefix(s, "#") // an id as the replies write it
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil {
		f, ferr := strconv.ParseFloat(s, 64)
		if ferr != nil || f != math.Trunc(f) || math.IsInf(f, 0) {
			return nil, "", p.wrong()
		}
		switch {
		case math.Abs(f) < 1<<53:
			n = int64(f)
		case p.max != nil && f > 0:
			n = math.MaxInt64
		case p.max != nil && p.min != nil:
			n = math.MinInt64
		default:
			return nil, "", p.wrong()
		}
	}
	f, note, err := p.counted(float64(n))
	if note != "" {
		n = int64(f)
	}
	return n, note, err
}

func (p *param) number(s string) (any, error) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsNaN(f) || math.IsInf(f, 0) {
		return nil, p.wrong()
	}
	if p.min != nil && f < *p.min || p.max != nil && f > *p.max {
		return nil, p.wrong()
	}
	return f, nil
}

// counted puts a count within its bounds, with a note: asking for more than the
// most means "as much as I can get", for less than the least "as little". An id,
// which has no most, or a measure like importance has no such meaning.
func (p *param) counted(f float64) (float64, string, error) {
	switch {
	case p.min != nil && f < *p.min && p.max == nil:
		return 0, "", p.wrong()
	case p.min != nil && f < *p.min:
		return *p.min, fmt.Sprintf("%s was raised to %s, the least there is", p.name, short(*p.min)), nil
	case p.max != nil && f > *p.max:
		return *p.max, fmt.Sprintf("%s was lowered to %s, the most there is", p.name, short(*p.max)), nil
	}
	return f, "", nil
}

func (p *param) boolean(s string) (any, error) {
	switch strings.ToLower(s) {
	case "true", "1", "yes":
		return true, nil
	case "false", "0", "no":
		return false, nil
	}
	return nil, p.wrong()
}

func (p *param) texts(raw json.RawMessage, plain string, isText bool) (any, error) {
	if isText && raw[0] != '[' {
		return []string{plain}, nil
	}
	var items []json.RawMessage
	if json.Unmarshal(raw, &items) != nil {
		return nil, p.wrong()
	}
	out := make([]string, 0, len(items))
	for _, item := range items {
		s, ok := unquote(item)
		switch {
		case ok:
			out = append(out, s)
		case string(item) == "null":
		case item[0] == '{' || item[0] == '[':
			return nil, p.wrong()
		default:
			out = append(out, string(item))
		}
	}
	return out, nil
}

func set(field reflect.Value, v any) {
	if field.Kind() == reflect.Pointer {
		field.Set(reflect.New(field.Type().Elem()))
		field = field.Elem()
	}
	field.Set(reflect.ValueOf(v).Convert(field.Type()))
}

func (p *param) wrong() error {
	return invalid("invalid_"+p.name, "%s must be %s", p.name, p.expects())
}

func missingError(missing []string, params []param) error {
	verb := "is"
	if len(missing) > 1 {
		verb = "are"
	}
	return engram.Errorf(engram.ErrInvalid, "%s %s required", strings.Join(missing, " and "), verb).
		WithCode(missing[0]+"_required").WithHint("this tool takes %s", names(params))
}

// unknownNote names what is left in sent. Names that begin with an underscore
// are a client's own and pass without a word.
func unknownNote(sent map[string]json.RawMessage, params []param) []string {
	const most = 8
	var unknown []string
	for _, name := range slices.Sorted(maps.Keys(sent)) {
		if !strings.HasPrefix(name, "_") && len(unknown) < most {
			name, _ = text.StripPrivate(name)
			cut, _ := snippet(name, 40)
			unknown = append(unknown, cut)
		}
	}
	if unknown == nil {
		return nil
	}
	return []string{fmt.Sprintf("ignored unknown parameter %s; this tool takes %s", strings.Join(unknown, ", "), names(params))}
}

func names(params []param) string {
	if len(params) == 0 {
		return "no parameters"
	}
	all := make([]string, len(params))
	for i := range params {
		all[i] = params[i].name
	}
	return strings.Join(all, ", ")
}

func invalid(code, format string, args ...any) error {
	return engram.Errorf(engram.ErrInvalid, format, args...).WithCode(code)
}
