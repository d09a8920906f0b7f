package rest_test

import (
	"fmt"
	"log/slog"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"engram"
	"engram/internal/rest"
	"engram/internal/service/memory"
	"engram/internal/service/transfer"
	"engram/internal/service/upkeep"
	"engram/internal/store/sqlite"
)

// services are real ones over a store in a temporary directory.
func services(t testing.TB) rest.Services {
	t.Helper()
	dir := t.TempDir()
	st, err := sqlite.Open(t.Context(), filepath.Join(dir, "memory.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	mem := memory.New(st, memory.Options{MaxContent: maxContent})
	t.Cleanup(func() {
		mem.Close()
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	})
	return rest.Services{
		Memory:   mem,
		Transfer: transfer.New(st, transfer.Options{MaxContent: maxContent}),
		Upkeep:   upkeep.New(st, upkeep.Options{Dir: dir}),
	}
}

const maxContent = 100_000

// serve is the API over svcs.
func serve(t testing.TB, svcs rest.Services, opts rest.Options) http.Handler {
	t.Helper()
	opts.Token, opts.MaxContent = token, maxContent
	opts.Log = slog.New(slog.NewTextHandler(t.Output(), nil))
	return rest.New(svcs, opts)
}

// What seeded holds.
const (
	tea     = 1 // of session s1, project alpha, pinned
	long    = 2 // 3,000 characters, of session s1
	deleted = 3 // softly
	task    = 4 // open, of no project
)

// seeded is services with a little in them.
func seeded(t testing.TB) rest.Services {
	t.Helper()
	svcs := services(t)
	ctx := engram.WithActor(t.Context(), engram.Actor{
		Name: "test", Workspace: engram.DefaultWorkspace, Access: engram.AccessAdmin, Origin: engram.OriginAgent,
	})
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	_, _, err := svcs.Memory.StartSession(ctx, memory.SessionInput{ID: "s1", Project: "alpha", Directory: "/src/alpha"})
	must(nil, err)
	_, _, err = svcs.Memory.StartSession(ctx, memory.SessionInput{ID: "empty", Project: "beta"})
	must(nil, err)
	_, _, err = svcs.Memory.StartSession(ctx, memory.SessionInput{ID: "older", Project: "beta-old"})
	must(nil, err)
	must(svcs.Memory.MergeProjects(ctx, "beta-old", "beta"))
	for _, in := range []memory.SaveInput{
		{Title: "Drinks", Content: "tea, not coffee", Type: "preference", Session: "s1", Project: "alpha", TopicKey: "preference/drinks", Pinned: true},
		{Title: "A long one", Content: strings.Repeat("steeping ", 333) + "the end", Session: "s1", Project: "alpha"},
		{Title: "Gone", Content: "a vanished remark", Session: "s1", Project: "alpha"},
		{Title: "Buy milk", Content: "two litres of milk", Type: engram.TypeTask, Status: "open"},
	} {
		must(svcs.Memory.Save(ctx, in))
	}
	must(svcs.Memory.Delete(ctx, deleted, false))
	must(svcs.Memory.SavePrompt(ctx, "s1", "alpha", "what should I drink in the morning?"))
	return svcs
}

// filled is services with n notes of 400 characters in them.
func filled(t testing.TB, n int) rest.Services {
	t.Helper()
	svcs := services(t)
	ctx := engram.WithActor(t.Context(), engram.Actor{
		Name: "test", Workspace: engram.DefaultWorkspace, Access: engram.AccessAdmin, Origin: engram.OriginAgent,
	})
	for from := 0; from < n; from += 1000 {
		var in []memory.SaveInput
		for i := from; i < min(n, from+1000); i++ {
			in = append(in, memory.SaveInput{
				Title: fmt.Sprintf("Note %d", i), Content: benchText(i), Project: "bench", Session: fmt.Sprintf("bench-%d", i/50),
			})
		}
		if _, err := svcs.Memory.SaveAll(ctx, in); err != nil {
			t.Fatal(err)
		}
	}
	return svcs
}
