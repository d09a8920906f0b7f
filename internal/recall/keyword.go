package recall

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"engram/internal/store"
	"engram/internal/text"
)

// How BM25 is counted here, after the store has chosen the candidates by its
// plain form. Set by hand on the developer half of the public sets
// (docs/benchmarks.md); nothing depends on a set or on a kind of question.
const (
	k1 = 1.2 // how soon a repeated word says nothing new
	b  = 0.75

	// A turn is found by what was said around it too: a neighbour's words count
	// contextWeight / distance, less the longer the turn itself is. Another sum
	// looks farther, whatever the length.
	contextWeight = 0.6
	contextHalf   = 60 // length in terms at which a turn's context counts half
	contextReach  = 2
	wideWeight    = 0.5
	wideReach     = 4

	// Turns are short, and shortness is no merit among them: turnLength is added
	// to their lengths before these are compared.
	turnLength = 60

	exactBonus = 0.1 // of a word spelled as in the query, on its BM25
)

// Arms are what the store found by words and by meaning, each best first, with
// what the ranker and the floor need to know of every memory.
func Arms(q *Query, r *store.KeywordResult) []Arm {
	q.learn(r)
	keyword, vector := Arm{Name: ArmKeyword}, Arm{Name: ArmVector}
	s := newScorer(q, r)
	items := make([]item, len(r.Hits))
	for i := range r.Hits {
		h, it := &r.Hits[i], &items[i]
		s.read(h, it)
		it.hit = h
		if q.MatchAll && !s.hasAll() {
			continue
		}
		if it.features.Context > 0 {
			keyword.Found = append(keyword.Found, Found{ID: h.ID, Score: h.Score, OccurredAt: h.OccurredAt, item: it})
		}
		if n := nearest(h); n > 0 {
			vector.Found = append(vector.Found, Found{ID: h.ID, Score: s.nearness(h, it), OccurredAt: h.OccurredAt, item: it})
		}
	}
	arms := []Arm{keyword}
	if len(q.Vectors) > 0 {
		arms = append(arms, vector)
	}
	for _, a := range arms {
		slices.SortFunc(a.Found, func(a, b Found) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(b.ID, a.ID))
		})
	}
	return arms
}

// nearest is the best rank of a hit among those that are nearest to a vector of
// the query, 0 = it is not among them.
func nearest(h *store.KeywordHit) int {
	best := 0
	for _, n := range h.Nearest {
		if n > 0 && (best == 0 || n < best) {
			best = n
		}
	}
	return best
}

// item is what is known of a found memory beside its place in an arm.
type item struct {
	kind     Kind
	hit      *store.KeywordHit
	session  int // of turns, 0 = in none
	features Features
	said     float64 // of what was asked, as the floor weighs it
	near     float64 // … in its words or nearly
	missing  float64
	known    bool    // another model than the built-in one has a vector of it
	builtIn  float64 // … how near it is by the built-in model alone
	guessed  bool    // the encoder has none: what it means to it is taken from the table
}

// scorer judges one hit after the other.
type scorer struct {
	q        *Query
	avgLen   float64
	lexicon  *lexicon
	spreads  spreads
	views    map[int64]view
	chats    map[int]bool    // sessions with an assistant
	speakers map[string]bool // whether the query names them
	named    bool            // it names one
	tf       []frequency     // of each word, in the hit at hand
	has      []bool          // which words it has itself
	byType   []bool          // … but only as its type
	around   []bool          // … and which it or a neighbour has
	near     []nearTurn
	wide     []nearTurn
}

// frequency is how often a hit has a word: alone, with the turns near it, and
// with those farther away.
type frequency struct{ own, near, wide float64 }

type nearTurn struct {
	weight float64
	tf     []float32
	view   view
}

