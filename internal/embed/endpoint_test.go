package embed_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"engram"
	"engram/internal/embed"
	"engram/internal/remote"

	"github.com/google/go-cmp/cmp"
)

func TestEndpointAsksAndTagsModel(t *testing.T) {
	t.Parallel()
	e, api := newAPI(t, well, func(o *embed.EndpointOptions) { o.Dimensions = apiDim })
	if e.Model() != "" || e.Dim() != 0 {
		t.Errorf("before the first answer: %q, %d", e.Model(), e.Dim())
	}
	texts := []string{"one", "two", "three"}
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, texts)
	if e.Model() != "m@8" || e.Dim() != apiDim {
		t.Errorf("model %q, dim %d", e.Model(), e.Dim())
	}
	want := apiCall{path: "/v1/embeddings", auth: "Bearer sk-secret", host: "api.test", model: "m", inputs: texts, format: "float", dimensions: apiDim}
	if diff := cmp.Diff(want, api.seen()[0], cmp.AllowUnexported(apiCall{})); diff != "" {
		t.Errorf("request (-want +got):\n%s", diff)
	}
	if s := e.Status(); s.Dim != apiDim || s.Batch != 32 || s.Err != nil || s.PausedFor != 0 || s.URL != "http://api.test/v1/embeddings" {
		t.Errorf("status %+v", s)
	}
}

func TestEndpointAddress(t *testing.T) {
	t.Parallel()
	for base, want := range map[string]string{
		"http://api.test":                         "/v1/embeddings",
		"http://api.test/":                        "/v1/embeddings",
		"http://api.test/v1":                      "/v1/embeddings",
		" http://api.test/v1/ ":                   "/v1/embeddings",
		"http://api.test/compatible-mode/v1":      "/compatible-mode/v1/embeddings",
		"http://api.test/v1beta/openai/":          "/v1beta/openai/embeddings",
		"http://api.test/proxy":                   "/proxy/v1/embeddings",
		"http://api.test/x/embeddings?version=24": "/x/embeddings?version=24",
	} {
		e, api := newAPI(t, well, func(o *embed.EndpointOptions) { o.URL = base })
		if _, err := e.Embed(t.Context(), []string{"x"}); err != nil {
			t.Fatalf("%s: %v", base, err)
		}
		if got := api.seen()[0].path; got != want {
			t.Errorf("%s asks %s, want %s", base, got, want)
		}
	}
}

func TestEndpointBadSettings(t *testing.T) {
	t.Parallel()
	good := embed.EndpointOptions{URL: "http://localhost:11434", Model: "m"}
	for name, set := range map[string]func(*embed.EndpointOptions){
		"no address":         func(o *embed.EndpointOptions) { o.URL = "" },
		"no scheme":          func(o *embed.EndpointOptions) { o.URL = "localhost:11434/v1" },
		"other scheme":       func(o *embed.EndpointOptions) { o.URL = "ftp://localhost/v1" },
		"broken address":     func(o *embed.EndpointOptions) { o.URL = "http://sk-secret:x@%zz" },
		"password":           func(o *embed.EndpointOptions) { o.URL = "http://me:sk-secret@localhost/v1" },
		"no model":           func(o *embed.EndpointOptions) { o.Model = " " },
		"model of two lines": func(o *embed.EndpointOptions) { o.Model = "a\nb" },
		"key with newline":   func(o *embed.EndpointOptions) { o.Key = "sk-secret\n" },
		"negative length":    func(o *embed.EndpointOptions) { o.Dimensions = -1 },
		"huge length":        func(o *embed.EndpointOptions) { o.Dimensions = 1 << 20 },
		"negative batch":     func(o *embed.EndpointOptions) { o.MaxBatch = -1 },
	} {
		o := good
		set(&o)
		_, err := embed.NewEndpoint(o)
		if !errors.Is(err, engram.ErrInvalid) || engram.ErrorCode(err) != "bad_config" {
			t.Errorf("%s: %v", name, err)
		} else if strings.Contains(err.Error(), "sk-secret") {
			t.Errorf("%s: %v has the secret", name, err)
		}
	}
	if _, err := embed.NewEndpoint(good); err != nil {
		t.Error(err)
	}
}

