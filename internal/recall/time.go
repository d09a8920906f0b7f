package recall

import (
	"maps"
	"slices"
	"time"

	"engram/internal/text"
)

// maxTimed is how many words a question has that may ask for a time. A text of more
// that is put in as a question names times in passing.
const maxTimed = 20

// takeApart takes a question apart, with the time that it asks for.
func takeApart(question string, opts Options) (a text.Query, window *text.Window, order text.Order) {
	a = text.AnalyzeQuery(question)
	n := 0
	for i := range a.Words {
		n += halves(&a.Words[i])
	}
	if n/2 > maxTimed {
		return a, nil, text.None
	}
	if w, ok := text.QueryWindow(question, opts.Now, opts.Zone); ok {
		window, a = &w, text.AnalyzeTimedQuery(question, w)
	}
	return a, window, text.QueryOrder(question)
}

// length is how many words say something.
func (q *Query) length() int {
	n := 0
	for i := range q.Words {
		n += halves(&q.Words[i].Word)
	}
	return n / 2
}

// halves is what a word counts for the length of a question; characters of scripts
// without spaces count in pairs.
func halves(w *text.Word) int {
	switch {
	case w.Stop:
		return 0
	case w.Kind == text.CJK:
		return 1
	}
	return 2
}

// sayWhen marks the words that the window or the order was read from.
func (q *Query) sayWhen() {
	for i := range q.Words {
		w := &q.Words[i]
		w.when = w.When || q.Order != text.None && orderWords[w.Surface]
	}
}

// byChance reports whether w is a number that names the window and that texts have
// for other reasons: the 20 of "after November 20". It counts like a function word.
func byChance(w *text.Word) bool {
	return w.When && w.Kind == text.Number && len(w.Surface) <= slightDigits
}

// onlyTimeProbability is that of what lies in the time that was asked for, when
// nothing else was asked.
const onlyTimeProbability = 0.9

// HasTime reports whether the time arm takes part: there is a window, or nothing
// but an order was asked for.
func (q *Query) HasTime() bool { return q.Window != nil || q.onlyTime() }

// ForgetTime makes q ask for no time: for measuring what time is worth.
func (q *Query) ForgetTime() { q.Window, q.Order = nil, text.None }

// Bounds are those of the window, zero = open.
func (q *Query) Bounds() (from, to time.Time) {
	if q.Window == nil {
		return time.Time{}, time.Time{}
	}
	return q.Window.From, q.Window.To
}

// Oldest reports whether the time arm lists the oldest first.
func (q *Query) Oldest() bool { return q.Order == text.First }

// TimeArm ranks what the store found inside the window: ids come in the order
// that the question asks for.
func TimeArm(ids []int64) Arm {
	arm := Arm{Name: ArmTime, Found: make([]Found, len(ids))}
	for i, id := range ids {
		arm.Found[i] = Found{ID: id, Score: 1 - float64(i)/float64(len(ids)), inside: true}
	}
	return arm
}

// onlyTime reports whether q asks for a time and nothing else: every word says
// when, or is a word for what is kept here.
func (q *Query) onlyTime() bool {
	if q.Window == nil && q.Order == text.None {
		return false
	}
	for i := range q.Words {
		w := &q.Words[i]
		if w.Kind != text.CJK && !w.Stop && !w.when && !memoryWords[w.Surface] {
			return false
		}
	}
	return !slices.ContainsFunc(q.runs, func(run string) bool { return !text.MadeOf(run, q.idleWords()) })
}

// idleWords say no more in q than that memories are asked for, or in which order.
func (q *Query) idleWords() map[string]bool {
	if q.Order == text.None {
		return memoryWords
	}
	words := maps.Clone(memoryWords)
	maps.Copy(words, orderWords)
	return words
}

// onlyTypes reports whether q asks for memories of a type, of some time, and for
// nothing else.
func (q *Query) onlyTypes() bool {
	types := 0
	for i := range q.Words {
		switch w := &q.Words[i]; {
		case w.Stop, w.when, memoryWords[w.Surface]:
		case w.typeForm == 0:
			return false
		default:
			types++
		}
	}
	return types > 0
}

// rankByTime lists what lies inside the window in the order of the time arm.
func (p *Pool) rankByTime() {
	for _, c := range p.Candidates {
		c.Score, c.Answer, c.Probability = 0, 0, 0
		if c.inside {
			c.Score, c.Answer, c.Probability = 1+p.share(c, ArmTime), onlyTimeProbability, onlyTimeProbability
		}
		if p.Query.ahead(c) {
			c.Score /= 2 // behind all that is of a time that has been
		}
	}
	p.sort()
}

// share is a candidate's share of an arm's span, 0 without the arm.
func (p *Pool) share(c *Candidate, arm string) float64 {
	for i, name := range p.Arms {
		if name == arm {
			return c.Arms[i].Share
		}
	}
	return 0
}
