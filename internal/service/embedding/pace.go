package embedding

import (
	"context"
	"sync"
	"time"
)

// pace keeps a model in this process out of the way of searches: the next text
// waits while a question is being answered, and, on a slow processor, only a part of
// the time is used. The process cannot know of the searches of others: to them a
// processor is left, since work nobody waits for takes one only.
type pace struct {
	// share is the part of one processor that is used, 0 = all of it.
	share float64

	mu     sync.Mutex
	asking int       // questions that are being put to the model
	asked  time.Time // when the last one got its answer
	rest   time.Time // no text is begun before
}

const (
	// quiet is how long after the answer to a question no text is begun: the search
	// goes on, and questions come in runs.
	quiet = 20 * time.Millisecond
	// patience is how long a text waits for that at most: texts do get their
	// vectors, whatever is asked.
	patience = 200 * time.Millisecond
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
	if p.asking > 0 {
		return time.Millisecond
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
	for end := time.Now().Add(patience); ; {
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
