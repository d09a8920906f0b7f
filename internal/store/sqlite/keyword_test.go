package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"engram"
	"engram/internal/store"
	"engram/internal/store/sqlite"
	"engram/internal/text"
)

// question asks for the words of a text.
func question(words string, filter store.Filter) store.KeywordQuery {
	filter.Workspace = "default"
	q := store.KeywordQuery{Filter: filter, Limit: 50, Neighbours: 2}
	for _, w := range text.AnalyzeQuery(words).Words {
		for _, f := range w.Forms {
			q.Terms = append(q.Terms, store.Term{Text: f, Weight: 1})
		}
	}
	return q
}

func search(t *testing.T, s *sqlite.Store, q store.KeywordQuery) *store.KeywordResult {
	t.Helper()
	r, err := s.Keyword(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func found(t *testing.T, s *sqlite.Store, words string, filter store.Filter) []int64 {
	t.Helper()
	ids := []int64{}
	for _, h := range search(t, s, question(words, filter)).Hits {
		ids = append(ids, h.ID)
	}
	return ids
}

func wantFound(t *testing.T, s *sqlite.Store, words string, filter store.Filter, want ...int64) {
	t.Helper()
	if got := found(t, s, words, filter); !slices.Equal(got, want) {
		t.Errorf("%q finds %v, want %v", words, got, want)
	}
}

// clock gives times that are a second apart.
func clock() func() time.Time {
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	var mu sync.Mutex
	return func() time.Time {
		mu.Lock()
		defer mu.Unlock()
		now = now.Add(time.Second)
		return now
	}
}

func note(title, content string) *engram.Memory {
	return &engram.Memory{
		Workspace: "default", Type: engram.TypeManual, Title: title, Content: content, Project: "p", Scope: engram.ScopeProject,
		Hash: engram.ContentHash(content), Origin: engram.OriginAgent,
	}
}

func save(t *testing.T, s *sqlite.Store, now time.Time, ms ...*engram.Memory) {
	t.Helper()
	if _, err := s.SaveMemories(t.Context(), ms, store.SaveRule{Now: now}); err != nil {
		t.Fatal(err)
	}
}

func ok[T any](t *testing.T) func(T, error) T {
	t.Helper()
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

// What one process writes, the next search of another finds.
func TestKeywordFollowsWrites(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store", "memory.db")
	a, b := open(t, path), open(t, path)
	defer closeStores(t, a, b)
	now := clock()

	wantFound(t, b, "tea", store.Filter{})
	tea := note("Drinks", "tea with milk")
	tea.TopicKey, tea.Files = "kitchen/drinks", []string{"src/kettle_boiler.go"}
	save(t, a, now(), tea)
	for _, words := range []string{"tea", "drinks", "kitchen", "kettle", "kettle_boiler"} {
		wantFound(t, b, words, store.Filter{}, tea.ID)
	}
	then := now()
	coffee := *tea
	coffee.Content, coffee.ID, coffee.UID = "coffee without anything", 0, ""
	save(t, a, now(), &coffee)
	wantFound(t, b, "coffee", store.Filter{}, tea.ID)
	wantFound(t, b, "milk", store.Filter{})
	wantFound(t, b, "milk", store.Filter{AsOf: then}, tea.ID)
	wantFound(t, b, "coffee", store.Filter{AsOf: then})

	ok[engram.Receipt](t)(a.DeleteMemory(t.Context(), "default", tea.ID, now()))
	wantFound(t, b, "coffee", store.Filter{})
	wantFound(t, b, "coffee", store.Filter{Deleted: store.OnlyDeleted}, tea.ID)
	wantFound(t, b, "milk", store.Filter{AsOf: then})
	wantFound(t, b, "milk", store.Filter{AsOf: then, Deleted: store.WithDeleted}, tea.ID)
	ok[store.Restored](t)(a.RestoreMemory(t.Context(), "default", tea.ID, now()))
	wantFound(t, b, "coffee", store.Filter{}, tea.ID)

	project := "q"
	ok[*engram.Memory](t)(a.UpdateMemory(t.Context(), "default", tea.ID, store.Patch{Project: &project}, now()))
	wantFound(t, b, "coffee", store.Filter{Projects: []string{"p"}})
	wantFound(t, b, "coffee", store.Filter{Projects: []string{"q"}}, tea.ID)

	receipt := ok[engram.Receipt](t)(a.EraseMemory(t.Context(), "default", tea.ID, now()))
	if receipt.Postings == 0 {
		t.Error("the receipt counts no postings")
	}
	wantFound(t, b, "coffee", store.Filter{Deleted: store.WithDeleted})
	wantFound(t, b, "milk", store.Filter{AsOf: then})
	sound(t, b)
}

func closeStores(t *testing.T, stores ...*sqlite.Store) {
	t.Helper()
	for _, s := range stores {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

var nouns = strings.Fields(`kettle garden bicycle lamp window mountain river engine letter violin harbour candle market bridge
	forest station teacher doctor sailor painter`)

func sentence(r *rand.Rand) string {
	words := make([]string, 4+r.IntN(30))
	for i := range words {
		words[i] = nouns[min(r.IntN(len(nouns)), r.IntN(len(nouns)))]
		if r.IntN(6) == 0 {
			words[i] = fmt.Sprintf("item%d", r.IntN(500))
		}
	}
	return strings.Join(words, " ")
}

// writes does something to a store at random.
func writes(t *testing.T, r *rand.Rand, s *sqlite.Store, now time.Time, last *int64) {
	t.Helper()
	id := 1 + r.Int64N(max(1, *last))
	ctx, text := t.Context(), sentence(r)
	var err error
	switch r.IntN(9) {
	case 0:
		_, err = s.DeleteMemory(ctx, "default", id, now)
	case 1:
		_, err = s.RestoreMemory(ctx, "default", id, now)
	case 2:
		_, err = s.EraseMemory(ctx, "default", id, now)
	case 3:
		_, err = s.UpdateMemory(ctx, "default", id, store.Patch{Content: &text}, now)
	case 4:
		err = s.PinMemory(ctx, "default", id, r.IntN(2) == 0, now)
	case 5:
		err = s.Seal(ctx)
	default:
		var ms []*engram.Memory
		for range 1 + r.IntN(60) {
			m := note(sentence(r), sentence(r))
			m.OccurredAt = now.Add(-time.Duration(r.IntN(1e9)))
			m.Project = fmt.Sprint("p", r.IntN(3))
			if r.IntN(2) == 0 {
				m.Session, m.Role = fmt.Sprint("s", r.IntN(5)), "user"
			}
			ms = append(ms, m)
		}
		save(t, s, now, ms...)
		*last = ms[len(ms)-1].ID
	}
	if err != nil && !errors.Is(err, engram.ErrNotFound) {
		t.Fatal(err)
	}
}

// Whatever happened, a process that was there from the start, one that was not,
// and one with an index built anew find the same.
func TestKeywordIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	for seed := range uint64(2) {
		path := filepath.Join(t.TempDir(), fmt.Sprint("store", seed), "memory.db")
		a, b := open(t, path), open(t, path)
		r := rand.New(rand.NewPCG(seed, 3))
		now := clock()
		var last int64
		for i := range 60 {
			writes(t, r, []*sqlite.Store{a, b}[r.IntN(2)], now(), &last)
			if i%20 != 19 {
				continue
			}
			late := open(t, path)
			sameAnswers(t, r, now(), a, b, late)
			sound(t, late)
			if err := late.RebuildKeyword(t.Context()); err != nil {
				t.Fatal(err)
			}
			sameAnswers(t, r, now(), a, b, late)
			closeStores(t, late)
		}
		closeStores(t, a, b)
	}
}

func sameAnswers(t *testing.T, r *rand.Rand, now time.Time, stores ...*sqlite.Store) {
	t.Helper()
	for range 10 {
		q := question(sentence(r), store.Filter{})
		switch r.IntN(5) {
		case 0:
			q.Filter.Projects = []string{"p1"}
		case 1:
			q.Filter.AsOf = now.Add(-time.Duration(r.IntN(40)) * time.Second)
		case 2:
			q.Filter.Deleted = store.WithDeleted
		case 3:
			q.Widen = 2
		}
		q.Vectors = meaning(t, sentence(r))
		want := search(t, stores[0], q)
		for i, s := range stores[1:] {
			if diff := cmp.Diff(want, search(t, s, q)); diff != "" {
				t.Fatalf("store %d, %+v (-first +this):\n%s", i+1, q.Filter, diff)
			}
		}
		prefix := nouns[r.IntN(len(nouns))][:2]
		words := ok[[]string](t)(stores[0].PrefixTerms(t.Context(), prefix, 20))
		near := ok[[]string](t)(stores[0].SimilarTerms(t.Context(), prefix+"xx", 20))
		for _, s := range stores[1:] {
			if diff := cmp.Diff(words, ok[[]string](t)(s.PrefixTerms(t.Context(), prefix, 20))); diff != "" {
				t.Fatalf("terms that begin with %q (-first +this):\n%s", prefix, diff)
			}
			if diff := cmp.Diff(near, ok[[]string](t)(s.SimilarTerms(t.Context(), prefix+"xx", 20))); diff != "" {
				t.Fatalf("terms like %q (-first +this):\n%s", prefix+"xx", diff)
			}
		}
	}
}

// Several stores write, search and seal at once.
func TestKeywordConcurrently(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store", "memory.db")
	stores := []*sqlite.Store{open(t, path), open(t, path), open(t, path)}
	now := clock()
	var wg sync.WaitGroup
	for i, s := range stores {
		wg.Go(func() {
			r := rand.New(rand.NewPCG(uint64(i), 5))
			for n := range 15 {
				m := note(fmt.Sprint("unique", i, "x", n), sentence(r))
				if _, err := s.SaveMemories(t.Context(), []*engram.Memory{m}, store.SaveRule{Now: now()}); err != nil {
					t.Error(err)
					return
				}
				res, err := s.Keyword(t.Context(), question(m.Title, store.Filter{}))
				if err != nil || len(res.Hits) != 1 || res.Hits[0].ID != m.ID {
					t.Errorf("%q: %v, %v", m.Title, res, err)
				}
				if n%3 == i {
					if err := s.Seal(t.Context()); err != nil {
						t.Error(err)
					}
				}
			}
		})
	}
	wg.Wait()
	for _, s := range stores {
		sound(t, s)
	}
	closeStores(t, stores...)
}

func sealed(t *testing.T, s *sqlite.Store) (docs, behind int) {
	t.Helper()
	err := s.Writer().QueryRowContext(t.Context(), `SELECT COALESCE(SUM(docs), 0), (SELECT COUNT(*) FROM memories WHERE seq >
		(SELECT value FROM counters WHERE name = 'keyword_seq')) FROM keyword_segments`).Scan(&docs, &behind)
	if err != nil {
		t.Fatal(err)
	}
	return docs, behind
}

// A few memories are not worth a segment when a process ends, many are.
func TestKeywordSealsWhenItIsWorthIt(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store", "memory.db")
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range []struct{ saved, docs, behind int }{{10, 0, 10}, {1500, 1510, 0}, {20, 1510, 20}} {
		s := open(t, path)
		var ms []*engram.Memory
		for range c.saved {
			ms = append(ms, note("", sentence(r)))
		}
		save(t, s, time.Now(), ms...)
		closeStores(t, s)
		s = open(t, path)
		if docs, behind := sealed(t, s); docs != c.docs || behind != c.behind {
			t.Errorf("after %d more, %d are sealed and %d not, want %d and %d", c.saved, docs, behind, c.docs, c.behind)
		}
		closeStores(t, s)
	}
}

// Damage is told, and recall goes on from the rows.
func TestKeywordSurvivesDamage(t *testing.T) {
	t.Parallel()
	for name, damage := range map[string]string{
		"postings": `UPDATE keyword_segments SET postings = CAST(substr(postings, 1, 40) || x'ff' || substr(postings, 42) AS BLOB) WHERE id = (SELECT MIN(id) FROM keyword_segments)`,
		"columns":  `UPDATE keyword_segments SET columns = zeroblob(length(columns))`,
		"empty":    `UPDATE keyword_segments SET columns = x'', postings = x'', checksum = 0`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "store", "memory.db")
			s := open(t, path)
			now := clock()
			for i := range 3 {
				save(t, s, now(), note("kettle", fmt.Sprint("number", i)), note("lamp", fmt.Sprint("other", i)))
				if err := s.Seal(t.Context()); err != nil {
					t.Fatal(err)
				}
			}
			if _, err := s.Writer().ExecContext(t.Context(), damage); err != nil {
				t.Fatal(err)
			}
			closeStores(t, s)

			var log bytes.Buffer
			s, err := sqlite.Open(t.Context(), path, sqlite.Options{Log: slog.New(slog.NewTextHandler(&log, nil))})
			if err != nil {
				t.Fatal(err)
			}
			defer closeStores(t, s)
			if f := indexFinding(t, s, false); f.OK || f.Fix == "" {
				t.Errorf("the check says %+v", f)
			}
			wantFound(t, s, "kettle", store.Filter{}, 5, 3, 1)
			if !strings.Contains(log.String(), "keyword segment dropped") {
				t.Errorf("the damage is not logged: %q", log.String())
			}
			if f := indexFinding(t, s, true); !f.OK {
				t.Errorf("the repair says %+v", f)
			}
			if f := indexFinding(t, s, false); !f.OK {
				t.Errorf("after the repair the check says %+v", f)
			}
			wantFound(t, s, "kettle", store.Filter{}, 5, 3, 1)
		})
	}
}

// Sealing mends damage as well, without a repair.
func TestKeywordSealsOverDamage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store", "memory.db")
	s := open(t, path)
	now := clock()
	for range 3 {
		save(t, s, now(), note("kettle", "one"), note("lamp", "two"))
		if err := s.Seal(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	_, err := s.Writer().ExecContext(t.Context(), `UPDATE keyword_segments SET checksum = 1 WHERE id = (SELECT MIN(id) FROM keyword_segments)`)
	if err != nil {
		t.Fatal(err)
	}
	closeStores(t, s)
	s, err = sqlite.Open(t.Context(), path, sqlite.Options{Log: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	defer closeStores(t, s)
	save(t, s, now(), note("kettle", "three"))
	if err := s.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	if docs, behind := sealed(t, s); docs != 7 || behind != 0 {
		t.Errorf("%d are sealed and %d not, want 7 and 0", docs, behind)
	}
	sound(t, s)
}

func indexFinding(t *testing.T, s *sqlite.Store, repair bool) store.Finding {
	t.Helper()
	findings, err := s.Check(t.Context(), repair)
	if err != nil {
		t.Fatal(err)
	}
	i := slices.IndexFunc(findings, func(f store.Finding) bool { return f.Check == "index" })
	if i < 0 {
		t.Fatal("the check has no finding on the index")
	}
	return findings[i]
}

// A check finds what does not agree with the rows.
func TestKeywordCheckFindsDisagreement(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]string{
		"lost row":      `DELETE FROM memories WHERE id = 2`,
		"unknown row":   `UPDATE memories SET version = 7 WHERE id = 2`,
		"other project": `UPDATE memories SET project = 'other' WHERE id = 2`,
		"other words":   `UPDATE memories SET content = 'nothing of the kind' WHERE id = 2`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := open(t, filepath.Join(t.TempDir(), "store", "memory.db"))
			defer closeStores(t, s)
			save(t, s, time.Now(), note("kettle", "one"), note("lamp", "two"))
			if err := s.Seal(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Writer().ExecContext(t.Context(), change); err != nil {
				t.Fatal(err)
			}
			if f := indexFinding(t, s, false); f.OK {
				t.Errorf("the check says %+v", f)
			}
			if f := indexFinding(t, s, true); !f.OK {
				t.Errorf("the repair says %+v", f)
			}
			if f := indexFinding(t, s, false); !f.OK {
				t.Errorf("after the repair the check says %+v", f)
			}
		})
	}
}

// What is erased is in no segment, nor is a term that only it had.
func TestKeywordErasesFromSegments(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "store", "memory.db"))
	defer closeStores(t, s)
	now := clock()
	secret := note("a title", "something about xylophagous beetles")
	secret.Session, secret.Project = "secretsession", "secretproject"
	save(t, s, now(), note("kettle", "one"), secret, note("lamp", "two"))
	if err := s.Seal(t.Context()); err != nil {
		t.Fatal(err)
	}
	inSegments := func() (found bool) {
		const look = `SELECT MAX(instr(columns || postings, CAST('xylophagous' AS BLOB)) > 0
			OR instr(columns || postings, CAST('secret' AS BLOB)) > 0) FROM keyword_segments`
		if err := s.Writer().QueryRowContext(t.Context(), look).Scan(&found); err != nil {
			t.Fatal(err)
		}
		return found
	}
	if !inSegments() {
		t.Fatal("the word is not in the segments to begin with")
	}
	ok[engram.Receipt](t)(s.EraseMemory(t.Context(), "default", secret.ID, now()))
	if inSegments() {
		t.Error("the word is still in the segments")
	}
	wantFound(t, s, "xylophagous", store.Filter{})
	wantFound(t, s, "kettle", store.Filter{}, 1)
	sound(t, s)
}

