package client

import (
	"context"
	"net/http"
	"time"
)

// ExplainInput asks what came of one memory in a recall, or in a search.
type ExplainInput struct {
	RecallInput
	ID     int64  `json:"id,omitempty"`     // of the memory; 0 = only the trace
	UID    string `json:"uid,omitempty"`    // instead of ID
	Search bool   `json:"search,omitempty"` // explains a search: another limit, and no budget
}

// Explanation says what came of one memory, and how the answer came about.
type Explanation struct {
	ID    int64  `json:"id"`
	Title string `json:"title"`
	// Reason is not_in_store, other_scope, filtered, not_found, below_floor,
	// outranked, over_budget or returned.
	Reason    string           `json:"reason"`
	Text      string           `json:"text"`      // the same in a sentence
	Filters   []string         `json:"filters"`   // what leaves the memory out
	Needs     []Need           `json:"needs"`     // what it falls short of
	Said      []string         `json:"said"`      // words of the query that it has
	Missing   []string         `json:"missing"`   // … and that it has not
	Candidate *TraceCandidate  `json:"candidate"` // how it was judged
	Packed    *TracePacked     `json:"packed"`    // what the budgeter did with it
	Project   string           `json:"project"`
	Limit     int              `json:"limit"`
	Budget    int              `json:"budget"`
	NoAnswer  bool             `json:"no_answer"`
	Trace     ExplanationTrace `json:"trace"`
}

// Need is a value that keeps a memory out of an answer, and what it had to be.
type Need struct {
	What  string  `json:"what"` // probability, place, tokens, or an arm, by its score
	Op    string  `json:"op"`   // >= or <=
	Bound float64 `json:"bound"`
	Value float64 `json:"value"`
}

// ExplanationTrace says how an answer came about.
type ExplanationTrace struct {
	Query struct {
		Text     string     `json:"text"`
		Language string     `json:"language"`
		Phrases  [][]string `json:"phrases"`
		From     time.Time  `json:"from"` // of the time that was asked for; zero = open
		To       time.Time  `json:"to"`
		Order    string     `json:"order"` // latest or first
		Words    []struct {
			Word     string   `json:"word"`
			Forms    []string `json:"forms"`
			Stop     bool     `json:"stop"`
			Memories int      `json:"memories"` // that have it
			IDF      float64  `json:"idf"`
			Instead  []string `json:"instead"` // taken because no memory has the word
		} `json:"words"`
	} `json:"query"`
	Arms []struct {
		Name  string `json:"name"`
		Found int    `json:"found"`
	} `json:"arms"`
	Models     []string         `json:"models"` // that said what the query means
	Floor      float64          `json:"floor"`  // least probability of what is returned
	NoAnswer   bool             `json:"no_answer"`
	Warnings   []string         `json:"warnings"`   // what the search had to do without
	Reranker   *TraceReranker   `json:"reranker"`   // nil = none is set
	Rejected   *TraceCandidate  `json:"rejected"`   // the best that stayed below it
	Candidates []TraceCandidate `json:"candidates"` // the best of the pool
	Pool       int              `json:"pool"`       // how many candidates there were
	Packing    []TracePacked    `json:"packing"`    // of a recall, in the order of choice
}

// TraceCandidate is how one memory was judged.
type TraceCandidate struct {
	ID    int64 `json:"id"`
	Rank  int   `json:"rank"`  // in the pool
	Place int   `json:"place"` // among those that cleared the floor
	Arms  map[string]struct {
		Rank  int     `json:"rank"`
		Score float64 `json:"score"`
		Share float64 `json:"share"`
	} `json:"arms"`
	Models []struct {
		Model  string  `json:"model"`
		Cosine float64 `json:"cosine"` // on the model's own scale
		Rank   int     `json:"rank"`   // among the nearest that it drew, 0 = it did not draw this
	} `json:"models"`
	Features map[string]any `json:"features"`
	Evidence struct {
		Coverage float64 `json:"coverage"` // share of what was asked that it says
		Unknown  float64 `json:"unknown"`  // share of what was asked that no memory says
	} `json:"evidence"`
	Score       float64 `json:"score"`
	Probability float64 `json:"probability"`
	// Reranker is how likely it answers by the reranker, nil = that was not asked.
	Reranker *float64 `json:"reranker"`
	Outcome  string   `json:"outcome"`
}

// TraceReranker says what came of asking the reranker of the settings.
type TraceReranker struct {
	Used  bool   `json:"used"`
	Asked int    `json:"asked"` // about how many of the best it said something
	Why   string `json:"why"`   // it was not used
}

// TracePacked is what the budgeter did with one memory.
type TracePacked struct {
	ID         int64   `json:"id"`
	Tokens     int     `json:"tokens"`
	Relevance  float64 `json:"relevance"`
	Recency    float64 `json:"recency"`
	Importance float64 `json:"importance"`
	Diversity  float64 `json:"diversity"`
	Score      float64 `json:"score"`
	Left       int     `json:"left"` // tokens of the budget, when its turn came
	Kept       bool    `json:"kept"`
}

// Explain says why a memory is or is not in the answer to a query.
func (c *Client) Explain(ctx context.Context, in ExplainInput) (Explanation, error) {
	var e Explanation
	err := c.call(ctx, http.MethodPost, "/v1/explain", nil, in, &e)
	return e, err
}
