package text

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFold(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Straße":             "strasse",
		"İSTANBUL ısı":       "istanbul isi",
		"Cà Phê Đà Nẵng":     "ca phe da nang",
		"Re\u0301sume\u0301": "resume",
		"العَسَل":            "العسل",
		"ＡＢＣ１２":              "abc12",
		"ﬁle":                "file",
		"\ufefftok\u200ben":  "token",
		"が\u304b\u3099":      "がが",
		"데이터":                "데이터",
		"Ὀδυσσεύς":           "οδυσσευσ",
		"Ёлка":               "елка",
		"a\xffb":             "a b",
		"Łódź Ærø":           "lodz aero",
	} {
		if got := Fold(in); got != want {
			t.Errorf("Fold(%q) = %q, want %q", in, got, want)
		}
		if again := Fold(want); again != want {
			t.Errorf("Fold(%q) = %q is not stable", want, again)
		}
	}
}

// TestTermsMeet shows which words of a query find which words of a text.
func TestTermsMeet(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, text string }{
		{"getUserByID", "see get_user_by_id in the handler"},
		{"get_user_by_id", "call GetUserById first"},
		{"maxRetryCount", "MAX-RETRY-COUNT"},
		{"HTTPServer", "the http_server starts"},
		{"sqlite", "SQLite is embedded"},
		{"iPhone 15", "an iphone15 was bought"},
		{"1.2.3", "Release v1.2.3 is out"},
		{"V1.2.3", "Release 1.2.3."},
		{"1.4.0", "tag v1.4.0-rc2"},
		{"127.0.0.1", "listening on 127.0.0.1:7437"},
		{"3fa9c1d8", "commit 3fa9c1d8e7aa01b2c3d4e5f60718293a4b5c6d7e"},
		{"lease.go", "internal/store/sqlite/lease.go"},
		{"node.js", "built on Node.js 20"},
		{"F#", "written in F#, mostly"},
		{"c++", "C++17 and C++"},
		{"bob@example.com", "write to Bob@Example.com."},
		{"example.com", "https://example.com/a/b?c=1"},
		{"15 minutes", "lives for fifteen"},
		{"three cats", "3 of them"},
		{"500 ms", "timeout is 500ms"},
		{"2026-03", "on 2026-03-14"},
		{"1000", "costs 1,000 euros"},
		{"email", "send an e-mail"},
		{"U.S.A.", "the USA"},
		{"URL", "two URLs"},
		{"obrien", "Mr. O'Brien"},
		{"bought", "I buy bread"},
		{"children", "a child"},
		{"mice", "the mouse"},
		{"went", "we go"},
		{"colour", "the color red"},
		{"organisation", "an organization"},
		{"analysed", "we analyze it"},
		{"cancelled", "was canceled"},
		{"Häuser", "das Haus"},
		{"Mueller", "Herr Müller"},
		{"Müller", "Herr Mueller"},
		{"canciones", "una canción de amor"},
		{"chevaux payés", "la facture est payée"},
		{"reuniões", "a reunião de ontem foi longa"},
		{"città", "la citta è bella"},
		{"книги", "я читаю книгу"},
		{"l'équipe", "une équipe de dix"},
		{"猫", "我的猫很可爱"},
		{"我的猫叫什么", "猫叫小黑"},
		{"缓存", "使用Redis缓存"},
		{"redis", "使用Redis缓存"},
		{"サーバー", "サーバの設定"},
		{"認証サーバー", "サーバー認証"},
		{"인증", "서버인증은 토큰으로"},
		{"ประชุม", "การประชุมวันจันทร์"},
		{"🦊", "a fox🦊!"},
		{"👍🏽", "ok 👍"},
		{"🇩🇪", "moved to 🇩🇪🇫🇷"},
		{".env", "the .env file"},
	} {
		if len(shared(AnalyzeQuery(c.query), c.text)) == 0 {
			t.Errorf("%q does not find %q: %v, %v", c.query, c.text, AnalyzeQuery(c.query).Words, Analyze(c.text).Terms)
		}
	}
}