// A search that is given up leaves an index that the next one completes.
func TestKeywordCancelled(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "store", "memory.db"))
	defer closeStores(t, s)
	save(t, s, time.Now(), note("kettle", "one"))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Keyword(ctx, question("kettle", store.Filter{})); err == nil {
		t.Error("a cancelled search has a result")
	}
	wantFound(t, s, "kettle", store.Filter{}, 1)
}

// large is a note whose text has so many bytes.
func large(r *rand.Rand, bytes int) *engram.Memory {
	var b strings.Builder
	for b.Len() < bytes {
		b.WriteString(sentence(r) + " ")
	}
	return note("", b.String()[:bytes])
}

// Few memories are worth a segment when they are large, so that not every
// process has to analyse them.
func TestKeywordSealsByBytes(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	for size, want := range map[int]int{100 << 10: 0, 1 << 20: 3} {
		path := filepath.Join(t.TempDir(), "store", "memory.db")
		s := open(t, path)
		save(t, s, time.Now(), large(r, size), large(r, size), large(r, size))
		closeStores(t, s)
		s = open(t, path)
		if docs, _ := sealed(t, s); docs != want {
			t.Errorf("of three memories of %d bytes %d are sealed, want %d", size, docs, want)
		}
		closeStores(t, s)
	}
}

