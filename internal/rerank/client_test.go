package rerank_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"engram"
	"engram/internal/rerank"

	"github.com/google/go-cmp/cmp"
)

func TestAsksInTheCommonForm(t *testing.T) {
	t.Parallel()
	c, api := newAPI(t, well)
	texts := numbered(3)
	got, err := c.Rerank(t.Context(), "which?", texts)
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, got, texts)
	call := api.seen()[0]
	want := map[string]any{"model": "m", "query": "which?", "documents": []any{"text", "textx", "textxx"}, "top_n": 3.0}
	if diff := cmp.Diff(want, call.body); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if call.path != "/v1/rerank" || call.auth != "Bearer sk-secret" || call.host != "api.test" {
		t.Errorf("asked %+v", call)
	}
	if got, err := c.Rerank(t.Context(), "which?", nil); got != nil || err != nil || len(api.seen()) != 1 {
		t.Errorf("no texts: %v, %v", got, err)
	}
}

func TestWithoutModelAndKey(t *testing.T) {
	t.Parallel()
	c, api := newAPI(t, well, func(o *rerank.Options) { o.Model, o.Key = "", "" })
	if _, err := c.Rerank(t.Context(), "q", []string{"x"}); err != nil {
		t.Fatal(err)
	}
	if call := api.seen()[0]; call.body["model"] != nil || call.auth != "" {
		t.Errorf("asked %+v", call)
	}
}

// TEI takes other names, and 32 texts at most: both are found out once.
func TestTextEmbeddingsInference(t *testing.T) {
	t.Parallel()
	c, api := newAPI(t, wellTEI)
	texts := numbered(50)
	for range 2 {
		got, err := c.Rerank(t.Context(), "which?", texts)
		if err != nil {
			t.Fatal(err)
		}
		wantScores(t, got, texts)
	}
	if diff := cmp.Diff([]int{50, 50, 25, 25, 25, 25}, api.sizes()); diff != "" {
		t.Errorf("texts of the requests (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{"query": "which?", "texts": []any{"x"}, "truncate": true}, lastBody(t, c, api)); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
}

func lastBody(t *testing.T, c *rerank.Client, api *fakeAPI) map[string]any {
	t.Helper()
	if _, err := c.Rerank(t.Context(), "which?", []string{"x"}); err != nil {
		t.Fatal(err)
	}
	calls := api.seen()
	return calls[len(calls)-1].body
}

func TestAddress(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://api.test":                           "/rerank",
		" http://api.test/ ":                        "/rerank",
		"http://api.test/v2/":                       "/v2/rerank",
		"http://api.test/v1/rerank":                 "/v1/rerank",
		"http://api.test/compatible-api/v1/reranks": "/compatible-api/v1/reranks", // DashScope
		"http://api.test/reranker":                  "/reranker/rerank",
		"http://api.test/rerank?version=24":         "/rerank?version=24",
	} {
		c, api := newAPI(t, well, func(o *rerank.Options) { o.URL = base })
		if _, err := c.Rerank(t.Context(), "q", []string{"x"}); err != nil {
			t.Fatalf("%s: %v", base, err)
		}
		if got := api.seen()[0].path; got != want {
			t.Errorf("%s asks %s, want %s", base, got, want)
		}
	}
}

func TestBadSettings(t *testing.T) {
	t.Parallel()
	good := rerank.Options{URL: "http://localhost:8080"}
	for name, set := range map[string]func(*rerank.Options){
		"no address":         func(o *rerank.Options) { o.URL = "" },
		"no scheme":          func(o *rerank.Options) { o.URL = "localhost:8080" },
		"other scheme":       func(o *rerank.Options) { o.URL = "ftp://localhost" },
		"broken address":     func(o *rerank.Options) { o.URL = "http://sk-secret:x@%zz" },
		"password":           func(o *rerank.Options) { o.URL = "http://me:sk-secret@localhost" },
		"model of two lines": func(o *rerank.Options) { o.Model = "a\nb" },
		"key with newline":   func(o *rerank.Options) { o.Key = "sk-secret\n" },
	} {
		o := good
		set(&o)
		_, err := rerank.New(o)
		if !errors.Is(err, engram.ErrInvalid) || engram.ErrorCode(err) != "bad_config" {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: %v has the secret", name, err)
		}
	}
	if _, err := rerank.New(good); err != nil {
		t.Error(err)
	}
}

// Some servers give log-odds. A set of them that all lie in 0 … 1 are log-odds
// still, once others have shown it.
func TestLogOdds(t *testing.T) {
	t.Parallel()
	say := ""
	c, _ := newAPI(t, func(w http.ResponseWriter, r *http.Request, call apiCall, n int) { raw(200, say)(w, r, call, n) })
	ask := func(first, second string) []float64 {
		t.Helper()
		say = fmt.Sprintf(`{"results":[{"index":0,"relevance_score":%s},{"index":1,"relevance_score":%s}]}`, first, second)
		got, err := c.Rerank(t.Context(), "q", []string{"a", "b"})
		if err != nil {
			t.Fatal(err)
		}
		return got
	}
	if got := ask("0.9", "1.0000001"); got[0] != 0.9 || got[1] != 1 {
		t.Errorf("probabilities, one rounded: %v", got)
	}
	sigmoid := func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
	if got := ask("-11.2", "3"); got[0] != sigmoid(-11.2) || got[1] != sigmoid(3) {
		t.Errorf("log-odds: %v", got)
	}
	if got := ask("0.25", "0.5"); got[0] != sigmoid(0.25) || got[1] != sigmoid(0.5) {
		t.Errorf("log-odds between 0 and 1: %v", got)
	}
	if got := ask("-1e300", "1e300"); got[0] != 0 || got[1] != 1 {
		t.Errorf("beyond all: %v", got)
	}
}

// Texts that are too long are cut shorter, which is kept.
func TestTextsTooLong(t *testing.T) {
	t.Parallel()
	const most = 260
	c, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, call apiCall, n int) {
		for _, text := range call.texts {
			if utf8.RuneCountInString(text) > most {
				status(w, 500, "input (600 tokens) is too large to process. increase the physical batch size (current batch size: 512)")
				return
			}
		}
		well(w, r, call, n)
	}, func(o *rerank.Options) { o.PauseAfter = 1 })
	for range 2 {
		if _, err := c.Rerank(t.Context(), "q", []string{"short", strings.Repeat("ü", 1000)}); err != nil {
			t.Fatal(err)
		}
	}
	var lengths []int
	for _, call := range api.seen() {
		lengths = append(lengths, utf8.RuneCountInString(call.texts[1]))
	}
	if diff := cmp.Diff([]int{1000, 500, 250, 250}, lengths); diff != "" {
		t.Errorf("length of the long text (-want +got):\n%s", diff)
	}
}

