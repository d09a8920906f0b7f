package embed

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// PassageTokens is the most tokens of a passage. The vector of a longer text
// says what it is about on the whole, and not what it says in one place.
const PassageTokens = 128

// span is a piece of a text that passages are made of.
type span struct {
	start, end int
	tokens     int
	paragraph  bool // begins one
}

// Passages cuts a text into pieces that have a vector each, of PassageTokens at
// most and of nearly the same size, between paragraphs or sentences where it can.
// Together they are the text, but for the blanks between them. A text that is
// short enough is one passage, one of blanks only none.
func (t *Table) Passages(text string) []string {
	if t.count(text) <= PassageTokens {
		if text = strings.TrimSpace(text); text == "" {
			return nil
		}
		return []string{text}
	}
	var c cutter
	c.table, c.text = t, text
	c.sentences()
	return c.pack()
}

// count gives the number of tokens, or more than PassageTokens.
func (t *Table) count(text string) int {
	var buf [PassageTokens + maxWord + 1]uint16
	lx := lexer{table: t, dst: buf[:0], limit: PassageTokens + 1, names: true}
	lx.read(text)
	return len(lx.dst)
}

type cutter struct {
	table *Table
	text  string
	spans []span
	total int
}

// sentences finds where lines and sentences end.
func (c *cutter) sentences() {
	start, paragraph := 0, true
	for i := 0; i < len(c.text); {
		r, size := utf8.DecodeRuneInString(c.text[i:])
		i += size
		if r != '\n' && !endsSentence(r, c.text[i:]) {
			continue
		}
		c.sentence(start, i, paragraph)
		start, paragraph = i, r == '\n' && strings.HasPrefix(strings.TrimLeft(c.text[i:], " \t\r"), "\n") ||
			paragraph && strings.TrimSpace(c.text[start:i]) == ""
	}
	c.sentence(start, len(c.text), paragraph)
}

func endsSentence(r rune, rest string) bool {
	switch r {
	case '。', '！', '？', '．', '।', '؟':
		return true
	case '.', '!', '?', '…':
		return rest != "" && (rest[0] == ' ' || rest[0] == '\t' || rest[0] == '\r')
	}
	return false
}

// sentence keeps a sentence, or the words of one that is too long.
func (c *cutter) sentence(start, end int, paragraph bool) {
	s := span{start: start, end: end, paragraph: paragraph}
	if strings.TrimSpace(c.text[start:end]) == "" {
		return
	}
	if s.tokens = c.table.count(c.text[start:end]); s.tokens <= PassageTokens {
		c.keep(s)
		return
	}
	from := start
	for i, r := range c.text[start:end] {
		at := start + i
		if unicode.IsSpace(r) || at+utf8.RuneLen(r)-from > PassageTokens {
			c.word(from, at, &paragraph)
			from = at
		}
	}
	c.word(from, end, &paragraph)
}

// word keeps a word, which has no more bytes than a passage may have tokens.
func (c *cutter) word(start, end int, paragraph *bool) {
	if start < end {
		c.keep(span{start, end, c.table.count(c.text[start:end]), *paragraph})
		*paragraph = false
	}
}

func (c *cutter) keep(s span) {
	c.spans = append(c.spans, s)
	c.total += s.tokens
}

// pack joins spans to passages of nearly the same size.
func (c *cutter) pack() []string {
	n := (c.total + PassageTokens - 1) / PassageTokens
	aim := (c.total + n - 1) / n
	passages := make([]string, 0, n+1)
	start, size := 0, 0
	cut := func(end int) {
		if s := strings.TrimSpace(c.text[start:end]); s != "" {
			passages = append(passages, s)
		}
		start, size = end, 0
	}
	for _, s := range c.spans {
		over := size+s.tokens > PassageTokens
		if size > 0 && (over || size >= aim || s.paragraph && size >= aim/2) {
			cut(s.start)
		}
		size += s.tokens
	}
	cut(len(c.text))
	return passages
}
