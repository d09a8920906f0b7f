package recall_test

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"engram/internal/recall"
)

// valueCase is a pair of texts of testdata/values.
type valueCase struct {
	ID, Verdict, Lang, A, B string
}

func valueCases(t *testing.T) []valueCase {
	t.Helper()
	f, err := os.Open("testdata/values/cases.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var cases []valueCase
	for lines := bufio.NewScanner(f); lines.Scan(); {
		var c valueCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		cases = append(cases, c)
	}
	return cases
}

// What a hint calls the same must be that, since who reads it may delete one of
// them; and most pairs of one fact with two values must be noticed.
func TestVerdictsOfValues(t *testing.T) {
	same, changed, all := map[string]int{}, map[string]int{}, map[string]int{}
	for _, c := range valueCases(t) {
		l := recall.Say(c.A).Compare(recall.Say(c.B))
		back := recall.Say(c.B).Compare(recall.Say(c.A))
		if l.Verdict() != back.Verdict() {
			t.Errorf("%s: %q one way, %q the other", c.ID, l.Verdict(), back.Verdict())
		}
		all[c.Verdict]++
		switch l.Verdict() {
		case recall.Same:
			same[c.Verdict]++
			if c.Verdict != "duplicate" {
				t.Errorf("%s is taken for the same: %q, %q", c.ID, c.A, c.B)
			}
		case recall.Changed:
			changed[c.Verdict]++
		}
	}
	t.Logf("same %v, changed %v, of %v", same, changed, all)
	if same["duplicate"] < 54 {
		t.Errorf("%d of %d duplicates noticed, want 54", same["duplicate"], all["duplicate"])
	}
	if changed["distinct"] < 75 || changed["contradict"] < 28 {
		t.Errorf("%v of %v noticed, want 75 distinct and 28 contradict", changed, all)
	}
	if changed["compatible"] > 11 {
		t.Errorf("%d of %d compatible pairs are said to contradict, want at most 11", changed["compatible"], all["compatible"])
	}
}

func TestVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		a, b string
		want recall.Verdict
	}{
		"equal":             {"Use UTC for all timestamps.", "use utc for all timestamps", recall.Same},
		"a denial":          {"The endpoint requires authentication.", "The endpoint doesn't require authentication.", recall.Changed},
		"typographic quote": {"The endpoint requires authentication.", "The endpoint doesn’t require authentication.", recall.Changed},
		"a path":            {"The template lives in web/templates/base.html.", "The template lives in web/template/base.html.", recall.Changed},
		"quoted path":       {"Config lives in config/app.yaml.", "The config lives in `config/app.yaml`.", recall.Same},
		"numbers change places": {
			"The sauce is two parts oil to one part vinegar.", "The sauce is one part oil to two parts vinegar.", recall.Changed,
		},
		"hyphen":       {"Never force-push to main.", "never force push to main", recall.Same},
		"other things": {"Grandma lives next to the church.", "The linter is golint.", recall.Unlike},
		"nothing":      {"", "", recall.Unlike},
		"only signs":   {"???", "!!!", recall.Unlike},
		"very long":    {strings.Repeat("word ", 5000), strings.Repeat("word ", 5000) + "end", recall.Same},
	} {
		t.Run(name, func(t *testing.T) {
			l := recall.Say(c.a).Compare(recall.Say(c.b))
			if got := l.Verdict(); got != c.want {
				t.Errorf("%.80q, %.80q: %q, want %q (%+v)", c.a, c.b, got, c.want, l)
			}
		})
	}
}

func BenchmarkSay(b *testing.B) {
	for b.Loop() {
		recall.Say("The connection pool of the billing service holds 20 connections; raise it in config/pool.yaml when workers starve.")
	}
}
