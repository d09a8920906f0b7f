package encoder

import (
	"unsafe"

	"engram"
)

// Runner runs a model on a few texts at a time. It owns all memory that this takes, some 16 KB a
// token, and is for one goroutine.
type Runner struct {
	m   *Model
	max int // tokens of all texts of a run

	ids  []uint16 // of the run
	ends []int

	// A row for each token.
	x   []float32 // hidden state
	y   []float32 // what a part of a layer adds to it
	qkv []float32 // queries, keys, values
	ff  []float32 // inside the feed-forward part
	xq  []byte    // codes of Dim numbers
	fq  []byte    // codes of inner numbers
	rs  []float32 // what a code is worth
	nzp []int32   // minus the code of 0, as kernels want it

	zero []float32 // Dim of them
	keys []float32 // of one head of one text, transposed
	att  []float32 // attention of some rows of one head

	packed []uint64 // for plain Go: see packRows
	rowSum []int32

	// Arguments of kernels: here, so that nothing is allocated for a call.
	tile tile
	sg   sgArgs
	sm   smArgs
	ln   lnArgs
	mm   mmArgs
	q    qArgs
}

// NewRunner makes a runner for texts of so many tokens together, at least 2.
func (m *Model) NewRunner(tokens int) *Runner {
	tokens = max(tokens, 2)
	longest := min(tokens, m.shape.Positions)
	r := &Runner{
		m:    m,
		max:  tokens,
		x:    aligned[float32](tokens * Dim),
		y:    aligned[float32](tokens * Dim),
		qkv:  aligned[float32](tokens * 3 * Dim),
		ff:   aligned[float32](tokens * inner),
		xq:   aligned[byte](tokens * Dim),
		fq:   aligned[byte](tokens * inner),
		rs:   aligned[float32](tokens),
		nzp:  aligned[int32](tokens),
		zero: aligned[float32](Dim),
	}
	if m.k.tiles == nil {
		groups := plainGroups(tokens)
		r.packed = make([]uint64, groups*inner)
		r.rowSum = make([]int32, groups*plainRows)
	}
	if m.k.sg16 == nil {
		r.att = make([]float32, longest)
	} else {
		r.keys = aligned[float32](headDim * roundUp8(longest))
		r.att = aligned[float32](attendRows * roundUp8(longest))
	}
	return r
}

// aligned makes a slice that begins with a line of the cache.
func aligned[T byte | int32 | float32](n int) []T {
	const line = 64
	var zero T
	b := make([]T, n+line/int(unsafe.Sizeof(zero)))
	skip := int(-uintptr(unsafe.Pointer(unsafe.SliceData(b)))&(line-1)) / int(unsafe.Sizeof(zero))
	return b[skip:][:n:n]
}

func roundUp8(n int) int { return (n + 7) &^ 7 }

// Run puts the vector of each text, Dim numbers of length 1 together, into dst, one after the other. ids are the
// tokens of all texts, [CLS] and [SEP] among them; text i ends before ids[ends[i]], where the next
// begins. What a text's vector is does not depend on the other texts. Nothing is allocated.
//
// It is an [engram.Error] of the kind invalid if a text is empty or longer than the model's
// positions, if all together are longer than the runner is for, a token is not in the vocabulary, or dst has
// another length. Of the kind unavailable it is if the model's numbers lead to no vector.
func (r *Runner) Run(dst []float32, ids []uint16, ends []int) error {
	if err := r.check(dst, ids, ends); err != nil {
		return err
	}
	if len(ids) == 0 {
		return nil
	}
	r.ids, r.ends = ids, ends
	r.embed()
	for i := range r.m.layers {
		r.layer(&r.m.layers[i])
	}
	ok := r.pool(dst)
	r.ids, r.ends = nil, nil
	if !ok {
		return engram.Errorf(engram.ErrUnavailable, "the encoder's model gives a text no vector").
			WithCode("encoder_unavailable").WithHint("install engram anew")
	}
	return nil
}

func (r *Runner) check(dst []float32, ids []uint16, ends []int) error {
	begin := 0
	for i, end := range ends {
		switch n := end - begin; {
		case n <= 0:
			return badInput("text %d is empty", i)
		case n > r.m.shape.Positions:
			return badInput("text %d has %d tokens, the model reads %d", i, n, r.m.shape.Positions)
		}
		begin = end
	}
	switch {
	case begin != len(ids):
		return badInput("the texts end at %d, the tokens at %d", begin, len(ids))
	case len(ids) > r.max:
		return badInput("%d tokens, this runner is for %d", len(ids), r.max)
	case len(dst) != Dim*len(ends):
		return badInput("room for %d numbers, %d texts give %d", len(dst), len(ends), Dim*len(ends))
	}
	for i, id := range ids {
		if int(id) >= r.m.shape.Vocab {
			return badInput("token %d is %d, the vocabulary has %d", i, id, r.m.shape.Vocab)
		}
	}
	return nil
}

func badInput(format string, args ...any) error {
	return engram.Errorf(engram.ErrInvalid, "encoder: "+format, args...).WithCode("encoder_input")
}