func TestEndpointBlankTextsAreNotSent(t *testing.T) {
	t.Parallel()
	e, api := newAPI(t, well)
	got, err := e.Embed(t.Context(), []string{" ", "one", "\n\t", "two", ""})
	if err != nil {
		t.Fatal(err)
	}
	if got[0] != nil || got[2] != nil || got[4] != nil {
		t.Errorf("blank texts have vectors: %v", got)
	}
	wantVectors(t, [][]float32{got[1], got[3]}, []string{"one", "two"})
	if diff := cmp.Diff([]string{"one", "two"}, api.seen()[0].inputs); diff != "" {
		t.Error(diff)
	}
	if got, err := e.Embed(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no texts: %v, %v", got, err)
	}
}

func TestEndpointBatchesByCountAndLength(t *testing.T) {
	t.Parallel()
	e, api := newAPI(t, well, func(o *embed.EndpointOptions) { o.MaxBatch, o.MaxBatchBytes = 4, 50 })
	texts := []string{"a", "b", "c", "d", "e", strings.Repeat("f", 30), strings.Repeat("g", 30), strings.Repeat("h", 60), "i"}
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, texts)
	// The first batch is compared with its last text alone.
	if diff := cmp.Diff([]int{4, 1, 2, 1, 1, 1}, api.sizes()); diff != "" {
		t.Error(diff)
	}
}

func TestEndpointOrderIsThatOfTheIndex(t *testing.T) {
	t.Parallel()
	e, _ := newAPI(t, func(w http.ResponseWriter, _ *http.Request, c apiCall, _ int) {
		data := items(c.inputs)
		for i, j := 0, len(data)-1; i < j; i, j = i+1, j-1 {
			data[i], data[j] = data[j], data[i]
		}
		reply(w, data)
	})
	texts := numbered(5)
	got, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, texts)
}

func TestEndpointPrefixes(t *testing.T) {
	t.Parallel()
	e, api := newAPI(t, well, func(o *embed.EndpointOptions) { o.TextPrefix, o.QuestionPrefix = "doc: ", "ask: " })
	texts, err := e.Embed(t.Context(), []string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	question, err := e.Question(t.Context(), "x")
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, [][]float32{texts[0], question}, []string{"doc: x", "ask: x"})
	if api.seen()[1].inputs[0] != "ask: x" {
		t.Errorf("asked %q", api.seen()[1].inputs)
	}
	if m := e.Model(); !strings.HasPrefix(m, "m@8+") {
		t.Errorf("model %q does not tell that texts have a prefix", m)
	}
	if v, err := e.Question(t.Context(), "  "); v != nil || err != nil {
		t.Errorf("blank question: %v, %v", v, err)
	}
}

func TestEndpointTakesBase64(t *testing.T) {
	t.Parallel()
	e, _ := newAPI(t, func(w http.ResponseWriter, _ *http.Request, c apiCall, _ int) {
		var b bytes.Buffer
		binary.Write(&b, binary.LittleEndian, vectorOf(c.inputs[0]))
		reply(w, []item{{"embedding", 0, base64.StdEncoding.EncodeToString(b.Bytes())}})
	})
	got, err := e.Embed(t.Context(), []string{"x"})
	if err != nil {
		t.Fatal(err)
	}
	wantVectors(t, got, []string{"x"})
}

func TestEndpointLeavesOutWhatTheServerDoesNotKnow(t *testing.T) {
	t.Parallel()
	e, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
		if c.format != "" {
			status(w, http.StatusBadRequest, "UnsupportedParamsError: Setting {'encoding_format': 'float'} is not supported")
			return
		}
		well(w, r, c, n)
	})
	for range 2 {
		if _, err := e.Question(t.Context(), "x"); err != nil {
			t.Fatal(err)
		}
	}
	if n := len(api.seen()); n != 3 {
		t.Errorf("%d requests, want 3: refused, without, without", n)
	}
}

