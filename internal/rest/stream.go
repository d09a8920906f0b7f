package rest

import (
	"io"
	"net/http"
	"time"

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
	out := &streamWriter{w: w, rc: http.NewResponseController(w)}
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
	rc    *http.ResponseController
	begun bool
}

func (s *streamWriter) Write(p []byte) (int, error) {
	s.begun = true
	_ = s.rc.SetWriteDeadline(time.Now().Add(writeTimeout))
	return s.w.Write(p)
}

// streamReader gives each part of a long body its own time, and ends one that is
// too long with an error that is remembered.
type streamReader struct {
	r     io.Reader
	rc    *http.ResponseController
	left  int64
	limit int64
	long  bool
}

func (s *streamReader) Read(p []byte) (int, error) {
	if s.left <= 0 {
		if n, err := io.ReadFull(s.r, make([]byte, 1)); n == 0 {
			return 0, err
		}
		s.long = true
		return 0, bodyTooLarge(s.limit)
	}
	_ = s.rc.SetReadDeadline(time.Now().Add(bodyTimeout))
	n, err := s.r.Read(p[:min(int64(len(p)), s.left)])
	s.left -= int64(n)
	return n, err
}

// readImport takes an import from the body.
func (a *api) readImport(w http.ResponseWriter, r *http.Request, opts transfer.ImportOptions) (transfer.Report, error) {
	if !hasBody(r) {
		return transfer.Report{}, badRequest("body_required", "the body is empty").WithHint("send an export")
	}
	limit := a.opts.MaxImport
	if r.ContentLength > limit {
		return transfer.Report{}, bodyTooLarge(limit)
	}
	rc := http.NewResponseController(w)
	body := &streamReader{r: r.Body, rc: rc, left: limit, limit: limit}
	report, err := a.Transfer.Import(r.Context(), body, opts)
	_ = rc.SetReadDeadline(time.Time{})
	_ = rc.SetWriteDeadline(time.Now().Add(writeTimeout))
	if body.long {
		return transfer.Report{}, bodyTooLarge(limit)
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
}

func (a *api) wireImport(w http.ResponseWriter, r *http.Request, _ *none) error {
	rep, err := a.readImport(w, r, transfer.ImportOptions{})
	if err != nil {
		return err
	}
	return writeJSON(w, http.StatusOK, wireImported{
		SessionsImported: rep.Sessions, ObservationsImported: rep.Memories, PromptsImported: rep.Prompts,
		Skipped: rep.Skipped, Refused: refusals(rep.Refused),
	})
}
