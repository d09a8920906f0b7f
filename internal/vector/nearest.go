package vector

import (
	"cmp"
	"math"
	"slices"
)

// Near is a vector that was found.
type Near struct {
	Block  int // which of the scanned blocks, from 0
	Slot   int
	ID     int64
	Cosine float32
}

// Nearest looks for the vectors that are nearest to a query in several blocks,
// one after another. Which it finds does not depend on the blocks' order.
type Nearest struct {
	q      *Query
	blocks []*Block

	keep   int // so many are compared by their codes
	kept   []candidate
	counts []int // of kept ones at each distance
	bar    int   // the greatest distance at which one may still be kept
	within int   // kept ones that are not beyond bar
	least  int64 // the least id that may still be kept at the distance bar
}

// candidate is a vector that is near by its signs.
type candidate struct {
	id       int64
	block    int32
	slot     int32
	distance int32
}

// Begin starts a search that compares the codes of so many vectors whose signs
// differ least from the query's; of equally many differences those of greater
// ids. Begin(nil, 0) lets go of the last search's blocks.
func (n *Nearest) Begin(q *Query, keep int) {
	clear(n.blocks)
	*n = Nearest{q: q, blocks: n.blocks[:0], keep: max(keep, 1), kept: n.kept[:0], counts: n.counts[:0], least: math.MinInt64}
	if q == nil {
		return
	}
	n.bar = q.far
	n.counts = slices.Grow(n.counts, n.bar+1)[:n.bar+1]
	clear(n.counts)
}

// Scan looks at the next block. Its slots have the given ids, and only those that
// allow names may be found; it is asked for slots that are near enough. A block of
// another dimension has nothing to be found.
func (n *Nearest) Scan(b *Block, ids []int64, allow func(slot int) bool) {
	number := int32(len(n.blocks))
	n.blocks = append(n.blocks, b)
	if n.q == nil || len(n.q.codes) != b.space.Dim {
		return
	}
	offer := func(slot, distance int) {
		id := ids[slot]
		if (distance == n.bar && id < n.least) || b.norms[slot] == 0 || !allow(slot) {
			return
		}
		n.keepOne(candidate{id, number, int32(slot), int32(distance)})
	}
	n.q.near(b.signs, &n.bar, offer)
}

func (n *Nearest) keepOne(c candidate) {
	n.kept = append(n.kept, c)
	n.counts[c.distance]++
	n.within++
	for n.within-n.counts[n.bar] >= n.keep {
		n.within -= n.counts[n.bar]
		n.bar--
		n.least = math.MinInt64
	}
	if len(n.kept) >= 4*n.keep+1024 {
		n.prune()
	}
}

// prune drops what is too far away by now.
func (n *Nearest) prune() {
	bar := int32(n.bar)
	n.kept = slices.DeleteFunc(n.kept, func(c candidate) bool { return c.distance > bar })
	if n.within <= n.keep {
		return
	}
	nearer := 0
	for i, c := range n.kept {
		if c.distance < bar {
			n.kept[nearer], n.kept[i] = c, n.kept[nearer]
			nearer++
		}
	}
	slices.SortFunc(n.kept[nearer:], func(x, y candidate) int { return cmp.Compare(y.id, x.id) })
	n.kept = n.kept[:n.keep]
	n.counts[bar] -= n.within - n.keep
	n.within = n.keep
	n.least = n.kept[n.keep-1].id
}

// Best gives the nearest, so many at most: greatest cosine first, of equal ones
// the greater id.
func (n *Nearest) Best(limit int) []Near {
	return slices.Clip(best(n.compare(), max(limit, 0)))
}

// Candidates gives what was found by its signs, in no order and without cosines.
func (n *Nearest) Candidates() []Near {
	n.prune()
	out := make([]Near, len(n.kept))
	for i, c := range n.kept {
		out[i] = Near{Block: int(c.block), Slot: int(c.slot), ID: c.id}
	}
	return out
}

// Sort gives the first of them in the order of [Nearest.Best], so many at most.
func Sort(near []Near, limit int) []Near { return best(near, max(limit, 0)) }

// compare gives what was kept with its cosines.
func (n *Nearest) compare() []Near {
	n.prune()
	out := make([]Near, 0, len(n.kept))
	for _, c := range n.kept {
		if cosine, ok := n.blocks[c.block].Cosine(int(c.slot), n.q); ok {
			out = append(out, Near{int(c.block), int(c.slot), c.id, cosine})
		}
	}
	return out
}

// order compares two: the better one comes first.
func (n *Near) order(other *Near) int {
	if n.Cosine != other.Cosine {
		return cmp.Compare(other.Cosine, n.Cosine)
	}
	return cmp.Compare(other.ID, n.ID)
}

// best sorts the best of some, so many at most, and gives them. Mostly they are
// few among many: a heap holds them, the worst of them on top.
func best(all []Near, limit int) []Near {
	if limit == 0 {
		return nil
	}
	kept := all[:min(limit, len(all))]
	for i := len(kept)/2 - 1; i >= 0; i-- {
		sink(kept, i)
	}
	for i := len(kept); i < len(all); i++ {
		if all[i].order(&kept[0]) < 0 {
			kept[0] = all[i]
			sink(kept, 0)
		}
	}
	slices.SortFunc(kept, func(x, y Near) int { return x.order(&y) })
	return kept
}

// sink puts the one at a place where it belongs in a heap.
func sink(heap []Near, i int) {
	for {
		worst := 2*i + 1
		if worst >= len(heap) {
			return
		}
		if worst+1 < len(heap) && heap[worst].order(&heap[worst+1]) < 0 {
			worst++
		}
		if heap[i].order(&heap[worst]) >= 0 {
			return
		}
		heap[i], heap[worst] = heap[worst], heap[i]
		i = worst
	}
}
