package rerank_test

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"

	"engram"
	"engram/internal/rerank"
)

// fakeAPI is a rerank API in memory: its connections are pipes, so that
// testing/synctest knows when everybody waits.
type fakeAPI struct {
	mu    sync.Mutex
	calls []apiCall
	conns chan net.Conn
	done  chan struct{}
	once  sync.Once
}

// apiCall is a request as it came.
type apiCall struct {
	path, auth, host string
	body             map[string]any
	texts            []string // in either form
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
		out = append(out, len(c.texts))
	}
	return out
}

// newAPI starts a fake server and makes a Client of it.
func newAPI(t *testing.T, do answer, set ...func(*rerank.Options)) (*rerank.Client, *fakeAPI) {
	t.Helper()
	f := &fakeAPI{conns: make(chan net.Conn), done: make(chan struct{})}
	srv := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := apiCall{path: r.URL.RequestURI(), auth: r.Header.Get("Authorization"), host: r.Host}
		if err := json.NewDecoder(r.Body).Decode(&c.body); err != nil || r.Method != http.MethodPost {
			http.Error(w, "not a POST of JSON", http.StatusBadRequest)
			return
		}
		for _, name := range []string{"documents", "texts"} {
			list, _ := c.body[name].([]any)
			for _, text := range list {
				c.texts = append(c.texts, text.(string))
			}
		}
		f.mu.Lock()
		f.calls = append(f.calls, c)
		n := len(f.calls)
		f.mu.Unlock()
		do(w, r, c, n)
	})}
	go srv.Serve(f)
	opts := rerank.Options{URL: "http://api.test/v1", Model: "m", Key: "sk-secret", Transport: &http.Transport{DialContext: f.dial}}
	for _, s := range set {
		s(&opts)
	}
	c, err := rerank.New(opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		c.Close()
		srv.Close()
	})
	return c, f
}

// scoreOf is what the fake model says of a text: it likes short ones.
func scoreOf(text string) float64 { return 1 / float64(1+len(text)) }

func wantScores(t *testing.T, got []float64, texts []string) {
	t.Helper()
	if len(got) != len(texts) {
		t.Fatalf("%d scores for %d texts", len(got), len(texts))
	}
	for i, text := range texts {
		if got[i] != scoreOf(text) {
			t.Errorf("score of text %d is %v, want %v", i, got[i], scoreOf(text))
		}
	}
}

// well answers as Cohere, Jina and vLLM do: the last text first, with the texts.
func well(w http.ResponseWriter, _ *http.Request, c apiCall, _ int) {
	results := []map[string]any{}
	for i := len(c.texts) - 1; i >= 0; i-- {
		results = append(results, map[string]any{
			"index": i, "relevance_score": scoreOf(c.texts[i]), "document": map[string]string{"text": c.texts[i]},
		})
	}
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(map[string]any{"id": "x", "results": results, "meta": map[string]any{"billed_units": 1}})
}

// wellTEI answers as Text Embeddings Inference does, and refuses as it does what
// is for another server.
func wellTEI(w http.ResponseWriter, _ *http.Request, c apiCall, _ int) {
	if c.body["texts"] == nil {
		w.WriteHeader(http.StatusUnprocessableEntity)
		w.Write([]byte("Failed to deserialize the JSON body into the target type: missing field `texts` at line 1 column 86"))
		return
	}
	if len(c.texts) > 32 {
		status(w, http.StatusRequestEntityTooLarge, "batch size 50 > maximum allowed batch size 32")
		return
	}
	results := []map[string]any{}
	for i := len(c.texts) - 1; i >= 0; i-- {
		results = append(results, map[string]any{"index": i, "score": scoreOf(c.texts[i])})
	}
	json.NewEncoder(w).Encode(results)
}

// status answers with an error as most servers write it.
func status(w http.ResponseWriter, code int, message string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	json.NewEncoder(w).Encode(map[string]any{"error": map[string]any{"message": message}})
}

// raw answers with a body.
func raw(code int, body string) answer {
	return func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
		w.WriteHeader(code)
		w.Write([]byte(body))
	}
}

func numbered(n int) []string {
	out := make([]string, n)
	for i := range out {
		out[i] = "text" + strings.Repeat("x", i)
	}
	return out
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
