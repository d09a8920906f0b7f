package text

import (
	"cmp"
	"strings"
)

// Title is the title that a memory is kept under: the given one, else
// [TitleFrom] of its content, else the content's beginning, for one without a
// line of words. It is "" only when both are blank.
func Title(given, content string) string {
	if given = strings.TrimSpace(given); given != "" {
		return given
	}
	beginning, _ := Snippet(strings.Join(strings.Fields(content), " "), 60)
	return cmp.Or(TitleFrom(content), beginning)
}