func newScorer(q *Query, r *store.KeywordResult) *scorer {
	s := &scorer{
		q: q, avgLen: max(r.AvgLen, 1), lexicon: newLexicon(q), spreads: newSpreads(q, r), views: make(map[int64]view, 2*len(r.Hits)),
		chats: map[int]bool{}, speakers: map[string]bool{},
		tf: make([]frequency, len(q.Words)), has: make([]bool, len(q.Words)), byType: make([]bool, len(q.Words)), around: make([]bool, len(q.Words)),
	}
	for i := range r.Hits {
		h := &r.Hits[i]
		if byAssistant(h) && h.Session != 0 {
			s.chats[h.Session] = true
		}
		if _, ok := s.speakers[h.Speaker]; !ok && h.Speaker != "" && !roleNames[h.Speaker] {
			named := q.names(h.Speaker)
			s.speakers[h.Speaker] = named
			s.named = s.named || named
		}
	}
	return s
}

// roleNames are what clients call the two sides of a chat where they write them
// down as speakers.
var roleNames = map[string]bool{"user": true, "assistant": true, "human": true, "ai": true, "system": true}

func byAssistant(h *store.KeywordHit) bool {
	return h.Assistant || h.Speaker == "assistant" || h.Speaker == "ai"
}

// names reports whether a word of the query is part of a name.
func (q *Query) names(speaker string) bool {
	for part := range strings.FieldsSeq(text.Fold(speaker)) {
		for i := range q.Words {
			if q.Words[i].Surface == part && !q.Words[i].Stop {
				return true
			}
		}
	}
	return false
}

func (s *scorer) kind(h *store.KeywordHit) Kind {
	switch {
	case !h.Turn:
		return Note
	case byAssistant(h) || s.chats[h.Session] || roleNames[h.Speaker] || h.Speaker == "":
		return Chat
	}
	return Dialogue
}

// read judges a hit.
func (s *scorer) read(h *store.KeywordHit, it *item) {
	it.kind = s.kind(h)
	f := &it.features
	s.lookAround(h)
	s.words(h, f)
	it.known = s.meaning(h, f, it)
	if it.known {
		it.builtIn = s.builtIn(h)
	}
	s.form(h, it.kind, f)
	if h.Turn {
		it.session = h.Session
	}
	it.said, it.near, it.missing = s.evidence(s.view(h.ID, h.Tokens))
}

// lookAround weighs the turns around the hit at hand.
func (s *scorer) lookAround(h *store.KeywordHit) {
	s.near, s.wide = s.near[:0], s.wide[:0]
	for i := range h.Neighbours {
		n := &h.Neighbours[i]
		distance := max(n.Distance, -n.Distance)
		v := s.view(n.ID, n.Tokens)
		if distance <= contextReach {
			w := contextWeight / float64(distance) / (1 + float64(h.Len)/contextHalf)
			s.near = append(s.near, nearTurn{w, n.TF, v})
		}
		if distance <= wideReach {
			s.wide = append(s.wide, nearTurn{wideWeight / float64(distance), n.TF, v})
		}
	}
}

func (s *scorer) view(id int64, tokens []uint16) view {
	v, ok := s.views[id]
	if !ok {
		v = s.lexicon.read(tokens)
		s.views[id] = v
	}
	return v
}

// norms are the lengths that BM25 compares: of the hit alone, with the turns
// near it, and with those farther away.
func (s *scorer) norms(h *store.KeywordHit) (own, near, wide float64) {
	length, avg := float64(h.Len), s.avgLen
	if h.Turn {
		length, avg = length+turnLength, avg+turnLength
	}
	nearLength, wideLength, nearTotal, wideTotal := length, length, 0.0, 0.0
	for i := range h.Neighbours {
		n := &h.Neighbours[i]
		distance := max(n.Distance, -n.Distance)
		if distance <= contextReach {
			w := contextWeight / float64(distance) / (1 + float64(h.Len)/contextHalf)
			nearLength += w * float64(n.Len)
			nearTotal += w
		}
		if distance <= wideReach {
			w := wideWeight / float64(distance)
			wideLength += w * float64(n.Len)
			wideTotal += w
		}
	}
	return norm(length, avg), norm(nearLength, avg+nearTotal*s.avgLen), norm(wideLength, avg+wideTotal*s.avgLen)
}

