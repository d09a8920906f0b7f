package rest

import (
	"context"

	"engram/internal/service/memory"
)

type explainBody struct {
	recallBody
	ID     int64  `json:"id"     doc:"of the memory that is asked about; only the trace when left out"`
	UID    string `json:"uid"    doc:"instead of id"`
	Search bool   `json:"search" doc:"explains POST /v1/search: another limit, and no budget"`
}

func (a *api) explain(ctx context.Context, in *explainBody, _ *reply) (memory.Explanation, error) {
	q, err := a.searchInput(&in.searchBody)
	if err != nil {
		return memory.Explanation{}, err
	}
	return a.Memory.Explain(ctx, memory.ExplainInput{
		RecallInput: memory.RecallInput{SearchInput: q, Budget: orZero(in.Budget)}, Search: in.Search, ID: in.ID, UID: in.UID,
	})
}
