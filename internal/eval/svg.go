package eval

import (
	"fmt"
	"html"
	"io"
	"strconv"
	"strings"
)

// svg draws a picture of text, boxes and lines. It has a ground of its own, so
// that it can be read on pages that do not follow the reader's light or dark.
type svg struct {
	b             strings.Builder
	width, height float64
}

// palette is the style of a picture: classes of what is drawn, in light and dark.
// Series are s0 … s3, as fill or as line.
const palette = `text{font:15px system-ui,-apple-system,"Segoe UI",Roboto,"DejaVu Sans",sans-serif;fill:#1f2328}
.ground{fill:#fff;stroke:#d1d9e0}
.title{font-size:18px;font-weight:600}
.quiet{fill:#59636e}
.grid{stroke:#d1d9e0;stroke-width:1}
.s0{fill:#0969da}.s1{fill:#bc4c00}.s2{fill:#1a7f37}.s3{fill:#8250df}
.back{fill:#b6d5f8}
.l0{stroke:#0969da}.l1{stroke:#bc4c00}.l2{stroke:#1a7f37}.l3{stroke:#8250df}
.line{fill:none;stroke-width:2.5;stroke-linejoin:round;stroke-linecap:round}
.dash{stroke-dasharray:7 5}
@media(prefers-color-scheme:dark){
text{fill:#f0f6fc}
.ground{fill:#0d1117;stroke:#3d444d}
.quiet{fill:#9198a1}
.grid{stroke:#3d444d}
.s0{fill:#58a6ff}.s1{fill:#f0883e}.s2{fill:#3fb950}.s3{fill:#bc8cff}
.back{fill:#1f4a7d}
.l0{stroke:#58a6ff}.l1{stroke:#f0883e}.l2{stroke:#3fb950}.l3{stroke:#bc8cff}
}
`

// newSVG begins a picture with a ground and a title; about is for those who
// cannot see it.
func newSVG(width, height float64, title, about string) *svg {
	s := &svg{width: width, height: height}
	w, h := number(width), number(height)
	fmt.Fprintf(&s.b, `<svg xmlns="http://www.w3.org/2000/svg" width="%s" height="%s" viewBox="0 0 %s %s" role="img" aria-label="%s">`+"\n",
		w, h, w, h, html.EscapeString(title+". "+about))
	fmt.Fprintf(&s.b, "<style>\n%s</style>\n", palette)
	s.add(`<rect class="ground" x="0.5" y="0.5" width="%s" height="%s" rx="8"/>`, number(width-1), number(height-1))
	s.text(24, 36, "title", start, title)
	return s
}

// add adds an element.
func (s *svg) add(format string, args ...any) {
	fmt.Fprintf(&s.b, format+"\n", args...)
}

// anchor says which end of a text is where it is put.
type anchor string

const (
	start  anchor = "start"
	middle anchor = "middle"
	end    anchor = "end"
)

// text puts a text with its base line at y.
func (s *svg) text(x, y float64, class string, at anchor, text string) {
	s.add(`<text x="%s" y="%s" class="%s" text-anchor="%s">%s</text>`, number(x), number(y), class, at, html.EscapeString(text))
}

func (s *svg) rect(x, y, width, height float64, class string) {
	s.add(`<rect x="%s" y="%s" width="%s" height="%s" rx="2" class="%s"/>`, number(x), number(y), number(width), number(height), class)
}

func (s *svg) line(x1, y1, x2, y2 float64, class string) {
	s.add(`<line x1="%s" y1="%s" x2="%s" y2="%s" class="%s"/>`, number(x1), number(y1), number(x2), number(y2), class)
}

func (s *svg) dot(x, y float64, class string) {
	s.add(`<circle cx="%s" cy="%s" r="4" class="%s"/>`, number(x), number(y), class)
}

// point is a place of a picture.
type point struct{ x, y float64 }

// path joins points.
func (s *svg) path(points []point, class string) {
	places := make([]string, len(points))
	for i, p := range points {
		places[i] = number(p.x) + "," + number(p.y)
	}
	s.add(`<polyline points="%s" class="line %s"/>`, strings.Join(places, " "), class)
}

// writeTo ends the picture and writes it.
func (s *svg) writeTo(w io.Writer) error {
	s.b.WriteString("</svg>\n")
	_, err := io.WriteString(w, s.b.String())
	return err
}

// number is a length to a tenth, as short as it can be said.
func number(v float64) string {
	return strings.TrimSuffix(strconv.FormatFloat(v, 'f', 1, 64), ".0")
}
