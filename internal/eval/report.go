package eval

import (
	"encoding/json"
	"errors"
	"io"

	"engram"
)

// Report is what was measured, in each of its forms.
type Report interface {
	WriteTable(w io.Writer) error
	WriteMarkdown(w io.Writer) error
	WriteSVG(w io.Writer) error
	empty() bool
}

// ReadReport reads a report that was written as JSON into r, a
// *[RetrievalReport] or *[SpeedReport].
func ReadReport(in io.Reader, r Report) error {
	dec := json.NewDecoder(in)
	dec.DisallowUnknownFields() // of the other kind, or of another version
	err := dec.Decode(r)
	if err == nil && r.empty() {
		err = errors.New("it has no figures")
	}
	if err != nil {
		return engram.Errorf(engram.ErrInvalid, "this is no such report: %v", err).WithCode("not_a_report").
			WithHint("give a file that the same command wrote with --json or --report")
	}
	return nil
}

func (r RetrievalReport) empty() bool { return len(r.Sets) == 0 }

func (r SpeedReport) empty() bool { return len(r.Sizes) == 0 }
