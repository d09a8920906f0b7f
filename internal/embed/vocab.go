package embed

import (
	"fmt"
	"math/bits"
	"strings"
	"unicode/utf8"
)

// unknownToken is what a word has become that no tokens spell.
const unknownToken = "[UNK]"

// vocabulary finds tokens by their spelling. The spellings stay where they are in
// the binary; here are only their places and a hash table of their numbers.
type vocabulary struct {
	text    string   // a token a line
	starts  []uint32 // of each line, and the end of the last
	slots   []uint16 // open addressing; the number of a token + 1, 0 is free
	shift   uint8    // of a hash to a slot
	longest int      // bytes of the longest token, "##" not counted
	unknown uint16
}

func newVocabulary(text string, n int) (*vocabulary, error) {
	v := &vocabulary{text: text, starts: make([]uint32, 1, n+1)}
	for pos := 0; pos < len(text); {
		end := strings.IndexByte(text[pos:], '\n')
		if end < 0 {
			return nil, fmt.Errorf("the last line has no end")
		}
		pos += end + 1
		v.starts = append(v.starts, uint32(pos))
	}
	if got := len(v.starts) - 1; got != n {
		return nil, fmt.Errorf("%d tokens, want one for each of %d rows", got, n)
	}
	size := 1 << bits.Len(uint(2*n-1)) // at most half full
	v.slots = make([]uint16, size)
	v.shift = uint8(32 - bits.Len(uint(size-1)))
	for i := range n {
		if err := v.insert(uint16(i)); err != nil {
			return nil, err
		}
	}
	var ok bool
	if v.unknown, ok = v.find(hashOf(unknownToken), []byte(unknownToken), false); !ok {
		return nil, fmt.Errorf("%s is missing", unknownToken)
	}
	return v, nil
}

func (v *vocabulary) insert(id uint16) error {
	s := v.token(id)
	if s == "" {
		return fmt.Errorf("line %d is empty", int(id)+1)
	}
	if len(s) > maxToken {
		return fmt.Errorf("line %d is longer than %d bytes", int(id)+1, maxToken)
	}
	v.longest = max(v.longest, len(strings.TrimPrefix(s, continued)))
	slot := v.slot(hashOf(s))
	for v.slots[slot] != 0 {
		if v.token(v.slots[slot]-1) == s {
			return fmt.Errorf("line %d repeats %q", int(id)+1, s)
		}
		slot = v.next(slot)
	}
	v.slots[slot] = id + 1
	return nil
}

// continued begins the tokens that continue a word.
const continued = "##"

// maxToken is the most bytes of a token.
const maxToken = 64

// find looks for a token, given the hash of its spelling: word, or "##" and word
// for one that continues a word.
func (v *vocabulary) find(hash uint32, word []byte, continues bool) (uint16, bool) {
	for slot := v.slot(hash); ; slot = v.next(slot) {
		id := v.slots[slot]
		if id == 0 {
			return 0, false
		}
		id--
		s := v.token(id)
		if continues {
			if len(s) != len(continued)+len(word) || s[:len(continued)] != continued {
				continue
			}
			s = s[len(continued):]
		}
		if s == string(word) {
			return id, true
		}
	}
}

// spell appends the tokens that spell a word, the longest first. It appends none
// and is false when there are no such.
func (v *vocabulary) spell(dst []uint16, word []byte) ([]uint16, bool) {
	var hashes [maxToken + 1]uint32
	n := len(dst)
	for start := 0; start < len(word); {
		hashes[0] = hashStart
		if start > 0 {
			hashes[0] = hashContinued
		}
		rest := word[start:]
		end := min(len(rest), v.longest)
		for i, c := range rest[:end] {
			hashes[i+1] = hashByte(hashes[i], c)
		}
		for ; end > 0; end-- {
			if end < len(rest) && !utf8.RuneStart(rest[end]) {
				continue
			}
			if id, ok := v.find(hashes[end], rest[:end], start > 0); ok {
				dst = append(dst, id)
				break
			}
		}
		if end == 0 {
			return dst[:n], false
		}
		start += end
	}
	return dst, true
}

func (v *vocabulary) token(id uint16) string {
	return v.text[v.starts[id] : v.starts[int(id)+1]-1]
}

func (v *vocabulary) slot(hash uint32) uint32 { return hash * 0x9E3779B1 >> v.shift }
func (v *vocabulary) next(slot uint32) uint32 { return (slot + 1) & uint32(len(v.slots)-1) }

// The hash is FNV-1a, taken on byte by byte so that all prefixes of a word have
// theirs after one pass.
const hashStart uint32 = 2166136261

var hashContinued = hashOf(continued)

func hashByte(h uint32, c byte) uint32 { return (h ^ uint32(c)) * 16777619 }

func hashOf(s string) uint32 {
	h := hashStart
	for i := range len(s) {
		h = hashByte(h, s[i])
	}
	return h
}
