package rest_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"engram/internal/rest"
)

// searchCases are the two ways to ask.
var searchCases = []routeCase{
	{"search", fetch("/search?q=do+I+drink+coffee&project=alpha"), 200, []string{`[{"id":1,`, `"content":"tea, not coffee"`, `"rank":-0.`}, nil},
	{"search by a stem", fetch("/search?q=drink"), 200, []string{`"id":1`}, nil},
	{"search shows snippets", fetch("/search?q=steeping"), 200, []string{`"id":2`, `"truncated":true`}, []string{"the end"}},
	{"search of a type", fetch("/search?q=milk+tea&type=task&limit=1000"), 200, []string{`"id":4`}, []string{`"id":1`}},
	{"search of a project, with all projects", fetch("/search?q=coffee&project=beta&all_projects=true"), 200, []string{`"id":1`}, nil},
	{"search for all words", fetch("/search?q=tea+zeppelin&match_mode=all"), 200, []string{"[]\n"}, nil},
	{"search at a time before all", fetch("/search?q=coffee&as_of=2001-01-01"), 200, []string{"[]\n"}, nil},
	{"search for nonsense", fetch("/search?q=zeppelin+quantum"), 200, []string{"[]\n"}, nil},
	{"search for what was deleted", fetch("/search?q=vanished+remark"), 200, []string{"[]\n"}, nil},
	{"search with a quotation mark", fetch("/search?q=coffee%22b"), 200, []string{"["}, nil},
	{"search with a NUL", fetch("/search?q=coffee%00b"), 200, []string{"["}, nil},
	{"search in another tool's syntax", fetch("/search?q=NEAR(tea+OR+%22+coffee*)+AND+col:x+-y"), 200, []string{`"id":1`}, nil},
	{"search for blanks", fetch("/search?q=%20%20"), 400, []string{`"code":"query_required"`}, nil},

	{"v1 search", post("/v1/search", `{"query":"coffee","project":"alpha","types":["preference"],"limit":5}`), 200, []string{`{"items":[{"id":1,`, `"probability":0.`, `"no_answer":false`}, nil},
	{"v1 search explained", post("/v1/search", `{"query":"coffee","explain":true}`), 200, []string{`"trace":{"query":{"text":"coffee"`, `"candidates":[{`}, nil},
	{"v1 recall explained", post("/v1/recall", `{"query":"coffee","explain":true}`), 200, []string{`"trace":{"query":{"text":"coffee"`, `"packing":[{`}, nil},
	{"v1 recall unexplained", post("/v1/recall", `{"query":"coffee","explain":false}`), 200, []string{`"items":[{"id":1,`}, []string{`"trace"`}},
	{"v1 search for nonsense", post("/v1/search", `{"query":"zeppelin quantum"}`), 200, []string{`{"items":[],"no_answer":true`}, nil},
	{"v1 search at a wrong time", post("/v1/search", `{"query":"tea","as_of":"once"}`), 400, []string{`"code":"invalid_as_of"`}, nil},
	{"v1 recall", post("/v1/recall", `{"query":"coffee","budget":500}`), 200, []string{`"text":"`, "tea, not coffee", `"tokens":`, `"no_answer":false`, `"items":[{"id":1,`}, nil},
	{"v1 recall of nonsense", post("/v1/recall", `{"query":"zeppelin quantum"}`), 200, []string{`"text":""`, `"no_answer":true`, `"items":[]`}, nil},
}

func TestSearchRoutes(t *testing.T) {
	t.Parallel()
	runCases(t, searchCases)
}

// TestEveryRouteHasACase: a route that no case above asks for is not tested.
func TestEveryRouteHasACase(t *testing.T) {
	t.Parallel()
	mux := http.NewServeMux()
	untested := map[string]bool{}
	for _, p := range rest.Patterns() {
		mux.Handle(p, http.NotFoundHandler())
		untested[p] = true
	}
	for _, tt := range append(allCases(), searchCases...) {
		if tt.status < 300 {
			_, pattern := mux.Handler(httptest.NewRequest(tt.call.method, tt.call.path, nil))
			delete(untested, pattern)
		}
	}
	for p := range untested {
		t.Errorf("no case of success for %s", p)
	}
}

// TestSearchSaysNoAnswer: a bare list has no room for it, so a header says it,
// and which projects to try.
func TestSearchSaysNoAnswer(t *testing.T) {
	t.Parallel()
	h := serve(t, seeded(t), rest.Options{})
	if got := do(t, h, fetch("/search?q=coffee")).Header().Get("X-Engram-No-Answer"); got != "" {
		t.Errorf("with an answer the header is %q", got)
	}
	w := do(t, h, fetch("/search?q=coffee&project=alpah"))
	if got := w.Header().Get("X-Engram-No-Answer"); got != "true" {
		t.Errorf("without an answer the header is %q, want true", got)
	}
	if got := w.Header().Get("X-Engram-Similar-Projects"); !strings.Contains(got, "alpha") {
		t.Errorf("the similar projects are %q, want alpha among them", got)
	}
}
