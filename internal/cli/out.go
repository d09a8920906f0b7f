package cli

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"time"

	"engram"
	"engram/internal/text"

	"github.com/spf13/cobra"
)

// out is what commands print to for people. It keeps the first error of writing,
// which [globals.print] gives.
type out struct {
	*bufio.Writer
	zone *time.Location
}

// print writes v as JSON with --json, else calls text.
func (g *globals) print(cmd *cobra.Command, v any, text func(w *out)) error {
	g.endNote()
	if g.json {
		return writeJSON(cmd.OutOrStdout(), v)
	}
	w := &out{bufio.NewWriter(cmd.OutOrStdout()), g.zone}
	text(w)
	return w.Flush()
}

func writeJSON(w io.Writer, v any) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	return enc.Encode(v)
}

// line prints a memory on one line: what it is, where, when.
func (w *out) line(m *engram.Memory) {
	fmt.Fprintf(w, "#%d (%s) %s", m.ID, m.Type, oneLine(m.Title))
	if m.Project != "" {
		fmt.Fprintf(w, "  [%s]", m.Project)
	}
	fmt.Fprintf(w, "  %s", w.time(m.OccurredAt))
	if m.Pinned {
		fmt.Fprint(w, "  pinned")
	}
	if m.Deleted() {
		fmt.Fprint(w, "  deleted")
	}
	fmt.Fprintln(w)
}

// snippet prints the beginning of a text, indented; whole is what gives all of it.
func (w *out) snippet(s string, limit int, whole string) {
	cut, truncated := text.Snippet(s, limit)
	for line := range strings.Lines(cut) {
		fmt.Fprintln(w, "    "+strings.TrimRight(line, "\r\n"))
	}
	if truncated {
		fmt.Fprintf(w, "    (cut; %s shows all of it)\n", whole)
	}
}

// show is the command that prints a memory whole.
func show(m *engram.Memory) string { return fmt.Sprintf("engram show %d", m.ID) }

// time is t in the user's time zone.
func (w *out) time(t time.Time) string {
	if t.IsZero() {
		return "-"
	}
	return t.In(w.zone).Format("2006-01-02 15:04")
}

// note tells of long work on standard error, in place, where a person looks on;
// print ends it.
func (g *globals) note(done int) {
	if g.env.ErrTerminal && !g.json {
		fmt.Fprintf(g.env.Err, "\r%s done", plural(done, "item", "items"))
		g.noted = true
	}
}

// warn says on standard error what an answer had to do without.
func (g *globals) warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(g.env.Err, "engram: warning: "+w)
	}
}

func (g *globals) endNote() {
	if g.noted {
		fmt.Fprintln(g.env.Err)
		g.noted = false
	}
}