// What a server answers wrongly, to any request of one text.
func TestEndpointBadAnswers(t *testing.T) {
	t.Parallel()
	raw := func(code int, body string) answer {
		return func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
			w.WriteHeader(code)
			io.WriteString(w, body)
		}
	}
	for _, tc := range []struct {
		name string
		do   answer
		code string
		says string
	}{
		{"web page", raw(200, "<!DOCTYPE html><html>login</html>"), "embedder_bad_answer", "web page"},
		{"empty body", raw(200, ""), "embedder_bad_answer", "JSON"},
		{"cut JSON", raw(200, `{"data":[{"index":0,"embedding":[1,`), "embedder_bad_answer", "JSON"},
		{"NaN", raw(200, `{"data":[{"index":0,"embedding":[NaN,1]}]}`), "embedder_bad_answer", "NaN"},
		{"null number", raw(200, `{"data":[{"index":0,"embedding":[null,1]}]}`), "embedder_bad_answer", "null"},
		{"number too great", raw(200, `{"data":[{"index":0,"embedding":[1e99,1]}]}`), "embedder_bad_answer", "too great"},
		{"zeros", raw(200, `{"data":[{"index":0,"embedding":[0,0,0]}]}`), "embedder_bad_answer", "zeros"},
		{"empty vector", raw(200, `{"data":[{"index":0,"embedding":[]}]}`), "embedder_bad_answer", "empty"},
		{"no vector", raw(200, `{"data":[{"index":0}]}`), "embedder_bad_answer", "for 1 texts"},
		{"null vector", raw(200, `{"data":[{"index":0,"embedding":null}]}`), "embedder_bad_answer", "empty"},
		{"vector per token", raw(200, `{"data":[{"index":0,"embedding":[[1,2],[3,4]]}]}`), "embedder_bad_answer", "pool"},
		{"no base64", raw(200, `{"data":[{"index":0,"embedding":"???"}]}`), "embedder_bad_answer", "base64"},
		{"NaN in base64", raw(200, `{"data":[{"index":0,"embedding":"AADAfwAAgD8="}]}`), "embedder_bad_answer", "NaN"},
		{"too few", raw(200, `{"data":[]}`), "embedder_bad_answer", "0 vectors came for 1"},
		{"too many", raw(200, `{"data":[{"index":0,"embedding":[1]},{"index":1,"embedding":[1]}]}`), "embedder_bad_answer", "2 vectors came for 1"},
		{"error with success", raw(200, `{"error":{"message":"provider is down"}}`), "embedder_bad_answer", "provider is down"},
		{"huge body", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
			for range 100 {
				if _, err := io.WriteString(w, strings.Repeat("[1,2,3],", 8<<10)); err != nil {
					return
				}
			}
		}, "embedder_bad_answer", "longer"},
		{"bad key", raw(401, `{"error":{"message":"Incorrect API key provided: sk-secret"}}`), "embedder_refused_key", "401"},
		{"forbidden", raw(403, `{"error":"sk-secret may not"}`), "embedder_refused_key", "403"},
		{"no model (Ollama)", raw(404, `{"error":{"message":"model \"m\" not found, try pulling it first","type":"api_error"}}`), "embedder_model_unknown", "ollama pull m"},
		{"no model (vLLM)", raw(404, `{"object":"error","message":"The model m does not exist.","code":404}`), "embedder_model_unknown", "does not exist"},
		{"no model (400)", raw(400, `{"error":{"message":"Model not exist.","code":"invalid_parameter_error"}}`), "embedder_model_unknown", "Model not exist"},
		{"no such page", raw(404, "404 page not found"), "embedder_not_found", "no such API"},
		{"no such route", raw(404, `{"detail":"Not Found"}`), "embedder_not_found", "Not Found"},
		{"refused", raw(400, `{"error":{"message":"account sk-secret is in arrears"}}`), "embedder_refused", "account [redacted] is in arrears"},
		{"validator that repeats the text", raw(422, `{"detail":[{"msg":"bad","input":"my dearest secret is"}]}`), "embedder_refused", "not shown"},
		{"quota", raw(429, `{"error":{"message":"You exceeded your current quota, please check your plan and billing details."}}`), "embedder_quota", "quota"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e, api := newAPI(t, tc.do)
			_, err := e.Embed(t.Context(), []string{"my dearest secret is cheese"})
			wantCode(t, err, tc.code)
			if !strings.Contains(err.Error(), tc.says) {
				t.Errorf("%q does not say %q", err, tc.says)
			}
			calls := api.seen()
			if n := len(calls); n > 2 || n == 2 && calls[1].inputs[0] != "The memory of every tool, in one place." {
				t.Errorf("asked %+v, want once, and then at most whether the server takes another text", calls)
			}
			if engram.ErrorCode(err) == "embedder_bad_answer" && hintOf(err) == "" {
				t.Error("nothing is said about what to do")
			}
			if e.Dim() != 0 {
				t.Errorf("dimension %d learnt from a bad answer", e.Dim())
			}
			if got := e.Status().Err; engram.ErrorCode(got) != tc.code {
				t.Errorf("status has %v", got)
			}
		})
	}
}

