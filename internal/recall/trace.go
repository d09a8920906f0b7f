package recall

import (
	"slices"
	"strings"
	"time"

	"engram/internal/store"
	"engram/internal/text"
)

// Trace explains a search: what the question was taken for, what each arm
// found, and why each candidate stands where it does.
type Trace struct {
	Query    TraceQuery `json:"query"`
	Arms     []TraceArm `json:"arms"`
	Models   []string   `json:"models,omitempty"` // that said what the question means
	Floor    float64    `json:"floor"`            // least probability of what is returned
	NoAnswer bool       `json:"no_answer"`
	Warnings []string   `json:"warnings,omitempty"` // what the search had to do without
	// Reranker is the one of the settings, nil = none is set, or it was left out.
	Reranker *TraceReranker `json:"reranker,omitempty"`
	// Rejected is the best candidate that stayed below the floor.
	Rejected *TraceCandidate `json:"rejected,omitempty"`
	// Candidates are the best of the pool, in their order.
	Candidates []TraceCandidate `json:"candidates"`
	Pool       int              `json:"pool"`              // how many candidates there were
	Packing    []TracePacked    `json:"packing,omitempty"` // of a recall, in the order of choice
}

// TraceQuery is what a question was taken for.
type TraceQuery struct {
	Text     string      `json:"text"`
	Language string      `json:"language,omitempty"`
	Words    []TraceWord `json:"words"`
	Phrases  [][]string  `json:"phrases,omitempty"`
	From     *time.Time  `json:"from,omitempty"` // of its window of time
	To       *time.Time  `json:"to,omitempty"`
	Order    string      `json:"order,omitempty"` // latest, first
	MatchAll bool        `json:"match_all,omitempty"`
	Cut      bool        `json:"cut,omitempty"` // it had more words than Words has
}

// TraceWord is a word of the question.
type TraceWord struct {
	Word     string   `json:"word"`
	Forms    []string `json:"forms"`
	Stop     bool     `json:"stop,omitempty"`
	Memories int      `json:"memories"` // that have it
	IDF      float64  `json:"idf"`
	// Instead are the terms that were taken because no memory has the word.
	Instead []string `json:"instead,omitempty"`
}

// TraceArm is what one way of searching found.
type TraceArm struct {
	Name  string `json:"name"`
	Found int    `json:"found"`
}

// TraceModel is how near one model finds a memory to the question.
type TraceModel struct {
	Model  string  `json:"model"`
	Cosine float64 `json:"cosine"`         // on the model's own scale
	Rank   int     `json:"rank,omitempty"` // among the nearest that it drew, 0 = it did not draw this
}

// TraceCandidate is how one memory was judged.
type TraceCandidate struct {
	ID          int64               `json:"id"`
	Rank        int                 `json:"rank"`            // in the pool
	Place       int                 `json:"place,omitempty"` // among those that cleared the floor
	Arms        map[string]ArmScore `json:"arms"`
	Models      []TraceModel        `json:"models,omitempty"` // those that have a vector of it; the arm vector has what they say together
	Features    Features            `json:"features"`
	Evidence    Evidence            `json:"evidence"`
	Score       float64             `json:"score"`
	Answer      float64             `json:"answer"`             // probability that the question has an answer, if this is the best evidence
	Probability float64             `json:"probability"`        // that this is an answer
	Reranker    *float64            `json:"reranker,omitempty"` // what the reranker says of that
	Has         float64             `json:"-"`                  // of what the floor asks for: Probability beside an answer, else Answer
	Outcome     Outcome             `json:"outcome"`
}

// TracePacked is what the budgeter did with one memory.
type TracePacked struct {
	ID int64 `json:"id"`
	Packed
}

// Outcome says what became of a candidate.
type Outcome string

// The outcomes.
const (
	Returned   Outcome = "returned"
	BelowFloor Outcome = "below_floor"
	Outranked  Outcome = "outranked" // cleared the floor, and the limit was reached
	Gone       Outcome = "gone"      // deleted between the search and the reading
	OverBudget Outcome = "over_budget"
	NotFound   Outcome = "not_found" // by any arm: no candidate, and judged by itself
)

// traced is how many candidates a trace shows.
const traced = 100

// Trace explains p as ranked. The outcomes are filled as far as the floor.
func (p *Pool) Trace() *Trace {
	t := &Trace{
		Query: p.Query.Trace(), Floor: p.asks(), Pool: len(p.Candidates),
		Arms: []TraceArm{}, Candidates: []TraceCandidate{},
	}
	for i, name := range p.Arms {
		arm := TraceArm{Name: name}
		for _, c := range p.Candidates {
			if c.Arms[i].Rank > 0 {
				arm.Found++
			}
		}
		t.Arms = append(t.Arms, arm)
	}
	for _, v := range p.Query.Vectors {
		t.Models = append(t.Models, v.Model)
	}
	passed := 0
	for rank, c := range p.Candidates {
		below := !p.clears(c)
		if !below {
			passed++
		}
		if rank >= traced && (!below || t.Rejected != nil) {
			continue
		}
		tc := p.traceCandidate(rank, c)
		tc.place(passed, below)
		if below && (t.Rejected == nil || tc.Has > t.Rejected.Has) {
			t.Rejected = &tc
		}
		if rank < traced {
			t.Candidates = append(t.Candidates, tc)
		}
	}
	return t
}

