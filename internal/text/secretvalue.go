package text

import (
	"math"
	"strings"
	"unicode/utf8"
)

// contextValue is where a value stands.
type contextValue struct {
	start, end int
	quoted     bool
	quoteLen   int
	env        bool // NAME=value as in an environment file
}

// valueAt is the value at or after i, in quotes or up to what ends a word.
func (sc *secretScanner) valueAt(i int) contextValue { return sc.valueUntil(i, "") }

// parameterAt is the value at or after i of a URL's parameter.
func (sc *secretScanner) parameterAt(i int) contextValue { return sc.valueUntil(i, "&#") }

// valueUntil is valueAt, where each byte of stops ends the value too.
func (sc *secretScanner) valueUntil(i int, stops string) contextValue {
	s := sc.s
	for n := 0; i < len(s) && n < 16 && (s[i] == ' ' || s[i] == '\t' || s[i] == '*'); n++ {
		i++
	}
	limit := min(len(s), i+maxContextValue)
	v := contextValue{start: i}
	if i < limit && s[i] == '\\' && i+1 < limit && s[i+1] == '"' {
		v.quoteLen++
	}
	if q := i + v.quoteLen; q < limit && strings.IndexByte("\"'`", s[q]) >= 0 {
		v.quoted = true
		v.quoteLen++
		v.start = q + 1
		v.end = v.start
		for v.end < limit && s[v.end] != s[q] && s[v.end] != '\n' {
			v.end++
		}
		sc.work += v.end - i
		v.end = max(v.start, runeStart(s, v.end))
		if v.end > v.start && v.end < len(s) && s[v.end] == s[q] && s[v.end-1] == '\\' && v.quoteLen == 2 {
			v.end--
		}
		return v
	}
	v.quoteLen = 0
	v.end = i
	for v.end < limit && s[v.end] > ' ' && s[v.end] < utf8.RuneSelf && strings.IndexByte("\"'`,;)]}<>\\|", s[v.end]) < 0 {
		if strings.IndexByte(stops, s[v.end]) >= 0 {
			return v
		}
		v.end++
		sc.work++
	}
	for v.end > v.start && (s[v.end-1] == '.' || s[v.end-1] == ':') {
		v.end--
	}
	return v
}

// skipScheme moves v, which read has read, behind a word like Token in
// "Authorization: Token abc".
func skipScheme(s string, v contextValue, read func(int) contextValue) contextValue {
	for _, scheme := range []string{"token ", "apikey ", "api-key ", "key "} {
		if n := len(scheme); v.start+n < len(s) && strings.EqualFold(s[v.start:v.start+n], scheme) {
			return read(v.start + n)
		}
	}
	return v
}

// secret decides whether v is a secret for a name of the class use.
func (v contextValue) secret(s, name string, use nameClass, before byte) (secretSpan, bool) {
	val := s[v.start:v.end]
	sp := secretSpan{v.start, v.end, kindGeneric}
	if placeholder(val) || strings.Contains(val, "-----BEGIN") {
		return sp, false
	}
	switch use {
	case useAWSSecret:
		sp.kind = kindAWSSecret
		if base64Std.run(val, 0) == len(val) && len(val) == 40 {
			return sp, true
		}
		sp.kind = kindGeneric
	case useAzureKey:
		sp.kind = "azure-storage-key"
		if strings.HasSuffix(foldName(name), "sharedaccesskey") {
			sp.kind = "azure-shared-key"
		}
		return sp, len(val) >= 40 && base64Std.run(val, 0) == len(val)
	case useSignature:
		sp.kind = "azure-sas"
		return sp, (before == '?' || before == '&') && len(val) >= 40
	case useNone, useSecret, usePassword, useAuthorization:
	}
	if isUUIDAt(val, 0) && len(val) == 36 {
		fold := foldName(name)
		if strings.Contains(fold, "heroku") {
			sp.kind = "heroku-key"
		}
		return sp, sp.kind != kindGeneric || strings.HasSuffix(fold, "apikey") || strings.HasSuffix(fold, "secret")
	}
	return sp, v.looksSecret(val, use == usePassword)
}

// looksSecret reports whether val is too random for a word, a path or code.
func (v contextValue) looksSecret(val string, password bool) bool {
	least, bits := 16, 3.0
	if password {
		least, bits = 8, 2.0
	}
	if len(val) < least || strings.Contains(val, "://") || looksHashed(val) || wordy(val) {
		return false
	}
	if strings.IndexByte(val, ' ') >= 0 {
		return false
	}
	if !v.quoted && (strings.ContainsAny(val, "([{$") || !v.env && identifier(val)) {
		return false // code
	}
	if !mixedBody(val, 0) || entropy(val) < bits {
		return false
	}
	if password && !v.quoted && !v.env && len(val) < 12 {
		return mixed(val) || strings.ContainsAny(val, "!@#%^&*+=?~")
	}
	return true
}

func looksHashed(v string) bool {
	for _, p := range []string{"sha1:", "sha256:", "sha384:", "sha512:", "sha1-", "sha256-", "sha384-", "sha512-", "md5:", "h1:", "arn:", "$2a$", "$2b$", "$2y$", "$argon2"} {
		if strings.HasPrefix(v, p) {
			return true
		}
	}
	return false
}

// wordy reports whether every part of v between separators is letters with at
// most two digits behind them, or, in a path, a number.
func wordy(v string) bool {
	path := strings.IndexByte(v, '/') >= 0
	for part := range strings.FieldsFuncSeq(v, func(r rune) bool { return !isWordRune(r) }) {
		digits := len(part) - len(strings.TrimRight(part, "0123456789"))
		letters := part[:len(part)-digits]
		if strings.ContainsAny(letters, "0123456789") || digits > 2 && !(path && letters == "") {
			return false
		}
	}
	return true
}

// identifier reports whether v is one word of code with a number in it, as
// jwtTestEC256PrivateKey: secrets have digits in more than one place.
func identifier(v string) bool {
	runs := 0
	for i := range len(v) {
		if !isTokenByte(v[i]) || i == 0 && isDigit(v[i]) {
			return false
		}
		if isDigit(v[i]) && !isDigit(v[i-1]) {
			runs++
		}
	}
	return runs <= 1
}

// entropy is Shannon's, in bits for each byte.
func entropy(v string) float64 {
	var count [256]int
	for i := range len(v) {
		count[v[i]]++
	}
	bits := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(v))
			bits -= p * math.Log2(p)
		}
	}
	return bits
}
