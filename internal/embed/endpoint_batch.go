package embed

import (
	"context"
	"errors"
	"math"
	"strings"
	"time"
	"unicode/utf8"

	"engram"
)

const (
	// minPiece is the length in bytes under which a text is not cut further.
	minPiece = 64
	// sameText is the least cosine of two vectors of one text. Those of one text
	// alone and in a batch differ in the last digits only.
	sameText = 0.98
)

// patience is how long and how often a server is asked.
type patience struct {
	attempts int
	timeout  time.Duration // of an attempt
	until    time.Time     // after which there is no further attempt
	checks   bool          // whether the server or a text is at fault, where that can be either
	halving  bool          // what is asked for is a part of what failed
}

// piece is a text, or a part of one, as it is sent.
type piece struct {
	text string
	of   int // the text it is from
}

func (e *Endpoint) embed(ctx context.Context, p patience, prefix string, texts []string) ([][]float32, error) {
	pieces := e.pieces(prefix, texts)
	means := make([]mean, len(texts))
	for len(pieces) > 0 {
		n := e.next(pieces)
		p.until = time.Now().Add(e.opts.MaxRetryTime)
		vectors, err := e.batch(ctx, p, prefix, pieces[:n])
		if err != nil {
			return nil, err
		}
		for i, v := range vectors {
			means[pieces[i].of].add(v, len(pieces[i].text)-len(prefix))
		}
		pieces = pieces[n:]
	}
	out := make([][]float32, len(texts))
	for i := range out {
		v, ok := means[i].vector()
		if !ok {
			return nil, &TextError{Index: i, Err: e.badAnswer("the vectors of the pieces of a text cancel each other out")}
		}
		out[i] = v
	}
	return out, nil
}

// pieces cuts what the model does not read at once. A text of blanks has none.
func (e *Endpoint) pieces(prefix string, texts []string) []piece {
	var out []piece
	for i, text := range texts {
		text = strings.ToValidUTF8(strings.TrimSpace(text), "\uFFFD")
		for text != "" {
			n := len(text)
			if n > e.opts.MaxTextBytes {
				n = cutAt(text, e.opts.MaxTextBytes)
			}
			if part := strings.TrimSpace(text[:n]); part != "" {
				out = append(out, piece{prefix + part, i})
			}
			text = text[n:]
		}
	}
	return out
}

// cutAt is where to cut a text so that the first part has at most so many bytes:
// after a blank if there is one in its last quarter.
func cutAt(text string, most int) int {
	for most > 0 && !utf8.RuneStart(text[most]) {
		most--
	}
	if i := strings.LastIndexAny(text[:most], " \t\n\r\u3000"); i >= most*3/4 {
		_, size := utf8.DecodeRuneInString(text[i:])
		return i + size
	}
	return most
}

// next is how many of the pieces go into the next request.
func (e *Endpoint) next(pieces []piece) int {
	limit := min(e.batchLimit(), len(pieces))
	n, bytes := 1, len(pieces[0].text)
	for n < limit && bytes+len(pieces[n].text) <= e.opts.MaxBatchBytes {
		bytes += len(pieces[n].text)
		n++
	}
	return n
}

func (e *Endpoint) batchLimit() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.limit
}

func (e *Endpoint) lowerLimit(n int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.limit = max(1, min(e.limit, n))
}

// batch gives a vector for each piece, in smaller requests where the server does
// not take, or not get right, all at once.
func (e *Endpoint) batch(ctx context.Context, p patience, prefix string, pieces []piece) ([][]float32, error) {
	if len(pieces) > 1 && len(pieces) > e.batchLimit() {
		return e.halves(ctx, p, prefix, pieces)
	}
	texts := make([]string, len(pieces))
	for i := range pieces {
		texts[i] = pieces[i].text
	}
	vectors, err := e.ask(ctx, e.howLong(p, len(texts)), texts)
	if err == nil {
		ok, err := e.compare(ctx, p, texts, vectors)
		if err != nil || ok {
			return vectors, err
		}
		return e.halves(ctx, p, prefix, pieces)
	}
	f, ok := errors.AsType[*fault](err)
	if !ok {
		return nil, err
	}
	if f, err = e.judge(ctx, &p, prefix, texts, f); err != nil {
		return nil, err
	}
	if len(pieces) > 1 {
		switch f.blame {
		case blameCount:
			e.lowerLimit(len(pieces) / 2)
		case blameBatch:
			e.lowerLimit(1)
		case blameNobody:
			return nil, f.err
		}
		return e.halves(ctx, p, prefix, pieces)
	}
	only := pieces[0]
	switch {
	case f.blame == blameLength && len(only.text)-len(prefix) >= 2*minPiece:
		return e.cut(ctx, p, prefix, only)
	case f.blame == blameLength, f.blame == blameText:
		return nil, &TextError{Index: only.of, Err: f.err}
	}
	return nil, f.err
}

