package rest_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
)

// refusedCases are requests that mean something else than they say, or nothing:
// they are refused and not guessed at.
var refusedCases = []routeCase{
	{"a limit of nothing", fetch("/v1/memories?limit=0"), 400, []string{`"code":"invalid_parameter"`, "from 1 to 1000"}, nil},
	{"a limit of less", fetch("/v1/memories?limit=-1"), 400, []string{`"code":"invalid_parameter"`, "from 1 to 1000"}, nil},
	{"no limit", fetch("/v1/memories?limit="), 200, []string{`"id":2`}, nil},
	{"sessions up to nothing", fetch("/v1/sessions?limit=0"), 400, []string{`"code":"invalid_parameter"`, "from 1 to 1000"}, nil},
	{"prompts up to nothing", fetch("/v1/prompts?limit=0"), 400, []string{`"code":"invalid_parameter"`, "from 1 to 1000"}, nil},
	{"a search up to nothing", post("/v1/search", `{"query":"tea","limit":0}`), 400, []string{`"code":"invalid_parameter"`, "from 1 to 50"}, nil},
	{"a search up to null", post("/v1/search", `{"query":"tea","limit":null}`), 200, []string{`"id":1`}, nil},
	{"a search up to more", post("/v1/search", `{"query":"tea","limit":51}`), 200, []string{`"id":1`}, nil},
	{"a recall within nothing", post("/v1/recall", `{"query":"tea","budget":0}`), 400, []string{`"code":"invalid_parameter"`, "from 50 to 32000"}, nil},
	{"an explanation within nothing", post("/v1/explain", `{"query":"tea","budget":0}`), 400, []string{`"code":"invalid_parameter"`, "from 50 to 32000"}, nil},
	{"a context of nothing", fetch("/v1/context?max_bytes=0"), 400, []string{`"code":"invalid_parameter"`, "from 256 to 65536"}, nil},
	{"no neighbours", fetch("/v1/memories/1/timeline?before=0&after=0"), 200, []string{`"before":[]`}, nil},
	{"on the wire 0 is the default", fetch("/observations/recent?limit=0"), 200, []string{`"id":2`}, nil},
	{"on the wire 0 finds", fetch("/search?q=tea&limit=0"), 200, []string{`"id":1`}, nil},
	{"on the wire 0 is a context", fetch("/context?max_bytes=0"), 200, []string{"Drinks"}, nil},
	{"on the wire too no less", fetch("/observations/recent?limit=-1"), 400, []string{`"code":"invalid_parameter"`}, nil},

	{"two limits", fetch("/v1/memories?limit=1&limit=2"), 400, []string{`"code":"repeated_parameter"`, "limit is given 2 times"}, nil},
	{"the same twice", fetch("/v1/memories?project=alpha&project=alpha"), 400, []string{`"code":"repeated_parameter"`}, nil},
	{"two types", fetch("/v1/memories?type=task&type=preference"), 200, []string{`"id":1`}, nil},
	{"on the wire the first counts", fetch("/observations/recent?limit=1&limit=50"), 200, []string{`"id":4`}, []string{`"id":2`}},

	{"a blank type", fetch("/v1/memories?type=%20"), 400, []string{`"code":"invalid_type"`}, nil},
	{"a blank type on the wire", fetch("/search?q=tea&type=%20"), 400, []string{`"code":"invalid_type"`}, nil},
	{"a blank session", fetch("/observations?session_id=%09"), 400, []string{`"code":"invalid_session_id"`}, nil},

	{"a compressed body", encoded("gzip"), 415, []string{`"code":"unsupported_content_encoding"`, "without Content-Encoding"}, nil},
	{"two codings", encoded("identity, gzip"), 415, []string{`"code":"unsupported_content_encoding"`}, nil},
	{"a body as it is", encoded("Identity"), 200, []string{`"id":1`}, nil},
	{
		"a compressed import",
		call{method: "POST", path: "/import", body: "{}", header: map[string]string{"Content-Encoding": "gzip"}},
		415,
		[]string{`"code":"unsupported_content_encoding"`},
		nil,
	},

	{"a relative directory", fetch("/v1/projects/current?cwd=src/found"), 400, []string{`"code":"relative_path"`, "absolute path"}, nil},
	{"a relative directory on the wire", fetch("/project/current?cwd=."), 400, []string{`"code":"relative_path"`}, nil},
	{"a directory of nothing", fetch("/v1/projects/current?cwd=%00"), 400, []string{`"code":"relative_path"`}, nil},
	{"a directory at home", fetch("/v1/projects/current?cwd=~/found"), 400, []string{`"code":"relative_path"`}, nil},
	{"a directory of Windows", fetch(`/v1/projects/current?cwd=C:\src\found`), 200, []string{`"name":"`}, nil},
}

