package recall

import (
	"math"

	"engram/internal/text"
)

// Floor is the least probability of the best candidate: below it there is no
// answer. A ranked list shows all beside an answer, whatever its probability: the
// right one is often second, and says less. (Without those that the floor gives
// nothing, memdaily's R@5 falls from 79.7 to 78.8.)
// What is packed into a budget needs Beside.
const (
	Floor  = 0.5
	Beside = 0.25
)

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
	aroundEvidence = 0.6  // of a word that only a neighbouring turn has
	enoughEvidence = 16.0 // about four rare words: more than that no answer need say
	windowEvidence = 0.6  // of lying in the window: that of a word that no memory has
)

// The coefficients of the probability, set by hand: as lenient as testdata/nonsense
// and testdata/queries allow, so that the benchmark sets lose at most half a point
// of R@5 by the floor. An answer says enough of what was asked, and more where
// words were asked for that no memory has.
const (
	floorSlope   = 10.0
	floorEnough  = 0.20 // coverage of a probability of one half
	floorMore    = 0.17 // … where it is reached by unknown words instead
	floorUnknown = 0.72 // how much coverage the share of unknown words asks for
)

// Evidence is what speaks for a memory being an answer. Nothing in it depends
// on what else was found.
type Evidence struct {
	Coverage float64 `json:"coverage"` // share of what was asked that it says
	Unknown  float64 `json:"unknown"`  // share of what was asked that no memory says
}

func (e Evidence) probability() float64 {
	if e.Coverage == 0 {
		return 0
	}
	z := floorSlope * min(e.Coverage-floorEnough, e.Coverage-floorMore-floorUnknown*e.Unknown)
	return 1 / (1 + math.Exp(-z))
}

// judge weighs what a candidate says against what was asked. Lying in the
// window says part of it.
func (q *Query) judge(c *Candidate) Evidence {
	said, missing := 0.0, q.missing
	if c.item != nil {
		said, missing = c.item.said, c.item.missing
	}
	if q.Window != nil {
		if c.Features.Time == 1 {
			said += windowEvidence * q.rarest
		} else {
			missing += windowEvidence * q.rarest
		}
	}
	if said == 0 {
		return Evidence{}
	}
	asked := said + missing
	enough := min(asked, enoughEvidence)
	return Evidence{Coverage: min(1, said/enough), Unknown: q.unknown / asked}
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
