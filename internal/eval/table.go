package eval

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

func compareNames(a, b string) int { return cmp.Compare(a, b) }

// WriteTable writes r as text: shares in per cent, a set with its kinds below
// it.
func (r RetrievalReport) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	if len(r.Arms) > 0 {
		fmt.Fprintf(t, "arms: %s\n", strings.Join(r.Arms, ", "))
	}
	fmt.Fprintln(t, "set\tquestions\tR@1\tR@5\tR@10\tR@20\tany@5\tall@5\tNDCG@10\tMRR\tp50 ms\tp95 ms\tanswered\tfloor R@5\trefused\tno-answer precision\t")
	for _, s := range r.Sets {
		writeScores(t, s.Name, s.Scores)
		f := s.Floor
		refused := "–\t–"
		if f.Null > 0 {
			refused = fmt.Sprintf("%.0f of %d\t%.0f", 100*f.Refused, f.Null, 100*f.NoAnswerPrecision)
		}
		fmt.Fprintf(t, "%.2f\t%.2f\t%.0f\t%.1f\t%s\t\n", s.Search.P50, s.Search.P95, 100*f.Answered, 100*f.Recall5, refused)
		if len(s.Kinds) < 2 {
			continue
		}
		for _, k := range s.Kinds {
			writeScores(t, "· "+k.Name, k.Scores)
			fmt.Fprintln(t, "\t\t\t\t\t\t")
		}
	}
	return t.Flush()
}

func writeScores(w io.Writer, name string, s Scores) {
	fmt.Fprintf(w, "%s\t%d\t", name, s.Questions)
	for _, v := range []float64{s.Recall1, s.Recall5, s.Recall10, s.Recall20, s.Any5, s.All5, s.NDCG10, s.MRR} {
		fmt.Fprintf(w, "%.1f\t", 100*v)
	}
}

// WriteTable writes r as text.
func (r SpeedReport) WriteTable(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "memories\tbulk /s\tsave p50\tp95\trecall p50\tp95\tcommon p50\tp95\tsearch p50\tp95\tcontext p50\tp95\tcold start\tresident MB\tdisk MB\t")
	for _, s := range r.Sizes {
		fmt.Fprintf(t, "%d\t%.0f\t", s.Memories, s.Bulk)
		for _, sp := range []Spread{s.Save, s.Recall, s.Common, s.Search, s.Context} {
			fmt.Fprintf(t, "%.2f\t%.2f\t", sp.P50, sp.P95)
		}
		fmt.Fprintf(t, "%.0f\t%.1f\t%.1f\t\n", s.ColdStart, float64(s.Resident)/1e6, float64(s.Disk)/1e6)
	}
	return t.Flush()
}
