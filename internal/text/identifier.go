package text

import (
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// A unit is one thing that a token says: a word, an identifier as a whole, or a
// part of the identifier before it.
type unit struct {
	text string // as written, connectors left out where spellings differ in them
	kind WordKind
	part bool
	weak bool // the extension of a file, which says nothing alone
}

const (
	// maxPieces bounds what an identifier is taken apart into.
	maxPieces = 24
	// maxSplit is the length in bytes from which a word is a blob and stays whole.
	maxSplit = 64
)

// splitter takes word tokens apart. It holds what it found until the next token.
type splitter struct {
	units []unit
}

func (sp *splitter) add(text string, kind WordKind, part bool) {
	if text != "" {
		sp.units = append(sp.units, unit{text: text, kind: kind, part: part})
	}
}

// split gives the units of a token, valid until the next call.
func (sp *splitter) split(text string) []unit {
	sp.units = sp.units[:0]
	if local, domain, ok := strings.Cut(text, "@"); ok && isAddress(local, domain) {
		sp.add(text, Identifier, false)
		sp.segment(local, true)
		sp.segment(domain, true)
		return sp.units
	}
	for text != "" {
		i := strings.IndexAny(text, `/\@`)
		if i < 0 {
			sp.segment(text, false)
			break
		}
		sp.segment(text[:i], false)
		text = text[i+1:]
	}
	return sp.units
}

func isAddress(local, domain string) bool {
	return local != "" && strings.Contains(domain, ".") && !strings.ContainsAny(local+domain, `/\@`)
}

// segment splits what stands between the slashes of a path.
func (sp *splitter) segment(seg string, part bool) {
	switch {
	case seg == "":
		return
	case strings.HasSuffix(seg, "++"), strings.HasSuffix(seg, "#"):
		sp.add(seg, Identifier, part)
		return
	case seg[0] == '.':
		sp.add(seg, Identifier, part)
		sp.segment(seg[1:], true)
		return
	case isNumeric(seg):
		sp.number(seg, part)
		return
	}
	if i := strings.IndexAny(seg, "'’"); i >= 0 {
		sp.apostrophe(seg, part)
		return
	}
	sp.dotted(seg, part)
}

// isNumeric tells whether seg is digits with signs between, a v in front or not.
func isNumeric(seg string) bool {
	seg = trimV(seg)
	if seg == "" || !isDigitASCII(seg[0]) {
		return false
	}
	for i := range len(seg) {
		switch c := seg[i]; {
		case isDigitASCII(c), c == '.', c == ':', c == '-', c == ',':
		default:
			return false
		}
	}
	return true
}

// trimV takes the v from a version.
func trimV(seg string) string {
	if len(seg) > 3 && (seg[0] == 'v' || seg[0] == 'V') && isDigitASCII(seg[1]) && strings.Contains(seg, ".") {
		return seg[1:]
	}
	return seg
}

// number adds a number, version, date, time or address. Such things are whole:
// the parts of 1.2.3 are those of 1.2.4.
func (sp *splitter) number(seg string, part bool) {
	seg = trimV(seg)
	if strings.Contains(seg, ",") {
		if isGrouped(seg) {
			sp.add(strings.ReplaceAll(seg, ",", ""), Number, part)
			return
		}
		for piece := range strings.SplitSeq(seg, ",") {
			sp.number(piece, part)
		}
		return
	}
	sp.add(seg, Number, part)
	if host, _, ok := strings.Cut(seg, ":"); ok && strings.Contains(host, ".") {
		sp.add(host, Number, true)
	}
	if len(seg) == len("2006-01-02") && seg[4] == '-' && seg[7] == '-' {
		sp.add(seg[:7], Number, true)
		sp.add(seg[:4], Number, true)
		return
	}
	if strings.Contains(seg, "-") && !strings.Contains(seg, ".") {
		for piece := range strings.SplitSeq(seg, "-") {
			sp.add(piece, Number, true)
		}
	}
}

// isGrouped tells whether the commas of a number part its thousands.
func isGrouped(seg string) bool {
	groups := strings.Split(seg, ",")
	for i, g := range groups {
		if i == 0 && len(g) > 3 || i > 0 && len(g) != 3 {
			return false
		}
	}
	return true
}

// elided are the words that lose their vowel before another: l'archive.
var elided = map[string]bool{
	"l": true, "d": true, "j": true, "m": true, "t": true, "s": true, "n": true, "c": true, "qu": true, "jusqu": true,
	"lorsqu": true, "puisqu": true, "quoiqu": true, "dell": true, "nell": true, "all": true, "dall": true, "sull": true,
	"un": true, "quest": true, "quell": true, "gl": true, "ch": true, "v": true,
}

// clitics are what English and others leave of a word after an apostrophe.
var clitics = map[string]bool{"s": true, "t": true, "re": true, "ve": true, "ll": true, "d": true, "m": true}

func (sp *splitter) apostrophe(seg string, part bool) {
	pieces := strings.FieldsFunc(seg, func(r rune) bool { return r == '\'' || r == '’' })
	if len(pieces) == 2 {
		head, tail := strings.ToLower(pieces[0]), strings.ToLower(pieces[1])
		switch {
		case clitics[tail] && !elided[head] || tail == "t" && head == "can":
			if tail == "t" && len(head) > 2 && strings.HasSuffix(head, "n") && head != "can" {
				pieces[0] = pieces[0][:len(pieces[0])-1]
			}
			sp.dotted(pieces[0], part)
			return
		case elided[head]:
			sp.dotted(pieces[1], part)
			return
		case head == "aujourd":
			sp.add(pieces[0]+pieces[1], Plain, part)
			return
		}
	}
	sp.joined(pieces, part)
}

// joined adds pieces written as one, and each of them.
func (sp *splitter) joined(pieces []string, part bool) {
	if len(pieces) > 1 && len(pieces) <= maxPieces {
		sp.add(strings.Join(pieces, ""), Identifier, part)
		part = true
	}
	for _, p := range pieces {
		sp.hump(p, part)
	}
}

// dotted splits lease.go, node.js, os.Exit and versions with a suffix.
func (sp *splitter) dotted(seg string, part bool) {
	if !strings.Contains(seg, ".") {
		sp.compound(seg, part)
		return
	}
	pieces := strings.Split(trimV(seg), ".")
	if isAbbreviation(pieces) {
		sp.add(strings.Join(pieces, ""), Plain, part)
		return
	}
	if rest := trimV(seg); isNumeric(pieces[0]) {
		sp.add(rest, Identifier, part)
		if base, _, ok := strings.Cut(rest, "-"); ok && isNumeric(base) {
			sp.add(base, Number, true)
		}
		return
	}
	if len(pieces) <= maxPieces {
		sp.add(seg, Identifier, part)
		part = true
	}
	for i, p := range pieces {
		sp.compound(p, part)
		if i > 0 && i == len(pieces)-1 && extensions()[strings.ToLower(p)] {
			sp.units[len(sp.units)-1].weak = true
		}
	}
}

// extensions are the endings of file and host names.
var extensions = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for _, e := range strings.Fields(`go js jsx ts tsx mjs cjs py pyc ipynb rb rs java kt kts scala c h cc cpp hpp cs fs vb swift m mm php pl pm lua r jl
dart ex exs erl hs ml clj el vim sh bash zsh fish ps1 bat cmd sql html htm css scss sass less vue svelte xml json jsonl yaml yml toml ini cfg conf
env lock mod sum md mdx rst txt tex pdf doc docx xls xlsx ppt pptx odt csv tsv log png jpg jpeg gif svg webp ico mp3 mp4 wav mov zip tar gz tgz bz2
xz 7z jar war deb rpm exe dll so dylib bin iso img db sqlite bak tmp proto graphql tf gradle cmake mk com org net io dev app ai edu gov co uk eu
fr es it nl ru jp cn kr br ch at be se dk fi info biz me local`) {
		set[e] = true
	}
	return set
})

