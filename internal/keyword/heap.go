package keyword

import (
	"cmp"
	"slices"
)

// scored is a document with its score.
type scoredDoc struct {
	score uint32
	id    int64
	ref   ref
	place uint32 // in a gathering
}

// worse orders documents: the smaller score, of equal ones the smaller id.
func (a scoredDoc) worse(b scoredDoc) bool {
	return a.score < b.score || a.score == b.score && a.id < b.id
}

// heap keeps the best documents, the worst of them on top.
type heap struct {
	items []scoredDoc
	room  int
}

func (h *heap) reset(room int) { h.items, h.room = h.items[:0], room }

// least is the score that a document must reach to be kept: 0 while there is
// room.
func (h *heap) least() uint32 {
	if len(h.items) < h.room {
		return 0
	}
	return h.items[0].score
}

func (h *heap) offer(score uint32, id int64, r ref) {
	d := scoredDoc{score: score, id: id, ref: r}
	if len(h.items) < h.room {
		h.items = append(h.items, d)
		h.up(len(h.items) - 1)
		return
	}
	if h.items[0].worse(d) {
		h.items[0] = d
		h.down()
	}
}

func (h *heap) up(i int) {
	for i > 0 {
		parent := (i - 1) / 2
		if !h.items[i].worse(h.items[parent]) {
			return
		}
		h.items[i], h.items[parent] = h.items[parent], h.items[i]
		i = parent
	}
}

func (h *heap) down() {
	i := 0
	for {
		child := 2*i + 1
		if child >= len(h.items) {
			return
		}
		if r := child + 1; r < len(h.items) && h.items[r].worse(h.items[child]) {
			child = r
		}
		if !h.items[child].worse(h.items[i]) {
			return
		}
		h.items[i], h.items[child] = h.items[child], h.items[i]
		i = child
	}
}

// sortBest orders best first.
func sortBest(docs []scoredDoc) {
	slices.SortFunc(docs, func(a, b scoredDoc) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(b.id, a.id))
	})
}
