package memory

import (
	"strings"

	"engram"
	"engram/internal/project"
	"engram/internal/text"
)

// cleaner takes private spans and secrets out of every text of one call and
// notes what it took.
type cleaner struct {
	text.Cleaner
}

func (s *Service) cleaner() *cleaner {
	return &cleaner{text.Cleaner{KeepSecrets: s.opts.KeepSecrets}}
}

// line cleans a text that is shown on one line: a name, a title of a list.
func (c *cleaner) line(s string) string {
	return strings.Join(strings.Fields(c.Text(s)), " ")
}

// project cleans and normalises a project's name as a caller gave it. "" is none
// given; one that has nothing in it but blanks and control characters is a
// mistake, and must not be taken for none: that would mean another project, or all.
func (c *cleaner) project(s string) (string, error) {
	name := c.detected(s)
	if s != "" && name == "" {
		return "", blank("project")
	}
	return name, nil
}

// blank is the error for a name of blanks, which must not be taken for none.
func blank(what string) error {
	return engram.Errorf(engram.ErrInvalid, "the %s is blank", what).WithCode("invalid_" + what).
		WithHint("name one, or leave it out")
}

// detected cleans and normalises a project's name that detection gave.
func (c *cleaner) detected(s string) string { return project.Normalize(c.Text(s)) }

// id cleans a session's id. Reads clean it the same way, so that the agent
// finds its session by what it sent.
func (c *cleaner) id(s string) string {
	return strings.TrimSpace(c.Text(s))
}

// topicKey cleans and normalises a topic key.
func (c *cleaner) topicKey(s string) (string, error) {
	return engram.NormalizeTopicKey(c.Text(s))
}

// files cleans paths and leaves out empty and repeated ones.
func (c *cleaner) files(in []string) []string {
	var out []string
	seen := make(map[string]bool, len(in))
	for _, f := range in {
		f = strings.TrimSpace(c.Text(f))
		if f != "" && !seen[f] {
			seen[f] = true
			out = append(out, f)
		}
	}
	return out
}