// isAbbreviation tells whether the pieces are the letters of U.S.A or e.g.
func isAbbreviation(pieces []string) bool {
	for _, p := range pieces {
		if r, size := utf8.DecodeRuneInString(p); size != len(p) || !unicode.IsLetter(r) {
			return false
		}
	}
	return true
}

// compound splits snake_case, kebab-case and camelCase. All spellings of a name
// give the same joined form and the same parts.
func (sp *splitter) compound(seg string, part bool) {
	if seg == "" {
		return
	}
	if len(seg) > maxSplit && !strings.ContainsAny(seg, "_-‐&:,") {
		sp.add(seg, kindOf(seg), part)
		return
	}
	var pieces []string
	for field := range strings.FieldsFuncSeq(seg, isCompoundSign) {
		pieces = appendHumps(pieces, field)
	}
	sp.joined(pieces, part)
}

func isCompoundSign(r rune) bool {
	switch r {
	case '_', '-', '‐', '&', ':', ',':
		return true
	}
	return false
}

func kindOf(s string) WordKind {
	digits, letters := false, false
	for _, r := range s {
		if unicode.IsLetter(r) {
			letters = true
		} else if unicode.IsNumber(r) {
			digits = true
		}
	}
	switch {
	case digits && letters:
		return Identifier
	case digits:
		return Number
	}
	return Plain
}

