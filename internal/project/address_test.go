package project

import (
	"strings"
	"testing"
)

func TestParseAddress(t *testing.T) {
	t.Parallel()
	const widget = "git.example.com/acme/widget"
	for _, c := range []struct{ remote, name, owner, full string }{
		{"https://git.example.com/acme/widget.git", "widget", "acme", widget},
		{"https://git.example.com:8443/Acme/Widget", "widget", "acme", widget},
		{"https://user:p@ss@git.example.com/acme/widget.git/", "widget", "acme", widget},
		{"https://user:pa/ss@git.example.com/acme/widget.git", "widget", "acme", widget},
		{"https://git.example.com/acme/widget.git?private_token=x#y", "widget", "acme", widget},
		{"git@git.example.com:acme/widget.git", "widget", "acme", widget},
		{"git.example.com:/acme/widget.git", "widget", "acme", widget},
		{"ssh://git@git.example.com:2222/~/acme/widget", "widget", "acme", widget},
		{"git+ssh://git@git.example.com/acme/widget", "widget", "acme", widget},
		{"git://[::1]:9418/widget.git", "widget", "", "[::1]/widget"},
		{"https://dev.azure.example/org/team/_git/widget", "widget", "team", "dev.azure.example/org/team/widget"},
		{"https://git.example.com/acme/my%20tool.git", "my tool", "acme", "git.example.com/acme/my tool"},
		{"codecommit::eu-west-1://widget", "widget", "", "codecommit/widget"},
		{"file:///srv/git/widget.git", "widget", "git", "/srv/git/widget"},
		{"/srv/git/widget/.git", "widget", "git", "/srv/git/widget"},
		{"../up/gadget.git", "gadget", "up", "/home/ada/up/gadget"},
		{"..", "ada", "home", "/home/ada"},
		{`C:\repos\Widget.git`, "widget", "repos", "/c:/repos/widget"},
		{"C:/repos/widget.git", "widget", "repos", "/c:/repos/widget"},
		{"https://git.example.com/", "", "", ""},
		{"", "", "", ""},
	} {
		a, ok := parseAddress(c.remote, "/home/ada/loom")
		if ok != (c.name != "") {
			t.Errorf("parseAddress(%q) = %+v, %v", c.remote, a, ok)
		}
		if ok && (a.name != c.name || a.owner != c.owner || a.full != c.full) {
			t.Errorf("parseAddress(%q) = %+v, want %q of %q at %q", c.remote, a, c.name, c.owner, c.full)
		}
	}
}

func TestParseRemotes(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, in, want string }{
		{"two URLs, the first counts", "[remote \"origin\"]\n\turl = a\n\turl = b\n\tpushurl = c", "origin=a"},
		{"order", "[remote \"z\"]\nurl=1\n[remote \"a\"]\nurl=2", "z=1 a=2"},
		{"case and the old form", "[REMOTE.origin]\n  URL = a", "origin=a"},
		{"comments and quotes", "# x\n[remote \"o\"] ; y\n url = \"a # b\" ; c", "o=a # b"},
		{"escapes and a long line", "[remote \"a\\\"b\"]\r\n url = x\\\\y\\\r\nz  \r\n", `a"b=x\yz`},
		{"on one line", "[remote \"o\"] url = a", "o=a"},
		{"other sections", "[branch \"main\"]\nremote = origin\nurl = no\n[url \"x\"]\ninsteadOf = y", ""},
		{"broken", "[remote \"o\nurl = a\n]]][\"", ""},
	} {
		var got []string
		for _, r := range parseRemotes(c.in) {
			got = append(got, r.name+"="+r.url)
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func FuzzGitConfig(f *testing.F) {
	f.Add(widgetConfig, "https://user:pw@git.example.com/acme/widget.git")
	f.Add("[remote \"x\\\"]\nurl = \"a\\\n# b", `C:\a\b.git`)
	f.Add("[core]\n\tx = y\\", " git@h:a b/ü.git ")
	f.Fuzz(func(t *testing.T, config, url string) {
		for _, r := range parseRemotes(config) {
			if r.name == "" || r.url == "" {
				t.Fatalf("a remote without name or URL: %+v", r)
			}
		}
		if a, ok := parseAddress(url, "/base"); ok && (a.name == "" || Normalize(a.name) != a.name || Normalize(a.full) != a.full) {
			t.Fatalf("parseAddress(%q) = %+v", url, a)
		}
		if url == "" || strings.ContainsAny(url, "\x00\r\n\t\b") {
			return
		}
		quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(url)
		got := parseRemotes("[remote \"o\"]\n\turl = \"" + quoted + "\" # x\n")
		if len(got) != 1 || got[0].url != url {
			t.Fatalf("%q came back as %+v", url, got)
		}
	})
}
