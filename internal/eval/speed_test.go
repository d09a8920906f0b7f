package eval_test

import (
	"os"
	"strings"
	"testing"

	"engram"
	"engram/internal/eval"
)

func TestSpeed(t *testing.T) {
	t.Parallel()
	r, err := eval.Speed(t.Context(), eval.SpeedOptions{Sizes: []int{1000}, Seed: 1, Open: open, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	s := r.Sizes[0]
	for name, v := range map[string]float64{
		"bulk": s.Bulk, "save": s.Save.P50, "recall": s.Recall.P95, "common": s.Common.P50, "search": s.Search.P50,
		"context": s.Context.P50, "cold start": s.ColdStart, "disk": float64(s.Disk),
	} {
		if v <= 0 {
			t.Errorf("%s = %v", name, v)
		}
	}
	var table strings.Builder
	if err := r.WriteTable(&table); err != nil || !strings.Contains(table.String(), "1000") {
		t.Errorf("table = %q, %v", table.String(), err)
	}
	for _, sizes := range [][]int{nil, {10}, {5000, 2000}} {
		if _, err := eval.Speed(t.Context(), eval.SpeedOptions{Sizes: sizes, Open: open}); engram.ErrorCode(err) == "internal" {
			t.Errorf("Speed(%v) = %v, want an error that says why", sizes, err)
		}
	}
}

func TestSpeedAtSize(t *testing.T) {
	if os.Getenv("ENGRAM_SPEED") == "" {
		t.Skip("ENGRAM_SPEED is not set")
	}
	r, err := eval.Speed(t.Context(), eval.SpeedOptions{Sizes: []int{1000, 10000, 100000}, Seed: 1, Open: open, Temp: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if err := r.WriteTable(os.Stdout); err != nil {
		t.Fatal(err)
	}
}
