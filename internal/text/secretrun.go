package text

import "strings"

// A hostile text has a prefix at every other byte, and each of these tokens
// would go on to the end of the text. So that the walk stays linear, the end of
// a long run is found once for all the tokens that begin in it, and a token is
// judged by its first bytes; once taken, it is taken whole.

const (
	maxJudged = 256 // bytes by which a token is told from a placeholder
	longRun   = 64  // bytes of a run worth remembering
)

// longRuns are the last long runs of one alphabet: more than the parts of any
// token, so that no part drives another out.
type longRuns struct {
	spans [8]struct{ start, end int }
	next  int
}

// run is the offset of the first byte at or after i that is not in a.
func (sc *secretScanner) run(a *alphabet, i int) int {
	near := a.run(sc.s[:min(len(sc.s), i+longRun)], i)
	sc.work += near - i + 1
	if near-i < longRun || near == len(sc.s) {
		return near
	}
	known := sc.runs[a]
	if known == nil {
		known = &longRuns{}
		if sc.runs == nil {
			sc.runs = map[*alphabet]*longRuns{}
		}
		sc.runs[a] = known
	}
	for k := range known.spans {
		if sp := &known.spans[k]; sp.start <= i && i < sp.end {
			return sp.end
		}
	}
	end := a.run(sc.s, near)
	sc.work += end - near
	for k := range known.spans {
		if sp := &known.spans[k]; sp.end == end { // found from further on
			sp.start = i
			return end
		}
	}
	known.spans[known.next] = struct{ start, end int }{i, end}
	known.next = (known.next + 1) % len(known.spans)
	return end
}

// token is the run of a that begins at i, without the bytes of trim at its end,
// and as much of it as it is judged by. A run too long for one look, or one that
// goes up to a mark, keeps its end.
func (sc *secretScanner) token(a *alphabet, i int, trim string) (judged string, end int) {
	end = sc.run(a, i)
	judged = strings.TrimRight(sc.s[i:min(end, i+maxJudged)], trim)
	sc.work += len(judged)
	if end-i <= maxJudged && markEnd(sc.s, end) == end {
		end = i + len(judged)
	}
	return judged, end
}

// placeholder is the function of that name for the first bytes of v.
func (sc *secretScanner) placeholder(v string) bool {
	v = v[:min(len(v), maxJudged)]
	sc.work += len(v)
	return placeholder(v)
}