// Judged is how the pool as ranked judged one memory, however far down it
// stands; false where no arm found it.
func (p *Pool) Judged(id int64) (TraceCandidate, bool) {
	passed := 0
	for rank, c := range p.Candidates {
		below := !p.clears(c)
		if !below {
			passed++
		}
		if c.ID == id {
			tc := p.traceCandidate(rank, c)
			tc.place(passed, below)
			return tc, true
		}
	}
	return TraceCandidate{}, false
}

// place says on which side of the floor a candidate is; passed counts those
// that cleared it, down to this one.
func (c *TraceCandidate) place(passed int, below bool) {
	if below {
		c.Outcome = BelowFloor
		return
	}
	c.Place = passed
}

// Least is the lowest score by which an arm took part in the pool; false where
// it found nothing.
func (p *Pool) Least(arm string) (float64, bool) {
	least, found := 0.0, false
	for i, name := range p.Arms {
		if name != arm {
			continue
		}
		for _, c := range p.Candidates {
			if a := c.Arms[i]; a.Rank > 0 && (!found || a.Score < least) {
				least, found = a.Score, true
			}
		}
	}
	return least, found
}

func (p *Pool) traceCandidate(rank int, c *Candidate) TraceCandidate {
	tc := TraceCandidate{
		ID: c.ID, Rank: rank + 1, Arms: map[string]ArmScore{}, Features: c.Features, Evidence: c.Evidence,
		Score: c.Score, Answer: c.Answer, Probability: c.Probability, Reranker: c.Reranker, Has: p.has(c), Outcome: Outranked,
	}
	for i, name := range p.Arms {
		if c.Arms[i].Rank > 0 {
			tc.Arms[name] = c.Arms[i]
		}
	}
	tc.Models = p.Query.models(c)
	return tc
}

// models is what each model of q said of c.
func (q *Query) models(c *Candidate) []TraceModel {
	if c.item == nil || c.item.hit == nil {
		return nil
	}
	var out []TraceModel
	h := c.item.hit
	for i, v := range q.Vectors {
		if i < len(h.Cosine) && h.Cosine[i] != store.NoCosine {
			m := TraceModel{Model: v.Model, Cosine: float64(h.Cosine[i])}
			if i < len(h.Nearest) {
				m.Rank = h.Nearest[i]
			}
			out = append(out, m)
		}
	}
	return out
}

// Close fills the outcomes of what was to be returned; there says whether it
// still was.
func (t *Trace) Close(returned []*Candidate, there func(id int64) bool) {
	outcome := map[int64]Outcome{}
	for _, c := range returned {
		outcome[c.ID] = Returned
		if !there(c.ID) {
			outcome[c.ID] = Gone
		}
	}
	t.NoAnswer = true
	for i := range t.Candidates {
		c := &t.Candidates[i]
		if o, ok := outcome[c.ID]; ok {
			c.Outcome = o
		}
		t.NoAnswer = t.NoAnswer && c.Outcome != Returned
	}
}

// Pack adds what the budgeter did with the hits; id gives the memory of an item.
func (t *Trace) Pack(packing []Packed, id func(index int) int64) {
	for _, p := range packing {
		t.Packing = append(t.Packing, TracePacked{id(p.Index), p})
		if p.Kept {
			continue
		}
		for i := range t.Candidates {
			if t.Candidates[i].ID == id(p.Index) {
				t.Candidates[i].Outcome = OverBudget
			}
		}
	}
}

// Trace is what q was taken for.
func (q *Query) Trace() TraceQuery {
	t := TraceQuery{Text: q.Text, Language: q.Language, Phrases: q.Phrases, MatchAll: q.MatchAll, Cut: q.Cut, Words: []TraceWord{}}
	if q.Window != nil {
		t.From, t.To = timeOrNil(q.Window.From), timeOrNil(q.Window.To)
	}
	switch q.Order {
	case text.Latest:
		t.Order = "latest"
	case text.First:
		t.Order = "first"
	}
	for i := range q.Words {
		w := &q.Words[i]
		t.Words = append(t.Words, TraceWord{
			Word: w.Surface, Forms: w.Forms, Stop: w.Stop, Memories: w.DF, IDF: w.idf, Instead: w.instead,
		})
	}
	return t
}

// Said parts the words that say something by whether a memory has them itself,
// in whatever form; what stands in for one is named behind it. tf is how often it
// has each of the query's terms; nil = none.
func (q *Query) Said(tf []float32) (said, missing []string) {
	for i := range q.Words {
		w := &q.Words[i]
		if w.Stop {
			continue
		}
		as := slices.IndexFunc(w.forms, func(f form) bool { return f.in(tf) })
		switch {
		case as < 0:
			missing = append(missing, w.Surface)
		case as > 0 && as == w.typeForm:
			said = append(said, w.Surface+" (as its type)")
		case w.forms[as].weight < 1:
			said = append(said, w.Surface+" (as "+q.spell(w.forms[as])+")")
		default:
			said = append(said, w.Surface)
		}
	}
	return said, missing
}

// in reports whether a text has all terms of the form.
func (f form) in(tf []float32) bool {
	return !slices.ContainsFunc(f.terms, func(t int) bool { return t >= len(tf) || tf[t] <= 0 })
}

func (q *Query) spell(f form) string {
	terms := make([]string, len(f.terms))
	for i, t := range f.terms {
		terms[i] = q.Terms[t].Text
	}
	return strings.Join(terms, " ")
}

func timeOrNil(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	return &t
}
