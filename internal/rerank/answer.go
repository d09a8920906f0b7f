package rerank

import (
	"bytes"
	"encoding/json"
	"fmt"

	"engram/internal/remote"
)

// result is what a server says of one text. Text Embeddings Inference calls the
// score by the shorter name.
type result struct {
	Index     *int     `json:"index"`
	Relevance *float64 `json:"relevance_score"`
	Score     *float64 `json:"score"`
}

// read takes the scores out of an answer and checks them: one for each of n
// texts. It is a list, or has one as "results" or, like embeddings, as "data".
// What was sent is not repeated in an error.
func (c *Client) read(body []byte, sent []string, n int) ([]float64, *fault) {
	var answer struct {
		Results []result        `json:"results"`
		Data    []result        `json:"data"`
		Error   json.RawMessage `json:"error"`
	}
	var err error
	if bytes.HasPrefix(bytes.TrimSpace(body), []byte("[")) {
		err = json.Unmarshal(body, &answer.Results)
	} else {
		err = json.Unmarshal(body, &answer)
	}
	switch {
	case err != nil && remote.IsPage(body):
		return nil, c.bad("the answer is a web page")
	case err != nil:
		return nil, c.bad("the answer is not the JSON of a rerank API")
	case len(answer.Error) > 0 && !bytes.Equal(answer.Error, []byte("null")):
		return nil, c.bad("the answer is an error: " + remote.Detail(body, c.opts.Key, sent))
	case answer.Results == nil:
		answer.Results = answer.Data
	}
	if len(answer.Results) != n {
		return nil, c.bad(fmt.Sprintf("%d scores came for %d texts", len(answer.Results), n))
	}
	scores, seen := make([]float64, n), make([]bool, n)
	for _, r := range answer.Results {
		score := r.Relevance
		if score == nil {
			score = r.Score
		}
		switch {
		case r.Index == nil || *r.Index < 0 || *r.Index >= n || seen[*r.Index]:
			return nil, c.bad("which text a score is of is not told, or told wrong")
		case score == nil:
			return nil, c.bad("a text has no score")
		}
		scores[*r.Index], seen[*r.Index] = *score, true
	}
	return scores, nil
}
