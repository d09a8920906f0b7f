package engram

import (
	"strings"
	"time"
)

// Limits on lists and paths of a memory.
const (
	MaxFiles = 1000 // files of one memory
	MaxPath  = 4096 // bytes of a file or a directory
)

// Years whose times can be kept. The zero time, at the beginning of the year 1,
// means "not set".
const (
	MinYear = 2
	MaxYear = 9999
)

// Keepable reports whether t is a time that can be kept.
func Keepable(t time.Time) bool {
	y := t.UTC().Year()
	return y >= MinYear && y <= MaxYear
}

// Validate is nil when m keeps the rules that hold for every memory, however
// it comes in; maxContent is the limit in bytes, a setting. Nothing is cut to
// fit: what is too long is [ErrTooLarge]. Marks of what was taken out,
// [REDACTED] and [REDACTED:kind], do not count: a text that was short enough as
// it was given stays so, here and where an export of it is read.
func (m *Memory) Validate(maxContent int) error {
	if err := CheckText("content", m.Content, maxContent); err != nil {
		return err
	}
	if err := CheckTitle(m.Title); err != nil {
		return err
	}
	if err := CheckType(m.Type); err != nil {
		return err
	}
	for _, n := range []struct{ what, value string }{
		{"project", m.Project},
		// The manual session of a project has a longer name than the project.
		{"session_id", strings.TrimPrefix(m.Session, ManualSession("")+"-")},
		{"speaker", m.Speaker},
		{"role", m.Role},
		{"tool_name", m.ToolName},
		{"status", m.Status},
	} {
		if err := CheckName(n.what, n.value); err != nil {
			return err
		}
	}
	if _, err := ParseScope(string(m.Scope)); err != nil {
		return err
	}
	if err := CheckImportance(m.Importance); err != nil {
		return err
	}
	if err := CheckFiles(m.Files); err != nil {
		return err
	}
	return checkTime("occurred_at", m.OccurredAt)
}

// over reports whether s has more than limit bytes without the marks of what was
// taken out of it.
func over(s string, limit int) bool {
	return len(s) > limit && len(s)-redactions(s) > limit
}

// redactions is how many bytes of s are marks of what was taken out, in any case
// of letters: topic keys are kept in lower case.
func redactions(s string) (n int) {
	const mark = "[redacted"
	for i := 0; i+len(mark) < len(s); i++ {
		if s[i] != '[' || !strings.EqualFold(s[i:i+len(mark)], mark) {
			continue
		}
		end := i + len(mark)
		if s[end] == ':' {
			for end++; end < len(s) && isKindByte(s[end]); end++ {
			}
		}
		if end < len(s) && s[end] == ']' {
			n += end + 1 - i
			i = end
		}
	}
	return n
}

func isKindByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-'
}

// CheckText is nil when a content, a prompt or a summary has something in it
// and is at most limit bytes long.
func CheckText(what, s string, limit int) error {
	if strings.TrimSpace(s) == "" {
		return Errorf(ErrInvalid, "%s is required", what).WithCode(what + "_required")
	}
	if over(s, limit) {
		return Errorf(ErrTooLarge, "%s has %d bytes, at most %d are kept; nothing was stored", what, len(s), limit).
			WithCode(what + "_too_large").WithHint("split it into several, or raise max_content in the settings")
	}
	return nil
}

// CheckTitle is nil when a title has something in it and is short enough.
func CheckTitle(s string) error {
	if strings.TrimSpace(s) == "" {
		return Errorf(ErrInvalid, "title is required").WithCode("title_required")
	}
	if over(s, MaxTitle) {
		return tooLong("title", len(s), MaxTitle).WithHint("put the details into content")
	}
	return nil
}

// CheckType is nil when a type is named and short enough.
func CheckType(s string) error {
	if strings.TrimSpace(s) == "" {
		return Errorf(ErrInvalid, "type is required").WithCode("type_required").
			WithHint("leave it out for %s", TypeManual)
	}
	return CheckName("type", s)
}

// CheckName is nil when a project, type, speaker, role, tool or session id is
// short enough.
func CheckName(what, s string) error {
	if over(s, MaxName) {
		return tooLong(what, len(s), MaxName)
	}
	return nil
}

// CheckImportance is nil for 0 … 1.
func CheckImportance(v float64) error {
	if !(v >= 0 && v <= 1) { // so that NaN fails too
		return Errorf(ErrInvalid, "importance %v is not between 0 and 1", v).WithCode("invalid_importance")
	}
	return nil
}

// CheckFiles is nil when files are few and short enough.
func CheckFiles(files []string) error {
	if len(files) > MaxFiles {
		return Errorf(ErrTooLarge, "%d files are named, at most %d are kept", len(files), MaxFiles).
			WithCode("too_many_files")
	}
	for _, f := range files {
		if over(f, MaxPath) {
			return tooLong("file", len(f), MaxPath)
		}
	}
	return nil
}

// checkTime is nil for times that can be kept, and for the zero time.
func checkTime(what string, t time.Time) error {
	if t.IsZero() || Keepable(t) {
		return nil
	}
	return Errorf(ErrInvalid, "%s is in the year %d", what, t.UTC().Year()).WithCode("invalid_"+what).
		WithHint("years %d to %d can be kept", MinYear, MaxYear)
}

func tooLong(what string, n, limit int) *Error {
	return Errorf(ErrTooLarge, "%s has %d bytes, at most %d are kept", what, n, limit).
		WithCode(what + "_too_long")
}
