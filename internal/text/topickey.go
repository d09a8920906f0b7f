package text

import (
	"regexp"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"engram"
)

const (
	maxSegment    = 100  // runes
	maxFamily     = 40   // runes, of a type that is its own family
	segmentWords  = 8    // words of the content that stand in for a title
	maxTopicText  = 4096 // bytes of a text that are looked at
	otherFamily   = "topic"
	noSegment     = "general"
	topicKeyError = "title or content is required"
)

// topicFamilies are the families of the known types.
var topicFamilies = map[string]string{
	"architecture": "architecture", "design": "architecture", "adr": "architecture", "refactor": "architecture",
	"bug": "bug", "bugfix": "bug", "fix": "bug", "incident": "bug", "hotfix": "bug",
	"decision": "decision",
	"pattern":  "pattern", "convention": "pattern", "guideline": "pattern",
	"config": "config", "setup": "config", "infra": "config", "infrastructure": "config", "ci": "config",
	"discovery": "discovery", "investigation": "discovery", "root-cause": "discovery",
	"learning": "learning", "learn": "learning",
	"session-summary": "session",
}

// topicWords are the words that show a family when the type shows none, in the
// order in which they are asked.
var topicWords = []struct {
	family string
	words  string
}{
	{"bug", "bug bugs fix fixes fixed bugfix panic panics error errors crash crashes crashed regression regressions incident incidents hotfix hotfixes"},
	{"architecture", "architecture design designs adr adrs boundary boundaries hexagonal refactor refactored refactoring"},
	{"decision", "decision decisions tradeoff tradeoffs chose choose chosen decide decided"},
	{"pattern", "pattern patterns convention conventions naming guideline guidelines"},
	{"config", "config configs setup environment environments env docker pipeline pipelines"},
	{"discovery", "discovery discoveries discover discovered investigate investigated investigation investigations found root-cause root-causes"},
	{"learning", "learned learnt learning learnings"},
}

// SuggestTopicKey proposes a key family/segment for a memory: the family from
// its type, else from the words of title and content, the segment from the
// title, else from the first words of the content. Letters and digits of every
// script count. Private text and credentials do not get into it. It is
// [engram.ErrInvalid] when there is neither a title nor a content.
func SuggestTopicKey(typ, title, content string) (string, error) {
	title = cleanForKey(title)
	clean := sync.OnceValue(func() string { return cleanForKey(content) }) // a long one takes a while, and is seldom needed
	if strings.TrimSpace(title) == "" && strings.TrimSpace(clean()) == "" {
		return "", engram.Errorf(engram.ErrInvalid, topicKeyError).
			WithCode("title_or_content_required").WithHint("give the title or the text of the memory")
	}
	family := topicFamily(slug(cleanForKey(typ), maxFamily), title, clean)
	segment := slug(title, maxSegment)
	if segment == "" {
		segment = leadingSlug(clean())
	}
	if segment = strings.TrimPrefix(segment, family+"-"); segment == "" || segment == family {
		segment = noSegment
	}
	if room := engram.MaxTopicKey - 1 - utf8.RuneCountInString(family); utf8.RuneCountInString(segment) > room {
		segment = slug(segment, room)
	}
	return family + "/" + segment, nil
}

func cleanForKey(s string) string {
	s, _ = StripPrivate(s)
	s, _ = RedactSecrets(s[:clusterBoundary(s, min(len(s), maxTopicText))])
	if !strings.Contains(s, "[REDACTED") {
		return s
	}
	return redactionMark.ReplaceAllString(s, " ")
}

// redactionMark is what stands where something was taken out: it says nothing
// about the subject, and all such subjects would share a key.
var redactionMark = regexp.MustCompile(`\[REDACTED(?::[a-z0-9-]+)?\]`)

func topicFamily(typ, title string, clean func() string) string {
	if f, ok := topicFamilies[typ]; ok {
		return f
	}
	if typ != "" && typ != engram.TypeManual {
		return typ
	}
	content := clean()
	words := "-" + slug(title, len(title)+1) + "-" + slug(content, len(content)+1) + "-"
	for _, f := range topicWords {
		for w := range strings.FieldsSeq(f.words) {
			if strings.Contains(words, "-"+w+"-") {
				return f.family
			}
		}
	}
	return otherFamily
}

// leadingSlug is the slug of the first words of s that have letters or digits.
func leadingSlug(s string) string {
	var words []string
	for w := range strings.FieldsSeq(s) {
		if hasWord(w) {
			words = append(words, w)
		}
		if len(words) == segmentWords {
			break
		}
	}
	return slug(strings.Join(words, " "), maxSegment)
}

// slug is s in composed lower case with every run of what is neither letter
// nor digit as one dash, none at the ends, cut at max runes.
func slug(s string, max int) string {
	s = norm.NFC.String(strings.ToLower(ValidUTF8(s)))
	var b strings.Builder
	gap := false
	for _, r := range s {
		switch {
		case isWordRune(r), unicode.IsNumber(r), unicode.IsMark(r) && b.Len() > 0 && !gap && !unicode.Is(unicode.Variation_Selector, r):
			if gap && b.Len() > 0 {
				b.WriteByte('-')
			}
			gap = false
			b.WriteRune(r)
		default:
			gap = true
		}
	}
	out := b.String()
	if end := runeOffset(out, max); end < len(out) {
		out = strings.TrimRight(out[:clusterBoundary(out, end)], "-")
	}
	return out
}