func (e *Endpoint) halves(ctx context.Context, p patience, prefix string, pieces []piece) ([][]float32, error) {
	mid := len(pieces) / 2
	left, err := e.batch(ctx, p, prefix, pieces[:mid])
	if err != nil {
		return nil, err
	}
	right, err := e.batch(ctx, p, prefix, pieces[mid:])
	if err != nil {
		return nil, err
	}
	return append(left, right...), nil
}

// cut gives the vector of a piece that is too long for the model, from two.
func (e *Endpoint) cut(ctx context.Context, p patience, prefix string, whole piece) ([][]float32, error) {
	text := strings.TrimPrefix(whole.text, prefix)
	var m mean
	mid := cutAt(text, len(text)/2+1)
	for _, part := range []string{text[:mid], text[mid:]} {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		v, err := e.batch(ctx, p, prefix, []piece{{prefix + part, whole.of}})
		if err != nil {
			return nil, err
		}
		m.add(v[0], len(part))
	}
	v, ok := m.vector()
	if !ok {
		return nil, &TextError{Index: whole.of, Err: e.badAnswer("the vectors of the pieces of a text cancel each other out")}
	}
	return [][]float32{v}, nil
}

// compare tells whether a batch gave the last text the vector that it has alone.
// There are servers that mix texts of a batch up, or blur them the more of them
// there are; so it is asked again for batches of twice the size, and what is
// wrong once is not tried again.
func (e *Endpoint) compare(ctx context.Context, p patience, texts []string, vectors [][]float32) (bool, error) {
	n := len(texts)
	e.mu.Lock()
	checked := e.checked
	e.mu.Unlock()
	if n < 2*checked {
		return true, nil
	}
	alone, err := e.ask(ctx, p, texts[n-1:])
	if err != nil {
		if f, ok := errors.AsType[*fault](err); ok {
			return false, f.err
		}
		return false, err
	}
	if inner(alone[0], vectors[n-1]) < sameText {
		e.lowerLimit(checked)
		return false, nil
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.checked = max(e.checked, n)
	return true, nil
}

// mean is the mean of vectors, weighted by the lengths of what they stand for.
type mean struct {
	sum []float64
	one []float32 // if there is only one, it stays as it is
	n   int
}

func (m *mean) add(v []float32, weight int) {
	m.n++
	m.one = v
	if m.sum == nil {
		m.sum = make([]float64, len(v))
	}
	for i, x := range v {
		m.sum[i] += float64(float64(x) * float64(max(weight, 1)))
	}
}

// vector is nil if nothing was added, and false if all adds up to nothing.
func (m *mean) vector() ([]float32, bool) {
	if m.n < 2 {
		return m.one, true
	}
	return normalise(m.sum)
}

// normalise brings v to length 1. It is false for zeros. The largest number is
// divided by first, so that no square overflows.
func normalise[T float32 | float64](v []T) ([]float32, bool) {
	var most, square float64
	for _, x := range v {
		most = max(most, math.Abs(float64(x)))
	}
	if most == 0 {
		return nil, false
	}
	for _, x := range v {
		y := float64(x) / most
		square += float64(y * y)
	}
	length := math.Sqrt(square)
	out := make([]float32, len(v))
	for i, x := range v {
		out[i] = float32(float64(x) / most / length)
	}
	return out, true
}

func inner(a, b []float32) float64 {
	var sum float64
	for i, x := range a {
		sum += float64(float64(x) * float64(b[i]))
	}
	return sum
}

// TextError is an error about one of the texts; there is nothing wrong with the
// others. Asking again for that text gives it again.
type TextError struct {
	Index int // of the text
	Err   *engram.Error
}

// Error is the message of Err.
func (e *TextError) Error() string { return e.Err.Error() }

// Unwrap gives Err.
func (e *TextError) Unwrap() error { return e.Err }

// textErrorCause takes the index off an error about the only text.
func textErrorCause(err error) error {
	if t, ok := errors.AsType[*TextError](err); ok {
		return t.Err
	}
	return err
}
