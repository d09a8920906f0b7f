package text

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Query is a query as text sees it.
type Query struct {
	Words []Word
	// Phrases are what stood in quotes, as folded words in order, the first few of
	// them and each once; PhraseFinder looks for them. An unclosed quote is no phrase.
	Phrases  [][]string
	Language string   // "en", "es" …, "" when it is not clear
	Cut      bool     // it has more words than are looked up
	Runs     []string // of scripts without spaces, without what names the window
}

// WordKind is what sort of thing a word is.
type WordKind uint8

// The kinds of words.
const (
	Plain      WordKind = iota // a word of a language
	Identifier                 // a name as code has it; its parts follow as words of their own
	Number                     // a number, version, date or address
	CJK                        // characters of a script without spaces
	Symbol                     // an emoji or another sign
)

// Word is one word of a query with the index terms that may stand for it.
type Word struct {
	Surface string   // folded
	Forms   []string // index terms, the best (stem) first, the surface form among them; never empty
	Kind    WordKind
	Stop    bool // a function word of its language: counts for nothing alone
	Name    bool // capitalised inside the query (not its first word), or all capitals
	Prefix  bool // Forms are prefixes: one character that may begin a bigram
	// Part marks a part of the Identifier before it. Who has the whole has the
	// parts, and who has all parts has the whole in another spelling.
	Part bool
	When bool // it stands nowhere but in the words of the query's window
}

// MaxQueryWords bounds the words of a query that are looked up, each counted
// once, and how many of its function words are kept beside them.
const MaxQueryWords = 256

// AnalyzeQuery takes a query apart. Every character is text, none an operator.
// Each word comes once; of a query that is a whole text the first words count, and
// it says so.
func AnalyzeQuery(q string) Query { return AnalyzeTimedQuery(q, Window{}) }

// AnalyzeTimedQuery does the same for a query that means a window, as [QueryWindow]
// found it there: it says which words do no more than name that. A run of a script
// without spaces is parted where they begin and end.
func AnalyzeTimedQuery(q string, w Window) Query {
	q = clean(q)
	b := queryBuilder{seen: map[string]int{}, phrase: strings.Fields(w.Phrase)}
	b.read(q, w.within(q))
	lang := b.votes.ofQuery()
	for i := range b.found {
		b.finish(&b.found[i], lang)
	}
	return Query{Words: b.words, Phrases: phrases(q), Language: languageCodes[lang], Cut: b.cut, Runs: b.runs}
}

// foundWord is a word of a query before its language is known.
type foundWord struct {
	word   Word
	lexeme *lexeme // of a Plain word
	weak   bool    // counts for nothing alone in any language
}

type queryBuilder struct {
	splitter splitter
	found    []foundWord
	words    []Word
	seen     map[string]int // words by their place in found
	votes    ballot
	content  int
	cut      bool // a word came when it was full
	runs     []string
	phrase   []string
	when     bool // what is at hand names the window …
	partly   bool // … or some of it does
}

func (b *queryBuilder) full() bool {
	return b.content >= MaxQueryWords || len(b.found) >= 2*MaxQueryWords
}

func (b *queryBuilder) read(q string, window stretch) {
	sc := scanner{s: q}
	for !b.cut {
		t, ok := sc.next()
		if !ok {
			return
		}
		at := stretch{sc.pos - len(t.text), sc.pos}
		b.when, b.partly = at.within(window), at.meets(window)
		switch t.kind {
		case wordToken:
			if t.plain {
				b.unit(unit{text: t.text}, t.first)
				continue
			}
			for _, u := range b.splitter.split(t.text) {
				b.unit(u, t.first)
			}
		case symbolToken:
			b.add(Word{Surface: t.text, Forms: []string{t.text}, Kind: Symbol}, nil, false)
		case runToken, thaiToken:
			b.parted(t.text, window.from-at.from, window.to-at.from)
		}
	}
}

// parted reads a run in up to three parts: before, within and behind what names
// the window.
func (b *queryBuilder) parted(s string, from, to int) {
	from = min(max(from, 0), len(s))
	to = min(max(to, from), len(s))
	for i, part := range []string{s[:from], s[from:to], s[to:]} {
		b.when, b.partly = i == 1, false
		if part == "" {
			continue
		}
		b.run(part)
		if !b.when {
			b.runs = append(b.runs, part)
		}
	}
}

