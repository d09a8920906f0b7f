package transfer_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"engram"
	"engram/internal/service/transfer"

	"github.com/google/go-cmp/cmp"
)

// TestImportOfNothing: an import of which nothing could be taken fails and says
// why; one of which something was, or is there already, does not.
func TestImportOfNothing(t *testing.T) {
	t.Parallel()
	const (
		good = `{"id":1,"session_id":"s","type":"t","title":"T","content":"C","scope":"project","created_at":"2026-01-01T00:00:00Z"}`
		bad  = `{"id":2,"session_id":"s","type":"t","title":"T","content":"","scope":"project","created_at":"2026-01-01T00:00:00Z"}`
	)
	f := newFixture(t)
	for _, dry := range []bool{true, false} {
		rep, err := f.Import(admin(t), strings.NewReader(`{"version":"0.1.0","observations":[`+bad+`]}`), transfer.ImportOptions{DryRun: dry})
		if !errors.Is(err, engram.ErrInvalid) || engram.ErrorCode(err) != "all_refused" || !strings.Contains(err.Error(), "observation 2: content is required") || len(rep.Refused) != 1 {
			t.Errorf("dry run %v: %+v, %v", dry, rep, err)
		}
	}
	for _, file := range []string{
		`{"version":"0.1.0","observations":[` + good + `,` + bad + `]}`,
		`{"version":"0.1.0","observations":[` + bad + `,` + good + `]}`, // there already
		`{"version":"0.1.0","observations":[]}`,
	} {
		if rep := f.imp(t, file); strings.Contains(file, bad) != (len(rep.Refused) == 1) {
			t.Errorf("import of %s gave %+v", file, rep)
		}
	}
}

// TestImportNamesUnknownFields, at the top and in items, of either form.
func TestImportNamesUnknownFields(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		file string
		want []string
	}{
		"wire": {
			`{"version":"0.1.0","memories":[],"observations":[
				{"id":1,"session_id":"s","type":"t","title":"T","content":"C","scope":"project","mood":"good","Type":"t"},
				{"id":2,"session_id":"s","type":"t","title":"T","content":"D","scope":"project","mood":"bad"}],"sessions":[{"id":"s","colour":1}]}`,
			[]string{
				`field "mood" of observations is not known, and was left out`,
				`field "colour" of sessions is not known, and was left out`,
				`field "memories" of the file is not known, and was left out`,
			},
		},
		"own": {
			`{"format":"engram","version":1,"memories":[{"uid":"u1","type":"t","title":"T","content":"C","kind":"observation","scope":"project","<private>x</private>":1}]}`,
			[]string{`field "[REDACTED]" of memories is not known, and was left out`},
		},
		"none": {`{"version":"0.1.0","exported_at":"","observations":[{"id":1,"content":"C","title":"T","speaker":"Ana"}]}`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rep := newFixture(t).imp(t, tt.file)
			if diff := cmp.Diff(tt.want, rep.Warnings); diff != "" {
				t.Errorf("warnings mismatch (-want +got):\n%s", diff)
			}
		})
	}
	many := `{"version":"0.1.0","observations":[{"content":"C","title":"T"`
	for i := range 500 {
		many += fmt.Sprintf(`,"f%d":1`, i)
	}
	if rep := newFixture(t).imp(t, many+"}]}"); len(rep.Warnings) != 21 || !strings.Contains(rep.Warnings[0], `"f0"`) {
		t.Errorf("%d warnings: %q", len(rep.Warnings), rep.Warnings)
	}
}

// TestImportRefusesWhatIsNotText: an item with bytes that are not UTF-8 is
// named, with the place, and not stored with other ones.
func TestImportRefusesWhatIsNotText(t *testing.T) {
	t.Parallel()
	rep := newFixture(t).imp(t, "{\"version\":\"0.1.0\",\"observations\":[{\"title\":\"caf\xe9\",\"content\":\"C\"},{\"title\":\"T\",\"content\":\"C\"}]}")
	want := []transfer.Refusal{{Item: "observation at place 1", Reason: "it is not text in UTF-8, at byte 13 of it"}}
	if diff := cmp.Diff(want, rep.Refused); diff != "" || rep.Memories != 1 {
		t.Errorf("%d memories; refused mismatch (-want +got):\n%s", rep.Memories, diff)
	}
}

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
	rep, err := f.Import(admin(t), strings.NewReader(file), transfer.ImportOptions{})
	if len(rep.Refused) < 4 || !errors.Is(err, engram.ErrInvalid) {
		t.Fatalf("import gave %+v, %v", rep, err)
	}
	if s := fmt.Sprint(rep.Refused, err); strings.Contains(s, "hush") || len(s) > 3000 {
		t.Errorf("the report has %d bytes: %.1000s", len(s), s)
	}
}
