package transfer

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"engram"
	"engram/internal/project"
	"engram/internal/text"
)

// cleaner takes private spans and secrets out of every text of one item.
type cleaner struct{ text.Cleaner }

func (s *Service) cleaner() *cleaner {
	return &cleaner{text.Cleaner{KeepSecrets: s.opts.KeepSecrets}}
}

func (c *cleaner) line(s string) string { return strings.Join(strings.Fields(c.Text(s)), " ") }

func (c *cleaner) id(s string) string { return strings.TrimSpace(c.Text(s)) }

func (c *cleaner) project(s string) string { return project.Normalize(c.Text(s)) }

// sourceID is an item's id in the store that it comes from: a number, or a text.
type sourceID string

// UnmarshalJSON takes a number, a string or null.
func (id *sourceID) UnmarshalJSON(b []byte) error {
	var s string
	if b[0] == '"' {
		if err := json.Unmarshal(b, &s); err != nil {
			return err
		}
	} else if s = string(b); s == "null" {
		s = ""
	} else if _, err := strconv.ParseFloat(s, 64); err != nil {
		return &json.UnmarshalTypeError{Value: "value of this kind", Field: "id"}
	}
	*id = sourceID(s)
	return nil
}

// derivedPrefix begins the UID of what came without one.
const derivedPrefix = "import-"

// derivedUID is the same for the same item of an export, whenever it is read.
func derivedUID(parts ...string) string {
	h := sha256.New()
	for _, p := range parts {
		fmt.Fprintf(h, "%d:%s", len(p), p)
	}
	return derivedPrefix + hex.EncodeToString(h.Sum(nil)[:16])
}

// isForeign reports whether a UID was given by another product.
func isForeign(uid string) bool {
	return !strings.HasPrefix(uid, derivedPrefix) && !isULID(uid)
}

// isULID reports whether uid has the form of [engram.NewUID].
func isULID(uid string) bool {
	if len(uid) != 26 {
		return false
	}
	return strings.Trim(uid, "0123456789abcdefghjkmnpqrstvwxyz") == ""
}

func (im *importer) wireSession(ctx context.Context, i int, raw json.RawMessage) error {
	var in wireSession
	if err := json.Unmarshal(raw, &in); err != nil {
		im.refuse(itemName("session", in.ID, i), malformed(err))
		return nil
	}
	item := itemName("session", in.ID, i)
	started, err := parseTime("started_at", in.StartedAt)
	if err != nil {
		return im.refuseFor(item, err)
	}
	ended, err := parseTime("ended_at", value(in.EndedAt))
	if err != nil {
		return im.refuseFor(item, err)
	}
	s := engram.Session{
		ID: in.ID, Project: in.Project, Directory: in.Directory, Summary: value(in.Summary),
		StartedAt: started, EndedAt: ended, Status: engram.SessionActive,
	}
	if !ended.IsZero() {
		s.Status = engram.SessionEnded
	}
	return im.session(ctx, item, s)
}

// session cleans, checks and takes in a session.
func (im *importer) session(ctx context.Context, item string, s engram.Session) error {
	c := im.s.cleaner()
	s.Workspace = im.ws
	s.ID, s.Project = c.id(s.ID), c.project(s.Project)
	s.Directory, s.Summary = strings.TrimSpace(c.Text(s.Directory)), strings.TrimSpace(c.Text(s.Summary))
	s.StartedAt = orTime(s.StartedAt, im.s.now())
	s.LastSeen = orTime(s.LastSeen, s.EndedAt, s.StartedAt)
	im.noLater(&s.StartedAt, &s.EndedAt, &s.LastSeen)
	if err := im.checkSession(s); err != nil {
		return im.refuseFor(item, err)
	}
	name, origin, err := im.file(ctx, s.Project)
	if err != nil {
		return err
	}
	s.Project, s.ProjectOrigin = name, cmp.Or(c.project(s.ProjectOrigin), origin)
	if im.made[s.ID] { // the file has it twice
		im.report.Skipped++
		return nil
	}
	im.made[s.ID] = true
	im.batch.Sessions = append(im.batch.Sessions, &s)
	im.bytes += len(s.Summary)
	return nil
}

func (im *importer) checkSession(s engram.Session) error {
	if s.ID == "" {
		return engram.Errorf(engram.ErrInvalid, "it has no id").WithCode("session_id_required")
	}
	if err := engram.CheckName("session_id", s.ID); err != nil {
		return err
	}
	if err := engram.CheckName("project", s.Project); err != nil {
		return err
	}
	if err := engram.CheckFiles([]string{s.Directory}); err != nil {
		return err
	}
	if s.Summary != "" {
		if err := engram.CheckText("summary", s.Summary, im.s.opts.MaxContent); err != nil {
			return err
		}
	}
	switch s.Status {
	case engram.SessionActive, engram.SessionEnded, engram.SessionLapsed:
		return nil
	}
	return engram.Errorf(engram.ErrInvalid, "its status is not known").WithCode("invalid_status").
		WithHint("use %s, %s or %s", engram.SessionActive, engram.SessionEnded, engram.SessionLapsed)
}

