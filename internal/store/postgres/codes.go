package postgres

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strconv"
	"strings"

	"engram/internal/vector"
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

// codesText is a vector of codes, as package vector makes them, as pgvector reads it.
// Both engines compare a question with the same numbers; a half holds them exactly.
func codesText(codes []byte) any {
	if len(codes) == 0 {
		return nil
	}
	b := make([]byte, 1, 5*len(codes)+1)
	b[0] = '['
	for i, c := range codes {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendInt(b, int64(int8(c)), 10)
	}
	return string(append(b, ']'))
}

// queryText is a question's vector to be compared with codes.
func queryText(unit []float32) string {
	b := make([]byte, 1, 12*len(unit)+1)
	b[0] = '['
	for i, x := range vector.Turned(unit) {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', 6, 32)
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
