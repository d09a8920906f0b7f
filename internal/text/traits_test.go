package text

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTraitsOf(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		in   string
		want Traits
	}{
		{"", Brief},
		{"Did you feed the cat?", Asks | Brief},
		{"你喂猫了吗？", Asks | Brief},
		{"I moved here four years ago, to be near the sea", HasNumber | HasTime | HasPlace},
		{"Deploys go through staging first and then on", HasNumber},
		{"We met on Tuesday", HasTime | Brief},
		{"port 8080", HasNumber | Brief},
		{"the cache is kept in memory by the server itself", 0},
		{"He flew to Lisbon", HasPlace | HasPerson | Brief},
		{"Yes. Then came Ilse with it", HasPerson},
		{"Yes. Then came one with it", HasNumber},
		{"my cousin wrote about the whole long journey", HasPerson},
	} {
		if got := TraitsOf(c.in); got != c.want {
			t.Errorf("TraitsOf(%q) = %b, want %b", c.in, got, c.want)
		}
	}
}

// traitsByDefinition says the same as TraitsOf, word by word.
func traitsByDefinition(s string) Traits {
	var t Traits
	if strings.ContainsAny(s, "?？؟") {
		t |= Asks
	}
	words := strings.FieldsFunc(Fold(s), notInWord)
	for _, w := range words {
		for shows, set := range map[Traits]map[string]bool{HasTime: timeWords, HasPlace: placeWords, HasPerson: personWords, HasNumber: numberWords} {
			if set[w] {
				t |= shows
			}
		}
		if strings.ContainsFunc(w, unicode.IsDigit) {
			t |= HasNumber
		}
	}
	if len(words) < briefWords {
		t |= Brief
	}
	last, inside := "", false
	for _, w := range strings.Fields(s) {
		bare := strings.TrimFunc(w, notInWord)
		if first, _ := utf8.DecodeRuneInString(bare); inside && mayName(bare) && unicode.IsUpper(first) {
			if placeBefore[last] {
				t |= HasPlace
			} else {
				t |= HasPerson
			}
		}
		last = bare
		inside = bare != "" && !strings.ContainsAny(w[len(w)-1:], ".!?:\"")
	}
	return t
}

func TestTraitsAgainstDefinition(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 4))
	pieces := []string{
		"in", "at", "Lisbon", "\"Ilse\"", "(Bob)", "I'm", "yesterday", "Tuesday", "Mañana", "MAÑANA", "8", "v1.2", "²", "½", "٣", "twelve", "Twice", "city", "office",
		"mother", "roommate", "the", "he", "He", "--", "…", "?", "？", "ﬁrst", "\u00adday", "da\u0301y", "猫", "東京", "Ж", "a", "zz", "\xff", "universities", "x_y", "colleagues",
		strings.Repeat("long ", 300),
	}
	for range 3000 {
		var b strings.Builder
		for range r.IntN(14) {
			b.WriteString(pieces[r.IntN(len(pieces))])
			b.WriteString([]string{" ", ". ", ", ", "\n", "", ": "}[r.IntN(6)])
		}
		if got, want := TraitsOf(b.String()), traitsByDefinition(b.String()); got != want {
			t.Fatalf("TraitsOf(%q) = %b, want %b", b.String(), got, want)
		}
	}
}

func BenchmarkTraitsOf(b *testing.B) {
	s := strings.Repeat("We met Ilse in Lisbon on the way to the cache that keeps every answer of the server. ", 5)
	for b.Loop() {
		TraitsOf(s)
	}
}
