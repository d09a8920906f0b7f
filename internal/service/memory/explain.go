package memory

import (
	"context"
	"errors"
	"slices"

	"engram"
	"engram/internal/policy"
	"engram/internal/recall"
	"engram/internal/store"
)

// Reason says why a memory is in an answer, or why it is not.
type Reason string

// The reasons, in the order in which they are looked for.
const (
	NotInStore Reason = "not_in_store" // unknown, erased, or another workspace's
	OtherScope Reason = "other_scope"  // of another project or scope than was asked in
	Filtered   Reason = "filtered"     // by status, time or another condition
	NotFound   Reason = "not_found"    // by any arm
	BelowFloor Reason = "below_floor"  // it does not say enough of what was asked
	Outranked  Reason = "outranked"    // by as many as are returned
	OverBudget Reason = "over_budget"  // it did not fit into the tokens that were left
	Returned   Reason = "returned"
)

// ExplainInput asks what came of one memory in a recall, or a search.
type ExplainInput struct {
	RecallInput
	Search bool   // explains Search: another limit, and no budget
	ID     int64  // of the memory; 0 = only the trace is wanted
	UID    string // instead of ID
}

// Explanation says what came of one memory, and how the answer came about.
type Explanation struct {
	ID      int64    `json:"id,omitempty"`
	Title   string   `json:"title,omitempty"`
	Reason  Reason   `json:"reason,omitempty"  doc:"not_in_store, other_scope, filtered, not_found, below_floor, outranked, over_budget or returned"`
	Text    string   `json:"text"              doc:"the same in a sentence"`
	Filters []string `json:"filters,omitempty" doc:"what leaves the memory out: deleted, as_of, project, scope, type, …"`
	Needs   []Need   `json:"needs,omitempty"   doc:"what it falls short of"`
	Said    []string `json:"said,omitempty"    doc:"words of the query that it has"`
	Missing []string `json:"missing,omitempty" doc:"words of the query that it has not"`
	// Candidate is how the memory was judged: by itself, where no arm found it.
	Candidate *recall.TraceCandidate `json:"candidate,omitempty"`
	Packed    *recall.TracePacked    `json:"packed,omitempty" doc:"what the budgeter did with it"`
	Project   string                 `json:"project,omitempty" doc:"that was searched"`
	Limit     int                    `json:"limit"`
	Budget    int                    `json:"budget,omitempty" doc:"tokens, of a recall"`
	NoAnswer  bool                   `json:"no_answer"`
	Trace     *Trace                 `json:"trace"`
}

// Need is a value that keeps a memory out of an answer, and what it had to be.
type Need struct {
	What  string  `json:"what"  doc:"probability, place, tokens, or the score of an arm"`
	Op    string  `json:"op"    doc:">= or <="`
	Bound float64 `json:"bound"`
	Value float64 `json:"value"`
}

// Explain answers a question as [Service.Recall] does, counting no access, and
// says why one memory is in the answer or not. A memory that is unknown and one
// of another workspace get the same answer.
func (s *Service) Explain(ctx context.Context, in ExplainInput) (Explanation, error) {
	actor, err := policy.Check(ctx, policy.ReadMemory)
	if err != nil {
		return Explanation{}, err
	}
	if in.ID < 0 || in.ID != 0 && in.UID != "" {
		return Explanation{}, engram.Errorf(engram.ErrInvalid, "the memory is not clear").WithCode("invalid_id").
			WithHint("give the number of a memory, or its uid")
	}
	in.Explain, in.NoFloor = true, false
	x, err := s.explaining(ctx, in)
	if err != nil {
		return Explanation{}, err
	}
	if in.ID == 0 && in.UID == "" {
		x.out.Text = x.summary()
		return x.out, nil
	}
	if x.m, err = s.subject(ctx, actor.Workspace, in); err != nil {
		return Explanation{}, err
	}
	return x.out, x.judge(ctx)
}

// explaining is an explanation under way.
type explaining struct {
	*finding
	result RecallResult
	m      *engram.Memory // as it was known at the time that was asked about; nil = not in the store
	out    Explanation
}

// explaining answers the question.
func (s *Service) explaining(ctx context.Context, in ExplainInput) (*explaining, error) {
	x := &explaining{}
	var err error
	if in.Search {
		if x.finding, err = s.find(ctx, in.SearchInput, defaultSearch); err == nil {
			x.result.SearchResult, err = x.hits(ctx)
		}
	} else {
		x.finding, x.result, err = s.recall(ctx, in.RecallInput)
		x.out.Budget = in.budget()
	}
	if err != nil {
		return nil, err
	}
	x.out.ID, x.out.Project, x.out.Limit = in.ID, x.result.Project, x.in.Limit
	x.out.NoAnswer, x.out.Trace = x.result.NoAnswer, x.result.Trace
	return x, nil
}

// subject is the memory that is asked about, deleted ones too; nil when it is not
// in the workspace.
func (s *Service) subject(ctx context.Context, workspace string, in ExplainInput) (*engram.Memory, error) {
	id := in.ID
	if in.UID != "" {
		known, err := s.store.Known(ctx, workspace, []string{in.UID})
		if err != nil || known[in.UID] == 0 {
			return nil, err
		}
		id = known[in.UID]
	}
	m, err := s.store.Memory(ctx, workspace, id, true)
	if errors.Is(err, engram.ErrNotFound) || err == nil && in.UID != "" && m.UID != in.UID { // prompts have uids too
		return nil, nil
	}
	return m, err
}

