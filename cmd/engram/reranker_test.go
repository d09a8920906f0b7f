package main

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
)

// reranker is a command of scripts: it starts a server that likes the texts with a
// word best, and sets ENGRAM_RERANKER and a key. In place of the word stands
// -silent for a server that never answers, -broken for one that fails, -refusing for
// one that does not know the key, and -nonsense for one that is none. With -gone
// nobody listens.
func reranker(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: reranker WORD")
	}
	done := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in struct {
			Query     string   `json:"query"`
			Documents []string `json:"documents"`
		}
		if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/rerank" || r.Header.Get("Authorization") != "Bearer sk-of-nobody" {
			http.Error(w, "bad request", http.StatusBadRequest)
			return
		}
		switch args[0] {
		case "-silent":
			select {
			case <-done:
			case <-r.Context().Done():
			}
		case "-broken":
			http.Error(w, `{"message":"out of order"}`, http.StatusServiceUnavailable)
		case "-refusing":
			http.Error(w, `{"message":"sk-of-nobody is not a key"}`, http.StatusUnauthorized)
		case "-nonsense":
			http.Error(w, "<html>Hello</html>", http.StatusOK)
		default:
			likeWord(w, args[0], in.Documents)
		}
	}))
	ts.Defer(func() {
		close(done)
		s.Close()
	})
	ts.Setenv("ENGRAM_RERANKER", s.URL+"/v1")
	ts.Setenv("ENGRAM_RERANKER_KEY", "sk-of-nobody")
	if args[0] == "-gone" {
		s.Close()
	}
}

func likeWord(w http.ResponseWriter, word string, documents []string) {
	type result struct {
		Index int     `json:"index"`
		Score float64 `json:"relevance_score"`
	}
	results := []result{}
	for i, text := range documents {
		score := 0.01
		if strings.Contains(text, word) {
			score = 0.98
		}
		results = append(results, result{i, score})
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"results": results}) // who asked may have gone
}
