package eval

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"time"

	"engram"
	"engram/internal/service/memory"
)

// SpeedOptions say what is measured.
type SpeedOptions struct {
	Sizes    []int // memories in the store, ascending
	Seed     uint64
	Open     Opener
	Temp     string            // where stores are made, "" = the system's
	Progress func(step string) // is told what is being done, may be nil
}

// SpeedReport says how fast the product is at each size.
type SpeedReport struct {
	Sizes []SizeReport `json:"sizes"`
}

// SizeReport is what one size gave.
type SizeReport struct {
	Memories  int     `json:"memories"`
	Bulk      float64 `json:"bulk_second"`   // memories saved in a second, 500 at once
	Save      Spread  `json:"save"`          // one by one
	Recall    Spread  `json:"recall"`        // packed into the default budget
	Common    Spread  `json:"recall_common"` // … questions of words that most texts have
	Search    Spread  `json:"search"`
	Context   Spread  `json:"context"`
	ColdStart float64 `json:"cold_start_ms"`  // opening the store to the first answer
	Resident  int64   `json:"resident_bytes"` // of this process, the store open and idle, 0 = not known
	Disk      int64   `json:"disk_bytes"`
}

// How often each thing is done; the times are those of the last ones, when all
// is warm.
const (
	savesTimed    = 500
	recallsTimed  = 300
	contextsTimed = 100
)

// Speed fills a store to each of the sizes and measures there.
func Speed(ctx context.Context, opts SpeedOptions) (SpeedReport, error) {
	if len(opts.Sizes) == 0 {
		return SpeedReport{}, engram.Errorf(engram.ErrInvalid, "no size is named").WithCode("size_required").
			WithHint("give sizes like 1000,10000,100000")
	}
	for i, n := range opts.Sizes {
		if n < 2*savesTimed || i > 0 && n <= opts.Sizes[i-1] {
			return SpeedReport{}, engram.Errorf(engram.ErrInvalid, "size %d: sizes ascend from %d", n, 2*savesTimed).
				WithCode("invalid_size")
		}
	}
	dir, remove, err := scratch(opts.Temp)
	if err != nil {
		return SpeedReport{}, err
	}
	defer remove()
	l := &load{opts: opts, dir: dir, generator: newGenerator(opts.Seed), now: time.Now().Add(-365 * 24 * time.Hour)}
	r, err := l.run(asBench(ctx))
	if e := l.close(); err == nil {
		err = e
	}
	return r, err
}

// load is a store that grows.
type load struct {
	*generator
	opts    SpeedOptions
	dir     string
	product *Product
	now     time.Time
	saved   int
}

func (l *load) run(ctx context.Context) (r SpeedReport, err error) {
	for _, size := range l.opts.Sizes {
		report, err := l.measure(ctx, size)
		if err != nil {
			return r, fmt.Errorf("%d memories: %w", size, err)
		}
		r.Sizes = append(r.Sizes, report)
	}
	return r, nil
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

func (l *load) say(format string, args ...any) {
	if l.opts.Progress != nil {
		l.opts.Progress(fmt.Sprintf(format, args...))
	}
}

func (l *load) measure(ctx context.Context, size int) (r SizeReport, err error) {
	r.Memories = size
	if err := l.open(ctx); err != nil {
		return r, err
	}
	l.say("%d memories: bulk load", size)
	if r.Bulk, err = l.fill(ctx, size-savesTimed); err != nil {
		return r, err
	}
	l.say("%d memories: saves one by one", size)
	if r.Save, err = l.times(savesTimed, func(int) error { return l.saveOne(ctx) }); err != nil {
		return r, err
	}
	l.say("%d memories: questions", size)
	if err := l.questions(ctx, &r); err != nil {
		return r, err
	}
	l.say("%d memories: cold start", size)
	return r, l.restart(ctx, &r)
}

// fill saves in bulk until there are n.
func (l *load) fill(ctx context.Context, n int) (perSecond float64, err error) {
	started, before := time.Now(), l.saved
	var made time.Duration
	for l.saved < n {
		making := time.Now()
		in := make([]memory.SaveInput, min(batch, n-l.saved))
		for i := range in {
			in[i] = l.input()
		}
		made += time.Since(making)
		if _, err := l.product.Memory.SaveAll(ctx, in); err != nil {
			return 0, err
		}
	}
	return float64(l.saved-before) / (time.Since(started) - made).Seconds(), nil
}

// input is the next memory to be saved.
func (l *load) input() memory.SaveInput {
	l.saved++
	l.now = l.now.Add(30 * time.Second)
	return memory.SaveInput{
		Title: l.sentence(), Content: l.text(), Type: "discovery", OccurredAt: l.now,
		Project: fmt.Sprintf("project %d", l.rand.IntN(projectsOf)),
		Session: fmt.Sprintf("session %d", l.saved/50),
	}
}

func (l *load) saveOne(ctx context.Context) error {
	in := l.input()
	in.OccurredAt = time.Time{} // as an agent saves: the duplicate is looked for
	_, err := l.product.Memory.Save(ctx, in)
	return err
}

// times does something n times and gives the spread.
func (l *load) times(n int, do func(i int) error) (Spread, error) {
	times := make([]time.Duration, n)
	for i := range times {
		started := time.Now()
		if err := do(i); err != nil {
			return Spread{}, err
		}
		times[i] = time.Since(started)
	}
	return spread(times), nil
}

func (l *load) questions(ctx context.Context, r *SizeReport) (err error) {
	m := l.product.Memory
	search := func(common bool) memory.SearchInput {
		in := memory.SearchInput{Query: l.question(common), AllProjects: l.rand.IntN(2) == 0}
		if !in.AllProjects {
			in.Project = fmt.Sprintf("project %d", l.rand.IntN(projectsOf))
		}
		return in
	}
	recall := func(common bool) func(int) error {
		return func(int) error {
			_, err := m.Recall(ctx, memory.RecallInput{SearchInput: search(common)})
			return err
		}
	}
	if _, err = l.times(recallsTimed/10, recall(false)); err != nil { // to be warm
		return err
	}
	if r.Recall, err = l.times(recallsTimed, recall(false)); err != nil {
		return err
	}
	if r.Common, err = l.times(recallsTimed, recall(true)); err != nil {
		return err
	}
	if r.Search, err = l.times(recallsTimed, func(int) error {
		_, err := m.Search(ctx, search(false))
		return err
	}); err != nil {
		return err
	}
	r.Context, err = l.times(contextsTimed, func(i int) error {
		_, err := m.Context(ctx, memory.ContextInput{Project: fmt.Sprintf("project %d", i%projectsOf)})
		return err
	})
	return err
}

// restart closes the store, weighs it, and times the first answer of a new one.
func (l *load) restart(ctx context.Context, r *SizeReport) error {
	if err := l.close(); err != nil {
		return err
	}
	var err error
	if r.Disk, err = diskSize(l.dir); err != nil {
		return err
	}
	question := l.question(false)
	started := time.Now()
	if err := l.open(ctx); err != nil {
		return err
	}
	if _, err := l.product.Memory.Search(ctx, memory.SearchInput{Query: question, AllProjects: true}); err != nil {
		return err
	}
	r.ColdStart = float64(time.Since(started)) / float64(time.Millisecond)
	debug.FreeOSMemory()
	r.Resident = residentSize()
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
