package embed_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"engram/internal/embed"
)

// hang answers never, but notices when the client hangs up.
func hang(_ http.ResponseWriter, r *http.Request, _ apiCall, _ int) { <-r.Context().Done() }

// elapsed runs f and checks how long it took.
func elapsed(t *testing.T, least, most time.Duration, f func()) {
	t.Helper()
	start := time.Now()
	f()
	if d := time.Since(start); d < least || d > most {
		t.Errorf("took %v, want from %v to %v", d, least, most)
	}
}

func TestEndpointTriesAgain(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name        string
		bad         answer
		least, most time.Duration // for two bad answers
	}{
		{"503", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) { status(w, 503, "Loading model") }, 750 * time.Millisecond, 1500 * time.Millisecond},
		{"429", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) { status(w, 429, "Rate limit reached") }, 750 * time.Millisecond, 1500 * time.Millisecond},
		{"429, seconds", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
			w.Header().Set("Retry-After", "7")
			status(w, 429, "")
		}, 14 * time.Second, 14 * time.Second},
		{"429, date", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
			w.Header().Set("Retry-After", time.Now().Add(9*time.Second).UTC().Format(http.TimeFormat))
			status(w, 429, "")
		}, 16 * time.Second, 18 * time.Second},
		{"429, no sense", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
			w.Header().Set("Retry-After", "soon")
			status(w, 429, "")
		}, 750 * time.Millisecond, 1500 * time.Millisecond},
		{"hangs up", func(http.ResponseWriter, *http.Request, apiCall, int) { panic(http.ErrAbortHandler) }, 750 * time.Millisecond, 1500 * time.Millisecond},
		{"hangs up amid the answer", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
			w.Header().Set("Content-Length", "1000")
			io.WriteString(w, `{"data":[{"index":0,"embedding":[0.1,`)
			w.(http.Flusher).Flush()
			panic(http.ErrAbortHandler)
		}, 750 * time.Millisecond, 1500 * time.Millisecond},
		{"says nothing", hang, 60*time.Second + 750*time.Millisecond, 60*time.Second + 1500*time.Millisecond},
		{"stops amid the answer", func(w http.ResponseWriter, r *http.Request, _ apiCall, _ int) {
			io.WriteString(w, `{"data":[`)
			w.(http.Flusher).Flush()
			<-r.Context().Done()
		}, 60*time.Second + 750*time.Millisecond, 60*time.Second + 1500*time.Millisecond},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
					if n <= 2 {
						tc.bad(w, r, c, n)
						return
					}
					well(w, r, c, n)
				}, func(o *embed.EndpointOptions) { o.MaxRetryTime = 5 * time.Minute })
				elapsed(t, tc.least, tc.most, func() {
					got, err := e.Embed(t.Context(), []string{"x"})
					if err != nil {
						t.Fatal(err)
					}
					wantVectors(t, got, []string{"x"})
				})
				if n := len(api.seen()); n != 3 {
					t.Errorf("asked %d times", n)
				}
			})
		})
	}
}

// Whoever may be at fault is asked for another text once more.
func TestEndpointGivesUp(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name  string
		do    answer
		code  string
		asked int
		most  time.Duration
	}{
		{"500", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) { status(w, 500, "boom") }, "embedder_failed", 5, 4 * time.Second},
		{"502", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) { w.WriteHeader(http.StatusBadGateway) }, "embedder_failed", 5, 4 * time.Second},
		{"429", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) { status(w, 429, "slow down") }, "embedder_busy", 4, 4 * time.Second},
		{"429 for longer than patience", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
			w.Header().Set("Retry-After", "120")
			status(w, 429, "slow down")
		}, "embedder_busy", 1, 0},
		{"silence", hang, "embedder_timeout", 2, 62 * time.Second},
		{"hangs up", func(http.ResponseWriter, *http.Request, apiCall, int) { panic(http.ErrAbortHandler) }, "embedder_unreachable", 5, 4 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, api := newAPI(t, tc.do)
				elapsed(t, 0, tc.most, func() {
					_, err := e.Embed(t.Context(), []string{"x"})
					wantCode(t, err, tc.code)
				})
				if n := len(api.seen()); n != tc.asked {
					t.Errorf("asked %d times, want %d", n, tc.asked)
				}
			})
		})
	}
}