// wireItem is an observation with an id of any kind.
type wireItem struct {
	wireObservation
	ID sourceID `json:"id"`
}

func (im *importer) wireObservation(ctx context.Context, i int, raw json.RawMessage) error {
	var in wireItem
	if err := json.Unmarshal(raw, &in); err != nil {
		im.refuse(itemName("observation", string(in.ID), i), malformed(err))
		return nil
	}
	item := itemName("observation", string(in.ID), i)
	m := &engram.Memory{
		UID:            strings.TrimSpace(in.SyncID),
		Type:           cmp.Or(in.Type, engram.TypeManual),
		Title:          in.Title,
		Content:        in.Content,
		ToolName:       value(in.ToolName),
		Project:        value(in.Project),
		Scope:          engram.Scope(in.Scope),
		Session:        in.SessionID,
		Speaker:        value(in.Speaker),
		Role:           strings.ToLower(value(in.Role)),
		TopicKey:       value(in.TopicKey),
		Pinned:         in.Pinned,
		Origin:         engram.OriginImport,
		Trust:          engram.TrustOf(engram.OriginImport),
		Version:        1,
		RevisionCount:  in.RevisionCount,
		DuplicateCount: in.DuplicateCount,
	}
	if err := im.wireTimes(m, &in.wireObservation); err != nil {
		return im.refuseFor(item, err)
	}
	return im.memory(ctx, item, m, func() string {
		// Of the texts the hash, which is of what is stored: nothing private is in it.
		return derivedUID("observation", m.Session, string(in.ID), in.CreatedAt, value(in.OccurredAt), m.Type, m.Title, m.Hash)
	})
}

func (im *importer) wireTimes(m *engram.Memory, in *wireObservation) error {
	for _, t := range []struct {
		to   *time.Time
		what string
		text string
	}{
		{&m.CreatedAt, "created_at", in.CreatedAt},
		{&m.UpdatedAt, "updated_at", in.UpdatedAt},
		{&m.LastSeenAt, "last_seen_at", value(in.LastSeenAt)},
		{&m.DeletedAt, "deleted_at", value(in.DeletedAt)},
		{&m.OccurredAt, "occurred_at", value(in.OccurredAt)},
	} {
		var err error
		if *t.to, err = parseTime(t.what, t.text); err != nil {
			return err
		}
		if t.to != &m.OccurredAt || strings.TrimSpace(t.text) == "" {
			continue
		}
		if err := checkGiven(*t.to); err != nil {
			return err
		}
	}
	// What another took the place of comes softly deleted: hidden everywhere, and
	// restorable.
	if at, ok := im.o.superseded[m.UID]; ok && m.UID != "" {
		m.ValidTo = at
		if m.DeletedAt.IsZero() {
			m.DeletedAt = orTime(at, im.s.now())
		}
	}
	return nil
}

// memory cleans, completes, checks and takes in a memory of the wire form.
func (im *importer) memory(ctx context.Context, item string, m *engram.Memory, uid func() string) error {
	m.CreatedAt = orTime(m.CreatedAt, m.OccurredAt, im.s.now())
	im.noLater(&m.CreatedAt)
	m.OccurredAt = orTime(m.OccurredAt, m.CreatedAt)
	m.UpdatedAt = orTime(m.UpdatedAt, m.CreatedAt)
	m.LastSeenAt = orTime(m.LastSeenAt, m.UpdatedAt)
	m.RecordedAt = orTime(m.RecordedAt, m.UpdatedAt)
	im.noLater(&m.UpdatedAt, &m.LastSeenAt, &m.RecordedAt)
	if err := im.complete(ctx, m); err != nil {
		return im.refuseFor(item, err)
	}
	if m.Session == "" {
		m.Session = engram.ManualSession(m.Project)
	}
	if m.UID == "" {
		m.UID = uid()
	} else if isForeign(m.UID) {
		im.foreign[m.UID] = true
	}
	if err := im.need(ctx, engram.Session{ID: m.Session, Project: m.Project, StartedAt: m.CreatedAt}); err != nil {
		return err
	}
	if _, err := im.hadSession(ctx, m.Session); err != nil {
		return err
	}
	im.addMemory(m, nil)
	return nil
}

