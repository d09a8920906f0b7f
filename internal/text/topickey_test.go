package text

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"engram"
)

type topicCase struct {
	ID, Type, Title, Content, Level string
	Expect                          json.RawMessage
	Family                          string
	SegmentAny                      []string `json:"segment_any"`
	SegmentNot                      []string `json:"segment_not"`
	Distinct                        []string
}

func TestSuggestTopicKeyCases(t *testing.T) {
	t.Parallel()
	counts := tally{}
	for _, c := range readCases[topicCase](t, "testdata/topickeys/cases.jsonl") {
		counts.add(t, c.ID, c.Level, topicProblem(c))
	}
	counts.log(t)
}

func topicProblem(c topicCase) string {
	if len(c.Distinct) > 0 {
		return distinctProblem(c)
	}
	key, err := SuggestTopicKey(c.Type, c.Title, c.Content)
	var refusal struct{ Error string }
	if json.Unmarshal(c.Expect, &refusal) == nil && refusal.Error != "" {
		if !errors.Is(err, engram.ErrInvalid) || !strings.Contains(err.Error(), refusal.Error) {
			return "no such error: " + key
		}
		return ""
	}
	if err != nil {
		return err.Error()
	}
	var want string
	if json.Unmarshal(c.Expect, &want) == nil && want != "" && key != want {
		return "got " + key + ", want " + want
	}
	if again, err := engram.NormalizeTopicKey(key); err != nil || again != key {
		return "is not the stored form of itself: " + key
	}
	family, segment, _ := strings.Cut(key, "/")
	if n := utf8.RuneCountInString(segment); n < 1 || n > 100 || strings.Trim(segment, "-") != segment || !utf8.ValidString(segment) {
		return "not a segment: " + segment
	}
	if c.Family == "" {
		return ""
	}
	if family != c.Family || len(c.SegmentAny) > 0 && !slices.Contains(c.SegmentAny, segment) || slices.Contains(c.SegmentNot, segment) {
		return "got " + key
	}
	return ""
}

func distinctProblem(c topicCase) string {
	seen := map[string]string{}
	for _, title := range c.Distinct {
		key, err := SuggestTopicKey(c.Type, title, c.Content)
		if err != nil {
			return err.Error()
		}
		if other, ok := seen[key]; ok {
			return title + " and " + other + " are both " + key
		}
		seen[key] = title
	}
	return ""
}

func TestSuggestTopicKey(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, typ, title, content, want string }{
		{"decomposed title", "bug", "Cafe\u0301", "", "bug/café"},
		{"credential in the title", "config", "Key AK" + "IA" + body(upperOnly, 16), "", "config/key"},
		{"only a credential in the title", "config", "AK" + "IA" + body(upperOnly, 16), "Deploy key of the site", "config/deploy-key-of-the-site"},
		{"private title", "", "Deploy <private>a</private>", "", "topic/deploy"},
		{"cleaned before", "[REDACTED]", "[REDACTED:github-token] rotation [REDACTED]", "", "topic/rotation"},
		{"a word in capitals", "", "REDACTED [REDACTED by law]", "", "topic/redacted-redacted-by-law"},
		{"type without letters", "!!", "Crash", "", "bug/crash"},
		{"two words", "", "Notes", "It was the root-cause", "discovery/notes"},
		{"content of marks", "decision", "", "- **We** keep it", "decision/we-keep-it"},
		{"devanagari keeps its marks", "bug", "हिन्दी", "", "bug/हिन्दी"},
		{"invalid bytes", "bug", "a\xffb", "", "bug/a-b"},
	} {
		got, err := SuggestTopicKey(c.typ, c.title, c.content)
		if err != nil || got != c.want {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
	long, err := SuggestTopicKey(strings.Repeat("very-long-type-", 20), strings.Repeat("語", 300), "")
	if err != nil || utf8.RuneCountInString(long) > engram.MaxTopicKey {
		t.Errorf("a long type gives %d characters, %v", utf8.RuneCountInString(long), err)
	}
}