func TestEndpointShowsTheStartOfALongMessage(t *testing.T) {
	t.Parallel()
	e, _ := newAPI(t, func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
		status(w, http.StatusBadRequest, "first\n\x1b[31mline "+strings.Repeat("ü", 1000))
	})
	_, err := e.Embed(t.Context(), []string{"x"})
	wantCode(t, err, "embedder_refused")
	if s := err.Error(); len(s) > 500 || !strings.Contains(s, "first [31mline ü") || strings.ContainsAny(s, "\n\x1b\uFFFD") {
		t.Errorf("error is %q", s)
	}
}

func TestEndpointDimensionMustNotChange(t *testing.T) {
	t.Parallel()
	long := func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
		reply(w, []item{{"embedding", 0, []float32{1, 2, 3}}})
	}
	e, _ := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
		if n > 1 {
			long(w, r, c, n)
			return
		}
		well(w, r, c, n)
	})
	if _, err := e.Embed(t.Context(), []string{"x"}); err != nil {
		t.Fatal(err)
	}
	_, err := e.Embed(t.Context(), []string{"x"})
	wantCode(t, err, "embedder_dimension")
	if e.Model() != "m@8" {
		t.Errorf("model %q", e.Model())
	}

	e, _ = newAPI(t, long, func(o *embed.EndpointOptions) { o.Dimensions = 256 })
	_, err = e.Embed(t.Context(), []string{"x"})
	wantCode(t, err, "embedder_dimension")
	if !strings.Contains(err.Error(), "set embedder_dimensions to 3") {
		t.Errorf("%q does not say what to set", err)
	}

	e, _ = newAPI(t, func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
		reply(w, []item{{"embedding", 0, []float32{1, 2, 3}}, {"embedding", 1, []float32{1, 2}}})
	})
	_, err = e.Embed(t.Context(), []string{"x", "y"})
	wantCode(t, err, "embedder_dimension")

	e, _ = newAPI(t, func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
		status(w, 400, `Model "m" does not support matryoshka representation, changing output dimensions will lead to poor results.`)
	}, func(o *embed.EndpointOptions) { o.Dimensions = 256 })
	_, err = e.Embed(t.Context(), []string{"x"})
	wantCode(t, err, "embedder_dimensions_refused")
}

func TestEndpointProbe(t *testing.T) {
	t.Parallel()
	e, _ := newAPI(t, well)
	a, err := e.Probe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if b, err := e.Probe(t.Context()); err != nil || !near(a, b) || e.Dim() != apiDim {
		t.Errorf("two probes: %v, %v, %v, dim %d", a, b, err, e.Dim())
	}
}

func TestEndpointDoesNotShowTheKey(t *testing.T) {
	t.Parallel()
	e, _ := newAPI(t, well, func(o *embed.EndpointOptions) { o.URL = "http://api.test/v1/embeddings?key=sk-secret" })
	opts := embed.EndpointOptions{Key: "sk-secret"}
	var log bytes.Buffer
	slog.New(slog.NewTextHandler(&log, nil)).Info("x", "endpoint", e, "key", opts.Key, "opts", opts)
	slog.New(slog.NewJSONHandler(&log, nil)).Info("x", "endpoint", e, "key", opts.Key, "opts", opts)
	encoded, err := json.Marshal(struct{ Key remote.Key }{opts.Key})
	if err != nil {
		t.Fatal(err)
	}
	shown := []string{log.String(), string(encoded), e.String(), fmt.Sprint(e.Status())}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%d"} {
		shown = append(shown, fmt.Sprintf(verb, opts), fmt.Sprintf(verb, opts.Key), fmt.Sprintf(verb, e))
	}
	for _, s := range shown {
		if strings.Contains(s, "sk-secret") || strings.Contains(s, fmt.Sprintf("%x", "sk-secret")) {
			t.Errorf("shows the key: %s", s)
		}
	}
	if !strings.Contains(string(encoded), "[redacted]") || remote.Key("").String() != "" {
		t.Errorf("encoded as %s", encoded)
	}
}

func hintOf(err error) string {
	if e, ok := errors.AsType[*engram.Error](err); ok {
		return e.Hint
	}
	return ""
}
