package eval

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"engram/internal/recall"
	"engram/internal/service/memory"
)

// Part is what a set gave with some of the arms and steps.
type Part struct {
	Arms   []string `json:"arms"`
	Scores Scores   `json:"scores"`
	Rank   Spread   `json:"rank"` // to a depth of 100, without the floor
}

// Name is how the part is asked for.
func (p Part) Name() string { return strings.Join(p.Arms, ",") }

// Combinations are the arms and steps that an ablation tries, of all that there
// are: each arm alone that finds something for any question, the first with each
// other, all but one, all.
func Combinations(steps []string) [][]string {
	var out [][]string
	add := func(c ...string) {
		same := func(o []string) bool { return slices.Equal(o, c) }
		if !slices.ContainsFunc(out, same) {
			out = append(out, c)
		}
	}
	for _, s := range steps {
		if s != recall.ArmTime && s != memory.StepRerank {
			add(s)
		}
	}
	for _, s := range steps[1:] {
		add(steps[0], s)
	}
	for i := range steps {
		add(slices.Concat(steps[:i], steps[i+1:])...)
	}
	add(slices.Clone(steps)...)
	return out
}

// ablate ranks all judged questions by each combination.
func (t *trial) ablate(ctx context.Context, r *SetReport) error {
	for _, arms := range Combinations(memory.Steps()) {
		p := Part{Arms: arms}
		t.opts.say("%s: only %s", r.Name, p.Name())
		var scores []Scores
		var times times
		for i := range t.set.Questions {
			q := &t.set.Questions[i]
			gold := t.set.Gold[q.ID]
			if len(gold) == 0 {
				continue
			}
			var ranked []hit
			if asks(q) {
				took, err := timed(func() (err error) {
					ranked, err = t.subject.rank(ctx, q, arms)
					return err
				})
				if err != nil {
					return fmt.Errorf("question %s by %s: %w", q.ID, p.Name(), err)
				}
				times = append(times, took)
			}
			scores = append(scores, score(documents(ranked), gold))
		}
		p.Scores, p.Rank = mean(scores), times.spread()
		r.Ablation = append(r.Ablation, p)
	}
	return nil
}
