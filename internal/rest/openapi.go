package rest

import (
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// document is an OpenAPI 3.1 document, as much of it as this API needs.
type document struct {
	OpenAPI    string                           `json:"openapi"`
	Info       info                             `json:"info"`
	Security   []map[string][]string            `json:"security"`
	Paths      map[string]map[string]*pathEntry `json:"paths"`
	Components components                       `json:"components"`
}

type info struct {
	Title       string `json:"title"`
	Version     string `json:"version"`
	Description string `json:"description"`
}

type components struct {
	Schemas         map[string]*schema        `json:"schemas"`
	SecuritySchemes map[string]securityScheme `json:"securitySchemes"`
}

type securityScheme struct {
	Type        string `json:"type"`
	Scheme      string `json:"scheme"`
	Description string `json:"description"`
}

type pathEntry struct {
	OperationID string                 `json:"operationId"`
	Summary     string                 `json:"summary"`
	Tags        []string               `json:"tags"`
	Security    *[]map[string][]string `json:"security,omitempty"`
	Parameters  []parameter            `json:"parameters,omitempty"`
	RequestBody *requestBody           `json:"requestBody,omitempty"`
	Responses   map[string]response    `json:"responses"`
}

type parameter struct {
	Name        string  `json:"name"`
	In          string  `json:"in"`
	Required    bool    `json:"required,omitempty"`
	Description string  `json:"description,omitempty"`
	Schema      *schema `json:"schema"`
}

type requestBody struct {
	Required bool             `json:"required"`
	Content  map[string]media `json:"content"`
}

type response struct {
	Description string           `json:"description"`
	Content     map[string]media `json:"content,omitempty"`
}

type media struct {
	Schema *schema `json:"schema,omitempty"`
}

type schema struct {
	Ref                  string             `json:"$ref,omitempty"`
	Type                 any                `json:"type,omitempty"` // a name, or several
	Format               string             `json:"format,omitempty"`
	Description          string             `json:"description,omitempty"`
	Enum                 []string           `json:"enum,omitempty"`
	Minimum              *int               `json:"minimum,omitempty"`
	Properties           map[string]*schema `json:"properties,omitempty"`
	Required             []string           `json:"required,omitempty"`
	Items                *schema            `json:"items,omitempty"`
	AdditionalProperties any                `json:"additionalProperties,omitempty"` // false, or the schema of a map's values
	OneOf                []*schema          `json:"oneOf,omitempty"`
	order                []field            // of Properties, for the page
}

const apiDescription = "One memory for every AI tool. Routes under /v1 are the complete API: fields that it does not know are refused, " +
	"parameters that take one value may be given once, errors are problem+json with a stable code, lists are {items, next_cursor}. Routes at the root speak the wire that coding agents' plugins " +
	"already use: fields and parameters that they do not know are ignored and named in the header X-Engram-Ignored, errors are {error, code}, lists are bare, and a limit of 0 means the default. " +
	"Bodies are not compressed. " +
	"Times are RFC 3339; texts in lists are cut at 2,000 characters and say so."

// documentOf describes routes.
func documentOf(routes []route, version string) *document {
	d := &document{
		OpenAPI:  "3.1.0",
		Info:     info{Title: "Engram", Version: version, Description: apiDescription},
		Security: []map[string][]string{{"token": {}}},
		Paths:    map[string]map[string]*pathEntry{},
		Components: components{
			Schemas: map[string]*schema{},
			SecuritySchemes: map[string]securityScheme{"token": {
				Type: "http", Scheme: "bearer", Description: "what the file token in the data directory holds",
			}},
		},
	}
	for _, r := range routes {
		if d.Paths[r.path] == nil {
			d.Paths[r.path] = map[string]*pathEntry{}
		}
		d.Paths[r.path][strings.ToLower(r.method)] = d.entry(r)
	}
	return d
}

func (d *document) entry(r route) *pathEntry {
	p := &pathEntry{
		OperationID: operationID(r), Summary: r.op.summary, Tags: []string{tag(r.path)},
		Responses: map[string]response{},
	}
	if r.open {
		p.Security = &[]map[string][]string{}
	}
	body := &schema{Type: "object", Properties: map[string]*schema{}}
	if isV1Path(r.path) {
		body.AdditionalProperties = false
	}
	for _, f := range r.op.fields {
		if f.in == inBody {
			body.add(f, d.input(f, isV1Path(r.path)))
			continue
		}
		in := "query"
		if f.in == inPath {
			in = "path"
		}
		s := d.input(f, isV1Path(r.path))
		p.Parameters = append(p.Parameters, parameter{
			Name: f.name, In: in, Required: f.required, Description: s.Description, Schema: s.bare(),
		})
	}
	switch {
	case len(body.Properties) > 0:
		p.RequestBody = &requestBody{Required: len(body.Required) > 0, Content: jsonContent("application/json", body)}
	case r.maxBody > 0:
		p.RequestBody = &requestBody{Required: true, Content: jsonContent("application/json", &schema{
			Type: "object", Description: "an export; at most " + strconv.FormatInt(r.maxBody, 10) + " bytes",
		})}
	}
	p.Responses[strconv.Itoa(r.op.status)] = response{Description: "done", Content: d.answer(r)}
	fault, kind := reflect.TypeFor[wireError](), "application/json"
	if isV1Path(r.path) {
		fault, kind = reflect.TypeFor[problem](), "application/problem+json"
	}
	p.Responses["default"] = response{Description: "what went wrong", Content: jsonContent(kind, d.schemaOf(fault))}
	return p
}

func (d *document) answer(r route) map[string]media {
	if r.op.out == nil {
		return map[string]media{r.op.produces: {}}
	}
	return jsonContent(r.op.produces, d.schemaOf(r.op.out))
}

func jsonContent(kind string, s *schema) map[string]media { return map[string]media{kind: {Schema: s}} }

func operationID(r route) string {
	id := strings.NewReplacer("/", "_", "{", "", "}", "", "-", "_", ".", "_").Replace(r.path)
	return strings.ToLower(r.method) + id
}

// tag groups routes by what they are about.
func tag(path string) string {
	if rest, ok := strings.CutPrefix(path, "/v1/"); ok {
		first, _, _ := strings.Cut(rest, "/")
		return first
	}
	return "compatible"
}

func (s *schema) add(f field, of *schema) {
	s.Properties[f.name] = of
	s.order = append(s.order, f)
	if f.required {
		s.Required = append(s.Required, f.name)
	}
}

// bare is s without its description, which a parameter says itself.
func (s *schema) bare() *schema {
	c := *s
	c.Description = ""
	return &c
}

// baseKind is the kind of a type, or of what it points to.
func baseKind(t reflect.Type) reflect.Kind {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	return t.Kind()
}

// input is the schema of a field of a request; strict is /v1.
func (d *document) input(f field, strict bool) *schema {
	s := d.schemaOf(f.typ)
	s.Description, s.Enum = f.doc, f.enum
	if kind := baseKind(f.typ); kind == reflect.Int || kind == reflect.Int64 {
		least := 0
		if strict {
			least = int(f.min)
		}
		s.Minimum = &least
	}
	if f.in != inBody && f.typ.Kind() == reflect.Pointer {
		s.Type = s.Type.([]string)[0] // a parameter is left out, never null
	}
	if f.max > 0 {
		s.Description = strings.TrimPrefix(s.Description+"; more than "+strconv.FormatInt(f.max, 10)+" is taken as that", "; ")
	}
	return s
}

// schemaOf is the schema of a type of ours; structs become components.
func (d *document) schemaOf(t reflect.Type) *schema {
	if t == reflect.TypeFor[time.Time]() {
		return &schema{Type: "string"}
	}
	switch t.Kind() {
	case reflect.Pointer:
		s := d.schemaOf(t.Elem())
		if s.Ref != "" {
			return &schema{OneOf: []*schema{s, {Type: "null"}}}
		}
		s.Type = []string{s.Type.(string), "null"}
		return s
	case reflect.Slice:
		return &schema{Type: "array", Items: d.schemaOf(t.Elem())}
	case reflect.Map:
		return &schema{Type: "object", AdditionalProperties: d.schemaOf(t.Elem())}
	case reflect.Bool:
		return &schema{Type: "boolean"}
	case reflect.Int, reflect.Int64:
		return &schema{Type: "integer"}
	case reflect.Float64:
		return &schema{Type: "number"}
	case reflect.Struct:
		return d.component(t)
	}
	return &schema{Type: "string"}
}

func (d *document) component(t reflect.Type) *schema {
	name := componentName(t.Name())
	if _, ok := d.Components.Schemas[name]; !ok {
		s := &schema{Type: "object", Properties: map[string]*schema{}}
		d.Components.Schemas[name] = s
		for _, f := range fieldsOf(t) {
			of := d.schemaOf(f.typ)
			of.Description, of.Format = f.doc, format(f)
			f.required = !f.optional
			s.add(f, of)
		}
	}
	return &schema{Ref: "#/components/schemas/" + name}
}

// format is date-time for the fields of an answer that are times.
func format(f field) string {
	if strings.HasSuffix(f.name, "_at") || strings.HasPrefix(f.name, "valid_") {
		return "date-time"
	}
	return ""
}

// componentName makes MemoryPage of page[….memoryJSON].
func componentName(name string) string {
	suffix := ""
	if generic, of, ok := strings.Cut(name, "["); ok {
		of = strings.TrimSuffix(of, "]")
		name, suffix = of[strings.LastIndexByte(of, '.')+1:], upperFirst(generic)
	}
	return upperFirst(strings.TrimSuffix(name, "JSON")) + suffix
}

func upperFirst(s string) string { return strings.ToUpper(s[:1]) + s[1:] }

func (a *api) openAPI(w http.ResponseWriter, _ *http.Request, _ *none) error {
	return writeJSON(w, http.StatusOK, a.document())
}
