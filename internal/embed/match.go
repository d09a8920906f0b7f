package embed

import "math/bits"

// Matcher compares texts with one question, token by token. It is made once for
// a question, and is for one goroutine at a time.
type Matcher struct {
	weights []float64 // of the distinct tokens of the question
	total   float64

	// Which tokens stand for one of the question: first a bit for every possible
	// token, since most are none, then a hash table of chains of terms.
	seen  [1 << 16 / 64]uint64
	slots []uint16 // the first term of a chain + 1
	terms []term

	touched []uint16 // terms that the text has
	best    []uint8  // cosine × 255 for each token of the question
	scores  []float64
}

// term is a token that stands for one of the question.
type term struct {
	token  uint16
	of     uint8  // index of the question's token
	cosine uint8  // × 255
	next   uint16 // in the chain, + 1
	count  uint16 // in the text at hand
	weight float64
}

const (
	// maxQuestion is how many distinct tokens of a question are compared.
	maxQuestion = 256
	// termsOfToken is about how many terms stand for a token.
	termsOfToken = 16
	// itself is the cosine of a term that is the token itself.
	itself = 255
	// bm25K1 and bm25B bound what repeating a term, and the length of a text, do.
	bm25K1 = 1.2
	bm25B  = 0.75
)

// NewMatcher makes the matcher of a question of which the tokens are given; the
// first 256 different ones count. weight says what a token is worth, and 0 or less
// that it is worth nothing. The IDF in the texts that are searched, times
// Table.Weight, finds more than either of them: one knows what is rare here, the
// other what says little anywhere.
func (t *Table) NewMatcher(question []uint16, weight func(token uint16) float32) *Matcher {
	m := &Matcher{weights: make([]float64, 0, min(len(question), maxQuestion))}
	most := min(len(question), maxQuestion)
	m.slots = make([]uint16, 1<<bits.Len(uint(most*2*termsOfToken)))
	m.terms = make([]term, 0, most*termsOfToken)
	for _, token := range question {
		if len(m.weights) == maxQuestion {
			break
		}
		w := float64(weight(token))
		if !(w > 0) || !t.Known(token) || m.asks(token) {
			continue
		}
		of := uint8(len(m.weights))
		m.weights = append(m.weights, w)
		m.total += w
		m.add(term{token: token, of: of, cosine: itself, weight: w})
		for n := range t.Neighbours(token) {
			m.add(term{
				token: n.Token, of: of, cosine: min(itself-1, uint8(float32(n.Cosine*255)+0.5)),
				weight: float64(related * n.Cosine * max(0, weight(n.Token))),
			})
		}
	}
	m.best = make([]uint8, len(m.weights))
	m.scores = make([]float64, len(m.weights))
	return m
}

func (m *Matcher) add(x term) {
	m.seen[x.token>>6] |= 1 << (x.token & 63)
	slot := m.slot(x.token)
	x.next = m.slots[slot]
	m.terms = append(m.terms, x)
	m.slots[slot] = uint16(len(m.terms))
}

// asks tells whether a token of the question is there already.
func (m *Matcher) asks(token uint16) bool {
	for i := m.slots[m.slot(token)]; i != 0; i = m.terms[i-1].next {
		if x := &m.terms[i-1]; x.token == token && x.cosine == itself {
			return true
		}
	}
	return false
}

func (m *Matcher) slot(token uint16) int {
	return int(uint32(token)*0x9E3779B1>>16) & (len(m.slots) - 1)
}

// Match is how a text agrees with a question.
type Match struct {
	// Soft is the mean over the question's tokens, by weight, of the highest
	// cosine that a token of the text has to it: 1 if all are there, 0 if nothing
	// means nearly the same as any.
	Soft float64
	// Expanded is BM25 with neighbours at 0.7 × cosine, the best for each token of
	// the question, divided by the weight of the question.
	Expanded float64
}

// Match compares a text, of which the tokens are given, with the question. length
// is the mean number of tokens of the texts that are searched.
func (m *Matcher) Match(tokens []uint16, length float64) Match {
	if m.total == 0 || len(tokens) == 0 {
		return Match{}
	}
	m.count(tokens)
	norm := bm25K1
	if length > 0 {
		norm = bm25K1 * (1 - bm25B + float64(bm25B*float64(len(tokens))/length))
	}
	clear(m.best)
	clear(m.scores)
	for _, i := range m.touched {
		x := &m.terms[i]
		tf := float64(x.count)
		x.count = 0
		m.best[x.of] = max(m.best[x.of], x.cosine)
		m.scores[x.of] = max(m.scores[x.of], x.weight*tf*(bm25K1+1)/(tf+norm))
	}
	m.touched = m.touched[:0]
	var soft, expanded float64
	for i, w := range m.weights {
		soft += float64(w * float64(m.best[i]))
		expanded += m.scores[i]
	}
	return Match{Soft: soft / 255 / m.total, Expanded: expanded / m.total}
}

// count counts the terms that occur among tokens.
func (m *Matcher) count(tokens []uint16) {
	for _, token := range tokens {
		if m.seen[token>>6]>>(token&63)&1 == 0 {
			continue
		}
		for i := m.slots[m.slot(token)]; i != 0; {
			x := &m.terms[i-1]
			if x.token == token {
				if x.count == 0 {
					m.touched = append(m.touched, i-1)
				}
				if x.count < 1<<15 {
					x.count++
				}
			}
			i = x.next
		}
	}
}
