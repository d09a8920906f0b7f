package memory

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"engram"
	"engram/internal/store"
)

// condition is one that a filter makes and a memory fails.
type condition struct {
	name string
	text string // completes "it …"
}

// leftOut are the conditions of the search that the memory fails. With a time
// that was asked about x.m becomes the version that was known then.
func (x *explaining) leftOut(ctx context.Context) ([]condition, error) {
	if x.filter.Deleted == store.WithoutDeleted && !x.m.DeletedAt.IsZero() {
		return []condition{{"deleted", "was deleted on " + x.day(x.m.DeletedAt)}}, nil
	}
	if !x.filter.AsOf.IsZero() {
		then, err := x.s.store.MemoriesByID(ctx, store.Filter{
			Workspace: x.filter.Workspace, AsOf: x.filter.AsOf, Deleted: store.WithDeleted,
		}, []int64{x.m.ID})
		if err != nil {
			return nil, err
		}
		if len(then) == 0 {
			return []condition{x.unknownThen()}, nil
		}
		x.m = then[0]
	}
	return failed(x.filter, x.m), nil
}

// unknownThen says why no version of the memory was known at the time that was
// asked about.
func (x *explaining) unknownThen() condition {
	asOf, gone := x.day(x.filter.AsOf), x.m.InvalidatedAt
	switch {
	case gone.IsZero() || gone.After(x.filter.AsOf):
		return condition{"as_of", fmt.Sprintf("was saved on %s, and was not known on %s", x.day(x.m.CreatedAt), asOf)}
	case x.m.SupersededBy != 0:
		return condition{"superseded", fmt.Sprintf("was superseded by #%d on %s, and no longer held on %s", x.m.SupersededBy, x.day(gone), asOf)}
	}
	return condition{"superseded", fmt.Sprintf("was superseded on %s, and no longer held on %s", x.day(gone), asOf)}
}

func (x *explaining) day(t time.Time) string {
	return t.In(x.s.opts.Zone).Format("2006-01-02 15:04")
}

// failed are the conditions of f that m fails, those of project and scope first.
// Workspace, AsOf and Deleted are looked at before.
func failed(f store.Filter, m *engram.Memory) []condition {
	var out []condition
	fail := func(name, text string, args ...any) { out = append(out, condition{name, fmt.Sprintf(text, args...)}) }
	if len(f.Projects) > 0 && !slices.Contains(f.Projects, m.Project) && (!f.Global || m.Scope != engram.ScopeGlobal) {
		where := "is in project " + m.Project
		if m.Project == "" {
			where = "is in no project"
		}
		fail("project", "%s, and %s was searched", where, strings.Join(f.Projects, ", "))
	}
	if len(f.Scopes) > 0 && !slices.Contains(f.Scopes, m.Scope) {
		fail("scope", "has scope %s, and %s was asked for", m.Scope, names(f.Scopes))
	}
	if len(f.Types) > 0 && !slices.Contains(f.Types, m.Type) {
		fail("type", "is of type %s, and %s was asked for", m.Type, strings.Join(f.Types, ", "))
	}
	if slices.Contains(f.NotTypes, m.Type) {
		fail("not_type", "is of type %s, which was not asked for", m.Type)
	}
	if len(f.Kinds) > 0 && !slices.Contains(f.Kinds, m.Kind) {
		fail("kind", "is of kind %s, and %s was asked for", m.Kind, names(f.Kinds))
	}
	if f.Session != "" && m.Session != f.Session {
		fail("session", "is of session %q, and %s was asked for", m.Session, f.Session)
	}
	if !f.Since.IsZero() && m.OccurredAt.Before(f.Since) {
		fail("since", "is of %s, before %s", m.OccurredAt.Format(time.RFC3339), f.Since.Format(time.RFC3339))
	}
	if !f.Until.IsZero() && !m.OccurredAt.Before(f.Until) {
		fail("until", "is of %s, not before %s", m.OccurredAt.Format(time.RFC3339), f.Until.Format(time.RFC3339))
	}
	if f.Pinned && !m.Pinned {
		fail("pinned", "is not pinned")
	}
	if f.OpenTasks && (m.Type != engram.TypeTask || m.Status == engram.StatusDone) {
		fail("open_tasks", "is no open task")
	}
	return out
}

func names[S ~string](values []S) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = string(v)
	}
	return strings.Join(out, ", ")
}

// filtered gives the reason for a memory that fails conditions.
func (x *explaining) filtered(failed []condition) {
	if len(failed) == 0 {
		return
	}
	o := &x.out
	o.Reason = Filtered
	text := "Filtered: it "
	if failed[0].name == "project" || failed[0].name == "scope" {
		o.Reason = OtherScope
		text = "Other scope: it "
	}
	for i, c := range failed {
		o.Filters = append(o.Filters, c.name)
		if i > 0 {
			text += "; it "
		}
		text += c.text
	}
	o.Text = text + "."
}
