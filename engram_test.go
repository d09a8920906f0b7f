package engram_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"engram"
)

func TestErrorKindsAndCodes(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name    string
		err     error
		kind    error
		code    string
		message string
	}{
		{"own code", engram.Errorf(engram.ErrInvalid, "x is %d", 1).WithCode("bad_x"), engram.ErrInvalid, "bad_x", "x is 1"},
		{"code of the kind", engram.Errorf(engram.ErrNotFound, "gone"), engram.ErrNotFound, "not_found", "gone"},
		{"hint", engram.Errorf(engram.ErrConflict, "taken").WithHint("use %q", "y"), engram.ErrConflict, "conflict", `taken; use "y"`},
		{"wrapped", fmt.Errorf("while saving: %w", engram.Errorf(engram.ErrTooLarge, "big")), engram.ErrTooLarge, "too_large", "big"},
		{"fault", errors.New("disk on fire"), nil, "internal", "internal error"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			if tc.kind != nil && !errors.Is(tc.err, tc.kind) {
				t.Errorf("errors.Is(%v, %v) = false", tc.err, tc.kind)
			}
			if got := engram.ErrorCode(tc.err); got != tc.code {
				t.Errorf("ErrorCode = %q, want %q", got, tc.code)
			}
			if got := engram.ErrorMessage(tc.err); got != tc.message {
				t.Errorf("ErrorMessage = %q, want %q", got, tc.message)
			}
		})
	}
}

func TestUIDsSortByTimeAndDiffer(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 7, 2, 9, 15, 0, 0, time.UTC)
	a, b, c := engram.NewUID(at), engram.NewUID(at), engram.NewUID(at.Add(time.Millisecond))
	if len(a) != 26 || a == b {
		t.Errorf("uids %q and %q: want 26 characters each, different", a, b)
	}
	if a >= c || b >= c {
		t.Errorf("%q and %q should sort before the later %q", a, b, c)
	}
	if a[:10] != b[:10] {
		t.Errorf("%q and %q of one millisecond should share the first 10 characters", a, b)
	}
}

func TestContentHashIgnoresCaseAndSpace(t *testing.T) {
	t.Parallel()
	if engram.ContentHash("Use  WAL\nmode ") != engram.ContentHash("use wal mode") {
		t.Error("case or white space changed the hash")
	}
	long := strings.Repeat("a", 4000)
	if engram.ContentHash(long+"x") == engram.ContentHash(long+"y") {
		t.Error("the hash must be of the full text")
	}
}

func TestNormalizeTopicKey(t *testing.T) {
	t.Parallel()
	if got, err := engram.NormalizeTopicKey("  Architecture/Store  Layer "); err != nil || got != "architecture/store-layer" {
		t.Errorf("got %q, %v", got, err)
	}
	if got, err := engram.NormalizeTopicKey(strings.Repeat("鍵", engram.MaxTopicKey)); err != nil || len([]rune(got)) != engram.MaxTopicKey {
		t.Errorf("120 runes of any script are allowed: got %d runes, %v", len([]rune(got)), err)
	}
	if _, err := engram.NormalizeTopicKey(strings.Repeat("k", engram.MaxTopicKey+1)); !errors.Is(err, engram.ErrTooLarge) {
		t.Errorf("a longer key: got %v, want too large", err)
	}
}

func TestParseScope(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]engram.Scope{"": engram.ScopeProject, " Personal ": engram.ScopePersonal, "GLOBAL": engram.ScopeGlobal} {
		if got, err := engram.ParseScope(in); err != nil || got != want {
			t.Errorf("ParseScope(%q) = %q, %v, want %q", in, got, err, want)
		}
	}
	if _, err := engram.ParseScope("team"); !errors.Is(err, engram.ErrInvalid) {
		t.Errorf("ParseScope(team): got %v, want invalid", err)
	}
}

func TestTrustIsNeverMoreThanTheSource(t *testing.T) {
	t.Parallel()
	for o, want := range map[engram.Origin]engram.Trust{
		engram.OriginUser: 3, engram.OriginAgent: 2, engram.OriginTool: 2,
		engram.OriginImport: 1, engram.OriginDocument: 1, engram.OriginWeb: 0, engram.OriginDerived: 0, "unheard of": 0,
	} {
		if got := engram.TrustOf(o); got != want {
			t.Errorf("TrustOf(%q) = %d, want %d", o, got, want)
		}
	}
}

func TestActorTravelsInContext(t *testing.T) {
	t.Parallel()
	if a := engram.ActorFrom(context.Background()); a.Access != engram.AccessNone {
		t.Errorf("no actor: got access %d", a.Access)
	}
	want := engram.Actor{Name: "cli", Workspace: engram.DefaultWorkspace, Access: engram.AccessAdmin}
	if got := engram.ActorFrom(engram.WithActor(context.Background(), want)); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
