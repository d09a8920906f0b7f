package text

import (
	"encoding/base64"
	"strings"
	"unicode/utf8"
)

// The functions here find values that only their surroundings give away: the
// password of a URL or a connection string, a header, an assignment.

const maxContextValue = 4096 // bytes of a value; a longer one is not a password

// contextAt is the secret that the byte at i leads to.
func (sc *secretScanner) contextAt(i int) (secretSpan, bool) {
	s := sc.s
	switch s[i] {
	case ':':
		if strings.HasPrefix(s[i:], "://") {
			return sc.urlPassword(i + 3)
		}
		return sc.assignment(i)
	case '=':
		return sc.assignment(i)
	case '>':
		return sc.elementValue(i)
	case '-':
		return sc.flagValue(i)
	case 'B', 'b':
		return sc.authorization(i)
	case 'P':
		return sc.puttyKey(i)
	case 'p':
		return sc.netrcPassword(i)
	}
	return secretSpan{}, false
}

// urlPassword is the password of the user part that begins at i.
func (sc *secretScanner) urlPassword(i int) (secretSpan, bool) {
	s := sc.s
	colon, at := -1, -1
	for j := i; j < len(s) && j-i < maxContextValue; j++ {
		if m := markEnd(s, j); m > j {
			j = m - 1
			continue
		}
		sc.work++
		c := s[j]
		if c == ':' && colon < 0 {
			colon = j
		}
		if c == '@' {
			at = j
		}
		if c <= ' ' || strings.IndexByte("/?#\"'`<>\\", c) >= 0 {
			break
		}
	}
	if colon < 0 || at <= colon+1 {
		return secretSpan{}, false
	}
	v := s[colon+1 : at]
	if placeholder(v) || placeholderPassword(v) || v[0] == '[' { // [^ is a pattern's
		return secretSpan{}, false
	}
	return secretSpan{colon + 1, at, kindURLPassword}, true
}

// placeholderPassword reports whether v is what examples write for a password.
func placeholderPassword(v string) bool {
	switch strings.ToLower(v) {
	case "password", "passwd", "passwort", "pass", "pwd", "pw", "token", "x-oauth-basic", "my-password", "my_password", "mypassword":
		return true
	}
	return false
}

// assignment is the value behind the = or : at i when its name says that it is
// secret.
func (sc *secretScanner) assignment(i int) (secretSpan, bool) {
	s := sc.s
	if i+1 < len(s) && s[i] == '=' && s[i+1] == '=' {
		return secretSpan{}, false
	}
	if i < sc.dull {
		return secretSpan{}, false
	}
	name, start := sc.nameBefore(i)
	use := nameUse(name)
	if use == useNone {
		return secretSpan{}, false
	}
	k := i + 1
	if k < len(s) && (s[k] == '=' || s[k] == '>') {
		k++
	}
	before := byte(0)
	if start > sc.taken {
		before = s[start-1]
	}
	read := sc.valueAt
	if before == '?' || before == '&' {
		read = sc.parameterAt
	}
	v := read(k)
	if use == useAuthorization {
		v = skipScheme(s, v, read)
	}
	v.env = s[i] == '=' && v.start == i+1+v.quoteLen && start+len(name) == i && strings.ToUpper(name) == name
	if use == usePassword && s[i] == '=' && isConnName(name) {
		if sp, ok := sc.connPassword(v, before); ok {
			return sp, true
		}
	}
	sp, ok := v.secret(s, name, use, before)
	if !ok && !v.quoted && v.end-v.start > maxNested {
		sc.dull = v.end
	}
	return sp, ok
}

// maxNested is how long a word with signs in it may be for each of them to be
// looked at, once the first has led to nothing.
const maxNested = 256

// maxName is how far back from its sign the name of a value is looked for.
const maxName = 64

// nameBefore is the name before the sign at i, without quotes and brackets,
// with the word before it when that stands one space away.
func (sc *secretScanner) nameBefore(i int) (name string, start int) {
	s := sc.s
	// What is redacted already is nobody's name: the next walk will not see it.
	low := max(0, i-maxName, sc.taken)
	end := i
	for end > low && (s[end-1] == ' ' || s[end-1] == '\t' || s[end-1] == '*') {
		end--
	}
	bracket := end > low && s[end-1] == ']'
	if bracket {
		end--
	}
	for end > low && strings.IndexByte("\"'`\\", s[end-1]) >= 0 {
		end--
	}
	start = nameStart(s, low, end)
	sc.work += i - start
	if bracket && strings.HasSuffix(s[:start], "[REDACTED:") {
		return "", i // nor is the mark
	}
	if start > low+1 && start < end && s[start-1] == ' ' {
		if more := nameStart(s, low, start-1); more < start-1 && isASCIILetter(rune(s[more])) {
			return s[more:end], more
		}
	}
	return s[start:end], start
}

func nameStart(s string, low, end int) int {
	for end > low && (isTokenByte(s[end-1]) || s[end-1] == '-' || s[end-1] == '.') {
		end--
	}
	return end
}

// nameClass says what a name tells of its value.
type nameClass int

