package rerank_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"engram/internal/rerank"
)

// hang answers never, but notices when the client hangs up.
func hang(_ http.ResponseWriter, r *http.Request, _ apiCall, _ int) { <-r.Context().Done() }

func hangUp(http.ResponseWriter, *http.Request, apiCall, int) { panic(http.ErrAbortHandler) }

// elapsed runs f and checks how long it took.
func elapsed(t *testing.T, want time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if d := time.Since(start); d != want {
		t.Errorf("took %v, want %v", d, want)
	}
}

func asked(t *testing.T, c *rerank.Client, code string) {
	t.Helper()
	got, err := c.Rerank(t.Context(), "q", []string{"x"})
	if code != "" {
		wantCode(t, err, code)
		return
	}
	if err != nil {
		t.Fatal(err)
	}
	wantScores(t, got, []string{"x"})
}

func TestSlowServers(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   answer
		code string
		took time.Duration
	}{
		{"in time", func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			time.Sleep(1900 * time.Millisecond)
			well(w, r, c, n)
		}, "", 1900 * time.Millisecond},
		{"silence", hang, "reranker_timeout", 2 * time.Second},
		{"stops amid the answer", func(w http.ResponseWriter, r *http.Request, _ apiCall, _ int) {
			io.WriteString(w, `{"results":[`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, "reranker_timeout", 2 * time.Second},
		{"drips", func(w http.ResponseWriter, r *http.Request, _ apiCall, _ int) {
			for {
				io.WriteString(w, " ")
				w.(http.Flusher).Flush()
				select {
				case <-time.After(300 * time.Millisecond):
				case <-r.Context().Done():
					return
				}
			}
		}, "reranker_timeout", 2 * time.Second},
		{"hangs up", hangUp, "reranker_unreachable", 0},
		{"hangs up amid the answer", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"results":[{"index":0,`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, "reranker_unreachable", 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				c, api := newAPI(t, tc.do)
				elapsed(t, tc.took, func() { asked(t, c, tc.code) })
				if n := len(api.seen()); n != 1 {
					t.Errorf("asked %d times", n)
				}
			})
		})
	}
}

// The time is for all requests of a question.
func TestTimeoutIsForTheQuestion(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			time.Sleep(200 * time.Millisecond)
			if len(c.texts) > 5 {
				status(w, http.StatusRequestEntityTooLarge, "")
				return
			}
			well(w, r, c, n)
		}, func(o *rerank.Options) { o.Timeout = time.Second })
		elapsed(t, time.Second, func() {
			_, err := c.Rerank(t.Context(), "q", numbered(50))
			wantCode(t, err, "reranker_timeout")
		})
	})
}

func TestServerIsNotThere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, api := newAPI(t, well, func(o *rerank.Options) { o.URL = "http://api.test/rerank?key=sk-secret" })
		api.Close()
		asked(t, c, "reranker_unreachable")
	})
}

func TestBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var works atomic.Bool
		c, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			if works.Load() {
				well(w, r, c, n)
				return
			}
			hang(w, r, c, n)
		})
		for range 3 {
			asked(t, c, "reranker_timeout")
		}
		elapsed(t, 0, func() {
			for range 5 {
				asked(t, c, "reranker_paused")
			}
		})
		if n := len(api.seen()); n != 3 {
			t.Errorf("asked %d times, want 3 and then no more", n)
		}
		time.Sleep(30 * time.Second)
		asked(t, c, "reranker_timeout") // the one that may try
		asked(t, c, "reranker_paused")
		works.Store(true)
		if _, err := c.Probe(t.Context()); err != nil { // doctor asks at any time
			t.Error(err)
		}
		time.Sleep(30 * time.Second)
		for range 3 {
			asked(t, c, "")
		}
	})
}

// Refusals and the caller's impatience say nothing against the server.
func TestBreakerCountsFailuresOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			switch {
			case n <= 5:
				status(w, 401, "no")
			case n <= 10:
				hang(w, r, c, n)
			default:
				well(w, r, c, n)
			}
		})
		for range 5 {
			asked(t, c, "reranker_refused_key")
		}
		for range 5 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := c.Rerank(ctx, "q", []string{"x"}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			cancel()
		}
		asked(t, c, "")
	})
}

func TestEndsWithItsContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := newAPI(t, hang)
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		elapsed(t, time.Second, func() {
			if _, err := c.Rerank(ctx, "q", []string{"x"}); !errors.Is(err, context.Canceled) {
				t.Errorf("got %v", err)
			}
		})
		if _, err := c.Rerank(ctx, "q", []string{"x"}); !errors.Is(err, context.Canceled) {
			t.Errorf("once more: %v", err)
		}
	})
}

func TestWaitsAsLongAsTheServerSays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			if n == 1 {
				w.Header().Set("Retry-After", "120")
				status(w, 429, "slow down")
				return
			}
			well(w, r, c, n)
		})
		asked(t, c, "reranker_busy")
		time.Sleep(119 * time.Second)
		asked(t, c, "reranker_paused")
		if n := len(api.seen()); n != 1 {
			t.Errorf("asked %d times", n)
		}
		time.Sleep(time.Second)
		asked(t, c, "")
	})
}

func TestProbeIsPatient(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, _ := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			time.Sleep(9 * time.Second)
			well(w, r, c, n)
		})
		if took, err := c.Probe(t.Context()); err != nil || took != 9*time.Second {
			t.Errorf("took %v, %v", took, err)
		}
	})
}
