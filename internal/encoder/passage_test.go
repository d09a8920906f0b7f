package encoder

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"engram/internal/embed"
)

// passagesOf gives the tokens of each passage, without [CLS] and [SEP].
func passagesOf(t testing.TB, text string, most int) [][]uint16 {
	t.Helper()
	w := &worker{table: embed.Static()}
	n := w.passages(text, most)
	if n != len(w.ends) || n > most {
		t.Fatalf("%d passages, %d ends, at most %d wanted", n, len(w.ends), most)
	}
	out := make([][]uint16, n)
	begin := 0
	for i, end := range w.ends {
		ids := w.ids[begin:end]
		if len(ids) < 3 || len(ids) > PassageTokens || ids[0] != tokenCLS || ids[len(ids)-1] != tokenSEP {
			t.Fatalf("passage %d of %d tokens: %v", i, len(ids), ids)
		}
		out[i] = ids[1 : len(ids)-1]
		begin = end
	}
	return out
}

func spelled(ids []uint16) string {
	var b strings.Builder
	for _, id := range ids {
		b.WriteString(embed.Static().Token(id) + " ")
	}
	return strings.TrimSpace(b.String())
}

func TestSentences(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ text, want string }{
		{"One. Two", "One."},
		{"v1.2.3 is out! Yes", "v1.2.3 is out!"},
		{"Really? Yes", "Really?"},
		{"a line\nanother", "a line\n"},
		{"数据库。连接池", "数据库。"},
		{"no end", "no end"},
		{"the end.", "the end."},
		{"\xff\xfe bytes. More", "\xff\xfe bytes."},
		{strings.Repeat("word ", 1000), strings.Repeat("word ", 819)},
		{strings.Repeat("字", 3000), strings.Repeat("字", 1366)},
	} {
		if got := c.text[:sentence(c.text)]; got != c.want {
			t.Errorf("first sentence of %.40q is %.40q (%d bytes), want %d bytes", c.text, got, len(got), len(c.want))
		}
	}
}

func TestPassages(t *testing.T) {
	t.Parallel()
	line := func(n int) string { return strings.TrimSpace(strings.Repeat("tea ", n)) + ".\n" } // n + 1 tokens
	for name, c := range map[string]struct {
		text string
		want []int // tokens of each passage
	}{
		"nothing":                             {" \n", nil},
		"one that just fits":                  {line(125), []int{126}},
		"two sentences, cut between them":     {line(79) + line(69), []int{80, 70}},
		"no remainder of a few words":         {strings.Repeat(line(9), 13), []int{60, 70}},
		"a sentence too long for one":         {line(199), []int{100, 100}},
		"a short sentence before such a one":  {line(9) + line(199), []int{105, 105}},
		"the rest after sixteen is not read":  {strings.Repeat(line(125), 20), slices.Repeat([]int{126}, 16)},
		"… and not if it has no sentences":    {strings.Repeat("tea ", 3000), slices.Repeat([]int{126}, 16)},
		"a rest of a word is not cut off":     {strings.Repeat("unaffable ", 60), []int{90, 90}},
		"lines of Chinese, a token each sign": {strings.Repeat("数据库连接池。", 30), []int{105, 105}},
	} {
		var got []int
		for _, p := range passagesOf(t, c.text, MaxPassages) {
			got = append(got, len(p))
			if strings.HasPrefix(embed.Static().Token(p[0]), "##") {
				t.Errorf("%s: a passage begins inside a word", name)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: passages of %v tokens, want %v", name, got, c.want)
		}
	}
}

func TestQuestionIsReadUpToAPassage(t *testing.T) {
	t.Parallel()
	var words []string
	for i := range 200 {
		words = append(words, fmt.Sprint(i%10))
	}
	got := passagesOf(t, strings.Join(words, " "), 1)
	if len(got) != 1 || len(got[0]) != passageRoom {
		t.Errorf("%d passages, %q", len(got), spelled(got[0]))
	}
}

// FuzzText cuts any text: nothing is lost or doubled before the last passage, each has a vector.
func FuzzText(f *testing.F) {
	needModel(f)
	e := New()
	for _, g := range readGolden(f) {
		f.Add(g.Text)
	}
	f.Add(strings.Repeat("One sentence. Another! ", 90))
	f.Add("\xff\n\n。。. .\u0301é. e\u0301\u3099")
	f.Fuzz(func(t *testing.T, text string) {
		whole := embed.Static().WordPieces(nil, text)
		passages := passagesOf(t, text, MaxPassages)
		joined := slices.Concat(passages...)
		if len(text) <= maxSentence && !slices.Equal(joined, whole[:len(joined)]) {
			t.Errorf("passages are %q, the text is %q", spelled(joined), spelled(whole))
		}
		if len(passages) < MaxPassages && len(text) <= maxSentence && len(joined) != len(whole) {
			t.Errorf("%d of %d tokens are in passages", len(joined), len(whole))
		}
		v, err := e.Question(t.Context(), text)
		if err != nil || (v == nil) != (len(whole) == 0) {
			t.Fatalf("%d tokens, a vector of %d, error %v", len(whole), len(v), err)
		}
		if v != nil {
			checkUnit(t, v)
		}
	})
}
