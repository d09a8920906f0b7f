package embed

import (
	"context"
	_ "embed"
	"fmt"
	"math"
	"sync"
)

// The files are described in tools/embedder/README.md.
var (
	//go:embed data/static-en-256.bin
	rowsFile string
	//go:embed data/vocab.txt
	vocabFile string
	//go:embed data/neighbours-24.bin
	neighboursFile string
)

// staticModel is the model tag of the built-in table: its name, the beginning of
// the table's SHA-256, and the version of the way from text to tokens.
const staticModel = "static-en-256@6aee41f4.1"

// Dim is the length of the built-in table's vectors.
const Dim = 256

const (
	rowsMagic   = "ENGSTAT1"
	rowsHeader  = len(rowsMagic) + 8
	scaleOneBit = 16 // bits of the greatest fixed-point scale
)

// Table is a static embedder: a row for each token of a vocabulary. It is not
// changed after it is made, and may be used by several goroutines.
type Table struct {
	model      string
	vocab      *vocabulary
	scales     string // float32 of each row, little-endian
	codes      string // Dim × int8 of each row; value = scale × code
	fixed      float64
	neighbours neighbours
}

var static = sync.OnceValue(func() *Table {
	t, err := newTable(staticModel, rowsFile, vocabFile, neighboursFile)
	if err != nil {
		panic("embed: the binary was built with a broken table: " + err.Error())
	}
	return t
})

// Static gives the table that is part of the binary. The first call takes a few
// milliseconds.
func Static() *Table { return static() }

func newTable(model, rows, vocab, near string) (*Table, error) {
	if len(rows) < rowsHeader || rows[:len(rowsMagic)] != rowsMagic {
		return nil, fmt.Errorf("rows: not a %s file", rowsMagic)
	}
	n, dim := int(uint32At(rows, len(rowsMagic))), int(uint32At(rows, len(rowsMagic)+4))
	if dim != Dim {
		return nil, fmt.Errorf("rows: %d dimensions, want %d", dim, Dim)
	}
	if n == 0 || n >= math.MaxUint16 {
		return nil, fmt.Errorf("rows: %d of them, want 1 to %d", n, math.MaxUint16-1)
	}
	if want := rowsHeader + n*(4+Dim); len(rows) != want {
		return nil, fmt.Errorf("rows: %d bytes, want %d", len(rows), want)
	}
	t := &Table{model: model, scales: rows[rowsHeader:][:4*n], codes: rows[rowsHeader+4*n:]}
	var err error
	if t.vocab, err = newVocabulary(vocab, n); err != nil {
		return nil, fmt.Errorf("vocabulary: %w", err)
	}
	if t.neighbours, err = newNeighbours(near, n); err != nil {
		return nil, fmt.Errorf("neighbours: %w", err)
	}
	var most float64
	for i := range n {
		s := t.scale(uint16(i))
		if !(s >= 0 && s <= math.MaxFloat32) {
			return nil, fmt.Errorf("rows: scale of row %d is %v", i, s)
		}
		most = max(most, s)
	}
	if most == 0 {
		return nil, fmt.Errorf("rows: all are zero")
	}
	t.fixed = (1<<scaleOneBit - 1) / most
	return t, nil
}

func uint32At(s string, i int) uint32 {
	s = s[i : i+4]
	return uint32(s[0]) | uint32(s[1])<<8 | uint32(s[2])<<16 | uint32(s[3])<<24
}

// Model is the tag of vectors that the table makes.
func (t *Table) Model() string { return t.model }

// Dim is the length of a vector.
func (t *Table) Dim() int { return Dim }

// Len is the number of tokens in the vocabulary.
func (t *Table) Len() int { return len(t.scales) / 4 }

// Embed makes the vector of each text; see Embedder.
func (t *Table) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	out := make([][]float32, len(texts))
	for i, s := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		out[i], _ = t.Vector(s)
	}
	return out, nil
}

// Known tells whether the table has a meaning for a token: those that only say
// that a word is unknown have none.
func (t *Table) Known(token uint16) bool {
	return int(token) < t.Len() && t.scale(token) > 0
}

// Token gives a token as the vocabulary spells it: "##" in front means that it
// continues a word. It is empty for a number that is no token.
func (t *Table) Token(token uint16) string {
	if int(token) >= t.Len() {
		return ""
	}
	return t.vocab.token(token)
}

// Row gives the vector of one token, of its own length: rows of frequent tokens
// are short. It is zero for a token that is not Known.
func (t *Table) Row(token uint16) (row [Dim]float32) {
	if !t.Known(token) {
		return row
	}
	scale := float32(t.scale(token))
	codes := t.row(token)
	for i := range row {
		row[i] = scale * float32(int8(codes[i]))
	}
	return row
}

// Weight is the length of a token's row: what the training found a token to be
// worth in a text. It stands in for the IDF where no counts are known.
func (t *Table) Weight(token uint16) float32 {
	if !t.Known(token) {
		return 0
	}
	return float32(t.scale(token) * math.Sqrt(float64(t.dot(token, token))))
}

// Cosine compares the rows of two tokens. It is 0 if either is not Known.
func (t *Table) Cosine(a, b uint16) float32 {
	if !t.Known(a) || !t.Known(b) {
		return 0
	}
	return float32(float64(t.dot(a, b)) / math.Sqrt(float64(t.dot(a, a))*float64(t.dot(b, b))))
}

func (t *Table) dot(a, b uint16) int {
	x, y := t.row(a), t.row(b)
	sum := 0
	for i := range Dim {
		sum += int(int8(x[i])) * int(int8(y[i]))
	}
	return sum
}

func (t *Table) row(token uint16) string { return t.codes[int(token)*Dim:][:Dim] }

func (t *Table) scale(token uint16) float64 {
	return float64(math.Float32frombits(uint32At(t.scales, 4*int(token))))
}
