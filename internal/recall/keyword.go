package recall

import (
	"cmp"
	"math"
	"slices"

	"engram/internal/store"
)

// How BM25 is counted here, after the store has chosen the candidates by its
// plain form. Set by hand on the developer half of the public sets
// (docs/benchmarks.md); nothing depends on a set or on a kind of question.
const (
	k1 = 1.2 // how soon a repeated word says nothing new
	b  = 0.75

	// A turn is found by what was said around it too: a neighbour's words count
	// contextWeight / distance, less the longer the turn itself is.
	contextWeight = 0.6
	contextHalf   = 60 // length in terms at which a turn's context counts half
	contextReach  = 2

	// Turns are short, and shortness is no merit among them: turnLength is added
	// to their lengths before these are compared.
	turnLength = 60

	exactBonus = 0.1 // of a word spelled as in the query, on its BM25
)

// Features are what the ranker and the floor look at. BM25 is divided by the
// query's IDF, so that it means the same for every query.
type Features struct {
	Own      float64 `json:"own"`               // BM25 of its own words
	Context  float64 `json:"context"`           // with the turns around it
	Coverage float64 `json:"coverage"`          // share of the query's IDF that its own words have
	Words    int     `json:"words"`             // how many of the query's words it has
	Phrases  float64 `json:"phrases,omitempty"` // share of the quoted phrases that its text has
	Time     float64 `json:"time,omitempty"`    // closeness to the window, 1 inside
	Order    float64 `json:"order,omitempty"`   // place in time among the best, 1 for what was asked for
}

// KeywordArm is what the store found by its words, best first by the store's
// BM25, with the features that the ranker and the floor need.
func KeywordArm(q *Query, r *store.KeywordResult) Arm {
	q.learn(r)
	arm := Arm{Name: ArmKeyword, Found: make([]Found, 0, len(r.Hits))}
	if q.idf == 0 {
		return arm
	}
	s := &scorer{q: q, avgLen: max(r.AvgLen, 1), has: make([]bool, len(q.Words)), around: make([]bool, len(q.Words))}
	for i := range r.Hits {
		h := &r.Hits[i]
		f := s.features(h)
		if f.Context == 0 || q.MatchAll && !s.hasAll() {
			continue
		}
		said, missing := s.evidence()
		arm.Found = append(arm.Found, Found{
			ID: h.ID, Score: h.Score, OccurredAt: h.OccurredAt, turn: h.Turn, features: f, said: said, missing: missing,
		})
	}
	slices.SortFunc(arm.Found, func(a, b Found) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
	})
	return arm
}

// scorer counts BM25 of one hit after the other.
type scorer struct {
	q      *Query
	avgLen float64
	has    []bool // which words the hit at hand has itself
	around []bool // … and which it or a neighbour has
	near   []nearTurn
}

type nearTurn struct {
	weight float64
	tf     []float32
}

func (s *scorer) features(h *store.KeywordHit) Features {
	length, avg := float64(h.Len), s.avgLen
	s.near = s.near[:0]
	if h.Turn {
		length, avg = length+turnLength, avg+turnLength
	}
	own := norm(length, avg)
	total := 1.0
	for i := range h.Neighbours {
		n := &h.Neighbours[i]
		distance := max(n.Distance, -n.Distance)
		if distance > contextReach {
			continue
		}
		w := contextWeight / float64(distance) / (1 + float64(h.Len)/contextHalf)
		s.near = append(s.near, nearTurn{w, n.TF})
		length += w * float64(n.Len)
		total += w
	}
	context := norm(length, s.avgLen*total+avg-s.avgLen)
	var f Features
	for i := range s.q.Words {
		w := &s.q.Words[i]
		ownTF, contextTF := s.frequencies(w, h.TF)
		s.has[i], s.around[i] = ownTF > 0, contextTF > 0
		if w.idf == 0 || contextTF == 0 {
			continue
		}
		gain := w.idf
		if w.exact >= 0 && h.TF[w.exact] > 0 {
			gain *= 1 + exactBonus
		}
		f.Own += gain * saturate(ownTF, own)
		f.Context += gain * saturate(contextTF, context)
		if ownTF > 0 {
			f.Coverage += w.idf
			f.Words++
		}
	}
	f.Own /= s.q.idf
	f.Context /= s.q.idf
	f.Coverage /= s.q.idf
	return f
}

// hasAll reports whether the hit at hand has every word that says anything.
func (s *scorer) hasAll() bool {
	for i, has := range s.has {
		if !has && !s.q.Words[i].Stop {
			return false
		}
	}
	return true
}

// evidence is how much the hit at hand says of what was asked, and how much it
// does not, as the floor weighs them: what a neighbouring turn says counts less.
func (s *scorer) evidence() (said, missing float64) {
	had := func(i int) bool { return s.around[i] }
	for i := range s.q.Words {
		switch w := &s.q.Words[i]; {
		case s.has[i]:
			said += w.said
		case s.around[i]:
			said += w.said * aroundEvidence
			missing += w.missing * (1 - aroundEvidence)
		case s.q.overlaps(w, had):
			missing += w.missing * overlapMissing
		default:
			missing += w.missing
		}
	}
	return said, missing
}

// frequencies is how often a hit has a word, in whichever form it has most,
// alone and with the turns around it.
func (s *scorer) frequencies(w *Word, tf []float32) (own, context float64) {
	for _, form := range w.forms {
		o, c := math.Inf(1), math.Inf(1)
		for _, t := range form.terms {
			own, with := float64(tf[t]), float64(tf[t])
			for _, n := range s.near {
				with += n.weight * float64(n.tf[t])
			}
			o, c = min(o, own), min(c, with)
		}
		own = max(own, o*form.weight)
		context = max(context, c*form.weight)
	}
	return own, context
}

func norm(length, avg float64) float64 { return k1 * (1 - b + b*length/avg) }

func saturate(tf, norm float64) float64 { return tf * (k1 + 1) / (tf + norm) }

func idf(df, docs int) float64 {
	n := float64(df)
	return math.Log(1 + (max(float64(docs)-n, 0)+.5)/(n+.5))
}
