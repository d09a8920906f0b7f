package postgres

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// A posting is the hash of a term, eight bytes, and how often the document has it,
// two; they are sorted by hash, so that a question's terms are looked up in them and
// the rest is never read.
const postingSize = 10

// hashTerm is FNV-1a, 64 bits (isthe.com/chongo/tech/comp/fnv).
func hashTerm(term string) uint64 {
	h := uint64(14695981039346656037)
	for i := range len(term) {
		h = (h ^ uint64(term[i])) * 1099511628211
	}
	return h
}

func encodePostings(terms []string, tf []int) []byte {
	type posting struct {
		hash uint64
		tf   int
	}
	all := make([]posting, len(terms))
	for i, t := range terms {
		all[i] = posting{hashTerm(t), tf[i]}
	}
	slices.SortFunc(all, func(a, b posting) int { return cmp.Compare(a.hash, b.hash) })
	out := make([]byte, 0, len(all)*postingSize)
	for _, p := range all {
		out = binary.BigEndian.AppendUint64(out, p.hash)
		out = binary.BigEndian.AppendUint16(out, uint16(min(p.tf, math.MaxUint16)))
	}
	return out
}

// frequency is how often a term is in a document.
func frequency(postings []byte, hash uint64) int {
	n := len(postings) / postingSize
	lo, hi := 0, n
	for lo < hi {
		mid := int(uint(lo+hi) >> 1)
		at := postings[mid*postingSize:]
		switch h := binary.BigEndian.Uint64(at); {
		case h == hash:
			return int(binary.BigEndian.Uint16(at[8:]))
		case h < hash:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return 0
}

func encodeTokens(tokens []uint16) []byte {
	out := make([]byte, 0, 2*len(tokens))
	for _, t := range tokens {
		out = binary.LittleEndian.AppendUint16(out, t)
	}
	return out
}

func decodeTokens(b []byte) []uint16 {
	out := make([]uint16, len(b)/2)
	for i := range out {
		out[i] = binary.LittleEndian.Uint16(b[2*i:])
	}
	return out
}

// vectorText is a vector as pgvector reads it, nil for none. A half has eleven bits.
func vectorText(unit []float32) any {
	if len(unit) == 0 {
		return nil
	}
	b := make([]byte, 1, 10*len(unit))
	b[0] = '['
	for i, x := range unit {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', 5, 32)
	}
	return string(append(b, ']'))
}

func splitTerms(list string) []string {
	if list == "" {
		return nil
	}
	return strings.Split(list, "\n")
}

// joined is a tsquery of terms with an operator between them.
func joined(terms []string, op string) string {
	var b strings.Builder
	for i, t := range terms {
		if i > 0 {
			b.WriteString(op)
		}
		b.WriteString(lexeme(t))
	}
	return b.String()
}

// lexeme is a term as a tsquery reads it.
func lexeme(term string) string {
	return "'" + strings.NewReplacer(`'`, `''`, `\`, `\\`).Replace(term) + "'"
}

// checkHalves refuses what a halfvec cannot hold.
func checkHalves(unit []float32) error {
	for _, x := range unit {
		if math.IsNaN(float64(x)) || math.Abs(float64(x)) > 65504 {
			return fmt.Errorf("a vector has the number %v", x)
		}
	}
	return nil
}
