package recall

import (
	"engram/internal/text"
)

// related is what a token that means nearly the same counts beside a word
// itself, times the cosine of the two.
const related = 0.7

// How the places of words in a text are read, in tokens.
const (
	leadTokens  = 12  // its first words, which often say what it is about
	pairReach   = 4   // how far apart two words may stand that belong together
	sameMeaning = 0.7 // cosine of a token that is taken for the word itself
)

// viewsAtOnce is for how many views room is made.
const viewsAtOnce = 64

// lexicon are the tokens of the built-in table that may stand for the words of
// one query. It reads the tokens of a text once for all words.
type lexicon struct {
	words  []int // of the query, those that it knows
	pieces []int // how many tokens each of them has
	seen   [1 << 16 / 64]uint64
	at     map[uint16]int // token → place in tokens
	tokens [][]meaning
	counts []int // of the text at hand
	found  []int // the places in tokens that it has
	best   []float32
	first  []int // where the pieces of each word begin in best
	last   []int // where the text at hand has each word last

	numbers []float32 // room for views
	flags   []bool
}

// meaning is how near a token is to a piece of a word.
type meaning struct {
	word   int // place in lexicon.words
	piece  int // place in lexicon.best
	cosine float32
	whole  bool // the piece is the word
}

// view is how far a text says the words of a lexicon, in their order.
type view struct {
	soft []float32 // cosine of its nearest token, 0 … 1
	tf   []float32 // how often it says the word, or nearly
	lead []float32 // as soft, of the first words alone
	pair []bool    // that the word stands near the one before it
}

// newLexicon knows the words of q that say something, in the spelling that the
// query has.
func newLexicon(q *Query) *lexicon {
	l := &lexicon{at: map[uint16]int{}}
	if q.table == nil {
		return l
	}
	var buf [16]uint16
	for i := range q.Words {
		w := &q.Words[i]
		if w.Stop || w.Kind == text.CJK || w.Kind == text.Symbol {
			continue
		}
		tokens := q.table.Tokens(buf[:0], w.Surface)
		if len(tokens) == 0 {
			continue
		}
		word := len(l.words)
		l.words = append(l.words, i)
		l.pieces = append(l.pieces, len(tokens))
		l.first = append(l.first, len(l.best))
		for _, t := range tokens {
			piece := len(l.best)
			l.best = append(l.best, 0)
			l.learn(t, meaning{word, piece, 1, len(tokens) == 1})
			if len(tokens) > 1 {
				continue // what is like a piece says nothing of the word
			}
			for n := range q.table.Neighbours(t) {
				l.learn(n.Token, meaning{word, piece, n.Cosine, true})
			}
		}
	}
	l.counts, l.last = make([]int, len(l.tokens)), make([]int, len(l.words))
	return l
}

func (l *lexicon) learn(token uint16, m meaning) {
	i, ok := l.at[token]
	if !ok {
		i = len(l.tokens)
		l.at[token] = i
		l.tokens = append(l.tokens, nil)
		l.seen[token/64] |= 1 << (token % 64)
	}
	l.tokens[i] = append(l.tokens[i], m)
}

// read gives the view of a text.
func (l *lexicon) read(tokens []uint16) view {
	n := len(l.words)
	if len(l.numbers) < 3*n {
		l.numbers, l.flags = make([]float32, 3*n*viewsAtOnce), make([]bool, n*viewsAtOnce)
	}
	v := view{soft: l.numbers[:n], tf: l.numbers[n : 2*n], lead: l.numbers[2*n : 3*n], pair: l.flags[:n]}
	l.numbers, l.flags = l.numbers[3*n:], l.flags[n:]
	for _, i := range l.found {
		l.counts[i] = 0
	}
	l.found = l.found[:0]
	for i := range l.last {
		l.last[i] = -pairReach - 1
	}
	for place, t := range tokens {
		if place == leadTokens {
			l.sum(v.lead, nil)
		}
		if l.seen[t/64]&(1<<(t%64)) != 0 {
			i := l.at[t]
			if l.counts[i]++; l.counts[i] == 1 {
				l.found = append(l.found, i)
			}
			l.pairs(v.pair, i, place)
		}
	}
	l.sum(v.soft, v.tf)
	if len(tokens) <= leadTokens {
		copy(v.lead, v.soft)
	}
	return v
}

// pairs notes which words of the query stand near each other at a place.
func (l *lexicon) pairs(pair []bool, token, place int) {
	for _, m := range l.tokens[token] {
		if m.cosine < sameMeaning {
			continue
		}
		w := m.word
		l.last[w] = place
		if w > 0 && place-l.last[w-1] <= pairReach {
			pair[w] = true
		}
		if w+1 < len(pair) && place-l.last[w+1] <= pairReach {
			pair[w+1] = true
		}
	}
}

// sum says how far the tokens that were counted say each word.
func (l *lexicon) sum(soft, tf []float32) {
	clear(l.best)
	for _, i := range l.found {
		for _, m := range l.tokens[i] {
			l.best[m.piece] = max(l.best[m.piece], m.cosine)
			if m.whole && tf != nil {
				weight := float32(1)
				if m.cosine < 1 {
					weight = related * m.cosine
				}
				tf[m.word] = max(tf[m.word], weight*float32(l.counts[i]))
			}
		}
	}
	for i := range l.words {
		soft[i] = 1
		for _, piece := range l.best[l.first[i]:][:l.pieces[i]] {
			soft[i] = min(soft[i], piece)
		}
	}
}
