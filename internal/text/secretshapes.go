package text

import "strings"

// The functions here find the end of tokens with more than one part: from the
// offset i, behind the prefix of the rule, to the end that they return, or 0
// for no such token.

// ends reports whether a token may end at i. One that goes up to the mark of
// another was longer before that was redacted, and refused.
func ends(s string, i int) bool {
	return i >= len(s) || !isTokenByte(s[i]) && (s[i] != '[' || markEnd(s, i) == i)
}

// jwt takes three parts of base64url, or the five of an encrypted one; the
// first two parts are JSON objects.
func jwt(sc *secretScanner, i int) int {
	s := sc.s
	a := sc.run(urlSafe, i)
	if a-i < 15 || a+3 >= len(s) || s[a] != '.' {
		return 0
	}
	b := sc.run(urlSafe, a+1)
	if b == a+1 && b < len(s) && s[b] == '.' || b-a < 10 || b >= len(s) || s[b] != '.' {
		return 0
	}
	c := sc.run(urlSafe, b+1)
	if c-b-1 < 16 || sc.placeholder(s[i:a]) || sc.placeholder(s[b+1:c]) {
		return 0
	}
	for range 2 {
		if c < len(s) && s[c] == '.' && sc.run(urlSafe, c+1)-c > 10 {
			c = sc.run(urlSafe, c+1)
		}
	}
	if !ends(s, c) {
		return 0
	}
	return c
}

func slackToken(sc *secretScanner, i int) int {
	s := sc.s
	if i+1 >= len(s) || strings.IndexByte("abposrecd", s[i]) < 0 || s[i+1] != '-' && s[i+1] != '.' {
		return 0
	}
	judged, end := sc.token(dotted, i, ".-")
	last := judged[strings.LastIndexByte(judged, '-')+1:]
	if len(judged) < 20 || !ends(s, end) || placeholder(last) || placeholderWords(judged) || !strings.ContainsAny(judged, "0123456789") {
		return 0
	}
	return end
}

// webhook takes a URL of one of these paths whose last segment is a secret.
func webhook(paths ...string) func(*secretScanner, int) int {
	segment := alphabetOf("a-zA-Z0-9_/+-")
	return func(sc *secretScanner, i int) int {
		s := sc.s
		for _, p := range paths {
			if !strings.HasPrefix(s[i:], p) {
				continue
			}
			end := sc.run(segment, i+len(p))
			path := strings.TrimRight(s[i+len(p):end], "/")
			slash := strings.LastIndexByte(path, '/')
			if slash < 0 || len(path)-slash < 7 || sc.placeholder(path[slash+1:]) {
				return 0
			}
			return end
		}
		return 0
	}
}

// discordToken: an id in base64, a time, a signature.
func discordToken(sc *secretScanner, i int) int {
	s := sc.s
	a := sc.run(urlSafe, i)
	if n := a - i; n < 22 || n > 27 || a >= len(s) || s[a] != '.' {
		return 0
	}
	b := sc.run(urlSafe, a+1)
	if b-a != 7 || b >= len(s) || s[b] != '.' {
		return 0
	}
	c := sc.run(urlSafe, b+1)
	if n := c - b - 1; n < 27 || n > 40 || !ends(s, c) || sc.placeholder(s[b+1:c]) {
		return 0
	}
	return c
}

// telegramToken: the number of a bot, a colon, 35 characters from A on.
func telegramToken(sc *secretScanner, i int) int {
	s := sc.s
	d := i
	for d < len(s) && isDigit(s[d]) && d-i < 11 {
		d++
	}
	if n := d - i; n < 6 || n > 10 || d+36 > len(s) || s[d] != ':' || s[d+1] != 'A' {
		return 0
	}
	end := sc.run(urlSafe, d+1)
	if end-d-1 != 35 || !ends(s, end) || sc.placeholder(s[d+1:end]) {
		return 0
	}
	return end
}

func sendgridKey(sc *secretScanner, i int) int {
	s := sc.s
	a := sc.run(urlSafe, i)
	if a-i < 16 || a >= len(s) || s[a] != '.' {
		return 0
	}
	end := sc.run(urlSafe, a+1)
	if end-a-1 < 32 || !ends(s, end) || sc.placeholder(s[a+1:end]) {
		return 0
	}
	return end
}

// mailchimpKey: 32 hex digits and a data centre.
func mailchimpKey(sc *secretScanner, i int) int {
	s := sc.s
	if !isHex(s[i]) || i+36 > len(s) || s[i+32] != '-' || s[i+33] != 'u' || s[i+34] != 's' || !isDigit(s[i+35]) {
		return 0
	}
	if sc.run(lowerHex, i) != i+32 || sc.placeholder(s[i:i+32]) {
		return 0
	}
	end := i + 36
	if end < len(s) && isDigit(s[end]) {
		end++
	}
	if !ends(s, end) {
		return 0
	}
	return end
}

func terraformToken(sc *secretScanner, i int) int {
	s := sc.s
	const mark = ".atlasv1."
	if i+14+len(mark) > len(s) || s[i+14] != '.' || s[i+14:i+14+len(mark)] != mark || sc.run(base62, i) != i+14 {
		return 0
	}
	body := i + 14 + len(mark)
	end := sc.run(urlSafe, body)
	if end-body < 60 || !ends(s, end) || sc.placeholder(s[body:end]) {
		return 0
	}
	return end
}

