// Package document says what of a memory is searched: which of its texts give its
// terms, which give its vector and the tokens that words are compared by. Engines
// index what it makes, each in its own way, so that one store finds what the other
// finds. How terms and vectors are made is the affair of packages text and embed.
package document

import (
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"sync"

	"engram/internal/embed"
	"engram/internal/text"
)

// Text is a version of a memory as search sees it.
type Text struct {
	Type, Speaker, Title, Content, TopicKey string
	Files                                   []string

	titleKnown bool // to say something that the content does not
}

// Terms gives the terms of all that is searched in a memory, and that of its type,
// which makes no text longer.
func (t *Text) Terms() text.Doc {
	d := text.Analyze(append([]string{t.Speaker, t.ownTitle(), t.Content, t.TopicKey}, t.Files...)...)
	if term := text.TypeTerm(t.Type); term != "" {
		d.Terms, d.TF = append(d.Terms, term), append(d.TF, 1)
	}
	return d
}

const (
	// embeddedTokens is of how many tokens a vector is made: what a longer text is
	// about, it says at its beginning, or only its passages could say.
	embeddedTokens = 1500
	// keptTokens is how many of them are kept for comparing words.
	keptTokens = 256
)

// Embed gives the tokens of what a memory says, and its vector, of length 1, nil when
// the built-in table knows none of its words. buf is written over.
func (t *Text) Embed(buf *[]uint16) (tokens []uint16, unit []float32) {
	said := t.Content
	if title := t.ownTitle(); title != "" {
		said = title + "\n" + said
	}
	*buf = embed.Static().Tokens((*buf)[:0], said)
	all := (*buf)[:min(len(*buf), embeddedTokens)]
	unit, _ = embed.Static().TokensVector(all)
	return slices.Clone(all[:min(len(all), keptTokens)]), unit
}

// Traits are those of what a memory says.
func (t *Text) Traits() uint16 { return uint16(text.TraitsOf(t.Content)) }

// madeTitle is from how many bytes on a title that the content begins with is
// taken for one that a client cut off it.
const madeTitle = 40

// ownTitle is the title, or "" where it was made from the content: it would count
// the content's first words twice.
func (t *Text) ownTitle() string {
	if !t.titleKnown {
		t.titleKnown = true
		if t.saysTitle() {
			t.Title = ""
		}
	}
	return t.Title
}

// saysTitle reports whether the title was made from the content.
func (t *Text) saysTitle() bool {
	if t.Title == t.Content || text.TitleOf(t.Title, t.Content) {
		return true
	}
	begin := strings.TrimRight(t.Title, "….")
	return len(begin) >= madeTitle && strings.HasPrefix(t.Content, begin)
}

// Rules is a number of what is made of texts: it differs when the terms of some
// samples do, or the embedder is another one, so that what was made by other rules
// is not used.
var Rules = sync.OnceValue(func() int {
	const english = `The engineers were running getUserByID and snake_case_name quickly, v1.2.3 at /etc/hosts, 42 % of it.`
	h := fnv.New32a()
	for _, t := range []Text{
		{Type: "decision", Speaker: "Ana", Title: "Two houses", Content: english, TopicKey: "some/topic", Files: []string{"src/main_test.go"}},
		{Title: text.Title("", english), Content: english},
		{Content: `Los niños corrían; die Häuser, les chevaux, gli amici, as crianças; привет мира`},
		{Content: `東京タワーへ行った。数据库 한국어 문장 ภาษาไทย 🎉`},
	} {
		d := t.Terms()
		tf := map[string]int{}
		for i, term := range d.Terms {
			tf[term] = d.TF[i]
		}
		fmt.Fprintln(h, d.Len, t.Traits())
		for _, term := range slices.Sorted(maps.Keys(tf)) {
			fmt.Fprintln(h, term, tf[term])
		}
	}
	fmt.Fprintln(h, embed.Static().Model(), embeddedTokens, keptTokens)
	return int(h.Sum32())
})
