package project

import (
	"errors"
	"io/fs"
	"strings"
)

// gitRemote is a remote as a git config names it.
type gitRemote struct{ name, url string }

// readRemotes reads the remotes of a git config file; no file has none.
func readRemotes(path string) ([]gitRemote, error) {
	data, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return parseRemotes(string(data)), nil
}

// parseRemotes is the remotes of a git config in the order in which they stand,
// each with its first URL. What is not understood is passed over, as a config
// may be of a newer git. Included files are not read.
func parseRemotes(config string) []gitRemote {
	var remotes []gitRemote
	remote, inside := "", false
	p := configParser{s: strings.TrimPrefix(config, "\uFEFF")}
	for {
		switch kind, key, value := p.next(); {
		case kind == configEnd:
			return remotes
		case kind == configSection:
			remote, inside = value, key == "remote" && value != ""
		case inside && key == "url" && value != "" && !hasRemote(remotes, remote):
			remotes = append(remotes, gitRemote{remote, value})
		}
	}
}

func hasRemote(remotes []gitRemote, name string) bool {
	for _, r := range remotes {
		if r.name == name {
			return true
		}
	}
	return false
}

// chooseRemote is the address of origin, else of the first remote that gives a
// name.
func chooseRemote(remotes []gitRemote, base string) (address, bool) {
	for _, r := range remotes {
		if r.name == "origin" {
			if a, ok := parseAddress(r.url, base); ok {
				return a, true
			}
		}
	}
	for _, r := range remotes {
		if a, ok := parseAddress(r.url, base); ok {
			return a, true
		}
	}
	return address{}, false
}

type configKind int

const (
	configEnd     configKind = iota
	configSection            // key is the section in lower case, value the subsection
	configKey                // key in lower case, value
)

// configParser reads git's config format: sections with subsections, quoted and
// continued values, comments.
type configParser struct {
	s string
	i int
}

func (p *configParser) next() (kind configKind, key, value string) {
	for p.i < len(p.s) {
		switch c := p.s[p.i]; {
		case c == '#' || c == ';':
			p.skipLine()
		case c == '[':
			p.i++
			section, sub := p.section()
			return configSection, section, sub
		case isNameByte(c):
			name := strings.ToLower(p.name())
			p.skipBlanks()
			if p.i < len(p.s) && p.s[p.i] == '=' {
				p.i++
				return configKey, name, p.value()
			}
			return configKey, name, ""
		default:
			p.i++
		}
	}
	return configEnd, "", ""
}

// section reads a header behind its bracket: [remote "origin"], or the older
// [remote.origin].
func (p *configParser) section() (section, sub string) {
	section = strings.ToLower(p.name())
	p.skipBlanks()
	if p.i < len(p.s) && p.s[p.i] == '"' {
		p.i++
		var b strings.Builder
		for p.i < len(p.s) && p.s[p.i] != '"' && p.s[p.i] != '\n' {
			if p.s[p.i] == '\\' && p.i+1 < len(p.s) {
				p.i++
			}
			b.WriteByte(p.s[p.i])
			p.i++
		}
		sub = b.String()
	} else {
		section, sub, _ = strings.Cut(section, ".")
	}
	for p.i < len(p.s) && p.s[p.i] != ']' && p.s[p.i] != '\n' {
		p.i++
	}
	if p.i == len(p.s) || p.s[p.i] == '\n' {
		return "", "" // not finished
	}
	p.i++
	return section, sub
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '.'
}

func (p *configParser) name() string {
	start := p.i
	for p.i < len(p.s) && isNameByte(p.s[p.i]) {
		p.i++
	}
	return p.s[start:p.i]
}

func (p *configParser) skipBlanks() {
	for p.i < len(p.s) && (p.s[p.i] == ' ' || p.s[p.i] == '\t') {
		p.i++
	}
}

func (p *configParser) skipLine() {
	for p.i < len(p.s) && p.s[p.i] != '\n' {
		p.i++
	}
}

// value reads up to the end of the line: without the white space around it and
// a comment behind it, unless they are quoted.
func (p *configParser) value() string {
	p.skipBlanks()
	var b strings.Builder
	quoted, end := false, 0 // end: behind the last byte that is not white space
	for ; p.i < len(p.s); p.i++ {
		c := p.s[p.i]
		switch {
		case c == '\n':
			return b.String()[:end]
		case c == '"':
			quoted = !quoted
			end = b.Len()
			continue
		case c == '\\' && p.i+1 < len(p.s):
			p.i++
			if p.skipLineBreak() {
				continue
			}
			c = unescape(p.s[p.i])
			b.WriteByte(c)
			end = b.Len()
			continue
		case !quoted && (c == '#' || c == ';'):
			p.skipLine()
			return b.String()[:end]
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' && c != '\r' {
			end = b.Len()
		}
	}
	return b.String()[:end]
}

// skipLineBreak moves to the last byte of a line break at the parser's place.
func (p *configParser) skipLineBreak() bool {
	if strings.HasPrefix(p.s[p.i:], "\r\n") {
		p.i++
	}
	return p.s[p.i] == '\n'
}

func unescape(c byte) byte {
	switch c {
	case 'n':
		return '\n'
	case 't':
		return '\t'
	case 'b':
		return '\b'
	}
	return c
}
