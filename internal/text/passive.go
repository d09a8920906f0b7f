package text

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// minLearning is the least number of characters of an item worth keeping.
const minLearning = 20

// learningHeadings are the titles, in lower case and without a colon, under
// which an agent lists what it learned.
var learningHeadings = map[string]bool{
	"key learnings": true, "key learning": true, "learnings": true, "learning": true,
	"key takeaways": true, "takeaways": true, "lessons learned": true, "key lessons": true,
	"aprendizajes": true, "aprendizajes clave": true, "aprendizaje": true, "aprendizaje clave": true,
	"lecciones aprendidas": true,
	"aprendizados":         true, "aprendizados chave": true, "principais aprendizados": true, "lições aprendidas": true,
	"apprentissages": true, "apprentissages clés": true, "enseignements": true, "leçons apprises": true,
	"erkenntnisse": true, "wichtige erkenntnisse": true, "gelerntes": true, "wichtigste erkenntnisse": true,
	"apprendimenti": true, "apprendimenti chiave": true, "lezioni apprese": true,
	"学び": true, "主な学び": true, "学んだこと": true, "経験から学んだこと": true,
	"关键学习": true, "学习要点": true, "经验教训": true, "学到的东西": true, "關鍵學習": true, "經驗教訓": true,
	"배운 점": true, "주요 학습": true,
}

var (
	headingLine  = regexp.MustCompile(`^ {0,3}(#{1,6})[ \t]+(.*?)[ \t]*#*[ \t]*$`)
	numberedLine = regexp.MustCompile(`^([ \t]*)[0-9]{1,4}[.)][ \t]+(.*)$`)
	bulletLine   = regexp.MustCompile(`^([ \t]*)[-*+•][ \t]+(.*)$`)
)

// Learnings are the items under the last learnings heading of s that has any:
// the numbered ones, else the bullets, as plain text with their continuation
// lines, of at least 20 characters. Private text is stripped before anything
// is cut.
func Learnings(s string) []string {
	s, _ = StripPrivate(s)
	sections := learningSections(s)
	for i := len(sections) - 1; i >= 0; i-- {
		items := listItems(sections[i], numberedLine)
		if len(items) == 0 {
			items = listItems(sections[i], bulletLine)
		}
		if len(items) > 0 {
			return items
		}
	}
	return nil
}

// learningSections are the lines under each learnings heading of s, up to the
// next heading of level 1 to 3, without code blocks.
func learningSections(s string) [][]string {
	var sections [][]string
	inside, fence := false, ""
	for line := range strings.Lines(s) {
		line = strings.TrimRight(line, "\r\n")
		if fence = nextFence(fence, line); fence != "" || isFence(line) {
			continue
		}
		if m := headingLine.FindStringSubmatch(line); m != nil && len(m[1]) <= 3 {
			inside = len(m[1]) >= 2 && isLearningHeading(m[2])
			if inside {
				sections = append(sections, nil)
			}
			continue
		}
		if inside {
			last := len(sections) - 1
			sections[last] = append(sections[last], line)
		}
	}
	return sections
}

func isLearningHeading(title string) bool {
	title = strings.Trim(plainLine(title), ":： \t")
	// A pictograph before or behind the words is decoration.
	title = strings.TrimFunc(title, func(r rune) bool { return !isWordRune(r) })
	return learningHeadings[norm.NFC.String(strings.ToLower(title))]
}

// listItems are the texts of the list items that marker finds in lines. An
// indented line below an item belongs to it.
func listItems(lines []string, marker *regexp.Regexp) []string {
	var raw []string
	open := false
	for _, line := range lines {
		switch m := marker.FindStringSubmatch(line); {
		case m != nil:
			raw = append(raw, m[2])
			open = true
		case strings.TrimSpace(line) == "":
			// A loose list has blank lines between the parts of an item.
		case open && (line[0] == ' ' || line[0] == '\t'):
			rest := strings.TrimSpace(line)
			if b := bulletLine.FindStringSubmatch(line); b != nil {
				rest = b[2]
			}
			raw[len(raw)-1] += " " + rest
		default:
			open = false
		}
	}
	var items []string
	for _, item := range raw {
		if item = plainLine(item); utf8.RuneCountInString(item) >= minLearning {
			items = append(items, item)
		}
	}
	return items
}

// isFence reports whether line opens or closes a block of code.
func isFence(line string) bool {
	line = strings.TrimLeft(line, " ")
	return strings.HasPrefix(line, "```") || strings.HasPrefix(line, "~~~")
}

// nextFence is the marker of the code block that is open after line, "" for
// none, when open was open before it.
func nextFence(open, line string) string {
	if !isFence(line) {
		return open
	}
	mark := strings.TrimLeft(line, " ")[:3]
	switch {
	case open == "":
		return mark
	case open == mark && strings.Trim(line, " \t"+mark[:1]) == "":
		return ""
	}
	return open
}
