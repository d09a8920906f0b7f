package eval

import (
	"context"
	"os"
	"slices"
	"time"

	"engram"
	"engram/internal/service/memory"
)

// Product is the product as it is measured: its memory service over a store of
// its own.
type Product struct {
	Memory *memory.Service
	Close  func() error
	// Settle waits until everything that was saved is understood by all models;
	// nil = it is at once.
	Settle func(ctx context.Context) error
}

// Opener opens a product over the store in dir, made where there is none. The
// service tells the time by now.
type Opener func(ctx context.Context, dir string, now func() time.Time) (*Product, error)

// asBench is ctx for the calls of a benchmark.
func asBench(ctx context.Context) context.Context {
	return engram.WithActor(ctx, engram.Actor{
		Name: "bench", Workspace: engram.DefaultWorkspace, Access: engram.AccessAdmin, Origin: engram.OriginImport,
	})
}

// Spread are the median and the 95th percentile of some times, in milliseconds.
type Spread struct {
	P50 float64 `json:"p50_ms"`
	P95 float64 `json:"p95_ms"`
}

// times are how long something took, each time.
type times []time.Duration

func (t times) spread() Spread {
	if len(t) == 0 {
		return Spread{}
	}
	slices.Sort(t)
	at := func(p float64) float64 { return milliseconds(t[int(p*float64(len(t)-1)+.5)]) }
	return Spread{P50: at(.5), P95: at(.95)}
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

// timed does something and tells how long it took.
func timed(do func() error) (time.Duration, error) {
	started := time.Now()
	err := do()
	return time.Since(started), err
}

// scratch makes a folder for a store and gives what takes it away again.
func scratch(temp string) (dir string, remove func(), err error) {
	if dir, err = os.MkdirTemp(temp, "engram-bench-"); err != nil {
		return "", nil, err
	}
	return dir, func() {
		// What is left behind is in the system's folder for such things.
		_ = os.RemoveAll(dir)
	}, nil
}

// batch is how many memories are saved at once in a bulk load.
const batch = 500
