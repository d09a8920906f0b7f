package embed

import (
	"math"
	"strings"
	"testing"
)

func weightOne(uint16) float32 { return 1 }

// slowMatch is Match said plainly.
func slowMatch(t *Table, question, tokens []uint16, weight func(uint16) float32, length float64) (m Match) {
	var total float64
	asked := map[uint16]bool{}
	counts := map[uint16]float64{}
	for _, id := range tokens {
		counts[id]++
	}
	for _, q := range question {
		w := float64(weight(q))
		if asked[q] || !t.Known(q) || w <= 0 {
			continue
		}
		asked[q] = true
		total += w
		var soft, expanded float64
		stands := func(id uint16, cosine, factor float64) {
			if tf := counts[id]; tf > 0 {
				norm := bm25K1 * (1 - bm25B + bm25B*float64(len(tokens))/length)
				soft = max(soft, cosine)
				expanded = max(expanded, factor*float64(weight(id))*tf*(bm25K1+1)/(tf+norm))
			}
		}
		stands(q, 1, 1)
		for n := range t.Neighbours(q) {
			stands(n.Token, float64(n.Cosine), related*float64(n.Cosine))
		}
		m.Soft += w * soft
		m.Expanded += expanded
	}
	if total > 0 {
		m.Soft /= total
		m.Expanded /= total
	}
	return m
}

func TestMatchAgreesWithThePlainWay(t *testing.T) {
	t.Parallel()
	table := Static()
	texts := []string{
		"We moved the billing service from MySQL to PostgreSQL 16.",
		"which database does the billing service use, and when was the database moved?",
		"Deploys are frozen until Thursday; the rollout of the new servers waits.",
		"my cat likes fish", "数据库", "", benchText,
	}
	for _, q := range texts {
		question := table.Tokens(nil, q)
		for name, weight := range map[string]func(uint16) float32{"one": weightOne, "row": table.Weight} {
			m := table.NewMatcher(question, weight)
			for _, text := range texts {
				tokens := table.Tokens(nil, text)
				got, want := m.Match(tokens, 30), slowMatch(table, question, tokens, weight, 30)
				if math.Abs(got.Soft-want.Soft) > 1e-6 || math.Abs(got.Expanded-want.Expanded) > 1e-6 {
					t.Errorf("%q in %q, weight %s: %+v, want %+v", q, text, name, got, want)
				}
			}
		}
	}
}

func TestMatchFindsMeaning(t *testing.T) {
	t.Parallel()
	table := Static()
	m := table.NewMatcher(table.Tokens(nil, "is anyone allergic to nuts"), table.Weight)
	near := m.Match(table.Tokens(nil, "Tom has an allergy: peanuts."), 10)
	far := m.Match(table.Tokens(nil, "The train leaves at nine."), 10)
	if near.Soft < far.Soft+0.2 || near.Expanded < far.Expanded+0.2 {
		t.Errorf("near %+v, far %+v", near, far)
	}
	same := table.Tokens(nil, "is anyone allergic to nuts")
	if got := m.Match(same, 10).Soft; math.Abs(got-1) > 1e-9 {
		t.Errorf("a question matches itself by %v, want 1", got)
	}
}

func TestMatchOfOddQuestions(t *testing.T) {
	t.Parallel()
	table := Static()
	var many []uint16
	for i := range 2000 {
		many = append(many, uint16(i+2000))
	}
	for name, question := range map[string][]uint16{
		"empty": nil, "unknown": {0, 100, 65535}, "many": many, "repeated": {2088, 2088, 2088},
	} {
		m := table.NewMatcher(question, weightOne)
		got := m.Match([]uint16{2088, 0, 65535}, 0)
		if want := name == "many" || name == "repeated"; (got.Soft > 0) != want {
			t.Errorf("%s: %+v", name, got)
		}
		if again := m.Match([]uint16{2088, 0, 65535}, 0); again != got {
			t.Errorf("%s: %+v at first, then %+v", name, got, again)
		}
	}
	nothing := table.NewMatcher([]uint16{2088}, func(uint16) float32 { return float32(math.NaN()) })
	if got := nothing.Match([]uint16{2088}, 1); got != (Match{}) {
		t.Errorf("a question worth nothing: %+v", got)
	}
}

func TestExpand(t *testing.T) {
	t.Parallel()
	table := Static()
	question := table.Tokens(nil, "refuse deploy refuse")
	got := table.Expand(question)
	own := 0
	for _, e := range got {
		if e.Of >= len(question) || e.Of == 2 {
			t.Errorf("%+v is of no token, or of one that is repeated", e)
		}
		if e.Weight == 1 {
			own++
			if e.Token != question[e.Of] {
				t.Errorf("%+v weighs as much as the token itself", e)
			}
		} else if e.Weight > related || e.Weight < 0.27 {
			t.Errorf("%+v: weight out of 0.7 × [0.4, 1]", e)
		}
	}
	if own != 2 || len(got) < 10 {
		t.Errorf("%d tokens of the question among %d", own, len(got))
	}
}

func TestPassages(t *testing.T) {
	t.Parallel()
	table := Static()
	sentence := "The pool was exhausted when the report job ran. "
	paragraph := strings.Repeat(sentence, 6)
	for name, c := range map[string]struct {
		text string
		want int
	}{
		"empty":             {" \n\n ", 0},
		"short":             {" a short one \n", 1},
		"two paragraphs":    {paragraph + "\n\n" + paragraph, 1},
		"many paragraphs":   {strings.Repeat(paragraph+"\n\n", 8), 8},
		"one line":          {strings.Repeat(sentence, 40), 4},
		"one sentence":      {strings.Repeat("word and word ", 300), 8},
		"no blanks":         {strings.Repeat("ab;", 400), 9},
		"Han without marks": {strings.Repeat("日本人", 300), 8},
	} {
		got := table.Passages(c.text)
		if len(got) != c.want {
			t.Errorf("%s: %d passages, want %d", name, len(got), c.want)
		}
		if withoutSpace(strings.Join(got, "")) != withoutSpace(c.text) {
			t.Errorf("%s: passages are not the text", name)
		}
		for _, p := range got {
			if n := len(table.Tokens(nil, p)); n > PassageTokens+2 {
				t.Errorf("%s: a passage of %d tokens", name, n)
			}
			if len(got) > 1 && strings.HasPrefix(name, "many") && !strings.HasSuffix(p, "ran.") {
				t.Errorf("%s: cut inside a sentence: …%q", name, p[len(p)-20:])
			}
		}
	}
}
