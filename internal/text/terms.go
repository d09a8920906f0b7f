package text

import (
	"hash/fnv"
	"strconv"
	"sync"
	"unicode/utf8"
)

// Doc is what the keyword index keeps of a text.
type Doc struct {
	Terms []string // distinct index terms, in no order
	TF    []int    // how often each occurs
	Len   int      // length in words; the forms of one word count once
}

// maxTerm is the most bytes of a term; a longer one is cut and told from others
// by a hash.
const maxTerm = 64

func capTerm(s string) string {
	if len(s) <= maxTerm {
		return s
	}
	cut := maxTerm - 17
	for !utf8.RuneStart(s[cut]) {
		cut--
	}
	h := fnv.New64a()
	h.Write([]byte(s))
	return s[:cut] + "~" + strconv.FormatUint(h.Sum64(), 16)
}

// Analyze gives the index terms of a text that may come in parts, such as its
// title and its content. For each word they are its stem in the language of the
// text and, where it differs, the word itself; for an identifier the whole and
// its parts; for Han, Kana and Hangul bigrams.
func Analyze(parts ...string) Doc {
	a := analyzers.Get().(*analyzer)
	defer a.release()
	for _, p := range parts {
		a.text(clean(p))
	}
	return a.doc()
}

// analyzer gathers the terms of one text.
type analyzer struct {
	splitter splitter
	words    []*lexeme
	counts   map[string]int
	votes    ballot
	length   int
}

var analyzers = sync.Pool{New: func() any { return &analyzer{counts: map[string]int{}} }}

func (a *analyzer) release() {
	clear(a.words)
	a.words = a.words[:0]
	clear(a.counts)
	a.votes, a.length = ballot{}, 0
	analyzers.Put(a)
}

func (a *analyzer) text(s string) {
	sc := scanner{s: s}
	for t, ok := sc.next(); ok; t, ok = sc.next() {
		switch {
		case t.plain:
			a.word(t.text)
			a.length++
		case t.kind == wordToken:
			a.units(a.splitter.split(t.text))
		case t.kind == symbolToken:
			a.counts[t.text]++
			a.length++
		default:
			bigrams(t.text, func(term string) { a.counts[capTerm(term)]++ })
			a.length += runLen(t.text)
		}
	}
}

func (a *analyzer) word(s string) {
	x := words.get(s)
	a.words = append(a.words, x)
	a.votes.addLexeme(x)
}

func (a *analyzer) units(units []unit) {
	for _, u := range units {
		if !u.part {
			a.length++
		}
		if u.kind == Plain {
			a.word(u.text)
			continue
		}
		if term := foldTerm(u.text); term != "" { // combining marks alone fold to nothing
			a.counts[term]++
		}
	}
}

func foldTerm(s string) string {
	return capTerm(string(appendFold(make([]byte, 0, len(s)), s)))
}

func (a *analyzer) doc() Doc {
	lang := a.votes.ofText()
	for _, x := range a.words {
		if x.surface == "" {
			continue
		}
		a.counts[x.surface]++
		if x.function.has(lang) {
			continue
		}
		if stem := x.stem(lang); stem != x.surface {
			a.counts[stem]++
		}
	}
	d := Doc{Terms: make([]string, 0, len(a.counts)), TF: make([]int, 0, len(a.counts)), Len: a.length}
	for term, n := range a.counts {
		d.Terms = append(d.Terms, term)
		d.TF = append(d.TF, n)
	}
	return d
}
