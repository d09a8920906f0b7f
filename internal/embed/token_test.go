package embed

import (
	"strings"
	"testing"
)

// spelled gives the tokens of a text as the vocabulary spells them.
func spelled(text string) string {
	t := Static()
	var words []string
	for _, id := range t.Tokens(nil, text) {
		words = append(words, t.Token(id))
	}
	return strings.Join(words, " ")
}

func TestTokensTakeNamesApart(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"getUserByID":             "get user by id",
		"get_user_by_id":          "get user by id",
		"GET_USER_BY_ID":          "get user by id",
		"HTTPServer":              "http server",
		"fetchURLs":               "fetch ur ##ls",
		"iPhone":                  "iphone",
		"YouTube and McDonald":    "youtube and mcdonald",
		"v1.2.3":                  "v 1 . 2 . 3",
		"sha256sum":               "sha 256 sum",
		"40ms":                    "40 ms",
		"1st 3D":                  "1st 3d",
		"p53":                     "p ##53",
		"see a1b2c3d of main":     "see of main",
		"deadbeef":                "dead ##bee ##f",
		"key AKz8s7dR2b1Q9 leaks": "key leaks",
		"Café ÉcoleNormale":       "cafe ecole normal ##e",
		"数据库 PostgreSQL":          "post ##gre sql",
		"a\xff\xfeb":              "ab",
		"[CLS] [UNK]":             "[ cl ##s ] [ un ##k ]",
		"":                        "",
		" \u200b\x00 ":            "",
	} {
		if got := spelled(text); got != want {
			t.Errorf("Tokens(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestTokensAreBounded(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("one two three ", MaxTokens)
	if n := len(Static().Tokens(make([]uint16, 7), long)) - 7; n != MaxTokens {
		t.Errorf("%d tokens of a long text, want %d", n, MaxTokens)
	}
	if n := len(Static().WordPieces(nil, long)); n != 3*MaxTokens {
		t.Errorf("%d word pieces of a long text, want all %d", n, 3*MaxTokens)
	}
}

func TestCoverage(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][2]float64{
		"We moved the billing service to another database.": {1, 1},
		"kubernetes": {0.2, 0.5},
		"Mañana vamos a reunirnos con el cliente": {0.2, 0.75},
		"Привет мир":                              {0, 0},
		"数据库连接池":                                  {0, 0},
		"...":                                     {0, 0},
		"":                                        {0, 0},
	} {
		if got := Static().Coverage(text); got < want[0] || got > want[1] {
			t.Errorf("Coverage(%q) = %.2f, want %v", text, got, want)
		}
	}
}

func TestTokensOfUnknownWordsHaveNoVector(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", strings.Repeat("x", maxWord+1), "连接池"} {
		if v, ok := Static().Vector(text); ok || v != nil {
			t.Errorf("Vector(%q) is there", text)
		}
	}
}

func FuzzTokens(f *testing.F) {
	f.Add("getUserByID() v1.2.3 Café 数据库 \xff")
	f.Add("e\u0301\u0301 ﬁ İI ẞ 한국어 𝔘𝔫𝔦 \u0f71\u0f72")
	f.Add(strings.Repeat("aB1", 50) + "URLs_" + strings.Repeat("\u0300", 40))
	f.Fuzz(func(t *testing.T, text string) {
		table := Static()
		tokens := table.Tokens(nil, text)
		for _, id := range tokens {
			if !table.Known(id) {
				t.Fatalf("token %d is not known", id)
			}
		}
		if v, ok := table.TokensVector(tokens); ok != (len(tokens) > 0) || ok && (dot(v, v) < 0.9999 || dot(v, v) > 1.0001) {
			t.Fatalf("vector of %d tokens: %v, length² %v", len(tokens), ok, dot(v, v))
		}
		if c := table.Coverage(text); !(c >= 0 && c <= 1) {
			t.Fatalf("coverage %v", c)
		}
		for _, id := range table.WordPieces(nil, text) {
			if table.Token(id) == "" {
				t.Fatalf("%d is no token", id)
			}
		}
	})
}