// dopplerToken: dp.pt.…, dp.st.environment.… and the like.
func dopplerToken(sc *secretScanner, i int) int {
	judged, end := sc.token(dotted, i, ".")
	kind, _, ok := strings.Cut(judged, ".")
	last := judged[strings.LastIndexByte(judged, '.')+1:]
	if !ok || len(kind) < 2 || len(kind) > 5 || len(last) < 40 || !ends(sc.s, end) || placeholder(last) {
		return 0
	}
	return end
}

func langsmithKey(sc *secretScanner, i int) int {
	s := sc.s
	if !strings.HasPrefix(s[i:], "pt_") && !strings.HasPrefix(s[i:], "sk_") {
		return 0
	}
	end := sc.run(word, i+3)
	if end-i < 43 || sc.placeholder(s[i+3:end]) {
		return 0
	}
	return end
}

// airtableToken: 14 characters, a dot, 64 hex digits.
func airtableToken(sc *secretScanner, i int) int {
	s := sc.s
	if sc.run(base62, i) != i+14 || i+15 >= len(s) || s[i+14] != '.' {
		return 0
	}
	end := sc.run(lowerHex, i+15)
	if end-i-15 != 64 || sc.placeholder(s[i+15:end]) || !ends(s, end) {
		return 0
	}
	return end
}

// hubspotToken: a region and a UUID.
func hubspotToken(sc *secretScanner, i int) int {
	s := sc.s
	dash := strings.IndexByte(s[i:min(len(s), i+5)], '-')
	if dash < 2 || !isUUIDAt(s, i+dash+1) {
		return 0
	}
	return i + dash + 1 + 36
}

// azureClientSecret: three characters, a digit, Q~ and the rest.
func azureClientSecret(sc *secretScanner, i int) int {
	s := sc.s
	if i+6 >= len(s) || s[i+4] != 'Q' || s[i+5] != '~' || !isDigit(s[i+3]) {
		return 0
	}
	judged, end := sc.token(alphabetOfAzure, i+6, ".")
	if len(judged) < 31 || len(judged) > 36 || placeholder(judged) || !ends(s, end) {
		return 0
	}
	return end
}

var alphabetOfAzure = alphabetOf("a-zA-Z0-9_~.-")

// isUUIDAt reports whether a UUID stands at i.
func isUUIDAt(s string, i int) bool {
	if i+36 > len(s) || !ends(s, i+36) {
		return false
	}
	for k := range 36 {
		c := s[i+k]
		if dash := k == 8 || k == 13 || k == 18 || k == 23; dash != (c == '-') || !dash && !isHex(c) {
			return false
		}
	}
	return true
}

const (
	maxKeyLabel = 64 // bytes of the name of a key block
	minKeyRun   = 16 // bytes of base64 that make a key of it
)

// keyLine is what a key that is cut off consists of: base64 and headers.
var keyLine = alphabetOf("a-zA-Z0-9+/=,:; \t\r\n\\_-")

// keyBlock takes a private key in PEM or SSH2 form from BEGIN to END. One that
// is cut off is taken as far as it looks like a key.
func (sc *secretScanner) keyBlock(i int) (secretSpan, bool) {
	s := sc.s
	dashes := 4
	if s[i+4] == '-' {
		dashes = 5
	}
	label := strings.TrimLeft(s[i+dashes:], " ")
	label = strings.TrimPrefix(label, "BEGIN ")
	n := strings.Index(label[:min(len(label), maxKeyLabel)], "----")
	if n < 0 {
		return secretSpan{}, false
	}
	name := strings.TrimSpace(label[:n])
	if !strings.Contains(name, "PRIVATE KEY") {
		return secretSpan{}, false
	}
	body := len(s) - len(label) + n
	rest := s[body:]
	for _, other := range []string{"BEGIN ", "[REDACTED:private-key", "[REDACTED:pgp-private-key"} {
		if next := strings.Index(rest, other); next >= 0 {
			rest = rest[:next] // of another block
		}
	}
	sc.work += len(rest)
	end := body + keyLine.run(rest, 0)
	if e := strings.Index(rest, "END "+name); e >= 0 {
		end = body + e + len("END ") + len(name)
		for end < len(s) && s[end] == '-' {
			end++
		}
	} else {
		end = keyTail(s, body, end)
	}
	if !hasKeyMaterial(s[body:end]) {
		return secretSpan{}, false
	}
	kind := "private-key"
	switch {
	case strings.Contains(name, "PGP"):
		kind = "pgp-private-key"
	case strings.Contains(name, "ENCRYPTED") || strings.Contains(s[body:end], "ENCRYPTED"):
		kind = "private-key-encrypted"
	}
	return secretSpan{i, end, kind}, true
}

// keyTail is the end of the last run of key material in s[body:end].
func keyTail(s string, body, end int) int {
	tail := body
	blank := false // nothing but white space since tail
	for i := body; i < end; {
		j := base64Std.run(s[:end], i)
		if j == i {
			blank = blank && strings.IndexByte(" \t\r\n", s[i]) >= 0
			i++
			continue
		}
		// The last line is short; it stands alone.
		last := blank && (j == len(s) || s[j] == '\n' || s[j] == '\r')
		if blank = j-i >= minKeyRun || last; blank {
			tail = j
		}
		i = j
	}
	return tail
}

// hasKeyMaterial reports whether s has a run of base64 as long as a key's.
func hasKeyMaterial(s string) bool {
	for i := 0; i < len(s); {
		j := base64Std.run(s, i)
		if j-i >= minKeyRun && !placeholder(s[i:j]) {
			return true
		}
		i = max(j, i+1)
	}
	return false
}
