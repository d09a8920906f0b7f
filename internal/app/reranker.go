package app

import (
	"context"
	"errors"
	"fmt"
	"time"

	"engram"
	"engram/internal/config"
	"engram/internal/rerank"
	"engram/internal/store"
)

// reranker makes the client of the settings, nil = none is set.
func reranker(r config.Reranker) (*rerank.Client, error) {
	if r.URL == "" {
		return nil, nil
	}
	return rerank.New(rerank.Options{URL: r.URL, Model: r.Model, Key: r.Key, Timeout: r.Timeout})
}

// rerankerFindings ask the reranker and say what came of it, for `engram doctor`.
func rerankerFindings(ctx context.Context, c *rerank.Client, patience time.Duration) ([]store.Finding, error) {
	took, err := c.Probe(ctx)
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	f := store.Finding{Check: "reranker", OK: true}
	e, forPeople := errors.AsType[*engram.Error](err)
	switch {
	case forPeople:
		f.OK, f.Message, f.Fix = false, e.Message+"; recall goes on by the built-in ranker", e.Hint
	case err != nil:
		return nil, err
	case took > patience:
		f.OK, f.Message = false, fmt.Sprintf("the reranker %v took %v for two short texts, and a question waits %v", c, took.Round(time.Millisecond), patience)
		f.Fix = "ask it once more, in case it had to load the model; then raise reranker_timeout, or use a smaller model"
	default:
		f.Message = fmt.Sprintf("the reranker %v answers (%v for two short texts)", c, took.Round(time.Millisecond))
	}
	return []store.Finding{f}, nil
}
