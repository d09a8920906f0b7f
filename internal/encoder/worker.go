package encoder

import (
	"context"

	"engram/internal/embed"
)

// worker is a runner and the passages that wait for it.
type worker struct {
	runner *Runner
	table  *embed.Table

	ids  []uint16 // of all passages, with [CLS] and [SEP]
	ends []int    // of each passage in ids
	lex  []uint16 // tokens of one text
	cuts []int    // ends of sentences in lex
	runs []int    // ends of a run's passages, from its own begin
}

// run encodes the passages that fill adds to a worker. ctx is asked before each run, which
// takes some milliseconds.
func (e *Encoder) run(ctx context.Context, fill func(*worker)) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	w, err := e.worker()
	if err != nil {
		return nil, err
	}
	w.ids, w.ends = w.ids[:0], w.ends[:0]
	fill(w)
	vectors, err := w.encode(ctx)
	select {
	case e.free <- w:
	default: // there are enough
	}
	return vectors, err
}

func (e *Encoder) worker() (*worker, error) {
	select {
	case w := <-e.free:
		return w, nil
	default:
	}
	m, err := Default()
	if err != nil {
		return nil, err
	}
	return &worker{runner: m.NewRunner(batchTokens), table: embed.Static()}, nil
}

// encode runs all passages, as many at once as batchTokens has room for.
func (w *worker) encode(ctx context.Context) ([][]float32, error) {
	numbers := make([]float32, len(w.ends)*Dim)
	out := make([][]float32, len(w.ends))
	for i := range out {
		out[i] = numbers[i*Dim:][:Dim:Dim]
	}
	begin := 0
	for done := 0; done < len(w.ends); {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		w.runs = w.runs[:0]
		for _, end := range w.ends[done:] {
			if end-begin > batchTokens {
				break
			}
			w.runs = append(w.runs, end-begin)
		}
		n := len(w.runs)
		end := begin + w.runs[n-1]
		if err := w.runner.Run(numbers[done*Dim:][:n*Dim], w.ids[begin:end], w.runs); err != nil {
			return nil, err
		}
		done, begin = done+n, end
	}
	return out, nil
}