// What a server answers wrongly to two texts.
func TestBadAnswers(t *testing.T) {
	t.Parallel()
	scores := func(items string) answer { return raw(200, `{"results":[`+items+`]}`) }
	for _, tc := range []struct {
		name string
		do   answer
		code string
		says string
	}{
		{"nothing", raw(200, ""), "reranker_bad_answer", "not the JSON"},
		{"nonsense", raw(200, "OK"), "reranker_bad_answer", "not the JSON"},
		{"a web page", raw(200, "\n<!doctype html><p>Welcome</p>"), "reranker_bad_answer", "a web page"},
		{"another JSON", raw(200, `{"hello":"world"}`), "reranker_bad_answer", "0 scores came for 2 texts"},
		{"a number", raw(200, `7`), "reranker_bad_answer", "not the JSON"},
		{"null", raw(200, `null`), "reranker_bad_answer", "0 scores"},
		{"results are null", raw(200, `{"results":null}`), "reranker_bad_answer", "0 scores"},
		{"cut off", raw(200, `{"results":[{"index":0,"relevance_score":0.1},`), "reranker_bad_answer", "not the JSON"},
		{"too few", scores(`{"index":0,"relevance_score":0.1}`), "reranker_bad_answer", "1 scores came for 2 texts"},
		{"too many", scores(`{"index":0,"relevance_score":0.1},{"index":1,"relevance_score":0.1},{"index":2,"relevance_score":0.1}`), "reranker_bad_answer", "3 scores came for 2 texts"},
		{"twice the same", scores(`{"index":1,"relevance_score":0.1},{"index":1,"relevance_score":0.2}`), "reranker_bad_answer", "which text"},
		{"index too high", scores(`{"index":0,"relevance_score":0.1},{"index":2,"relevance_score":0.2}`), "reranker_bad_answer", "which text"},
		{"index below 0", scores(`{"index":-1,"relevance_score":0.1},{"index":0,"relevance_score":0.2}`), "reranker_bad_answer", "which text"},
		{"no index", scores(`{"relevance_score":0.1},{"relevance_score":0.2}`), "reranker_bad_answer", "which text"},
		{"no score", scores(`{"index":0,"relevance_score":0.1},{"index":1}`), "reranker_bad_answer", "no score"},
		{"score is null", scores(`{"index":0,"relevance_score":0.1},{"index":1,"relevance_score":null}`), "reranker_bad_answer", "no score"},
		{"NaN", scores(`{"index":0,"relevance_score":NaN},{"index":1,"relevance_score":0.1}`), "reranker_bad_answer", "not the JSON"},
		{"beyond numbers", scores(`{"index":0,"relevance_score":1e999},{"index":1,"relevance_score":0.1}`), "reranker_bad_answer", "not the JSON"},
		{"score is a text", scores(`{"index":0,"relevance_score":"NaN"},{"index":1,"relevance_score":0.1}`), "reranker_bad_answer", "not the JSON"},
		{"huge", raw(200, `{"results":[`+strings.Repeat(" ", 1<<20)), "reranker_bad_answer", "longer than scores can be"},
		{"error with status 200", raw(200, `{"error":"out of order, sk-secret"}`), "reranker_bad_answer", "out of order, [redacted]"},
		{"500", raw(500, `{"error":"boom"}`), "reranker_failed", "status 500): boom"},
		{"huge error", raw(500, strings.Repeat("x", 1<<20)), "reranker_bad_answer", "longer"},
		{"429", raw(429, `{"message":"slow down"}`), "reranker_busy", "slow down"},
		{"429, quota", raw(429, `{"message":"You exceeded your current quota"}`), "reranker_quota", "quota"},
		{"401", raw(401, `{"message":"invalid api token sk-secret"}`), "reranker_refused_key", "401"},
		{"403", raw(403, ``), "reranker_refused_key", "403"},
		{"404", raw(404, "404 page not found"), "reranker_not_found", "no such API"},
		{"405", raw(405, ""), "reranker_not_found", "no such API"},
		{"model", raw(404, `{"message":"model 'm' not found, make sure to check the correct model ID"}`), "reranker_model_unknown", `model "m"`},
		{"refused", raw(400, `{"detail":"The model does not support the Rerank API"}`), "reranker_refused", "does not support"},
		{"one text is too many", raw(413, `{"error":"batch size 1 > 0"}`), "reranker_refused", "413"},
		{"too long, however short", raw(400, `{"message":"maximum context length is 4 tokens"}`), "reranker_text_too_long", "4 tokens"},
		{"both forms are refused", raw(422, "missing field `texts`"), "reranker_refused", "422"},
		{"a text is repeated", raw(422, `{"detail":[{"msg":"bad","input":"my dearest secret is"}]}`), "reranker_refused", "not shown"},
		{"the question is repeated", raw(400, `{"message":"cannot say where is my secret"}`), "reranker_refused", "not shown"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, _ := newAPI(t, tc.do)
			_, err := c.Rerank(t.Context(), "where is my secret", []string{"my dearest secret is cheese", "b"})
			wantCode(t, err, tc.code)
			if !strings.Contains(err.Error(), tc.says) || strings.Contains(err.Error(), "my dearest") {
				t.Errorf("%q does not say %q, or too much", err, tc.says)
			}
		})
	}
}

