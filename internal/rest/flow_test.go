package rest_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"engram/internal/rest"
)

// send makes a request through a real listener and gives status and body.
func send(t testing.TB, srv *httptest.Server, c call) (int, string) {
	t.Helper()
	status, body, err := trySend(t, srv, c)
	if err != nil {
		t.Fatal(err)
	}
	return status, body
}

func trySend(t testing.TB, srv *httptest.Server, c call) (int, string, error) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), c.method, srv.URL+c.path, strings.NewReader(c.body))
	if err != nil {
		return 0, "", err
	}
	r.Header.Set("Authorization", "Bearer "+token)
	if c.body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := srv.Client().Do(r)
	if err != nil {
		return 0, "", err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	return res.StatusCode, string(body), err
}

func listen(t testing.TB, svcs rest.Services, opts rest.Options) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(serve(t, svcs, opts))
	t.Cleanup(srv.Close)
	return srv
}

// counted is GET /stats.
func counted(t testing.TB, srv *httptest.Server) (observations, sessions int) {
	t.Helper()
	status, body := send(t, srv, fetch("/stats"))
	var s struct {
		Observations int `json:"total_observations"`
		Sessions     int `json:"total_sessions"`
	}
	if err := json.Unmarshal([]byte(body), &s); err != nil || status != http.StatusOK {
		t.Fatalf("GET /stats answered %d %s", status, body)
	}
	return s.Observations, s.Sessions
}

// TestConcurrentWriters: 16 clients save 60 each at once, and every one is there
// (row C1).
func TestConcurrentWriters(t *testing.T) {
	t.Parallel()
	const writers, saves = 16, 60
	srv := listen(t, services(t), rest.Options{})
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			for i := range saves {
				body := fmt.Sprintf(`{"session_id":"w%d","title":"T %d","content":"writer %d says %d","project":"load"}`, w, i, w, i)
				if status, answer, err := trySend(t, srv, post("/observations", body)); err != nil || status != http.StatusCreated {
					t.Errorf("save answered %d %s %v", status, answer, err)
				}
			}
		})
	}
	wg.Wait()
	if n, sessions := counted(t, srv); n != writers*saves || sessions != writers {
		t.Errorf("%d observations in %d sessions, want %d in %d", n, sessions, writers*saves, writers)
	}
}

// TestUnknownSessionsAreCreated: eight clients write into sessions that nobody
// started, some into the same (row C2).
func TestUnknownSessionsAreCreated(t *testing.T) {
	t.Parallel()
	const clients, saves = 8, 40
	srv := listen(t, services(t), rest.Options{})
	var wg sync.WaitGroup
	for c := range clients {
		wg.Go(func() {
			for i := range saves {
				body := fmt.Sprintf(`{"session_id":"unknown-%d","title":"T","content":"client %d says %d"}`, i, c, i)
				if status, answer, err := trySend(t, srv, post("/observations", body)); err != nil || status != http.StatusCreated {
					t.Errorf("save answered %d %s %v", status, answer, err)
				}
			}
		})
	}
	wg.Wait()
	if n, sessions := counted(t, srv); n != clients*saves || sessions != saves {
		t.Errorf("%d observations in %d sessions, want %d in %d", n, sessions, clients*saves, saves)
	}
	for i := range saves {
		if status, body := send(t, srv, fetch(fmt.Sprintf("/sessions/unknown-%d", i))); status != 200 || !strings.Contains(body, `"observation_count":8`) {
			t.Errorf("session %d answered %d %s, want 8 observations in it", i, status, body)
		}
	}
}

// TestConcurrentEqualSaves: many clients saving the same leave one row and no
// error (row C6).
func TestConcurrentEqualSaves(t *testing.T) {
	t.Parallel()
	srv := listen(t, services(t), rest.Options{})
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			for range 20 {
				for _, body := range []string{
					`{"session_id":"s","title":"same","content":"the same text"}`,
					`{"session_id":"s","title":"topic","content":"about a topic","topic_key":"a/b"}`,
				} {
					if status, answer, err := trySend(t, srv, post("/observations", body)); err != nil || status != http.StatusCreated {
						t.Errorf("save answered %d %s %v", status, answer, err)
					}
				}
			}
		})
	}
	wg.Wait()
	if n, _ := counted(t, srv); n != 2 {
		t.Errorf("%d observations, want 2", n)
	}
}

// TestImportTwice: an export comes back with ids and times, into an empty store
// once, into its own never (row S8).
func TestImportTwice(t *testing.T) {
	t.Parallel()
	for _, form := range []struct{ out, in, first, second string }{
		{"/export", "/import", `"observations_imported":4,"prompts_imported":1,"skipped":0`, `"observations_imported":0,"prompts_imported":0,"skipped":`},
		{"/v1/export", "/v1/import", `"memories":4,"prompts":1`, `"memories":0,"prompts":0`},
		{"/v1/export?format=wire", "/v1/import", `"memories":4,"prompts":1`, `"memories":0,"prompts":0`},
	} {
		t.Run(form.out, func(t *testing.T) {
			t.Parallel()
			from, to := listen(t, seeded(t), rest.Options{}), listen(t, services(t), rest.Options{})
			status, export := send(t, from, fetch(form.out))
			if status != http.StatusOK {
				t.Fatalf("export answered %d %s", status, export)
			}
			for _, into := range []struct {
				name string
				srv  *httptest.Server
				want string
			}{{"an empty store", to, form.first}, {"it again", to, form.second}, {"its own store", from, form.second}} {
				status, body := send(t, into.srv, post(form.in, export))
				if status != http.StatusOK || !strings.Contains(body, into.want) {
					t.Errorf("import into %s answered %d %s, want %s", into.name, status, body, into.want)
				}
			}
			if n, _ := counted(t, to); n != 3 {
				t.Errorf("%d living observations after the import, want 3", n)
			}
		})
	}
}

