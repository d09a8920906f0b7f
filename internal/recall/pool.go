package recall

import (
	"cmp"
	"slices"
	"time"
)

// The arms that draw candidates.
const (
	ArmKeyword = "keyword"
	ArmVector  = "vector"
	ArmTime    = "time"
)

// Arm is what one way of searching found, best first.
type Arm struct {
	Name  string
	Found []Found
}

// Found is a memory with the score that an arm gave it, on the arm's own scale.
type Found struct {
	ID         int64
	Score      float64
	OccurredAt time.Time // zero = the arm does not know

	item   *item // nil = the arm knows no more
	inside bool  // the window
}

// Candidate is a memory that any arm found.
type Candidate struct {
	ID          int64
	OccurredAt  time.Time
	Arms        []ArmScore // one for each arm of the pool, in their order
	Kind        Kind
	Features    Features
	Inputs      Inputs // of the ranker, by Rank
	Evidence    Evidence
	Score       float64  // of the ranker: log-odds of answering, beside the others of the pool
	Answer      float64  // probability that the query has an answer, if this is the best evidence for it
	Probability float64  // that it is an answer, as one of those that were found
	Reranker    *float64 // what a reranker says of it, 0 … 1; nil = it was not asked

	inside bool  // the window, by the store
	item   *item // nil where only an arm found it that reads no texts
}

// ArmScore is how an arm saw a candidate.
type ArmScore struct {
	Rank  int     `json:"rank"`  // from 1; 0 when the arm did not find it
	Score float64 `json:"score"` // on the arm's own scale
	Share float64 `json:"share"` // of the arm's span over the pool: 1 for its best, 0 for its least
}

// Pool is what the arms found together.
type Pool struct {
	Query      *Query
	Arms       []string
	Candidates []*Candidate // best first once ranked
	byID       map[int64]*Candidate
	room       []Candidate // that Candidates point to: never grown
	scores     []ArmScore  // room for their Arms
	Beside     Bar         // what a hit needs beside an answer, zero = Listed
	answer     float64     // as judged before a reranker was asked
	reranked   bool
}

// Fuse makes one pool of what the arms found: each memory once, with the score
// of every arm and its share of that arm's span over the pool.
func Fuse(q *Query, arms ...Arm) *Pool {
	p := &Pool{Query: q}
	total := 0
	for _, a := range arms {
		p.Arms = append(p.Arms, a.Name)
		total += len(a.Found)
	}
	p.byID = make(map[int64]*Candidate, total)
	p.room, p.scores = make([]Candidate, 0, total), make([]ArmScore, total*len(arms))
	for i, a := range arms {
		low, high := span(a.Found)
		for rank := range a.Found {
			f := &a.Found[rank]
			c := p.candidate(f)
			if c.Arms[i].Rank != 0 {
				continue
			}
			c.Arms[i] = ArmScore{Rank: rank + 1, Score: f.Score, Share: 1}
			if high > low {
				c.Arms[i].Share = (f.Score - low) / (high - low)
			}
		}
	}
	return p
}

func span(found []Found) (low, high float64) {
	for i := range found {
		if i == 0 {
			low, high = found[i].Score, found[i].Score
		}
		low, high = min(low, found[i].Score), max(high, found[i].Score)
	}
	return low, high
}

func (p *Pool) candidate(f *Found) *Candidate {
	c := p.byID[f.ID]
	if c == nil {
		p.room = append(p.room, Candidate{ID: f.ID, Arms: p.scores[:len(p.Arms):len(p.Arms)]})
		p.scores = p.scores[len(p.Arms):]
		c = &p.room[len(p.room)-1]
		p.byID[f.ID] = c
		p.Candidates = append(p.Candidates, c)
	}
	if !f.OccurredAt.IsZero() {
		c.OccurredAt = f.OccurredAt
	}
	c.inside = c.inside || f.inside
	if f.item != nil {
		c.item, c.Kind, c.Features = f.item, f.item.kind, f.item.features
	}
	return c
}

// sort puts the best first; of equals the newer, then the one saved later, so
// that a question has one order.
func (p *Pool) sort() {
	slices.SortFunc(p.Candidates, func(a, b *Candidate) int {
		return cmp.Or(
			cmp.Compare(b.Score, a.Score),
			b.OccurredAt.Compare(a.OccurredAt),
			cmp.Compare(b.ID, a.ID),
		)
	})
}