func (b *queryBuilder) unit(u unit, first bool) {
	w := Word{Kind: u.kind, Part: u.part, Name: isName(u.text, first)}
	if u.kind != Plain {
		w.Surface = foldTerm(u.text)
		w.Forms = []string{w.Surface}
		b.add(w, nil, u.weak)
		return
	}
	x := words.get(u.text)
	if !b.full() {
		b.votes.addLexeme(x)
	}
	w.Surface = x.surface
	b.add(w, x, u.weak)
}

// isName tells whether a word is written as a name is.
func isName(s string, first bool) bool {
	r, size := utf8.DecodeRuneInString(s)
	if !unicode.IsUpper(r) {
		return false
	}
	if first {
		return len(s) > size && strings.ToUpper(s) == s
	}
	return true
}

// add keeps a word unless the query had it before.
func (b *queryBuilder) add(w Word, x *lexeme, weak bool) {
	if w.Surface == "" {
		return
	}
	when := b.when || b.partly && slices.Contains(b.phrase, w.Surface) // yesterday's
	if i, ok := b.seen[w.Surface]; ok {
		b.found[i].word.When = b.found[i].word.When && when
		return
	}
	if b.full() {
		b.cut = true
		return
	}
	w.When = when
	b.seen[w.Surface] = len(b.found)
	if !weak && (x == nil || x.function == 0) {
		b.content++
	}
	b.found = append(b.found, foundWord{w, x, weak})
}

// run adds the bigrams of a run, and the characters that stand alone between
// function words.
func (b *queryBuilder) run(s string) {
	lone := loneCharacters(s)
	for _, c := range lone {
		b.add(Word{Surface: c, Forms: []string{c}, Kind: CJK, Prefix: true, Stop: isRunStop(c)}, nil, false)
	}
	bigrams(s, func(term string) {
		if !isBigram(term) || b.cut {
			return
		}
		b.add(Word{Surface: term, Forms: []string{term}, Kind: CJK, Stop: isRunStop(term)}, nil, false)
	})
}

// otherLanguages are tried, after English, for a word of a query whose language
// is not clear.
var otherLanguages = []language{spanish, german, french, portuguese, italian, dutch, swedish}

// finish settles the forms of a word, now that the language of the query is known.
func (b *queryBuilder) finish(f *foundWord, lang language) {
	w := f.word
	if x := f.lexeme; x != nil {
		w.Stop = f.weak || isStop(x, lang) && !b.lone(x, lang)
		w.Name = w.Name && !w.Stop
		w.Forms = formsOf(x, lang, w.Stop)
	}
	if n, ok := otherNumeral(w.Surface, lang); ok && !w.Part && !w.Stop {
		w.Forms = append(w.Forms, n)
	}
	b.words = append(b.words, w)
}

// lone tells whether a word is all there is of a query: then it is a function
// word only where English has it. "mig" may begin another word, Danish or not.
func (b *queryBuilder) lone(x *lexeme, lang language) bool {
	return lang == unknownLanguage && len(b.found) == 1 && !x.function.has(english)
}

func isStop(x *lexeme, lang language) bool {
	if lang == unknownLanguage {
		return x.function.has(english) || x.function&(x.function-1) != 0
	}
	return x.function.has(lang)
}

func formsOf(x *lexeme, lang language, stop bool) []string {
	if stop {
		return []string{x.surface}
	}
	forms := make([]string, 0, 4)
	add := func(term string) {
		for _, f := range forms {
			if f == term {
				return
			}
		}
		forms = append(forms, term)
	}
	if lang != unknownLanguage && lang != english {
		add(x.stem(lang))
		add(x.surface)
		add(x.stem(english))
	} else {
		add(x.stem(english))
		add(x.surface)
	}
	if lang == unknownLanguage {
		for _, l := range otherLanguages {
			add(x.stem(l))
		}
	}
	if lang == unknownLanguage || lang == german {
		addUmlauts(x, add)
	}
	return forms
}

// umlauts are the ways of writing them without the letters.
var umlautDigraphs = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue")

// addUmlauts adds what a German word is when ue stands for ü, either way.
func addUmlauts(x *lexeme, add func(string)) {
	if w := umlautDigraphs.Replace(x.lower); w != x.lower {
		add(foldTerm(w))
		return
	}
	w := x.surface
	for i := 1; i+2 < len(w); i++ {
		if w[i+1] != 'e' || strings.IndexByte("aou", w[i]) < 0 || strings.IndexByte("aeiouqy", w[i-1]) >= 0 || strings.IndexByte("aeiouy", w[i+2]) >= 0 {
			continue
		}
		add(w[:i+1] + w[i+2:])
		return
	}
}
