package keyword

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"engram/internal/vector"
)

// segments gives some of every kind of list.
func segments(tb testing.TB) []*Stored {
	tb.Helper()
	w := newWorld(3, 2000)
	var out []*Stored
	for _, docs := range []int{1, 40, 3000} {
		var batch []Document
		for range docs {
			batch = append(batch, w.fresh())
		}
		if docs == 40 {
			batch[3].DeletedAt, batch[4].Closed, batch[4].InvalidatedAt = w.now, true, w.now
		}
		if err := w.x.Apply(batch, nil); err != nil {
			tb.Fatal(err)
		}
		w.x.Compact(1)
	}
	for i, c := range w.x.Changes() {
		c.Insert.ID = int64(i) + 1
		out = append(out, c.Insert)
	}
	return out
}

func TestSegmentRoundTrip(t *testing.T) {
	t.Parallel()
	for _, st := range segments(t) {
		x := New(testRules)
		if err := x.Load(st); err != nil {
			t.Fatal(err)
		}
		if c := x.Changes(); len(c) != 0 {
			t.Errorf("a loaded segment is to be stored again: %+v", c)
		}
		x.segments[0].dirty = true
		again := x.Changes()[0].Update
		if again.Vectors != nil {
			t.Error("vectors are written again for columns that changed")
		}
		again.Vectors = st.Vectors
		if diff := gocmp.Diff(st, again); diff != "" {
			t.Errorf("segment of %d documents (-stored +read and written):\n%s", st.Docs, diff)
		}
	}
}

// Every flipped bit is found.
func TestSegmentDamage(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	for _, st := range segments(t) {
		for range 200 {
			bad := *st
			bad.Columns, bad.Postings, bad.Vectors = slices.Clone(st.Columns), slices.Clone(st.Postings), slices.Clone(st.Vectors)
			part := pick(r, bad.Columns, bad.Postings, bad.Vectors)
			part[r.IntN(len(part))] ^= 1 << r.IntN(8)
			if err := New(testRules).Load(&bad); !errors.Is(err, ErrDamaged) {
				t.Fatalf("a flipped bit gives %v", err)
			}
		}
		for _, vectors := range [][]byte{nil, st.Vectors[:len(st.Vectors)-8], append(slices.Clone(st.Vectors), make([]byte, 8)...)} {
			bad := *st
			bad.Vectors = vectors
			if err := New(testRules).Load(&bad); !errors.Is(err, ErrDamaged) {
				t.Errorf("vectors of %d bytes instead of %d give %v", len(vectors), len(st.Vectors), err)
			}
		}
		short := *st
		short.Postings = st.Postings[:len(st.Postings)-1]
		if err := New(testRules).Load(&short); !errors.Is(err, ErrDamaged) {
			t.Errorf("a cut segment gives %v", err)
		}
	}
}

func TestSegmentOfOtherRules(t *testing.T) {
	t.Parallel()
	rules := testRules
	rules.Analysis = 2
	x := New(rules)
	if err := x.Load(segments(t)[1]); !errors.Is(err, ErrAnalysis) {
		t.Errorf("error = %v, want %v", err, ErrAnalysis)
	}
	for _, space := range []vector.Space{{Model: "other", Dim: testRules.Space.Dim}, {Model: testRules.Space.Model, Dim: 128}} {
		if err := New(Rules{1, space}).Load(segments(t)[1]); !errors.Is(err, ErrAnalysis) {
			t.Errorf("vectors of another model: error = %v, want %v", err, ErrAnalysis)
		}
	}
	if x.Docs() != 0 {
		t.Errorf("%d documents came in", x.Docs())
	}
}