// complete cleans every text of m, files it, and checks it.
func (im *importer) complete(ctx context.Context, m *engram.Memory) error {
	c := im.s.cleaner()
	m.Workspace = im.ws
	m.UID, m.Session = c.id(m.UID), c.id(m.Session)
	m.Type, m.Speaker, m.Role = c.line(m.Type), c.line(m.Speaker), strings.ToLower(c.line(m.Role))
	m.ToolName, m.Status = c.line(m.ToolName), c.line(m.Status)
	m.Content = c.Text(m.Content)
	m.Title = text.Title(c.Text(m.Title), m.Content)
	for i, f := range m.Files {
		m.Files[i] = c.Text(f)
	}
	var err error
	if m.TopicKey, err = engram.NormalizeTopicKey(c.Text(m.TopicKey)); err != nil {
		return err
	}
	if m.Scope, err = engram.ParseScope(string(m.Scope)); err != nil {
		return err
	}
	m.ProjectOrigin = c.project(m.ProjectOrigin)
	name, origin, err := im.file(ctx, c.project(m.Project))
	if err != nil {
		return err
	}
	m.Project, m.ProjectOrigin = name, cmp.Or(m.ProjectOrigin, origin)
	if m.Kind == "" {
		m.Kind = engram.KindObservation
		if m.IsTurn() {
			m.Kind = engram.KindTurn
		}
	}
	m.Version, m.RevisionCount, m.DuplicateCount = count(m.Version), count(m.RevisionCount), count(m.DuplicateCount)
	m.Hash = engram.ContentHash(m.Content)
	if err := engram.CheckName("uid", m.UID); err != nil {
		return err
	}
	return m.Validate(im.s.opts.MaxContent)
}

// count is a count that begins at 1.
func count(n int) int { return min(max(n, 1), math.MaxInt32) }

func orTime(ts ...time.Time) time.Time {
	for _, t := range ts {
		if !t.IsZero() {
			return t.UTC().Round(time.Microsecond)
		}
	}
	return time.Time{}
}

// noLater makes now of times that have not come yet: nothing was written then,
// whatever the clock of the machine said that it comes from, and what is dated
// ahead would count as the latest for as long. When something happens, that is
// occurred_at, may lie ahead.
func (im *importer) noLater(ts ...*time.Time) {
	now := im.s.now()
	for _, t := range ts {
		if t.After(now) {
			*t = now
		}
	}
}

// wirePromptItem is a prompt with an id of any kind.
type wirePromptItem struct {
	wirePrompt
	ID sourceID `json:"id"`
}

func (im *importer) wirePrompt(ctx context.Context, i int, raw json.RawMessage) error {
	var in wirePromptItem
	if err := json.Unmarshal(raw, &in); err != nil {
		im.refuse(itemName("prompt", string(in.ID), i), malformed(err))
		return nil
	}
	item := itemName("prompt", string(in.ID), i)
	at, err := parseTime("created_at", in.CreatedAt)
	if err != nil {
		return im.refuseFor(item, err)
	}
	p := &engram.Prompt{Session: in.SessionID, Project: value(in.Project), Content: in.Content, CreatedAt: at}
	// A prompt is never changed, so that another product's sync id says no more
	// than its text and time do; exports without sync ids have those too.
	if isULID(in.SyncID) || strings.HasPrefix(in.SyncID, derivedPrefix) {
		p.UID = in.SyncID
	}
	return im.prompt(ctx, item, p, in.CreatedAt)
}

// prompt cleans, completes, checks and takes in a prompt.
func (im *importer) prompt(ctx context.Context, item string, p *engram.Prompt, created string) error {
	c := im.s.cleaner()
	p.Workspace = im.ws
	p.UID, p.Session, p.Content = c.id(p.UID), c.id(p.Session), c.Text(p.Content)
	p.CreatedAt = orTime(p.CreatedAt, im.s.now())
	im.noLater(&p.CreatedAt)
	if err := im.checkPrompt(p); err != nil {
		return im.refuseFor(item, err)
	}
	if err := im.filePrompt(ctx, c, p); err != nil {
		return err
	}
	if p.Session == "" {
		p.Session = engram.ManualSession(p.Project)
	}
	if p.UID == "" {
		p.UID = derivedUID("prompt", p.Session, created, engram.ContentHash(p.Content))
	}
	if err := im.need(ctx, engram.Session{ID: p.Session, Project: p.Project, StartedAt: p.CreatedAt}); err != nil {
		return err
	}
	im.addPrompt(p)
	return nil
}

func (im *importer) filePrompt(ctx context.Context, c *cleaner, p *engram.Prompt) error {
	name, origin, err := im.file(ctx, c.project(p.Project))
	p.Project, p.ProjectOrigin = name, cmp.Or(c.project(p.ProjectOrigin), origin)
	return err
}

func (im *importer) checkPrompt(p *engram.Prompt) error {
	if err := engram.CheckText("content", p.Content, im.s.opts.MaxContent); err != nil {
		return err
	}
	if err := engram.CheckName("session_id", p.Session); err != nil {
		return err
	}
	if err := engram.CheckName("uid", p.UID); err != nil {
		return err
	}
	return engram.CheckName("project", engram.NormalizeProject(p.Project))
}
