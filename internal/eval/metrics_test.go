package eval

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestScore(t *testing.T) {
	t.Parallel()
	gold := map[string]int{"a": 2, "b": 1}
	tests := map[string]struct {
		ranked []string
		want   Scores
	}{
		"all at the top": {
			[]string{"a", "b", "x"},
			Scores{
				Questions: 1, Recall1: .5, Recall5: 1, Recall10: 1, Recall20: 1, Any1: 1, Any5: 1, Any10: 1, Any20: 1,
				All5: 1, All10: 1, All20: 1, NDCG10: 1, MRR: 1,
			},
		},
		"one, sixth": {
			[]string{"1", "2", "3", "4", "5", "b"},
			Scores{
				Questions: 1, Recall10: .5, Recall20: .5, Any10: 1, Any20: 1,
				NDCG10: (1 / math.Log2(7)) / (2 + 1/math.Log2(3)), MRR: 1. / 6,
			},
		},
		"nothing": {nil, Scores{Questions: 1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, score(tt.ranked, gold), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
				t.Errorf("score(%v) mismatch (-want +got):\n%s", tt.ranked, diff)
			}
		})
	}
}

func TestMeanWeighsByQuestions(t *testing.T) {
	t.Parallel()
	got := mean([]Scores{{Questions: 1, MRR: 1}, {Questions: 3, MRR: .2}})
	want := Scores{Questions: 4, MRR: .4}
	if diff := cmp.Diff(want, got, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("mean mismatch (-want +got):\n%s", diff)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	gold := map[string]int{"a": 1, "b": 1}
	var f refusals
	f.add([]hit{{"a", .9, .9}, {"x", .8, .8}}, gold)
	f.add([]hit{{"b", .9, .9}}, gold)
	f.add(nil, gold)
	f.add([]hit{{"x", .5, .5}}, nil)
	f.add(nil, nil)
	want := Refusal{
		Judged: 3, Answered: 2. / 3, Recall5: 1. / 3, Precision: .5, // (1/2 + 1 + 0) / 3
		Null: 2, Refused: .5, NoAnswerPrecision: .5,
	}
	if diff := cmp.Diff(want, f.report(), cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("report() mismatch (-want +got):\n%s", diff)
	}
	if got := new(refusals).report(); got != (Refusal{}) {
		t.Errorf("of no question: %+v", got)
	}
}
