package embed

import (
	"fmt"
	"strings"
)

const neighboursMagic = "ENGNEIB1"

// neighbours holds for each token the ids of others and their cosines, in the
// form of the file.
type neighbours struct {
	offsets string // uint32 of each token, and the end of the last
	ids     string // uint16 each
	cosines string // uint8 each, cosine × 255
}

func newNeighbours(file string, n int) (neighbours, error) {
	head := len(neighboursMagic) + 4
	if len(file) < head || file[:len(neighboursMagic)] != neighboursMagic {
		return neighbours{}, fmt.Errorf("not a %s file", neighboursMagic)
	}
	if got := int(uint32At(file, len(neighboursMagic))); got != n {
		return neighbours{}, fmt.Errorf("for %d tokens, want %d", got, n)
	}
	ids := head + 4*(n+1)
	if len(file) < ids {
		return neighbours{}, fmt.Errorf("cut off")
	}
	nb := neighbours{offsets: file[head:ids]}
	total := int(uint32At(nb.offsets, 4*n))
	if want := ids + 3*total; len(file) != want {
		return neighbours{}, fmt.Errorf("%d bytes, want %d", len(file), want)
	}
	for i, last := 0, 0; i <= n; i++ {
		at := int(uint32At(nb.offsets, 4*i))
		if at < last || at > total {
			return neighbours{}, fmt.Errorf("offset %d of token %d is out of order", at, i)
		}
		last = at
	}
	nb.ids, nb.cosines = file[ids:ids+2*total], file[ids+2*total:]
	return nb, nil
}

// Neighbour is a token that means nearly what another means.
type Neighbour struct {
	Token  uint16
	Cosine float32 // of their rows, 0.4 to 1
}

// Neighbours calls yield with the nearest tokens of a token, the best first, 24
// at most; the token itself is not among them. It stops when yield is false.
func (t *Table) Neighbours(token uint16) func(yield func(Neighbour) bool) {
	return func(yield func(Neighbour) bool) {
		if int(token) >= t.Len() {
			return
		}
		nb := &t.neighbours
		from, to := int(uint32At(nb.offsets, 4*int(token))), int(uint32At(nb.offsets, 4*int(token)+4))
		for i := from; i < to; i++ {
			id := uint16(nb.ids[2*i]) | uint16(nb.ids[2*i+1])<<8
			if !yield(Neighbour{id, float32(nb.cosines[i]) / 255}) {
				return
			}
		}
	}
}

// RelatedWords calls yield with the words that mean nearly the same as a word and
// the cosine, the best first. There are none for a word that is not in the
// vocabulary as a whole.
func (t *Table) RelatedWords(word string) func(yield func(word string, cosine float32) bool) {
	return func(yield func(string, float32) bool) {
		var buf [4]uint16
		tokens := t.Tokens(buf[:0], word)
		if len(tokens) != 1 {
			return
		}
		for n := range t.Neighbours(tokens[0]) {
			if w := t.Token(n.Token); !strings.HasPrefix(w, continued) && !yield(w, n.Cosine) {
				return
			}
		}
	}
}