// appendHumps appends the words of a name in camel case. A run of capitals is one
// word (HTTPServer), with the s of its plural (URLs); a lone letter goes with the
// next (iPhone). A word of one case is appended as it is.
func appendHumps(pieces []string, s string) []string {
	if isAcronymPlural(s) {
		return append(pieces, s)
	}
	start := 0
	var prev, before rune // the letter before, and the one before that
	var prevAt int
	for i, r := range s {
		cut := -1
		switch {
		case unicode.IsUpper(r) && i > 0 && !unicode.IsUpper(prev):
			cut = i
		case unicode.IsLower(r) && unicode.IsUpper(prev) && unicode.IsUpper(before):
			cut = prevAt
		}
		if cut > start && utf8.RuneCountInString(s[start:cut]) > 1 {
			pieces = append(pieces, s[start:cut])
			start = cut
		}
		before, prev, prevAt = prev, r, i
	}
	return append(pieces, s[start:])
}

func isAcronymPlural(s string) bool {
	n := len(s)
	return n >= 3 && s[n-1] == 's' && strings.ToUpper(s[:n-1]) == s[:n-1]
}

// hump adds one word of a name. Digits stay with their letters, because E4012 is
// not E4013; what reads as a number and a unit, or a name and a number, is also
// given in two.
func (sp *splitter) hump(s string, part bool) {
	kind := kindOf(s)
	if kind != Identifier {
		sp.add(s, kind, part)
		return
	}
	sp.add(s, Identifier, part)
	if isHash(s) {
		sp.add(s[:shortHash], Identifier, true)
		return
	}
	i := strings.IndexFunc(s, unicode.IsLetter)
	if i == 0 {
		i = strings.IndexFunc(s, unicode.IsNumber)
	}
	head, tail := s[:i], s[i:]
	headKind, tailKind := kindOf(head), kindOf(tail)
	switch {
	case headKind == Number && tailKind == Plain && len(tail) <= 4:
		sp.add(head, Number, true)
		if !ordinalSuffix[strings.ToLower(tail)] {
			sp.add(tail, Plain, true)
		}
	case headKind == Plain && tailKind == Number && utf8.RuneCountInString(head) >= 3:
		sp.add(head, Plain, true)
		sp.add(tail, Number, true)
	}
}

var ordinalSuffix = map[string]bool{"st": true, "nd": true, "rd": true, "th": true, "er": true}

// shortHash is how much of a hash is enough to name it, as git shortens them.
const shortHash = 7

func isHash(s string) bool {
	if len(s) <= shortHash {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !isDigitASCII(c) && (c|0x20 < 'a' || c|0x20 > 'f') {
			return false
		}
	}
	return true
}
