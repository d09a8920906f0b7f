package embed

// name follows the characters of a word and finds the parts of a name in it. The
// vocabulary has no capitals to do that with.
type name struct {
	cuts   [maxWord]uint16 // where parts begin
	n      int             // of the cuts
	from   int             // characters since the last cut
	turns  int             // how often digits followed something else, or the reverse
	runCut bool            // the last cut ended a run of capitals

	number  bool // the part begins with a digit
	letterV bool // the part begins with a v

	prev, before class // of the last character and the one before it
	prevAt       int   // where the last character is
}

func (p *name) reset() {
	p.n, p.from, p.turns, p.runCut = 0, 0, 0, false
}

// next takes the next character, its class and the byte at which it is. A part
// begins at a capital after another letter (userName), at the last of several
// capitals (HTTPServer), at the digits after a word or a v (sha256, v1) and at
// the letters after a number (40ms). A letter alone goes with what follows
// (iPhone), and digits with one or two letters before them (p53, E4012).
func (p *name) next(r rune, c class, at int) {
	if p.from > 0 {
		turn := (c == digitClass) != (p.prev == digitClass)
		if turn {
			p.turns++
		}
		switch {
		case turn && p.number, turn && !p.number && c == digitClass && (p.from >= 3 || p.from == 1 && p.letterV):
			p.cut(at, 0)
		case p.from == 1, turn, p.number:
		case c == capitalClass && p.prev != capitalClass:
			p.cut(at, 0)
		case c == letterClass && p.prev == capitalClass && p.before == capitalClass && p.from > 2:
			p.cut(p.prevAt, 1)
			p.runCut = true
		}
	}
	if p.from == 0 {
		p.number, p.letterV = c == digitClass, r|0x20 == 'v'
	}
	p.from++
	p.before, p.prev, p.prevAt = p.prev, c, at
}

// cut begins a part that has so many characters already.
func (p *name) cut(at, chars int) {
	p.cuts[p.n] = uint16(at)
	p.n++
	p.from, p.runCut = chars, false
}

// parts gives where the parts of the word begin, but for the first. The s of a
// plural does not end a run of capitals: URLs.
func (p *name) parts(word []byte) []uint16 {
	if p.runCut && int(p.cuts[p.n-1]) == len(word)-2 && word[len(word)-1] == 's' {
		return p.cuts[:p.n-1]
	}
	return p.cuts[:p.n]
}

const (
	// shortHash is the least length of a hash, as git shortens them.
	shortHash = 7
	// maxTurns is how often letters and digits take turns in a name at most.
	maxTurns = 4
)

// isCode tells whether the word is a hash, a key or the like: its pieces would
// be many, and mean nothing.
func (p *name) isCode(word []byte) bool {
	if p.turns > maxTurns {
		return true
	}
	if p.turns == 0 || len(word) < shortHash {
		return false
	}
	for _, c := range word {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return true
}
