package memory

import (
	"reflect"
	"testing"
	"time"

	"engram"
	"engram/internal/store"
)

// TestEveryFilterIsNamed: each field of a filter leaves out a memory by a name
// of its own, so that none can be added that is not explained.
func TestEveryFilterIsNamed(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	m := &engram.Memory{
		Project: "p", Scope: engram.ScopeProject, Type: "manual", Kind: engram.KindObservation, Session: "s", OccurredAt: at,
	}
	fields := map[string]struct {
		name  string
		fails store.Filter
		holds store.Filter
	}{
		"Projects":  {"project", store.Filter{Projects: []string{"q"}}, store.Filter{Projects: []string{"q", "p"}}},
		"Scopes":    {"scope", store.Filter{Scopes: []engram.Scope{"global"}}, store.Filter{Scopes: []engram.Scope{"project"}}},
		"Types":     {"type", store.Filter{Types: []string{"bugfix"}}, store.Filter{Types: []string{"bugfix", "manual"}}},
		"NotTypes":  {"not_type", store.Filter{NotTypes: []string{"manual"}}, store.Filter{NotTypes: []string{"bugfix"}}},
		"Kinds":     {"kind", store.Filter{Kinds: []engram.Kind{engram.KindTurn}}, store.Filter{Kinds: []engram.Kind{engram.KindObservation}}},
		"Session":   {"session", store.Filter{Session: "other"}, store.Filter{Session: "s"}},
		"Since":     {"since", store.Filter{Since: at.Add(1)}, store.Filter{Since: at}},
		"Until":     {"until", store.Filter{Until: at}, store.Filter{Until: at.Add(1)}},
		"Pinned":    {"pinned", store.Filter{Pinned: true}, store.Filter{}},
		"OpenTasks": {"open_tasks", store.Filter{OpenTasks: true}, store.Filter{}},
	}
	elsewhere := map[string]bool{"Workspace": true, "Global": true, "AsOf": true, "Deleted": true} // TestExplainReasons
	typ := reflect.TypeFor[store.Filter]()
	for i := range typ.NumField() {
		name := typ.Field(i).Name
		tt, ok := fields[name]
		if !ok {
			if !elsewhere[name] {
				t.Errorf("filter %s has no name in failed", name)
			}
			continue
		}
		if got := failed(tt.fails, m); len(got) != 1 || got[0].name != tt.name || got[0].text == "" {
			t.Errorf("%s: failed = %v, want %s", name, got, tt.name)
		}
		if got := failed(tt.holds, m); len(got) != 0 {
			t.Errorf("%s: failed = %v, want none", name, got)
		}
	}
}
