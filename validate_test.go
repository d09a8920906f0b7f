package engram_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"engram"
)

func TestMemoryValidate(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", engram.MaxName+1)
	tests := []struct {
		name string
		edit func(m *engram.Memory)
		kind error
		code string
	}{
		{"a plain memory", func(*engram.Memory) {}, nil, ""},
		{"content as long as allowed", func(m *engram.Memory) { m.Content = strings.Repeat("x", 100) }, nil, ""},
		{"no content", func(m *engram.Memory) { m.Content = "" }, engram.ErrInvalid, "content_required"},
		{"blank content", func(m *engram.Memory) { m.Content = " \n\t\u3000" }, engram.ErrInvalid, "content_required"},
		{"content over the limit", func(m *engram.Memory) { m.Content = strings.Repeat("x", 101) }, engram.ErrTooLarge, "content_too_large"},
		{"no title", func(m *engram.Memory) { m.Title = "" }, engram.ErrInvalid, "title_required"},
		{"long title", func(m *engram.Memory) { m.Title = strings.Repeat("x", engram.MaxTitle+1) }, engram.ErrTooLarge, "title_too_long"},
		{"no type", func(m *engram.Memory) { m.Type = "" }, engram.ErrInvalid, "type_required"},
		{"long type", func(m *engram.Memory) { m.Type = long }, engram.ErrTooLarge, "type_too_long"},
		{"long project", func(m *engram.Memory) { m.Project = long }, engram.ErrTooLarge, "project_too_long"},
		{"long session", func(m *engram.Memory) { m.Session = long }, engram.ErrTooLarge, "session_id_too_long"},
		{"long speaker", func(m *engram.Memory) { m.Speaker = long }, engram.ErrTooLarge, "speaker_too_long"},
		{"long role", func(m *engram.Memory) { m.Role = long }, engram.ErrTooLarge, "role_too_long"},
		{"long tool", func(m *engram.Memory) { m.ToolName = long }, engram.ErrTooLarge, "tool_name_too_long"},
		{"long status", func(m *engram.Memory) { m.Status = long }, engram.ErrTooLarge, "status_too_long"},
		{"unknown scope", func(m *engram.Memory) { m.Scope = "team" }, engram.ErrInvalid, "invalid_scope"},
		{"importance over 1", func(m *engram.Memory) { m.Importance = 1.01 }, engram.ErrInvalid, "invalid_importance"},
		{"importance below 0", func(m *engram.Memory) { m.Importance = -0.01 }, engram.ErrInvalid, "invalid_importance"},
		{"importance not a number", func(m *engram.Memory) { m.Importance = math.NaN() }, engram.ErrInvalid, "invalid_importance"},
		{"many files", func(m *engram.Memory) { m.Files = slices.Repeat([]string{"a"}, engram.MaxFiles+1) }, engram.ErrTooLarge, "too_many_files"},
		{"long file", func(m *engram.Memory) { m.Files = []string{strings.Repeat("x", engram.MaxPath+1)} }, engram.ErrTooLarge, "file_too_long"},
		{"year 1", func(m *engram.Memory) { m.OccurredAt = time.Time{}.Add(1) }, engram.ErrInvalid, "invalid_occurred_at"},
		{"year 10000", func(m *engram.Memory) { m.OccurredAt = time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC) }, engram.ErrInvalid, "invalid_occurred_at"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			m := &engram.Memory{Title: "T", Content: "C", Type: engram.TypeManual, Scope: engram.ScopeProject}
			tt.edit(m)
			err := m.Validate(100)
			if tt.kind == nil {
				if err != nil {
					t.Fatalf("Validate() = %v, want nil", err)
				}
				return
			}
			if !errors.Is(err, tt.kind) || engram.ErrorCode(err) != tt.code {
				t.Errorf("Validate() = %v (%s), want %v (%s)", err, engram.ErrorCode(err), tt.kind, tt.code)
			}
		})
	}
}

// TestTooLargeNamesBothSizes: whoever is refused learns how much is too much.
func TestTooLargeNamesBothSizes(t *testing.T) {
	t.Parallel()
	err := engram.CheckText("content", strings.Repeat("x", 1234), 1000)
	for _, want := range []string{"1234", "1000", "nothing was stored"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("CheckText() = %v, want it to say %q", err, want)
		}
	}
}

// What was short enough as it was given is not too long for the marks in it.
func TestRedactionMarksDoNotCount(t *testing.T) {
	t.Parallel()
	marks := strings.Repeat("[REDACTED][REDACTED:aws-key]", 10)
	for _, tc := range []struct {
		name string
		err  error
		ok   bool
	}{
		{"as long as may be", engram.CheckText("content", strings.Repeat("x", 100)+marks, 100), true},
		{"too long without them", engram.CheckText("content", strings.Repeat("x", 101)+marks, 100), false},
		{"no marks", engram.CheckText("content", strings.Repeat("[REDACTEDLY]", 10), 100), false},
		{"kinds have no spaces", engram.CheckText("content", strings.Repeat("[REDACTED: all of it]", 10), 100), false},
		{"not closed", engram.CheckText("content", strings.Repeat("[REDACTED", 12), 100), false},
		{"title", engram.CheckTitle(strings.Repeat("x", engram.MaxTitle) + marks), true},
		{"name", engram.CheckName("type", strings.Repeat("x", engram.MaxName)+marks), true},
		{"file", engram.CheckFiles([]string{strings.Repeat("x", engram.MaxPath) + marks}), true},
	} {
		if (tc.err == nil) != tc.ok {
			t.Errorf("%s: %v, want ok %v", tc.name, tc.err, tc.ok)
		}
	}
	if _, err := engram.NormalizeTopicKey(strings.Repeat("鍵", engram.MaxTopicKey) + "[REDACTED]"); err != nil {
		t.Errorf("topic key: %v", err)
	}
}
