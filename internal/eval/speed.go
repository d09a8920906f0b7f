package eval

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"engram"
	"engram/internal/service/memory"
)

// SpeedOptions say what is measured.
type SpeedOptions struct {
	Sizes    []int // memories in the store, ascending
	Seed     uint64
	Open     Opener
	Start    Starter           // how a new process is started, for what a start takes
	Temp     string            // where the store is made, "" = the system's
	Progress func(step string) // is told what is being done, may be nil
}

// SpeedReport says how fast the product is at each size.
type SpeedReport struct {
	Sizes []SizeReport `json:"sizes"`
}

// SizeReport is what one size gave. Recalls are with all arms, packed into the
// default budget, half in a project and half in all.
type SizeReport struct {
	Memories  int     `json:"memories"`
	Bulk      float64 `json:"bulk_second"`              // memories saved in a second, 500 at once
	Save      Spread  `json:"save"`                     // one by one
	Settled   float64 `json:"settled_second,omitempty"` // memories that models beside the table took in, in a second; 0 = none is asked
	Recall    Spread  `json:"recall"`                   // for words as they come
	Rare      Spread  `json:"recall_rare"`              // for words and names that few texts have
	Common    Spread  `json:"recall_common"`            // for words that most texts have
	Search    Spread  `json:"search"`
	Context   Spread  `json:"context"`
	ColdStart float64 `json:"cold_start_ms"`  // a new process, until its first answer
	Resident  int64   `json:"resident_bytes"` // of that process then, 0 = not known
	Disk      int64   `json:"disk_bytes"`
}

// How often each thing is done.
const (
	savesTimed    = 500
	recallsWarm   = 40 // before those that count
	recallsTimed  = 400
	contextsTimed = 100
	startsTimed   = 5 // the least counts
)

// Speed fills a store to each of the sizes and measures there.
func Speed(ctx context.Context, opts SpeedOptions) (r SpeedReport, err error) {
	if err := checkSizes(opts.Sizes); err != nil {
		return r, err
	}
	dir, remove, err := scratch(opts.Temp)
	if err != nil {
		return r, err
	}
	defer remove()
	l := &load{opts: opts, dir: dir, generator: newGenerator(opts.Seed)}
	defer func() {
		if e := l.close(); err == nil {
			err = e
		}
	}()
	ctx = asBench(ctx)
	for _, size := range opts.Sizes {
		report, err := l.measure(ctx, size)
		if err != nil {
			return r, fmt.Errorf("%d memories: %w", size, err)
		}
		r.Sizes = append(r.Sizes, report)
	}
	return r, nil
}

func checkSizes(sizes []int) error {
	if len(sizes) == 0 {
		return engram.Errorf(engram.ErrInvalid, "no size is named").WithCode("size_required").
			WithHint("give sizes like 1000,10000,100000")
	}
	for i, n := range sizes {
		if n < 2*savesTimed || i > 0 && n <= sizes[i-1] {
			return engram.Errorf(engram.ErrInvalid, "size %d: sizes ascend from %d", n, 2*savesTimed).
				WithCode("invalid_size")
		}
	}
	return nil
}

// load is a store that grows.
type load struct {
	*generator
	opts    SpeedOptions
	dir     string
	product *Product
	saved   int
	settled int // of them
}

func (l *load) open(ctx context.Context) (err error) {
	if l.product == nil {
		l.product, err = l.opts.Open(ctx, l.dir, func() time.Time { return l.now })
	}
	return err
}

func (l *load) close() error {
	if l.product == nil {
		return nil
	}
	p := l.product
	l.product = nil
	return p.Close()
}

func (l *load) say(size int, format string, args ...any) {
	if l.opts.Progress != nil {
		l.opts.Progress(fmt.Sprintf("%s memories: %s", thousands(size), fmt.Sprintf(format, args...)))
	}
}

func (l *load) measure(ctx context.Context, size int) (r SizeReport, err error) {
	r.Memories = size
	if err := l.open(ctx); err != nil {
		return r, err
	}
	if r.Bulk, err = l.fill(ctx, size); err != nil {
		return r, err
	}
	l.say(size, "saves one by one")
	if r.Save, err = repeat(savesTimed, func(int) error { return l.saveOne(ctx) }); err != nil {
		return r, err
	}
	if r.Settled, err = l.settle(ctx, size); err != nil {
		return r, err
	}
	if err := l.questions(ctx, &r); err != nil {
		return r, err
	}
	return r, l.restart(ctx, &r)
}

