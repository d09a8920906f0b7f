package transfer

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"engram"
)

// FuzzSurvey: whatever a file holds, it is either understood or refused with a
// reason, and what is understood is JSON.
func FuzzSurvey(f *testing.F) {
	files, err := filepath.Glob(filepath.Join("testdata", "engram-export", "*.json"))
	if err != nil || len(files) == 0 {
		f.Fatal("no seeds", err)
	}
	for _, name := range files {
		b, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
	}
	f.Add(`{"format":"engram","version":1,"memories":[{"uid":"u","content":"C"}],"supports":[["u","u"]],"aliases":{"a":"b"}}`)
	f.Add("\uFEFF{\"version\":\"0.1.0\",\"observations\":null}")
	f.Fuzz(func(t *testing.T, in string) {
		o, err := survey(strings.NewReader(in))
		if err == nil {
			if !json.Valid([]byte(strings.TrimPrefix(in, "\uFEFF"))) {
				t.Errorf("%q is no JSON and was taken as version %s", in, o.version)
			}
			return
		}
		if _, ok := errors.AsType[*engram.Error](err); !ok {
			t.Errorf("survey(%q): a fault: %v", in, err)
		}
	})
}

func TestIsULID(t *testing.T) {
	t.Parallel()
	for uid, want := range map[string]bool{
		engram.NewUID(testTime):              true,
		"obs-00000000000000a1":               false,
		"01jd0000000000000000000000":         true,
		"01JD0000000000000000000000":         false,
		"01jd000000000000000000000":          false,
		"import-0123456789abcdef0123456789a": false,
	} {
		if got := isULID(uid); got != want {
			t.Errorf("isULID(%q) = %v, want %v", uid, got, want)
		}
	}
}

func TestParseTime(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"2026-01-10 08:00:00":               "2026-01-10T08:00:00Z",
		" 2026-01-10T08:00:00.1234567Z ":    "2026-01-10T08:00:00.123457Z",
		"2026-01-10T08:00:00.5+02:00":       "2026-01-10T06:00:00.5Z",
		"2026-01-10T08:00:00":               "2026-01-10T08:00:00Z",
		"2026-01-10 08:00:00.25":            "2026-01-10T08:00:00.25Z",
		"2026-01-10 08:00:00+00:00":         "2026-01-10T08:00:00Z",
		"2026-01-10":                        "2026-01-10T00:00:00Z",
		"":                                  "",
		"yesterday":                         "error",
		"2026-13-10 08:00:00":               "error",
		"1767945600":                        "error",
		"0000-01-01 00:00:00":               "error",
		"9999-12-31T23:59:59-10:00":         "error",
		"2026-01-10 08:00:00 and then some": "error",
	} {
		got, err := parseTime("created_at", in)
		if s := formatExact(got); (err != nil) != (want == "error") || (err == nil && s != want) {
			t.Errorf("parseTime(%q) = %q, %v; want %q", in, s, err, want)
		}
	}
}

var testTime = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