// TestTermsDiffer shows what looks alike and is not.
func TestTermsDiffer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ query, text string }{
		{"1.2.3", "v1.2.4 and 1.2"},
		{"1.2", "Take 12 eggs. Chapter 1, verse 2"},
		{"E4012", "E4013 in room 4012"},
		{"10.0.0.12", "10.0.0.21"},
		{"lease.go", "Let's go."},
		{"C++", "the C API"},
		{"かき", "がぎ"},
		{"🇩🇪", "🇫🇷"},
		{strings.Repeat("x", 9000), strings.Repeat("x", 8999) + "y"},
		{"the of and a", "the of and a"},
		{"什么", "什么"},
	} {
		if got := shared(AnalyzeQuery(c.query), c.text); len(got) > 0 {
			t.Errorf("%.40q finds %.40q by %.80q", c.query, c.text, got)
		}
	}
}

func TestAnalyzeCounts(t *testing.T) {
	t.Parallel()
	d := Analyze("Running runs", "ran: maxRetryCount")
	got := map[string]int{}
	for i, term := range d.Terms {
		got[term] = d.TF[i]
	}
	for term, n := range map[string]int{"run": 3, "running": 1, "runs": 1, "ran": 1, "maxretrycount": 1, "max": 1, "retri": 1, "retry": 1, "count": 1} {
		if got[term] != n {
			t.Errorf("%s occurs %d times, want %d", term, got[term], n)
		}
	}
	if d.Len != 4 {
		t.Errorf("Len = %d, want 4", d.Len)
	}
}

func TestQueryWords(t *testing.T) {
	t.Parallel()
	word := func(q, surface string) Word {
		t.Helper()
		for _, w := range AnalyzeQuery(q).Words {
			if w.Surface == surface {
				return w
			}
		}
		t.Fatalf("%q has no word %q: %+v", q, surface, AnalyzeQuery(q).Words)
		return Word{}
	}
	if w := word("what did Caroline buy", "caroline"); !w.Name {
		t.Error("a capital inside is no name")
	}
	if w := word("Caroline bought it", "caroline"); w.Name {
		t.Error("the capital that begins a query is a name")
	}
	if w := word("NASA launch", "nasa"); !w.Name {
		t.Error("capitals are no name")
	}
	if w := word("running tests", "running"); w.Forms[0] != "run" || !slices.Contains(w.Forms, "running") {
		t.Errorf("forms of running: %q", w.Forms)
	}
	if w := word("what did you do", "did"); !w.Stop {
		t.Error("did is no stop word")
	}
	if w := word("¿qué decidimos sobre la base de datos?", "que"); !w.Stop {
		t.Error("qué is no stop word")
	}
	if w := word("die Art der Datenbank", "die"); !w.Stop {
		t.Error("die is no stop word in German")
	}
	if w := word("how do I die in this game", "die"); w.Stop {
		t.Error("die is a stop word in English")
	}
	if w := word("库", "库"); !w.Prefix || w.Kind != CJK {
		t.Errorf("one character is no prefix: %+v", w)
	}
	if w := word("call getUserByID", "user"); !w.Part {
		t.Errorf("a part is not marked: %+v", w)
	}
	if q := AnalyzeQuery("was haben wir über die Datenbank beschlossen"); q.Language != "de" {
		t.Errorf("language %q, want de", q.Language)
	}
	if q := AnalyzeQuery("tokens"); q.Language != "" {
		t.Errorf("language %q of one word", q.Language)
	}
}

func TestPhrases(t *testing.T) {
	t.Parallel()
	for q, want := range map[string][][]string{
		`the "fifteen minutes" token`:   {{"fifteen", "minutes"}},
		`"fifteen minutes`:              nil,
		`fifteen" minutes"`:             nil,
		`“Rate Limit” and «la Vie»`:     {{"rate", "limit"}, {"la", "vie"}},
		`„im Haus“`:                     {{"im", "haus"}},
		`「用户认证」服务`:                      {{"用户认证"}},
		`""`:                            nil,
		`a "b" c "d e"`:                 {{"b"}, {"d", "e"}},
		`5" disk and 3" disk`:           nil,
		`"never closes and “inner one”`: nil,
		`"a b" “A  B” "c" "a b"`:        {{"a", "b"}, {"c"}},
	} {
		got := AnalyzeQuery(q).Phrases
		if !slices.EqualFunc(got, want, slices.Equal) {
			t.Errorf("phrases of %s = %q, want %q", q, got, want)
		}
	}
	for _, c := range []struct {
		text, phrase string
		want         bool
	}{
		{"It lives for Fifteen  minutes.", `"fifteen minutes"`, true},
		{"fifteen long minutes", `"fifteen minutes"`, false},
		{"fifteen minutest", `"fifteen minutes"`, false},
		{"用户认证服务使用令牌", `"认证服务"`, true},
		{"the ferry, ferryman and ferry-boat", `"ferry boat"`, true},
		{"ferryboat boat", `"boat boat"`, false},
		{"Über ½ Café!", `"uber 1 2 cafe"`, true},
		{"aaa aaaa aaa", `"aaa aaa"`, false},
	} {
		if got := finds(c.text, AnalyzeQuery(c.phrase).Phrases)[0]; got != c.want {
			t.Errorf("%s in %q: %t", c.phrase, c.text, got)
		}
	}
}