// words counts what the hit at hand says in the words of the query.
func (s *scorer) words(h *store.KeywordHit, f *Features) {
	own, near, wide := s.norms(h)
	for i := range s.q.Words {
		w := &s.q.Words[i]
		tf := s.frequency(w, h.TF)
		s.tf[i], s.has[i], s.around[i] = tf, tf.own > 0, tf.near > 0
		s.byType[i] = s.has[i] && w.onlyTypeIn(h.TF)
		if w.idf == 0 || tf.wide == 0 {
			continue
		}
		gain := w.idf
		if w.exact >= 0 && h.TF[w.exact] > 0 {
			gain *= 1 + exactBonus
		}
		f.Own += gain * saturate(tf.own, own)
		f.Context += gain * saturate(tf.near, near)
		f.Wide += gain * saturate(tf.wide, wide)
		if tf.own > 0 {
			f.Coverage += w.idf
			if w.Name {
				f.Names += w.idf
			}
			f.Words++
		}
	}
	if s.q.idf > 0 {
		f.Own /= s.q.idf
		f.Context /= s.q.idf
		f.Wide /= s.q.idf
		f.Coverage /= s.q.idf
	}
	if s.q.nameIDF > 0 {
		f.Names /= s.q.nameIDF
	}
	s.similarWords(h, f, own, near)
}

// form sets what the hit at hand looks like.
func (s *scorer) form(h *store.KeywordHit, kind Kind, f *Features) {
	f.Length = logLength(h.Len)
	f.Asks = h.Traits.Has(text.Asks)
	f.Brief = h.Traits.Has(text.Brief)
	if s.q.wants != 0 {
		f.Fits = h.Traits.Has(s.q.wants)
	}
	for i := range h.Neighbours {
		if n := &h.Neighbours[i]; n.Distance == -1 {
			f.Answers = n.Traits.Has(text.Asks)
		}
	}
	switch {
	case kind == Chat && byAssistant(h):
		f.Speaker = Assistant
	case s.speakers[h.Speaker]:
		f.Speaker = NamedSpeaker
	case s.named && h.Speaker != "":
		f.Speaker = OtherSpeaker
	}
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

// frequency counts a word in whichever form the hit at hand has most.
func (s *scorer) frequency(w *Word, tf []float32) (most frequency) {
	for _, form := range w.forms {
		f := frequency{math.Inf(1), math.Inf(1), math.Inf(1)}
		for _, t := range form.terms {
			f.own = min(f.own, float64(tf[t]))
			f.near = min(f.near, with(tf[t], s.near, t))
			f.wide = min(f.wide, with(tf[t], s.wide, t))
		}
		most.own = max(most.own, f.own*form.weight)
		most.near = max(most.near, f.near*form.weight)
		most.wide = max(most.wide, f.wide*form.weight)
	}
	return most
}

// onlyTypeIn reports whether a memory that has the word has it as its type alone.
func (w *Word) onlyTypeIn(tf []float32) bool {
	if w.typeForm == 0 || !w.forms[w.typeForm].in(tf) {
		return false
	}
	for i, f := range w.forms {
		if i != w.typeForm && f.in(tf) {
			return false
		}
	}
	return true
}

// with adds what the turns around say of a term.
func with(own float32, around []nearTurn, term int) float64 {
	sum := float64(own)
	for _, n := range around {
		sum += n.weight * float64(n.tf[term])
	}
	return sum
}

func norm(length, avg float64) float64 { return k1 * (1 - b + b*length/avg) }

func saturate(tf, norm float64) float64 { return tf * (k1 + 1) / (tf + norm) }

func idf(df, docs int) float64 {
	n := float64(df)
	return math.Log(1 + (max(float64(docs)-n, 0)+.5)/(n+.5))
}
