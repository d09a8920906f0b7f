package rest

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"reflect"
	"regexp"
	"strings"
	"testing"
)

func testAPI() *api {
	a := &api{opts: Options{Version: "1.2.3", MaxContent: 1000, MaxImport: 5000}}
	a.document = func() *document { return documentOf(a.routes(), "1.2.3") }
	return a
}

// TestDocumentHasEveryRoute: what is served is described, and its parts lead
// somewhere.
func TestDocumentHasEveryRoute(t *testing.T) {
	t.Parallel()
	a := testAPI()
	data, err := json.Marshal(a.document())
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		OpenAPI string
		Paths   map[string]map[string]struct {
			OperationID string
			Summary     string
			Parameters  []struct{ Name, In string }
			Responses   map[string]any
		}
		Components struct{ Schemas map[string]any }
	}
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.OpenAPI != "3.1.0" {
		t.Errorf("openapi is %q, want 3.1.0", doc.OpenAPI)
	}
	ids := map[string]string{}
	for _, r := range a.routes() {
		op, ok := doc.Paths[r.path][strings.ToLower(r.method)]
		if !ok || op.Summary == "" || len(op.Responses) < 2 {
			t.Errorf("%s %s is not described", r.method, r.path)
			continue
		}
		if other, ok := ids[op.OperationID]; ok {
			t.Errorf("%s %s and %s have the id %s", r.method, r.path, other, op.OperationID)
		}
		ids[op.OperationID] = r.method + " " + r.path
		for _, m := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(r.path, -1) {
			found := false
			for _, p := range op.Parameters {
				found = found || p.In == "path" && p.Name == m[1]
			}
			if !found {
				t.Errorf("%s %s does not describe {%s}", r.method, r.path, m[1])
			}
		}
	}
	for _, m := range regexp.MustCompile(`"#/components/schemas/(\w+)"`).FindAllStringSubmatch(string(data), -1) {
		if doc.Components.Schemas[m[1]] == nil {
			t.Errorf("schema %s is referred to and not there", m[1])
		}
	}
}

// TestComponentNamesAreUnique: two types under one name would describe one wrongly.
func TestComponentNamesAreUnique(t *testing.T) {
	t.Parallel()
	seen := map[string]reflect.Type{}
	var walk func(t reflect.Type) []reflect.Type
	walk = func(t reflect.Type) []reflect.Type {
		switch t.Kind() {
		case reflect.Pointer, reflect.Slice, reflect.Map:
			return walk(t.Elem())
		case reflect.Struct:
			out := []reflect.Type{t}
			for _, f := range fieldsOf(t) {
				out = append(out, walk(f.typ)...)
			}
			return out
		}
		return nil
	}
	for _, r := range testAPI().routes() {
		if r.op.out == nil {
			continue
		}
		for _, typ := range walk(r.op.out) {
			name := componentName(typ.Name())
			if other, ok := seen[name]; ok && other != typ {
				t.Errorf("%v and %v are both %s", typ, other, name)
			}
			seen[name] = typ
		}
	}
}

// TestAnswersMatchTheirSchema: every field that an answer's JSON has is one of
// its schema, and no list in it is null.
func TestAnswersMatchTheirSchema(t *testing.T) {
	t.Parallel()
	a := testAPI()
	for _, r := range a.routes() {
		if r.op.out == nil || r.op.out.Kind() != reflect.Struct {
			continue
		}
		data, err := json.Marshal(reflect.Zero(r.op.out).Interface())
		if err != nil {
			t.Fatal(err)
		}
		var got map[string]any
		if err := json.Unmarshal(data, &got); err != nil {
			t.Fatal(err)
		}
		s := a.document().Components.Schemas[componentName(r.op.out.Name())]
		for name := range got {
			if s.Properties[name] == nil {
				t.Errorf("%s %s answers %s, which its schema does not have", r.method, r.path, name)
			}
		}
		for _, name := range s.Required {
			if _, ok := got[name]; !ok {
				t.Errorf("%s %s does not answer %s, which its schema promises", r.method, r.path, name)
			}
		}
	}
}

// TestDocsPageIsSelfContained: the page works without network and under a policy
// that forbids all but its own style.
func TestDocsPageIsSelfContained(t *testing.T) {
	t.Parallel()
	a := testAPI()
	w := httptest.NewRecorder()
	if err := a.docs(w, httptest.NewRequest(http.MethodGet, "/v1/docs", nil), &none{}); err != nil {
		t.Fatal(err)
	}
	page := w.Body.String()
	for _, r := range a.routes() {
		if !strings.Contains(page, r.method+" "+r.path+"</h3>") {
			t.Errorf("%s %s is not on the page", r.method, r.path)
		}
	}
	for _, bad := range []string{"<script", "http://", "https://", "ZgotmplZ", "<no value>"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	if !strings.Contains(page, docsCSS) {
		t.Error("the style is not on the page as its hash was taken")
	}
	policy := w.Header().Get("Content-Security-Policy")
	if !strings.HasPrefix(policy, "default-src 'none'") || strings.Contains(policy, "unsafe") || !strings.Contains(policy, "style-src 'sha256-") {
		t.Errorf("policy is %q", policy)
	}
	for _, m := range regexp.MustCompile(`href="#([\w-]+)"`).FindAllStringSubmatch(page, -1) {
		if !strings.Contains(page, `id="`+m[1]+`"`) {
			t.Errorf("a link leads to #%s, which is not there", m[1])
		}
	}
}

func TestSnippet(t *testing.T) {
	t.Parallel()
	word := strings.Repeat("abcdefghi ", 300) // 3,000 characters
	tests := []struct {
		name, in  string
		runes     int
		truncated bool
	}{
		{"short", "tea", 3, false},
		{"as long as shown", strings.Repeat("é", maxSnippet), maxSnippet, false},
		{"one more", strings.Repeat("é", maxSnippet+1), maxSnippet, true},
		{"at the end of a word", word, maxSnippet - 1, true},
		{"before a space", strings.Repeat("x", maxSnippet) + " y", maxSnippet, true},
		{"in the middle of a word", "12345" + word, maxSnippet - 6, true},
		{"no spaces", strings.Repeat("語", 3000), maxSnippet, true},
		{"invalid bytes", strings.Repeat("\xff", 3000), maxSnippet, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, truncated := snippet(tt.in)
			if n := len([]rune(got)); n != tt.runes || truncated != tt.truncated || !strings.HasPrefix(tt.in, got) {
				t.Errorf("snippet gave %d characters, truncated %v; want %d, %v", n, truncated, tt.runes, tt.truncated)
			}
		})
	}
}
