package text

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

type secretCase struct {
	ID      string
	Text    []string
	Secrets []struct{ Kind string }
	Output  string
	Level   string
}

func TestRedactSecretsCases(t *testing.T) {
	t.Parallel()
	counts := tally{}
	for _, c := range readCases[secretCase](t, "testdata/secrets/cases.jsonl") {
		in := strings.Join(c.Text, "")
		out, kinds := RedactSecrets(in)
		problem := ""
		if out != c.Output {
			problem = "got " + out + "\nwant " + c.Output
		}
		var want []string
		for _, s := range c.Secrets {
			want = append(want, s.Kind)
		}
		slices.Sort(want)
		if !slices.Equal(kinds, slices.Compact(want)) && problem == "" {
			problem = "kinds are " + strings.Join(kinds, ", ")
		}
		if again, more := RedactSecrets(out); again != out || more != nil {
			problem = "a second run makes " + again
		}
		counts.add(t, c.ID, c.Level, problem)
	}
	counts.log(t)
}

// body is n invented characters of an alphabet, the same each time.
func body(alphabet string, n int) string {
	x := uint32(2463534242)
	b := make([]byte, n)
	for i := range b {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		b[i] = alphabet[x%uint32(len(alphabet))]
	}
	return string(b)
}

const (
	hexChars  = "0123456789abcdef"
	alnum     = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	upperOnly = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
)

