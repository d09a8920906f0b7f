package rest

import (
	"bytes"
	"crypto/sha256"
	_ "embed"
	"encoding/base64"
	"html/template"
	"net/http"
	"strconv"
	"strings"
)

var (
	//go:embed docs.html
	docsHTML string
	//go:embed docs.css
	docsCSS string
)

var docsTemplate = template.Must(template.New("docs").Parse(docsHTML))

// docsPage is the OpenAPI document as a page.
type docsPage struct {
	Version, Description string
	Style                template.CSS
	Groups               []docsGroup
	Schemas              []docsSchema
}

type docsGroup struct {
	Name       string
	Operations []docsOperation
}

type docsOperation struct {
	ID, Method, Path, Summary string
	Open                      bool
	Parameters                []docsField
	Body                      []docsField
	Status                    string
	Answer                    docsType
}

type docsField struct {
	Name, Doc string
	Type      docsType
	Required  bool
}

// docsType is a type's name, with the component that it leads to.
type docsType struct{ Name, Component string }

type docsSchema struct {
	Name   string
	Fields []docsField
}

// docs shows the document without a script or a foreign file.
func (a *api) docs(w http.ResponseWriter, _ *http.Request, _ *none) error {
	var buf bytes.Buffer
	if err := docsTemplate.Execute(&buf, docsPageOf(a.document(), a.routes())); err != nil {
		return err
	}
	sum := sha256.Sum256([]byte(docsCSS))
	h := w.Header()
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; style-src 'sha256-"+
		base64.StdEncoding.EncodeToString(sum[:])+"'")
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Length", strconv.Itoa(buf.Len()))
	_, _ = w.Write(buf.Bytes())
	return nil
}

func docsPageOf(d *document, routes []route) docsPage {
	page := docsPage{Version: d.Info.Version, Description: d.Info.Description, Style: template.CSS(docsCSS)}
	groups := map[string]int{}
	for _, r := range routes {
		entry := d.Paths[r.path][strings.ToLower(r.method)]
		name := entry.Tags[0]
		i, ok := groups[name]
		if !ok {
			i = len(page.Groups)
			groups[name] = i
			page.Groups = append(page.Groups, docsGroup{Name: name})
		}
		page.Groups[i].Operations = append(page.Groups[i].Operations, docsOperationOf(r, entry))
	}
	for _, r := range routes {
		page.addSchemas(d, d.Paths[r.path][strings.ToLower(r.method)])
	}
	return page
}

func docsOperationOf(r route, entry *pathEntry) docsOperation {
	op := docsOperation{
		ID: entry.OperationID, Method: r.method, Path: r.path, Summary: entry.Summary, Open: r.open,
		Status: strconv.Itoa(r.op.status),
	}
	for _, p := range entry.Parameters {
		op.Parameters = append(op.Parameters, docsField{
			Name: p.Name, Doc: withEnum(p.Description, p.Schema), Type: typeOf(p.Schema), Required: p.Required,
		})
	}
	if entry.RequestBody != nil {
		op.Body = docsFields(entry.RequestBody.Content["application/json"].Schema)
	}
	for kind, m := range entry.Responses[op.Status].Content {
		op.Answer = docsType{Name: kind}
		if m.Schema != nil {
			op.Answer = typeOf(m.Schema)
		}
	}
	return op
}

// addSchemas adds the components that an answer leads to, once each.
func (p *docsPage) addSchemas(d *document, entry *pathEntry) {
	for _, answer := range entry.Responses {
		for _, m := range answer.Content {
			if m.Schema != nil {
				p.addSchema(d, typeOf(m.Schema).Component)
			}
		}
	}
}

func (p *docsPage) addSchema(d *document, name string) {
	for _, s := range p.Schemas {
		if s.Name == name {
			return
		}
	}
	s, ok := d.Components.Schemas[name]
	if !ok {
		return
	}
	p.Schemas = append(p.Schemas, docsSchema{Name: name, Fields: docsFields(s)})
	for _, f := range s.order {
		p.addSchema(d, typeOf(s.Properties[f.name]).Component)
	}
}

func docsFields(s *schema) []docsField {
	var out []docsField
	for _, f := range s.order {
		of := s.Properties[f.name]
		out = append(out, docsField{Name: f.name, Doc: withEnum(of.Description, of), Type: typeOf(of), Required: f.required})
	}
	return out
}

func withEnum(doc string, s *schema) string {
	if len(s.Enum) == 0 {
		return doc
	}
	return strings.TrimSuffix(strings.Join(s.Enum, " | ")+"; "+doc, "; ")
}

// typeOf is a schema in a few words.
func typeOf(s *schema) docsType {
	switch {
	case s.Ref != "":
		name := s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
		return docsType{Name: name, Component: name}
	case len(s.OneOf) > 0:
		t := typeOf(s.OneOf[0])
		return docsType{Name: t.Name + " or null", Component: t.Component}
	case s.Items != nil:
		t := typeOf(s.Items)
		return docsType{Name: "list of " + t.Name, Component: t.Component}
	}
	switch t := s.Type.(type) {
	case string:
		return docsType{Name: t}
	case []string:
		return docsType{Name: strings.Join(t, " or ")}
	}
	return docsType{Name: "any"}
}
