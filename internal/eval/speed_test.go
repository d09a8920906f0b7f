package eval_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"
	"time"

	"engram"
	"engram/internal/eval"
)

// TestMain makes the test binary the new process that the benchmark starts.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "first-answer" {
		if err := eval.AnswerFirst(context.Background(), open, os.Args[2], os.Args[3], os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func startAnew(ctx context.Context, dir, question string) *exec.Cmd {
	return exec.CommandContext(ctx, os.Args[0], "first-answer", dir, question)
}

func TestSpeed(t *testing.T) {
	t.Parallel()
	settled := 0
	settling := func(ctx context.Context, dir string, now func() time.Time) (*eval.Product, error) {
		p, err := open(ctx, dir, now)
		if err == nil {
			p.Settle = func(context.Context) error { settled++; return nil }
		}
		return p, err
	}
	r, err := eval.Speed(t.Context(), eval.SpeedOptions{Sizes: []int{1000}, Seed: 1, Open: settling, Start: startAnew, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sizes[0]
	for name, v := range map[string]float64{
		"bulk": s.Bulk, "save": s.Save.P50, "recall": s.Recall.P95, "rare": s.Rare.P50, "common": s.Common.P50, "search": s.Search.P50,
		"context": s.Context.P50, "settled": s.Settled, "cold start": s.ColdStart, "disk": float64(s.Disk),
	} {
		if v <= 0 {
			t.Errorf("%s = %v", name, v)
		}
	}
	if settled != 1 {
		t.Errorf("the other models were waited for %d times, want once", settled)
	}
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil || !strings.Contains(table.String(), "1,000") {
		t.Errorf("table = %q, %v", table.String(), err)
	}
	if runtime.GOOS == "linux" && s.Resident < 1e6 {
		t.Errorf("the new process has %d bytes resident", s.Resident)
	}
	for _, sizes := range [][]int{nil, {10}, {5000, 2000}} {
		if _, err := eval.Speed(t.Context(), eval.SpeedOptions{Sizes: sizes, Open: open}); engram.ErrorCode(err) == "internal" {
			t.Errorf("Speed(%v) = %v, want an error that says why", sizes, err)
		}
	}
}

// TestNewProcessFails: what it says is not lost.
func TestNewProcessFails(t *testing.T) {
	t.Parallel()
	fails := func(ctx context.Context, _, question string) *exec.Cmd {
		return startAnew(ctx, os.Args[0], question) // a file, and no folder
	}
	_, err := eval.Speed(t.Context(), eval.SpeedOptions{Sizes: []int{1000}, Open: open, Start: fails, Temp: t.TempDir()})
	if err == nil || !strings.Contains(err.Error(), "exit status 1: ") {
		t.Errorf("Speed() = %v", err)
	}
}

func TestSpeedAtSize(t *testing.T) {
	if os.Getenv("ENGRAM_SPEED") == "" {
		t.Skip("ENGRAM_SPEED is not set")
	}
	r, err := eval.Speed(t.Context(), eval.SpeedOptions{Sizes: []int{1000, 10000, 100000}, Seed: 1, Open: open, Start: startAnew, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.WriteTable(os.Stdout); err != nil {
		t.Fatal(err)
	}
}
