package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"engram"
)

func (im *importer) ownSession(ctx context.Context, i int, raw json.RawMessage) error {
	var in ownSession
	if err := json.Unmarshal(raw, &in); err != nil {
		im.refuse(itemName("session", in.ID, i), malformed(err))
		return nil
	}
	return im.session(ctx, itemName("session", in.ID, i), engram.Session{
		ID: in.ID, Project: in.Project, ProjectOrigin: in.ProjectOrigin, Directory: in.Directory, StartedAt: in.StartedAt, EndedAt: orTime(in.EndedAt),
		LastSeen: in.LastSeen, Status: engram.SessionStatus(in.Status), Summary: in.Summary,
	})
}

func (im *importer) ownMemory(ctx context.Context, i int, raw json.RawMessage) error {
	var in ownMemory
	if err := json.Unmarshal(raw, &in); err != nil {
		im.refuse(itemName("memory", in.UID, i), malformed(err))
		return nil
	}
	item := itemName("memory", in.UID, i)
	m := in.memory(in.UID)
	m.ID, m.SupersededBy = in.ID, in.SupersededBy // ids of the file, until the store gives its own
	m.AccessCount = max(in.AccessCount, 0)
	m.LastAccessed, m.DeletedAt = orTime(in.LastAccessed), orTime(in.DeletedAt)
	if err := im.ownText(ctx, m); err != nil {
		return im.refuseFor(item, err)
	}
	if m.UID == "" {
		m.UID = derivedUID("memory", m.Session, formatExact(in.CreatedAt), formatExact(in.OccurredAt.Time), m.Type, m.Title, m.Hash)
	}
	var versions []*engram.Memory
	for j := range in.Versions {
		v := in.Versions[j].memory(m.UID)
		if err := im.ownText(ctx, v); err != nil {
			if err := im.refuseFor(fmt.Sprintf("version %d of %s", v.Version, item), err); err != nil {
				return err
			}
			continue
		}
		versions = append(versions, v)
	}
	for _, s := range append([]*engram.Memory{m}, versions...) {
		if err := im.need(ctx, engram.Session{ID: s.Session, Project: s.Project, StartedAt: s.CreatedAt}); err != nil {
			return err
		}
	}
	im.addMemory(m, versions)
	return nil
}

// ownText completes and checks a version of a memory.
func (im *importer) ownText(ctx context.Context, m *engram.Memory) error {
	m.CreatedAt = orTime(m.CreatedAt, im.s.now())
	im.noLater(&m.CreatedAt)
	m.OccurredAt = orTime(m.OccurredAt, m.CreatedAt)
	m.UpdatedAt = orTime(m.UpdatedAt, m.CreatedAt)
	m.LastSeenAt = orTime(m.LastSeenAt, m.UpdatedAt)
	m.RecordedAt = orTime(m.RecordedAt, m.CreatedAt)
	im.noLater(&m.UpdatedAt, &m.LastSeenAt, &m.RecordedAt)
	for _, t := range []*time.Time{&m.ValidFrom, &m.ValidTo, &m.InvalidatedAt} {
		*t = orTime(*t)
	}
	if !slices.Contains([]engram.Kind{"", engram.KindObservation, engram.KindTurn}, m.Kind) {
		return engram.Errorf(engram.ErrInvalid, "its kind is not known").WithCode("invalid_kind").
			WithHint("use %s or %s", engram.KindObservation, engram.KindTurn)
	}
	if m.Origin != "" && !m.Origin.Known() {
		return engram.Errorf(engram.ErrInvalid, "its origin is not known").WithCode("invalid_origin").
			WithHint("use user, agent, tool, web, document, import or derived")
	}
	if m.Trust < 0 || m.Trust > engram.TrustOf(engram.OriginUser) {
		return engram.Errorf(engram.ErrInvalid, "its trust %d is not 0 to 3", m.Trust).WithCode("invalid_trust")
	}
	im.capTrust(m)
	return im.complete(ctx, m)
}

// capTrust gives m no more trust than its origin has (ADR 11). What names no
// origin comes from this file and nothing more is known of it. The trust of a
// derived memory is that of its sources, which the store that made it knew.
func (im *importer) capTrust(m *engram.Memory) {
	if m.Origin == "" {
		m.Origin, m.Trust = engram.OriginImport, engram.TrustOf(engram.OriginImport)
		return
	}
	if most := engram.TrustOf(m.Origin); m.Trust > most && m.Origin != engram.OriginDerived {
		m.Trust = most
		im.lowered++
	}
}

func (im *importer) ownPrompt(ctx context.Context, i int, raw json.RawMessage) error {
	var in ownPrompt
	if err := json.Unmarshal(raw, &in); err != nil {
		im.refuse(itemName("prompt", in.UID, i), malformed(err))
		return nil
	}
	p := &engram.Prompt{UID: in.UID, Session: in.Session, Project: in.Project, ProjectOrigin: in.ProjectOrigin, Content: in.Content, CreatedAt: in.CreatedAt}
	return im.prompt(ctx, itemName("prompt", in.UID, i), p, formatExact(in.CreatedAt))
}

func (im *importer) ownSupport(_ context.Context, i int, raw json.RawMessage) error {
	var pair []string
	err := json.Unmarshal(raw, &pair)
	if err == nil && len(pair) == 2 {
		im.batch.Supports = append(im.batch.Supports, [2]string{pair[0], pair[1]})
	} else {
		im.refuse(itemName("support", "", i), "it must be a pair of uids: derived, source")
	}
	return nil
}

// ownAliases takes in the names of projects that were merged.
func (im *importer) ownAliases(ctx context.Context, dec *json.Decoder) error {
	var in map[string]string
	if err := decode(dec, &in); err != nil {
		return err
	}
	c := im.s.cleaner()
	for alias, project := range in {
		alias, project := c.project(alias), c.project(project)
		if alias == "" || project == "" || alias == project {
			im.refuse("alias "+alias, "it must name two different projects")
			continue
		}
		if im.batch.Aliases == nil {
			im.batch.Aliases = map[string]string{}
		}
		im.batch.Aliases[alias] = project
	}
	return im.flush(ctx)
}

// ownRemotes takes in which git remote is which project; a remote that is known
// here keeps its own.
func (im *importer) ownRemotes(ctx context.Context, dec *json.Decoder) error {
	var in map[string]string
	if err := decode(dec, &in); err != nil {
		return err
	}
	c := im.s.cleaner()
	im.batch.Remotes = map[string]string{}
	for remote, project := range in {
		remote, project := c.id(remote), c.project(project)
		item := itemName("remote", remote, 0)
		if remote == "" || project == "" {
			im.refuse(item, "it must name a git remote and its project")
			continue
		}
		if err := errors.Join(engram.CheckName("remote", remote), engram.CheckName("project", project)); err != nil {
			if err := im.refuseFor(item, err); err != nil {
				return err
			}
			continue
		}
		im.batch.Remotes[remote] = project
	}
	return im.flush(ctx)
}