func TestEndpointWaitsAsLongAsTheServerSays(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			if n == 1 {
				w.Header().Set("Retry-After", "120")
				status(w, 429, "slow down")
				return
			}
			well(w, r, c, n)
		})
		_, err := e.Embed(t.Context(), []string{"x"})
		wantCode(t, err, "embedder_busy")
		time.Sleep(119 * time.Second)
		_, err = e.Question(t.Context(), "x")
		wantCode(t, err, "embedder_paused")
		if n := len(api.seen()); n != 1 {
			t.Errorf("asked %d times", n)
		}
		time.Sleep(time.Second)
		if _, err = e.Question(t.Context(), "x"); err != nil {
			t.Error(err)
		}
	})
}

// Retries of a 500 for a batch end in smaller batches: LM Studio.
func TestEndpointTriesFewerTextsAfterFailures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _ := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			if len(c.inputs) > 2 {
				status(w, 500, "llama_decode returned -1")
				return
			}
			well(w, r, c, n)
		})
		texts := numbered(8)
		got, err := e.Embed(t.Context(), texts)
		if err != nil {
			t.Fatal(err)
		}
		wantVectors(t, got, texts)
	})
}

func TestEndpointQuestionIsShort(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, api := newAPI(t, func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) { status(w, 500, "boom") })
		elapsed(t, 0, 0, func() {
			_, err := e.Question(t.Context(), "x")
			wantCode(t, err, "embedder_failed")
		})
		if n := len(api.seen()); n != 1 {
			t.Errorf("asked %d times, want once", n)
		}
	})
}

// Ollama loads a model for 10 s, and stops loading when the client hangs up.
func TestEndpointLetsTheModelLoad(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		loaded := false
		e, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			if !loaded {
				select {
				case <-time.After(10 * time.Second):
					loaded = true
				case <-r.Context().Done():
					return
				}
			}
			well(w, r, c, n)
		})
		elapsed(t, 2*time.Second, 2*time.Second, func() {
			_, err := e.Question(t.Context(), "x")
			wantCode(t, err, "embedder_timeout")
		})
		elapsed(t, 0, 0, func() {
			_, err := e.Question(t.Context(), "x")
			wantCode(t, err, "embedder_loading")
		})
		if !e.Status().Loading {
			t.Error("status does not tell that the model is loaded")
		}
		time.Sleep(11 * time.Second)
		elapsed(t, 0, 0, func() {
			v, err := e.Question(t.Context(), "x")
			if err != nil {
				t.Fatal(err)
			}
			wantVectors(t, [][]float32{v}, []string{"x"})
		})
		if n := len(api.seen()); n != 3 {
			t.Errorf("asked %d times, want 3", n)
		}
	})
}

func TestEndpointCloseEndsLoading(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _ := newAPI(t, hang)
		_, err := e.Question(t.Context(), "x")
		wantCode(t, err, "embedder_timeout")
		elapsed(t, 0, 0, func() {
			e.Close()
			e.Close()
		})
		wantCode(t, e.Status().Err, "embedder_timeout")
		_, err = e.Question(t.Context(), "x")
		wantCode(t, err, "embedder_timeout")
		if e.Status().Loading {
			t.Error("loads after Close")
		}
	})
}

func TestEndpointBreaker(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		works := false
		e, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			if !works {
				panic(http.ErrAbortHandler)
			}
			well(w, r, c, n)
		})
		ask := func(code string) {
			t.Helper()
			_, err := e.Question(t.Context(), "x")
			wantCode(t, err, code)
		}
		for range 3 {
			ask("embedder_unreachable")
		}
		for range 5 {
			ask("embedder_paused")
		}
		if n := len(api.seen()); n != 3 {
			t.Errorf("asked %d times, want 3 and then no more", n)
		}
		if d := e.Status().PausedFor; d != 30*time.Second {
			t.Errorf("paused for %v", d)
		}
		time.Sleep(30 * time.Second)
		ask("embedder_unreachable") // the one that may try
		ask("embedder_paused")
		works = true
		time.Sleep(30 * time.Second)
		for range 3 {
			if _, err := e.Question(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestEndpointBreakerWantsFailuresInARow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		question := 0
		e, _ := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			if question%3 != 0 {
				panic(http.ErrAbortHandler)
			}
			well(w, r, c, n)
		})
		for n := 1; n <= 12; n++ {
			question = n
			_, err := e.Question(t.Context(), "x")
			if n%3 == 0 && err != nil {
				t.Errorf("question %d: %v", n, err)
			} else if n%3 != 0 {
				wantCode(t, err, "embedder_unreachable")
			}
		}
	})
}

