package keyword

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// distance is the textbook's optimal string alignment.
func distance(a, b []rune) int {
	d := make([][]int, len(a)+1)
	for i := range d {
		d[i] = make([]int, len(b)+1)
		d[i][0] = i
	}
	for j := range b {
		d[0][j+1] = j + 1
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d[i][j] = min(d[i-1][j]+1, d[i][j-1]+1, d[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d[i][j] = min(d[i][j], d[i-2][j-2]+1)
			}
		}
	}
	return d[len(a)][len(b)]
}

// vocabulary is an index of documents that have one word each, the i-th word
// i times over.
func vocabulary(t *testing.T, words ...string) *Index {
	t.Helper()
	x := New(testRules)
	id := int64(0)
	for i, w := range words {
		for range i + 1 {
			id++
			doc := Document{Meta: Meta{ID: id, Version: 1, Workspace: "a"}, Terms: []string{w}, TF: []int{1}, Len: 1}
			if err := x.Apply([]Document{doc}, nil); err != nil {
				t.Fatal(err)
			}
		}
		if i == len(words)/2 {
			x.Compact(1)
		}
	}
	return x
}

func TestSimilar(t *testing.T) {
	t.Parallel()
	x := vocabulary(t, "kettle", "kettles", "ketle", "settle", "kettel", "cattle", "postgres", "postgers", "postgresql", "postgrad",
		"größe", "grösse", "東京", "東北", "a", "ab")
	for word, want := range map[string][]string{
		"kettle":   {"kettel", "settle", "ketle", "kettles"},
		"kettlee":  {"kettles", "kettle"},
		"postgres": {"postgrad", "postgresql", "postgers"},
		"postgre":  {"postgres"}, // seven letters: one edit
		"postgrse": {"postgrad", "postgers", "postgres"},
		"grösße":   {"grösse", "größe"},
		"東方":       {"東北", "東京"},
		"nothing":  {},
		"":         {"a"},
	} {
		if diff := gocmp.Diff(want, x.Similar(word, 10)); diff != "" {
			t.Errorf("Similar(%q) (-want +got):\n%s", word, diff)
		}
	}
	if got := x.Similar("kettle", 2); !slices.Equal(got, []string{"kettel", "settle"}) {
		t.Errorf("the two most frequent are %v", got)
	}
}

func TestSimilarAgainstDefinition(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(1, 1))
	word := func() string {
		var b strings.Builder
		for range 1 + r.IntN(10) {
			b.WriteString(pick(r, "a", "b", "c", "é", "京"))
		}
		return b.String()
	}
	seen := map[string]bool{}
	var words []string
	x := New(testRules)
	for id := int64(1); id <= 4000; id++ {
		w := word()
		if !seen[w] {
			seen[w] = true
			words = append(words, w)
		}
		doc := Document{Meta: Meta{ID: id, Version: 1, Workspace: "a"}, Terms: []string{w}, TF: []int{1}, Len: 1}
		if err := x.Apply([]Document{doc}, nil); err != nil {
			t.Fatal(err)
		}
		if id%1500 == 0 {
			x.Compact(1)
		}
		if id > 3000 && id%50 == 0 {
			x.freeze() // many segments: two halves are gone through side by side
		}
	}
	slices.Sort(words)
	if len(x.segments) < 2*segmentsApart {
		t.Fatalf("there are %d segments", len(x.segments))
	}
	loaded := New(testRules)
	for _, c := range x.Changes() {
		if err := loaded.Load(c.Insert); err != nil {
			t.Fatal(err)
		}
	}
	for range 100 {
		w := word()
		edits := 1
		if len([]rune(w)) >= 8 {
			edits = 2
		}
		want := []string{}
		for _, v := range words {
			if d := distance([]rune(w), []rune(v)); d > 0 && d <= edits {
				want = append(want, v)
			}
		}
		got := x.Similar(w, 1e6)
		slices.Sort(got)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("Similar(%q) (-want +got):\n%s", w, diff)
		}
		got = loaded.Similar(w, 1e6)
		slices.Sort(got)
		if diff := gocmp.Diff(want, got); diff != "" {
			t.Fatalf("Similar(%q) of what was stored (-want +got):\n%s", w, diff)
		}
	}
}

func TestPrefix(t *testing.T) {
	t.Parallel()
	x := vocabulary(t, "get", "getter", "getuser", "gate", "getz", "東京", "東北")
	for prefix, want := range map[string][]string{
		"get": {"getz", "getuser", "getter", "get"},
		"g":   {"getz", "gate", "getuser", "getter", "get"},
		"東":   {"東北", "東京"},
		"x":   {},
	} {
		if diff := gocmp.Diff(want, x.Prefix(prefix, 10)); diff != "" {
			t.Errorf("Prefix(%q) (-want +got):\n%s", prefix, diff)
		}
	}
	if err := x.Apply(nil, []int64{1}); err != nil { // the only document of get
		t.Fatal(err)
	}
	if got := x.Prefix("get", 10); slices.Contains(got, "get") {
		t.Errorf("a term of no document is given: %v", got)
	}
}
