package mcpserver

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"
)

// Schemas are written as text, once, in the plainest JSON Schema there is: one
// type each, no references, no unions, every array with items. Clients refuse
// or mangle anything else, and one bad schema can cost a session all its tools.

// inputSchema is the schema of a tool's arguments, in the order of params.
func inputSchema(params []param) json.RawMessage {
	var b strings.Builder
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	for i := range params {
		p := &params[i]
		if i > 0 {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "%s:{%s", quoted(p.name), p.schemaType())
		if p.enum != nil {
			fmt.Fprintf(&b, `,"enum":%s`, asJSON(p.enum))
		}
		if p.min != nil {
			fmt.Fprintf(&b, `,"minimum":%s`, short(*p.min))
		}
		if p.max != nil {
			fmt.Fprintf(&b, `,"maximum":%s`, short(*p.max))
		}
		if p.def != "" {
			fmt.Fprintf(&b, `,"default":%s`, p.defaultJSON())
		}
		if p.doc != "" {
			fmt.Fprintf(&b, `,"description":%s`, quoted(p.doc))
		}
		b.WriteByte('}')
		if p.required {
			required = append(required, p.name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		fmt.Fprintf(&b, `,"required":%s`, asJSON(required))
	}
	b.WriteByte('}')
	return json.RawMessage(b.String())
}

func (p *param) schemaType() string {
	switch p.kind {
	case integerKind:
		return `"type":"integer"`
	case numberKind:
		return `"type":"number"`
	case booleanKind:
		return `"type":"boolean"`
	case textsKind:
		return `"type":"array","items":{"type":"string"}`
	}
	return `"type":"string"`
}

func (p *param) defaultJSON() string {
	if p.kind == textKind {
		return quoted(p.def)
	}
	return p.def
}

// outputSchema is the schema of a result struct. Fields without omitempty or
// omitzero are required.
func outputSchema(t reflect.Type) json.RawMessage {
	var b strings.Builder
	writeObject(&b, t)
	return json.RawMessage(b.String())
}

func writeObject(b *strings.Builder, t reflect.Type) {
	b.WriteString(`{"type":"object","properties":{`)
	var required []string
	n := 0
	for _, f := range reflect.VisibleFields(t) {
		tag, ok := f.Tag.Lookup("json")
		if !ok {
			continue
		}
		name, options, _ := strings.Cut(tag, ",")
		if n++; n > 1 {
			b.WriteByte(',')
		}
		b.WriteString(quoted(name) + ":")
		writeType(b, f.Type)
		if options == "" {
			required = append(required, name)
		}
	}
	b.WriteByte('}')
	if required != nil {
		fmt.Fprintf(b, `,"required":%s`, asJSON(required))
	}
	b.WriteByte('}')
}

func writeType(b *strings.Builder, t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		writeType(b, t.Elem())
	case reflect.String:
		b.WriteString(`{"type":"string"}`)
	case reflect.Int, reflect.Int64:
		b.WriteString(`{"type":"integer"}`)
	case reflect.Float64:
		b.WriteString(`{"type":"number"}`)
	case reflect.Bool:
		b.WriteString(`{"type":"boolean"}`)
	case reflect.Slice:
		b.WriteString(`{"type":"array","items":`)
		writeType(b, t.Elem())
		b.WriteByte('}')
	case reflect.Struct:
		writeObject(b, t)
	default:
		panic(fmt.Sprintf("mcpserver: a result cannot hold a %v", t))
	}
}

func quoted(s string) string { return asJSON(s) }

// asJSON is the JSON of text or a list of texts, which always has one.
func asJSON(v any) string {
	var b strings.Builder
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic("mcpserver: " + strconv.Quote(err.Error()))
	}
	return strings.TrimSuffix(b.String(), "\n")
}
