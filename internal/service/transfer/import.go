package transfer

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"engram"
	"engram/internal/policy"
	"engram/internal/store"
	"engram/internal/text"
)

// Bounds of an import.
const (
	maxBatchBytes = 16 << 20 // of text in one transaction
	maxRefused    = 1000     // items that a report names one by one
)

// Import reads either format, told apart by their fields; a second import of
// the same file changes nothing. The whole file is read once before anything is
// stored: one that is broken, or of an unknown version, is refused as a whole.
// An item that breaks a rule is refused by itself and the rest taken; when
// nothing remains the import is [engram.ErrInvalid], with the report beside it.
func (s *Service) Import(ctx context.Context, r io.Reader, opts ImportOptions) (Report, error) {
	actor, err := policy.Check(ctx, policy.ManageStore)
	if err != nil {
		return Report{}, err
	}
	src, err := rewindable(r)
	if err != nil {
		return Report{}, err
	}
	start, err := src.Seek(0, io.SeekCurrent)
	if err != nil {
		return Report{}, fmt.Errorf("read import: %w", err)
	}
	o, err := survey(src)
	if err != nil {
		return Report{}, err
	}
	im := newImporter(s, actor.Workspace, o, opts)
	passes := [][]string{nil} // one pass over everything
	if o.late {
		passes = [][]string{{"sessions"}, {"memories", "observations", "prompts", "supports", "aliases", "remotes"}}
	}
	for _, lists := range passes {
		if _, err := src.Seek(start, io.SeekStart); err != nil {
			return im.report, fmt.Errorf("read import: %w", err)
		}
		if err := im.pass(ctx, src, lists); err != nil {
			return im.report, err
		}
	}
	im.report.Warnings = im.warnings()
	return im.report, im.allRefused()
}

// warnings says what of the file was not taken as it stands there.
func (im *importer) warnings() []string {
	out := im.unknown.warnings()
	if im.lowered > 0 {
		out = append(out, fmt.Sprintf("claims of more trust than the origin has were lowered to it: %d", im.lowered))
	}
	return out
}

// allRefused is the error of an import of which nothing could be taken.
func (im *importer) allRefused() error {
	r := &im.report
	if im.refused == 0 || r.Sessions+r.Memories+r.Prompts+r.Versions+r.Skipped+im.linked > 0 {
		return nil
	}
	const named = 3
	var reasons []string
	for _, f := range r.Refused[:min(named, len(r.Refused))] {
		reasons = append(reasons, f.Item+": "+f.Reason)
	}
	if more := im.refused - len(reasons); more > 0 {
		reasons = append(reasons, fmt.Sprintf("%d more", more))
	}
	return engram.Errorf(engram.ErrInvalid, "nothing could be imported, every item was refused: %s", strings.Join(reasons, "; ")).
		WithCode("all_refused").WithHint("mend the file; what is right in it is taken the next time")
}

// importer takes items in, batch by batch.
type importer struct {
	s      *Service
	ws     string
	o      *outline
	dry    bool
	report Report

	batch    store.Batch
	bytes    int
	done     int
	seen     map[string]bool // UIDs met in this file
	sessions map[string]bool // that were asked for → was it there before
	made     map[string]bool // sessions that this import makes
	projects map[string]string
	foreign  map[string]bool // of the batch: UIDs of items that carry another store's sync id
	refused  int
	linked   int // links, aliases and remotes that were taken, which a report does not count
	lowered  int // texts that claimed more trust than their origin has
	unknown  unknownFields
}

func newImporter(s *Service, workspace string, o *outline, opts ImportOptions) *importer {
	im := &importer{
		s: s, ws: workspace, o: o, dry: opts.DryRun,
		report:   Report{DryRun: opts.DryRun, Version: o.version},
		seen:     map[string]bool{},
		sessions: map[string]bool{},
		made:     map[string]bool{},
		projects: map[string]string{},
		foreign:  map[string]bool{},
		unknown:  unknownFields{},
	}
	for _, r := range o.refused {
		im.refuse(r.Item, r.Reason)
	}
	im.unknown.file(o)
	return im
}