func encoded(coding string) call {
	return call{
		method: "POST", path: "/v1/search", body: `{"query":"tea"}`,
		header: map[string]string{"Content-Encoding": coding},
	}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	runCases(t, refusedCases)
}

// A project of blanks must not mean every project.
func TestBlankProjects(t *testing.T) {
	t.Parallel()
	var cases []routeCase
	for _, blank := range []string{" ", "\x00", "\t"} {
		for _, path := range []string{
			"/stats?", "/sessions/recent?", "/observations?", "/observations/recent?", "/search?q=tea&", "/context?", "/prompts/recent?",
			"/prompts/search?q=morning&", "/export?", "/v1/stats?", "/v1/memories?", "/v1/context?", "/v1/sessions?", "/v1/prompts?",
			"/v1/prompts?query=morning&", "/v1/export?", "/v1/memories?session_id=s1&", "/search?q=tea&all_projects=true&",
		} {
			cases = append(cases, routeCase{
				fmt.Sprintf("%s %q", path, blank), fetch(path + "project=" + url.QueryEscape(blank)), 400, []string{`"code":"invalid_project"`}, []string{"tea"},
			})
		}
		body := strings.NewReplacer("\x00", `\u0000`, "\t", `\t`).Replace(`"project":"` + blank + `"}`)
		for _, c := range []call{
			post("/v1/search", `{"query":"tea",`+body), post("/v1/recall", `{"query":"tea",`+body), post("/v1/explain", `{"query":"tea",`+body),
			post("/v1/memories", `{"content":"C",`+body), post("/v1/sessions", `{"id":"s8",`+body), post("/v1/prompts", `{"content":"C",`+body),
			post("/observations", `{"session_id":"s1","title":"T","content":"C",`+body), post("/prompts", `{"session_id":"s1","content":"C",`+body),
			post("/sessions", `{"id":"s8",`+body), patch("/observations/1", `{`+body), patch("/v1/memories/1", `{`+body),
		} {
			cases = append(cases, routeCase{fmt.Sprintf("%s %s %q", c.method, c.path, blank), c, 400, []string{`"code":"invalid_project"`}, nil})
		}
	}
	runCases(t, cases)
}

// Of a query of too many words the first are looked for, and the answer says so.
func TestQueryCut(t *testing.T) {
	t.Parallel()
	h := routesAPI(t)
	var words strings.Builder
	words.WriteString("tea")
	for i := range 300 {
		fmt.Fprintf(&words, " zq%c%c", 'a'+i/26, 'a'+i%26)
	}
	query := words.String()
	routeCase{"search", post("/v1/search", `{"query":"`+query+`"}`), 200, []string{`"warnings":["query_cut: `}, nil}.check(t, h)
	routeCase{"recall", post("/v1/recall", `{"query":"`+query+`"}`), 200, []string{`"warnings":["query_cut: `}, nil}.check(t, h)
	routeCase{"explain", post("/v1/explain", `{"query":"`+query+`"}`), 200, []string{`"cut":true`, `"warnings":["query_cut: `}, nil}.check(t, h)
	routeCase{"all", post("/v1/search", `{"query":"`+query+`","match_mode":"all"}`), 400, []string{`"code":"query_too_long"`, "256"}, nil}.check(t, h)
	routeCase{"prompts", fetch("/v1/prompts?query=" + url.QueryEscape(query)), 200, []string{`"warnings":["query_cut: `}, nil}.check(t, h)
	routeCase{"context", fetch("/v1/context?query=" + url.QueryEscape(query)), 200, []string{`"warnings":["query_cut: `}, nil}.check(t, h)
	for _, path := range []string{"/search?q=", "/prompts/search?q=", "/context?query="} {
		w := do(t, h, fetch(path+url.QueryEscape(query)))
		if got := w.Header().Get("X-Engram-Warnings"); !strings.HasPrefix(got, "query_cut:%20") {
			t.Errorf("%s warns %q", path, got)
		}
		w = do(t, h, fetch(path+"tea"))
		if got := w.Header().Get("X-Engram-Warnings"); got != "" {
			t.Errorf("%s warns %q of a short query", path, got)
		}
	}
}