// finds tells which of the phrases the whole of s has.
func finds(s string, phrases [][]string) []bool {
	found := make([]bool, len(phrases))
	NewPhraseFinder(phrases).Find(s, len(s), found)
	return found
}

func TestPhrasesAreFew(t *testing.T) {
	t.Parallel()
	var q strings.Builder
	for i := range 3000 {
		fmt.Fprintf(&q, `"phrase %d" "phrase 0" `, i)
	}
	got := AnalyzeQuery(q.String()).Phrases
	if len(got) != maxPhrases || !slices.Equal(got[7], []string{"phrase", "7"}) {
		t.Errorf("phrases = %q", got)
	}
}

func TestPhraseFinderReadsWholeWordsWithinItsLimit(t *testing.T) {
	t.Parallel()
	f := NewPhraseFinder([][]string{{"red", "fer"}, {"red", "ferry"}, {"令牌"}})
	for _, c := range []struct {
		text string
		most int
		read int
		want []bool
	}{
		{"the red ferry", 11, 8, []bool{false, false, false}}, // "fer" is no word of it
		{"the red ferry", 13, 13, []bool{false, true, false}},
		{"the red ferry", 99, 13, []bool{false, true, false}},
		{"使用令牌认证", 14, 12, []bool{false, false, true}},
		{"the red ferry", 0, 0, []bool{false, false, false}},
		{"the red ferry", -1, 0, []bool{false, false, false}},
	} {
		found := make([]bool, 3)
		if read := f.Find(c.text, c.most, found); read != c.read || !slices.Equal(found, c.want) {
			t.Errorf("%d bytes of %q: read %d, found %t; want %d, %t", c.most, c.text, read, found, c.read, c.want)
		}
	}
}

func TestHugeInput(t *testing.T) {
	t.Parallel()
	for _, s := range []string{
		strings.Repeat("word ", 20000), strings.Repeat("aB", 20000), strings.Repeat("a.", 20000), strings.Repeat("a/b_c-", 20000), strings.Repeat("字", 20000),
		strings.Repeat("\u0301", 20000), strings.Repeat("'", 20000), strings.Repeat("a'", 20000), strings.Repeat("🦊", 20000), strings.Repeat("\"a", 20000),
		strings.Repeat("1.", 20000), strings.Repeat("1,", 20000), strings.Repeat("@a", 20000), strings.Repeat("\x00\xff", 20000), strings.Repeat("กำ", 20000),
	} {
		checkDoc(t, s, Analyze(s))
		if n := len(AnalyzeQuery(s).Words); n > 2*MaxQueryWords {
			t.Errorf("%.20q… gives %d words", s, n)
		}
	}
}

// checkDoc checks what holds for the terms of every text.
func checkDoc(t *testing.T, s string, d Doc) {
	t.Helper()
	if len(d.Terms) != len(d.TF) || d.Len < 0 {
		t.Fatalf("%.80q: %d terms, %d counts, length %d", s, len(d.Terms), len(d.TF), d.Len)
	}
	seen := map[string]bool{}
	for i, term := range d.Terms {
		if term == "" || len(term) > maxTerm || !utf8.ValidString(term) || seen[term] || d.TF[i] < 1 {
			t.Errorf("%.80q: bad term %q, %d times, seen %t", s, term, d.TF[i], seen[term])
		}
		seen[term] = true
	}
}

