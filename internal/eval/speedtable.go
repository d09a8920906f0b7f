package eval

import (
	"fmt"
	"io"
)

// WriteTable writes r as text.
func (r SpeedReport) WriteTable(w io.Writer) error { return writeText(w, []table{r.table()}) }

// WriteMarkdown writes r as a section of a page.
func (r SpeedReport) WriteMarkdown(w io.Writer) error { return writeMarkdown(w, []table{r.table()}) }

func (r SpeedReport) table() table {
	t := table{
		title: "By size",
		note:  "Two figures are p50 / p95, in milliseconds.",
		head: []string{
			"memories", "bulk /s", "save", "encoded /s", "recall", "… rare words", "… common words", "search", "context",
			"cold start ms", "resident MB", "disk MB",
		},
	}
	for _, s := range r.Sizes {
		resident, settled := "–", "–"
		if s.Settled > 0 {
			settled = thousands(int(s.Settled))
		}
		if s.Resident > 0 {
			resident = megabytes(s.Resident)
		}
		t.add(thousands(s.Memories), thousands(int(s.Bulk)), s.Save.pair(), settled, s.Recall.pair(), s.Rare.pair(), s.Common.pair(),
			s.Search.pair(), s.Context.pair(), fmt.Sprintf("%.0f", s.ColdStart), resident, megabytes(s.Disk))
	}
	return t
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.1f", float64(bytes)/1e6) }