const (
	useNone nameClass = iota
	useSecret
	usePassword
	useAuthorization
	useAWSSecret
	useAzureKey
	useSignature
)

var (
	passwordNames = []string{"password", "passwd", "passphrase", "passcode", "passwort", "kennwort", "pwd", "contrasena", "senha"}
	secretNames   = []string{
		"secret", "secretkey", "secretkeybase", "token", "apikey", "accesskey", "privatekey", "authkey",
		"signingkey", "encryptionkey", "masterkey", "sharedkey", "appkey", "servicekey", "sessionkey", "hmackey",
		"licensekey", "credential", "credentials", "secrets",
	}
)

// nameUse tells what the value of name is, by the end of name: a password_hash
// and a token_count are not secret.
func nameUse(name string) nameClass {
	fold := foldName(name)
	switch {
	case len(fold) < 3, strings.Contains(fold, "publickey"):
		return useNone
	case strings.HasSuffix(fold, "secretaccesskey"), strings.Contains(fold, "aws") && strings.HasSuffix(fold, "secretkey"):
		return useAWSSecret
	case strings.HasSuffix(fold, "accountkey"), strings.HasSuffix(fold, "sharedaccesskey"):
		return useAzureKey
	case fold == "sig":
		return useSignature
	case strings.HasSuffix(fold, "authorization"):
		return useAuthorization
	}
	for _, n := range passwordNames {
		if strings.HasSuffix(fold, n) {
			return usePassword
		}
	}
	last := name[strings.LastIndexAny(name, "_-. ")+1:]
	if strings.EqualFold(last, "pass") {
		return usePassword
	}
	if strings.EqualFold(name, "_auth") || strings.HasSuffix(strings.ToLower(name), ":_auth") {
		return useSecret
	}
	for _, n := range secretNames {
		if strings.HasSuffix(fold, n) {
			return useSecret
		}
	}
	return useNone
}

// foldName is name in lower case without separators and the number at its end.
func foldName(name string) string {
	b := make([]byte, 0, maxName)
	for i := range len(name) {
		if c := name[i]; isAlnum(c) {
			if isUpper(c) {
				c |= 0x20
			}
			b = append(b, c)
		}
	}
	return strings.TrimRight(string(b), "0123456789")
}

func isConnName(name string) bool {
	switch foldName(name[strings.LastIndexByte(name, ' ')+1:]) {
	case "password", "pwd", "passwd":
		return true
	}
	return false
}

// connPassword is the password of a connection string, which may be as weak as
// people make them: Server=…;Password=…; or host=… password=….
func (sc *secretScanner) connPassword(v contextValue, before byte) (secretSpan, bool) {
	s := sc.s
	if !sc.lineAt(v.start).connection {
		return secretSpan{}, false
	}
	open := !v.quoted && before != '?' && before != '&'
	end := min(v.end, v.start+maxJudged)
	if open {
		end = sc.connEnd(v.start, v.start+maxJudged)
	}
	val := s[v.start:end]
	if val == "" || val[0] == '/' || sc.placeholder(val) || placeholderPassword(val) {
		return secretSpan{}, false
	}
	if end = v.end; open {
		end = sc.connEnd(v.start, v.start+maxContextValue)
	}
	return secretSpan{v.start, end, "conn-password"}, true
}

// connEnd is where the password of a connection string that begins at i ends,
// at most at limit.
func (sc *secretScanner) connEnd(i, limit int) int {
	s, start := sc.s, i
	for i < min(len(s), limit) && s[i] > ' ' && strings.IndexByte(";\"'`\\<", s[i]) < 0 && (i == start || markEnd(s, i) == i) {
		i++
	}
	sc.work += i - start
	return runeStart(s, i)
}

// runeStart is the beginning of the rune that s[i] belongs to.
func runeStart(s string, i int) int {
	for k := i; k > 0 && k < len(s) && i-k < utf8.UTFMax; k-- {
		if utf8.RuneStart(s[k]) {
			return k
		}
	}
	return i
}

// secretLine is what the scanner remembers of the line that it is in.
type secretLine struct {
	end        int
	connection bool // names a server, a user or a database as connection strings do
	curl       bool
	netrc      bool
}

// lineAt is what the line that holds i says; each line is read once.
func (sc *secretScanner) lineAt(i int) secretLine {
	if i < sc.line.end {
		return sc.line
	}
	start := strings.LastIndexByte(sc.s[:i], '\n') + 1
	end := len(sc.s)
	if n := strings.IndexByte(sc.s[i:], '\n'); n >= 0 {
		end = i + n + 1
	}
	lower := strings.ToLower(sc.s[start:end])
	sc.line = secretLine{end: end, curl: strings.Contains(lower, "curl "), netrc: strings.Contains(lower, "machine ") && strings.Contains(lower, "login ")}
	for _, k := range []string{"server=", "data source=", "host=", "user id=", "uid=", "user=", "username=", "database=", "dbname=", "initial catalog="} {
		sc.line.connection = sc.line.connection || strings.Contains(lower, k)
	}
	return sc.line
}

