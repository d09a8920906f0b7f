package transfer_test

import (
	"fmt"
	"strings"
	"testing"
)

// TestImportRefusalsRepeatNothingPrivate: a report names the items that were
// not taken, without what is private in them.
func TestImportRefusalsRepeatNothingPrivate(t *testing.T) {
	t.Parallel()
	const private = "<private>hush</private>"
	file := `{"version":"0.1.0","exported_at":"2026-01-01T00:00:00Z","sessions":[{"id":"` + private + `","project":"p","started_at":"` + private + `"}],` +
		`"observations":[` +
		`{"id":1,"session_id":"s","type":"t","title":"T","content":"C","project":"p","scope":"` + private + `","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"},` +
		`{"id":"` + private + `","session_id":"s","type":"t","title":"T","content":"C","project":"p","scope":"project","created_at":"` + private + `"},` +
		`{"id":3,"session_id":"s","type":"t","title":"T","content":"C","scope":"` + strings.Repeat("long ", 1000) + `","created_at":"2026-01-01T00:00:00Z"}],` +
		`"prompts":[{"id":1,"session_id":"s","content":"C","project":"p","created_at":"` + private + `"}]}`
	f := newFixture(t)
	rep := f.imp(t, file)
	if len(rep.Refused) < 4 {
		t.Fatalf("import gave %+v", rep)
	}
	if s := fmt.Sprint(rep.Refused); strings.Contains(s, "hush") || len(s) > 3000 {
		t.Errorf("the report has %d bytes: %.1000s", len(s), s)
	}
}
