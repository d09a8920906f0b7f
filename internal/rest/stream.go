package rest

import (
	"errors"
	"io"
	"net/http"

	"engram/internal/service/transfer"
)

// exportQuery says what to export.
type exportQuery struct {
	Projects []string `query:"project" doc:"only these; may be repeated"`
}

func (a *api) wireExport(w http.ResponseWriter, r *http.Request, in *exportQuery) error {
	return a.export(w, r, transfer.Wire, in.Projects)
}

// export streams. A fault after the first byte cuts the connection: the client
// must not take half an export for a whole one.
func (a *api) export(w http.ResponseWriter, r *http.Request, f transfer.Format, projects []string) error {
	w.Header().Set("Content-Type", "application/json")
	attachment(w.Header(), "engram-export.json")
	out := &streamWriter{w: w}
	err := a.Transfer.Export(r.Context(), out, f, projects)
	if err == nil {
		return nil
	}
	if !out.begun {
		w.Header().Del("Content-Disposition")
		return err
	}
	a.log.ErrorContext(r.Context(), "export broke off", "request_id", w.Header().Get(headerRequestID), "error", err)
	panic(http.ErrAbortHandler)
}

// streamWriter gives each part of a long answer its own time.
type streamWriter struct {
	w     http.ResponseWriter
	begun bool
}

func (s *streamWriter) Write(p []byte) (int, error) {
	s.begun = true
	answerDue(s.w)
	return s.w.Write(p)
}

// streamReader gives each part of a long body its own time and remembers why
// reading ended, where it was not the end: what parses the body may say so in
// its own words.
type streamReader struct {
	r     io.Reader
	w     http.ResponseWriter
	limit int64 // bytes
	read  int64
	err   error
}

func (s *streamReader) Read(p []byte) (int, error) {
	bodyDue(s.w)
	n, err := s.r.Read(p)
	s.read += int64(n)
	switch {
	case s.read > s.limit:
		s.err = bodyTooLarge(s.limit)
		return 0, s.err
	case errors.Is(err, io.EOF):
		bodyRead(s.w)
	case err != nil:
		s.err = bodyError(err)
		return n, s.err
	}
	return n, err
}

// readImport takes an import from the body.
func (a *api) readImport(w http.ResponseWriter, r *http.Request, opts transfer.ImportOptions) (transfer.Report, error) {
	if !hasBody(r) {
		return transfer.Report{}, badRequest("body_required", "the body is empty").WithHint("send an export")
	}
	limit := a.opts.MaxImport
	if r.ContentLength > limit {
		drain(r.Body)
		return transfer.Report{}, bodyTooLarge(limit)
	}
	body := &streamReader{r: r.Body, w: w, limit: limit}
	report, err := a.Transfer.Import(r.Context(), body, opts)
	answerDue(w)
	if body.err != nil {
		drain(r.Body)
		return transfer.Report{}, body.err
	}
	return report, err
}

type refusal struct {
	Item   string `json:"item"`
	Reason string `json:"reason"`
}

func refusals(in []transfer.Refusal) []refusal {
	out := make([]refusal, 0, len(in))
	for _, r := range in {
		out = append(out, refusal(r))
	}
	return out
}

type wireImported struct {
	SessionsImported     int       `json:"sessions_imported"`
	ObservationsImported int       `json:"observations_imported"`
	PromptsImported      int       `json:"prompts_imported"`
	Skipped              int       `json:"skipped" doc:"there already"`
	Refused              []refusal `json:"refused" doc:"could not be taken, and why"`
	Warnings             []string  `json:"warnings" doc:"fields that are not known, and were left out"`
}

func (a *api) wireImport(w http.ResponseWriter, r *http.Request, _ *none) error {
	rep, err := a.readImport(w, r, transfer.ImportOptions{})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, wireImported{
		SessionsImported: rep.Sessions, ObservationsImported: rep.Memories, PromptsImported: rep.Prompts,
		Skipped: rep.Skipped, Refused: refusals(rep.Refused), Warnings: list(rep.Warnings),
	})
}