// settle waits until all models understand what was saved since the last time.
func (l *load) settle(ctx context.Context, size int) (perSecond float64, err error) {
	if l.product.Settle == nil {
		return 0, nil
	}
	l.say(size, "models other than the table take the memories in")
	took, err := timed(func() error { return l.product.Settle(ctx) })
	n := l.saved - l.settled
	l.settled = l.saved
	return float64(n) / took.Seconds(), err
}

// fill saves in bulk until as many are there as single saves leave room for. What
// making the texts takes does not count.
func (l *load) fill(ctx context.Context, size int) (perSecond float64, err error) {
	n, before := size-savesTimed, l.saved
	var took time.Duration
	for tenth := 0; l.saved < n; {
		if t := 10 * (l.saved - before) / (n - before); t >= tenth {
			l.say(size, "bulk load, %d %%", 10*t)
			tenth = t + 1
		}
		in := make([]memory.SaveInput, min(batch, n-l.saved))
		for i := range in {
			in[i] = l.input()
		}
		one, err := timed(func() error {
			_, err := l.product.Memory.SaveAll(ctx, in)
			return err
		})
		if err != nil {
			return 0, err
		}
		took += one
		l.saved += len(in)
	}
	return float64(l.saved-before) / took.Seconds(), nil
}

func (l *load) saveOne(ctx context.Context) error {
	in := l.input()
	in.OccurredAt = time.Time{} // as an agent saves: the duplicate is looked for
	l.saved++
	_, err := l.product.Memory.Save(ctx, in)
	return err
}

// repeat does something n times and gives the spread.
func repeat(n int, do func(i int) error) (Spread, error) {
	took := make(times, n)
	for i := range took {
		var err error
		if took[i], err = timed(func() error { return do(i) }); err != nil {
			return Spread{}, err
		}
	}
	return took.spread(), nil
}

func (l *load) questions(ctx context.Context, r *SizeReport) (err error) {
	m := l.product.Memory
	for _, kind := range []struct {
		name string
		ask  question
		into *Spread
	}{{"questions", natural, &r.Recall}, {"rare words", rare, &r.Rare}, {"common words", common, &r.Common}} {
		l.say(r.Memories, "recall, %s", kind.name)
		asked := l.asked(kind.ask, recallsWarm+recallsTimed)
		recall := func(i int) error {
			_, err := m.Recall(ctx, memory.RecallInput{SearchInput: asked[i]})
			return err
		}
		if _, err = repeat(recallsWarm, recall); err != nil {
			return err
		}
		if *kind.into, err = repeat(recallsTimed, func(i int) error { return recall(recallsWarm + i) }); err != nil {
			return err
		}
	}
	l.say(r.Memories, "search and context")
	asked := l.asked(natural, recallsTimed)
	if r.Search, err = repeat(recallsTimed, func(i int) error {
		_, err := m.Search(ctx, asked[i])
		return err
	}); err != nil {
		return err
	}
	projects := make([]string, contextsTimed)
	for i := range projects {
		projects[i] = l.project()
	}
	r.Context, err = repeat(contextsTimed, func(i int) error {
		_, err := m.Context(ctx, memory.ContextInput{Project: projects[i]})
		return err
	})
	return err
}

// asked are n questions, half of them in a project and half in all.
func (l *load) asked(ask question, n int) []memory.SearchInput {
	out := make([]memory.SearchInput, n)
	for i := range out {
		out[i] = memory.SearchInput{Query: ask(l.generator), AllProjects: i%2 == 0}
		if !out[i].AllProjects {
			out[i].Project = l.project()
		}
	}
	return out
}

// restart closes the store, weighs it, and times new processes on it.
func (l *load) restart(ctx context.Context, r *SizeReport) error {
	l.say(r.Memories, "cold start")
	if err := l.close(); err != nil {
		return err
	}
	var err error
	if r.Disk, err = diskSize(l.dir); err != nil {
		return err
	}
	for i := range startsTimed {
		took, first, err := firstAnswerOf(l.opts.Start(ctx, l.dir, natural(l.generator)))
		if err != nil {
			return err
		}
		if ms := milliseconds(took); i == 0 || ms < r.ColdStart {
			r.ColdStart = ms
		}
		r.Resident = max(r.Resident, first.Resident)
	}
	return nil
}

func diskSize(dir string) (int64, error) {
	var sum int64
	err := filepath.WalkDir(dir, func(_ string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err == nil {
			sum += info.Size()
		}
		return err
	})
	return sum, err
}
