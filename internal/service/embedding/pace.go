package embedding

import (
	"context"
	"sync"
	"time"
)

// pace keeps a model in this process out of the way of searches. With several
// processors it leaves one of them to searches, of other processes too, since work
// nobody waits for takes one only; a text waits no longer than while a question is
// put to the model. On a single one the search that goes on then is waited for,
// too. On a slow processor only a part of the time is used.
type pace struct {
	// share is the part of one processor that is used, 0 = all of it.
	share float64
	// single says that there is one processor.
	single bool

	mu     sync.Mutex
	asking int       // questions that are being put to the model
	asked  time.Time // when the last one got its answer
	rest   time.Time // no text is begun before
}

const (
	// quiet is how long after the answer to a question no text is begun on a single
	// processor: the search goes on, and questions come in runs.
	quiet = 20 * time.Millisecond
	// patience is how long a text waits for questions at most, on one of several
	// processors and on a single one: texts do get their vectors, whatever is asked.
	patience       = 5 * time.Millisecond
	singlePatience = 200 * time.Millisecond
	// memoryAfter is how long after the last question a model keeps its working memory.
	memoryAfter = time.Minute
)

// forgotten reports whether nobody has asked for a while.
func (p *pace) forgotten() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.asking == 0 && time.Since(p.asked) >= memoryAfter
}

// ask says that a question is put to the model, until done is called.
func (p *pace) ask() (done func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.asking++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.asking--
		p.asked = time.Now()
	}
}

// busy is how long to wait before it is worth looking again, 0 = nobody asks.
func (p *pace) busy() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.asking > 0:
		return time.Millisecond
	case !p.single:
		return 0
	}
	return max(0, quiet-time.Since(p.asked))
}

// giveWay waits until the rest after the last text is over, and then until nobody
// asks, or for as long as patience lasts.
func (p *pace) giveWay(ctx context.Context) error {
	p.mu.Lock()
	rest := time.Until(p.rest)
	p.mu.Unlock()
	if rest > 0 {
		if err := sleep(ctx, rest); err != nil {
			return err
		}
	}
	most := patience
	if p.single {
		most = singlePatience
	}
	for end := time.Now().Add(most); ; {
		wait := min(p.busy(), time.Until(end))
		if wait <= 0 {
			return ctx.Err()
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
	}
}

// took says how long a text took, so that the share is kept.
func (p *pace) took(d time.Duration) {
	if p.share <= 0 || p.share >= 1 {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rest = time.Now().Add(time.Duration(float64(d) * (1/p.share - 1)))
}

func sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
