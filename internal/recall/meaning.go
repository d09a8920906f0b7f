package recall

import (
	"math"

	"engram/internal/store"
)

// vectorContext is what a neighbour's cosine counts, divided by its distance.
const vectorContext = 0.3

// similarWords counts what the hit at hand says in words that mean nearly the
// same.
func (s *scorer) similarWords(h *store.KeywordHit, f *Features, own, near float64) {
	v := s.view(h.ID, h.Tokens)
	place := 0
	var total float64
	for i := range s.q.Words {
		w, tf := &s.q.Words[i], s.tf[i]
		total += w.idf
		if place < len(s.lexicon.words) && s.lexicon.words[place] == i {
			around := float64(v.tf[place])
			tf.own = max(tf.own, around)
			for _, n := range s.near {
				around += n.weight * float64(n.view.tf[place])
			}
			tf.near = max(tf.near, around)
			place++
		}
		f.Expanded += w.idf * saturate(tf.own, own)
		f.ExpandedNear += w.idf * saturate(tf.near, near)
	}
	if total > 0 {
		f.Expanded /= total
		f.ExpandedNear /= total
	}
	s.softMatch(v, f)
}

// softMatch sets how near the words of the query are to those of the hit at hand.
func (s *scorer) softMatch(v view, f *Features) {
	var total, pairs, before float64
	for place, i := range s.lexicon.words {
		idf, soft := s.q.Words[i].idf, v.soft[place]
		if s.has[i] {
			soft = 1
		}
		around := soft
		for _, n := range s.near {
			around = max(around, float32(min(1, n.weight))*n.view.soft[place])
		}
		f.Soft += idf * float64(soft)
		f.SoftContext += idf * float64(around)
		f.Lead += idf * float64(v.lead[place])
		total += idf
		if place > 0 {
			pairs += min(before, idf)
			if v.pair[place] {
				f.Pairs += min(before, idf)
			}
		}
		before = idf
	}
	if total > 0 {
		f.Soft /= total
		f.SoftContext /= total
		f.Lead /= total
	}
	if pairs > 0 {
		f.Pairs /= pairs
	}
}

// meaning sets how near the hit at hand is to the query as a whole, and reports
// whether another model than the built-in one knows that.
func (s *scorer) meaning(h *store.KeywordHit, f *Features, it *item) (other bool) {
	if s.spreads.encoder >= 0 {
		s.bothMeanings(h, f, it)
		return false
	}
	f.Cosine, other = s.spreads.cosine(h.Cosine)
	sum, total := f.Cosine, 1.0
	for i := range h.Neighbours {
		n := &h.Neighbours[i]
		w := vectorContext / math.Abs(float64(n.Distance))
		if n.Distance < -contextReach || n.Distance > contextReach {
			continue
		}
		cosine, _ := s.spreads.cosine(n.Cosine)
		sum += w * cosine
		total += w
	}
	f.CosineContext = sum / total
	return other
}

// builtIn is how near the hit at hand is by the built-in model alone, by itself or
// with the turns around it, 0 where that does not know it.
func (s *scorer) builtIn(h *store.KeywordHit) float64 {
	alone := s.spreads.table(h.Cosine)
	sum, total := alone, 1.0
	for i := range h.Neighbours {
		n := &h.Neighbours[i]
		if n.Distance < -contextReach || n.Distance > contextReach {
			continue
		}
		w := vectorContext / math.Abs(float64(n.Distance))
		sum += w * s.spreads.table(n.Cosine)
		total += w
	}
	return max(alone, sum/total)
}

// bothMeanings sets the same for the table and the encoder apart.
func (s *scorer) bothMeanings(h *store.KeywordHit, f *Features, it *item) {
	f.Cosine, f.Meaning = s.spreads.both(h.Cosine)
	it.guessed = h.Cosine[s.spreads.encoder] == store.NoCosine
	table, encoder, total := f.Cosine, f.Meaning, 1.0
	for i := range h.Neighbours {
		n := &h.Neighbours[i]
		if n.Distance < -contextReach || n.Distance > contextReach {
			continue
		}
		w := vectorContext / math.Abs(float64(n.Distance))
		t, e := s.spreads.both(n.Cosine)
		table += w * t
		encoder += w * e
		total += w
	}
	f.CosineContext, f.MeaningContext = table/total, encoder/total
}

// nearness is what the vector arm says of a hit: one number, whoever knows it.
func (s *scorer) nearness(h *store.KeywordHit, it *item) float64 {
	if s.spreads.encoder < 0 {
		return it.features.Cosine
	}
	cosine, _ := s.spreads.cosine(h.Cosine)
	return cosine
}
