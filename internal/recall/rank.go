package recall

import (
	"cmp"
	"math"
	"slices"
	"time"

	"engram/internal/text"
)

// What the ranker adds to the log-odds beside its trained weights.
const (
	phraseBonus = 8.0  // for all quoted phrases
	orderReach  = 2.0  // what is farther behind the best does not compete in time
	orderAlike  = 0.97 // … nor what says less than so much of what the best says
)

// Rank scores every candidate of the pool and sorts it, best first.
func (p *Pool) Rank() {
	by := p.Query.weights()
	for _, c := range p.Candidates {
		c.Features.Time = closeness(p.Query.Window, c.OccurredAt)
		if c.inside {
			c.Features.Time = 1
		}
		c.Evidence = p.Query.judge(c)
		judges := &by.Judges
		if c.item != nil && c.item.guessed { // a guess puts a text in order, and is no evidence
			c.Evidence.Meaning, judges = 0, &byTable.Judges
		}
		c.Answer = Probability(&c.Evidence, judges)
	}
	p.fill()
	if p.Query.onlyTime() {
		p.rankByTime()
		return
	}
	p.RankBy(&by.Models)
	p.PerHit(&by.Shares)
}

// What the shares of the other arms count in a plain sum, beside 1 for words.
const (
	vectorShare = 0.7
	timeShare   = 0.25
)

// RankByArms sorts the pool by what the arms said alone, each by its share: what
// the ranker is measured against.
func (p *Pool) RankByArms() {
	p.Rank()
	for _, c := range p.Candidates {
		c.Score = p.share(c, ArmKeyword) + vectorShare*p.share(c, ArmVector) + timeShare*p.share(c, ArmTime)
	}
	p.sort()
	p.PerHit(&p.Query.weights().Shares)
}

// MarkPhrases notes how many of the quoted phrases a candidate's text has. It
// counts in the next Rank.
func (p *Pool) MarkPhrases(id int64, has int) {
	if c := p.byID[id]; c != nil && len(p.Query.Phrases) > 0 {
		c.Features.Phrases = float64(has) / float64(len(p.Query.Phrases))
	}
}

// Passed are the candidates that may be returned, best first: none, where none
// is likely enough to be an answer; else those that are likely enough to stand
// beside it.
func (p *Pool) Passed() []*Candidate {
	var out []*Candidate
	for _, c := range p.Candidates {
		if p.clears(c) {
			out = append(out, c)
		}
	}
	return out
}

// order puts the best in the order of time, where the query asks for the latest
// or the first: those that say about as much of what was asked as the best one
// does. What is dated ahead of now comes last of them.
func (p *Pool) order() {
	if p.Query.Order == text.None || len(p.Candidates) == 0 {
		return
	}
	for _, c := range p.Candidates {
		c.Features.Order = 0
	}
	rivals := p.rivals()
	scores := make([]float64, len(rivals))
	for i, c := range rivals {
		scores[i] = c.Score
	}
	slices.SortStableFunc(rivals, func(a, b *Candidate) int {
		if p.Query.Order == text.First {
			return a.OccurredAt.Compare(b.OccurredAt)
		}
		return cmp.Or(cmp.Compare(truth(p.Query.ahead(a)), truth(p.Query.ahead(b))), b.OccurredAt.Compare(a.OccurredAt))
	})
	for i, c := range rivals {
		c.Features.Order = 1 - float64(i)/float64(len(rivals))
		c.Score = scores[i]
	}
	p.sort()
}

// rivals are those that compete in time. Where a type alone is asked for, what calls
// itself one and what is kept as one are the same.
func (p *Pool) rivals() []*Candidate {
	var out []*Candidate
	types := p.Query.onlyTypes()
	best := p.Candidates[0]
	for _, c := range p.Candidates {
		switch {
		case types && c.Evidence.Coverage > 0 && c.Evidence.Coverage >= typeEvidence*orderAlike*best.Evidence.Coverage:
			out = append(out, c)
		case types:
		case c.Score < best.Score-orderReach:
			return out
		case c.Evidence.said() >= orderAlike*best.Evidence.said():
			out = append(out, c)
		}
	}
	return out
}

// said is the greater share of what was asked, in these words or in near ones.
func (e *Evidence) said() float64 { return max(e.Coverage, e.Near) }

// aheadSlack is how far clocks may differ.
const aheadSlack = 5 * time.Minute

// ahead reports whether c is dated later than now, as a clock that jumped dates
// things, where the latest of all times is asked for.
func (q *Query) ahead(c *Candidate) bool {
	return q.Order == text.Latest && q.Window == nil && !q.now.IsZero() && c.OccurredAt.After(q.now.Add(aheadSlack))
}

// closeness is 1 inside the window and falls with the distance to it, measured
// in lengths of the window.
func closeness(w *text.Window, t time.Time) float64 {
	if w == nil || t.IsZero() {
		return 0
	}
	var gap time.Duration
	switch {
	case !w.From.IsZero() && t.Before(w.From):
		gap = w.From.Sub(t)
	case !w.To.IsZero() && !t.Before(w.To):
		gap = t.Sub(w.To) + 1
	default:
		return 1
	}
	length := 30 * 24 * time.Hour
	if !w.From.IsZero() && !w.To.IsZero() {
		length = w.To.Sub(w.From)
	}
	return 0.3 * math.Exp(-float64(gap)/float64(length))
}
