package mcpserver

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// kind is what a parameter takes: text, a number …
type kind int

const (
	textKind kind = iota
	integerKind
	numberKind
	booleanKind
	textsKind // array of text
)

// param is one parameter of a tool. It is read from a field of the tool's
// argument struct:
//
//	Limit int `json:"limit" doc:"How many." default:"10" min:"1" max:"50"`
//
// required, enum (a comma list) and alias (other names that are taken too and
// not advertised) are tags as well. A pointer tells absent from empty.
type param struct {
	name     string
	aliases  []string
	doc      string
	field    int
	kind     kind
	required bool
	enum     []string
	def      string // as in the tag, "" = none
	min, max *float64
}

// paramsOf reads the parameters of an argument struct. A tag that makes no
// sense is a programming error and panics.
func paramsOf(t reflect.Type) []param {
	params := make([]param, 0, t.NumField())
	for i := range t.NumField() {
		f := t.Field(i)
		p := param{
			name:     f.Tag.Get("json"),
			doc:      f.Tag.Get("doc"),
			field:    i,
			kind:     kindOf(f.Type),
			required: f.Tag.Get("required") == "true",
			enum:     list(f.Tag.Get("enum")),
			aliases:  list(f.Tag.Get("alias")),
			def:      f.Tag.Get("default"),
			min:      bound(f.Tag.Get("min")),
			max:      bound(f.Tag.Get("max")),
		}
		params = append(params, p)
	}
	return params
}

func kindOf(t reflect.Type) kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t.Kind() {
	case reflect.String:
		return textKind
	case reflect.Int, reflect.Int64:
		return integerKind
	case reflect.Float64:
		return numberKind
	case reflect.Bool:
		return booleanKind
	case reflect.Slice:
		if t.Elem().Kind() == reflect.String {
			return textsKind
		}
	}
	panic(fmt.Sprintf("mcpserver: a parameter cannot be a %v", t))
}

func list(tag string) []string {
	if tag == "" {
		return nil
	}
	return strings.Split(tag, ",")
}

func bound(tag string) *float64 {
	if tag == "" {
		return nil
	}
	v, err := strconv.ParseFloat(tag, 64)
	if err != nil {
		panic(fmt.Sprintf("mcpserver: bound %q is no number", tag))
	}
	return &v
}

// expects says in words what the parameter takes.
func (p *param) expects() string {
	switch p.kind {
	case integerKind, numberKind:
		what := "a number"
		if p.kind == integerKind {
			what = "a whole number"
		}
		switch {
		case p.min != nil && p.max != nil:
			return fmt.Sprintf("%s from %s to %s", what, short(*p.min), short(*p.max))
		case p.min != nil:
			return fmt.Sprintf("%s of at least %s", what, short(*p.min))
		}
		return what
	case booleanKind:
		return "true or false"
	case textsKind:
		return "a list of texts"
	}
	if p.enum != nil {
		return "one of " + strings.Join(p.enum, ", ")
	}
	return "text"
}

func short(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
