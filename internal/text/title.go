package text

import "strings"

// Title is the title that a memory is kept under: the given one, else
// [TitleFrom] of its content, else the content's beginning, for one without a
// line of words. It is "" only when both are blank.
func Title(given, content string) string {
	if given = strings.TrimSpace(given); given != "" {
		return given
	}
	if title := TitleFrom(content); title != "" {
		return title
	}
	beginning, _ := Snippet(strings.Join(strings.Fields(content), " "), 60)
	return beginning
}

// TitleOf reports whether title is the one that [Title] makes of content.
func TitleOf(title, content string) bool {
	// But for the marks of Markdown, the first word of what is made of a content
	// stands there as it is. Most titles that somebody gave need no more than that.
	word := title[max(0, strings.IndexFunc(title, isWordRune)):]
	if end := strings.IndexFunc(word, notInWord); end >= 0 {
		word = word[:end]
	}
	if !strings.Contains(content, word) && !strings.ContainsAny(content, "`*_~[") {
		return false
	}
	return title == Title("", content)
}
