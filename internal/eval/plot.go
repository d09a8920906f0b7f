package eval

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"unicode/utf8"

	"engram/internal/recall"
)

// plotWidth is that of a README's column, so that nothing is made smaller.
const plotWidth = 820

// WriteSVG draws what each set gave: a bar for R@5, and where an ablation was
// measured, a paler one behind it for the keyword arm alone.
func (r RetrievalReport) WriteSVG(w io.Writer) error {
	const (
		top, row, bar = 92.0, 30.0, 20.0
		left, right   = 170.0, 64.0
	)
	height := top + row*float64(len(r.Sets)) + 48
	about := "Share of the gold that is among the first five found, for each set."
	s := newSVG(plotWidth, height, "Recall@5 by set, per cent", about)
	across := func(share float64) float64 { return left + share*(plotWidth-left-right) }
	floor := height - 44
	for _, tenth := range []float64{0, .2, .4, .6, .8, 1} {
		s.line(across(tenth), top-8, across(tenth), floor, "grid")
		s.text(across(tenth), floor+22, "quiet", middle, fmt.Sprintf("%.0f", 100*tenth))
	}
	arms := "all arms"
	if len(r.Arms) > 0 {
		arms = strings.Join(r.Arms, " + ")
	}
	s.legend(62, []series{{name: arms, class: "s0"}}, r.hasKeyword())
	for i, set := range r.Sets {
		y := top + row*float64(i)
		s.text(left-12, y+bar-5, "", end, set.Name)
		widest := set.Scores.Recall5
		if k := set.keyword(); k != nil {
			widest = max(widest, k.Recall5)
			s.rect(left, y, across(k.Recall5)-left, bar, "back")
			s.rect(left, y+4, across(set.Scores.Recall5)-left, bar-8, "s0")
		} else {
			s.rect(left, y, across(set.Scores.Recall5)-left, bar, "s0")
		}
		s.text(across(widest)+8, y+bar-5, "", start, percent(set.Scores.Recall5))
	}
	return s.writeTo(w)
}

// keyword is what the keyword arm alone gave, or nil.
func (s *SetReport) keyword() *Scores {
	i := slices.IndexFunc(s.Ablation, func(p Part) bool { return p.Name() == recall.ArmKeyword })
	if i < 0 {
		return nil
	}
	return &s.Ablation[i].Scores
}

func (r RetrievalReport) hasKeyword() bool {
	return slices.ContainsFunc(r.Sets, func(s SetReport) bool { return s.keyword() != nil })
}

// series is a line of a plot, or a bar, and what it is called.
type series struct {
	name  string
	class string // s0 … s3
	value func(SizeReport) Spread
}

// legend names what is drawn, in a row at y.
func (s *svg) legend(y float64, all []series, keyword bool) {
	x := 24.0
	for _, one := range all {
		s.rect(x, y-12, 14, 14, one.class)
		s.text(x+22, y, "", start, one.name)
		x += 44 + 9.2*float64(utf8.RuneCountInString(one.name))
	}
	if keyword {
		s.rect(x, y-12, 14, 14, "back")
		s.text(x+22, y, "", start, "words alone, by BM25")
	}
}

// latencies are the lines of the plot of a SpeedReport.
var latencies = []series{
	{"recall", "0", func(s SizeReport) Spread { return s.Recall }},
	{"… rare words", "1", func(s SizeReport) Spread { return s.Rare }},
	{"… common words", "2", func(s SizeReport) Spread { return s.Common }},
	{"save", "3", func(s SizeReport) Spread { return s.Save }},
}

// WriteSVG draws latency against size, both by powers of ten.
func (r SpeedReport) WriteSVG(w io.Writer) error {
	p := latencyPlot{r: r}
	p.scale()
	s := newSVG(plotWidth, latencyHeight, "Milliseconds by memories in the store", "Median and 95th percentile of recall and save, by size.")
	p.axes(s)
	p.legend(s)
	for _, one := range latencies {
		p.draw(s, one)
	}
	return s.writeTo(w)
}

// The place of the latency plot in its picture.
const (
	latencyHeight                 = 520.0
	plotLeft, plotRight           = 84.0, 56.0
	plotTop, plotFloor            = 108.0, latencyHeight - 56
	leastLatency, greatestLatency = .001, 100_000.0 // milliseconds
)

// latencyPlot knows which powers of ten it shows.
type latencyPlot struct {
	r                        SpeedReport
	least, most, small, high float64 // exponents of sizes, and of milliseconds
}

func (p *latencyPlot) scale() {
	low, high := math.Inf(1), math.Inf(-1)
	for _, size := range p.r.Sizes {
		for _, one := range latencies {
			v := one.value(size)
			low, high = min(low, clamp(v.P50)), max(high, clamp(v.P95))
		}
	}
	if len(p.r.Sizes) == 0 {
		low, high = 1, 1
	}
	p.small, p.high = math.Floor(math.Log10(low)), math.Ceil(math.Log10(high))
	if p.small == p.high {
		p.high++
	}
	p.least, p.most = 3, 4
	if n := len(p.r.Sizes); n > 0 {
		p.least = math.Log10(float64(p.r.Sizes[0].Memories))
		p.most = max(p.least+.5, math.Log10(float64(p.r.Sizes[n-1].Memories)))
	}
}

// clamp keeps a time within what a logarithm can show.
func clamp(ms float64) float64 { return min(max(ms, leastLatency), greatestLatency) }

func (p *latencyPlot) x(memories int) float64 {
	share := (math.Log10(float64(memories)) - p.least) / (p.most - p.least)
	return plotLeft + share*(plotWidth-plotLeft-plotRight)
}

func (p *latencyPlot) y(ms float64) float64 {
	share := (math.Log10(clamp(ms)) - p.small) / (p.high - p.small)
	return plotFloor - share*(plotFloor-plotTop)
}

func (p *latencyPlot) axes(s *svg) {
	for e := p.small; e <= p.high; e++ {
		y := p.y(math.Pow(10, e))
		s.line(plotLeft, y, plotWidth-plotRight, y, "grid")
		s.text(plotLeft-12, y+5, "quiet", end, fmt.Sprintf("%g ms", math.Pow(10, e)))
	}
	for _, size := range p.r.Sizes {
		x := p.x(size.Memories)
		s.line(x, plotTop, x, plotFloor, "grid")
		s.text(x, plotFloor+26, "quiet", middle, thousands(size.Memories))
	}
}

func (p *latencyPlot) legend(s *svg) {
	named := make([]series, len(latencies))
	for i, one := range latencies {
		named[i] = series{name: one.name, class: "s" + one.class}
	}
	s.legend(68, named, false)
	x := 560.0
	s.path([]point{{x, 63}, {x + 34, 63}}, "l0")
	s.text(x+42, 68, "", start, "p50")
	s.path([]point{{x + 92, 63}, {x + 126, 63}}, "l0 dash")
	s.text(x+134, 68, "", start, "p95")
}

func (p *latencyPlot) draw(s *svg, one series) {
	var median, slow []point
	for _, size := range p.r.Sizes {
		v, x := one.value(size), p.x(size.Memories)
		median, slow = append(median, point{x, p.y(v.P50)}), append(slow, point{x, p.y(v.P95)})
	}
	s.path(slow, "l"+one.class+" dash")
	s.path(median, "l"+one.class)
	for i := range median {
		s.dot(median[i].x, median[i].y, "s"+one.class)
		s.dot(slow[i].x, slow[i].y, "s"+one.class)
	}
}