// What a large write leaves to analyse is done without a search to ask for it.
func TestKeywordFollowsLargeWritesByItself(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "store", "memory.db"))
	defer closeStores(t, s)
	s.LookAfter(0)
	r := rand.New(rand.NewPCG(4, 4))
	save(t, s, time.Now(), large(r, 1<<20), large(r, 1<<20), large(r, 1<<20))
	for {
		has, all, err := s.KeywordSeq(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if has == all {
			break
		}
		runtime.Gosched() // a test that hangs here has failed
	}
}

// A search that waits for large texts can be given up between any two steps.
func TestKeywordStepsAreBoundedByBytes(t *testing.T) {
	t.Parallel()
	s := open(t, filepath.Join(t.TempDir(), "store", "memory.db"))
	defer closeStores(t, s)
	s.LookAfter(time.Hour)
	r := rand.New(rand.NewPCG(5, 5))
	for range 6 {
		save(t, s, time.Now(), large(r, 2<<20))
	}
	if n, err := s.KeywordSteps(t.Context()); err != nil || n != 3 && n != 4 {
		t.Errorf("12 MB took %d steps, %v; want one for each 4 MB", n, err)
	}
	if got := found(t, s, "kettle", store.Filter{}); len(got) != 6 {
		t.Errorf("found %v of six", got)
	}
}
