package transfer_test

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"engram"
	"engram/internal/service/transfer"
)

// An export of a project that nothing is filed under fails, and names others like
// it: a file with nothing in it would be taken for a backup.
func TestExportOfUnknownProject(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	f.imp(t, `{"version":"0.1.0","sessions":[{"id":"s1","project":"harbour","directory":"","started_at":"2026-05-08 14:30:00"}],
		"observations":[{"id":1,"session_id":"s1","type":"note","title":"Ferry","content":"The ferry leaves at nine.","project":"harbour","scope":"project","created_at":"2026-05-08 14:30:00"},
			{"id":2,"session_id":"s1","type":"note","title":"Gone","content":"The old ferry.","project":"shipyard","scope":"project","created_at":"2026-05-08 14:30:00","deleted_at":"2026-05-09 14:30:00"}],
		"prompts":[]}`)
	for _, c := range []struct {
		projects   []string
		kind       error
		code, says string
	}{
		{[]string{"harbor"}, engram.ErrNotFound, "unknown_project", "similar projects: harbour"},
		{[]string{"harbour", "bakery"}, engram.ErrNotFound, "unknown_project", `"bakery"`},
		{[]string{" "}, engram.ErrInvalid, "invalid_project", "blank"},
		{[]string{"\x00"}, engram.ErrInvalid, "invalid_project", "blank"},
	} {
		var b bytes.Buffer
		err := f.Export(admin(t), &b, transfer.JSON, c.projects)
		if !errors.Is(err, c.kind) || engram.ErrorCode(err) != c.code || !strings.Contains(engram.ErrorMessage(err), c.says) || b.Len() > 0 {
			t.Errorf("Export(%q) wrote %d bytes, %v", c.projects, b.Len(), err)
		}
	}
	for project, title := range map[string]string{"Harbour": "Ferry", "shipyard": "Gone"} {
		if got := f.export(t, transfer.JSON, project); !strings.Contains(got, `"`+title+`"`) {
			t.Errorf("Export(%q) = %s", project, got)
		}
	}
}

// A version that is nothing is none, and is not quoted as one.
func TestImportOfEmptyVersion(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	for _, version := range []string{`""`, `" "`} {
		_, err := f.Import(admin(t), strings.NewReader(`{"version":`+version+`,"observations":[]}`), transfer.ImportOptions{})
		if err == nil || !strings.Contains(err.Error(), "it has no version") {
			t.Errorf("version %s: %v", version, err)
		}
	}
}
