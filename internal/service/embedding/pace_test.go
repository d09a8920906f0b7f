package embedding

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// waited is how long the next text is kept waiting.
func waited(t *testing.T, p *pace) time.Duration {
	t.Helper()
	began := time.Now()
	if err := p.giveWay(t.Context()); err != nil {
		t.Fatal(err)
	}
	return time.Since(began)
}

func TestTextsGiveWayToQuestions(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name            string
		single          bool
		asking          time.Duration
		atLeast, atMost time.Duration
	}{
		{name: "one of several processors", asking: 3 * time.Millisecond, atLeast: 3 * time.Millisecond, atMost: 4 * time.Millisecond},
		{name: "questions without end", asking: time.Hour, atLeast: patience, atMost: patience},
		{name: "a single processor", single: true, asking: 50 * time.Millisecond, atLeast: 50*time.Millisecond + quiet, atMost: 60*time.Millisecond + quiet},
		{name: "questions without end on it", single: true, asking: time.Hour, atLeast: singlePatience, atMost: singlePatience},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				p := pace{single: c.single}
				if d := waited(t, &p); d != 0 {
					t.Errorf("waits %v for nobody", d)
				}
				end := time.AfterFunc(c.asking, p.ask())
				defer end.Stop()
				if d := waited(t, &p); d < c.atLeast || d > c.atMost {
					t.Errorf("waits %v, want %v to %v", d, c.atLeast, c.atMost)
				}
			})
		})
	}
}

func TestWaitingEndsWithTheContext(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pace{single: true}
		defer p.ask()()
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Millisecond, cancel)
		if err := p.giveWay(ctx); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v, want that of the context", err)
		}
	})
}

func TestASlowProcessorIsUsedInPart(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		p := pace{share: .25}
		p.took(time.Second)
		if d := waited(t, &p); d != 3*time.Second {
			t.Errorf("rests %v after a second of work, want three", d)
		}
		if d := waited(t, &p); d != 0 {
			t.Errorf("rests %v again", d)
		}
		whole := pace{share: 1}
		whole.took(time.Second)
		if d := waited(t, &whole); d != 0 {
			t.Errorf("rests %v where all of the processor is given", d)
		}
	})
}

func TestWorkingMemoryIsKeptWhileSomebodyAsks(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var p pace
		if !p.forgotten() {
			t.Error("kept before the first question")
		}
		done := p.ask()
		time.Sleep(2 * memoryAfter)
		if p.forgotten() {
			t.Error("given back while a question is asked")
		}
		done()
		time.Sleep(memoryAfter - time.Second)
		if p.forgotten() {
			t.Error("given back though a question was asked just now")
		}
		time.Sleep(time.Second)
		if !p.forgotten() {
			t.Error("kept though nobody asks")
		}
	})
}
