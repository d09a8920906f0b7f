package recall

import (
	"math"
	"slices"
	"strings"

	"engram/internal/text"
)

// Floor is the least probability that there is an answer among the best: below it
// nothing is returned. Set on the report of tools/ranker: as high as leaves 95 of 100
// questions that have an answer answered.
const Floor = 0.34

// What a hit needs beside an answer: in a ranked list so much that no set's recall
// in the top 5 falls by more than half a point, in what is packed into a budget more.
var (
	Listed = Bar{Hit: 0.08, Evidence: 0.18}
	Beside = Bar{Hit: 0.1, Evidence: 0.3}
)

// judgedBest is how many of the best candidates may clear the floor for all.
const judgedBest = 5

// The floor looks at how much of what was asked a memory says. A word weighs its
// IDF, counted as if evidenceDocs memories more were there: it is rare in the
// world even where four memories are all. One that no memory has weighs its IDF in
// the store alone, because a small store lacks most words. A word that is missing
// weighs less when it is common, because the text may well say it in another
// way, and when it is a pair of characters, of which many are no words.
const (
	evidenceDocs   = 200
	commonMissing  = 0.4
	bigramSaid     = 0.8
	bigramMissing  = 0.01
	bigramUnknown  = 0.05 // of what a pair counts that no memory has
	overlapMissing = 0.2  // of a pair that overlaps one that it says
	typeEvidence   = 0.6  // of a word that only names the memory's type
	aroundEvidence = 0.6  // of a word that only a neighbouring turn has
	enoughEvidence = 16.0 // about four rare words: more than that no answer need say
	windowEvidence = 0.6  // of lying in the window: that of a word that no memory has
	fewAsked       = 3    // words: questions of fewer are rare among those that the floor is trained on
)

// Evidence is what speaks for a memory being an answer. Nothing in it depends
// on what else was found.
type Evidence struct {
	Coverage float64 `json:"coverage"`          // share of what was asked that it says
	Near     float64 `json:"near"`              // … or says in words that mean nearly the same
	Unknown  float64 `json:"unknown"`           // share of what was asked that no memory says
	Cosine   float64 `json:"cosine"`            // with the query
	Meaning  float64 `json:"meaning,omitempty"` // … by the encoder
	Expanded float64 `json:"expanded"`          // BM25 of all that counts for Near
	Fits     float64 `json:"fits"`              // 1 = it has what the question asks for: a time, a number, a place, a person
	Pairs    float64 `json:"pairs"`             // share of the neighbouring words that stand near each other
	Asked    float64 `json:"asked"`             // logarithm of how many words say what was asked
	Blind    bool    `json:"blind"`             // only words count, the model does not know the language
}

// Marks are the numbers that the floor multiplies by its weights.
type Marks [NumMarks]float64

// The marks of the floor.
const (
	markCoverage = iota
	markNear
	markUnknown
	markCosine
	markExpanded
	markFits
	markPairs
	markAsked
	markMeaning
	NumMarks
)

// MarkNames name the marks in their order.
var MarkNames = [NumMarks]string{"coverage", "near", "unknown", "cosine", "expanded", "fits", "pairs", "asked", "meaning"}

// Marks gives the numbers of e. Where only words count, only theirs are set.
func (e *Evidence) Marks() Marks {
	if e.Blind {
		return Marks{markCoverage: e.Coverage, markUnknown: e.Unknown, markExpanded: e.Expanded}
	}
	return Marks{
		markCoverage: e.Coverage, markNear: e.Near, markUnknown: e.Unknown, markCosine: max(0, e.Cosine),
		markExpanded: e.Expanded, markFits: e.Fits, markPairs: e.Pairs, markAsked: e.Asked,
		markMeaning: max(0, e.Meaning),
	}
}

// Judge turns evidence into a probability.
type Judge struct {
	Bias  float64
	Marks Marks
}

// Probability is what j says of evidence. What says nothing of what was asked is
// no answer, and what says all of it is one, whatever it means on the whole.
func (j *Judge) Probability(e *Evidence) float64 {
	if e.Coverage == 0 && (e.Blind || e.Near == 0 && e.Cosine <= 0 && e.Meaning <= 0) {
		return 0
	}
	marks := e.Marks()
	z := j.Bias
	for i, w := range j.Marks {
		z += float64(w * marks[i])
	}
	return max(logistic(z), e.whole())
}

// Questions of one or two words are rare among those that the floor is trained
// on, so this is set by hand: words alone make an answer where they say most of
// what was asked, or as much as the unknown words leave to be said.
const (
	wholeMost    = 0.45 // the probability that it gives at most: enough for an answer
	wholeSlope   = 20.0
	wholeHalf    = 0.44 // share that gives half of that
	wholeLeft    = 0.12 // … where words are unknown, more by:
	wholeUnknown = 0.72
)

