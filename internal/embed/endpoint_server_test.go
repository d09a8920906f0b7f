package embed_test

import (
	"context"
	"encoding/json"
	"errors"
	"hash/fnv"
	"io"
	"math"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"engram"
	"engram/internal/embed"
)

// fakeAPI is an embeddings API in memory: its connections are pipes, so that
// testing/synctest knows when everybody waits.
type fakeAPI struct {
	mu    sync.Mutex
	calls []apiCall
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

type apiCall struct {
	path, auth, host string
	model            string
	inputs           []string
	asString         bool
	format           string
	dimensions       int
}

// answer is what a fake server does with a call, the n-th from 1.
type answer func(w http.ResponseWriter, r *http.Request, c apiCall, n int)

func (f *fakeAPI) Accept() (net.Conn, error) {
	select {
	case c := <-f.conns:
		return c, nil
	case <-f.done:
		return nil, net.ErrClosed
	}
}

func (f *fakeAPI) Close() error   { f.once.Do(func() { close(f.done) }); return nil }
func (f *fakeAPI) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 1} }

func (f *fakeAPI) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	client, server := net.Pipe()
	select {
	case f.conns <- server:
		return client, nil
	case <-f.done:
		return nil, errors.New("connection refused")
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

func (f *fakeAPI) seen() []apiCall {
	f.mu.Lock()
	defer f.mu.Unlock()
	return append([]apiCall(nil), f.calls...)
}

func (f *fakeAPI) sizes() []int {
	var out []int
	for _, c := range f.seen() {
		out = append(out, len(c.inputs))
	}
	return out
}

// newAPI starts a fake server and makes an Endpoint of it.
func newAPI(t *testing.T, do answer, set ...func(*embed.EndpointOptions)) (*embed.Endpoint, *fakeAPI) {
	t.Helper()
	f := &fakeAPI{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c, err := readCall(r)
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		f.mu.Lock()
		f.calls = append(f.calls, c)
		n := len(f.calls)
		f.mu.Unlock()
		do(w, r, c, n)
	})}
	go srv.Serve(f)
	opts := embed.EndpointOptions{
		URL: "http://api.test/v1", Model: "m", Key: "sk-secret",
		Transport: &http.Transport{DialContext: f.dial},
	}
	for _, s := range set {
		s(&opts)
	}
	e, err := embed.NewEndpoint(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Close()
		srv.Close()
	})
	return e, f
}

func readCall(r *http.Request) (apiCall, error) {
	var body struct {
		Model          string          `json:"model"`
		Input          json.RawMessage `json:"input"`
		EncodingFormat string          `json:"encoding_format"`
		Dimensions     int             `json:"dimensions"`
	}
	data, err := io.ReadAll(r.Body)
	if err != nil {
		return apiCall{}, err
	}
	c := apiCall{path: r.URL.RequestURI(), auth: r.Header.Get("Authorization"), host: r.Host}
	if r.Method != http.MethodPost {
		return c, errors.New("not POST")
	}
	if err := json.Unmarshal(data, &body); err != nil {
		return c, err
	}
	c.model, c.format, c.dimensions = body.Model, body.EncodingFormat, body.Dimensions
	var one string
	if json.Unmarshal(body.Input, &one) == nil {
		c.inputs, c.asString = []string{one}, true
		return c, nil
	}
	return c, json.Unmarshal(body.Input, &c.inputs)
}

const apiDim = 8

// vectorOf is the vector that the fake model has for a text, not of length 1.
func vectorOf(text string) []float32 {
	v := make([]float32, apiDim)
	for i := range v {
		h := fnv.New32a()
		h.Write([]byte{byte(i)})
		io.WriteString(h, text)
		v[i] = float32(h.Sum32()%2001)/1000 - 1
	}
	return v
}

func unitOf(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / math.Sqrt(sum))
	}
	return out
}

// item is a vector as servers write it.
type item struct {
	Object    string `json:"object"`
	Index     int    `json:"index"`
	Embedding any    `json:"embedding"`
}

func items(texts []string) []item {
	out := make([]item, len(texts))
	for i, text := range texts {
		out[i] = item{"embedding", i, vectorOf(text)}
	}
	return out
}

func reply(w http.ResponseWriter, data any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": data, "usage": map[string]int{"prompt_tokens": 1}})
}

// well answers as a good server does.
func well(w http.ResponseWriter, _ *http.Request, c apiCall, _ int) { reply(w, items(c.inputs)) }

// status answers with an error as OpenAI writes it.
func status(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message, "code": nil}})
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "text" + strings.Repeat("x", i)
	}
	return out
}

func near(a, b []float32) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range a {
		if math.Abs(float64(a[i]-b[i])) > 1e-5 {
			return false
		}
	}
	return true
}

// wantVectors checks that each text has its own vector, of length 1.
func wantVectors(t *testing.T, got [][]float32, texts []string) {
	t.Helper()
	if len(got) != len(texts) {
		t.Fatalf("%d vectors for %d texts", len(got), len(texts))
	}
	for i, text := range texts {
		if want := unitOf(vectorOf(text)); !near(got[i], want) {
			t.Errorf("vector of %q is %v, want %v", text, got[i], want)
		}
	}
}

// wantCode checks code and kind of an error, and that the key is not in it.
func wantCode(t *testing.T, err error, code string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want %s", code)
	}
	if got := engram.ErrorCode(err); got != code {
		t.Errorf("code of %q is %s, want %s", err, got, code)
	}
	if !errors.Is(err, engram.ErrUnavailable) {
		t.Errorf("%q is not ErrUnavailable", err)
	}
	if strings.Contains(err.Error(), "sk-secret") {
		t.Errorf("%q has the key", err)
	}
}
