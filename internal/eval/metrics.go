package eval

import (
	"cmp"
	"math"
	"slices"
)

// depths are the k of the measures at k.
var depths = []int{1, 5, 10, 20}

// Scores are means over judged questions, each 0 … 1.
type Scores struct {
	Questions int     `json:"questions"`
	Recall1   float64 `json:"recall_1"` // gold found in the top k / all gold
	Recall5   float64 `json:"recall_5"`
	Recall10  float64 `json:"recall_10"`
	Recall20  float64 `json:"recall_20"`
	Any1      float64 `json:"any_1"` // any gold in the top k
	Any5      float64 `json:"any_5"`
	Any10     float64 `json:"any_10"`
	Any20     float64 `json:"any_20"`
	All1      float64 `json:"all_1"` // all gold in the top k
	All5      float64 `json:"all_5"`
	All10     float64 `json:"all_10"`
	All20     float64 `json:"all_20"`
	NDCG10    float64 `json:"ndcg_10"` // linear gain
	MRR       float64 `json:"mrr"`     // to the depth that was asked for, 100
}

// score measures one ranked list of documents against its gold.
func score(ranked []string, gold map[string]int) Scores {
	s := Scores{Questions: 1}
	var found [4]int
	var dcg float64
	for rank, id := range ranked {
		grade := gold[id]
		if grade == 0 {
			continue
		}
		for i, k := range depths {
			if rank < k {
				found[i]++
			}
		}
		if rank < 10 {
			dcg += float64(grade) / math.Log2(float64(rank)+2)
		}
		if s.MRR == 0 && rank < 100 {
			s.MRR = 1 / float64(rank+1)
		}
	}
	recall := []*float64{&s.Recall1, &s.Recall5, &s.Recall10, &s.Recall20}
	anyOf := []*float64{&s.Any1, &s.Any5, &s.Any10, &s.Any20}
	allOf := []*float64{&s.All1, &s.All5, &s.All10, &s.All20}
	for i, n := range found {
		*recall[i] = float64(n) / float64(len(gold))
		if n > 0 {
			*anyOf[i] = 1
		}
		if n == len(gold) {
			*allOf[i] = 1
		}
	}
	s.NDCG10 = dcg / idealDCG(gold)
	return s
}

func idealDCG(gold map[string]int) float64 {
	grades := make([]int, 0, len(gold))
	for _, g := range gold {
		grades = append(grades, g)
	}
	slices.SortFunc(grades, func(a, b int) int { return cmp.Compare(b, a) })
	var sum float64
	for i, g := range grades[:min(10, len(grades))] {
		sum += float64(g) / math.Log2(float64(i)+2)
	}
	return sum
}

func (s *Scores) fields() []*float64 {
	return []*float64{
		&s.Recall1, &s.Recall5, &s.Recall10, &s.Recall20, &s.Any1, &s.Any5, &s.Any10, &s.Any20,
		&s.All1, &s.All5, &s.All10, &s.All20, &s.NDCG10, &s.MRR,
	}
}

// mean is the mean over questions.
func mean(all []Scores) Scores {
	var m Scores
	for _, s := range all {
		m.Questions += s.Questions
		for i, f := range s.fields() {
			*m.fields()[i] += *f * float64(s.Questions)
		}
	}
	if m.Questions > 0 {
		for _, f := range m.fields() {
			*f /= float64(m.Questions)
		}
	}
	return m
}