// judge finds the reason, by the first thing that keeps the memory out.
func (x *explaining) judge(ctx context.Context) error {
	if x.m == nil {
		x.out.Reason, x.out.Text = NotInStore, "Not in this store: no memory here has that id, or it was erased."
		return nil
	}
	x.out.ID, x.out.Title = x.m.ID, x.m.Title
	out, err := x.leftOut(ctx)
	if err != nil || len(out) > 0 {
		x.filtered(out)
		return err
	}
	alone, err := x.alone(ctx)
	if err != nil {
		return err
	}
	x.out.Said, x.out.Missing = alone.said, alone.missing
	if c, ok := x.pool.Judged(x.m.ID); ok {
		x.found(c)
		return nil
	}
	x.notFound(alone)
	return nil
}

// found says what came of a memory that an arm found.
func (x *explaining) found(c recall.TraceCandidate) {
	o := &x.out
	o.Candidate = &c
	id := x.m.ID
	for _, p := range o.Trace.Packing {
		if p.ID == id {
			o.Packed = &p
		}
	}
	number := slices.IndexFunc(x.result.Hits, func(h Hit) bool { return h.Memory.ID == id }) + 1
	switch {
	case number > 0:
		c.Outcome, o.Reason, o.Text = recall.Returned, Returned, x.returned(number, c)
	case o.Packed != nil:
		c.Outcome, o.Reason, o.Text = recall.OverBudget, OverBudget, x.overBudget()
		o.Needs = []Need{{"tokens", "<=", float64(o.Packed.Left), float64(o.Packed.Tokens)}}
	case c.Outcome == recall.BelowFloor:
		o.Reason, o.Text = BelowFloor, x.belowFloor(c)
		o.Needs = []Need{{"probability", ">=", o.Trace.Floor, c.Has}}
	case c.Place > o.Limit:
		o.Reason, o.Text = Outranked, x.outranked(c)
		o.Needs = []Need{{"place", "<=", float64(o.Limit), float64(c.Place)}}
	default:
		c.Outcome, o.Reason, o.Filters = recall.Gone, Filtered, []string{"changed"}
		o.Text = "Filtered: it changed while the question was answered. Ask again."
	}
}

// notFound says what a memory that no arm drew would have needed to be drawn.
func (x *explaining) notFound(alone alone) {
	o := &x.out
	o.Reason = NotFound
	if alone.found {
		o.Candidate = &alone.candidate
	}
	for _, name := range x.pool.Arms {
		score, ok := alone.scores[name]
		least, drawn := x.pool.Least(name)
		if ok && drawn && score <= least {
			o.Needs = append(o.Needs, Need{name, ">=", least, score})
		}
	}
	o.Text = x.undrawn()
}

// alone is how a memory looks to the arms when it is all that they may find.
type alone struct {
	said, missing []string
	found         bool
	candidate     recall.TraceCandidate // with neither ranks nor score, which only a pool gives
	scores        map[string]float64    // by arm
}

// alone asks the arms anew, whichever there are, with a filter that lets pass
// little beside the memory.
func (x *explaining) alone(ctx context.Context) (alone, error) {
	f := &finding{s: x.s, in: x.in, filter: x.only(), query: x.query}
	f.in.Deep = true
	arms, err := f.arms(ctx)
	if err != nil {
		return alone{}, err
	}
	f.pool = recall.Fuse(f.query, arms...)
	f.pool.Rank()
	a := alone{scores: map[string]float64{}}
	if a.candidate, a.found = f.pool.Judged(x.m.ID); a.found {
		for name, score := range a.candidate.Arms {
			a.scores[name] = score.Score
		}
		a.candidate.Rank, a.candidate.Place, a.candidate.Score = 0, 0, 0
		for i := range a.candidate.Models {
			a.candidate.Models[i].Rank = 0
		}
		a.candidate.Arms, a.candidate.Outcome = map[string]recall.ArmScore{}, recall.NotFound
	}
	a.said, a.missing, err = f.said(ctx, x.m.ID)
	return a, err
}

// only is the filter of the search, narrowed to what was said when the memory
// was, in its session and of its type.
func (x *explaining) only() store.Filter {
	f := x.filter
	f.Session, f.Types, f.Kinds = x.m.Session, []string{x.m.Type}, []engram.Kind{x.m.Kind}
	f.Since, f.Until = x.m.OccurredAt, x.m.OccurredAt.Add(1000) // times are whole microseconds
	return f
}

// said parts the words of the query by whether a memory has them.
func (f *finding) said(ctx context.Context, id int64) (said, missing []string, err error) {
	var tf []float32
	if f.query.HasWords() {
		r, err := f.s.store.Keyword(ctx, f.query.Keyword(f.filter, deepPool))
		if err != nil {
			return nil, nil, err
		}
		for i := range r.Hits {
			if r.Hits[i].ID == id {
				tf = r.Hits[i].TF
			}
		}
	}
	said, missing = f.query.Said(tf)
	return said, missing, nil
}