// pass reads the file once and takes in the lists that are named, nil = all.
func (im *importer) pass(ctx context.Context, r io.Reader, lists []string) error {
	take := map[string]func(context.Context, int, json.RawMessage) error{
		"sessions":     im.wireSession,
		"observations": im.wireObservation,
		"prompts":      im.wirePrompt,
	}
	if im.o.own {
		take = map[string]func(context.Context, int, json.RawMessage) error{
			"sessions": im.ownSession,
			"memories": im.ownMemory,
			"prompts":  im.ownPrompt,
			"supports": im.ownSupport,
		}
	}
	err := readObject(r, func(name string, dec *json.Decoder) error {
		if lists != nil && !slices.Contains(lists, name) {
			return skip(dec)
		}
		if im.o.own && name == "aliases" {
			return im.ownAliases(ctx, dec)
		}
		if im.o.own && name == "remotes" {
			return im.ownRemotes(ctx, dec)
		}
		item, ok := take[name]
		if !ok {
			return skip(dec)
		}
		known := im.fieldsOf(name)
		return readList(dec, name, func(i int, raw json.RawMessage) error {
			if at := invalidByte(raw); at >= 0 {
				im.refuse(itemName(strings.TrimSuffix(name, "s"), "", i), fmt.Sprintf("it is not text in UTF-8, at byte %d of it", at))
				return nil
			}
			im.unknown.item(name, raw, known)
			if err := item(ctx, i, raw); err != nil {
				return err
			}
			return im.flushFull(ctx)
		})
	})
	if err != nil {
		return err
	}
	return im.flush(ctx)
}

// presentable is a text that may hold values of the file as a report shows it:
// without what is private, and not at length.
func presentable(s string) string {
	var c text.Cleaner
	s, _ = text.Snippet(c.Text(s), 300)
	return s
}

// refuse notes an item that is not taken.
func (im *importer) refuse(item, reason string) {
	item, reason = presentable(item), presentable(reason)
	im.refused++
	switch n := im.refused - maxRefused; {
	case n <= 0:
		im.report.Refused = append(im.report.Refused, Refusal{Item: item, Reason: reason})
	case n == 1:
		im.report.Refused = append(im.report.Refused, Refusal{})
		fallthrough
	default:
		im.report.Refused[maxRefused] = Refusal{Item: fmt.Sprintf("%d more", n), Reason: "not named one by one"}
	}
}

// refuseFor notes err as the reason; a fault is returned instead.
func (im *importer) refuseFor(item string, err error) error {
	if _, ok := errors.AsType[*engram.Error](err); !ok {
		return err
	}
	im.refuse(item, engram.ErrorMessage(err))
	return nil
}

// hadSession reports whether a session was in the store before this import.
func (im *importer) hadSession(ctx context.Context, id string) (bool, error) {
	if had, ok := im.sessions[id]; ok {
		return had, nil
	}
	_, err := im.s.store.Session(ctx, im.ws, id)
	if err != nil && !errors.Is(err, engram.ErrNotFound) {
		return false, err
	}
	im.sessions[id] = err == nil
	return err == nil, nil
}

// need makes a session for an item whose session the file does not have.
func (im *importer) need(ctx context.Context, s engram.Session) error {
	if s.ID == "" || im.o.sessions[s.ID] || im.made[s.ID] {
		return nil
	}
	had, err := im.hadSession(ctx, s.ID)
	if err != nil || had {
		return err
	}
	im.made[s.ID] = true
	s.Workspace, s.Status, s.LastSeen = im.ws, engram.SessionActive, s.StartedAt
	im.batch.Sessions = append(im.batch.Sessions, &s)
	return nil
}

// file follows the aliases of a project.
func (im *importer) file(ctx context.Context, project string) (name, origin string, err error) {
	if project == "" {
		return "", "", nil
	}
	name, ok := im.projects[project]
	if !ok {
		if name, err = im.s.store.ResolveProject(ctx, im.ws, project); err != nil {
			return "", "", err
		}
		im.projects[project] = name
	}
	if name != project {
		origin = project
	}
	return name, origin, nil
}

// addMemory puts a memory that was cleaned and checked into the batch.
func (im *importer) addMemory(m *engram.Memory, versions []*engram.Memory) {
	if im.seen[m.UID] {
		im.report.Skipped++
		return
	}
	im.seen[m.UID] = true
	im.batch.Memories = append(im.batch.Memories, m)
	im.batch.Versions = append(im.batch.Versions, versions...)
	im.bytes += len(m.Content)
	for _, v := range versions {
		im.bytes += len(v.Content)
	}
}

func (im *importer) addPrompt(p *engram.Prompt) {
	if im.seen[p.UID] {
		im.report.Skipped++
		return
	}
	im.seen[p.UID] = true
	im.batch.Prompts = append(im.batch.Prompts, p)
	im.bytes += len(p.Content)
}

func (im *importer) size() int {
	b := &im.batch
	return len(b.Sessions) + len(b.Memories) + len(b.Prompts) + len(b.Supports)
}

func (im *importer) flushFull(ctx context.Context) error {
	if im.size() < batchSize && im.bytes < maxBatchBytes {
		return nil
	}
	return im.flush(ctx)
}

