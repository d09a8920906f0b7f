package eval

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestReliability(t *testing.T) {
	t.Parallel()
	gold := map[string]int{"a": 1}
	var one, two Reliability
	one.add([]hit{{"b", .25, .75}, {"a", .75, .75}}, gold) // right
	one.add([]hit{{"b", .75, .75}}, gold)                  // wrong
	two.add([]hit{{"b", 1, 1}}, nil)                       // wrong: there is no gold
	two.add(nil, gold)                                     // nothing found, as was to be expected
	all := joinReliability([]SetReport{{Reliability: one.close()}, {}, {Reliability: two.close()}})

	want := Calibration{Predictions: 4, Error: (2*.25 + 1) / 4}
	want.Bins[0] = Bin{Predictions: 1}
	want.Bins[7] = Bin{2, .75, .5}
	want.Bins[9] = Bin{1, 1, 0}
	if diff := cmp.Diff(want, all.Answers, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("answers mismatch (-want +got):\n%s", diff)
	}
	want = Calibration{Predictions: 4, Error: (.25 + 2*.25 + 1) / 4}
	want.Bins[2] = Bin{1, .25, 0}
	want.Bins[7] = Bin{2, .75, .5}
	want.Bins[9] = Bin{1, 1, 0}
	if diff := cmp.Diff(want, all.Hits, cmpopts.EquateApprox(0, 1e-12)); diff != "" {
		t.Errorf("hits mismatch (-want +got):\n%s", diff)
	}
	if joinReliability([]SetReport{{}}) != nil {
		t.Error("no set, and yet a report")
	}
}
