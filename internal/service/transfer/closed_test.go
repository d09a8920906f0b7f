package transfer_test

import (
	"strings"
	"testing"

	"engram"
	"engram/internal/service/transfer"
)

// TestImportOfClosedSets: a field that takes certain values only takes no other,
// in a memory or in a version of it, and says nothing of what it was.
func TestImportOfClosedSets(t *testing.T) {
	t.Parallel()
	const text = `"type":"t","title":"T","content":"C"`
	for field, reason := range map[string]string{
		`"origin":"zorblatt"`:                              "its origin is not known",
		`"origin":"<private>zorblatt</private>"`:           "its origin is not known",
		`"kind":"zorblatt"`:                                "its kind is not known",
		`"scope":"zorblatt"`:                               "the scope is not known",
		`"trust":4`:                                        "its trust 4",
		`"trust":-1`:                                       "its trust -1",
		`"importance":1.5`:                                 "importance 1.5",
		`"occurred_at":"0001-01-01T00:00:00Z"`:             "years 2 to 9999 can be kept",
		`"occurred_at":"0001-01-01T00:00:00.0000001Z"`:     "years 2 to 9999 can be kept",
		`"occurred_at":"0001-06-01T00:00:00Z"`:             "years 2 to 9999 can be kept",
		`"role":"` + strings.Repeat("r", 501) + `"`:        "role has 501 bytes",
		`"status":"` + strings.Repeat("s", 501) + `"`:      "status has 501 bytes",
		`"session_id":"s","speaker":"a","role":{"is":"b"}`: "role must not be a object",
	} {
		f := newFixture(t)
		rep := f.imp(t, `{"format":"engram","version":1,"memories":[{"uid":"good",`+text+`},
			{"uid":"bad",`+field+`,`+text+`},
			{"uid":"old",`+text+`,"version":2,"versions":[{"version":1,"origin":"user",`+text+`},{"version":1,`+field+`,`+text+`}]}]}`)
		if rep.Memories == 3 || len(rep.Refused) == 0 {
			t.Errorf("%s: %+v", field, rep)
		}
		for _, r := range rep.Refused {
			if !strings.Contains(r.Reason, reason) || strings.Contains(r.Reason, "zorblatt") {
				t.Errorf("%s: refused %q for %q, want %q", field, r.Item, r.Reason, reason)
			}
		}
		if out := f.export(t, transfer.JSON); strings.Contains(out, "zorblatt") || strings.Contains(out, `"bad"`) {
			t.Errorf("%s: stored\n%s", field, out)
		}
	}
	f := newFixture(t)
	rep := f.imp(t, `{"format":"engram","version":1,"memories":[],"sessions":[{"id":"s","status":"<private>zorblatt</private>"},{"id":"t","status":"ended"}]}`)
	if len(rep.Refused) != 1 || !strings.Contains(rep.Refused[0].Reason, "its status is not known") {
		t.Errorf("a session: %+v", rep)
	}
	for _, o := range []engram.Origin{"user", "agent", "tool", "web", "document", "import", "derived", ""} {
		if rep := f.imp(t, `{"format":"engram","version":1,"memories":[{"uid":"o`+string(o)+`","origin":"`+string(o)+`",`+text+`}]}`); rep.Memories != 1 {
			t.Errorf("origin %q: %+v", o, rep)
		}
	}
}

func TestImportOfTheZeroTime(t *testing.T) {
	t.Parallel()
	f := newFixture(t)
	rep := f.imp(t, `{"version":"0.1.0","observations":[
		{"id":1,"session_id":"s","type":"t","title":"T","content":"C","scope":"project","occurred_at":"0001-01-01T00:00:00Z"},
		{"id":2,"session_id":"s","type":"t","title":"T","content":"D","scope":"project","occurred_at":"0002-01-01T00:00:00Z"},
		{"id":3,"session_id":"s","type":"t","title":"T","content":"E","scope":"project","occurred_at":null}]}`)
	if rep.Memories != 2 || len(rep.Refused) != 1 || rep.Refused[0].Item != "observation 1" || !strings.Contains(rep.Refused[0].Reason, "years 2 to 9999") {
		t.Errorf("%+v", rep)
	}
}