// elementValue is the text of an XML element that ends its tag at i.
func (sc *secretScanner) elementValue(i int) (secretSpan, bool) {
	s := sc.s
	name, start := sc.nameBefore(i)
	if name == "" || start <= sc.taken || s[start-1] != '<' {
		return secretSpan{}, false
	}
	use := nameUse(name)
	if use != useSecret && use != usePassword {
		return secretSpan{}, false
	}
	v := contextValue{start: i + 1, end: i + 1, quoted: true}
	for v.end < len(s) && v.end-v.start < maxContextValue && s[v.end] != '<' && s[v.end] > ' ' {
		v.end++
	}
	sc.work += v.end - i
	if v.end == len(s) || s[v.end] != '<' {
		return secretSpan{}, false
	}
	return v.secret(s, name, use, 0)
}

// flagValue is the value of a command's option at i that is secret: --token
// VALUE, and the password of curl -u NAME:PASSWORD.
func (sc *secretScanner) flagValue(i int) (secretSpan, bool) {
	s := sc.s
	if i > 0 && s[i-1] > ' ' {
		return secretSpan{}, false
	}
	end := i
	for end < len(s) && (isTokenByte(s[end]) || s[end] == '-') && end-i < maxName {
		end++
	}
	if end+1 >= len(s) || s[end] != ' ' || end == i+1 {
		return secretSpan{}, false
	}
	name := s[i:end]
	v := sc.valueAt(end + 1)
	if name == "-u" || name == "--user" || name == "--proxy-user" {
		user, password, ok := strings.Cut(s[v.start:v.end], ":")
		if !ok || placeholder(password) || placeholderPassword(password) || !sc.lineAt(i).curl {
			return secretSpan{}, false
		}
		return secretSpan{v.start + len(user) + 1, v.end, kindBasicAuth}, true
	}
	if !strings.HasPrefix(name, "--") {
		return secretSpan{}, false
	}
	use := nameUse(name)
	if use != useSecret && use != usePassword && use != useAWSSecret {
		return secretSpan{}, false
	}
	return v.secret(s, name, use, 0)
}

var bearerToken = alphabetOf("a-zA-Z0-9._~+/=-")

// authorization is the credential behind the word Bearer or Basic at i.
func (sc *secretScanner) authorization(i int) (secretSpan, bool) {
	s := sc.s
	if i > 0 && isTokenByte(s[i-1]) {
		return secretSpan{}, false
	}
	switch {
	case len(s)-i > 7 && strings.EqualFold(s[i:i+7], "bearer "):
		end := sc.run(bearerToken, i+7)
		for end > i+7 && s[end-1] == '.' {
			end--
		}
		sp := secretSpan{i + 7, end, "bearer-token"}
		val := s[sp.start:sp.end]
		v := contextValue{start: sp.start, end: sp.end, quoted: true}
		return sp, len(val) > 0 && !placeholder(val) && v.looksSecret(val, false)
	case len(s)-i > 6 && strings.EqualFold(s[i:i+6], "basic "):
		end := sc.run(base64Std, i+6)
		sp := secretSpan{i + 6, end, kindBasicAuth}
		return sp, isBasicCredential(s[sp.start:sp.end])
	}
	return secretSpan{}, false
}

// isBasicCredential reports whether v is name:password in base64.
func isBasicCredential(v string) bool {
	if len(v) < 6 || len(v) > maxContextValue {
		return false
	}
	plain, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil || !utf8.Valid(plain) {
		return false
	}
	_, password, ok := strings.Cut(string(plain), ":")
	return ok && password != "" && !placeholderPassword(password) && !variable(password)
}

// netrcPassword is the password behind that word at i in a line of a netrc file.
func (sc *secretScanner) netrcPassword(i int) (secretSpan, bool) {
	const key = "password "
	if !strings.HasPrefix(sc.s[i:], key) || i > 0 && sc.s[i-1] > ' ' || !sc.lineAt(i).netrc {
		return secretSpan{}, false
	}
	v := sc.valueAt(i + len(key))
	val := sc.s[v.start:v.end]
	if val == "" || placeholder(val) || placeholderPassword(val) {
		return secretSpan{}, false
	}
	return secretSpan{v.start, v.end, "netrc-password"}, true
}

// puttyKey is the private part of a PuTTY key file that begins at i.
func (sc *secretScanner) puttyKey(i int) (secretSpan, bool) {
	s := sc.s
	const head, mac = "Private-Lines: ", "Private-MAC: "
	if !strings.HasPrefix(s[i:], head) {
		return secretSpan{}, false
	}
	start := i + len(head)
	rest := s[start:]
	if next := strings.Index(rest, head); next >= 0 {
		rest = rest[:next] // of another key
	}
	sc.work += len(rest)
	end := start + keyLine.run(rest, 0)
	if m := strings.Index(s[start:end], mac); m >= 0 {
		end = anyHex.run(s, start+m+len(mac))
	} else {
		end = keyTail(s, start, end)
	}
	return secretSpan{start, end, "putty-private-key"}, hasKeyMaterial(s[start:end])
}
