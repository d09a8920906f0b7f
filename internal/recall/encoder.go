package recall

import (
	"slices"

	"engram/internal/embed"
	"engram/internal/encoder"
	"engram/internal/store"
)

// The sentence encoder in the binary has weights of its own, beside those of the table. Its
// cosines are not put on the table's scale, as those of a model by setting are: the
// ranker is trained with them.

// Hear adds what other models than the built-in table take the question for. The
// encoder is heard where the table is trusted: like that it knows English.
func (q *Query) Hear(vectors []store.QueryVector) {
	for _, v := range vectors {
		if v.Model != encoder.Name || q.trust > 0 {
			q.Vectors = append(q.Vectors, v)
		}
	}
}

// encoder is which of the query's vectors is the encoder's, -1 = none.
func (q *Query) encoder() int {
	return slices.IndexFunc(q.Vectors, func(v store.QueryVector) bool { return v.Model == encoder.Name })
}

// others reports whether a model knows the query that is neither the table nor
// the encoder.
func (q *Query) others() bool {
	table := embed.Static().Model()
	return slices.ContainsFunc(q.Vectors, func(v store.QueryVector) bool { return v.Model != encoder.Name && v.Model != table })
}

// Encoded reports whether q is ranked by what the encoder says too. That is so
// when the encoder knows both it and some of what was found, and nobody by setting
// took its place.
func (q *Query) Encoded() bool { return q.encoded }

// encoderOf says which of the query's vectors ranks beside the table's, -1 = none.
func encoderOf(q *Query, r *store.KeywordResult) int {
	e := q.encoder()
	if e < 0 || q.others() {
		return -1
	}
	for i := range r.Hits {
		if r.Hits[i].Cosine[e] != store.NoCosine {
			return e
		}
	}
	return -1
}
