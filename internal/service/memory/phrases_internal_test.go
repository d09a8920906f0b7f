package memory

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"engram"
)

// long is a text of n bytes with a phrase at its end.
func long(n int, phrase string) string {
	const filler = "the deploy of the mailer was late again and nobody knew "
	return strings.Repeat(filler, n/len(filler)) + phrase
}

func TestPhraseReader(t *testing.T) {
	t.Parallel()
	phrase := [][]string{{"queue", "was", "full"}, {"no", "such", "words"}}
	const end = "because the queue was full"
	many := func(n int, m engram.Memory) (ms []*engram.Memory) {
		for range n {
			ms = append(ms, &m)
		}
		return ms
	}
	for _, c := range []struct {
		name string
		ms   []*engram.Memory
		want string // how many phrases each has
		full bool   // everything allowed was read
	}{
		{"none", nil, "[]", false},
		{"in a title", many(2, engram.Memory{Title: end, Content: "-"}), "[1 1]", false},
		{"in short ones", many(phrasePool, engram.Memory{Content: end}), fmt.Sprint(ones(phrasePool, phrasePool)), false},
		{"at the end of a long one", many(1, engram.Memory{Content: long(1<<20, end)}), "[1]", false},
		{"at the end of ten long ones", many(10, engram.Memory{Content: long(1<<20, end)}), fmt.Sprint(ones(1, 10)), true},
		{"at the beginning of as many as there are", many(phrasePool, engram.Memory{Content: end + ": " + long(1<<20, "")}), fmt.Sprint(ones(phrasePool, phrasePool)), true},
		{"short behind long", append(many(9, engram.Memory{Content: long(1<<20, "")}), &engram.Memory{Content: end}), "[0 0 0 0 0 0 0 0 0 1]", true},
	} {
		r := newPhraseReader(phrase, c.ms)
		if err := r.read(t.Context()); err != nil {
			t.Fatal(err)
		}
		got := make([]int, len(c.ms))
		for i := range got {
			got[i] = r.has(i)
		}
		if fmt.Sprint(got) != c.want {
			t.Errorf("%s: found %v, want %s", c.name, got, c.want)
		}
		if r.left < 0 || c.full != (r.left < 100) {
			t.Errorf("%s: %d bytes of %d were left", c.name, r.left, phraseBytes)
		}
	}
}

func ones(n, of int) []int {
	out := make([]int, of)
	for i := range n {
		out[i] = 1
	}
	return out
}

func TestPhraseReaderStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := newPhraseReader([][]string{{"queue"}}, []*engram.Memory{{Content: "queue"}})
	if err := r.read(ctx); !errors.Is(err, context.Canceled) || r.left != phraseBytes {
		t.Errorf("read %d bytes after the end: %v", phraseBytes-r.left, err)
	}
}
