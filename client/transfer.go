package client

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
)

// The formats of an export.
const (
	FormatJSON = "json" // everything
	FormatWire = "wire" // what other tools of the family read
)

// Export writes everything of projects, none = of all, to w. When it gives an
// error, what was written is not whole.
func (c *Client) Export(ctx context.Context, w io.Writer, format string, projects ...string) error {
	q := url.Values{"project": projects}
	if format != "" {
		q.Set("format", format)
	}
	res, err := c.send(ctx, http.MethodGet, "/v1/export", q, nil)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if _, err := io.Copy(w, res.Body); err != nil {
		return fmt.Errorf("the export broke off: %w", err)
	}
	return nil
}

// Imported says what an import did, or would do.
type Imported struct {
	Sessions int       `json:"sessions"` // new ones
	Memories int       `json:"memories"`
	Prompts  int       `json:"prompts"`
	Versions int       `json:"versions"`
	Skipped  int       `json:"skipped"` // there already
	Refused  []Refusal `json:"refused"`
	Warnings []string  `json:"warnings"` // fields that are not known, and were left out
	DryRun   bool      `json:"dry_run"`
	Version  string    `json:"version"` // of the file
}

// Refusal is an item that could not be taken.
type Refusal struct {
	Item   string `json:"item"`
	Reason string `json:"reason"`
}

// Import takes an export of either format; a second time changes nothing.
func (c *Client) Import(ctx context.Context, r io.Reader, dryRun bool) (Imported, error) {
	q := url.Values{}
	if dryRun {
		q.Set("dry_run", "true")
	}
	var out Imported
	res, err := c.send(ctx, http.MethodPost, "/v1/import", q, struct{ io.Reader }{r})
	if err != nil {
		return out, err
	}
	defer res.Body.Close()
	if err := decode(res.Body, &out); err != nil {
		return out, fmt.Errorf("read the answer to the import: %w", err)
	}
	return out, nil
}
