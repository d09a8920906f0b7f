package text

import (
	"strings"
	"testing"
)

func TestTitleFrom(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"first line", "Tea, not coffee\nmore", "Tea, not coffee"},
		{"heading", "\n\n## Storage *split*\ntext", "Storage split"},
		{"quote, list and box", "> - [x] **Done**: it works", "Done: it works"},
		{"rule first", "---\n***\nAfter the rule", "After the rule"},
		{"code before text", "```go\nfunc main() {}\n```\nThe entry point", "The entry point"},
		{"only code", "```go\nfunc  main() {}\n```", "func main() {}"},
		{"link and picture", "![logo](a.png) See [the docs](https://x/y)", "logo See the docs"},
		{"names keep their lines", "__init__ and snake_case_name and *.go, a**b", "__init__ and snake_case_name and *.go, a**b"},
		{"code keeps its stars", "use `a_*_b*` _now_", "use a_*_b* now"},
		{"cut at a word", strings.Repeat("abcdefghi ", 12), strings.TrimSpace(strings.Repeat("abcdefghi ", 8)) + "…"},
		{"no words", " \n---\n🎉\n", ""},
		{"empty", "", ""},
	} {
		if got := TitleFrom(c.in); got != c.want {
			t.Errorf("%s: TitleFrom(%q) = %q, want %q", c.name, c.in, got, c.want)
		}
	}
}
