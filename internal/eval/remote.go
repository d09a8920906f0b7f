package eval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"engram"
	"engram/client"
)

// Server is a running engram serve, as package client calls it.
type Server interface {
	Import(ctx context.Context, r io.Reader, dryRun bool) (client.Imported, error)
	Search(ctx context.Context, in client.SearchInput) (client.Found, error)
}

// ServerLimit is how many hits a server is asked for.
const ServerLimit = 20

// remote is a server that is measured from outside. What it holds already of the
// set it keeps, so that a set may be measured again.
type remote struct {
	server Server
	set    *Set
	asked  string // the question that found belongs to
	found  []hit
}

func (*remote) close() error { return nil }

// importedSet is a file of the wire form, with the fields that a set has.
type importedSet struct {
	Version      string                `json:"version"`
	ExportedAt   string                `json:"exported_at"`
	Sessions     []struct{}            `json:"sessions"` // made for what is in them
	Observations []importedObservation `json:"observations"`
	Prompts      []struct{}            `json:"prompts"`
}

type importedObservation struct {
	ID         int    `json:"id"`
	SyncID     string `json:"sync_id"`
	SessionID  string `json:"session_id"`
	Type       string `json:"type"`
	Title      string `json:"title"`
	Content    string `json:"content"`
	Project    string `json:"project"`
	Scope      string `json:"scope"`
	Speaker    string `json:"speaker,omitempty"`
	CreatedAt  string `json:"created_at"`
	UpdatedAt  string `json:"updated_at"`
	OccurredAt string `json:"occurred_at"`
}

func (s *remote) load(ctx context.Context, set *Set) error {
	s.set = set
	now := time.Now().UTC()
	repeats := repeats{}
	done := 0
	for part := range slices.Chunk(set.Documents, 4*batch) {
		file := importedSet{Version: "0.1.0", ExportedAt: now.Format(time.RFC3339), Sessions: []struct{}{}, Prompts: []struct{}{}}
		for _, d := range part {
			done++
			file.Observations = append(file.Observations, s.observation(d, done, repeats.apart(d, now), now))
		}
		body, err := json.Marshal(file)
		if err != nil {
			return err
		}
		r, err := s.server.Import(ctx, bytes.NewReader(body), false)
		if err != nil {
			return err
		}
		if len(r.Refused) > 0 {
			return engram.Errorf(engram.ErrInvalid, "the server refused %d of %d documents, first %s: %s",
				len(r.Refused), len(part), r.Refused[0].Item, r.Refused[0].Reason).WithCode("refused")
		}
	}
	return nil
}

func (s *remote) observation(d Document, number int, at, now time.Time) importedObservation {
	project := s.set.project(d.Group)
	o := importedObservation{
		ID: number, SyncID: s.prefix() + d.ID, Type: engram.TypeManual, Title: d.Title, Content: d.Text,
		Project: project, Scope: string(engram.ScopeProject), Speaker: d.Speaker, OccurredAt: at.Format(time.RFC3339Nano), CreatedAt: now.Format(time.RFC3339), UpdatedAt: now.Format(time.RFC3339),
		SessionID: engram.ManualSession(project),
	}
	if d.Session != "" {
		o.SessionID = s.prefix() + d.Session
	}
	return o
}

// prefix begins what must be told apart from that of other sets.
func (s *remote) prefix() string { return s.set.Name + ":" }

func (s *remote) ask(ctx context.Context, q *Question) ([]hit, error) {
	r, err := s.server.Search(ctx, client.SearchInput{Query: q.Text, Project: s.set.project(q.Group), Limit: ServerLimit})
	if err != nil {
		return nil, err
	}
	s.asked, s.found = q.ID, nil
	for _, h := range r.Items {
		name, ok := strings.CutPrefix(h.UID, s.prefix())
		if !ok {
			return nil, fmt.Errorf("the server found %s, which is not of the set: measure an empty one", h.UID)
		}
		s.found = append(s.found, hit{document: name, probability: h.Probability})
	}
	return s.found, nil
}

// rank gives what ask gave: a server tells no more.
func (s *remote) rank(_ context.Context, q *Question, _ []string) ([]hit, error) {
	if s.asked != q.ID {
		return nil, fmt.Errorf("question %s was not asked", q.ID)
	}
	return s.found, nil
}