// Credentials are put together here so that none stands in this file.
func TestRedactSecrets(t *testing.T) {
	t.Parallel()
	hex32, word40 := body(hexChars, 32), body(alnum, 40)
	pem := "-----BEGIN " + "PRIVATE KEY-----"
	for _, c := range []struct{ name, in, want string }{
		{"two in one assignment", "keys=AK" + "IA" + body(upperOnly, 16) + "," + word40, "keys=[REDACTED:aws-key],[REDACTED:aws-secret]"},
		{"after an escaped line break", `{"env":"A=1\nAK` + "IA" + body(upperOnly, 16) + `"}`, `{"env":"A=1\n[REDACTED:aws-key]"}`},
		{"after a percent escape", "x?k%3Dgh" + "p_" + body(alnum, 36), "x?k%3D[REDACTED:github-token]"},
		{"stands in a longer word", "xgh" + "p_" + body(alnum, 36), "xgh" + "p_" + body(alnum, 36)},
		{"user part of a URL", "https://gh" + "p_" + body(alnum, 36) + ":x-oauth-basic@github.com/a/b", "https://[REDACTED:github-token]:x-oauth-basic@github.com/a/b"},
		{"user part and password", "https://gh" + "p_" + body(alnum, 36) + ":hunter-2@h/", "https://[REDACTED:github-token]:[REDACTED:url-password]@h/"},
		{"at sign in a URL password", "postgres://u:p@ss-9@db/x", "postgres://u:[REDACTED:url-password]@db/x"},
		{"password of an example", "postgres://user:password@localhost/db", "postgres://user:password@localhost/db"},
		{"libpq", "host=db user=app password=tiny-cat dbname=x", "host=db user=app password=[REDACTED:conn-password] dbname=x"},
		{"JDBC", "jdbc:mysql://h/db?user=app&password=tiny-cat&ssl=1", "jdbc:mysql://h/db?user=app&password=[REDACTED:conn-password]&ssl=1"},
		{"unfinished private key", pem + "\n" + body(alnum, 64) + "\n" + body(alnum, 20), "[REDACTED:private-key]"},
		{"private key in JSON", `{"private_key": "` + pem + `\n` + body(alnum, 64) + `\n-----END ` + `PRIVATE KEY-----\n", "x": 1}`, `{"private_key": "[REDACTED:private-key]\n", "x": 1}`},
		{"elided private key", pem + "\n...\n-----END " + "PRIVATE KEY-----", pem + "\n...\n-----END " + "PRIVATE KEY-----"},
		{"bearer", "Authorization: Bearer " + word40, "Authorization: Bearer [REDACTED:bearer-token]"},
		{"bearer in prose", "Bearer tokens expire; a bearer understands", "Bearer tokens expire; a bearer understands"},
		{"curl", "curl -u admin:tiny-cat https://x", "curl -u admin:[REDACTED:basic-auth] https://x"},
		{"netrc", "machine h login me password tiny-cat", "machine h login me password [REDACTED:netrc-password]"},
		{"flag", "x --api-key " + hex32 + " run", "x --api-key [REDACTED:generic-secret] run"},
		{"JSON", `{"client_secret":"` + word40 + `"}`, `{"client_secret":"[REDACTED:generic-secret]"}`},
		{"escaped JSON", `{\"client_secret\":\"` + word40 + `\"}`, `{\"client_secret\":\"[REDACTED:generic-secret]\"}`},
		{"XML", "<password>" + word40 + "</password>", "<password>[REDACTED:generic-secret]</password>"},
		{"bold name of two words", "**API key:** " + word40, "**API key:** [REDACTED:generic-secret]"},
		{"shared access signature", "https://a.blob.example/c?sv=2024&sig=" + body(alnum, 43) + "%3D&se=1", "https://a.blob.example/c?sv=2024&sig=[REDACTED:azure-sas]&se=1"},
		{"UUID of a vendor", "HEROKU_API_KEY=4f7c1b8e-2d3a-4c5b-9e6f-0a1b2c3d4e5f", "HEROKU_API_KEY=[REDACTED:heroku-key]"},
		{"UUID of a token", "idempotency_token: 4f7c1b8e-2d3a-4c5b-9e6f-0a1b2c3d4e5f", "idempotency_token: 4f7c1b8e-2d3a-4c5b-9e6f-0a1b2c3d4e5f"},
		{"counts and hashes", "max_tokens: 4096000000000000 password_hash=" + word40, "max_tokens: 4096000000000000 password_hash=" + word40},
		{"code", `token = r.Header.Get("X-Token12345") + config.auth2.tokenValue`, `token = r.Header.Get("X-Token12345") + config.auth2.tokenValue`},
		{"key without a body", "[]byte(\"" + pem + "...\"), TokenURL: \"https://provider.example.com/o/oauth2/token", "[]byte(\"" + pem + "...\"), TokenURL: \"https://provider.example.com/o/oauth2/token"},
		{"name of a key", "privateKey = jwtTestEC256PrivateKey", "privateKey = jwtTestEC256PrivateKey"},
		{"public key token", "Culture=neutral, PublicKeyToken=31bf3856ad364e35", "Culture=neutral, PublicKeyToken=31bf3856ad364e35"},
		{"working directory", "USER=go PWD=/tmp/x1", "USER=go PWD=/tmp/x1"},
		{"comparison", "if token == expectedToken12345x {", "if token == expectedToken12345x {"},
		{"path", "token: secrets/prod/12345/db-token", "token: secrets/prod/12345/db-token"},
		{"cache key", "cache-key-" + hex32, "cache-key-" + hex32},
		{"documented alphabet", "gh" + "p_abcdefghijklmnopqrstuvwxyz0123456789", "gh" + "p_abcdefghijklmnopqrstuvwxyz0123456789"},
		{"earlier mark", "password=[REDACTED:generic-secret] x://u:[REDACTED:url-password]@h", "password=[REDACTED:generic-secret] x://u:[REDACTED:url-password]@h"},
		{"names behind what is redacted", "password: publickey" + hex32 + " secret: publickey" + word40 + " secret: x", "password: [REDACTED:generic-secret] secret: [REDACTED:generic-secret] secret: x"},
		{"a mark is no name", "password=" + hex32 + " :" + word40, "password=[REDACTED:generic-secret] :" + word40},
		{"a long token whole", "xo" + "xb-" + strings.Repeat(word40+"-", 30) + "1, old", "[REDACTED:slack-token], old"},
		{"behind refused prefixes", strings.Repeat("xo"+"xb-", 200) + " gh" + "p_" + body(alnum, 36), strings.Repeat("xo"+"xb-", 200) + " [REDACTED:github-token]"},
		{"private mark", "DB_PASSWORD=[REDACTED]", "DB_PASSWORD=[REDACTED]"},
	} {
		got, _ := RedactSecrets(c.in)
		if got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// Every rule with a plain body takes a body of its least length and leaves the
// same in placeholders.
func TestIssuerRules(t *testing.T) {
	t.Parallel()
	for _, r := range issuerRules {
		if r.body == nil || r.check != nil {
			continue
		}
		var chars []byte
		for c := range 256 {
			if r.body[c] && isAlnum(byte(c)) {
				chars = append(chars, byte(c))
			}
		}
		token := r.prefix + body(string(chars), r.least)
		if got, _ := RedactSecrets("key " + token + ", old"); got != "key [REDACTED:"+r.kind+"], old" {
			t.Errorf("%s: %s… is left or named %q", r.kind, r.prefix, got)
		}
		if r.body['x'] {
			token = r.prefix + strings.Repeat("x", r.least)
			if got, _ := RedactSecrets(token); got != token {
				t.Errorf("%s: the placeholder became %q", r.kind, got)
			}
		}
	}
}

var redactedMark = regexp.MustCompile(`\[REDACTED:[a-z0-9-]+\]`)

func FuzzRedactSecrets(f *testing.F) {
	for _, c := range readCases[secretCase](f, "testdata/secrets/cases.jsonl") {
		f.Add(strings.Join(c.Text, ""))
	}
	f.Add("host=a\n<password>Tr0ub4dor&3</password> curl -u a:b\\\"")
	f.Fuzz(func(t *testing.T, s string) {
		out, kinds := RedactSecrets(s)
		if again, more := RedactSecrets(out); again != out || more != nil {
			t.Fatalf("a second run makes %q of %q", again, out)
		}
		if utf8.ValidString(s) && !utf8.ValidString(out) {
			t.Fatalf("made invalid UTF-8 of %q", s)
		}
		if (len(kinds) == 0) != (out == s) {
			t.Fatalf("kinds %q for %q", kinds, out)
		}
		if !slices.IsSorted(kinds) {
			t.Fatalf("kinds are not sorted: %q", kinds)
		}
		for _, k := range kinds {
			if !redactedMark.MatchString("[REDACTED:"+k+"]") || !strings.Contains(out, "[REDACTED:"+k+"]") {
				t.Fatalf("kind %q is not in %q", k, out)
			}
		}
	})
}

func BenchmarkRedactSecrets(b *testing.B) {
	prose := strings.Repeat("Decided to keep the lease table: workers poll every 30s, see internal/store/lease.go:42. Error = none; status: open. ", 4)[:400]
	secret := prose + " key gh" + "p_" + body(alnum, 36)
	for _, c := range []struct{ name, s string }{{"none-400", prose}, {"one-440", secret}, {"none-64k", strings.Repeat(prose, 160)}} {
		b.Run(c.name, func(b *testing.B) {
			b.SetBytes(int64(len(c.s)))
			for b.Loop() {
				RedactSecrets(c.s)
			}
		})
	}
}