func TestRedirects(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, to string
		code     int
		follows  bool
		hint     string
	}{
		{"same server", "/v1/rerank/", 307, true, ""},
		{"same server, for good", "http://api.test/v1/rerank/", 308, true, ""},
		{"same server, as GET", "/v1/rerank/", 302, false, "set reranker to http://api.test/v1/rerank/"},
		{"other server", "http://evil.test/v1/rerank", 307, false, "set reranker to http://evil.test/v1/rerank"},
		{"other port", "http://api.test:81/v1/rerank", 308, false, "http://api.test:81/v1/rerank"},
		{"without a place", "", 307, false, "the address of the API itself"},
		{"round and round", "/v1/rerank", 307, false, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			c, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, call apiCall, n int) {
				if call.path != "/v1/rerank" || call.host != "api.test" {
					well(w, r, call, n)
					return
				}
				if tc.to != "" {
					w.Header().Set("Location", tc.to)
				}
				w.WriteHeader(tc.code)
			})
			_, err := c.Rerank(t.Context(), "q", []string{"x"})
			if tc.follows != (err == nil) {
				t.Errorf("error %v", err)
			}
			if !tc.follows {
				wantCode(t, err, "reranker_redirected")
				if e, ok := errors.AsType[*engram.Error](err); !ok || !strings.Contains(e.Hint, tc.hint) {
					t.Errorf("hint of %v is not %q", err, tc.hint)
				}
			}
			if i := slices.IndexFunc(api.seen(), func(c apiCall) bool { return c.host != "api.test" }); i >= 0 {
				t.Errorf("request %+v went to another server", api.seen()[i])
			}
		})
	}
}

func TestTheKeyIsNotShown(t *testing.T) {
	t.Parallel()
	c, _ := newAPI(t, well, func(o *rerank.Options) { o.URL = "http://api.test/rerank?key=sk-secret" })
	opts := rerank.Options{Key: "sk-secret"}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "client", c, "opts", opts)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "client", c, "opts", opts)
	shown := []string{log.String(), c.String()}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown = append(shown, fmt.Sprintf(verb, opts), fmt.Sprintf(verb, c))
	}
	for _, s := range shown {
		if strings.Contains(s, "sk-secret") || strings.Contains(s, fmt.Sprintf("%x", "sk-secret")) {
			t.Errorf("shows the key: %s", s)
		}
	}
	if c.String() != "m at http://api.test/rerank" {
		t.Errorf("named %s", c)
	}
}
