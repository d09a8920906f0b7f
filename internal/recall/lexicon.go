package recall

import (
	"engram/internal/text"
)

// related is what a token that means nearly the same counts beside a word
// itself, times the cosine of the two.
const related = 0.7

// lexicon are the tokens of the built-in table that may stand for the words of
// one query. It reads the tokens of a text once for all words.
type lexicon struct {
	words  []int // of the query, those that it knows
	pieces []int // how many tokens each of them has
	seen   [1 << 16 / 64]uint64
	at     map[uint16]int // token → place in tokens
	tokens [][]meaning
	counts []int // of the text at hand
	best   []float32
	first  []int // where the pieces of each word begin in best
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
	l.counts = make([]int, len(l.tokens))
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
	slab := make([]float32, 2*len(l.words))
	v := view{soft: slab[:len(l.words)], tf: slab[len(l.words):]}
	clear(l.counts)
	clear(l.best)
	for _, t := range tokens {
		if l.seen[t/64]&(1<<(t%64)) != 0 {
			l.counts[l.at[t]]++
		}
	}
	for i, n := range l.counts {
		if n == 0 {
			continue
		}
		for _, m := range l.tokens[i] {
			l.best[m.piece] = max(l.best[m.piece], m.cosine)
			if m.whole {
				weight := float32(1)
				if m.cosine < 1 {
					weight = related * m.cosine
				}
				v.tf[m.word] = max(v.tf[m.word], weight*float32(n))
			}
		}
	}
	for i := range l.words {
		v.soft[i] = 1
		for _, piece := range l.best[l.first[i]:][:l.pieces[i]] {
			v.soft[i] = min(v.soft[i], piece)
		}
	}
	return v
}
