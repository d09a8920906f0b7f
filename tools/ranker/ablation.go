package main

import (
	"fmt"
	"io"
	"text/tabwriter"

	"engram/internal/recall"
)

// groups are inputs that come of one idea; the first is what there is anyway.
var groups = []struct {
	name   string
	inputs [recall.NumInputs]bool
}{
	{"words, context of two turns", inputs("own", "context", "coverage", "names", "foreign_own", "foreign_coverage", "long_own", "long_coverage")},
	{"context of four turns", inputs("wide")},
	{"cosine", inputs("cosine", "cosine_context", "foreign_cosine")},
	{"soft match", inputs("soft", "soft_context", "lead")},
	{"expansion", inputs("expanded", "expanded_near")},
	{"neighbouring words", inputs("pairs")},
	{"session", inputs("session")},
	{"speaker", inputs("named", "other", "assistant")},
	{"form", inputs("length", "asks", "answers", "brief", "fits", "foreign_length")},
	{"time", inputs("time")},
}

// ablation prints R@5, cross-validated, of ever more groups of inputs, and of all
// but one.
func (t *trainer) ablation(w io.Writer, fold map[*Pool]int) error {
	tab := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(tab, "inputs")
	for _, set := range t.data.sets() {
		fmt.Fprintf(tab, "\t%s", set)
	}
	off := [recall.NumInputs]bool{}
	for _, g := range groups {
		toggle(&off, g.inputs)
	}
	for i, g := range groups {
		toggle(&off, g.inputs)
		name := "+ " + g.name
		if i == 0 {
			name = g.name
		}
		t.row(tab, name, off, fold)
	}
	for _, g := range groups[1:] {
		toggle(&off, g.inputs)
		t.row(tab, "all but "+g.name, off, fold)
		toggle(&off, g.inputs)
	}
	fmt.Fprintln(tab)
	return tab.Flush()
}

func toggle(off *[recall.NumInputs]bool, inputs [recall.NumInputs]bool) {
	for j, in := range inputs {
		off[j] = off[j] != in
	}
}

func (t *trainer) row(w io.Writer, name string, off [recall.NumInputs]bool, fold map[*Pool]int) {
	t.off = off
	cross := t.crossValidated(fold)
	fmt.Fprintf(w, "\n%s", name)
	for _, set := range t.data.sets() {
		f := measure(t.data.of(set), cross)
		fmt.Fprintf(w, "\t%.1f", 100*f.recall5)
	}
}
