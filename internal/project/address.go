package project

import (
	"net/url"
	"path/filepath"
	"regexp"
	"strings"

	"engram"
)

// address is what a remote's URL says.
type address struct {
	name  string // last segment, normalised
	owner string // the one before it, normalised, may be empty
	// full is host and path in lower case: the same for every way to reach a
	// repository, and without credentials.
	full string
}

var (
	schemeURL = regexp.MustCompile(`^(?:[A-Za-z0-9]+::)?([A-Za-z][A-Za-z0-9+.-]*)://(.*)$`)
	scpURL    = regexp.MustCompile(`^(?:[^@/\\]*@)?(\[[0-9A-Fa-f:.]+\]|[^:/\\@]+):(.*)$`)
)

// parseAddress reads a remote's URL: scheme://host/path, host:path as scp has
// it, or a path, which is meant from base when it is relative.
func parseAddress(remote, base string) (address, bool) {
	remote = strings.TrimSpace(remote)
	host, path := "", remote
	if m := schemeURL.FindStringSubmatch(remote); m != nil {
		host, path = splitURL(strings.ToLower(m[1]), m[2])
	} else if m := scpURL.FindStringSubmatch(remote); m != nil && !windowsPath.MatchString(remote) && !drive(m[1]) {
		host, path = m[1], m[2]
	} else if !windowsPath.MatchString(remote) && !filepath.IsAbs(remote) && remote != "" {
		path = filepath.ToSlash(filepath.Join(base, filepath.FromSlash(remote)))
	}
	if path == "" && strings.HasPrefix(remote, "codecommit:") { // has no path, only a repository
		host, path = "codecommit", host
	}
	segments := pathSegments(path)
	if len(segments) == 0 {
		return address{}, false
	}
	n := len(segments) - 1
	a := address{name: Normalize(segments[n])}
	if n > 0 {
		a.owner = Normalize(segments[n-1])
	}
	a.full = Normalize(strings.ToLower(host) + "/" + strings.Join(segments, "/"))
	return a, a.name != "" && len(a.name) <= engram.MaxName
}

// drive reports whether host is the letter of a Windows drive.
func drive(host string) bool { return len(host) == 1 }

// splitURL is the host, without user and port, and the path of what stands
// behind a scheme.
func splitURL(scheme, rest string) (host, path string) {
	if scheme == "http" || scheme == "https" {
		rest, _, _ = strings.Cut(rest, "?")
		rest, _, _ = strings.Cut(rest, "#")
	}
	rest = rest[userEnd(rest):]
	host, path, _ = strings.Cut(rest, "/")
	if colon := strings.LastIndexByte(host, ':'); colon > strings.LastIndexByte(host, ']') {
		host = host[:colon]
	}
	if plain, err := url.PathUnescape(path); err == nil {
		path = plain
	}
	return host, path
}

// userEnd is the offset behind the user and password that rest begins with. A
// password may hold a slash that ought to have been escaped: what looks like a
// port then is none.
func userEnd(rest string) int {
	host, _, _ := strings.Cut(rest, "/")
	if at := strings.LastIndexByte(host, '@'); at >= 0 {
		return at + 1
	}
	_, port, ok := strings.Cut(host, ":")
	if ok && host[0] != '[' && strings.Trim(port, "0123456789") != "" {
		return strings.LastIndexByte(rest, '@') + 1
	}
	return 0
}

// pathSegments are the segments of a path without what only git has there: the
// .git of a name, the directory .git, the _git of Azure, the home of ssh.
func pathSegments(path string) []string {
	seps := "/"
	if windowsPath.MatchString(path) || strings.Contains(path, `\`) {
		seps = `/\`
	}
	var segments []string
	for s := range strings.FieldsFuncSeq(path, func(r rune) bool { return strings.ContainsRune(seps, r) }) {
		if s = strings.TrimSpace(s); s != "" && s != "." && s != ".." && s != "_git" && s != "~" {
			segments = append(segments, s)
		}
	}
	for n := len(segments) - 1; n >= 0; n-- {
		if segments[n] = strings.TrimSuffix(segments[n], ".git"); segments[n] != "" {
			break
		}
		segments = segments[:n]
	}
	return segments
}