func FuzzAnalyze(f *testing.F) {
	for _, s := range []string{
		"The quick brown fox.", "getUserByID(id)", "internal/store/sqlite/lease.go", "v1.2.3-rc1 127.0.0.1:80", "C++ C# .NET a@b.co", "用户认证 Go语言", "l'archive don't O'Neil",
		"İstanbul'daki", "🦊👍🏽🇩🇪", "a\x00b\xff\ufeff", "e\u0301\u0301", "サーバー が", "การประชุม", "1,000 1,2,3 2026-03-14 x_y__z", "\"quoted phrase\" „so“", "ß ẞ ﬁ ½ ™ ´",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		d := Analyze(s)
		checkDoc(t, s, d)
		terms := map[string]bool{}
		for _, term := range d.Terms {
			terms[term] = true
		}
		q := AnalyzeQuery(s)
		for _, w := range q.Words {
			if w.Surface == "" || len(w.Forms) == 0 {
				t.Fatalf("%q: empty word %+v", s, w)
			}
			if !slices.ContainsFunc(w.Forms, func(form string) bool { return terms[form] }) && !w.Prefix {
				t.Errorf("%q: word %+v is none of the text's terms %q", s, w, d.Terms)
			}
		}
		for i, found := range finds(s, q.Phrases) {
			if !found {
				t.Errorf("%q has no phrase %q", s, q.Phrases[i])
			}
		}
		if f := Fold(s); Fold(f) != f {
			t.Errorf("Fold(%q) = %q folds to %q", s, f, Fold(f))
		}
		QueryOrder(s)
	})
}

// benchTexts are of about 400 characters, with words as people and machines write.
var benchTexts = []string{
	strings.Repeat("Caroline said she went to the support group yesterday and it was so powerful. ", 5),
	strings.Repeat("The importer reads config.yaml, then calls getUserByID for each row; errors like E4012 go to the log. ", 4),
	"We decided to keep the queue in the database because a second service would have to be run, watched and upgraded by the same two people who already look after the rest, and none of the measurements that were made in the spring showed that the load of the next two years could not be carried by the one that is there; should that change, the interface is small enough to put something else behind it without much work.",
}

func BenchmarkAnalyze(b *testing.B) {
	n := 0
	for _, s := range benchTexts {
		n += len(s)
	}
	b.SetBytes(int64(n))
	b.ReportAllocs()
	for b.Loop() {
		for _, s := range benchTexts {
			Analyze(s)
		}
	}
}

func BenchmarkAnalyzeHan(b *testing.B) {
	s := strings.Repeat("我们决定把队列放在数据库里，因为另一个服务需要有人维护。", 6)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		Analyze(s)
	}
}

func BenchmarkAnalyzeQuery(b *testing.B) {
	for b.Loop() {
		AnalyzeQuery("What did Caroline decide about the max_retry_count last week?")
	}
}

// TestQueryCut counts distinct words: only a word that is not looked up makes a
// query one that was cut.
func TestQueryCut(t *testing.T) {
	t.Parallel()
	words := func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "zq%c%c%c ", 'a'+i/26/26%26, 'a'+i/26%26, 'a'+i%26)
		}
		return b.String()
	}
	full := words(MaxQueryWords)
	for _, c := range []struct {
		name, query string
		want        bool
	}{
		{"few", "which queue", false},
		{"as many as there may be", full, false},
		{"the same again", full + full, false},
		{"one more", full + "kettle", true},
		{"one more after the same again", full + full + "kettle", true},
		{"one word very often", strings.Repeat("kettle ", 2*MaxQueryWords), false},
		{"an emoji more", full + "🎉", true},
		{"pairs of characters more", full + "数据库", true},
		{"nothing but pairs of characters", cjk(MaxQueryWords + 2), true},
	} {
		q := AnalyzeQuery(c.query)
		if q.Cut != c.want {
			t.Errorf("%s: Cut = %v with %d words, want %v", c.name, q.Cut, len(q.Words), c.want)
		}
	}
}

// cjk is a run of n different characters.
func cjk(n int) string {
	var b strings.Builder
	for i := range n {
		b.WriteRune(rune('一' + i))
	}
	return b.String()
}
