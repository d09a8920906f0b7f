package recall

import (
	"math"
	"strings"
	"time"
	"unicode"

	"engram/internal/text"
)

// The budgeter's formula: what an item is worth beside what is packed already.
const (
	packRelevance  = 0.5
	packRecency    = 0.2
	packImportance = 0.2
	packDiversity  = 0.1
	packHalfLife   = 7 * 24 * time.Hour
)

// separator is what parts an item from the next, in tokens.
const separator = 1

// Item is a hit that may be packed.
type Item struct {
	Text       string // as it will stand in the pack
	Relevance  float64
	Importance float64
	OccurredAt time.Time
}

// Packed says what became of one item.
type Packed struct {
	Index      int     `json:"index"` // of the item
	Tokens     int     `json:"tokens"`
	Relevance  float64 `json:"relevance"`
	Recency    float64 `json:"recency"`
	Importance float64 `json:"importance"`
	Diversity  float64 `json:"diversity"` // 1 - the greatest overlap with what was packed before
	Score      float64 `json:"score"`
	Left       int     `json:"left"` // tokens of the budget, when its turn came
	Kept       bool    `json:"kept"` // false: it did not fit
}

// Pack chooses items for a budget of tokens, one by one: each time the one with
// the best score beside what is chosen already, which falls with the share of
// words that it repeats. What does not fit is left out and the next one is tried.
// It gives every item once, in the order of choice; ties go to the earlier item.
func Pack(items []Item, budget int, now time.Time) []Packed {
	return pack(items, budget, now, func(waiting []Packed) int {
		best := 0
		for i := range waiting {
			if waiting[i].Score > waiting[best].Score {
				best = i
			}
		}
		return best
	})
}

// PackInOrder chooses them as they come, for a question that asks for an order.
func PackInOrder(items []Item, budget int, now time.Time) []Packed {
	return pack(items, budget, now, func([]Packed) int { return 0 })
}

func pack(items []Item, budget int, now time.Time, choose func(waiting []Packed) int) []Packed {
	words := make([]map[string]bool, len(items))
	waiting := make([]Packed, len(items))
	for i, it := range items {
		words[i] = wordSet(it.Text)
		waiting[i] = Packed{
			Index: i, Tokens: Tokens(it.Text) + separator, Relevance: it.Relevance, Importance: it.Importance,
			Recency: recency(it.OccurredAt, now), Diversity: 1,
		}
	}
	out := make([]Packed, 0, len(items))
	for len(waiting) > 0 {
		for i := range waiting {
			waiting[i].Score = waiting[i].worth()
		}
		next := choose(waiting)
		p := waiting[next]
		waiting = append(waiting[:next], waiting[next+1:]...)
		p.Left = budget
		if p.Tokens <= budget {
			p.Kept = true
			budget -= p.Tokens
			for i := range waiting {
				w := &waiting[i]
				w.Diversity = min(w.Diversity, 1-overlap(words[p.Index], words[w.Index]))
			}
		}
		out = append(out, p)
	}
	return out
}

func (p *Packed) worth() float64 {
	return packRelevance*p.Relevance + packRecency*p.Recency + packImportance*p.Importance + packDiversity*p.Diversity
}

func recency(t, now time.Time) float64 {
	if t.IsZero() {
		return 0
	}
	return math.Pow(0.5, max(0, float64(now.Sub(t))/float64(packHalfLife)))
}

// Tokens estimates how many tokens a model counts for s: a quarter of its bytes,
// and 0.7 for each character of a script without spaces.
func Tokens(s string) int {
	var bytes, runs int
	for _, r := range s {
		switch {
		case r < unicode.MaxLatin1:
			bytes++
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul):
			runs++
		default:
			bytes += len(string(r))
		}
	}
	return int(math.Ceil(float64(bytes)/4 + 0.7*float64(runs)))
}

// wordSet is what overlap compares: folded words, and the characters of scripts
// without spaces two by two.
func wordSet(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(text.Fold(s), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		runes := []rune(w)
		if !unicode.In(runes[0], unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul) {
			set[w] = true
			continue
		}
		for i := range len(runes) - 1 {
			set[string(runes[i:i+2])] = true
		}
	}
	return set
}

// overlap is the share of the words of both that both have (Jaccard).
func overlap(a, b map[string]bool) float64 {
	if len(a) > len(b) {
		a, b = b, a
	}
	both := 0
	for w := range a {
		if b[w] {
			both++
		}
	}
	if all := len(a) + len(b) - both; all > 0 {
		return float64(both) / float64(all)
	}
	return 0
}