// Whatever the bytes are, under a right checksum too, reading them fails or
// gives an index that can be used.
func FuzzSegment(f *testing.F) {
	for _, st := range segments(f) {
		if st.Docs < 1000 {
			f.Add(st.Columns, st.Postings, st.Vectors, st.Docs)
		}
	}
	f.Fuzz(func(t *testing.T, columns, postings, vectors []byte, docs int) {
		st := &Stored{ID: 1, Docs: docs, Columns: columns, Postings: postings, Vectors: vectors, Checksum: checksum(columns, postings) + 1}
		if err := New(testRules).Load(st); !errors.Is(err, ErrDamaged) {
			t.Fatalf("a wrong checksum gives %v", err)
		}
		st.Checksum--
		x := New(testRules)
		if err := x.Load(st); err != nil {
			if !errors.Is(err, ErrDamaged) && !errors.Is(err, ErrAnalysis) {
				t.Fatalf("error is neither damage nor analysis: %v", err)
			}
			return
		}
		q := Query{Filter: Filter{Workspace: "a"}, Limit: 10, Neighbours: 2, Widen: 1, Vectors: []Vector{{testRules.Space.Model, make([]float32, testRules.Space.Dim)}}}
		q.Vectors[0].Unit[1] = 1
		for _, term := range x.Prefix("", 20) {
			q.Terms = append(q.Terms, Term{term, 1})
		}
		x.Search(q)
		x.Similar("w1", 5)
		x.segments[0].dirty = true
		x.Changes()
		if _, err := Without(st, testRules, func(id int64) bool { return id%2 == 0 }); err != nil {
			t.Fatal(err)
		}
	})
}

func TestWithout(t *testing.T) {
	t.Parallel()
	for _, st := range segments(t) {
		same, err := Without(st, testRules, func(int64) bool { return false })
		if err != nil || same != st {
			t.Errorf("without nothing: %v, %v", same, err)
		}
		none, err := Without(st, testRules, func(int64) bool { return true })
		if err != nil || none != nil {
			t.Errorf("without everything: %v, %v", none, err)
		}
	}
	x := New(testRules)
	secret := make([]float32, testRules.Space.Dim)
	for i := range secret {
		secret[i] = float32(i%7) - 2
	}
	docs := []Document{
		{Meta: Meta{ID: 1, Version: 1, Workspace: "a", Project: "open"}, Terms: []string{"common", "kept"}, TF: []int{1, 2}, Len: 3},
		{
			Meta:  Meta{ID: 2, Version: 1, Workspace: "hidden", Session: "whispered", Speaker: "deepthroat"},
			Terms: []string{"common", "secret"}, TF: []int{1, 1}, Len: 2,
			Tokens: []uint16{0x6261, 0x6463, 0x6665}, Vector: secret,
		},
	}
	if err := x.Apply(docs, nil); err != nil {
		t.Fatal(err)
	}
	x.Compact(1)
	rest, err := Without(x.Changes()[0].Insert, testRules, func(id int64) bool { return id == 2 })
	if err != nil {
		t.Fatal(err)
	}
	code := vector.NewBlock(testRules.Space)
	code.Append(secret)
	written := code.Encode(nil)
	codes := string(written[len(written)-32 : len(written)-8]) // before the checksum and what fills up
	all := x.Changes()[0].Insert
	if !bytes.Contains(all.Vectors, []byte(codes)) || !bytes.Contains(all.Vectors, []byte("abcdef")) {
		t.Error("what is looked for was never there")
	}
	for _, word := range []string{"secret", "hidden", "whispered", "deepthroat", "abcdef", codes} {
		if bytes.Contains(slices.Concat(rest.Columns, rest.Postings, rest.Vectors), []byte(word)) {
			t.Errorf("%q is still in the bytes", word)
		}
	}
	y := New(testRules)
	if err := y.Load(rest); err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(y.Prefix("", 10), " "); got != "common kept" || y.Docs() != 1 {
		t.Errorf("left are %d documents with %q", y.Docs(), got)
	}
}

// Searches run beside changes, and each sees a memory once.
func TestConcurrentSearches(t *testing.T) {
	t.Parallel()
	x := New(testRules)
	doc := func(version int, closed bool) Document {
		d := Document{Meta: Meta{ID: 1, Version: version, Workspace: "a"}, Terms: []string{"w"}, TF: []int{1}, Len: 1}
		if closed {
			d.Closed, d.InvalidatedAt = true, int64(version)
		}
		return d
	}
	if err := x.Apply([]Document{doc(1, false)}, nil); err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				r := x.Search(Query{Filter: Filter{Workspace: "a"}, Terms: []Term{{"w", 1}}, Limit: 10})
				if len(r.Hits) != 1 || r.Docs != 1 || r.DF[0] != 1 {
					t.Errorf("%d hits of %d documents, df %v", len(r.Hits), r.Docs, r.DF)
					return
				}
			}
		})
	}
	for v := 1; v < 300; v++ {
		if err := x.Apply([]Document{doc(v, true), doc(v+1, false)}, nil); err != nil {
			t.Fatal(err)
		}
		if v%7 == 0 {
			x.Compact(1)
		}
	}
	close(done)
	wg.Wait()
}
