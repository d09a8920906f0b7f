package memory

import (
	"fmt"
	"strings"

	"engram/internal/recall"
)

// summary says in a sentence how an answer came about.
func (x *explaining) summary() string {
	o := &x.out
	if o.NoAnswer && o.Trace.Pool == 0 {
		return "No answer: no arm found anything."
	}
	if o.NoAnswer && o.Trace.Rejected != nil {
		need, has := apart(o.Trace.Floor, o.Trace.Rejected.Has)
		return fmt.Sprintf("No answer: of %s found, the most likely has probability %s, under the floor of %s.",
			memories(o.Trace.Pool), has, need)
	}
	text := fmt.Sprintf("%d of %s found returned", len(x.result.Hits), memories(o.Trace.Pool))
	if x.result.OverBudget > 0 {
		text += fmt.Sprintf(", %d over the budget of %d tokens", x.result.OverBudget, o.Budget)
	}
	return text + "."
}

func (x *explaining) returned(number int, c recall.TraceCandidate) string {
	return fmt.Sprintf("Returned: number %d of %d, with probability %.2f.", number, len(x.result.Hits), c.Probability)
}

func (x *explaining) belowFloor(c recall.TraceCandidate) string {
	need, has := apart(x.out.Trace.Floor, c.Has)
	text := fmt.Sprintf("Below the floor: the probability that it answers is %s, and %s is needed", has, need)
	if x.out.Trace.Floor < recall.Floor {
		text += " to stand beside a better answer"
	}
	return text + "." + x.wording()
}

func (x *explaining) outranked(c recall.TraceCandidate) string {
	return fmt.Sprintf("Outranked: it stands in place %d of those that answer, and the limit is %d.", c.Place, x.out.Limit)
}

func (x *explaining) overBudget() string {
	p := x.out.Packed
	return fmt.Sprintf("Over budget: its %d tokens did not fit the %d that were left of %d.", p.Tokens, p.Left, x.out.Budget)
}

// undrawn says why no arm drew the memory.
func (x *explaining) undrawn() string {
	o := &x.out
	text := "No arm found it"
	switch {
	case len(o.Said)+len(o.Missing) == 0:
		text += ": the question has no word to look for"
	case x.in.MatchAll && len(o.Missing) > 0:
		text += ": every word was asked for"
	case len(o.Said) == 0:
		text += ": it has no word of the question"
	}
	text += "."
	if len(o.Said) > 0 {
		text += x.wording()
	} else if len(o.Missing) > 0 {
		text += fmt.Sprintf(" It lacks %s.", quoted(o.Missing))
	}
	for _, n := range o.Needs {
		least, score := apart(n.Bound, n.Value)
		text += fmt.Sprintf(" By %s it has %s, and all that were drawn have %s or more.", n.What, score, least)
	}
	if len(o.Needs) > 0 && !x.in.Deep {
		text += fmt.Sprintf(" A deep question draws %d instead of %d.", deepPool, poolSize)
	}
	if w := x.query.Window; w != nil && (x.m.OccurredAt.Before(w.From) || !w.To.IsZero() && !x.m.OccurredAt.Before(w.To)) {
		text += fmt.Sprintf(" It is of %s, outside the time that was asked about.", x.day(x.m.OccurredAt))
	}
	return text
}

// wording says which words of the question the memory has.
func (x *explaining) wording() string {
	switch o := &x.out; {
	case len(o.Missing) == 0 && len(o.Said) == 0:
		return ""
	case len(o.Missing) == 0:
		return fmt.Sprintf(" It has %s.", quoted(o.Said))
	case len(o.Said) == 0:
		return fmt.Sprintf(" It lacks %s.", quoted(o.Missing))
	default:
		return fmt.Sprintf(" It has %s and lacks %s.", quoted(o.Said), quoted(o.Missing))
	}
}

// shownWords is how many words a sentence lists.
const shownWords = 12

func quoted(words []string) string {
	if more := len(words) - shownWords; more > 0 {
		return strings.Join(words[:shownWords], ", ") + fmt.Sprintf(" (and %d more)", more)
	}
	return strings.Join(words, ", ")
}

func memories(n int) string {
	if n == 1 {
		return "1 memory"
	}
	return fmt.Sprintf("%d memories", n)
}

// apart writes two different numbers so that they look it.
func apart(a, b float64) (string, string) {
	for digits := 2; ; digits++ {
		x, y := fmt.Sprintf("%.*f", digits, a), fmt.Sprintf("%.*f", digits, b)
		if x != y || a == b || digits == 9 {
			return x, y
		}
	}
}
