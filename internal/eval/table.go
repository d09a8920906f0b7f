package eval

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
)

func compareNames(a, b string) int { return cmp.Compare(a, b) }

// table is a part of a report: what it shows, how to read it, rows under a head.
type table struct {
	title, note string
	head        []string
	rows        [][]string
}

// add adds a row of a name and values, which may be of several columns with a
// tab between.
func (t *table) add(name string, values ...string) {
	t.rows = append(t.rows, append([]string{name}, strings.Split(strings.Join(values, "\t"), "\t")...))
}

func writeText(w io.Writer, tables []table) error {
	for i, t := range tables {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintf(w, "%s. %s\n", t.title, t.note); err != nil {
			return err
		}
		aligned := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
		for _, row := range append([][]string{t.head}, t.rows...) {
			fmt.Fprintln(aligned, strings.Join(row, "\t")+"\t")
		}
		if err := aligned.Flush(); err != nil {
			return err
		}
	}
	return nil
}

func writeMarkdown(w io.Writer, tables []table) error {
	var b strings.Builder
	for i, t := range tables {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "### %s\n\n%s\n\n", t.title, t.note)
		fmt.Fprintf(&b, "| %s |\n|---%s|\n", strings.Join(t.head, " | "), strings.Repeat("|--:", len(t.head)-1))
		for _, row := range t.rows {
			fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// percent is a share in per cent.
func percent(share float64) string { return fmt.Sprintf("%.1f", 100*share) }

// whole is a share in per cent of n, with no digits behind the point.
func whole(share float64, n int) string {
	if n == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", 100*share)
}

// thousands is n with commas.
func thousands(n int) string {
	s := fmt.Sprint(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// pair is a spread in one column.
func (s Spread) pair() string { return fmt.Sprintf("%.2f / %.2f", s.P50, s.P95) }
