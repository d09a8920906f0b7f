package rest_test

import (
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"engram/internal/httpd"
	"engram/internal/rest"
)

// words are what bench texts are made of: 400 characters each, like a note's.
var words = strings.Fields("the store keeps a memory for every agent that asks about the project and its build " +
	"because token cache index parser queue server client schema migration retry timeout branch review deploy")

func benchText(i int) string {
	var b strings.Builder
	for n := 0; b.Len() < 400; n++ {
		b.WriteString(words[(i*31+n*n*7+n)%len(words)])
		b.WriteByte(' ')
	}
	return fmt.Sprintf("%snumber %d", b.String(), i)
}

// overHTTP is the API behind its real listener.
func overHTTP(b *testing.B, svcs rest.Services) func(c call) {
	b.Helper()
	srv := httpd.New(serve(b, svcs, rest.Options{}), httpd.Options{Addr: "127.0.0.1:0"})
	if err := srv.Start(b.Context()); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(srv.Stop)
	client := &http.Client{Transport: &http.Transport{}}
	b.Cleanup(client.CloseIdleConnections)
	return func(c call) {
		r, err := http.NewRequest(c.method, srv.URL()+c.path, strings.NewReader(c.body))
		if err != nil {
			b.Fatal(err)
		}
		r.Header.Set("Authorization", "Bearer "+token)
		if c.body != "" {
			r.Header.Set("Content-Type", "application/json")
		}
		res, err := client.Do(r)
		if err != nil {
			b.Fatal(err)
		}
		body, _ := io.ReadAll(res.Body)
		res.Body.Close()
		if res.StatusCode >= 300 {
			b.Fatalf("%s %s answered %d %s", c.method, c.path, res.StatusCode, body)
		}
	}
}

// timed reports the middle and the slow end of f's times.
func timed(b *testing.B, f func(i int)) {
	b.Helper()
	var took []time.Duration
	for i := 0; b.Loop(); i++ {
		from := time.Now()
		f(i)
		took = append(took, time.Since(from))
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
	b.ReportMetric(float64(took[len(took)*95/100].Microseconds()), "p95-µs")
}

func saveCall(i int) call {
	return post("/observations", fmt.Sprintf(`{"session_id":"bench-%d","type":"discovery","title":"Note %d","content":%q,"project":"bench"}`, i/50, i, benchText(i)))
}

// BenchmarkHealth is what HTTP, guard and encoding cost by themselves.
func BenchmarkHealth(b *testing.B) {
	send := overHTTP(b, services(b))
	timed(b, func(int) { send(fetch("/health")) })
}

func BenchmarkSave(b *testing.B) {
	send := overHTTP(b, services(b))
	timed(b, func(i int) { send(saveCall(i)) })
}

func BenchmarkGet(b *testing.B) {
	send := overHTTP(b, services(b))
	send(saveCall(1))
	timed(b, func(int) { send(fetch("/observations/1")) })
}

// BenchmarkContext and BenchmarkSearch ask a store of 10,000 notes.
func BenchmarkContext(b *testing.B) {
	send := overHTTP(b, filled(b, 10_000))
	timed(b, func(int) { send(fetch("/context?project=bench")) })
}

func BenchmarkSearch(b *testing.B) {
	send := overHTTP(b, filled(b, 10_000))
	questions := []string{
		"how does the parser retry", "number 4711", "what is the schema of the deploy branch and its cache",
		"the store keeps a memory for every agent", "token+timeout",
	}
	timed(b, func(i int) { send(fetch("/search?q=" + url.QueryEscape(questions[i%len(questions)]))) })
}