func TestEndpointOneTriesWhileOthersAreRefused(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			if n <= 3 {
				panic(http.ErrAbortHandler)
			}
			time.Sleep(time.Second)
			well(w, r, c, n)
		})
		for range 3 {
			_, err := e.Question(t.Context(), "x")
			wantCode(t, err, "embedder_unreachable")
		}
		time.Sleep(30 * time.Second)
		trial := make(chan error)
		go func() {
			_, err := e.Question(t.Context(), "x")
			trial <- err
		}()
		synctest.Wait()
		_, err := e.Question(t.Context(), "x")
		wantCode(t, err, "embedder_paused")
		if err := <-trial; err != nil {
			t.Error(err)
		}
		if n := len(api.seen()); n != 4 {
			t.Errorf("asked %d times, want 4", n)
		}
	})
}

// Refusals and the caller's impatience say nothing against the server.
func TestEndpointBreakerCountsFailuresOnly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, _ := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			if n <= 5 {
				status(w, 401, "no")
				return
			}
			hang(w, r, c, n)
		})
		for range 5 {
			_, err := e.Question(t.Context(), "x")
			wantCode(t, err, "embedder_refused_key")
		}
		for range 5 {
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			if _, err := e.Embed(ctx, []string{"x"}); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
			cancel()
		}
		if d := e.Status().PausedFor; d != 0 {
			t.Errorf("paused for %v", d)
		}
	})
}

func TestEndpointEndsWithItsContext(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name string
		do   answer
	}{
		{"while waiting for an answer", hang},
		{"while waiting for the next attempt", func(w http.ResponseWriter, _ *http.Request, _ apiCall, _ int) {
			w.Header().Set("Retry-After", "50")
			status(w, 429, "")
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				e, _ := newAPI(t, tc.do)
				ctx, cancel := context.WithCancel(t.Context())
				time.AfterFunc(time.Second, cancel)
				elapsed(t, time.Second, time.Second, func() {
					if _, err := e.Embed(ctx, []string{"x"}); !errors.Is(err, context.Canceled) {
						t.Errorf("got %v", err)
					}
				})
				if _, err := e.Question(ctx, "x"); !errors.Is(err, context.Canceled) {
					t.Errorf("question: %v", err)
				}
			})
		})
	}
}

func TestEndpointRedirects(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, to string
		code     int
		follows  bool
	}{
		{"same server", "/v1/embeddings/", 307, true},
		{"same server, for good", "http://api.test/v1/embeddings/", 308, true},
		{"same server, as GET", "/v1/embeddings/", 302, false},
		{"other server", "http://evil.test/v1/embeddings", 307, false},
		{"other port", "http://api.test:81/v1/embeddings", 308, false},
		{"part of the server's name", "http://x.api.test/v1/embeddings", 307, false},
		{"without a place", "", 307, false},
		{"round and round", "/v1/embeddings", 307, false},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			e, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
				if c.path != "/v1/embeddings" || c.host != "api.test" {
					well(w, r, c, n)
					return
				}
				if tc.to != "" {
					w.Header().Set("Location", tc.to)
				}
				w.WriteHeader(tc.code)
			})
			_, err := e.Embed(t.Context(), []string{"x"})
			if tc.follows != (err == nil) {
				t.Errorf("error %v", err)
			}
			if !tc.follows {
				wantCode(t, err, "embedder_redirected")
			}
			if i := slices.IndexFunc(api.seen(), func(c apiCall) bool { return c.host != "api.test" }); i >= 0 {
				t.Errorf("request %+v went to another server", api.seen()[i])
			}
		})
	}
}

// A server may close an idle connection just when it is used again.
func TestEndpointIdleConnectionIsClosed(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, api := newAPI(t, func(w http.ResponseWriter, r *http.Request, c apiCall, n int) {
			if n == 2 {
				panic(http.ErrAbortHandler)
			}
			well(w, r, c, n)
		})
		for range 2 {
			if _, err := e.Question(t.Context(), "x"); err != nil {
				t.Fatal(err)
			}
		}
		if n := len(api.seen()); n != 3 {
			t.Errorf("asked %d times", n)
		}
	})
}

func TestEndpointServerIsNotThere(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		e, api := newAPI(t, well, func(o *embed.EndpointOptions) { o.URL = "http://api.test/v1/embeddings?key=sk-secret" })
		api.Close()
		_, err := e.Question(t.Context(), "x")
		wantCode(t, err, "embedder_unreachable")
	})
}
