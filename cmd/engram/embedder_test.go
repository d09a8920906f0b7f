package main

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	_ "github.com/ncruces/go-sqlite3/driver"
)

// meaningOf are words that only the fake embedder knows to mean the same.
var meaningOf = map[string]string{"zorblat": "vessel", "quibnix": "vessel", "flumptious": "angry", "grobular": "angry"}

// fakeEmbedder answers as Ollama does: a vector counts the meanings of words.
type fakeEmbedder struct {
	*httptest.Server

	mu     sync.Mutex
	down   bool
	slow   chan struct{} // a request takes one of these first; nil = it does not
	models map[string]int
	texts  []string
}

func newFakeEmbedder(t *testing.T) *fakeEmbedder {
	t.Helper()
	e := &fakeEmbedder{models: map[string]int{"words": 64, "more-words": 96}}
	e.Server = httptest.NewServer(http.HandlerFunc(e.answer))
	t.Cleanup(e.Close)
	return e
}

func (e *fakeEmbedder) answer(w http.ResponseWriter, r *http.Request) {
	var in struct {
		Model string `json:"model"`
		Input any    `json:"input"`
	}
	if err := json.NewDecoder(r.Body).Decode(&in); err != nil || r.URL.Path != "/v1/embeddings" {
		http.Error(w, "bad request", http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	dim, down, slow := e.models[in.Model], e.down, e.slow
	e.mu.Unlock()
	if slow != nil {
		select {
		case <-slow:
		case <-r.Context().Done():
			return
		}
	}
	if down || dim == 0 {
		status, message := http.StatusServiceUnavailable, "out of order"
		if !down {
			status, message = http.StatusNotFound, fmt.Sprintf("model %q not found", in.Model)
		}
		w.WriteHeader(status)
		fmt.Fprintf(w, `{"error":{"message":%q}}`, message)
		return
	}
	texts := []string{}
	switch input := in.Input.(type) {
	case string:
		texts = append(texts, input)
	case []any:
		for _, text := range input {
			texts = append(texts, text.(string))
		}
	}
	type item struct {
		Index     int       `json:"index"`
		Embedding []float32 `json:"embedding"`
	}
	var out struct {
		Data []item `json:"data"`
	}
	for i, text := range texts {
		if strings.Contains(text, "poison") {
			w.WriteHeader(http.StatusInternalServerError)
			fmt.Fprint(w, `{"error":{"message":"unsupported value: NaN"}}`)
			return
		}
		out.Data = append(out.Data, item{i, vectorOf(text, dim)})
	}
	e.mu.Lock()
	e.texts = append(e.texts, texts...)
	e.mu.Unlock()
	if err := json.NewEncoder(w).Encode(out); err != nil {
		return // who asked has gone
	}
}

func vectorOf(text string, dim int) []float32 {
	v := make([]float32, dim)
	v[0] = 0.1
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		word = strings.Trim(word, ".,?!")
		if m := meaningOf[word]; m != "" {
			word = m
		} else if len(word) < 4 {
			continue
		}
		h := fnv.New32a()
		h.Write([]byte(word))
		v[1+int(h.Sum32())%(dim-1)]++
	}
	return v
}

func (e *fakeEmbedder) set(do func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	do()
}

// given counts the texts that have a word.
func (e *fakeEmbedder) given(word string) (n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, text := range e.texts {
		if strings.Contains(text, word) {
			n++
		}
	}
	return n
}

// embedding lets a program use the embedder.
func (e *fakeEmbedder) embedding(cmd *exec.Cmd, model string) *exec.Cmd {
	cmd.Env = append(cmd.Env, "ENGRAM_EMBEDDER="+e.URL, "ENGRAM_EMBEDDER_MODEL="+model, "ENGRAM_EMBEDDER_KEY=sk-of-nobody")
	return cmd
}

// asked runs the program with the embedder and gives what it says.
func (e *fakeEmbedder) asked(t *testing.T, dir, model string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	cmd := e.embedding(engram(t, dir, args...), model)
	var out, err strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &err
	if e := cmd.Run(); e != nil && cmd.ProcessState == nil {
		t.Fatal(e)
	}
	if strings.Contains(out.String()+err.String(), "sk-of-nobody") {
		t.Errorf("engram %v shows the key:\n%s%s", args, out.String(), err.String())
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

func (e *fakeEmbedder) serve(t *testing.T, dir, model string) *server {
	t.Helper()
	s := serving(t, e.embedding(engram(t, dir, "serve", "--port", "0", "--json"), model))
	t.Cleanup(func() { _ = s.cmd.Process.Kill() })
	return s
}

// models are have, lack, failed of each model.
func models(t *testing.T, dir string) map[string]string {
	t.Helper()
	var stats struct {
		Models []struct {
			Name               string
			Have, Lack, Failed int
		} `json:"embedder_models"`
	}
	if err := json.Unmarshal([]byte(run(t, dir, "stats", "--json")), &stats); err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, m := range stats.Models {
		out[m.Name] = fmt.Sprint(m.Have, " ", m.Lack, " ", m.Failed)
	}
	return out
}

// until waits until got is want.
func until[T comparable](t *testing.T, what string, got func() T, want T) {
	t.Helper()
	deadline := time.Now().Add(30 * time.Second)
	for got() != want {
		if time.Now().After(deadline) {
			t.Fatalf("%s: %v, want %v", what, got(), want)
		}
		<-time.After(20 * time.Millisecond)
	}
}

// fill stores memories that have nothing to do with what is asked.
func fill(t *testing.T, s *server) {
	t.Helper()
	for _, text := range []string{
		"The printer needs toner from the cupboard", "Invoices leave on the last Friday", "Lunch with Paula moved to Tuesday",
		"The garden fence was painted green", "Backups run every night at three", "Our parser ignores trailing commas",
	} {
		if _, err := s.save(text); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFoundByWhatOnlyTheEmbedderKnows(t *testing.T) {
	t.Parallel()
	dir, e := filepath.Join(t.TempDir(), "data"), newFakeEmbedder(t)
	s := e.serve(t, dir, "words")
	fill(t, s)
	if _, err := s.save("An old zorblat"); err != nil {
		t.Fatal(err)
	}
	until(t, "found by meaning", func() string { return s.first(t, "quibnix") }, "An old zorblat")
	if out := run(t, dir, "search", "quibnix"); strings.Contains(out, "zorblat") {
		t.Errorf("found without the embedder, so that the test shows nothing: %s", out)
	}
	until(t, "all have a vector", func() string { return models(t, dir)["words@64"] }, "7 0 0")

	// A second process: what it saves, the first embeds and finds, and the other way round.
	other := e.serve(t, dir, "words")
	if _, err := other.save("He was flumptious"); err != nil {
		t.Fatal(err)
	}
	for _, s := range []*server{s, other} {
		until(t, "of another process", func() string { return s.first(t, "grobular") }, "He was flumptious")
	}

	// It goes down in the middle: words and the built-in model go on, and the answer says so.
	e.set(func() { e.down = true })
	if n := s.finds(t, "the printer's toner"); n == 0 {
		t.Error("nothing is found by words while the embedder is down")
	}
	_, answer, err := s.do("POST", "/v1/search", map[string]any{"query": "printer toner"})
	if err != nil || !strings.Contains(string(answer), `"warnings":["embedder_`) {
		t.Errorf("no warning in %s, %v", answer, err)
	}
	if _, err := s.save("A red zorblat"); err != nil {
		t.Errorf("a save while the embedder is down: %v", err)
	}
	out, stderr, code := e.asked(t, dir, "words", "search", "printer", "toner")
	if code != 0 || !strings.Contains(out, "printer") || !strings.Contains(stderr, "embedder_") {
		t.Errorf("search on the command line: code %d\n%s%s", code, out, stderr)
	}
	if out, _, code := e.asked(t, dir, "words", "doctor"); code != 1 || !strings.Contains(out, "BAD  embedder") {
		t.Errorf("doctor: code %d\n%s", code, out)
	}
	e.set(func() { e.down = false })
	if out, stderr, code := e.asked(t, dir, "words", "doctor"); code != 0 || !strings.Contains(out, "words@64") {
		t.Errorf("doctor when it is back: code %d\n%s%s", code, out, stderr)
	}
	s.stop(t)
	other.stop(t)
}

// first is the title of the best that a search gives, "" = none.
func (s *server) first(t *testing.T, query string) string {
	t.Helper()
	_, answer, err := s.do("POST", "/v1/search", map[string]any{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	var found struct {
		Items []struct{ Title string } `json:"items"`
	}
	if err := json.Unmarshal(answer, &found); err != nil {
		t.Fatalf("%v: %s", err, answer)
	}
	if len(found.Items) == 0 {
		return ""
	}
	return found.Items[0].Title
}

func TestTheEmbedderIsDownAtTheStart(t *testing.T) {
	t.Parallel()
	dir, e := filepath.Join(t.TempDir(), "data"), newFakeEmbedder(t)
	e.set(func() { e.down = true })
	s := e.serve(t, dir, "words")
	fill(t, s)
	if n := s.finds(t, "printer toner"); n == 0 {
		t.Error("nothing is found by words")
	}
	s.stop(t)
	e.set(func() { e.down = false })
	out, stderr, code := e.asked(t, dir, "words", "embed")
	if code != 0 || out != "6 memories embedded\n" {
		t.Errorf("embed: code %d\n%s%s", code, out, stderr)
	}
	if out, _, _ := e.asked(t, dir, "words", "embed"); out != "0 memories embedded\n" {
		t.Errorf("embed once more: %s", out)
	}
}

func TestAnotherModelTakesThePlaceOfOne(t *testing.T) {
	t.Parallel()
	dir, e := filepath.Join(t.TempDir(), "data"), newFakeEmbedder(t)
	run(t, dir, "save", "Of old", "An old zorblat")
	run(t, dir, "save", "A poisoned one", "this is poison to it")
	if out, stderr, code := e.asked(t, dir, "words", "embed"); code != 0 {
		t.Fatalf("embed: %s%s", out, stderr)
	}
	if got := models(t, dir)["words@64"]; got != "1 0 1" {
		t.Errorf("the poisoned one: %s", got)
	}
	if out, _, code := e.asked(t, dir, "words", "doctor"); code != 0 || !strings.Contains(out, "1 could not get one (") {
		t.Errorf("doctor: code %d\n%s", code, out)
	}

	// Until the new one has all, questions go to both.
	e.set(func() { e.texts = nil })
	out, stderr, code := e.asked(t, dir, "more-words", "search", "quibnix")
	if code != 0 || !strings.Contains(out, "Of old") || e.given("quibnix") != 2 {
		t.Errorf("search by the model before: code %d, asked %d times\n%s%s", code, e.given("quibnix"), out, stderr)
	}
	if out, stderr, code := e.asked(t, dir, "more-words", "embed"); code != 0 {
		t.Fatalf("embed: %s%s", out, stderr)
	}
	e.set(func() { e.texts = nil })
	if out, stderr, _ := e.asked(t, dir, "more-words", "search", "quibnix"); !strings.Contains(out, "Of old") || e.given("quibnix") != 1 {
		t.Errorf("search by the new one: asked %d times\n%s%s", e.given("quibnix"), out, stderr)
	}
	if out, stderr, code := e.asked(t, dir, "more-words", "doctor", "--repair"); code != 0 || !strings.Contains(out, "words@64: another model has taken its place") {
		t.Errorf("doctor --repair: code %d\n%s%s", code, out, stderr)
	}
	if got := models(t, dir); len(got) != 1 || got["more-words@96"] != "1 1 0" {
		t.Errorf("models after the repair: %v", got)
	}

	// The server puts a model of other dimensions behind the name: another model, and
	// nothing is compared with what it is not like.
	e.set(func() { e.models["more-words"] = 48 })
	out, stderr, code = e.asked(t, dir, "more-words", "search", "quibnix")
	if code != 0 {
		t.Errorf("search: %s%s", out, stderr)
	}
	if out, stderr, code := e.asked(t, dir, "more-words", "embed"); code != 0 || models(t, dir)["more-words@48"] != "1 0 1" {
		t.Errorf("embed: %s%s%v", out, stderr, models(t, dir))
	}
}

func TestTheEmbedderIsSetWrong(t *testing.T) {
	t.Parallel()
	dir, e := filepath.Join(t.TempDir(), "data"), newFakeEmbedder(t)
	for _, c := range []struct {
		env  []string
		want string
	}{
		{[]string{"ENGRAM_EMBEDDER_MODEL=words"}, "embedder_model is set, and embedder is not"},
		{[]string{"ENGRAM_EMBEDDER_KEY=sk-of-nobody"}, "embedder_key is set, and embedder is not"},
		{[]string{"ENGRAM_EMBEDDER=" + e.URL}, "embedder_model is missing"},
		{[]string{"ENGRAM_EMBEDDER=ollama", "ENGRAM_EMBEDDER_MODEL=words"}, "embedder"},
		{[]string{"ENGRAM_EMBEDDER=" + e.URL, "ENGRAM_EMBEDDER_MODEL=words", "ENGRAM_EMBEDDER_DIMENSIONS=many"}, "ENGRAM_EMBEDDER_DIMENSIONS"},
		{[]string{"ENGRAM_EMBEDDER=static", "ENGRAM_EMBEDDER_MODEL=words", "ENGRAM_EMBEDDER_KEY=sk-of-nobody"}, ""},
	} {
		cmd := engram(t, dir, "stats")
		cmd.Env = append(cmd.Env, c.env...)
		out, err := cmd.CombinedOutput()
		switch {
		case (err == nil) != (c.want == ""), !strings.Contains(string(out), c.want):
			t.Errorf("%v: %v\n%s", c.env, err, out)
		case strings.Contains(string(out), "sk-of-nobody"):
			t.Errorf("%v shows the key:\n%s", c.env, out)
		}
	}
	if out, _, code := e.asked(t, dir, "unheard-of", "doctor"); code != 1 || !strings.Contains(out, "does not have the model unheard-of") {
		t.Errorf("doctor with a model that is not there: code %d\n%s", code, out)
	}
}

func TestKilledWhileItEmbeds(t *testing.T) {
	t.Parallel()
	dir, e := filepath.Join(t.TempDir(), "data"), newFakeEmbedder(t)
	s := serve(t, dir)
	for i := range 200 {
		if _, err := s.save(fmt.Sprintf("note number %d about ferries", i)); err != nil {
			t.Fatal(err)
		}
	}
	s.stop(t)
	e.set(func() { e.slow = make(chan struct{}) })
	worker := e.serve(t, dir, "words")
	for range 3 { // the probe, and two requests for a batch, which is compared with a text alone
		e.slow <- struct{}{}
	}
	until(t, "some have a vector", func() bool {
		select {
		case e.slow <- struct{}{}:
		case <-time.After(time.Millisecond):
		}
		return !slices.Contains([]string{"", "0 200 0"}, models(t, dir)["words@64"])
	}, true)
	if err := worker.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = worker.cmd.Wait()
	before := models(t, dir)["words@64"]
	if before == "200 0 0" {
		t.Fatalf("it was killed too late: %s", before)
	}
	e.set(func() { close(e.slow); e.slow = nil })
	changeRows(t, dir, `DELETE FROM leases WHERE name = 'embedding'`) // it runs out in a minute
	if out, stderr, code := e.asked(t, dir, "words", "embed"); code != 0 {
		t.Errorf("embed: %s%s", out, stderr)
	}
	if got := models(t, dir)["words@64"]; got != "200 0 0" {
		t.Errorf("after the kill %s, at the end %s", before, got)
	}
	if out, _, code := e.asked(t, dir, "words", "doctor"); code != 0 {
		t.Errorf("doctor: %s", out)
	}
}

// changeRows writes past the program.
func changeRows(t *testing.T, dir, query string) {
	t.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.ToSlash(filepath.Join(dir, "memory.db")))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.ExecContext(t.Context(), query); err != nil {
		t.Fatal(err)
	}
}