// flush stores the batch, or with a dry run counts what would be stored.
func (im *importer) flush(ctx context.Context) error {
	size := im.size()
	if size == 0 && len(im.batch.Aliases)+len(im.batch.Remotes) == 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := im.leaveOutKnown(ctx); err != nil {
		return err
	}
	if err := im.leaveOutLoose(ctx); err != nil {
		return err
	}
	var got store.Imported
	var err error
	if im.dry {
		got = im.wouldImport()
	} else if got, err = im.s.store.Import(ctx, im.ws, im.batch, im.s.now()); err != nil {
		return err
	}
	im.report.Sessions += got.Sessions
	im.report.Memories += got.Memories
	im.report.Prompts += got.Prompts
	im.report.Versions += got.Versions
	im.report.Skipped += got.Skipped
	im.linked += len(im.batch.Supports) + len(im.batch.Aliases) + len(im.batch.Remotes)
	im.done += size
	im.s.progress(im.done)
	im.batch, im.bytes = store.Batch{}, 0
	clear(im.foreign)
	return nil
}

// wouldImport counts the batch, from which what is known was left out.
func (im *importer) wouldImport() store.Imported {
	b := &im.batch
	return store.Imported{Sessions: len(b.Sessions), Memories: len(b.Memories), Prompts: len(b.Prompts), Versions: len(b.Versions)}
}

// leaveOutKnown takes out of the batch what the store has already.
func (im *importer) leaveOutKnown(ctx context.Context) error {
	b := &im.batch
	uids := make([]string, 0, len(b.Memories)+len(b.Prompts))
	for _, m := range b.Memories {
		uids = append(uids, m.UID)
	}
	for _, p := range b.Prompts {
		uids = append(uids, p.UID)
	}
	known, err := im.s.store.Known(ctx, im.ws, uids)
	if err != nil {
		return err
	}
	before := im.size()
	gone := map[string]bool{}
	var kept []*engram.Memory
	for _, m := range b.Memories {
		_, there := known[m.UID]
		if !there {
			if there, err = im.twin(ctx, m); err != nil {
				return err
			}
		}
		if there {
			gone[m.UID] = true
			continue
		}
		kept = append(kept, m)
	}
	b.Memories = kept
	b.Versions = slices.DeleteFunc(b.Versions, func(v *engram.Memory) bool { return gone[v.UID] })
	b.Prompts = slices.DeleteFunc(b.Prompts, func(p *engram.Prompt) bool { _, there := known[p.UID]; return there })
	var sessions []*engram.Session
	for _, s := range b.Sessions {
		had, err := im.hadSession(ctx, s.ID)
		if err != nil {
			return err
		}
		if !had {
			sessions = append(sessions, s)
		}
	}
	b.Sessions = sessions
	im.report.Skipped += before - im.size()
	return nil
}

// leaveOutLoose refuses support links whose memories are neither in the file
// nor in the store.
func (im *importer) leaveOutLoose(ctx context.Context) error {
	if len(im.batch.Supports) == 0 {
		return nil
	}
	var uids []string
	for _, pair := range im.batch.Supports {
		uids = append(uids, pair[:]...)
	}
	known, err := im.s.store.Known(ctx, im.ws, uids)
	if err != nil {
		return err
	}
	im.batch.Supports = slices.DeleteFunc(im.batch.Supports, func(pair [2]string) bool {
		for _, uid := range pair {
			if _, there := known[uid]; !there && !im.seen[uid] {
				im.refuse("support of "+pair[0], "memory "+uid+" is not in this import, and not here")
				return true
			}
		}
		return false
	})
	return nil
}

// twin reports whether m is in the store under another UID: exports of another
// product's older version have no sync ids, those of a newer one do. The same
// text of the same session and second is the same observation.
func (im *importer) twin(ctx context.Context, m *engram.Memory) (bool, error) {
	if im.o.own || !im.sessions[m.Session] {
		return false, nil
	}
	near, err := im.s.store.ListMemories(ctx, store.Filter{
		Workspace: im.ws,
		Session:   m.Session,
		Since:     m.OccurredAt,
		Until:     m.OccurredAt.Add(1000),
		Deleted:   store.WithDeleted,
	}, store.ByOccurred, store.Page{Limit: 100})
	if err != nil {
		return false, err
	}
	for _, other := range near {
		crossed := im.foreign[m.UID] != isForeign(other.UID)
		if crossed && other.Hash == m.Hash && other.Title == m.Title && other.CreatedAt.Equal(m.CreatedAt) {
			return true, nil
		}
	}
	return false, nil
}
