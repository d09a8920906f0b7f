package transfer_test

import (
	"fmt"
	"strings"
	"testing"

	"engram"
	"engram/internal/service/transfer"
)

// TestImportCapsTrust: a file gives no text more trust than its origin has, and
// says so; what an export writes is taken as it is.
func TestImportCapsTrust(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		fields string
		origin engram.Origin
		trust  engram.Trust
		warns  bool
	}{
		{`"origin":"user","trust":3`, engram.OriginUser, 3, false},
		{`"origin":"agent","trust":2`, engram.OriginAgent, 2, false},
		{`"origin":"user","trust":1`, engram.OriginUser, 1, false},
		{`"origin":"derived","trust":2`, engram.OriginDerived, 2, false},
		{`"origin":"agent","trust":3`, engram.OriginAgent, 2, true},
		{`"origin":"web","trust":3`, engram.OriginWeb, 0, true},
		{`"trust":3`, engram.OriginImport, 1, false},
		{`"origin":""`, engram.OriginImport, 1, false},
	} {
		t.Run(tt.fields, func(t *testing.T) {
			t.Parallel()
			f := newFixture(t)
			text := func(n int) string {
				return fmt.Sprintf(`"version":%d,"type":"t","title":"T%d","content":"C%d","kind":"observation","scope":"project","created_at":"2026-01-01T00:00:00Z",%s`, n, n, n, tt.fields)
			}
			file := `{"format":"engram","version":1,"memories":[{"uid":"u1",` + text(2) + `,"versions":[{` + text(1) + `}]}]}`
			dry, err := f.Import(admin(t), strings.NewReader(file), transfer.ImportOptions{DryRun: true})
			if err != nil {
				t.Fatal(err)
			}
			for _, rep := range []transfer.Report{dry, f.imp(t, file)} {
				if rep.Memories != 1 || (len(rep.Warnings) == 1 && strings.Contains(rep.Warnings[0], "trust") && strings.HasSuffix(rep.Warnings[0], ": 2")) != tt.warns {
					t.Errorf("report = %+v", rep)
				}
			}
			all := f.all(t)
			for _, m := range append(all.Memories, all.Versions...) {
				if m.Origin != tt.origin || m.Trust != tt.trust {
					t.Errorf("%s has origin %s, trust %d, want %s, %d", m.Title, m.Origin, m.Trust, tt.origin, tt.trust)
				}
			}
			if len(all.Versions) == 0 {
				t.Error("the older version is missing")
			}
		})
	}
}
