package rest_test

import (
	"context"
	"net/http"
	"path"
	"slices"
	"strings"
	"testing"

	"engram"
	"engram/internal/rest"
)

// routeCase is a request to a seeded store and what the answer must be.
type routeCase struct {
	name   string
	call   call
	status int
	has    []string // of the body
	not    []string
}

func post(path, body string) call  { return call{method: "POST", path: path, body: body} }
func patch(path, body string) call { return call{method: "PATCH", path: path, body: body} }
func put(path string) call         { return call{method: "PUT", path: path} }
func del(path string) call         { return call{method: "DELETE", path: path} }
func fetch(path string) call       { return call{method: "GET", path: path} }

// routesAPI is what cases ask.
func routesAPI(t *testing.T) http.Handler {
	t.Helper()
	return serve(t, seeded(t), rest.Options{
		MaxImport: 20_000, Version: "1.2.3",
		ProjectOf: func(_ context.Context, dir string) (engram.ProjectIdentity, error) {
			return engram.ProjectIdentity{Name: path.Base(dir), Source: engram.ProjectDirectory, Path: dir}, nil
		},
	})
}

// writes reports whether the case changes what is stored.
func (tt routeCase) writes() bool { return tt.status < 300 && tt.call.method != http.MethodGet }

// runCases gives each case that writes a store of its own. The others share one,
// in which nothing may have changed at the end.
func runCases(t *testing.T, cases []routeCase) {
	t.Helper()
	shared := routesAPI(t)
	before := do(t, shared, fetch("/v1/stats")).Body.String()
	t.Run("cases", func(t *testing.T) {
		for _, tt := range cases {
			t.Run(tt.name, func(t *testing.T) {
				t.Parallel()
				h := shared
				if tt.writes() {
					h = routesAPI(t)
				}
				tt.check(t, h)
			})
		}
	})
	after := do(t, shared, fetch("/v1/stats")).Body.String()
	if counts(before) != counts(after) {
		t.Errorf("requests that read or were refused changed the store:\n%s%s", before, after)
	}
}

// counts is the answer of /v1/stats without the size on disk.
func counts(stats string) string {
	counted, _, _ := strings.Cut(stats, `"bytes":`)
	return counted
}

func (tt routeCase) check(t *testing.T, h http.Handler) {
	t.Helper()
	w := do(t, h, tt.call)
	body := w.Body.String()
	if w.Code != tt.status {
		t.Fatalf("answered %d %s, want %d", w.Code, body, tt.status)
	}
	for _, s := range tt.has {
		if !strings.Contains(body, s) {
			t.Errorf("the answer has no %s: %s", s, body)
		}
	}
	for _, s := range append(tt.not, `:null`) {
		if strings.Contains(body, s) {
			t.Errorf("the answer has %s: %s", s, body)
		}
	}
	if w.Code >= 400 {
		code := ""
		for _, s := range tt.has {
			if c, ok := strings.CutPrefix(s, `"code":"`); ok {
				code = strings.TrimSuffix(c, `"`)
			}
		}
		checkError(t, w, strings.HasPrefix(tt.call.path, "/v1"), code)
	}
}

func TestRoutes(t *testing.T) {
	t.Parallel()
	runCases(t, allCases())
}

func allCases() []routeCase {
	return slices.Concat(wireCases, wireErrorCases, v1Cases, v1ErrorCases)
}
