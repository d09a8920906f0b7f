package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// lint checks what some client is known to choke on.
func lint(t *testing.T, where string, schema any) {
	t.Helper()
	node, ok := schema.(map[string]any)
	if !ok {
		t.Errorf("%s: a schema must be an object, not %v", where, schema)
		return
	}
	typ, ok := node["type"].(string)
	if !ok {
		t.Errorf("%s: type must be one word, not %v", where, node["type"])
	}
	allowed := map[string]bool{
		"type": true, "properties": true, "required": true, "items": true, "enum": true,
		"minimum": true, "maximum": true, "default": true, "description": true,
	}
	for key := range node {
		if !allowed[key] {
			t.Errorf("%s: keyword %q is not understood everywhere", where, key)
		}
	}
	if typ == "array" {
		lint(t, where+"[]", node["items"])
	}
	properties, _ := node["properties"].(map[string]any)
	if typ == "object" && properties == nil {
		t.Errorf("%s: an object must say its properties", where)
	}
	for name, p := range properties {
		lint(t, where+"."+name, p)
	}
	required, _ := node["required"].([]any)
	for _, name := range required {
		if _, ok := properties[name.(string)]; !ok {
			t.Errorf("%s: %v is required and not there", where, name)
		}
	}
}

func TestSchemasSuitEveryClient(t *testing.T) {
	t.Parallel()
	for _, tool := range catalogue() {
		t.Run(tool.name, func(t *testing.T) {
			t.Parallel()
			if len(tool.name) > 32 {
				t.Errorf("name has %d characters, prefixes of clients leave 32", len(tool.name))
			}
			if n := len(tool.description); n == 0 || n >= 1024 {
				t.Errorf("description has %d bytes", n)
			}
			if tool.title == "" {
				t.Error("no title")
			}
			for half, raw := range map[string]json.RawMessage{"input": tool.input, "output": tool.output} {
				var schema map[string]any
				if err := json.Unmarshal(raw, &schema); err != nil {
					t.Fatalf("%s schema: %v\n%s", half, err, raw)
				}
				if schema["type"] != "object" {
					t.Errorf("%s schema: top level is %v", half, schema["type"])
				}
				lint(t, half, schema)
				parseSchema(t, raw)
			}
		})
	}
}

func parseSchema(t *testing.T, raw json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(raw, &s); err != nil {
		t.Fatal(err)
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatalf("%v\n%s", err, raw)
	}
	return resolved
}

// TestToolListIsShort bounds what the list costs each session of each agent,
// at four bytes a token.
func TestToolListIsShort(t *testing.T) {
	t.Parallel()
	for profile, most := range map[string]int{"agent": 3000, "all": 4500} {
		s, err := New(newFake().open, Options{Tools: profile})
		if err != nil {
			t.Fatal(err)
		}
		var tools []*mcp.Tool
		for i := range s.tools {
			tools = append(tools, s.tools[i].definition())
		}
		b, err := json.Marshal(&mcp.ListToolsResult{Tools: tools})
		if err != nil {
			t.Fatal(err)
		}
		n := len(b) / 4
		t.Logf("%s: %d tools, %d bytes, %d tokens", profile, len(tools), len(b), n)
		if n > most {
			t.Errorf("%s: tools/list costs %d tokens, at most %d", profile, n, most)
		}
	}
}

func TestInstructionsAreShort(t *testing.T) {
	t.Parallel()
	for _, profile := range []string{"all", "agent", "admin", "mem_search"} {
		s, err := New(newFake().open, Options{Tools: profile})
		if err != nil {
			t.Fatal(err)
		}
		text := s.instructions()
		if len(text) >= 2048 {
			t.Errorf("%s: %d bytes", profile, len(text))
		}
		for _, tool := range catalogue() {
			offered := false
			for i := range s.tools {
				offered = offered || s.tools[i].name == tool.name
			}
			if !offered && strings.Contains(text, tool.name) {
				t.Errorf("%s: instructions speak of %s, which is not offered", profile, tool.name)
			}
		}
	}
}

func TestCoreTools(t *testing.T) {
	t.Parallel()
	want := map[string]bool{"mem_save": true, "mem_search": true, "mem_context": true, "mem_session_summary": true, "mem_get_observation": true}
	for _, tool := range catalogue() {
		_, hint := tool.definition().Meta["anthropic/alwaysLoad"]
		if hint != want[tool.name] {
			t.Errorf("%s: always-load hint is %v", tool.name, hint)
		}
	}
}