// TestPagesHoldEachMemoryOnce: following next_cursor gives everything once.
func TestPagesHoldEachMemoryOnce(t *testing.T) {
	t.Parallel()
	srv := listen(t, services(t), rest.Options{})
	for i := range 7 {
		send(t, srv, post("/v1/memories", fmt.Sprintf(`{"content":"memory number %d"}`, i)))
	}
	for _, order := range []string{"created", "activity", "occurred"} {
		seen, cursor := map[int64]bool{}, ""
		for pages := 1; ; pages++ {
			_, body := send(t, srv, fetch("/v1/memories?limit=3&order="+order+"&cursor="+cursor))
			var page struct {
				Items []struct{ ID int64 }
				Next  string `json:"next_cursor"`
			}
			if err := json.Unmarshal([]byte(body), &page); err != nil {
				t.Fatal(err)
			}
			for _, m := range page.Items {
				if seen[m.ID] {
					t.Errorf("order %s: memory %d came twice", order, m.ID)
				}
				seen[m.ID] = true
			}
			if cursor = page.Next; cursor == "" || pages > 7 {
				break
			}
		}
		if len(seen) != 7 {
			t.Errorf("order %s: %d memories, want 7", order, len(seen))
		}
	}
}

// TestTimesAreRFC3339 in every answer of the root routes but the export.
func TestTimesAreRFC3339(t *testing.T) {
	t.Parallel()
	h := serve(t, seeded(t), rest.Options{})
	for _, path := range []string{"/observations/1", "/sessions/s1", "/v1/memories/1", "/v1/sessions/s1"} {
		var got map[string]any
		if err := json.Unmarshal(do(t, h, fetch(path)).Body.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		n := 0
		for name, value := range got {
			if !strings.HasSuffix(name, "_at") {
				continue
			}
			n++
			if _, err := time.Parse(time.RFC3339, value.(string)); err != nil {
				t.Errorf("%s: %s is %v", path, name, value)
			}
		}
		if n == 0 {
			t.Errorf("%s has no time", path)
		}
	}
}

// TestLongBodyGetsAnAnswer: a client that sends far too much through a real
// connection reads why it was refused.
func TestLongBodyGetsAnAnswer(t *testing.T) {
	t.Parallel()
	srv := listen(t, services(t), rest.Options{})
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, srv.URL+"/observations", io.LimitReader(endless('x'), 20<<20))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	res, err := srv.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	if res.StatusCode != http.StatusRequestEntityTooLarge || !bytes.Contains(body, []byte(`"code":"too_large"`)) {
		t.Errorf("answered %d %s, want 413", res.StatusCode, body)
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// FuzzSaveBody: no body makes the server fail, and each refusal says why.
func FuzzSaveBody(f *testing.F) {
	for _, seed := range []string{
		`{"session_id":"s1","title":"T","content":"C"}`,
		`{"session_id":"s1","title":"T","content":"<private>x","importance":0.5,"files":["a"],"occurred_at":"2026-05-08"}`,
		"", "null", "[]", "{", "{}x", "\xff", `{"content":7}`, `{"title":"\ud800","content":"\u0000","session_id":"s"}`,
		`{"session_id":"s1","title":"T","content":"C","occurred_at":"0000-00-00"}`,
	} {
		f.Add([]byte(seed))
	}
	h := serve(f, services(f), rest.Options{})
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range []string{"/observations", "/v1/memories"} {
			w := do(t, h, call{
				method: "POST", path: path, body: string(body), header: map[string]string{"Content-Type": "application/json"},
			})
			if !json.Valid(w.Body.Bytes()) {
				t.Fatalf("POST %s answered what is no JSON: %s", path, w.Body)
			}
			if w.Code >= 500 || w.Code >= 300 && !bytes.Contains(w.Body.Bytes(), []byte(`"code":"`)) {
				t.Fatalf("POST %s answered %d %s", path, w.Code, w.Body)
			}
		}
	})
}

// TestLongPromptIsOneCallAway: lists cut a prompt and say so, its id gives all
// of it.
func TestLongPromptIsOneCallAway(t *testing.T) {
	t.Parallel()
	h := serve(t, services(t), rest.Options{})
	text := strings.Repeat("why so long ", 400) + "the very end"
	if w := do(t, h, post("/v1/prompts", `{"content":"`+text+`"}`)); w.Code != http.StatusCreated {
		t.Fatal(w.Body)
	}
	for _, path := range []string{"/v1/prompts", "/prompts/recent"} {
		if body := do(t, h, fetch(path)).Body.String(); !strings.Contains(body, `"truncated":true`) || strings.Contains(body, "the very end") {
			t.Errorf("GET %s: %s", path, body)
		}
	}
	for _, path := range []string{"/v1/prompts/1", "/prompts/1"} {
		if body := do(t, h, fetch(path)).Body.String(); !strings.Contains(body, `"content":"`+text+`"`) {
			t.Errorf("GET %s: %s", path, body)
		}
	}
}