func (e *Evidence) whole() float64 {
	return wholeMost * logistic(wholeSlope*min(e.Coverage-wholeHalf, e.Coverage-wholeLeft-wholeUnknown*e.Unknown))
}

func logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// judge weighs what a candidate says against what was asked. Lying in the
// window says part of it.
func (q *Query) judge(c *Candidate) Evidence {
	e := Evidence{Blind: q.table == nil, Asked: math.Log1p(max(q.asked, fewAsked))}
	said, near, missing := 0.0, 0.0, q.missing
	if c.item != nil {
		said, near, missing = c.item.said, c.item.near, c.item.missing
		// A model by setting may be a bad one: it takes nothing away from what was found without it.
		e.Cosine = max(c.Features.Cosine, c.Features.CosineContext, c.item.builtIn)
		e.Meaning = max(c.Features.Meaning, c.Features.MeaningContext)
		e.Expanded, e.Fits, e.Pairs = c.Features.Expanded, truth(c.Features.Fits), c.Features.Pairs
		e.Blind = e.Blind && !c.item.known
	}
	asked := said + missing
	if q.Window != nil {
		asked += windowEvidence * q.rarest
		if c.Features.Time == 1 {
			said += windowEvidence * q.rarest
			near += windowEvidence * q.rarest
		}
	}
	if asked == 0 {
		return e
	}
	enough := min(asked, enoughEvidence)
	e.Coverage = min(1, said/enough)
	e.Near = min(1, max(said, near)/enough)
	e.Unknown = q.unknown / asked
	return e
}

// evidence is how much the hit at hand says of what was asked, in its words or
// nearly, and how much it does not, as the floor weighs them: what a neighbouring
// turn says counts less.
func (s *scorer) evidence(v view) (said, near, missing float64) {
	had := func(i int) bool { return s.around[i] }
	place, numbers := 0, 0.0
	for i := range s.q.Words {
		w := &s.q.Words[i]
		soft := 0.0
		if place < len(s.lexicon.words) && s.lexicon.words[place] == i {
			soft = float64(v.soft[place])
			place++
		}
		switch {
		case s.around[i] && w.slight:
			numbers += w.said
		case s.byType[i]:
			said += w.said * typeEvidence
			near += w.said * typeEvidence
			missing += w.missing * (1 - typeEvidence)
		case s.has[i]:
			said += w.said
			near += w.said
		case s.around[i]:
			said += w.said * aroundEvidence
			near += w.said * max(aroundEvidence, soft*soft)
			missing += w.missing * (1 - aroundEvidence)
		case s.q.overlaps(w, had):
			missing += w.missing * overlapMissing
		default:
			near += w.missing * soft * soft
			missing += w.missing
		}
	}
	counted := min(numbers, said)
	return said + counted, near + counted, missing + numbers - counted
}

// weigh sets what a word counts for the floor, said and missing.
func (w *Word) weigh(docs int) {
	w.said, w.missing = 0, 0
	if w.Stop || w.when {
		return
	}
	w.missing = idf(w.DF, docs+evidenceDocs)
	w.said = w.tier * w.missing
	if w.DF == 0 || w.tier < 1 {
		w.missing = idf(0, docs) // no memory has the word itself
	}
	switch {
	case w.Kind == text.CJK:
		w.said *= bigramSaid
		w.missing *= bigramMissing
	case w.Kind == text.Symbol, w.Kind == text.Number && len(w.Surface) == 1, w.Kind == text.Plain && isCommon(w):
		w.missing *= commonMissing
	}
}

// slightDigits is how long a number is that many texts have by chance, beside other
// words and alone. It says no more than the other words that a text has.
const (
	slightDigits      = 3
	slightDigitsAlone = 2
)

// noteSlight marks such numbers.
func (q *Query) noteSlight() {
	most := slightDigitsAlone
	if slices.ContainsFunc(q.Words, func(w Word) bool { return !w.Stop && w.Kind != text.Number }) {
		most = slightDigits
	}
	for i := range q.Words {
		w := &q.Words[i]
		w.slight = w.Kind == text.Number && len(w.Surface) <= most && strings.Trim(w.Surface, "0123456789") == ""
	}
}

// Probability is what judges say of evidence: the first where the model knows the
// language, the second where only words count.
func Probability(e *Evidence, by *[2]Judge) float64 {
	if e.Blind {
		return by[1].Probability(e)
	}
	return by[0].Probability(e)
}
